"""``match --grid``: the same match with different options of an agent, beside each other."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandtable.cli.common import write_json
from sandtable.cli.match_rows import end_rows, play_rows
from sandtable.cli.text import write
from sandtable.errors import SandtableError, suggestion
from sandtable.specs import parse_spec

if TYPE_CHECKING:
    from sandtable.arena.play.match import MatchResult
    from sandtable.arena.play.plan import MatchPlan
    from sandtable.arena.play.run import RunOptions
    from sandtable.reports.pages import Sheet

__all__ = ["Grid", "make_grid", "play_grid"]

MOST_MATCHES = 1000


@dataclass(frozen=True)
class Grid:
    """The agents of every match, and which values of the options make each."""

    seat: int  # whose options vary
    options: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]  # [match, option]
    agents: tuple[tuple[str, ...], ...]  # [match, seat]


def make_grid(agents: Sequence[str], variations: Sequence[str]) -> Grid:
    """Return all combinations; an option is that of the first agent that has it.

    >>> make_grid(["lucid/one-axis-blue", "lucid/axes-red"], ["axis=a,b"]).agents[1]
    ('lucid/one-axis-blue:axis=b', 'lucid/axes-red')
    """
    named: list[tuple[str, list[str]]] = []
    for variation in variations:
        option, _, words = variation.partition("=")
        values = [value.strip() for value in words.split(",")]
        if not option.strip() or not all(values):
            raise SandtableError(f"'{variation}' is no grid; write option=value,value,...")
        named.append((option.strip(), values))
    seats = {seat_with(agents, option) for option, _ in named}
    if len(seats) > 1:
        raise SandtableError("the options of a grid must all be those of one agent")
    seat = seats.pop()
    combinations = list(itertools.product(*(values for _, values in named)))
    if len(combinations) > MOST_MATCHES:
        raise SandtableError(f"a grid of {len(combinations):,} matches is too large")
    options = tuple(option for option, _ in named)
    spec = parse_spec(agents[seat])
    made = []
    for point in combinations:
        chosen = {**spec.options, **dict(zip(options, point, strict=True))}
        varied = str(replace(spec, options=chosen))
        made.append((*agents[:seat], varied, *agents[seat + 1 :]))
    return Grid(seat, options, tuple(combinations), tuple(made))


def seat_with(agents: Sequence[str], option: str) -> int:
    """Return the first agent that has an option."""
    from sandtable.registry import resolved

    known: list[str] = []
    for seat, agent in enumerate(agents):
        factory, _ = resolved(parse_spec(agent))
        names = list(inspect.signature(factory).parameters)
        if option in names:
            return seat
        known += names
    options = f"they have {', '.join(dict.fromkeys(known))}" if known else "they have none"
    raise SandtableError(
        f"none of the agents has an option '{option}' ({options}).{suggestion(option, known)}"
    )


def play_grid(
    grid: Grid,
    plan_of: Callable[[Sequence[str]], MatchPlan],
    how: RunOptions,
    json: Path | None,
    report: Sequence[Path],
    words: str,
) -> None:
    """Play a match for every point of the grid, on the same dice, and tell them in one table."""
    from rich.console import Console

    from sandtable.cli.reports import forfeit_lines, terminal_table, write_report
    from sandtable.reports.pages import Page, Section

    plans = [plan_of(agents) for agents in grid.agents]  # what is wrong is told before any game
    results, runs = play_rows(plans, how)
    sheet = grid_sheet(grid, results)
    title = f"{plans[0].game}, seed {plans[0].seed}, the same dice in every row"
    Console().print(terminal_table(sheet, title))
    for line in [line for result in results for line in forfeit_lines(result)]:
        write(line, err=True)
    if json:
        write_json(json, [point_data(grid, *each) for each in enumerate(results)])
        write(f"Results: {json}")
    for path in report:
        write_report(path, Page("A grid of matches", words, (Section(title, sheets=(sheet,)),)))
        write(f"Report: {path}")
    end_rows(plans, results, runs)


def grid_sheet(grid: Grid, results: Sequence[MatchResult]) -> Sheet:
    """Return one row for every match that was played: the agent whose options vary."""
    from sandtable.cli.reports import mean_cells, share_interval
    from sandtable.reports.pages import Line, Sheet

    lines, luck, wins = [], False, False
    rows = []
    for values, result in zip(grid.values, results, strict=False):
        own = result.plan.agents[grid.seat]
        shown = result.agents if result.plan.rotate else result.seats[grid.seat :]
        each = next(standing for standing in shown if standing.agent == own)
        luck, wins = luck or each.adjusted is not None, wins or each.wins is not None
        rows.append((values, result, each))
    for values, result, each in rows:
        mean, _, interval = mean_cells(each.score)
        cells = [*values, f"{result.games:,}", mean, interval]
        if luck:
            freed = mean_cells(each.adjusted) if each.adjusted else ["-", "-", "-"]
            cells += [freed[0], freed[2]]
        if wins:
            share = f"{100 * each.wins.mean:.1f}%" if each.wins else "-"
            cells += [share, share_interval(each)]
        lines.append(Line(tuple(cells)))
    headings = [*grid.options, "games", "mean", "95% interval"]
    headings += ["without luck", "its 95% interval"] * luck + ["won", "95% of won"] * wins
    return Sheet(tuple(headings), tuple(lines), words=frozenset(grid.options))


def point_data(grid: Grid, number: int, result: MatchResult) -> dict[str, Any]:
    """Return one match as plain data, with the options that make it."""
    options = dict(zip(grid.options, grid.values[number], strict=True))
    return {"grid": options, **result.as_data()}
