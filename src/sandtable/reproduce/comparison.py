"""A published figure beside ours, and what may be said about the difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from sandtable.arena.statistics import LEVEL, Estimate

__all__ = ["Comparison", "Figure", "Reproduction", "verdict"]

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
class Reproduction:
    """The answer to one published table."""

    game: str
    title: str
    source: str
    seed: int
    rows: tuple[Comparison, ...]
    complete: bool = True  # False: broken off before all rows were played
    notes: tuple[str, ...] = field(default=())

    def as_data(self) -> dict[str, Any]:
        """Return the table as plain data."""
        return {
            "format": "sandtable-reproduction",
            "format_version": 1,
            "game": self.game,
            "title": self.title,
            "source": self.source,
            "seed": self.seed,
            "complete": self.complete,
            "rows": [row.as_data() for row in self.rows],
            "notes": list(self.notes),
        }
