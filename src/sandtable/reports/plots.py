"""Plots of intervals, as small drawings in SVG that follow the reader's light or dark theme."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from sandtable.pictures import line, tag

__all__ = ["PUBLISHED", "STYLE", "IntervalPlot", "Mark", "PlotRow", "interval_plot"]

WIDTH, LABELS, RIGHT = 760.0, 250.0, 20.0
TOP, BOTTOM, MARK, GAP = 34.0, 36.0, 15.0, 9.0
TICKS = 6
LONGEST_LABEL = 40
PUBLISHED = "published"
COLOURS = ("#7a7f8a", "#2f6fd0", "#c2571a", "#2c8a57")  # published first, then ours
DARK_COLOURS = ("#9aa0ad", "#7aaeff", "#ff9a5c", "#67cc97")

STYLE = (
    ".plot{max-width:100%;height:auto;font:13px system-ui,sans-serif}"
    ".plot text{fill:#22252b}.plot .faint{stroke:#d5d8de}.plot .note{fill:#666b75}"
    + "".join(
        f".plot .s{index}{{stroke:{colour};fill:{colour}}}" for index, colour in enumerate(COLOURS)
    )
    + "@media (prefers-color-scheme:dark){.plot text{fill:#e6e8ec}.plot .faint{stroke:#3b3f48}"
    ".plot .note{fill:#a5abb7}"
    + "".join(
        f".plot .s{index}{{stroke:{colour};fill:{colour}}}"
        for index, colour in enumerate(DARK_COLOURS)
    )
    + "}"
)


@dataclass(frozen=True)
class Mark:
    """A point with its interval; the ends may be unknown (not numbers).

    >>> Mark("ours", 0.5, 0.4, 0.6).high
    0.6
    """

    series: str
    mean: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class PlotRow:
    """What belongs to one label.

    >>> PlotRow("random", (Mark("ours", 0.5),)).label
    'random'
    """

    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class IntervalPlot:
    """Points with intervals, row under row over one axis.

    >>> IntervalPlot("Shares", "per cent", (PlotRow("random", (Mark("ours", 50.0),)),)).series
    ['ours']
    """

    title: str
    axis: str
    rows: tuple[PlotRow, ...]

    @property
    def series(self) -> list[str]:
        """Return the names of the series in the order of their colours."""
        return list(dict.fromkeys(mark.series for row in self.rows for mark in row.marks))

    def colour(self, series: str) -> str:
        """Return the class of a series: what was published is grey, ours have the colours."""
        ours = [name for name in self.series if name != PUBLISHED]
        place = 0 if series == PUBLISHED else 1 + ours.index(series)
        return f"s{min(place, len(COLOURS) - 1)}"

    def as_data(self) -> dict[str, Any]:
        """Return the plot as plain data."""
        rows = [
            {
                "label": row.label,
                "marks": [
                    {key: plain(value) for key, value in vars(mark).items()} for mark in row.marks
                ],
            }
            for row in self.rows
        ]
        return {"title": self.title, "axis": self.axis, "rows": rows}

    def draw(self, *, standalone: bool = False) -> str:
        """Draw the plot; a standalone one brings its colours along."""
        return interval_plot(self, standalone=standalone)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> IntervalPlot:
        """Return a plot from its data."""
        rows = tuple(
            PlotRow(
                row["label"],
                tuple(
                    Mark(mark["series"], *(number(mark[key]) for key in ("mean", "low", "high")))
                    for mark in row["marks"]
                ),
            )
            for row in data["rows"]
        )
        return cls(data["title"], data["axis"], rows)


def plain(value: str | float) -> str | float | None:
    """Return a value as it goes into JSON."""
    if isinstance(value, str):
        return value
    return round(value, 6) if math.isfinite(value) else None


def number(value: float | None) -> float:
    """Return a number from JSON."""
    return math.nan if value is None else float(value)


def axis_ticks(low: float, high: float) -> list[float]:
    """Return round numbers from just below the lowest to just above the highest."""
    spread = high - low or max(abs(high), 1.0)
    rough = spread / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(index * step, 10) for index in range(first, max(last, first + 1) + 1)]


def interval_plot(plot: IntervalPlot, *, standalone: bool = False) -> str:
    """Draw the plot; a standalone one brings its colours along.

    >>> interval_plot(IntervalPlot("Shares", "%", (PlotRow("a", (Mark("ours", 5.0),)),)))[:4]
    '<svg'
    """
    values = [
        value
        for row in plot.rows
        for mark in row.marks
        for value in (mark.mean, mark.low, mark.high)
        if math.isfinite(value)
    ]
    ticks = axis_ticks(min(values, default=0.0), max(values, default=1.0))
    heights = [MARK * max(len(row.marks), 1) + GAP for row in plot.rows]
    bottom = TOP + sum(heights)
    scale = (WIDTH - LABELS - RIGHT) / (ticks[-1] - ticks[0])

    def across(value: float) -> float:
        return LABELS + (value - ticks[0]) * scale

    parts = legend(plot)
    for tick in ticks:
        x = across(tick)
        parts.append(line(x, TOP, x, bottom, class_="faint"))
        parts.append(words(x, bottom + 16, f"{tick:g}", text_anchor="middle", class_="note"))
    y = TOP
    for row, height in zip(plot.rows, heights, strict=True):
        parts.append(words(LABELS - 10, y + height / 2 + 4, row.label, text_anchor="end"))
        for index, mark in enumerate(row.marks):
            at = y + GAP / 2 + MARK * (index + 0.5)
            parts += drawn_mark(mark, across, at, plot.colour(mark.series), ticks)
        y += height
    if plot.axis:
        parts.append(words(LABELS, bottom + BOTTOM, plot.axis, class_="note"))
    style = tag("style", STYLE) if standalone else ""
    return tag(
        "svg",
        tag("title", escape(plot.title)),
        style,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH:g} {bottom + BOTTOM + 8:g}",
        width=WIDTH,
        height=bottom + BOTTOM + 8,
        class_="plot",
        role="img",
    )


def legend(plot: IntervalPlot) -> list[str]:
    """Return the names of the series beside their colours."""
    parts = []
    x = LABELS
    for name in plot.series:
        parts.append(tag("circle", cx=x + 5, cy=15.0, r=4.0, class_=plot.colour(name)))
        parts.append(words(x + 15, 19.5, name))
        x += 35 + 7.2 * len(name)
    return parts


def drawn_mark(mark: Mark, across: Any, y: float, kind: str, ticks: list[float]) -> list[str]:
    """Return the interval, with what it is in words for whoever points at it."""
    if not math.isfinite(mark.mean):
        return []
    text = f"{mark.series}: {mark.mean:.4g}"
    parts = []
    if math.isfinite(mark.low) and math.isfinite(mark.high):
        text += f" ({mark.low:.4g} to {mark.high:.4g})"
        low, high = across(max(mark.low, ticks[0])), across(min(mark.high, ticks[-1]))
        parts.append(line(low, y, high, y, stroke_width=2.0))
        for end in (low, high):
            parts.append(line(end, y - 3.5, end, y + 3.5, stroke_width=2.0))
    parts.append(tag("circle", cx=across(mark.mean), cy=y, r=4.0))
    return [tag("g", tag("title", escape(text)), *parts, class_=kind)]


def words(x: float, y: float, text: str, **look: str) -> str:
    """Write words, shortened if they are too long for their place."""
    shown = text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"
    return tag("text", escape(shown), x=x, y=y, **look)
