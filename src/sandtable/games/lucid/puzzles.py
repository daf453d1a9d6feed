"""How the puzzles of Operation Lucid are made: all orders of a turn but one are given.

The champions play, and judge by how their games end; the second judge lets AxesRed defend.
"""

from __future__ import annotations

from sandtable.puzzles.judge import Judge
from sandtable.puzzles.plan import PuzzlePlan
from sandtable.puzzles.rollouts import PolicyJudge
from sandtable.types import Game, State

__all__ = ["PLAN"]

FIRST_TURN = 9


def judge(game: Game) -> Judge:
    """Let both champions play on, without looking a turn ahead."""
    return PolicyJudge(
        game,
        {
            "blue": "lucid/champion-blue:candidates=0,tries=1,weights=axes-red",
            "red": "lucid/champion-red:candidates=0,tries=1,weights=early-red",
        },
    )


def second(game: Game) -> Judge:
    """Let other agents play on."""
    return PolicyJudge(
        game,
        {
            "blue": "lucid/champion-blue:candidates=0,tries=1,weights=axes-red",
            "red": "lucid/axes-red",
        },
    )


def obvious(state: State, action: int) -> bool:
    """Leave out steps into the goal, which nobody has to think about."""
    return state.game.notation.action_name(action).endswith("-goal")


def words(state: State) -> str:
    """Say what is asked for."""
    return "one order of this turn is missing; give it, or end the turn"


def asks(state: State) -> bool:
    """Leave out the opening, in which no single order decides much."""
    return int(state.line.split()[2]) >= FIRST_TURN


PLAN = PuzzlePlan(
    players={
        "blue": "lucid/champion-blue:candidates=0,weights=axes-red",
        "red": "lucid/champion-red:candidates=0,weights=early-red",
    },
    judge=judge,
    second=second,
    margin=0.3,
    samples=192,
    second_samples=120,
    first_samples=16,
    share=0.8,
    apart=1,
    most_of_a_game=4,
    asks=asks,
    obvious=obvious,
    words=words,
)
