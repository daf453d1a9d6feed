"""``sandtable levels``: make, show and check maps for Skirmish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import new_command, write_text
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.games.skirmish.levels import Level

command = new_command()

MOST_LEVELS = 100_000
LEVEL_HELP = "A published level (1 to 7), random-SEED, or its rows: 8/x3t3/..."


@command.callback()
def levels() -> None:
    """Make, show and check maps for Skirmish.

    Examples:

      sandtable levels new --seed 17 --count 100 --out levels.txt

      sandtable levels show random-17

      sandtable levels check levels.txt
    """


@command.command()
def new(
    seed: int = typer.Option(0, "--seed", "-s", min=0, max=10**17, help="Of the first level."),
    count: int = typer.Option(1, "--count", "-n", min=1, max=MOST_LEVELS, help="How many."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Write them into this file."),
) -> None:
    """Generate fair levels, one a line; level number n has the seed --seed + n.

    Example: `sandtable levels new --seed 17 --count 100 --out levels.txt`
    """
    from sandtable.games.skirmish.generator import generate_level

    if out is not None:
        write_text(out, None)
    lines = [f"{generate_level(each)}  # random-{each}" for each in range(seed, seed + count)]
    if out is None:
        typer.echo("\n".join(lines))
        return
    write_text(out, "\n".join(lines) + "\n")
    typer.echo(f"Written: {count} {'level' if count == 1 else 'levels'} to {out}")


@command.command()
def show(level: str = typer.Argument(..., help=LEVEL_HELP)) -> None:
    """Draw a level, and measure what it gives to both sides.

    Example: `sandtable levels show random-17`
    """
    from sandtable.games.skirmish.drawing import level_text
    from sandtable.games.skirmish.game import level_named

    found = level_named(level)
    typer.echo(f"{found}\n\n{level_text(found)}\n\n{verdict(found)}")


@command.command()
def check(
    source: str = typer.Argument(..., metavar="FILE|LEVEL", help="A file of levels, or a level."),
) -> None:
    """Check that levels can be read and are fair; a file has one a line, # begins a comment.

    Examples:

      sandtable levels check levels.txt

      sandtable levels check 8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8
    """
    from sandtable.games.skirmish.game import playable_level

    if not is_file(source):
        typer.echo(verdict(playable_level(source)))
        return
    lines = levels_in(Path(source))
    broken = 0
    for number, text in lines:
        try:
            playable_level(text)
        except SandtableError as problem:
            broken += 1
            typer.echo(f"{source}:{number}: {problem}", err=True)
    if broken:
        raise SandtableError(f"{broken} of {len(lines)} levels in {source} cannot be played")
    typer.echo(f"All {len(lines)} levels in {source} can be played.")


def is_file(source: str) -> bool:
    """Say whether there is such a file; a level's text can be too strange for a path."""
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False


def levels_in(path: Path) -> list[tuple[int, str]]:
    """Return the levels of a file with the numbers of their lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise SandtableError(f"cannot read {path}: {problem}") from problem
    words = [line.partition("#")[0].strip() for line in text.splitlines()]
    found = [(number, word) for number, word in enumerate(words, start=1) if word]
    if not found:
        raise SandtableError(f"there are no levels in {path}")
    return found


def verdict(level: Level) -> str:
    """Say what a level gives to both sides, and what is wrong with it."""
    from sandtable.games.skirmish.levels import NEAR, balance, check_level

    problems = check_level(level)
    if problems:
        return "\n".join(f"not to be played: {problem}" for problem in problems)
    found = balance(level)
    return (
        f"can be played: the towns are {found.distance} steps apart\n"
        f"land within {NEAR} steps of the own town: First {found.near[0]}, Second {found.near[1]}\n"
        f"land nearer to the own town: First {found.nearer[0]}, Second {found.nearer[1]}"
    )
