"""Tables of results for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

from sandtable.arena.statistics.intervals import Estimate

if TYPE_CHECKING:
    from sandtable.arena.statistics.results import MatchResult, Standing

__all__ = ["forfeit_lines", "interval_text", "match_table"]

MOST_FORFEITS_SHOWN = 5


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
