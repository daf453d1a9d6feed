"""A published figure beside ours, and what may be said about the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from sandtable.arena.statistics.intervals import LEVEL, Estimate
from sandtable.reports.plots import PUBLISHED, IntervalPlot, Mark, PlotRow
from sandtable.reproduce.reproduction import Line, Reproduction, Sheet

__all__ = ["ComparedMeans", "Comparison", "Difference", "Figure", "difference", "verdict"]

HEADINGS = ("agent", "published", "ours", "without luck", "sd", "games", "verdict")
CAPTION = "mean ± half the 95% interval; sd is that of the scores without luck"
AGREES, HIGHER, LOWER, NOT_PLAYED = "agrees", "higher", "lower", "not played"
CANNOT_BE_TOLD = "cannot be told"
SHARE_TOLERANCE = 0.15  # shares that may differ by more than this are not said to agree
MARGIN = NormalDist().inv_cdf(0.5 + LEVEL / 2)  # of a 95% interval, in standard errors


@dataclass(frozen=True)
class Figure:
    """One side of a comparison: a mean with its interval, and how it was come by.

    >>> Figure(0.5, 0.4, 0.6, games=100).mark("ours", 100.0).mean
    50.0
    """

    mean: float
    low: float
    high: float
    games: int
    sd: float | None = None
    seconds_per_game: float | None = None
    rounding: float = 0.0  # half a step of the printed figures, if they are rounded

    @classmethod
    def of(cls, estimate: Estimate, seconds_per_game: float | None = None) -> Figure:
        """Make a figure of an estimate of ours."""
        return cls(
            estimate.mean,
            estimate.low,
            estimate.high,
            estimate.count,
            estimate.deviation,
            seconds_per_game,
        )

    def mark(self, series: str, factor: float = 1.0) -> Mark:
        """Return the figure as a mark in a plot."""
        return Mark(series, factor * self.mean, factor * self.low, factor * self.high)

    @property
    def margins(self) -> tuple[float, float]:
        """How far the interval reaches below and above the mean, what rounding hides included."""
        hidden = MARGIN * self.rounding / math.sqrt(3)  # of a value that can be anywhere between
        return math.hypot(self.mean - self.low, hidden), math.hypot(self.high - self.mean, hidden)


@dataclass(frozen=True)
class Difference:
    """By how much our figure is above a published one, with its 95% interval.

    >>> round(Difference(0.1, 0.0, 0.2).chance, 3)
    0.05
    """

    mean: float
    low: float
    high: float

    @property
    def chance(self) -> float:
        """How likely a difference as large as this would be if there were none."""
        margin = self.mean - self.low if self.mean > 0 else self.high - self.mean
        if not margin:
            return 0.0 if self.mean else 1.0
        return 2 * (1 - NormalDist().cdf(MARGIN * abs(self.mean) / margin))


def difference(published: Figure, ours: Figure) -> Difference:
    """Return the difference of two figures, as Newcombe does (Statistics in Medicine 17, 1998).

    The intervals need not reach as far to both sides: below, ours counts as far as it reaches down
    and the published one as far as it reaches up, and the other way round.

    >>> few = Figure(0.9, low=0.59, high=0.99, games=10)
    >>> found = difference(few, Figure(0.7, low=0.68, high=0.72, games=2000))
    >>> round(found.low, 2), round(found.high, 2)
    (-0.29, 0.11)
    """
    mean = ours.mean - published.mean
    (our_low, our_high), (their_low, their_high) = ours.margins, published.margins
    return Difference(mean, mean - math.hypot(our_low, their_high),
                      mean + math.hypot(our_high, their_low))  # fmt: skip


def verdict(published: Figure, ours: Figure, tolerance: float = math.inf) -> str:
    """Say whether two figures agree.

    ``higher`` and ``lower`` if the difference cannot be chance at the 95% level. Otherwise they
    agree, unless a difference of more than the ``tolerance`` could be there as well: then it cannot
    be told. Without an interval only the very number that is known to be right agrees.

    >>> few = Figure(0.9, low=0.59, high=0.99, games=10)
    >>> verdict(few, Figure(0.7, low=0.68, high=0.72, games=2000), tolerance=0.15)
    'cannot be told'
    """
    found = difference(published, ours)
    if math.isnan(found.low) or math.isnan(found.high):
        exact = published.low == published.mean == published.high  # known, not measured
        return AGREES if exact and ours.mean == published.mean else CANNOT_BE_TOLD
    if found.low > 0 or found.high < 0:
        return HIGHER if found.mean > 0 else LOWER
    return AGREES if max(-found.low, found.high) <= tolerance else CANNOT_BE_TOLD


@dataclass(frozen=True)
class Comparison:
    """One row: a published figure, ours (None: not played), and the verdict.

    >>> Comparison("A", "a", Figure(0.5, 0.4, 0.6, 100), None, None).verdict
    'not played'
    """

    label: str
    agent: str | None
    published: Figure
    ours: Figure | None = None
    adjusted: Figure | None = None  # ours freed of luck
    note: str = ""

    @property
    def verdict(self) -> str:
        """What the row shows; figures freed of luck are the surer ones, where there are any."""
        surest = self.adjusted or self.ours
        return verdict(self.published, surest) if surest else NOT_PLAYED

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data."""
        data: dict[str, Any] = {"label": self.label, "agent": self.agent, "verdict": self.verdict}
        for name in ("published", "ours", "adjusted"):
            figure = getattr(self, name)
            data[name] = figure and {
                key: round(value, 6) if isinstance(value, float) else value
                for key, value in vars(figure).items()
                if key != "rounding"
            }
        return data | ({"note": self.note} if self.note else {})


@dataclass(frozen=True)
class ComparedMeans(Reproduction):
    """The answer to a published table of means.

    >>> row = Comparison("A", "a", Figure(0.5, 0.4, 0.6, 100), None, None)
    >>> ComparedMeans("lucid", "A title", "A paper", 0, (row,)).verdicts()
    ['not played']
    """

    rows: tuple[Comparison, ...]

    def differences(self) -> Sequence[Difference]:
        """Return the differences that the verdicts are about."""
        played = [(row.published, row.adjusted or row.ours) for row in self.rows]
        return [difference(published, ours) for published, ours in played if ours]

    def sheets(self, wide: bool) -> list[Sheet]:
        """Return one table, in the order of the published one."""
        show = full if wide else short
        lines = [Line(tuple(cells(row, show)), row.ours is not None) for row in self.rows]
        return [Sheet(HEADINGS, tuple(lines), caption=CAPTION)]

    def plots(self) -> list[IntervalPlot]:
        """Return the means that were played, beside the published ones."""
        rows = []
        for row in self.rows:
            surest = row.adjusted or row.ours
            if surest:
                marks = (row.published.mark(PUBLISHED), surest.mark("ours"))
                rows.append(PlotRow(row.label, marks))
        return [IntervalPlot("Published means and ours", "score, 95% intervals", tuple(rows))]

    def remarks(self) -> list[str]:
        """Say how much faster the games were played than published, where both are known."""
        lines = []
        for row in self.rows:
            if row.ours and row.ours.seconds_per_game and row.published.seconds_per_game:
                factor = row.published.seconds_per_game / row.ours.seconds_per_game
                lines.append(
                    f"- {row.label}: {row.ours.seconds_per_game:.2g} s a game here, "
                    f"{row.published.seconds_per_game:g} s published ({factor:,.0f} times faster)."
                )
        return lines

    def explanation(self) -> list[str]:
        """Say what intervals and verdicts mean."""
        return [
            "Intervals are 95% intervals; sd is that of the scores without luck, as the published",
            "one is. The verdict compares the means without luck: `agrees` when the",
            "difference could be chance at the 95% level, both intervals taken into account",
            "(Newcombe).",
        ]


def cells(row: Comparison, show: Callable[[Figure], str]) -> list[str]:
    """Return one row as text; ``show`` writes a mean with its interval."""
    if row.ours is None:
        return [row.label, show(row.published), "-", "-", "-", "-", row.note or row.verdict]
    adjusted = [show(row.adjusted), f"{row.adjusted.sd:.2f}"] if row.adjusted else ["-", "-"]
    ours = [show(row.published), show(row.ours), *adjusted]
    return [row.label, *ours, f"{row.ours.games:,}", row.verdict]


def short(figure: Figure) -> str:
    """Write a mean with half the width of its interval, for narrow terminals."""
    return f"{figure.mean:.2f} ±{(figure.high - figure.low) / 2:.2f}"


def full(figure: Figure) -> str:
    """Write a mean with both ends of its interval."""
    return f"{figure.mean:.3f} ({figure.low:.3f} to {figure.high:.3f})"


def share_text(figure: Figure, wide: bool) -> str:
    """Write a share in per cent with its interval.

    >>> share_text(Figure(0.5, 0.4, 0.6, 100), wide=True)
    '50.0 (40.0 to 60.0)'
    >>> share_text(Figure(0.5, 0.4, 0.6, 100), wide=False)
    '50.0 ±10.0'
    """
    low, mean, high = (100 * value for value in (figure.low, figure.mean, figure.high))
    return (
        f"{mean:.1f} ({low:.1f} to {high:.1f})" if wide else f"{mean:.1f} ±{(high - low) / 2:.1f}"
    )
