"""``sandtable explain``: how an agent comes to its move in a position."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import complete_agent, complete_game, new_command, write_text
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.types import Game, State

STARTS_TRIED = 64  # where a coin says who begins

command = new_command()


@command.command()
def explain(
    agent: str = typer.Argument(..., help="The agent.", autocompletion=complete_agent),
    position: list[str] | None = typer.Argument(
        None, help="A position in one line.", show_default="a starting position"
    ),
    moves: str = typer.Option("", "--moves", "-m", help="Play these actions first."),
    seed: int = typer.Option(0, "--seed", "-s", help="Of the dice, the agent's included."),
    out: Path | None = typer.Option(
        None, "--out", "-o", help="Draw the explanation into this file (.svg)."
    ),
    game: str | None = typer.Option(
        None, "--game", "-g", help="For an agent that plays any game.", autocompletion=complete_game
    ),
) -> None:
    """Tell how an agent comes to its move: what it sees, what it weighs, what it decides.

    Examples:

      sandtable explain lucid/constraint-blue

      sandtable explain lucid/semantic "r2,r3,1,r3,r2/5/b3,b3,1,b3,b3/1,b1,3/1,b1,2,b1 b 5 0 -"

      sandtable explain lucid/imitation-4 --out why.svg

      sandtable explain montecarlo:samples=200 --game skirmish --out why.svg
    """
    from sandtable.agents.explanations import can_explain, explanation
    from sandtable.cli.show import position_wanted
    from sandtable.cli.waiting import said_meanwhile
    from sandtable.dice import Dice
    from sandtable.registry import agent_game, check_seat, make_agent, make_game
    from sandtable.specs import parse_spec
    from sandtable.types import OVER

    name = parse_spec(agent).name
    made = make_agent(agent)
    own = agent_game(name)
    if not can_explain(made):
        raise SandtableError(f"'{name}' does not explain its moves; {able()}")
    if game is None and own is None:
        raise SandtableError(f"'{name}' plays any game: name one with --game GAME")
    if game is not None and own not in (None, parse_spec(game).name):
        raise SandtableError(f"'{name}' plays {own}, not {game}")
    if out is not None and out.suffix.lower() != ".svg":
        raise SandtableError(f"the explanation is drawn as SVG: end '{out.name}' in .svg")
    rules = make_game(game or str(own))
    state, _ = position_wanted(rules, position or [], moves, seed, None)
    if not position and not moves:
        state = start_for(rules, made.seats or rules.seats, state)
    if state.turn == OVER:
        raise SandtableError(f"the game is over in {state.line}; there is nothing to explain")
    check_seat(rules, rules.seats[state.turn], parse_spec(agent))
    with said_meanwhile(f"{name} thinks ..."):
        told = explanation(made, state.view(state.turn), Dice(seed, f"agent {state.turn}"))
    if told is None:
        raise SandtableError(f"'{name}' does not explain its moves; {able()}")
    typer.echo(told.text)
    if out is not None:
        write_text(out, told.svg + "\n")
        typer.echo(f"Drawn: {out}")


def start_for(game: Game, seats: Sequence[str], state: State) -> State:
    """Return a start in which one of the seats moves first: this one, or the first found."""
    from sandtable.dice import Dice

    for seed in range(STARTS_TRIED):
        if game.seats[state.turn] in seats:
            break
        state = game.start(Dice(seed))
    return state


def able() -> str:
    """Say which agents explain their moves."""
    from sandtable.agents.explanations import can_explain
    from sandtable.registry import agent_factory, agent_names

    found = []
    for name in agent_names():
        try:
            if can_explain(agent_factory(name)):
                found.append(name)
        except SandtableError:
            continue  # a plug-in that cannot be loaded
    return f"these do: {', '.join(found)}"
