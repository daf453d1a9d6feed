"""``sandtable perft``: how many moves there are, to check rules and their speed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sandtable.cli.common import complete_game, new_command, write_json, write_text
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sandtable.types import Game, State

command = new_command()

SEEDS_TRIED = 100
MOST_DIGITS = 10**15  # larger numbers are rounded to read them; --json has them in full


@command.command()
def perft(
    game: str = typer.Argument(..., help="The game.", autocompletion=complete_game),
    position: list[str] | None = typer.Argument(
        None, help="A position in one line.", show_default="a start with the first seat to move"
    ),
    depth: int | None = typer.Option(
        None, "--depth", "-d", min=1, help="Count sequences of so many actions instead."
    ),
    json: Path | None = typer.Option(None, "--json", help="Write the numbers to this file."),
    out: Path | None = typer.Option(
        None, "--out", "-o", help="Draw what belongs to a game's sizes into this file (.svg)."
    ),
) -> None:
    """Count the moves of a position.

    Without --depth: how many different whole turns the seat to move can choose from, and how many
    different positions they lead to before dice are thrown; or, of a game that has them, a table
    of its sizes. With --depth: how many sequences of legal actions there are, dice being thrown
    with seed 0 along every sequence.

    Examples:

      sandtable perft lucid

      sandtable perft lucid --depth 6

      sandtable perft gravwell --out stops.svg

      sandtable perft lucid "2,r2,r2,r1/1,b2,b3,2/5/5/b3,b1,3 r 9 0 -" --json counts.json
    """
    from sandtable.registry import make_game

    rules = make_game(game)
    if out is not None or (depth is None and not position and rules.count_turns is None):
        tell_sizes(rules, json, out)
        return
    state = rules.parse(" ".join(position)) if position else first_seat_start(rules)
    if depth is None and rules.count_turns is None:
        raise SandtableError(f"{rules.name} does not count whole turns: add --depth N")
    if json:
        write_json(json, None)  # find out before the counting whether it can be written
    typer.echo(f"{rules.title}: {state.line}")
    counts = count_whole_turns(state) if depth is None else count_by_depth(state, depth)
    if json:
        write_json(json, {"game": rules.spec, "version": rules.version, **counts})
        typer.echo(f"Numbers: {json}")


def tell_sizes(game: Game, json: Path | None, out: Path | None) -> None:
    """Print how large a game is, and draw what belongs to it."""
    if game.sizes is None:
        raise SandtableError(f"{game.name} does not count whole turns: add --depth N")
    table = game.sizes()
    if out is not None:
        if table.svg is None or out.suffix.lower() != ".svg":
            raise SandtableError(
                f"{game.name} has nothing to draw here"
                if table.svg is None
                else f"it is drawn as SVG: end '{out.name}' in .svg"
            )
        write_text(out, table.svg() + "\n")
    first = max(map(len, table.rows))
    cells = [[f"{number:,}" if number < MOST_DIGITS else f"{number:.4g}" for number in row]
             for row in table.rows.values()]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(table.columns, *cells, strict=True)]
    typer.echo(f"{game.title}:")
    for name, row in zip(("", *table.rows), (table.columns, *cells), strict=True):
        words = (f"{word:>{width}}" for word, width in zip(row, widths, strict=True))
        typer.echo(f"{name:<{first}}  {'  '.join(words)}")
    if json:
        numbers = {name: list(row) for name, row in table.rows.items()}
        write_json(json, {"game": game.spec, "columns": list(table.columns), "sizes": numbers})
        typer.echo(f"Numbers: {json}")
    if out is not None:
        typer.echo(f"Drawn: {out}")


def first_seat_start(game: Game) -> State:
    """Return a start with the first seat to move: counts are compared, so dice must not decide."""
    from sandtable.dice import Dice

    for seed in range(SEEDS_TRIED):
        state = game.start(Dice(seed))
        if state.turn == 0:
            return state
    return game.start(Dice(0))  # a game that another seat always begins


def count_whole_turns(state: State) -> dict[str, Any]:
    """Count and print the whole turns."""
    from rich.console import Console

    assert state.game.count_turns is not None  # told before anything was printed
    began = time.perf_counter()
    with Console(stderr=True).status("counting ..."):
        counts = state.game.count_turns(state.position)
    seconds = time.perf_counter() - began
    typer.echo(f"{counts.results:>13,} different positions after one turn, before dice")
    typer.echo(f"{counts.actions:>13,} different multisets of actions that make up a turn")
    typer.echo(f"{seconds:>13.2f} seconds")
    numbers = {"results": counts.results, "actions": counts.actions}
    return {"position": state.line, **numbers, "seconds": seconds}


def count_by_depth(state: State, deepest: int) -> dict[str, Any]:
    """Count and print the sequences of 1, 2, ... actions."""
    import numpy as np
    from rich.console import Console

    from sandtable.dice import Dice

    rows = []
    start = np.array(state.position)  # a State's own array is read-only, another type to kernels
    terminal = Console(stderr=True)
    if state.game.chance:
        typer.echo("Dice are thrown with seed 0 along every sequence.")
    typer.echo(f"{'depth':>5} {'sequences':>18} {'seconds':>9}")
    for depth in range(1, deepest + 1):
        began = time.perf_counter()
        with terminal.status(f"counting to depth {depth} ..."):
            sequences = count_sequences(state.game, start, Dice(0).array, depth)
        seconds = time.perf_counter() - began
        typer.echo(f"{depth:>5} {sequences:>18,} {seconds:>9.2f}")
        rows.append({"depth": depth, "sequences": sequences, "seconds": seconds})
    return {"position": state.line, "seed": 0, "depths": rows}


def count_sequences(
    game: Game, position: NDArray[np.int16], dice: NDArray[np.uint64], depth: int
) -> int:
    """Count the sequences of so many legal actions; those that end the game earlier count not.

    Every branch goes on with its own copy of the dice, so the order of counting does not matter.
    """
    import numpy as np

    from sandtable.types import OVER

    if game.rules.turn(position) == OVER:
        return 0
    mask = np.zeros(game.action_count, dtype=np.bool_)
    count = int(game.rules.legal(position, mask))
    if depth == 1:
        return count
    total = 0
    for action in np.flatnonzero(mask):
        next_position, next_dice = position.copy(), dice.copy()
        game.rules.apply(next_position, int(action), next_dice)
        total += count_sequences(game, next_position, next_dice, depth - 1)
    return total
