"""The agent that searches any two-player game without dice or secrets with alpha-beta.

See docs/methods/alphabeta.md for what it does and what the published accounting is.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, Candidate, CompiledPolicy, Scale
from sandtable.agents.alphabeta.hints import evaluation_named, hints_for
from sandtable.agents.alphabeta.nodes import FINISHED
from sandtable.agents.alphabeta.search import Searcher, searcher
from sandtable.agents.alphabeta.tree import (
    BUDGET,
    DEEPEST,
    DONE,
    FINISHED_ITERATIONS,
    MOST_PLIES,
    PUBLISHED,
    STATES,
    USE_KILLERS,
    USE_TABLE,
    VALUE,
    Tree,
    entries_for,
    new_tree,
)
from sandtable.compiled import placeholder, specialise
from sandtable.dice import Dice
from sandtable.errors import WrongSeats
from sandtable.types import Game, State

__all__ = ["AlphaBeta"]

USUAL_BUDGET = 5000
ENDLESS = 1 << 62  # states or iterations, where something else ends the search
STATES_PER_SLICE = 2000  # between looks at the clock: about a millisecond
ORDERINGS = ("natural", "published")

# What the template below is specialised with.
prepare = search = choice = placeholder
CELLS = ACTION_COUNT = 0


class AlphaBetaOptions(NamedTuple):
    """The options of the agent, as its kernel takes them."""

    budget: int
    depth: int
    published: bool
    table: bool
    killers: bool
    weights: NDArray[np.float64]  # of the evaluation


def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: AlphaBetaOptions,
    actions: NDArray[np.int16],
) -> int:
    """Search the view to the end of the budget and write the one action that came out."""
    entries = entries_for(constants.budget) if constants.table else 1
    tree = new_tree(CELLS, ACTION_COUNT, entries)
    tree.numbers[BUDGET] = constants.budget
    tree.numbers[DEEPEST] = constants.depth
    tree.numbers[PUBLISHED] = constants.published
    tree.numbers[USE_TABLE] = constants.table
    tree.numbers[USE_KILLERS] = constants.killers
    prepare(tree, view)
    search(tree, constants.weights, dice, constants.budget + 1)
    actions[0] = choice(tree)
    return 1


@functools.cache
def act_in(compiled: Searcher, name: str, cells: int, action_count: int) -> Any:
    """Compile the template for one game and evaluation."""
    return specialise(
        act,
        name,
        prepare=compiled.prepare,
        search=compiled.search,
        choice=compiled.choice,
        CELLS=cells,
        ACTION_COUNT=action_count,
    )


def check_searchable(game: Game) -> None:
    """Refuse the games that alpha-beta is not made for."""
    obstacles = [
        (len(game.seats) != 2, f"has {len(game.seats)} seats"),
        (game.chance and not hints_for(game).dice_only_at_start, "has dice"),
        (game.hidden, "has hidden information"),
        (not game.zero_sum, "is not zero-sum"),
    ]
    for stands, what in obstacles:
        if stands:
            raise WrongSeats(
                f"'alphabeta' plays games of two seats without dice or secrets; {game.name} {what}"
            )


class AlphaBeta(Agent):
    """Two seats, no dice, no secrets; iterative deepening alpha-beta over a budget of states."""

    meanings: ClassVar[Mapping[str, str]] = {
        "budget": "positions looked at; left out: 5000, or no limit with seconds or depth",
        "seconds": "time for a move; 0: no limit",
        "depth": "plies to look ahead at most; 0: no limit",
        "evaluation": "which of the game's evaluations values leaves; left out: the usual one",
        "table": "remember positions that come up again",
        "killers": "try first what refuted the move before",
        "ordering": "natural, or published: the published program to the letter",
    }

    suits = staticmethod(check_searchable)
    scale: ClassVar[Scale] = "own"  # that of the evaluation

    def __init__(
        self,
        budget: int | None = None,
        seconds: float = 0.0,
        depth: int = 0,
        evaluation: str | None = None,
        table: bool = True,
        killers: bool = True,
        ordering: str = "natural",
    ) -> None:
        if budget is not None and budget < 1:
            raise ValueError(f"the budget is at least one state, got {budget}")
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"seconds is 0 (no limit) or more, got {seconds}")
        if not 0 <= depth <= MOST_PLIES:
            raise ValueError(f"depth is 0 (no limit) to {MOST_PLIES}, got {depth}")
        if ordering not in ORDERINGS:
            raise ValueError(f"ordering is {' or '.join(ORDERINGS)}, got '{ordering}'")
        self.published = ordering == "published"
        self.budget = budget or (ENDLESS if seconds or depth else USUAL_BUDGET)
        self.seconds = seconds
        self.depth = depth or (ENDLESS if self.published else MOST_PLIES)
        self.evaluation = evaluation
        self.table = table and not self.published
        self.killers = killers and not self.published
        self.hurried = False  # somebody wants an answer now
        self.states = 0  # positions the last search produced
        self.reached = 0  # iterations it finished
        self.value = 0.0  # of the root in its last iteration

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the search as a kernel; none with a time limit, since kernels have no clock."""
        check_searchable(game)
        if self.seconds:
            return None
        evaluation = evaluation_named(game, self.evaluation)
        compiled = searcher(game, hints_for(game), evaluation)
        weights = np.array(evaluation.weights, dtype=np.float64)
        name = compiled.search.py_func.__qualname__.partition(".")[2]
        acting = act_in(compiled, name, game.position_size, game.action_count)
        switches = (self.published, self.table, self.killers)
        options = AlphaBetaOptions(self.budget, self.depth, *switches, weights)
        return CompiledPolicy(acting, constants=options)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse a game that cannot be searched before it starts."""
        check_searchable(game)

    def choose(self, view: State, dice: Dice) -> int:
        """Search in slices until the budget or the time is used up."""
        game = view.game
        self.hurried = False
        check_searchable(game)
        began = time.perf_counter()
        evaluation = evaluation_named(game, self.evaluation)
        compiled = searcher(game, hints_for(game), evaluation)
        weights = np.array(evaluation.weights, dtype=np.float64)
        tree = self.new_tree(game)
        compiled.prepare(tree, np.array(view.position))
        while compiled.search(tree, weights, dice.array, STATES_PER_SLICE) != DONE:
            if self.hurried or (self.seconds and time.perf_counter() - began >= self.seconds):
                break
        self.states = int(tree.numbers[STATES])
        self.reached = int(tree.numbers[FINISHED_ITERATIONS])
        self.value = float(tree.bounds[0, VALUE])
        return int(compiled.choice(tree))

    def hurry(self) -> None:
        """Answer after this slice of states."""
        self.hurried = True

    def analyse(self, view: State, dice: Dice) -> Analysis | None:
        """Return every action with its value as deep as the search could finish, the best first.

        The one that ``choose`` plays comes first: where a budget broke off a deeper look, another
        may be as good as far as was seen.
        """
        chosen = self.choose(view, dice)
        deep = AlphaBeta(depth=max(self.reached - 1, 1), evaluation=self.evaluation)
        values = {action: deep.value_after(view, action, dice) for action in view.legal}
        best = sorted(values, key=lambda action: (action != chosen, -values[action]))
        candidates = tuple(Candidate((action,), values[action]) for action in best)
        return Analysis("own", values[chosen], candidates)

    def value_after(self, view: State, action: int, dice: Dice) -> float:
        """Return what an action is worth to the seat that is to move."""
        after = view.play(action, dice)
        if after.outcome is not None:
            return FINISHED * after.outcome.scores[view.turn]
        self.choose(after, dice)
        return (self.value if after.turn == view.turn else -self.value) + 0.0  # never minus zero

    def new_tree(self, game: Game) -> Tree:
        """Make the memory of one search with this agent's options."""
        entries = entries_for(self.budget) if self.table else 1
        tree: Tree = new_tree(game.position_size, game.action_count, entries)
        tree.numbers[BUDGET] = self.budget
        tree.numbers[DEEPEST] = self.depth
        tree.numbers[PUBLISHED] = self.published
        tree.numbers[USE_TABLE] = self.table
        tree.numbers[USE_KILLERS] = self.killers
        return tree
