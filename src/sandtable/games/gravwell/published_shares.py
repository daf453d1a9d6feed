"""Shares of games won by several players, published and ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandtable.arena.statistics.results import number, reason_data
from sandtable.reports.plots import PUBLISHED, IntervalPlot, PlotRow
from sandtable.reproduce.comparison import (
    CANNOT_BE_TOLD,
    NOT_PLAYED,
    SHARE_TOLERANCE,
    Difference,
    Figure,
    difference,
    interval_remarks,
    share_text,
    verdict,
)
from sandtable.reproduce.reproduction import Line, Reproduction, Sheet

__all__ = ["EqualPlayers", "SharesRow", "WonShares"]

TRUE, INERT = "true", "inert"
ROUNDING = 0.005  # published shares are whole per cents
BELOW, NOT_BELOW, NOT_PUBLISHED = "below, as published", "not below", "not published"
SHEETS = (
    (INERT, "Tractors inert, as in the authors' program: share of games won"),
    (TRUE, "The true tractor rule: share of games won"),
)


@dataclass(frozen=True)
class SharesRow:
    """One match: what was published about it, and what we found under one tractor rule."""

    row: str
    label: str
    short: str  # the label for narrow terminals
    agents: tuple[str, ...]
    tractor: str
    published: tuple[Figure, ...] = ()  # of the first agents
    below: float | None = None  # all that was published is that the share is below this
    program: tuple[Figure | float, ...] = ()  # measured with the authors' program
    ours: tuple[Figure, ...] = ()  # of every agent; empty: not played
    positions: tuple[Figure, ...] = ()  # end positions, likewise
    note: str = ""

    @property
    def verdict(self) -> str:
        """What the row shows; only the rule that the authors' program had can be compared."""
        if not self.ours:
            return NOT_PLAYED
        if self.tractor == INERT and self.below is not None:
            own = self.ours[0]
            return (
                BELOW if own.tested[1] < self.below else NOT_BELOW if own.tested[0] > self.below
                else CANNOT_BE_TOLD
            )  # fmt: skip
        if self.tractor == TRUE or not self.published:
            return NOT_PUBLISHED
        found = [
            verdict(theirs, ours, SHARE_TOLERANCE)
            for theirs, ours in zip(self.published, self.ours, strict=False)
        ]
        return found[0] if len(set(found)) == 1 else ", ".join(found)

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data."""
        data: dict[str, Any] = {
            "match": self.row,
            "label": self.label,
            "tractor": self.tractor,
            "agents": list(self.agents),
            "verdict": self.verdict,
            "published": [round(figure.mean, 6) for figure in self.published] or None,
        }
        if self.below is not None:
            data["published_below"] = self.below
        if self.program:
            data["program"] = [
                round(each.mean if isinstance(each, Figure) else each, 6) for each in self.program
            ]
        if self.ours:
            data |= {"games": self.ours[0].games, "ours": [plain(each) for each in self.ours]}
            data["end_positions"] = [plain(each) for each in self.positions]
        return data | ({"note": self.note} if self.note else {})


def plain(figure: Figure) -> dict[str, float | str | None]:
    """Return a figure as plain data."""
    names = ("mean", "low", "high")
    return {
        ("share" if name == "mean" else name): number(getattr(figure, name)) for name in names
    } | reason_data("no_interval", figure.reason)


@dataclass(frozen=True)
class EqualPlayers:
    """How many games until equal players look equal by their end positions, or by games won."""

    players: int
    tractor: str
    published: int  # games that were enough; counted in games won, that were not
    found: tuple[int | None, ...]  # by each repetition of the experiment
    typical: int | None  # games with which the experiment succeeds half of the time
    measure: str = "end positions"
    leeway: float = 0.05
    passed: float | None = None  # share of trials of the published number in which they look equal

    def as_data(self) -> dict[str, Any]:
        """Return the experiment as plain data."""
        return {**vars(self), "found": list(self.found)}


@dataclass(frozen=True)
class WonShares(Reproduction):
    """The answer to published shares of games won."""

    rows: tuple[SharesRow, ...]
    equal: tuple[EqualPlayers, ...] = field(default=())

    def as_data(self) -> dict[str, Any]:
        """Return the answer as plain data, with the experiment on equal players."""
        return super().as_data() | {"equal_players": [each.as_data() for each in self.equal]}

    def differences(self) -> Sequence[Difference]:
        """Return the differences that the verdicts are about."""
        return [
            difference(theirs, ours, row.label)
            for row in self.rows
            if row.tractor == INERT and row.ours and row.below is None
            for theirs, ours in zip(row.published, row.ours, strict=False)
        ]

    def sheets(self, wide: bool) -> list[Sheet]:
        """Return a table for each tractor rule, and one for the equal players."""
        found = [self.sheet(tractor, title, wide) for tractor, title in SHEETS]
        if self.equal:
            found.append(self.equal_sheet())
        return [sheet for sheet in found if sheet.lines]

    def sheet(self, tractor: str, title: str, wide: bool) -> Sheet:
        """Return the matches under one rule; a narrow one without what matters less."""
        lines = []
        for row in self.rows:
            if row.tractor != tractor:
                continue
            ours = " / ".join(share_text(figure, wide) for figure in shown(row))
            if not wide and len(shown(row)) > 1:
                ours = joined(figure.mean for figure in shown(row))
            position = f"{row.positions[0].mean:.1f}" if row.positions else "-"
            games = f"{row.ours[0].games:,}" if row.ours else "-"
            cells = [row.label if wide else row.short, published_text(row), program_text(row)]
            cells += [ours or "-", *([position] if wide else []), games, row.note or row.verdict]
            lines.append(Line(tuple(cells), bool(row.ours)))
        tiles = ["end tile"] if wide else []
        return Sheet(
            ("match", "published", "program", "ours", *tiles, "games", "verdict"),
            tuple(lines),
            frozenset({"match", "verdict"}),
            title=title,
            caption="per cent of the first agent, or of all four; program: the authors', run again",
        )

    def equal_sheet(self) -> Sheet:
        """Return the experiment on equal players."""
        lines = []
        for each in self.equal:
            found = ", ".join("-" if games is None else str(games) for games in each.found)
            wins = each.passed is not None
            published = f"more than {each.published}" if wins else str(each.published)
            measure = f"{each.measure}, {each.leeway:.0%}"
            numbers = (str(each.players), each.tractor, measure, published, found)
            passed = "-" if each.passed is None else f"{each.passed:.0%} with {each.published}"
            lines.append(
                Line((*numbers, "-" if each.typical is None else str(each.typical), passed))
            )
        headings = ("players", "tractors", "by", "published", "ours, time after time", "typical")
        return Sheet(
            (*headings, "trials passed"),
            tuple(lines),
            frozenset({"tractors", "by"}),
            title="Games until random players look equal, 30 of 30 times",
        )

    def plots(self) -> list[IntervalPlot]:
        """Return the shares of the published agents, with inert tractors as in their program."""
        rows = []
        for row in self.rows:
            if row.tractor != INERT or not row.ours or not row.published:
                continue
            several = len(shown(row)) > 1
            for index, (theirs, ours) in enumerate(zip(row.published, shown(row), strict=False)):
                label = f"{row.short}: {row.agents[index]}" if several else row.short
                marks = (theirs.mark(PUBLISHED, 100.0), ours.mark("ours", 100.0))
                rows.append(PlotRow(label, marks))
        title = "Published shares of games won, and ours with inert tractors"
        return [IntervalPlot(title, "per cent, 95% intervals", tuple(rows))]

    def remarks(self) -> list[str]:
        """Say why intervals are missing."""
        figures: list[tuple[str, Figure]] = []
        for row in self.rows:
            inert = row.tractor == INERT  # what was published stands beside these rows only
            for kind, known in (
                ("published", row.published if inert else ()),
                ("ours", shown(row)),
            ):
                figures += [
                    (f"{agent} in {row.label} (tractors {row.tractor}, {kind})", each)
                    for agent, each in zip(row.agents, known, strict=False)
                ]
        return interval_remarks(figures)

    def explanation(self) -> list[str]:
        """Say what intervals and verdicts mean."""
        return [
            "Intervals are 95% intervals. `agrees` means that the difference could be chance at",
            "the 95% level (Newcombe), the games behind the published share and, where it is",
            "printed in whole per cents, its rounding taken into account; `cannot be told` that a",
            "difference of more than 15 points could be there as well. `program` is what the",
            "authors' own program gives when it is run again. The typical number of games until",
            "equal players look equal is the smallest with which the experiment succeeds half of",
            "the time.",
        ]


def shown(row: SharesRow) -> tuple[Figure, ...]:
    """Return the shares worth showing: of the first agent, or of all if they differ."""
    return row.ours if len(set(row.agents)) == len(row.agents) else row.ours[:1]


def published_text(row: SharesRow) -> str:
    """Write what was published, which is about inert tractors."""
    if row.tractor != INERT:
        return "-"
    if row.below is not None:
        return f"below {100 * row.below:.0f}"
    every = len(set(row.agents)) == len(row.agents)
    return joined(figure.mean for figure in row.published[: None if every else 1]) or "-"


def program_text(row: SharesRow) -> str:
    """Write what the authors' program gives."""
    shares = [each.mean if isinstance(each, Figure) else each for each in row.program]
    return joined(shares) if len(shares) > 1 else f"{100 * shares[0]:.1f}" if shares else "-"


def joined(shares: Iterable[float]) -> str:
    """Write shares in whole per cents side by side."""
    return "/".join(f"{100 * share:.0f}" for share in shares)
