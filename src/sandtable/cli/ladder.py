"""``sandtable ladder``: how much stronger each level of a game is than the one below."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sandtable.cli import options
from sandtable.cli.common import EXIT_STOPPED, new_command, write_json, write_text
from sandtable.errors import DAMAGED, SandtableError

if TYPE_CHECKING:
    from sandtable.agents.level.ladder import Ladder, Level
    from sandtable.arena.ladder import Rung
    from sandtable.types import Game

command = new_command()


@command.command()
def ladder(
    game: options.GameArgument,
    games: Annotated[int, options.games_option("Games of each pairing.", "--games")] = 400,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
    step: Annotated[
        list[str], typer.Option("--step", help="Only this level against the one below; repeatable.")
    ] = [],  # noqa: B006
    take: Annotated[
        list[Path], typer.Option("--take", help="Play nothing: put these results together.")
    ] = [],  # noqa: B006
    json: options.JsonOption = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the table as a page of Markdown.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Keep the figures beside the game, for ratings.")
    ] = False,
) -> None:
    """Measure the levels of a game: each plays the one below it.

    A level should win 60 to 80% against the one below. Any game has levels: those in levels.json
    beside its module, or a ladder of agents that play any game. They are played like any agent:
    level:easy, level:champion.

    Examples:

      sandtable ladder skirmish

      sandtable ladder gravwell --games 2000 --jobs 2 --json ladder.json

      sandtable ladder skirmish --step hard --games 100 --json part.json

      sandtable ladder skirmish --take part.json --take other.json
    """
    from sandtable.agents.level.ladder import ladder_of
    from sandtable.arena.ladder import as_data, pooled, table_page
    from sandtable.registry import make_game

    specs = specs_of(game)
    made = make_game(specs[0])
    rungs = ladder_of(made)
    if json and not take:
        write_json(json, None)  # find out before the first game whether it can be written
    pairs, stopped = pairs_of(rungs, step), False
    if take:
        steps, commands = taken(take, rungs)
    else:
        steps, stopped = played(specs, pairs, games, seed, jobs)
        only = "".join(f" --step {rungs.level(name).name}" for name in step)
        commands = [f"sandtable ladder {game}{only} --games {games} --seed {seed}"]
    data = as_data(made.name, specs, rungs, pooled(steps), commands)
    print_table(made, data)
    if json:
        write_json(json, data)
    if page:
        write_text(page, table_page(made.title, data))
    if write:
        keep_beside(made, data)
    if stopped:
        raise typer.Exit(EXIT_STOPPED)


def specs_of(game: str) -> list[str]:
    """Return the specs in which a ladder is measured: those its file names, or the one given."""
    from sandtable.agents.level.ladder import ladder_of
    from sandtable.registry import make_game

    made = make_game(game)
    own = ladder_of(made)
    return list(own.games) if game == made.name and own.games else [made.spec]


def pairs_of(rungs: Ladder, steps: list[str]) -> list[tuple[Level, Level]]:
    """Return the levels that meet, each with the one below: all, or those of some steps."""
    wanted = [rungs.level(name).name for name in steps]
    return [
        (upper, lower)
        for lower, upper in pairwise(rungs.levels)
        if not wanted or upper.name in wanted
    ]


def played(
    specs: list[str], pairs: list[tuple[Level, Level]], games: int, seed: int, jobs: int | None
) -> tuple[list[Rung], bool]:
    """Play the matches; the games of a pairing are shared out among the specs."""
    from sandtable.arena.ladder import measure_step
    from sandtable.cli.progress import games_progress

    steps: list[Rung] = []
    each = max(-(-games // len(specs)), 2)
    with games_progress(f"levels of {specs[0]}", each * len(specs) * len(pairs)) as progress:
        for upper, lower in pairs:
            for number, spec in enumerate(specs):
                done = measure_step(spec, upper, lower, each, seed + number, jobs, progress)
                steps.append(done)
                if done.games < each:
                    return steps, True
    return steps, False


def taken(files: list[Path], rungs: Ladder) -> tuple[list[Rung], list[str]]:
    """Read results of earlier calls, and how they were called.

    Those of levels that are other ones now are left out.
    """
    from sandtable.arena.ladder import definition, step_from_data

    now = {level.name: definition(level) for level in rungs.levels}
    steps: list[Rung] = []
    commands: list[str] = []
    for file in files:
        if not file.is_file():
            raise SandtableError(f"there is no file {file}")
        try:
            data = json.loads(file.read_text("utf-8"))
            then = {each["name"]: each for each in data["levels"]}
            found = [step_from_data(each) for each in data["steps"]]
            told = [str(each) for each in data["commands"]]
        except (OSError, *DAMAGED) as problem:
            raise SandtableError(f"{file} holds no results of a ladder: {problem}") from None
        for step in found:
            names = (step.upper, step.lower)
            if all(
                name in now and all(then[name][key] == now[name][key] for key in now[name])
                for name in names
            ):
                steps.append(step)
                commands += [each for each in told if each not in commands]
            else:
                typer.echo(f"note: {step.upper} of {file} is another level now; left out", err=True)
    order = list(now)
    return sorted(steps, key=lambda step: order.index(step.upper)), commands


def print_table(game: Game, data: dict[str, Any]) -> None:
    """Print the ladder, the weakest level first."""
    from rich.console import Console
    from rich.table import Table

    from sandtable.arena.ladder import share_text

    table = Table(title=f"Levels of {game.title}", title_justify="left")
    for name in ("level", "rating", "wins against the one below", "games"):
        table.add_column(name, justify="left" if name == "level" else "right", no_wrap=True)
    steps = {step["upper"]: step for step in data["steps"]}
    for level in data["levels"]:
        step = steps.get(level["name"])
        rating = "" if level["rating"] is None else f"{level['rating']:.0f}"
        share = "" if step is None else share_text(step)
        table.add_row(level["name"], rating, share, "" if step is None else f"{step['games']:,}")
    Console().print(table)


def keep_beside(game: Game, data: dict[str, Any]) -> None:
    """Write the figures to where ratings are told from."""
    from sandtable.agents.level.ladder import MEASURED_NAME, file_beside

    path = file_beside(game.name, MEASURED_NAME)
    if path is None:
        raise SandtableError(f"{game.name} comes from no folder; use --json")
    write_json(path, data)
    typer.echo(f"Kept in {path}")
