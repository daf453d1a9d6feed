"""``sandtable puzzles``: find puzzles in games of strong agents, and judge them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli import options
from sandtable.cli.common import EXIT_ERROR, EXIT_STOPPED, new_command, write_text
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.puzzles.puzzle import Puzzle

command = new_command()


@command.callback()
def puzzles() -> None:
    """Positions with one clearly best move: find them, and judge them again.

    'sandtable puzzle GAME' asks you one.

    Examples:

      sandtable puzzles mine skirmish --count 20 --out mine.jsonl

      sandtable puzzles check mine.jsonl
    """


@command.command()
def mine(
    game: options.GameArgument,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Puzzles wanted.")] = 100,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file; it is gone on with.")] = Path(
        "puzzles.jsonl"
    ),
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = None,
) -> None:
    """Search games of strong agents for decisions with one clearly best answer.

    Every game has puzzles: its own plan says who plays and who judges, or agents that play any game
    do. Each puzzle is written as soon as it is found; the same command goes on where it was
    stopped.

    Examples:

      sandtable puzzles mine skirmish --count 20 --out mine.jsonl
    """
    from sandtable.cli.progress import games_progress
    from sandtable.files import can_be_replaced
    from sandtable.puzzles.mining import Miner
    from sandtable.puzzles.plan import plan_of
    from sandtable.puzzles.puzzle import read_puzzles, write_puzzles
    from sandtable.registry import make_game

    made = make_game(game)
    found = read_puzzles(out) if out.is_file() else []
    check_same(found, made.name, seed, out)
    write_text(out, None)  # find out now whether it can be written
    first = max((int(each.source["game"]) for each in found), default=0)
    if found:
        write(f"going on from {counted(len(found), 'puzzle')} in {out}", err=True)
    searched = [first]
    as_found = can_be_replaced(out)  # or all at once in the end
    miner = Miner(made, plan_of(made), seed, {each.identity for each in found}, searched.append)
    try:
        with games_progress(f"puzzles of {made.title}", count, "puzzles") as advance:
            advance(len(found))
            search = miner.puzzles(first, jobs or 1)
            while len(found) < count:
                found.append(next(search))
                if as_found:
                    write_puzzles(out, found)
                advance(1)
        if not as_found:
            write_puzzles(out, found)
    except KeyboardInterrupt:
        if not as_found:
            write_puzzles(out, found)
        write(
            f"stopped with {counted(len(found), 'puzzle')} in {out}; the same command goes on",
            err=True,
        )
        raise typer.Exit(EXIT_STOPPED) from None
    finally:
        miner.stopped.set()
        miner.close()
    write(f"{counted(len(found), 'puzzle')} of {counted(searched[-1] + 1, 'game')} in {out}")


def check_same(found: list[Puzzle], name: str, seed: int, path: Path) -> None:
    """Refuse to mix puzzles of another game or seed with new ones."""
    from sandtable.registry import make_game

    for each in found:
        if make_game(each.game).name != name or each.source.get("seed") != seed:
            raise SandtableError(
                f"{path} holds puzzles of {each.game} with seed {each.source.get('seed')}; "
                "choose another file with --out"
            )


@command.command()
def check(
    file: Annotated[Path, typer.Argument(help="A file of puzzles.")],
    seed: options.SeedOption = 1,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=50, help="Games after each move; as when they were mined."),
    ] = None,
    second: Annotated[
        bool, typer.Option("--second", help="Ask the second judge of the game.")
    ] = False,
    agent: Annotated[
        str | None, typer.Option("--agent", help="Let this agent play the games on.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Write those that hold to this file.")
    ] = None,
) -> None:
    """Judge every puzzle of a file again, with other dice, and say which do not hold.

    Examples:

      sandtable puzzles check mine.jsonl

      sandtable puzzles check mine.jsonl --second --samples 2000
    """
    from sandtable.cli.progress import games_progress
    from sandtable.puzzles.checking import CheckedPuzzle, check_puzzles
    from sandtable.puzzles.puzzle import read_puzzles, write_puzzles

    found = read_puzzles(file)
    if keep is not None:
        write_text(keep, None)
    done: list[CheckedPuzzle] = []
    stopped = False
    with games_progress(f"checking {file.name}", len(found), "puzzles") as advance:
        try:
            for each in check_puzzles(
                found, seed=seed, samples=samples, second=second, agent=agent
            ):
                done.append(each)
                advance(1)
        except KeyboardInterrupt:
            stopped = True
    for each in done:
        if not each.holds:
            write(f"puzzle {each.number}: {each.problem}")
    held = [each.puzzle for each in done if each.holds and each.puzzle is not None]
    margins = sorted(each.judgement.margin for each in done if each.judgement is not None)
    middle = f"; the margin in the middle is {margins[len(margins) // 2]:.3f}" if margins else ""
    write(f"{len(held)} of {counted(len(done), 'puzzle')} hold{middle}")
    if keep is not None and not stopped:
        write_puzzles(keep, held)
    if stopped:
        raise typer.Exit(EXIT_STOPPED)
    if len(held) < len(done):
        raise typer.Exit(EXIT_ERROR)
