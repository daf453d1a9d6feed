"""How the puzzles of a game are made: who plays, who judges, and what is worth asking.

A game brings its own plan as an entry point in the group ``sandtable.puzzles``, under its name: a
``PuzzlePlan``. One without it gets the general plan, with agents that play any game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandtable.arena.statistics.intervals import LEAST_FOR_MANY
from sandtable.errors import SandtableError
from sandtable.puzzles.judge import Judge
from sandtable.puzzles.puzzle import closing_action
from sandtable.puzzles.rollouts import PolicyJudge
from sandtable.registry import load, registered
from sandtable.types import Game, State

__all__ = ["GROUP", "PuzzlePlan", "asked_moves", "general_plan", "judges_of", "plan_of", "task_of"]

GROUP = "sandtable.puzzles"  # entry points: a game's name -> its PuzzlePlan

JudgeMaker = Callable[[Game], Judge]
SHARE_OF_SCORES = 0.04  # of all possible scores: the margin of a general puzzle without winners


def everything(state: State) -> bool:
    """Let every position be asked about."""
    return True


def nothing_obvious(state: State, action: int) -> bool:
    """Let every answer count."""
    return False


def no_words(state: State) -> str:
    """Leave the words to the general ones."""
    return ""


@dataclass(frozen=True)
class PuzzlePlan:
    """How the puzzles of one game are found and judged.

    >>> PuzzlePlan({"": "random"}, judge=None, second=None).margin
    0.1
    """

    players: Mapping[str, str]  # seat -> spec, "" for all others: whose games are searched
    judge: JudgeMaker | None
    second: JudgeMaker | None  # must agree
    games: tuple[str, ...] = ()  # specs that are played in turn; (): the one asked for
    slips: float = 0.1  # share of the players' actions that are drawn at random: games then differ
    margin: float = 0.1  # by which the best move has to be ahead, at least
    samples: int = 512  # games played on after each of the best moves
    second_samples: int = 256
    first_samples: int = 32  # after every legal move, in a first round
    screen: str | None = None  # an agent whose ``analyse`` says first where it is worth looking
    screen_margin: float = 0.1  # in the values of that agent
    share: float = 0.5  # of the decisions that are looked at
    apart: int = 6  # actions between two puzzles of a game, at least
    most_of_a_game: int = 3
    asks: Callable[[State], bool] = everything  # whether a decision is one for people
    obvious: Callable[[State, int], bool] = nothing_obvious  # whether an answer is too easy
    words: Callable[[State], str] = no_words  # the task, if not the general one

    def __post_init__(self) -> None:
        for name in ("samples", "second_samples"):
            if getattr(self, name) < LEAST_FOR_MANY:
                raise SandtableError(
                    f"{name}={getattr(self, name)} of a plan of puzzles: so few show nothing with "
                    f"99% certainty; take {LEAST_FOR_MANY} or more"
                )


def plan_of(game: Game) -> PuzzlePlan:
    """Return how puzzles of a game are made.

    >>> from sandtable.registry import make_game
    >>> plan_of(make_game("lucid")).margin > 0
    True
    """
    if game.name not in registered(GROUP):
        return general_plan(game)
    plan = load(GROUP, "plan of puzzles", game.name)
    if not isinstance(plan, PuzzlePlan):
        raise SandtableError(f"the puzzles of '{game.name}' are no PuzzlePlan")
    return plan


def general_plan(game: Game) -> PuzzlePlan:
    """Return a plan for any game: tree searches play, and judge by how their games end."""
    search = "ismcts" if game.hidden else "mcts"
    low, high = game.score_bounds[0]

    def judge(asked: Game) -> Judge:
        return PolicyJudge(asked, {"": f"{search}:simulations=64"}, slips=0.05)

    def second(asked: Game) -> Judge:
        return PolicyJudge(asked, {"": "montecarlo:samples=16"}, slips=0.05)

    return PuzzlePlan(
        {"": f"{search}:simulations=200"},
        judge,
        second,
        margin=0.15 if game.has_winner else SHARE_OF_SCORES * (high - low),
        samples=256,
        second_samples=256,
        share=1.0,
        apart=1,
    )


def judges_of(plan: PuzzlePlan, game: Game) -> tuple[Judge, Judge]:
    """Return both judges of a game."""
    assert plan.judge is not None and plan.second is not None
    return plan.judge(game), plan.second(game)


def task_of(plan: PuzzlePlan, state: State, closes: bool) -> str:
    """Say what is to be found in a position, for somebody who has never seen the game.

    >>> from sandtable.registry import make_game
    >>> game = make_game("skirmish")
    >>> task_of(plan_of(game), game.start(), closes=False)
    'find the best move'
    """
    usual = (
        "give the one order that is missing, or end the turn" if closes else "find the best move"
    )
    return plan.words(state) or usual


def asked_moves(state: State, closes: bool) -> list[tuple[int, ...]]:
    """Return what can be answered: every legal action, with the end of the turn if it closes.

    >>> from sandtable.registry import make_game
    >>> len(asked_moves(make_game("skirmish").start(), False)[0])
    1
    """
    closing: Any = closing_action(state.game)
    return [
        (action, closing) if closes and action != closing else (action,) for action in state.legal
    ]
