"""Checking: every puzzle of a file is judged again, with other dice or by another judge.

All its moves are tried, not only those that came near the best when it was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sandtable.dice import Dice
from sandtable.puzzles.judge import Found, Judge, compared, find_best
from sandtable.puzzles.plan import asked_moves, judges_of, plan_of
from sandtable.puzzles.puzzle import Judgement, Puzzle
from sandtable.puzzles.rollouts import PolicyJudge
from sandtable.registry import make_game
from sandtable.types import Game

__all__ = ["CheckedPuzzle", "check_puzzles"]

CHECKING = "puzzle checking"
LEAST_SHARE = 0.5  # of its margin that a puzzle must have again


@dataclass(frozen=True)
class CheckedPuzzle:
    """What became of a puzzle when it was judged again.

    >>> CheckedPuzzle(1, None, None, "two moves are as good").holds
    False
    """

    number: int  # in its file, from 1
    puzzle: Puzzle | None
    judgement: Judgement | None  # None: it does not hold
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether the same move is clearly the best again."""
        return self.judgement is not None


def check_puzzles(
    puzzles: Sequence[Puzzle],
    *,
    seed: int = 1,
    samples: int | None = None,
    second: bool = False,
    agent: str | None = None,
) -> Iterator[CheckedPuzzle]:
    """Judge puzzles again: by the first judge of their game, the ``second``, or an ``agent``.

    ``samples`` is how many games are played on after each of the best moves (None: as many as when
    they were mined).
    """
    made: dict[str, Judge] = {}
    choose = judge_maker(second, agent)
    for number, puzzle in enumerate(puzzles, start=1):
        if puzzle.game not in made:
            made[puzzle.game] = choose(make_game(puzzle.game))
        dice = Dice(seed, CHECKING, number)
        yield checked(number, puzzle, made[puzzle.game], samples, dice)


def judge_maker(second: bool, agent: str | None) -> Callable[[Game], Judge]:
    """Return what makes the judge of a game."""

    def make(game: Game) -> Judge:
        if agent is not None:
            return PolicyJudge(game, {"": agent})
        return judges_of(plan_of(game), game)[1 if second else 0]

    return make


def checked(
    number: int, puzzle: Puzzle, judge: Judge, samples: int | None, dice: Dice
) -> CheckedPuzzle:
    """Judge one puzzle again."""
    plan, state = plan_of(make_game(puzzle.game)), puzzle.state
    moves = asked_moves(state, puzzle.closes)
    names = [state.game.notation.action_name(move[0]) for move in moves]
    best = names.index(puzzle.best)
    count = samples or plan.samples
    wanted = LEAST_SHARE * plan.margin
    found = find_best(judge, state, moves, wanted, count, dice, plan.first_samples)
    if found is None:  # say what is wrong with it: the move, or only how sure that is
        means = np.array([puzzle.values[name] for name in names])
        again: Found | None = compared(judge, state, moves, best, means, wanted, count, dice)
        if again is None:
            problem = f"{puzzle.best} is not clearly better than all others"
            return CheckedPuzzle(number, puzzle, None, problem)
        found = again
    if found.best != best:
        problem = f"{names[found.best]} is better than {puzzle.best}"
        return CheckedPuzzle(number, puzzle, None, problem)
    return CheckedPuzzle(number, puzzle, found.judgement)
