"""A published figure beside ours, and what may be said about the difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from sandtable.arena.statistics.beta import binomial_limits
from sandtable.arena.statistics.intervals import (
    LEVEL,
    UNKNOWN,
    Estimate,
    SupportsReason,
    estimate_share,
    reason_lines,
)
from sandtable.reports.plots import PUBLISHED, IntervalPlot, Mark, PlotRow
from sandtable.reproduce.reproduction import Line, Reproduction, Sheet

__all__ = [
    "ComparedMeans",
    "Comparison",
    "Difference",
    "Figure",
    "difference",
    "interval_remarks",
    "verdict",
]

HEADINGS = ("agent", "published", "ours", "without luck", "sd", "games", "verdict")
CAPTION = "mean ± half the 95% interval; sd is that of the scores without luck"
AGREES, HIGHER, LOWER, NOT_PLAYED = "agrees", "higher", "lower", "not played"
NOT_SHOWN = "(no interval)"  # remarks below the table say why
CANNOT_BE_TOLD, NOT_PUBLISHED = "cannot be told", "not published"
SHARE_TOLERANCE = 0.15  # shares that may differ by more than this are not said to agree
TAILS = (LEVEL, 0.99, 0.999, 0.9999)  # levels; the last ones decide where many are compared
SCORES = tuple(NormalDist().inv_cdf(0.5 + level / 2) for level in TAILS)  # in standard errors
MARGIN = SCORES[0]


def interval_remarks(figures: Iterable[tuple[str, SupportsReason | None]]) -> list[str]:
    """Say of named figures why some of them have no interval, as remarks of a page.

    >>> interval_remarks([("random", Figure(1.0, math.nan, math.nan, 9, no_interval="too few"))])
    ['- No interval of random: too few.']
    """
    return [f"- {line[0].upper()}{line[1:]}." for line in reason_lines(figures)]


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
    limits: tuple[float, float] = UNKNOWN  # for the verdict; UNKNOWN: those of the interval
    no_interval: str = ""  # why there is none, where there is none
    tails: tuple[tuple[float, float], ...] = ()  # limits at all levels of TAILS, where known

    @classmethod
    def of_share(cls, share: float, games: int, effect: float = 1.0) -> Figure:
        """Make a figure of a share of games, ``effect`` of which count for one."""
        tails = tuple(binomial_limits(share * games / effect, games / effect, level)
                      for level in TAILS)  # fmt: skip
        return replace(cls.of(estimate_share(share, games, effect=effect)), tails=tails)

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
            limits=estimate.limits,
            no_interval=estimate.reason,
        )

    def as_data(self) -> dict[str, Any]:
        """Return the figure as plain data; ends that are not shown are None, with the reason."""
        data = {
            key: (round(value, 6) if math.isfinite(value) else None)
            if isinstance(value, float) else value
            for key, value in vars(self).items()
            if key not in ("rounding", "limits", "no_interval", "tails")
        }  # fmt: skip
        return data | ({"no_interval": self.no_interval} if self.no_interval else {})

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Figure:
        """Return what ``as_data`` made plain data of."""
        ends = {end: math.nan if data[end] is None else data[end] for end in ("low", "high")}
        return cls(**{**data, **ends})

    @property
    def reason(self) -> str:
        """Why there is no interval, where there is none."""
        return self.no_interval

    def mark(self, series: str, factor: float = 1.0) -> Mark:
        """Return the figure as a mark in a plot."""
        return Mark(series, factor * self.mean, factor * self.low, factor * self.high)

    @property
    def tested(self) -> tuple[float, float]:
        """The limits that verdicts use, whether they are shown or not."""
        return (self.low, self.high) if math.isnan(self.limits[0]) else self.limits

    def margins(self, tail: int = 0) -> tuple[float, float]:
        """How far the interval reaches below and above the mean, what rounding hides included.

        ``tail`` is the place of its level in ``TAILS``, the usual one first.
        """
        hidden = SCORES[tail] * self.rounding / math.sqrt(3)  # of a value anywhere between
        low, high = self.tails[tail] if self.tails else self.tested
        scale = 1.0 if self.tails else SCORES[tail] / MARGIN
        return (math.hypot(scale * (self.mean - low), hidden),
                math.hypot(scale * (high - self.mean), hidden))  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """By how much our figure is above a published one, with its 95% interval.

    >>> round(Difference(0.1, 0.0, 0.2).chance, 3)
    0.05
    """

    mean: float
    low: float
    high: float
    label: str = ""  # of what, for a person
    margins: tuple[float, ...] = ()  # towards no difference, at the levels of TAILS, where known

    @property
    def chance(self) -> float:
        """How likely a difference as large as this would be if there were none.

        Chances far below those of a 95% interval decide where many figures are compared. There few
        games, won or lost, go farther than a normal distribution, so intervals of higher levels
        tell it where they are known.
        """
        margin = self.mean - self.low if self.mean > 0 else self.high - self.mean
        if not margin:
            return 0.0 if self.mean else 1.0
        margins = self.margins or tuple(margin * score / MARGIN for score in SCORES)
        return 2 * (1 - NormalDist().cdf(score_of(abs(self.mean), margins)))


def score_of(distance: float, margins: Sequence[float]) -> float:
    """Return at how many standard errors an interval with these margins reaches so far.

    >>> round(score_of(0.2, [0.1 * score for score in SCORES]), 6)
    2.0
    """
    if distance <= margins[0]:
        return SCORES[0] * distance / margins[0]
    if distance >= margins[-1]:
        return SCORES[-1] * distance / margins[-1]
    return float(np.interp(distance, margins, SCORES))


def difference(published: Figure, ours: Figure, label: str = "") -> Difference:
    """Return the difference of two figures, as Newcombe does (Statistics in Medicine 17, 1998).

    The intervals need not reach as far to both sides: below, ours counts as far as it reaches down
    and the published one as far as it reaches up, and the other way round.

    >>> few = Figure(0.9, low=0.59, high=0.99, games=10)
    >>> found = difference(few, Figure(0.7, low=0.68, high=0.72, games=2000))
    >>> round(found.low, 2), round(found.high, 2)
    (-0.29, 0.11)
    """
    mean = ours.mean - published.mean
    below, above = [], []
    for tail in range(len(TAILS)):
        (our_low, our_high), (their_low, their_high) = ours.margins(tail), published.margins(tail)
        below.append(math.hypot(our_low, their_high))
        above.append(math.hypot(our_high, their_low))
    towards_none = tuple(below if mean > 0 else above)
    return Difference(mean, mean - below[0], mean + above[0], label, towards_none)


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
    """One row: a published figure (None: the row is only ours), ours (None: not played), a verdict.

    >>> Comparison("A", "a", Figure(0.5, 0.4, 0.6, 100), None, None).verdict
    'not played'
    """

    label: str
    agent: str | None
    published: Figure | None
    ours: Figure | None = None
    adjusted: Figure | None = None  # ours freed of luck
    note: str = ""
    tolerance: float = math.inf  # figures that may differ by more are not said to agree

    @property
    def verdict(self) -> str:
        """What the row shows; figures freed of luck are the surer ones, where there are any."""
        surest = self.adjusted or self.ours
        if not surest:
            return NOT_PLAYED
        if not self.published:
            return NOT_PUBLISHED
        return verdict(self.published, surest, self.tolerance)

    def as_data(self) -> dict[str, Any]:
        """Return the row as plain data."""
        data: dict[str, Any] = {"label": self.label, "agent": self.agent, "verdict": self.verdict}
        for name in ("published", "ours", "adjusted"):
            figure = getattr(self, name)
            data[name] = figure and figure.as_data()
        if math.isfinite(self.tolerance):
            data["tolerance"] = self.tolerance
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
        played = [(row.published, row.adjusted or row.ours, row.label) for row in self.rows]
        return [
            difference(published, ours, label)
            for published, ours, label in played
            if published and ours
        ]

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
                marks = [row.published.mark(PUBLISHED)] if row.published else []
                rows.append(PlotRow(row.label, (*marks, surest.mark("ours"))))
        return [IntervalPlot("Published means and ours", "score, 95% intervals", tuple(rows))]

    def remarks(self) -> list[str]:
        """Say why intervals are missing, and how much faster games were played than published."""
        figures = [(f"{row.label} ({name})", getattr(row, name))
                   for row in self.rows for name in ("published", "ours", "adjusted")]  # fmt: skip
        lines = interval_remarks(figures)
        for row in self.rows:
            published = row.published and row.published.seconds_per_game
            if published and row.ours and row.ours.seconds_per_game:
                factor = published / row.ours.seconds_per_game
                lines.append(
                    f"- {row.label}: {row.ours.seconds_per_game:.2g} s a game here, "
                    f"{published:g} s published ({factor:,.0f} times faster)."
                )
        return lines

    def explanation(self) -> list[str]:
        """Say what intervals and verdicts mean."""
        return [
            "Intervals are 95% intervals; sd is that of the scores without luck, as the published",
            "one is. The verdict compares the means without luck: `agrees` when the",
            "difference could be chance at the 95% level, both intervals taken into account",
            "(Newcombe)" + self.explained_tolerance(),
        ]

    def explained_tolerance(self) -> str:
        """End the explanation with what is told of wide intervals, if anything is."""
        known = {row.tolerance for row in self.rows if math.isfinite(row.tolerance)}
        if len(known) != 1:
            return "."
        return f"; `cannot be told` that a difference of more than {known.pop():g} could be there."


def cells(row: Comparison, show: Callable[[Figure], str]) -> list[str]:
    """Return one row as text; ``show`` writes a mean with its interval."""
    published = show(row.published) if row.published else "-"
    if row.ours is None:
        return [row.label, published, "-", "-", "-", "-", row.note or row.verdict]
    adjusted = [show(row.adjusted), f"{row.adjusted.sd:.2f}"] if row.adjusted else ["-", "-"]
    ours = [published, show(row.ours), *adjusted]
    return [row.label, *ours, f"{row.ours.games:,}", row.verdict]


def short(figure: Figure) -> str:
    """Write a mean with half the width of its interval, for narrow terminals."""
    if math.isnan(figure.low):
        return f"{figure.mean:.2f} {NOT_SHOWN}"
    return f"{figure.mean:.2f} ±{(figure.high - figure.low) / 2:.2f}"


def full(figure: Figure) -> str:
    """Write a mean with both ends of its interval."""
    if math.isnan(figure.low):
        return f"{figure.mean:.3f} {NOT_SHOWN}"
    return f"{figure.mean:.3f} ({figure.low:.3f} to {figure.high:.3f})"


def share_text(figure: Figure, wide: bool) -> str:
    """Write a share in per cent with its interval.

    >>> share_text(Figure(0.5, 0.4, 0.6, 100), wide=True)
    '50.0 (40.0 to 60.0)'
    >>> share_text(Figure(0.5, 0.4, 0.6, 100), wide=False)
    '50.0 ±10.0'
    """
    low, mean, high = (100 * value for value in (figure.low, figure.mean, figure.high))
    if math.isnan(low):
        return f"{mean:.1f} {NOT_SHOWN}"
    return (
        f"{mean:.1f} ({low:.1f} to {high:.1f})" if wide else f"{mean:.1f} ±{(high - low) / 2:.1f}"
    )
