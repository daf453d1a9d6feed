"""A fixed agent as the opponent inside kernels: by its compiled policy, or asked in Python.

An agent without a policy is asked from compiled code, one view after the other and each time as if
a game began: what it remembers of a game is lost to it there.
"""

# Kernels call these; files that name sandtable.compiled are watched for edits.

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numba import njit, objmode
from numpy.typing import NDArray

from sandtable.agent import Agent, CompiledPolicy
from sandtable.dice import Dice
from sandtable.types import Game, Position, State

__all__ = ["opponent_policy"]

ASKED: dict[int, tuple[Agent, Game]] = {}  # agents that are asked in Python, by their numbers
NUMBERS = itertools.count()


def opponent_policy(agent: Agent, game: Game) -> CompiledPolicy:
    """Return a way for kernels to let an agent act, whatever it is.

    >>> from sandtable.registry import make_agent, make_game
    >>> policy = opponent_policy(make_agent("random"), make_game("lucid"))
    >>> len(policy.memory) > 0
    True
    """
    policy = agent.policy(game)
    if policy is not None:
        return policy
    number = next(NUMBERS)
    ASKED[number] = agent, game
    return CompiledPolicy(act_in_python, constants=np.array([number], dtype=np.int64))


def asked(view: Position, dice: NDArray[np.uint64], number: int, actions: NDArray[np.int16]) -> int:
    """Ask an agent for its turn."""
    agent, game = ASKED[number]
    state = State(game, view)
    seat = state.turn
    stream = Dice.__new__(Dice)
    stream.array = dice
    agent.begin(game, seat, stream)
    chosen = agent.choose(State(game, view, seat), stream)
    turn = [chosen] if isinstance(chosen, (int, np.integer)) else list(chosen)
    turn = turn[: len(actions)]
    actions[: len(turn)] = turn
    return len(turn)


@njit  # type: ignore[untyped-decorator]
def act_in_python(
    view: Position,
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: Any,
    actions: NDArray[np.int16],
) -> int:
    """Write the turn of an agent that has no kernel of its own."""
    number = constants[0]
    with objmode(count="int64"):
        count = asked(view, dice, number, actions)
    return count  # noqa: RET504 - nothing can be returned from inside
