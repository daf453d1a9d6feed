"""``sandtable match``: many games between the same agents, with intervals."""

from __future__ import annotations

from collections.abc import Callable
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
from sandtable.specs import parse_spec

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sandtable.arena.play.match import MatchResult
    from sandtable.arena.play.plan import MatchPlan, Results
    from sandtable.arena.play.run import RunOptions

command = new_command()

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

    Examples:

      sandtable match lucid lucid/simple-blue lucid/axes-red --games 100000

      sandtable match lucid lucid/one-axis-blue:axis=c lucid/axes-red --json result.json

      sandtable match lucid external:./bot,seconds=2 lucid/axes-red -n 100 --archive games.db

      sandtable match skirmish skirmish/greedy random --rotate
    """
    from sandtable.arena.play.plan import make_plan
    from sandtable.arena.play.run import RunOptions

    plan = make_plan(game, agents, games, seed, move_time or None, rotate)
    if json:
        write_json(json, None)  # find out before the first game whether it can be written
    how = RunOptions(jobs=jobs, cluster=cluster, archive=archive, resume=True, fresh=fresh)
    if play(plan, how, json).forfeits:
        raise typer.Exit(EXIT_FORFEIT)


def play(plan: MatchPlan, how: RunOptions, json: Path | None) -> MatchResult:
    """Play the match and tell its result; one that was stopped ends the command."""
    from sandtable.arena.play.match import play_run
    from sandtable.arena.play.plan import Results
    from sandtable.arena.play.run import Run
    from sandtable.registry import make_game

    results = Results(make_game(plan.game), len(plan.orders))
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
        table.caption, table.caption_justify = IN_PROGRESS, "left"
        return table

    def words() -> str:
        standings = so_far().agents or so_far().seats
        return ", ".join(f"{each.agent} {each.score.mean:.3f}" for each in standings)

    return live_view(label, plan.games, picture, words)


def print_result(result: MatchResult, archive: str | None) -> None:
    """Print the table of a match."""
    from rich.console import Console

    from sandtable.cli.reports import forfeit_lines, match_table

    console = Console()
    console.print(match_table(result))
    played = result.games - result.resumed
    rate = result.games_per_second
    console.print(
        f"{played:,} games in {result.seconds:.1f} s ({rate:,.0f} games per second)",
        highlight=False,
    )
    for note in result.notes:
        typer.echo(f"note: {note}")
    for line in forfeit_lines(result):
        typer.echo(line, err=True)
    if archive and result.kept is not None:
        print_kept(result.games, result.kept, archive)
