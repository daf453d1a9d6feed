"""Results for people: tables in the terminal, and reports as files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from sandtable.arena.statistics.intervals import Estimate
from sandtable.cli.common import write_text
from sandtable.errors import SandtableError
from sandtable.reports.pages import Page, Sheet, html, markdown, plot_files

if TYPE_CHECKING:
    from rich.console import JustifyMethod

    from sandtable.arena.statistics.results import MatchResult, Standing

__all__ = [
    "check_reports",
    "forfeit_lines",
    "interval_text",
    "match_table",
    "terminal_table",
    "write_report",
]

ENDINGS = (".html", ".htm", ".md")
MOST_FORFEITS_SHOWN = 5


def check_reports(paths: Sequence[Path]) -> None:
    """Find out before the first game whether the reports can be written."""
    for path in paths:
        if path.suffix.lower() not in ENDINGS:
            raise SandtableError(f"cannot write {path}: a report ends in .html or .md")
        write_text(path, None)


def write_report(path: Path, page: Page) -> None:
    """Write a report as its ending says; a page of Markdown has its plots in a folder beside it."""
    if path.suffix.lower() != ".md":
        write_text(path, html(page))
        return
    folder = f"{path.stem}-plots"
    drawings = plot_files(page, folder)
    for name, drawing in drawings.items():
        write_text(path.parent / name, drawing)
    write_text(path, markdown(page, folder if drawings else None))


def terminal_table(sheet: Sheet, title: str = "") -> Table:
    """Return one sheet for the terminal."""
    table = Table(title=title, title_justify="left", box=None, collapse_padding=True)
    table.header_style = "bold underline"
    for heading in sheet.headings:
        justify: JustifyMethod = "left" if heading in sheet.words else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    for line in sheet.lines:
        table.add_row(*line.cells, style=None if line.played else "dim")
    table.caption = sheet.caption
    table.caption_justify = "left"
    return table


def interval_text(estimate: Estimate, digits: int = 3) -> str:
    """Return an interval as text."""
    if math.isnan(estimate.low):
        return "-"
    return f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"


def match_table(result: MatchResult) -> Table:
    """Return the rows of every seat, or of every agent if the seats were rotated."""
    table = Table(title=title(result), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    if not result.plan.rotate:
        table.add_column("seat", no_wrap=True)
    table.add_column("agent", overflow="fold")
    for heading in ("mean", "sd", "95% interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for agent in result.agents:
        several = f" (each of {agent.seats} seats)" if agent.seats > 1 else ""
        for name, *cells in standing_rows(agent, agent.agent + several, result.measures):
            table.add_row(name, *cells)
    for seat in result.seats if not result.plan.rotate else ():
        rows = standing_rows(seat, seat.agent or "", result.measures)
        for index, cells in enumerate(rows):
            table.add_row("" if index else seat.seat, *cells)
    return table


def title(result: MatchResult) -> str:
    """Say what was played."""
    played = f"{result.games:,} games"
    if result.plan.rotate:
        deals = result.games // result.rotations
        times = "1 rotation" if result.rotations == 1 else f"{result.rotations} rotations"
        played += f" ({deals:,} deals in {times})"
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
        known = "-" if math.isnan(each.low) else f"{each.low:+.0f} to {each.high:+.0f}"
        known = known.replace(" to +inf", " or more").replace("-inf to ", "up to ")
        rows.append(["  rating", f"{each.rating:+.0f}", "", known])
    return rows


def share_interval(standing: Standing) -> str:
    """Return the interval of the share of games won, in per cent."""
    if standing.wins is None or math.isnan(standing.wins.low):
        return "-"
    return f"{100 * standing.wins.low:.1f}% to {100 * standing.wins.high:.1f}%"


def mean_cells(estimate: Estimate) -> list[str]:
    """Return mean, deviation and interval as text."""
    deviation = "-" if math.isnan(estimate.deviation) else f"{estimate.deviation:.2f}"
    return [f"{estimate.mean:.3f}", deviation, interval_text(estimate)]


def forfeit_lines(result: MatchResult) -> list[str]:
    """Return a line for each of the first forfeits, and how many there were."""
    lines = []
    for game, _, reason in result.forfeits[:MOST_FORFEITS_SHOWN]:
        deal, rotation = divmod(game, result.rotations)
        where = f"game {game}" + (f" (deal {deal}, rotation {rotation})" * result.plan.rotate)
        lines.append(f"{where}: {reason}")
    if result.forfeits:
        total = f"{len(result.forfeits):,} of {result.games:,} games were forfeited"
        lines.insert(0, f"warning: {total}; the scores above count them")
    return lines
