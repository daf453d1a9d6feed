"""A published figure beside ours, and what may be said about the difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from sandtable.arena.statistics.intervals import LEVEL, Estimate
from sandtable.reports.plots import PUBLISHED, IntervalPlot, Mark, PlotRow
from sandtable.reproduce.reproduction import Line, Reproduction, Sheet

__all__ = ["ComparedMeans", "Comparison", "Figure", "verdict"]

HEADINGS = ("agent", "published", "ours", "without luck", "sd", "games", "verdict")
CAPTION = "mean ± half the 95% interval; sd is that of the scores without luck"
AGREES, HIGHER, LOWER, NOT_PLAYED = "agrees", "higher", "lower", "not played"


@dataclass(frozen=True)
class Figure:
    """One side of a comparison: a mean with its interval, and how it was come by."""

    mean: float
    low: float
    high: float
    games: int
    sd: float | None = None
    seconds_per_game: float | None = None

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
    def standard_error(self) -> float:
        """What the half width of the 95% interval says about the uncertainty of the mean."""
        return (self.high - self.low) / 2 / NormalDist().inv_cdf(0.5 + LEVEL / 2)


def verdict(published: Figure, ours: Figure) -> str:
    """Say whether two figures agree: whether their difference could be chance at the 95% level."""
    difference = ours.mean - published.mean
    uncertainty = math.hypot(published.standard_error, ours.standard_error)
    if abs(difference) <= NormalDist().inv_cdf(0.5 + LEVEL / 2) * uncertainty:
        return AGREES
    return HIGHER if difference > 0 else LOWER


@dataclass(frozen=True)
class Comparison:
    """One row: a published figure, ours (None: not played), and the verdict."""

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
            }
        return data | ({"note": self.note} if self.note else {})


@dataclass(frozen=True)
class ComparedMeans(Reproduction):
    """The answer to a published table of means."""

    rows: tuple[Comparison, ...]

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
            "difference could be chance at the 95% level, both intervals taken into account.",
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
