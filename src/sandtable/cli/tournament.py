"""``sandtable tournament``: many agents, everybody against everybody or one against all."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli import options
from sandtable.cli.common import (
    EXIT_FORFEIT,
    EXIT_STOPPED,
    new_command,
    print_kept,
    print_resumed,
    print_stopped,
    write_json,
)
from sandtable.cli.text import write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sandtable.arena.play.run import RunOptions
    from sandtable.arena.tournaments.schedules import Tournament
    from sandtable.arena.tournaments.standings import Games, TournamentResult

command = new_command()

MOST_FORFEITS_SHOWN = 5
GAUNTLET_HELP = "The first so many agents meet all others, who do not meet."
ROTATE_HELP = "Play each deal in all rotations of the seats."


@command.command()
def tournament(
    game: options.GameArgument,
    agents: Annotated[list[str], options.agents_argument("Two agents or more, each once.")],
    deals: Annotated[
        int, options.games_option("Deals for each pairing and each game of the suite.", "--deals")
    ] = 100,
    gauntlet: Annotated[int, typer.Option("--gauntlet", min=0, help=GAUNTLET_HELP)] = 0,
    vary: options.VaryOption = [],  # noqa: B006 - typer makes a list for every call
    suite: options.SuiteOption = None,
    rotate: Annotated[bool, typer.Option("--rotate/--no-rotate", help=ROTATE_HELP)] = True,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    json: options.JsonOption = None,
    report: options.ReportOption = [],  # noqa: B006
    archive: options.ArchiveOption = None,
    move_time: options.MoveTimeOption = 60.0,
    cluster: options.ClusterOption = None,
    fresh: options.FreshOption = False,
) -> None:
    """Play a tournament: standings with ratings and intervals, and who beat whom.

    Every pairing meets the same games of the suite and the same dice, and each deal is played in
    all rotations of the seats. In a game of three or four seats every choice of so many agents
    meets; in a gauntlet the challenger has one seat and an opponent all the others.

    The intervals that are shown while it runs are those of a run in progress. After Ctrl-C or a
    kill the same command goes on from there; the results are the same for any number of jobs.

    Examples:

      sandtable tournament skirmish skirmish/greedy random alphabeta:budget=500 --vary level=1..7

      sandtable tournament gravwell random gravwell/random-no-stop gravwell/decision-tree -n 1000

      sandtable tournament lucid lucid/simple-blue lucid/one-axis-blue lucid/axes-red random

      sandtable tournament skirmish mine random skirmish/greedy --gauntlet 1 --report gauntlet.html
    """
    from sandtable.arena.play.run import RunOptions
    from sandtable.arena.tournaments.schedules import GAUNTLET, ROUND_ROBIN, make_tournament

    plan = make_tournament(
        GAUNTLET if gauntlet else ROUND_ROBIN,
        chosen_suite(game, vary, suite),
        agents,
        deals,
        seed,
        rotate=rotate,
        challengers=gauntlet or 1,
        move_time=move_time or None,
    )
    how = RunOptions(jobs=jobs, cluster=cluster, archive=archive, resume=True, fresh=fresh)
    play(plan, how, json, report)


def play(plan: Tournament, how: RunOptions, json: Path | None, report: list[Path]) -> None:
    """Play the tournament and tell its result; the exit code says if something went wrong."""
    from sandtable.arena.play.run import Run
    from sandtable.arena.tournaments.standings import Games
    from sandtable.cli.progress import live_view
    from sandtable.cli.reports import check_reports

    if json:
        write_json(json, None)
    check_reports(report)
    games = Games(plan)
    label = f"{plan.kind} of {len(plan.agents)}"
    view = live_view(label, plan.games, lambda: picture(games), lambda: words(games))
    with view as advance, Run(plan.matches, how) as run:
        print_resumed(run)
        try:
            for match, chunk in run.chunks():
                games.add(match, chunk)
                advance(len(chunk.scores))
        except KeyboardInterrupt:
            pass
        result = games.conclude()
        if result.complete:
            write_results(result, json, report)
            run.complete()
        elif not result.games:
            raise KeyboardInterrupt
    print_result(result)
    if how.archive:
        print_kept(result.games, run.stored, how.archive)
    for path in (*([json] if json else []), *report):
        typer.echo(f"Results: {path}" if result.complete else f"not written, not finished: {path}")
    if not result.complete:
        print_stopped(result.games, plan.games, run)
        raise typer.Exit(EXIT_STOPPED)
    if result.forfeits:
        raise typer.Exit(EXIT_FORFEIT)


def chosen_suite(game: str, vary: list[str], path: Path | None) -> list[str]:
    """Return the games of the suite."""
    from sandtable.arena.tournaments.schedules import make_suite, read_suite

    if path and vary:
        raise SandtableError("a suite comes from --suite or from --vary, not from both")
    return read_suite(path, game) if path else make_suite(game, vary)


def command_line() -> str:
    """Return how this command was called, for reports."""
    return " ".join(["sandtable", *map(shlex.quote, sys.argv[1:])])


def write_results(result: TournamentResult, json: Path | None, report: list[Path]) -> None:
    """Write what was asked for."""
    from sandtable.arena.tournaments.page import tournament_page
    from sandtable.cli.reports import write_report

    if json:
        write_json(json, result.as_data())
    for path in report:
        write_report(path, tournament_page(result, command_line()))


def picture(games: Games) -> RenderableType:
    """Return the standings so far as a table."""
    from sandtable.arena.tournaments.page import standings_sheet
    from sandtable.cli.reports import terminal_table

    result = games.conclude()
    return terminal_table(standings_sheet(result, wide=False)) if result.games else ""


def words(games: Games) -> str:
    """Return the standings so far in a few words."""
    from sandtable.arena.tournaments.page import rating_text

    found = []
    for each in games.conclude().standings:
        surest = each.adjusted or each.score
        strength = rating_text(each.rating, wide=False) if each.rating else f"{surest.mean:.2f}"
        found.append(f"{each.agent} {strength}")
    return ", ".join(found)


def print_result(result: TournamentResult) -> None:
    """Print the tables of a tournament."""
    from rich.console import Console

    from sandtable.arena.tournaments.page import (
        cross_sheet,
        cycle_lines,
        reasons_of_tournament,
        standings_sheet,
        tournament_title,
    )
    from sandtable.cli.reports import terminal_table

    console = Console()
    console.print(terminal_table(standings_sheet(result, wide=False), tournament_title(result)))
    sheet = cross_sheet(result, wide=False)
    console.print("", terminal_table(sheet, sheet.title), sep="\n")
    for line in (*cycle_lines(result), *result.notes, *reasons_of_tournament(result)):
        console.print(line, highlight=False)
    told = {(each.agent, each.reason): each for each in reversed(result.forfeits)}  # each once
    for each in list(reversed(told.values()))[:MOST_FORFEITS_SHOWN]:
        write(f"forfeit of {each.agent}, match {each.match}: {each.reason}", err=True)
    if result.forfeits:
        total = f"{len(result.forfeits):,} of {result.games:,} games were forfeited"
        typer.echo(f"warning: {total}; the results count them", err=True)
