"""Plots of curves: means with their intervals over one quantity, as small drawings in SVG."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from sandtable.pictures import line, tag
from sandtable.reports.plots import COLOURS, PUBLISHED, STYLE, axis_ticks, words

__all__ = ["Curve", "CurvePlot", "CurvePoint"]

WIDTH, HEIGHT = 760.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 34.0, 48.0
Scale = Callable[[float], float]  # a value -> its place in the drawing
FAINT = 0.15  # how much of its colour the band of an interval has


@dataclass(frozen=True)
class CurvePoint:
    """A mean at one place, with its interval where there is one.

    >>> CurvePoint(100, 0.5).low
    nan
    """

    at: float
    mean: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Curve:
    """Points in the order of their places; one with a single point is a level line.

    >>> Curve("ours", (CurvePoint(1, 0.5), CurvePoint(2, 0.6))).series
    'ours'
    """

    series: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class CurvePlot:
    """Several curves over one axis.

    >>> plot = CurvePlot("Score", "games trained", "score", (Curve("a", (CurvePoint(1, 2.0),)),))
    >>> plot.draw()[:4]
    '<svg'
    """

    title: str
    horizontal: str
    vertical: str
    curves: tuple[Curve, ...]
    logarithmic: bool = False  # the horizontal axis

    @property
    def rows(self) -> tuple[Curve, ...]:
        """Return the curves: a plot without any is not shown."""
        return self.curves

    def colour(self, series: str) -> str:
        """Return the class of a series: what was published is grey, ours have the colours."""
        ours = [curve.series for curve in self.curves if curve.series != PUBLISHED]
        place = 0 if series == PUBLISHED else 1 + ours.index(series) % (len(COLOURS) - 1)
        return f"s{place}"

    def place(self, at: float) -> float:
        """Return where a value stands on the horizontal axis, before it is scaled."""
        return math.log10(max(at, 1e-12)) if self.logarithmic else at

    def draw(self, *, standalone: bool = False) -> str:
        """Draw the plot; a standalone one brings its colours along."""
        points = [point for curve in self.curves for point in curve.points]
        values = [each for point in points for each in (point.mean, point.low, point.high)]
        values = [each for each in values if math.isfinite(each)]
        ticks = axis_ticks(min(values, default=0.0), max(values, default=1.0))
        places = [
            self.place(point.at)
            for curve in self.curves
            for point in curve.points
            if len(curve.points) > 1 or len(self.curves) == 1
        ] or [0.0, 1.0]
        first, last = min(places), max(places)
        across_scale = (WIDTH - LEFT - RIGHT) / ((last - first) or 1.0)
        up_scale = (HEIGHT - TOP - BOTTOM) / (ticks[-1] - ticks[0])

        def x(at: float) -> float:
            return LEFT + (min(max(self.place(at), first), last) - first) * across_scale

        def y(value: float) -> float:
            return HEIGHT - BOTTOM - (value - ticks[0]) * up_scale

        parts = []
        for tick in ticks:
            parts.append(line(LEFT, y(tick), WIDTH - RIGHT, y(tick), class_="faint"))
            parts.append(
                words(LEFT - 8, y(tick) + 4, f"{tick:g}", text_anchor="end", class_="note")
            )
        for at in self.marked_places():
            label = f"{at:,.0f}" if at >= 10 or at == int(at) else f"{at:g}"
            parts.append(
                words(x(at), HEIGHT - BOTTOM + 18, label, text_anchor="middle", class_="note")
            )
        legend_x = LEFT
        for curve in self.curves:
            kind = self.colour(curve.series)
            parts.append(tag("circle", cx=legend_x + 5, cy=15.0, r=4.0, class_=kind))
            parts.append(words(legend_x + 15, 19.5, curve.series))
            legend_x += 35 + 7.2 * len(curve.series)
            parts += drawn_curve(curve, x, y, kind)
        parts.append(words(LEFT, HEIGHT - 8, self.horizontal, class_="note"))
        parts.append(
            words(WIDTH - RIGHT, HEIGHT - 8, self.vertical, class_="note", text_anchor="end")
        )
        return tag(
            "svg",
            tag("title", escape(self.title)),
            tag("style", STYLE) if standalone else "",
            *parts,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
            width=WIDTH,
            height=HEIGHT,
            class_="plot",
            role="img",
        )

    def marked_places(self) -> list[float]:
        """Return the places named under the axis: of the points, as many as have room."""
        longest = max((curve.points for curve in self.curves), key=len, default=())
        step = max(1, math.ceil(len(longest) / 8))
        return [point.at for point in longest[::step]] if len(longest) > 1 else []


def drawn_curve(curve: Curve, x: Scale, y: Scale, kind: str) -> list[str]:
    """Return one curve: its band, its line, and its points with what they are in words."""
    known = [point for point in curve.points if math.isfinite(point.mean)]
    if len(known) == 1:
        height = y(known[0].mean)
        named = tag("title", escape(f"{curve.series}: {known[0].mean:.4g}"))
        level = line(LEFT, height, WIDTH - RIGHT, height, stroke_width=2.0, stroke_dasharray="6 4")
        return [tag("g", named, level, class_=kind)]
    banded = [point for point in known if math.isfinite(point.low) and math.isfinite(point.high)]
    parts = []
    if len(banded) > 1:
        edge = [(x(point.at), y(point.high)) for point in banded]
        edge += [(x(point.at), y(point.low)) for point in reversed(banded)]
        shape = " ".join(f"{across:.1f},{up:.1f}" for across, up in edge)
        parts.append(tag("polygon", points=shape, fill_opacity=FAINT, stroke="none"))
    path = " ".join(f"{x(point.at):.1f},{y(point.mean):.1f}" for point in known)
    parts.append(tag("polyline", points=path, fill="none", stroke_width=2.0))
    for point in known if len(known) <= 40 else ():
        interval = f" ({point.low:.4g} to {point.high:.4g})" if math.isfinite(point.low) else ""
        title = tag("title", escape(f"{curve.series} at {point.at:g}: {point.mean:.4g}{interval}"))
        parts.append(tag("circle", title, cx=x(point.at), cy=y(point.mean), r=3.0))
    return [tag("g", *parts, class_=kind)]
