"""Pages and plots: numbers in the right places, nothing from outside, nothing unescaped."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree

import pytest

from sandtable.reports.pages import Line, Page, Section, Sheet, html, judged, markdown, plot_files
from sandtable.reports.plots import IntervalPlot, Mark, PlotRow, axis_ticks, interval_plot

PLOT = IntervalPlot(
    "Shares <here>",
    "per cent",
    (
        PlotRow("one & all", (Mark("published", 20.0, 15.0, 25.0), Mark("ours", 30.0, 28.0, 32.0))),
        PlotRow("exact", (Mark("ours", 50.0),)),
    ),
)
SHEET = Sheet(
    ("agent", "mean", "verdict"),
    (Line(("a|b", "<3>", "agrees")), Line(("c", "-", "not played"), played=False)),
    title="A table",
)
PAGE = Page(
    "Title & more",
    "sandtable <x>",
    (Section("Part", "A book", (SHEET,), (PLOT,), ("- `code`",), ("a note",), "Read it so."),),
)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.0, 1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (3.81, 5.44, [3.5, 4, 4.5, 5, 5.5]),
        (-66.0, 121.0, [-100, -50, 0, 50, 100, 150]),
        (5.0, 5.0, [5, 6]),
    ],
)
def test_ticks_are_round_and_hold_the_values(low, high, expected):
    assert axis_ticks(low, high) == pytest.approx(expected)


def test_a_plot_has_its_points_where_they_belong():
    tree = ElementTree.fromstring(interval_plot(PLOT))
    space = "{http://www.w3.org/2000/svg}"
    groups = tree.findall(f"{space}g")
    assert [each.get("class") for each in groups] == ["s0", "s1", "s1"]
    assert [each.find(f"{space}title").text for each in groups] == [
        "published: 20 (15 to 25)",
        "ours: 30 (28 to 32)",
        "ours: 50",
    ]
    places = [float(each.find(f"{space}circle").get("cx")) for each in groups]
    assert (places[1] - places[0]) * 2 == pytest.approx(places[2] - places[1], abs=0.05)
    ends = [float(groups[0].find(f"{space}line").get(side)) for side in ("x1", "x2")]
    assert sum(ends) / 2 == pytest.approx(places[0], abs=0.05)


def test_plots_and_sheets_survive_as_data():
    plot = IntervalPlot.from_data(json.loads(json.dumps(PLOT.as_data(), allow_nan=False)))
    assert interval_plot(plot) == interval_plot(PLOT)
    assert math.isnan(plot.rows[1].marks[0].low)
    assert Sheet.from_data(json.loads(json.dumps(SHEET.as_data()))) == SHEET


def test_an_empty_plot_is_still_a_picture():
    ElementTree.fromstring(interval_plot(IntervalPlot("Nothing", "", ()), standalone=True))


def test_a_page_of_html_stands_alone():
    page = html(PAGE)
    assert "Title &amp; more" in page and "sandtable &lt;x&gt;" in page
    assert "&lt;3&gt;" in page and "<code>code</code>" in page
    assert '<span class="good">agrees</span>' in page and "class=idle" in page
    for foreign in ("<script", "<link", "src=", "href=", "@import", "url("):
        assert foreign not in page
    assert "color-scheme:light dark" in page


def test_verdicts_have_colours():
    assert "good" in judged("exact") and "bad" in judged("lower") and "bad" in judged("not below")
    assert "good" in judged("below, as published")
    assert judged("seen higher, unseen agrees") == "seen higher, unseen agrees"


def test_a_page_of_markdown():
    page = markdown(PAGE, "plots")
    assert "| a\\|b | <3> | agrees |" in page
    assert "![Shares <here>](plots/part-1.svg)" in page
    assert list(plot_files(PAGE, "plots")) == ["plots/part-1.svg"]
    assert "![" not in markdown(PAGE)
