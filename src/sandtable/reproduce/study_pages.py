"""Studies on a page: what the paper says, our figures as a table and a plot, and what we found."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandtable.arena.statistics.intervals import reason_lines
from sandtable.reports.curves import Curve, CurvePlot, CurvePoint
from sandtable.reports.pages import Line, Section, Sheet
from sandtable.reports.plots import IntervalPlot, Mark, PlotRow
from sandtable.reproduce.studies import Measurement, StudyResult

__all__ = ["study_plot", "study_section", "study_sheet"]


def study_section(result: StudyResult) -> Section:
    """Return a study as a section of a page: claim, figures, plot, finding, commands."""
    study, finding = result.study, result.finding
    remarks = [f"The paper: {study.claim}", f"Ours: `{finding.verdict}`. {finding.words}"]
    command = f"sandtable reproduce {result.game} --study {study.name}"
    quick = any("--quick" in each or "--games" in each for each in result.commands.values())
    remarks += [f"{line[0].upper()}{line[1:]}." for line in reason_lines(named_figures(result))]
    remarks.append(f"Made by `{command}`" + (", in parts with fewer games." if quick else "."))
    plots = [plot for plot in (study_plot(result),) if plot.rows]
    return Section(
        study.title,
        study.source,
        sheets=(study_sheet(result),),
        plots=tuple(plots),
        remarks=tuple(remarks),
    )


def study_sheet(result: StudyResult) -> Sheet:
    """Return the figures as a table, the published ones first."""
    named = titled_figures(result)
    curves = any(each.at is not None for _, each in named)
    lines = []
    for title, each in named:
        place = [f"{each.at:,g}" if each.at is not None else ""] if curves else []
        lines.append(Line((title, each.quantity, *place, *figure_cells(each))))
    horizontal = (result.study.horizontal,) if curves else ()
    headings = ("variant", "quantity", *horizontal, "figure", "95% interval", "from")
    return Sheet(headings, tuple(lines), words=frozenset({"variant", "quantity"}))


def titled_figures(result: StudyResult) -> list[tuple[str, Measurement]]:
    """Return all figures with the titles of their variants, the published ones first."""
    titled = [("published", each) for each in result.study.published]
    for variant in result.study.variants:
        titled += [(variant.title, each) for each in result.measured.get(variant.name, ())]
    return titled


def named_figures(result: StudyResult) -> list[tuple[str, Measurement]]:
    """Return all figures by the words that tell which one it is."""
    found = []
    for title, each in titled_figures(result):
        place = f" at {each.at:,g}" if each.at is not None else ""
        found.append((f"{title}, {each.quantity}{place}", each))
    return found


def figure_cells(figure: Measurement) -> tuple[str, str, str]:
    """Return a figure, its interval and what it was counted from.

    >>> figure_cells(Measurement("score", 6.31, 6.1, 6.5, 2000))
    ('6.31', '6.1 to 6.5', '2,000 games')
    """
    ends = figure.low is not None and figure.high is not None
    missing = "no interval" if figure.reason else "-"
    interval = f"{figure.low:.4g} to {figure.high:.4g}" if ends else missing
    counted = f"{figure.count:,} {figure.counted}" if figure.count else "-"
    return f"{figure.value:.4g}", interval, counted


def study_plot(result: StudyResult) -> IntervalPlot | CurvePlot:
    """Return the figures with intervals as a plot: curves where they have places."""
    study = result.study
    named: dict[str, list[Measurement]] = {}
    if study.published:
        named["published"] = list(study.published)
    for variant in study.variants:
        figures = named.setdefault(variant.curve or variant.title, [])
        figures.extend(result.measured.get(variant.name, ()))
    every = [each for some in named.values() for each in some]
    quantities = list(dict.fromkeys(each.quantity for each in every))
    placed = {each.quantity for each in every if each.at is not None}
    if placed:
        quantities = [quantity for quantity in quantities if quantity in placed]
        curves = [
            Curve(curve_name(title, quantity, quantities), tuple(map(point, chosen)))
            for title, some in named.items()
            for quantity in quantities
            if (chosen := [each for each in some if each.quantity == quantity])
        ]
        vertical = quantities[0] if len(quantities) == 1 else ""
        return CurvePlot(study.title, study.horizontal, vertical, tuple(curves), study.logarithmic)
    rows = [
        PlotRow(title, tuple(mark(quantities[0], each) for each in chosen))
        for title, some in named.items()
        if (chosen := [each for each in some if each.quantity == quantities[0] and each.count])
    ]
    return IntervalPlot(study.title, quantities[0] if quantities else "", tuple(rows))


def curve_name(title: str, quantity: str, quantities: Sequence[str]) -> str:
    """Return the name of a curve: of its variant, and where there are several of its quantity."""
    return title if len(quantities) == 1 else f"{title}: {quantity}"


def point(figure: Measurement) -> CurvePoint:
    """Return a figure as a point of a curve."""
    return CurvePoint(figure.at or 0.0, figure.value, end(figure.low), end(figure.high))


def mark(series: str, figure: Measurement) -> Mark:
    """Return a figure as a mark of a plot."""
    return Mark(series, figure.value, end(figure.low), end(figure.high))


def end(value: float | None) -> float:
    """Return the end of an interval, not a number where there is none."""
    return math.nan if value is None else value
