"""``sandtable levels``: make, show and check maps for Skirmish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED, new_command, write_text
from sandtable.errors import SandtableError
from sandtable.games.skirmish.commands.duel import duel

if TYPE_CHECKING:
    from sandtable.games.skirmish.levels import Level

command = new_command()
command.command()(duel)

MOST_LEVELS = 100_000
LEVELS = "a published level (1 to 7), random-SEED, or its rows: 8/x3t3/..."


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
    from sandtable.cli.progress import games_progress
    from sandtable.games.skirmish.generator import generate_level

    if out is not None:
        write_text(out, None)
    lines: list[str] = []
    try:
        with games_progress("levels", count, "levels") as progress:
            for number in range(seed, seed + count):
                lines.append(f"{generate_level(number)}  # random-{number}")
                progress(1)
    except KeyboardInterrupt:  # those that are made are as good as ever
        typer.echo(f"stopped after {len(lines)} of {count} levels", err=True)
    if out is None and lines:  # once the bar is gone
        typer.echo("\n".join(lines))
    if out is not None and lines:
        write_text(out, "\n".join(lines) + "\n")
        typer.echo(f"Written: {counted(len(lines))} to {out}")
    if len(lines) < count:
        raise typer.Exit(EXIT_STOPPED)


def counted(levels: int) -> str:
    """Write a number of levels.

    >>> counted(1), counted(7)
    ('1 level', '7 levels')
    """
    return f"{levels} level{'' if levels == 1 else 's'}"


@command.command()
def show(
    source: str = typer.Argument(..., metavar="FILE|LEVEL", help=f"A file of levels, or: {LEVELS}"),
) -> None:
    """Draw a level, or all levels of a file, and measure what they give to both sides.

    Examples:

      sandtable levels show random-17

      sandtable levels show levels.txt
    """
    from sandtable.games.skirmish.drawing.text import level_text
    from sandtable.games.skirmish.game import level_named

    names = [text for _, text in levels_in(Path(source))] if is_file(source) else [source]
    for number, name in enumerate(names):
        level = level_named(name)
        typer.echo("\n" * (number > 0) + f"{level}\n\n{level_text(level)}\n\n{verdict(level)}")


@command.command()
def check(
    source: str = typer.Argument(..., metavar="FILE|LEVEL", help=f"A file of levels, or: {LEVELS}"),
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
        raise SandtableError(f"{broken} of {counted(len(lines))} in {source} cannot be played")
    typer.echo(f"{counted(len(lines))} in {source} can be played.")


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
    numbered = [(number, word) for number, word in enumerate(words, start=1) if word]
    if not numbered:
        raise SandtableError(f"there are no levels in {path}")
    return numbered


def verdict(level: Level) -> str:
    """Say what a level gives to both sides, and what is wrong with it."""
    from sandtable.games.skirmish.levels import NEAR, balance, check_level

    problems = check_level(level)
    if problems:
        return "\n".join(f"not to be played: {problem}" for problem in problems)
    measured = balance(level)
    near, nearer = measured.near, measured.nearer
    return (
        f"can be played: the towns are {measured.distance} steps apart\n"
        f"land within {NEAR} steps of the own town: First {near[0]}, Second {near[1]}\n"
        f"land nearer to the own town: First {nearer[0]}, Second {nearer[1]}"
    )
