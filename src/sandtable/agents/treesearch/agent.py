"""The agents that search any game with a tree of simulations: ``mcts`` and ``ismcts``.

See docs/methods/treesearch.md for what they do and what their options are worth.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, Candidate, CompiledPolicy, Scale
from sandtable.agents.alphabeta.hints import evaluation_named, hints_for
from sandtable.agents.treesearch.search import (
    SearchOptions,
    TreeSearch,
    chosen_action,
    root_of,
    tree_search_of,
)
from sandtable.agents.treesearch.tree import (
    UNIT,
    clear_if_crowded,
    find_decision,
    memory_words,
    prepare,
    tree_words,
    view_key,
)
from sandtable.dice import Dice
from sandtable.errors import WrongSeats
from sandtable.types import Game, State

__all__ = ["InformationSetTreeSearch", "TreeSearcher"]

USUAL_SIMULATIONS = 1000
MOST_SIMULATIONS = 10_000_000
SIMULATIONS_BY_CLOCK = 200_000  # room for so many, where only the clock ends a search
SECONDS_PER_SLICE = 0.002  # between looks at the clock, about


def check_open(game: Game) -> None:
    """Refuse games with secrets."""
    if game.hidden:
        raise WrongSeats(
            f"'mcts' plays games without secrets; {game.name} has hidden information: use 'ismcts'"
        )


class InformationSetTreeSearch(Agent):
    """Any game, secrets, dice and any number of seats; a tree over what each mover may know."""

    meanings: ClassVar[Mapping[str, str]] = {
        "simulations": "games tried for a move; left out: 1000, or no limit with seconds",
        "seconds": "time for a move; 0: no limit",
        "exploration": "how much is tried that looks worse so far",
        "longest": "random actions of a playout at most; 0: to the end of the game",
        "evaluation": "which of the game's evaluations values a playout that stops early",
        "bonus": "the most such a playout is worth, as a share of a win",
        "temperature": "draw moves by how often each was tried; 0: play the most tried",
        "keep": "go on with the tree of the move before",
    }

    def __init__(
        self,
        simulations: int | None = None,
        seconds: float = 0.0,
        exploration: float = 0.7,
        longest: int = 0,
        evaluation: str | None = None,
        bonus: float = 0.5,
        temperature: float = 0.0,
        keep: bool = True,
    ) -> None:
        """Search with so many ``simulations`` a move, or until ``seconds`` are over.

        ``exploration`` is how much is tried that looks worse so far. A playout has at most
        ``longest`` random actions (0: to the end of the game); one that stops earlier is worth its
        ``evaluation``, and never more than ``bonus`` of a win. With a ``temperature`` the move is
        drawn by how often each was tried; ``keep`` goes on with the tree of the move before.
        """
        if simulations is not None and not 1 <= simulations <= MOST_SIMULATIONS:
            raise ValueError(f"simulations is 1 to {MOST_SIMULATIONS}, got {simulations}")
        for name, value in (("seconds", seconds), ("exploration", exploration)):
            if not 0 <= value < float("inf"):
                raise ValueError(f"{name} is 0 or more, got {value}")
        if longest < 0:
            raise ValueError(f"longest is 0 (to the end) or more, got {longest}")
        if not 0 <= bonus <= 1:
            raise ValueError(f"bonus lies between 0 and 1, got {bonus}")
        if not 0 <= temperature <= 100:
            raise ValueError(f"temperature lies between 0 and 100, got {temperature}")
        self.seconds = seconds
        self.simulations = simulations or (MOST_SIMULATIONS if seconds else USUAL_SIMULATIONS)
        self.exploration, self.temperature = float(exploration), float(temperature)
        self.longest, self.evaluation, self.bonus = longest, evaluation, float(bonus)
        self.keep = keep
        self.done = 0  # simulations of the last decision
        self.hurried = False  # somebody wants an answer now
        self.tree: NDArray[np.int64] | None = None

    def options(self, game: Game) -> SearchOptions:
        """Return the options as kernels take them."""
        room = SIMULATIONS_BY_CLOCK if self.seconds else self.simulations
        slots, edges = memory_words(room, game.action_count)
        weights = np.array(evaluation_named(game, self.evaluation).weights, dtype=np.float64)
        return SearchOptions(
            self.simulations,
            self.exploration,
            self.longest or game.max_actions,
            self.bonus,
            self.temperature,
            slots,
            edges,
            weights,
        )

    def search(self, game: Game) -> TreeSearch:
        """Return the kernels for a game."""
        return tree_search_of(game, hints_for(game), evaluation_named(game, self.evaluation))

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the search as a kernel; none with a time limit, since kernels have no clock."""
        if self.seconds or not self.keep:
            return None
        options = self.options(game)
        words = tree_words(options.slots, options.edges)
        return CompiledPolicy(self.search(game).act, memory=(0,) * words, constants=options)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Forget the game before."""
        self.suits(game)
        self.tree = None

    def choose(self, view: State, dice: Dice) -> int:
        """Search in slices until the simulations or the time are used up."""
        game, began = view.game, time.perf_counter()
        self.hurried = False
        self.suits(game)
        compiled, options = self.search(game), self.options(game)
        position = np.array(view.position)
        moves = np.zeros(game.action_count, dtype=np.int64)
        self.done = 0
        if compiled.list_moves(position, moves) == 1:
            return int(moves[0])
        tree = self.tree
        words = tree_words(options.slots, options.edges)
        if tree is None or not self.keep or len(tree) != words:
            tree = self.tree = np.zeros(words, dtype=np.int64)
        prepare(tree, options.slots, options.edges)
        clear_if_crowded(tree, SIMULATIONS_BY_CLOCK if self.seconds else options.simulations)
        portion = 1  # slices change nothing about a search, but it can be ended between them
        while self.done < options.simulations:
            sliced = time.perf_counter()
            portion = min(portion, options.simulations - self.done)
            compiled.simulate(tree, position, dice.array, options, portion)
            self.done += portion
            now = time.perf_counter()
            if self.hurried or (self.seconds and now - began >= self.seconds):
                break
            if now - sliced < SECONDS_PER_SLICE:
                portion *= 2
        decision = find_decision(tree, view_key(position, view.turn))
        return int(chosen_action(tree, decision, options.temperature, dice.array))

    def hurry(self) -> None:
        """Answer after this slice."""
        self.hurried = True

    def analyse(self, view: State, dice: Dice) -> Analysis | None:
        """Return the moves with their mean results and how often each was tried."""
        chosen = self.choose(view, dice)
        game = view.game
        position: NDArray[Any] = np.array(view.position)
        edges = [] if self.tree is None else root_of(self.tree, position, view.turn)
        if not edges:
            return Analysis("own", None, (Candidate((chosen,)),))
        low, high = (0.0, 1.0) if game.has_winner else game.score_bounds[view.turn]
        tried = sum(visits for _, visits, _ in edges)
        candidates = tuple(
            Candidate((action,), low + (high - low) * total / (UNIT * visits), visits / tried)
            for action, visits, total in sorted(edges, key=lambda edge: edge[0] != chosen)
            if visits
        )
        scale: Scale = "chance" if game.has_winner else "score"
        return Analysis(scale, candidates[0].value, candidates)


class TreeSearcher(InformationSetTreeSearch):
    """Any game without secrets, dice and any number of seats; a tree of simulations."""

    suits = staticmethod(check_open)
