"""Results for people: tables in the terminal, and reports as files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sandtable.arena.statistics.intervals import Estimate, SupportsReason, reason_lines
from sandtable.cli.common import write_text
from sandtable.cli.tables import FittingTable, terminal_table
from sandtable.cli.text import counted
from sandtable.errors import SandtableError
from sandtable.reports.pages import Line, Page, Section, Sheet, html, markdown, plot_files
from sandtable.reports.table_files import csv_text, latex_text, sheets_of

if TYPE_CHECKING:
    from sandtable.arena.statistics.results import MatchResult, Standing

__all__ = [
    "check_reports",
    "forfeit_lines",
    "interval_text",
    "match_page",
    "match_table",
    "mean_cells",
    "reasons_of_match",
    "share_interval",
    "terminal_table",
    "write_report",
]

TABLE_ENDINGS = {".csv": csv_text, ".tex": latex_text}  # the tables alone
ENDINGS = (".html", ".htm", ".md", *TABLE_ENDINGS)
MOST_FORFEITS_SHOWN = 5
NOT_SHOWN = "no interval"  # lines below the table say why


def check_reports(paths: Sequence[Path]) -> None:
    """Find out before the first game whether the reports can be written."""
    for path in paths:
        if path.suffix.lower() not in ENDINGS:
            raise SandtableError(f"cannot write {path}: a report ends in .html, .md, .csv or .tex")
        write_text(path, None)


def write_report(path: Path, page: Page) -> None:
    """Write a report as its ending says; a page of Markdown has its plots in a folder beside it."""
    ending = path.suffix.lower()
    if ending in TABLE_ENDINGS:
        write_text(path, TABLE_ENDINGS[ending](sheets_of(page)))
        return
    if ending != ".md":
        write_text(path, html(page))
        return
    folder = f"{path.stem}-plots"
    drawings = plot_files(page, folder)
    for name, drawing in drawings.items():
        write_text(path.parent / name, drawing)
    write_text(path, markdown(page, folder if drawings else None))


def interval_text(estimate: Estimate, digits: int = 3) -> str:
    """Return an interval as text."""
    if not estimate.shown:
        return NOT_SHOWN
    return f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"


def match_sheet(result: MatchResult) -> Sheet:
    """Return the rows of every seat, or of every agent if the seats were rotated."""
    rotated = result.plan.rotate
    lines: list[Line] = []
    for agent in result.agents:
        several = f" (each of {agent.seats} seats)" if agent.seats > 1 else ""
        rows = standing_rows(agent, agent.agent + several, result.measures)
        lines += [Line(tuple(cells)) for cells in rows]
    for seat in result.seats if not rotated else ():
        rows = standing_rows(seat, seat.agent or "", result.measures)
        lines += [Line(("" if index else seat.seat, *cells)) for index, cells in enumerate(rows)]
    headings = ("agent", "mean", "sd", "95% interval")
    return Sheet(
        headings if rotated else ("seat", *headings),
        tuple(lines),
        words=frozenset({"seat", "agent"}),
    )


def match_table(result: MatchResult) -> FittingTable:
    """Return the table of a match for the terminal."""
    return FittingTable(match_sheet(result), title(result), ruled=True)


def match_page(result: MatchResult, command: str) -> Page:
    """Return the report of a match."""
    section = Section(
        title(result),
        sheets=(match_sheet(result),),
        notes=(*result.notes, *reasons_of_match(result), *forfeit_lines(result)),
    )
    return Page("A match", command, (section,))


def title(result: MatchResult) -> str:
    """Say what was played."""
    played = counted(result.games, "game")
    if result.plan.rotate:
        deals = result.games // result.rotations
        times = "1 rotation" if result.rotations == 1 else f"{result.rotations} rotations"
        played += f" ({counted(deals, 'deal')} in {times})"
    return f"{result.plan.game}, {played}, seed {result.plan.seed}"


def standing_rows(standing: Standing, name: str, measures: tuple[str, ...]) -> list[list[str]]:
    """Return the rows of one seat or agent: the score, then what else is known about it."""
    rows = [[name, *mean_cells(standing.score)]]
    if standing.adjusted:
        rows.append(["  without luck", *mean_cells(standing.adjusted)])
    if standing.wins:
        rows.append(
            ["  games won", f"{100 * standing.wins.mean:.1f}%", "", share_interval(standing)]
        )
    for measure, estimate in zip(measures, standing.measures, strict=True):
        rows.append([f"  {measure}", *mean_cells(estimate)])
    if standing.rating:
        each = standing.rating
        known = NOT_SHOWN if each.reason else f"{each.low:+.0f} to {each.high:+.0f}"
        known = known.replace(" to +inf", " or more").replace("-inf to ", "up to ")
        rows.append(["  rating", f"{each.rating:+.0f}", "", known])
    return rows


def share_interval(standing: Standing) -> str:
    """Return the interval of the share of games won, in per cent."""
    if standing.wins is None or not standing.wins.shown:
        return NOT_SHOWN
    return f"{100 * standing.wins.low:.1f}% to {100 * standing.wins.high:.1f}%"


def mean_cells(estimate: Estimate) -> list[str]:
    """Return mean, deviation and interval as text."""
    deviation = "-" if math.isnan(estimate.deviation) else f"{estimate.deviation:.2f}"
    return [f"{estimate.mean:.3f}", deviation, interval_text(estimate)]


def reasons_of_match(result: MatchResult) -> list[str]:
    """Say of the figures of a match why some of them have no interval."""
    figures: list[tuple[str, SupportsReason | None]] = []
    shown = result.agents or result.seats
    for each in shown:
        name = (each.agent if result.agents else getattr(each, "seat", each.agent)) or ""
        figures += [
            (f"{name}'s score", each.score),
            (f"{name}'s score without luck", each.adjusted),
            (f"{name}'s games won", each.wins),
            *((f"{name}'s {measure}", estimate)
              for measure, estimate in zip(result.measures, each.measures, strict=True)),
            (f"{name}'s rating", each.rating),
        ]  # fmt: skip
    return reason_lines(figures)


def forfeit_lines(result: MatchResult) -> list[str]:
    """Return how many games were forfeited, and each reason once with the first such game."""
    found: dict[str, list[int]] = {}
    for game, _, reason in result.forfeits:
        found.setdefault(reason, []).append(game)
    lines = []
    for reason, games in list(found.items())[:MOST_FORFEITS_SHOWN]:
        deal, rotation = divmod(games[0], result.rotations)
        where = f"game {games[0]}" + (f" (deal {deal}, rotation {rotation})" * result.plan.rotate)
        more = f" and {len(games) - 1:,} more" if len(games) > 1 else ""
        lines.append(f"{where}{more}: {reason}")
    if result.forfeits:
        total = f"{len(result.forfeits):,} of {counted(result.games, 'game')} were forfeited"
        lines.insert(0, f"warning: {total}; the scores above count them")
    return lines
