"""One move that does not count, before the clock is set: nobody loses a game to the compiler.

Some agents compile or load what they need when they first think, which can take longer than a move
may. So in every process each agent first makes one move in a game that is then broken off, with
more time than usual. What happens there has no consequences: an agent that fails in it will fail
in a game that counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandtable.agent import Adopted, Agent
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.interrupts import remembered_interrupts
from sandtable.dice import Dice
from sandtable.errors import StopGame
from sandtable.registry import make_agent
from sandtable.specs import parse_spec
from sandtable.types import Game, State

__all__ = ["WITHOUT", "first_move_time", "rehearse"]

FIRST_TIMES = 3.0  # longer may the first move of an agent take
LEAST_SECONDS = 60.0  # for a first move, however short the others are
WITHOUT = ("human", "external", "model")  # people, and programs that have a clock of their own


def first_move_time(move_time: float) -> float:
    """Return how long an agent may think about its first move in a process."""
    return max(FIRST_TIMES * move_time, LEAST_SECONDS)


class OneMove(Adopted):
    """An agent that breaks the game off as soon as it has chosen."""

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Let the agent think, and stop."""
        super().choose(view, dice)
        raise StopGame


def rehearse(game: Game, spec: str, agent: Agent, seat: int, move_time: float) -> None:
    """Let an agent make one move in a seat; the others play at random until it is to act."""
    if parse_spec(spec).name in WITHOUT:
        return
    seated: list[Agent] = [make_agent("random") for _ in game.seats]
    seated[seat] = OneMove(agent)
    specs = ["random"] * len(seated)
    with remembered_interrupts():
        play_game(game, seated, specs=specs, seed=0, number=0, move_time=first_move_time(move_time))
