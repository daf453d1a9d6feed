"""Games won, drawn and lost between two agents, published and ours, and how long they think."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sandtable.arena.statistics.intervals import estimate_grouped_share
from sandtable.arena.statistics.results import number, reason_data
from sandtable.reports.plots import PUBLISHED, IntervalPlot, Mark, PlotRow
from sandtable.reproduce.comparison import (
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

__all__ = ["MatchRow", "MatchTable", "ThinkingTime"]

NOT_PUBLISHED = "not published"
GAMES_OF_A_DEAL = 2  # the same dice, with the seats changed


@dataclass(frozen=True)
class MatchRow:
    """One agent against another under one set of rules."""

    agent: str
    opponent: str
    label: str
    rules: str
    published: int | None  # games won
    published_games: int
    scores: tuple[float, ...] = ()  # of every game: 1 won, 0 drawn, -1 lost; deal after deal
    note: str = ""

    @property
    def ours(self) -> Figure | None:
        """The share of the games, a draw counted as half of one; a deal is one observation."""
        if not self.scores:
            return None
        deals = np.array(self.scores).reshape(-1, GAMES_OF_A_DEAL).mean(axis=1)
        estimate = estimate_grouped_share((1.0 + deals) / 2.0, games=GAMES_OF_A_DEAL)
        return replace(Figure.of(estimate), games=len(self.scores))

    def count(self, score: float) -> int:
        """Return how many games ended with this score."""
        return self.scores.count(score)

    @property
    def verdict(self) -> str:
        """What the row shows."""
        if self.ours is None:
            return NOT_PLAYED
        if self.published is None:
            return NOT_PUBLISHED
        return verdict(self.published_figure, self.ours, SHARE_TOLERANCE)

    @property
    def published_figure(self) -> Figure:
        """The published share with the interval of its games."""
        share = (self.published or 0) / self.published_games
        return Figure.of_share(share, self.published_games)

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data."""
        data: dict[str, Any] = {
            "agent": self.agent,
            "opponent": self.opponent,
            "label": self.label,
            "rules": self.rules,
            "published": None
            if self.published is None
            else {"won": self.published, "games": self.published_games},
            "verdict": self.verdict,
        }
        if self.ours is not None:
            data["ours"] = {
                "won": self.count(1.0),
                "drawn": self.count(0.0),
                "lost": self.count(-1.0),
                "games": self.ours.games,
                "share": round(self.ours.mean, 6),
                "low": number(self.ours.low),
                "high": number(self.ours.high),
                **reason_data("no_interval", self.ours.reason),
            }
        return data | ({"note": self.note} if self.note else {})


@dataclass(frozen=True)
class ThinkingTime:
    """How long an agent thinks about a move."""

    agent: str
    label: str
    published: float | None  # milliseconds
    ours: float  # milliseconds of processor time, the mean over the positions
    slowest: float
    positions: int

    def as_data(self) -> dict[str, Any]:
        """Return the times as plain data."""
        return {**vars(self), "ours": round(self.ours, 4), "slowest": round(self.slowest, 4)}


@dataclass(frozen=True)
class MatchTable(Reproduction):
    """The answer to a published table of games won."""

    rows: tuple[MatchRow, ...]
    rule_titles: dict[str, str] = field(default_factory=dict)  # by the name of the rules
    times: tuple[ThinkingTime, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return the answer as plain data, with the times."""
        return super().as_data() | {"times": [each.as_data() for each in self.times]}

    def differences(self) -> Sequence[Difference]:
        """Return the differences that the verdicts are about."""
        return [
            difference(row.published_figure, row.ours, row.label)
            for row in self.rows
            if row.ours is not None and row.published is not None
        ]

    def sheets(self, wide: bool) -> list[Sheet]:
        """Return a table for each set of rules, and one for the times."""
        found = [self.sheet(rules, title, wide) for rules, title in self.rule_titles.items()]
        if self.times:
            found.append(times_sheet(self.times))
        return [sheet for sheet in found if sheet.lines]

    def sheet(self, rules: str, title: str, wide: bool) -> Sheet:
        """Return the matches under one set of rules."""
        lines = []
        for row in self.rows:
            if row.rules != rules:
                continue
            published = "-"
            if row.published is not None:
                published = f"{100 * row.published / row.published_games:.0f}"
            cells = [row.label, published, "-", "-", "-", "-"]
            if row.ours is not None:
                counts = [f"{row.count(score):,}" for score in (1.0, 0.0, -1.0)]
                cells = [row.label, published, share_text(row.ours, wide), *counts]
            lines.append(Line((*cells, row.note or row.verdict), row.ours is not None))
        return Sheet(
            ("match", "published", "ours", "won", "drawn", "lost", "verdict"),
            tuple(lines),
            frozenset({"match", "verdict"}),
            title=title,
            caption="per cent of the games, a draw counted as half of one",
        )

    def plots(self) -> list[IntervalPlot]:
        """Return the shares of the published matches, beside ours under each set of rules."""
        rows: dict[str, list[Mark]] = {}
        for row in self.rows:
            if row.published is None or row.ours is None:
                continue
            marks = rows.setdefault(row.label, [row.published_figure.mark(PUBLISHED, 100.0)])
            marks.append(row.ours.mark(f"ours, {row.rules}", 100.0))
        drawn = tuple(PlotRow(label, tuple(marks)) for label, marks in rows.items())
        axis = "per cent of the games, a draw counted as half of one, 95% intervals"
        return [IntervalPlot("Published shares and ours", axis, drawn)]

    def remarks(self) -> list[str]:
        """Say why intervals are missing."""
        figures: list[tuple[str, Figure | None]] = []
        for row in self.rows:
            if row.published is not None:
                figures.append((f"{row.label} (published)", row.published_figure))
            figures.append((f"{row.label} ({row.rules}, ours)", row.ours))
        return interval_remarks(dict(figures).items())  # published once, not by every rule

    def explanation(self) -> list[str]:
        """Say what intervals and verdicts mean."""
        return [
            "Shares count a draw as half a game, so that both sides of a match add up to 100 as",
            "they do in the published table; the games won, drawn and lost stand beside them.",
            "Every deal is played twice with the seats changed and is one observation of the 95%",
            "intervals. `agrees` means that the difference could be chance at the 95% level, the",
            "100 games behind a published figure taken into account (Newcombe).",
        ]


def times_sheet(times: Sequence[ThinkingTime]) -> Sheet:
    """Return how long the agents think."""
    lines = []
    for each in times:
        published = "-" if each.published is None else f"{each.published:g}"
        figures = (published, f"{each.ours:.2f}", f"{each.slowest:.2f}", f"{each.positions}")
        lines.append(Line((each.label, *figures)))
    return Sheet(
        ("agent", "published", "ours", "slowest", "positions"),
        tuple(lines),
        title="Milliseconds for a move",
        caption="processor time on positions out of games of the baseline against itself",
    )
