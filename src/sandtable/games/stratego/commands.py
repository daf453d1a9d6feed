"""``sandtable setups``: list, draw, draw lots for, check and try set-ups for Stratego."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import new_command, write_text
from sandtable.cli.text import write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.games.stratego.setups import Setup

command = new_command()

MOST_SETUPS = 100_000
SETUP_HELP = "A name, a file (file.txt#2 for its second set-up), or rows: 26529627T2/7584..."


class Variant(StrEnum):
    """The variants, in the order of their numbers."""

    CLASSIC = "classic"
    MINI = "mini"
    BARRAGE = "barrage"
    DUEL = "duel"

    @property
    def number(self) -> int:
        """Its number in the rules."""
        return list(Variant).index(self)


VARIANT = typer.Option(Variant.CLASSIC, "--variant", "-v", help="Of Stratego.")


@command.callback()
def setups() -> None:
    """List, show, draw and check set-ups for Stratego.

    Examples:

      sandtable setups list

      sandtable setups show keep

      sandtable setups check mine.txt --variant mini

      sandtable setups new --seed 17 --count 100 --out setups.txt

      sandtable setups planes --out planes.svg
    """


@command.command("list")
def list_named() -> None:
    """List the set-ups that have a name, with the idea of each.

    Example: `sandtable setups list`
    """
    from sandtable.games.stratego.named_setups import NAMED

    for variant, named in NAMED.items():
        typer.secho(variant, bold=True)
        for name, (rows, idea) in named.items():
            write(f"  {name:10}{idea}", indent=" " * 12)
            typer.echo(f"            {rows}")


@command.command()
def show(setup: str = typer.Argument(..., help=SETUP_HELP), variant: Variant = VARIANT) -> None:
    """Draw a set-up as its player sees it, and say whether it is legal.

    Examples:

      sandtable setups show keep

      sandtable setups show bait --variant mini
    """
    from sandtable.games.stratego.setups import setup_called

    called = setup_called(setup, variant.number)
    rows = "\n".join("  " + "  ".join(row) for row in called.rows)
    words = " ".join(letter for letter in "".join(called.rows))
    typer.echo(f"{called}\n\n{rows}\n")
    write(f"to set it up in play: {words} done", indent="  ")
    typer.echo(verdict(called))


@command.command()
def check(
    source: str = typer.Argument(..., metavar="FILE|SETUP", help="A file of set-ups, or one."),
    variant: Variant = VARIANT,
) -> None:
    """Check that set-ups can be read and are legal; rows one below the other, or split by /.

    Examples:

      sandtable setups check mine.txt

      sandtable setups check B72T92/FBS353 --variant mini
    """
    from sandtable.games.stratego.setups import is_file, legal_setup, parse_setup, setups_in

    if not is_file(source):
        typer.echo(verdict(legal_setup(source, variant.number)))
        return
    texts = setups_in(Path(source))
    broken = 0
    for number, text in texts:
        try:
            problems = problems_of(parse_setup(text, variant.number))
        except SandtableError as problem:
            problems = str(problem)
        if problems:
            broken += 1
            typer.echo(f"{source}:{number}: {problems}", err=True)
    if broken:
        raise SandtableError(f"{broken} of {len(texts)} set-ups in {source} are not legal")
    typer.echo(f"All {len(texts)} set-ups in {source} are legal.")


@command.command()
def new(
    seed: int = typer.Option(0, "--seed", "-s", min=0, max=10**17, help="Of the first set-up."),
    count: int = typer.Option(1, "--count", "-n", min=1, max=MOST_SETUPS, help="How many."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Write them into this file."),
    variant: Variant = VARIANT,
) -> None:
    """Draw set-ups at random, one a line: flag on the back row, bombs not on the front row.

    Example: `sandtable setups new --seed 17 --count 100 --out setups.txt`
    """
    from sandtable.dice import Dice
    from sandtable.games.stratego.setups import random_setup

    if out is not None:
        write_text(out, None)
    lines = [
        f"{random_setup(variant.number, Dice(number, 'stratego set-up'))}  # seed {number}"
        for number in range(seed, seed + count)
    ]
    if out is None:
        typer.echo("\n".join(lines))
        return
    write_text(out, "\n".join(lines) + "\n")
    typer.echo(f"Written: {count} {'set-up' if count == 1 else 'set-ups'} to {out}")


@command.command()
def trial(
    file: Path = typer.Argument(..., metavar="FILE", help="Its games, a line each (.jsonl)."),
    agent: str = typer.Option("stratego/champion", "--agent", help="Who plays behind them."),
    count: int = typer.Option(40, "--count", "-n", min=1, max=10_000, help="Set-ups at first."),
    seed: int = typer.Option(0, "--seed", "-s", min=0, max=10**17, help="Of set-ups and games."),
    out: Path | None = typer.Option(None, "--out", "-o", help="Write what is left here (.json)."),
) -> None:
    """Try set-ups as people make them against the scripted players; the better half goes on.

    Ctrl-C keeps what is finished: the same command goes on from there.

    Example: `sandtable setups trial games.jsonl --count 40 --out tested-setups.json`
    """
    from sandtable.cli.common import write_json
    from sandtable.cli.progress import games_progress
    from sandtable.games.stratego.setup_trials import OPPONENTS, Trial

    if out is not None:
        write_json(out, None)
    made = Trial(file, agent, count, seed)
    made.check()
    known = len(made.known())
    with games_progress(f"set-ups of {agent}", made.games()) as progress:
        progress(known)
        left = made.run(progress)
    for each in left:
        typer.echo(f"{each['setup']}  {each['points']:g} of {each['games']}")
    if out is not None:
        data = {"agent": agent, "opponents": list(OPPONENTS), "seed": seed, "setups": left}
        write_json(out, data | {"count": count})
        typer.echo(f"Written: {len(left)} set-ups to {out}")


@command.command()
def planes(
    position: str = typer.Argument("", help="A line as of `sandtable show`; else an example."),
    square: str = typer.Option("", "--square", help="In the middle of the part, such as f2."),
    blue: bool = typer.Option(False, "--blue", help="As Blue sees it, instead of Red."),
    out: Path = typer.Option(Path("planes.svg"), "--out", "-o", help="The drawing."),
) -> None:
    """Draw nine squares of a board beside the six planes of the paper, with their numbers.

    Example: `sandtable setups planes --out planes.svg`
    """
    import numpy as np

    from sandtable.games.stratego.drawing.patch import EXAMPLE_SQUARE, example, patch_svg
    from sandtable.games.stratego.layout import parse_square
    from sandtable.games.stratego.planes import PAPER_PLANE_NAMES, encode_paper
    from sandtable.registry import make_game

    game = make_game("stratego")
    seen = game.parse(position).position if position else example()
    middle = parse_square(square or EXAMPLE_SQUARE, game.board_shape[0])
    if middle is None:
        raise SandtableError(f"'{square}' is no square of the board; they are a1 to j10")
    side = game.board_shape[0]
    numbers = np.zeros((len(PAPER_PLANE_NAMES), side, side), dtype=np.float32)
    encode_paper(np.array(seen), int(blue), numbers)
    write_text(out, patch_svg(seen, int(blue), middle, numbers) + "\n")
    typer.echo(f"Written: {out}")


def problems_of(setup: Setup) -> str:
    """Say what is wrong with a set-up in one line; empty if it is legal."""
    from sandtable.games.stratego.setups import check_setup

    return "; ".join(check_setup(setup))


def verdict(setup: Setup) -> str:
    """Say whether a set-up is legal."""
    problems = problems_of(setup)
    return f"not legal: {problems}" if problems else "legal"
