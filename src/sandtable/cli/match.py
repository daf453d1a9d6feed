"""``sandtable match``: many games between the same agents, with intervals."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
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
from sandtable.cli.text import counted, write
from sandtable.specs import parse_spec

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sandtable.arena.play.match import MatchResult
    from sandtable.arena.play.plan import MatchPlan, Results
    from sandtable.arena.play.run import RunOptions

command = new_command()

GRID_HELP = "Play it for each of these options of an agent: tries=4,8,16."
IN_PROGRESS = "in progress: intervals so far, not results"


@command.command()
def match(
    game: options.GameArgument,
    agents: Annotated[
        list[str], options.agents_argument("One agent for each seat, in seat order.")
    ],
    games: Annotated[int, options.games_option("How many games to play.", "--games")] = 1000,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    json: options.JsonOption = None,
    report: options.ReportOption = [],  # noqa: B006 - typer makes a list for every call
    grid: Annotated[list[str], typer.Option("--grid", help=GRID_HELP)] = [],  # noqa: B006
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Let every agent play every seat, with the same dice.")
    ] = False,
    archive: options.ArchiveOption = None,
    move_time: options.MoveTimeOption = 60.0,
    cluster: options.ClusterOption = None,
    fresh: options.FreshOption = False,
) -> None:
    """Play a match and tell how the agents did, with 95% intervals.

    With --rotate every deal is played as many times as there are seats, with the same dice, and the
    agents move on by one seat each time; the results are then told for each agent, not each seat,
    and the games of a deal count as one observation. Agents that play several seats are pooled.

    The results are the same for any number of jobs. An agent that crashes, hangs or plays an
    illegal move forfeits that game; the match goes on, and ends with exit code 3.

    Finished games are kept until the match is complete: after Ctrl-C or a kill the same command
    goes on from there.

    With --grid the match is played once for each value of an option, on the same dice, and the
    results stand in one table; --grid again: all combinations.

    Examples:

      sandtable match lucid lucid/simple-blue lucid/axes-red --games 100000

      sandtable match lucid lucid/one-axis-blue:axis=c lucid/axes-red --json result.json

      sandtable match lucid external:./bot,seconds=2 lucid/axes-red -n 100 --archive games.db

      sandtable match skirmish skirmish/greedy random --rotate

      sandtable match lucid lucid/champion-blue lucid/axes-red -n 100 --grid tries=4,8,16
    """
    from sandtable.arena.play.plan import make_plan
    from sandtable.arena.play.run import RunOptions
    from sandtable.cli.grid import make_grid, play_grid
    from sandtable.cli.reports import check_reports

    if json:
        write_json(json, None)  # find out before the first game whether it can be written
    if report:
        check_reports(report)
    how = RunOptions(jobs=jobs, cluster=cluster, archive=archive, resume=True, fresh=fresh)

    def plan_of(seated: Sequence[str]) -> MatchPlan:
        return make_plan(game, list(seated), games, seed, move_time or None, rotate)

    words = command_words(game, agents, games, seed, rotate)
    if grid:
        made = make_grid(agents, grid)
        play_grid(made, plan_of, how, json, report, f"{words} --grid {' --grid '.join(grid)}")
    elif play(plan_of(agents), how, json, report, words).forfeits:
        raise typer.Exit(EXIT_FORFEIT)


def command_words(game: str, agents: Sequence[str], games: int, seed: int, rotate: bool) -> str:
    """Return the command that plays the same games."""
    words = ["sandtable", "match", game, *agents, "--games", str(games), "--seed", str(seed)]
    return shlex.join([*words, *(["--rotate"] if rotate else [])])


def play(
    plan: MatchPlan, how: RunOptions, json: Path | None, report: Sequence[Path], words: str
) -> MatchResult:
    """Play the match and tell its result; one that was stopped ends the command."""
    from sandtable.arena.play.match import play_run
    from sandtable.arena.play.run import Run
    from sandtable.arena.statistics.totals import MatchTotals
    from sandtable.cli.reports import match_page, write_report
    from sandtable.registry import make_game

    results = MatchTotals(make_game(plan.game), len(plan.orders))
    shown = ExitStack()
    with shown, ExitStack() as playing:
        progress = shown.enter_context(view_of(plan, results))
        run = playing.enter_context(Run([plan], how))
        print_resumed(run)
        result = play_run(plan, run, progress, results)
        shown.close()  # what is told below goes to standard output, where the view is not
        print_result(result, how.archive)
        if json:
            write_json(json, result.as_data())
            typer.echo(f"Results: {json}")
        for path in report:
            write_report(path, match_page(result, words))
            typer.echo(f"Report: {path}")
        if not result.complete:
            print_stopped(result.games, plan.games, run)
            raise typer.Exit(EXIT_STOPPED)
        run.complete()
    return result


def view_of(plan: MatchPlan, results: Results) -> AbstractContextManager[Callable[[int], None]]:
    """Return what shows how far the match has come: with people in it only a bar."""
    from sandtable.arena.statistics.results import summarise
    from sandtable.cli.progress import games_progress, live_view
    from sandtable.cli.reports import match_table

    label = f"{plan.game}: {' - '.join(plan.agents)}"
    if any(parse_spec(agent).name == "human" for agent in plan.agents):
        return games_progress(label, plan.games)

    def so_far() -> MatchResult:
        results.close()
        return summarise(plan, results, None, 0.0, 1)

    def picture() -> RenderableType:
        result = so_far()
        if not result.games:
            return ""
        table = match_table(result)
        table.caption = IN_PROGRESS
        return table

    def words() -> str:
        standings = so_far().agents or so_far().seats
        return ", ".join(f"{each.agent} {each.score.mean:.3f}" for each in standings)

    return live_view(label, plan.games, picture, words)


def print_result(result: MatchResult, archive: str | None) -> None:
    """Print the table of a match."""
    from rich.console import Console

    from sandtable.cli.reports import forfeit_lines, match_table, reasons_of_match

    console = Console()
    console.print(match_table(result))
    played = result.games - result.resumed
    rate = counted(round(result.games_per_second), "game")
    console.print(
        f"{counted(played, 'game')} in {result.seconds:.1f} s ({rate} per second)",
        highlight=False,
    )
    for note in (*result.notes, *reasons_of_match(result)):
        write(f"note: {note}")
    for line in forfeit_lines(result):
        write(line, err=True)
    if archive and result.kept is not None:
        print_kept(result.games, result.kept, archive)
