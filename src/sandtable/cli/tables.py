"""Tables of results for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from sandtable.arena.statistics import Estimate

if TYPE_CHECKING:
    from sandtable.arena.match import MatchResult

__all__ = ["forfeit_lines", "interval_text", "match_table"]

MOST_FORFEITS_SHOWN = 5


def interval_text(estimate: Estimate, digits: int = 3) -> str:
    """Return an interval as text."""
    if math.isnan(estimate.low):
        return "-"
    return f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"


def match_table(result: MatchResult) -> Table:
    """Return the rows of every seat: the score, then what else is known about it."""
    title = f"{result.plan.game}, {result.games:,} games, seed {result.plan.seed}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("seat", no_wrap=True)
    table.add_column("agent", overflow="fold")
    for heading in ("mean", "sd", "95% interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for seat in result.seats:
        table.add_row(seat.seat, seat.agent, *mean_cells(seat.score))
        if seat.adjusted:
            table.add_row("", "  without luck", *mean_cells(seat.adjusted))
        if seat.wins:
            low, high = 100 * seat.wins.low, 100 * seat.wins.high
            share = f"{100 * seat.wins.mean:.1f}%"
            table.add_row("", "  games won", share, "", f"{low:.1f}% to {high:.1f}%")
    return table


def mean_cells(estimate: Estimate) -> list[str]:
    """Return mean, deviation and interval as text."""
    deviation = "-" if math.isnan(estimate.deviation) else f"{estimate.deviation:.2f}"
    return [f"{estimate.mean:.3f}", deviation, interval_text(estimate)]


def forfeit_lines(result: MatchResult) -> list[str]:
    """Return a line for each of the first forfeits, and how many there were."""
    lines = [
        f"game {number}: {reason}" for number, _, reason in result.forfeits[:MOST_FORFEITS_SHOWN]
    ]
    if result.forfeits:
        total = f"{len(result.forfeits):,} of {result.games:,} games were forfeited"
        lines.insert(0, f"warning: {total}; the scores above count them")
    return lines
