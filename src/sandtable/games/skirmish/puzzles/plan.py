"""How the puzzles of Skirmish are made: the champion plays, screens and judges."""

from __future__ import annotations

import functools

from sandtable.dice import Dice
from sandtable.games.skirmish.puzzles.judge import SearchJudge
from sandtable.puzzles.judge import Judge
from sandtable.puzzles.plan import PuzzlePlan
from sandtable.types import Game, State

__all__ = ["PLAN"]

QUICK_MARGIN = 0.12
LEAST_CHANCE = 0.05  # after the best move: below it the game is lost


def judge(game: Game) -> Judge:
    """Look at many futures with a small search."""
    return SearchJudge(half_turns=4, budget=80, slips=0.15)


def second(game: Game) -> Judge:
    """Look farther, at fewer futures, with a larger search."""
    return SearchJudge(half_turns=8, budget=150, slips=0.1)


@functools.cache
def quick_judge() -> SearchJudge:
    """Return the judge of a first look: a small search after each move, nothing played on."""
    return SearchJudge(half_turns=0, budget=80, slips=0.0)


def asks(state: State) -> bool:
    """Ask where a first look sees one move ahead, and the game is not decided."""
    moves = [(action,) for action in state.legal]
    if len(moves) < 3:
        return False
    chances = sorted(quick_judge().results(state, moves, 1, Dice(1))[0])
    return bool(chances[-1] - chances[-2] >= QUICK_MARGIN and chances[-1] > LEAST_CHANCE)


PLAN = PuzzlePlan(
    players={"": "skirmish/champion:budget=200,search=first"},
    judge=judge,
    second=second,
    games=("skirmish", *(f"skirmish:level={number}" for number in range(2, 8))),
    slips=0.1,
    margin=0.1,
    samples=64,
    second_samples=52,
    first_samples=8,
    share=0.7,
    apart=8,
    asks=asks,
)
