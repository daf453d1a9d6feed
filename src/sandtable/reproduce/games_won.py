"""Games won out of a few against opponents of growing strength, published and ours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.statistics.intervals import (
    LEAST_COUNT,
    Estimate,
    estimate_grouped_share,
    estimate_mean,
    estimate_share,
)
from sandtable.arena.statistics.results import number, reason_data
from sandtable.reports.plots import PUBLISHED, IntervalPlot, Mark, PlotRow
from sandtable.reproduce.comparison import (
    NOT_PLAYED,
    NOT_SHOWN,
    SHARE_TOLERANCE,
    Difference,
    Figure,
    difference,
    interval_remarks,
    verdict,
)
from sandtable.reproduce.reproduction import Line, Reproduction, Sheet

__all__ = ["GamesWon", "Wins", "WinsRow"]

EXACT, DIFFERS, NOT_PUBLISHED = "exact", "differs", "not published"
GAMES = {"seen": 10, "unseen": 4}  # against each opponent
PUBLISHED_SHEETS = {
    "seen": "Games won of 10 on the levels 1 to 5 (figure 3)",
    "unseen": "Games won of 4 on the levels 6 and 7 (figure 4)",
}
ENDS = ("mean", "low", "high")
YARDSTICK = "simple-5000"
USUAL_DESIGN_EFFECT = 2.5  # where it is not known: those of the trained rows lie between 2 and 3


@dataclass(frozen=True)
class GamesWon:
    """A share of games won with its 95% interval."""

    share: float
    low: float
    high: float
    games: int
    reason: str = ""  # why there is no interval, where there is none

    @classmethod
    def of(cls, estimate: Estimate, games: int) -> GamesWon:
        """Take the numbers of an estimate, kept between 0 and 1."""
        if not estimate.shown:
            return cls(estimate.mean, math.nan, math.nan, games, estimate.reason)
        return cls(estimate.mean, max(0.0, estimate.low), min(1.0, estimate.high), games)

    @classmethod
    def of_games(cls, won: NDArray[np.float64]) -> GamesWon:
        """Estimate from independent games."""
        return cls.of(estimate_share(float(won.mean()), won.size), won.size)

    @classmethod
    def of_levels(cls, shares: NDArray[np.float64], games: int) -> GamesWon:
        """Estimate from the shares won on levels drawn independently [level]."""
        each = math.ceil(games / len(shares)) if len(shares) else 1
        return cls.of(estimate_grouped_share(shares, games=each), games)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> GamesWon:
        """Return what ``as_data`` made plain data of."""
        low, high = (math.nan if data[end] is None else data[end] for end in ("low", "high"))
        return cls(data["share"], low, high, data["games"], data.get("no_interval", ""))

    def as_data(self) -> dict[str, float | int | str | None]:
        """Return the figures as plain data; ends that are not shown are None, with the reason."""
        data: dict[str, float | int | str | None] = {
            name: number(getattr(self, name)) for name in ("share", "low", "high")
        }
        return data | {"games": self.games} | reason_data("no_interval", self.reason)

    def mark(self, series: str) -> Mark:
        """Return the share in per cent as a mark in a plot."""
        return Mark(series, 100 * self.share, 100 * self.low, 100 * self.high)

    def text(self, wide: bool) -> str:
        """Write the share in per cent with its interval."""
        if math.isnan(self.low):
            return f"{self.share:.1%} {NOT_SHOWN}"
        if wide:
            return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"
        return f"{self.share:.0%} ±{100 * (self.high - self.low) / 2:.0f}"


@dataclass(frozen=True, eq=False)
class WinsRow:
    """One agent: its games won on the published levels, repeated, and on generated levels."""

    agent: str
    label: str
    spec: str
    published: dict[str, tuple[int, ...]] | None  # seen and unseen: wins against each opponent
    ours: dict[str, tuple[int, ...]] | None = None  # the same games, once
    repeated: dict[str, tuple[GamesWon, ...]] | None = None  # the same games with more dice
    by_level: NDArray[np.float64] | None = (
        None  # [opponent, level, seat] games won; nan: not played
    )
    duel: NDArray[np.float64] | None = None  # [level] the same against the simple opponent
    note: str = ""
    trained: bool = False  # another run of the training would have won other games

    @property
    def verdict(self) -> str:
        """What the row shows: one word if both tables show the same."""
        verdicts = {part: self.verdict_of(part) for part in GAMES}
        if len(set(verdicts.values())) == 1:
            return verdicts.popitem()[1]
        return ", ".join(f"{part} {each}" for part, each in verdicts.items())

    def verdict_of(self, part: str) -> str:
        """Exact for equal numbers; where dice are thrown, whether the difference can be chance."""
        if self.ours is None:
            return NOT_PLAYED
        if self.published is None:
            return NOT_PUBLISHED
        wins = self.published[part]
        if self.repeated is None and not self.trained:
            return EXACT if self.ours[part] == wins else DIFFERS
        return verdict(*self.compared(part), SHARE_TOLERANCE)

    def compared(self, part: str) -> tuple[Figure, Figure]:
        """Return the published share of all games of a table, and ours.

        Another training would have been better or worse on a level as a whole, from both sides and
        against all opponents: such games count for fewer, by the design effect.
        """
        assert self.published is not None and self.ours is not None
        wins = self.published[part]
        games = GAMES[part] * len(wins)
        effect = self.design_effect() if self.trained else 1.0
        played, won = games, float(sum(self.ours[part]))
        if self.repeated:
            played = sum(each.games for each in self.repeated[part])
            won = sum(each.share * each.games for each in self.repeated[part])
        shares = ((sum(wins) / games, games), (won / played, played))
        theirs, own = (Figure.of_share(*each, effect=effect) for each in shares)
        return theirs, own

    def design_effect(self) -> float:
        """Return how many of the published games on one level count for one.

        An agent plays a level from both sides against all opponents, and those games go together:
        by the variance of the shares won on a generated level, divided by what it would be if they
        had nothing to do with each other. Slow agents play a side of those levels against one
        opponent only, which tells nothing about that.
        """
        if self.by_level is None or np.isnan(self.by_level).any():
            return USUAL_DESIGN_EFFECT
        shares = means_of_levels(self.by_level)
        mean, games = float(shares.mean()), count_played(self.by_level) / max(len(shares), 1)
        if len(shares) < LEAST_COUNT or not 0 < mean < 1:
            return USUAL_DESIGN_EFFECT
        return max(float(shares.var(ddof=1)) * games / (mean * (1 - mean)), 1.0)

    def marks(self, part: str) -> list[Mark]:
        """Return the share of all games won on the published levels, published and ours.

        Where no dice are thrown ours has no interval.
        """
        found = []
        if self.published is not None:
            games = GAMES[part] * len(self.published[part])
            share = sum(self.published[part]) / games
            found.append(Figure.of(estimate_share(share, games)).mark(PUBLISHED, 100.0))
        if self.repeated:
            games = sum(each.games for each in self.repeated[part])
            share = sum(each.share * each.games for each in self.repeated[part]) / games
            found.append(Figure.of(estimate_share(share, games)).mark("ours", 100.0))
        elif self.ours:
            games = GAMES[part] * len(self.ours[part])
            found.append(Mark("ours", 100 * sum(self.ours[part]) / games))
        return found

    def generated(self) -> list[GamesWon]:
        """Return the shares on generated levels: against each opponent, and against all."""
        if self.by_level is None:
            return []
        return [
            GamesWon.of_levels(means_of_levels(games[np.newaxis]), count_played(games))
            for games in self.by_level
        ] + [GamesWon.of_levels(means_of_levels(self.by_level), count_played(self.by_level))]

    def told(self) -> list[tuple[str, GamesWon]]:
        """Return all shares that are told of the row, by what they are."""
        found = [(part, each) for part, shares in (self.repeated or {}).items() for each in shares]
        found += [("generated levels", each) for each in self.generated()[-1:]]
        simple = self.against_simple()
        return [*found, *([("against the simple opponent", simple)] if simple else [])]

    def against_simple(self) -> GamesWon | None:
        """Return the share won against the simple opponent itself."""
        return GamesWon.of_levels(self.duel, 2 * len(self.duel)) if self.duel is not None else None

    def lead_over(self, other: WinsRow | None) -> Estimate | None:
        """Return by how much a larger share was won than by another agent in the same games."""
        if other is None or other is self or self.by_level is None or other.by_level is None:
            return None
        both = self.by_level - other.by_level
        return lead(means_of_levels(both), games_on_a_level(both))

    def lead_on_levels(self, other: WinsRow | None) -> Estimate | None:
        """Return the same by the shares on each level, also of games that only the other played.

        Fair where the opponents of a slow agent go round, and surer than the same games alone.
        """
        if other is None or other is self or self.by_level is None or other.by_level is None:
            return None
        return lead(
            means_of_levels(self.by_level) - means_of_levels(other.by_level),
            max(games_on_a_level(self.by_level), games_on_a_level(other.by_level)),
        )

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data; ``seen`` and ``unseen`` are wins by opponent."""
        data: dict[str, Any] = {"agent": self.agent, "label": self.label, "spec": self.spec}
        for part in GAMES:
            data[part] = list(self.ours[part]) if self.ours else None
        data["published"] = self.published and {
            part: list(wins) for part, wins in self.published.items()
        }
        data["verdict"] = self.verdict
        if self.repeated:
            data["repeated"] = {
                part: [each.as_data() for each in shares] for part, shares in self.repeated.items()
            }
        if self.by_level is not None:
            data["generated_levels"] = self.by_level.shape[1]
            data["generated"] = [each.as_data() for each in self.generated()]
        duel = self.against_simple()
        if duel:
            data["against_simple"] = duel.as_data()
        return data | ({"note": self.note} if self.note else {})


def lead(differences: NDArray[np.float64], games: int) -> Estimate:
    """Estimate a lead from the differences of two shares, each of so many games on a level."""
    return estimate_mean(np.round(differences, 12), bounds=(-1.0, 1.0), games=games)


def means_of_levels(games: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each level [level] over the games [opponent, level, seat] played there."""
    played = ~np.isnan(games)
    counts = played.sum(axis=(0, 2))
    sums = np.where(played, games, 0.0).sum(axis=(0, 2))
    means: NDArray[np.float64] = sums[counts > 0] / counts[counts > 0]
    return means


def games_on_a_level(games: NDArray[np.float64]) -> int:
    """Return how many games [opponent, level, seat] were played on the levels with most of them."""
    return int((~np.isnan(games)).sum(axis=(0, 2)).max(initial=0))


def count_played(games: NDArray[np.float64]) -> int:
    """Return how many games were played."""
    return int((~np.isnan(games)).sum())


@dataclass(frozen=True)
class Wins(Reproduction):
    """The answer to tables of games won."""

    rows: tuple[WinsRow, ...]
    budgets: tuple[int, ...] = ()  # of the opponents, one for each column

    def as_data(self) -> dict[str, Any]:
        """Return the answer as plain data, with the opponents and the leads on the same levels."""
        data = super().as_data() | {"opponent_budgets": list(self.budgets)}
        for row, plain in zip(self.rows, data["rows"], strict=True):
            leads = {
                "lead_over_simple": row.lead_over(self.yardstick),
                "lead_over_simple_on_levels": row.lead_on_levels(self.yardstick),
            }
            for name, lead in leads.items():
                if lead:
                    plain[name] = {end: number(getattr(lead, end)) for end in ENDS}
                    plain[name] |= reason_data("no_interval", lead.reason)
        return data

    def differences(self) -> Sequence[Difference]:
        """Return the differences that the verdicts are about."""
        return [
            difference(*row.compared(part), f"{row.label}, {part}")
            for row in self.rows
            if row.ours and row.published and (row.repeated is not None or row.trained)
            for part in GAMES
        ]

    def remarks(self) -> list[str]:
        """Give the leads of agents that played fewer games than the simple opponent both ways."""
        figures = [(f"{row.label} ({name})", each) for row in self.rows
                   for name, each in row.told()]  # fmt: skip
        lines = interval_remarks(figures)
        for row in self.rows:
            same, levels = row.lead_over(self.yardstick), row.lead_on_levels(self.yardstick)
            if same and levels and same != levels:
                lines.append(
                    f"- {row.label}, lead over the simple opponent in points: "
                    f"{lead_text(same, True)} in the same games; {lead_text(levels, True)} if all "
                    "games of the simple opponent on these levels count."
                )
        return lines

    @property
    def yardstick(self) -> WinsRow | None:
        """The row that the others are measured by on generated levels."""
        return next((row for row in self.rows if row.agent == YARDSTICK), None)

    def sheets(self, wide: bool) -> list[Sheet]:
        """Return the two published tables, the repeated games, and the generated levels."""
        found = [self.published_sheet(part) for part in GAMES]
        if any(row.repeated for row in self.rows):
            found.append(self.repeated_sheet(wide))
        if any(row.by_level is not None for row in self.rows):
            found.append(self.generated_sheet(wide))
        return found

    def headings(self, *more: str) -> tuple[str, ...]:
        """Return the headings that every sheet shares, and those of its own."""
        return ("agent", *(str(budget) for budget in self.budgets), *more)

    def published_sheet(self, part: str) -> Sheet:
        """Return one published table with ours before each published number."""
        lines = []
        for row in self.rows:
            theirs = with_sum(row.published[part] if row.published else None, len(self.budgets))
            ours = with_sum(row.ours[part] if row.ours else None, len(self.budgets))
            pairs = [f"{own} ({other})" for own, other in zip(ours, theirs, strict=True)]
            shown = row.note or row.verdict_of(part)
            lines.append(Line((row.label, *pairs, shown), row.ours is not None))
        total = GAMES[part] * len(self.budgets)
        headings = self.headings(f"of {total}", "verdict")
        caption = "ours (published), by the budget of the opponent"
        return Sheet(headings, tuple(lines), title=PUBLISHED_SHEETS[part], caption=caption)

    def repeated_sheet(self, wide: bool) -> Sheet:
        """Return the shares won when the published games are repeated with other dice."""
        lines = []
        for row in self.rows:
            for part, shares in (row.repeated or {}).items():
                texts = [share.text(wide) for share in shares]
                lines.append(Line((f"{row.label}, {part}", *texts, f"{shares[0].games:,}")))
        return Sheet(
            self.headings("games each"),
            tuple(lines),
            title="The same games repeated with other dice: share won",
            caption="per cent ± half the 95% interval",
        )

    def generated_sheet(self, wide: bool) -> Sheet:
        """Return the shares won on generated levels."""
        lines = []
        levels = 0
        for row in self.rows:
            if row.by_level is None:
                continue
            levels = row.by_level.shape[1]
            texts = [share.text(wide) for share in row.generated()]
            lead, duel = row.lead_over(self.yardstick), row.against_simple()
            texts += [lead_text(lead, wide) if lead else "-", duel.text(wide) if duel else "-"]
            lines.append(Line((row.label, *texts)))
        return Sheet(
            self.headings("all", "lead", "duel"),
            tuple(lines),
            title=f"{levels} generated levels, each from both sides: share won",
            caption="per cent ± half the 95% interval; lead: over the simple opponent's row; "
            "duel: against the simple opponent itself, at the agent's budget",
        )

    def plots(self) -> list[IntervalPlot]:
        """Return the shares won on the published levels, and on the generated ones."""
        rows = tuple(
            PlotRow(f"{row.label}, {part}", tuple(row.marks(part)))
            for row in self.rows
            if row.ours
            for part in GAMES
        )
        generated = tuple(
            PlotRow(row.label, (row.generated()[-1].mark("ours"),))
            for row in self.rows
            if row.by_level is not None
        )
        axis = "per cent of the games won, 95% intervals"
        return [
            IntervalPlot("The published levels, against all opponents", axis, rows),
            IntervalPlot("Generated levels, against all opponents", axis, generated),
        ]

    def explanation(self) -> list[str]:
        """Say what intervals and verdicts mean."""
        return [
            "Intervals are 95% intervals. `exact` means that a row without dice came out number",
            "for number; `agrees` that the difference between the published games and ours,",
            "repeated with other dice, could be chance at the 95% level (Newcombe; games of a",
            "trained agent on one level count for fewer, by their design effect),",
            "`cannot be told` that one of more than 15 points could be there as well. The lead is",
            "by how many points a larger share was won against the constant opponent than the",
            "simple opponent won in the same games, a level being one pair of draws; the duel is",
            "the share won against the simple opponent itself, at the agent's own budget.",
        ]


def with_sum(wins: tuple[int, ...] | None, columns: int) -> list[str]:
    """Return numbers with their sum as text; dashes where there are none."""
    return [str(each) for each in (*wins, sum(wins))] if wins else ["-"] * (columns + 1)


def lead_text(lead: Estimate, wide: bool) -> str:
    """Write a difference of shares in percentage points."""
    mean, low, high = (100 * each for each in (lead.mean, lead.low, lead.high))
    if not lead.shown:
        return f"{mean:+.0f} {NOT_SHOWN}"
    if wide:
        return f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"
    return f"{mean:+.0f} ±{(high - low) / 2:.0f}"
