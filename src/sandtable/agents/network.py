"""The agent that plays any game with a network of ``sandtable train selfplay``.

Alone it plays what the network finds likeliest; with ``simulations`` the network guides a tree
search over what each mover may know. See docs/methods/selfplay.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, Candidate, Scale
from sandtable.agents.onnx_files import OnnxNetwork, check_file
from sandtable.agents.treesearch.guided import guided_search_of
from sandtable.agents.treesearch.improvement import improved_policy
from sandtable.agents.treesearch.rows import NOBODY, GuidedRows, new_rows
from sandtable.agents.treesearch.tree import (
    clear_if_crowded,
    find_decision,
    memory_words,
    prepare,
    tree_words,
    view_key,
)
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.types import Game, State

__all__ = ["Network", "NetworkAnswers"]

MOST_SIMULATIONS = 1_000_000


class NetworkAnswers:
    """A network opened for one game: what it makes of what a seat sees."""

    def __init__(self, path: Path, game: Game) -> None:
        outputs: dict[str, tuple[int, ...]] = {
            "policy": (game.action_count,),
            "value": (len(game.seats),),
        }
        self.network = OnnxNetwork(path, game.plane_shape, outputs, game.name)
        self.game = game
        self.seen_as = game.seen_actions()

    def about(
        self, planes: NDArray[np.float32], seat: int, mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return the share of every action, and how each seat will do, from 0 to 1."""
        policy, value = self.network.run(planes[np.newaxis])
        logits = policy[0][self.seen_as[seat]]
        logits[~mask] = -np.inf
        shares = np.exp(logits - logits.max())
        seats = len(self.game.seats)
        expected = np.zeros(seats)
        for step in range(seats):
            expected[(seat + step) % seats] = 1 / (1 + np.exp(-float(value[0][step])))
        return shares / shares.sum(), expected


class Network(Agent):
    """Any game; plays with a network of ``sandtable train selfplay``, alone or in a search."""

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "a file that 'sandtable train selfplay' has exported (needed)",
        "simulations": "look ahead by a tree search with so many; 0: play by the network alone",
        "temperature": "draw moves by their shares (1: as they are); 0: play the likeliest",
        "exploration": "how much the search tries that looks worse so far",
    }

    def __init__(
        self,
        weights: Path | None = None,
        simulations: int = 0,
        temperature: float = 0.0,
        exploration: float = 1.25,
    ) -> None:
        """Play with the ``weights`` in a file, as ``sandtable train selfplay`` exports them.

        With ``simulations`` a tree search looks ahead. With a ``temperature`` moves are drawn by
        their shares (1: as they are) instead of playing the likeliest.
        """
        if weights is None:
            raise SandtableError("'network' needs weights: network:weights=FILE")
        if not 0 <= simulations <= MOST_SIMULATIONS:
            raise ValueError(f"simulations is 0 to {MOST_SIMULATIONS}, got {simulations}")
        if not 0 <= temperature <= 100:
            raise ValueError(f"temperature lies between 0 and 100, got {temperature}")
        if not 0 <= exploration < float("inf"):
            raise ValueError(f"exploration is 0 or more, got {exploration}")
        self.weights, self.simulations = Path(weights), simulations
        self.temperature, self.exploration = float(temperature), float(exploration)
        self.answers: NetworkAnswers | None = None
        self.rows: GuidedRows | None = None
        self.hurried = False  # somebody wants an answer now

    def hurry(self) -> None:
        """Answer after this simulation."""
        self.hurried = True

    def weight_files(self) -> Sequence[Path]:
        """Return the file it plays with."""
        return (self.weights,)

    def check(self) -> None:
        """Find out whether there is a file; what is in it depends on the game."""
        check_file(self.weights)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Open the network for a game, and forget the game before."""
        self.opened(game)
        self.rows = None

    def opened(self, game: Game) -> NetworkAnswers:
        """Return the network for a game."""
        if self.answers is None or self.answers.game is not game:
            self.answers = NetworkAnswers(self.weights, game)
        return self.answers

    def thought(self, view: State, dice: Dice) -> tuple[NDArray[np.float32], float]:
        """Return the share of every action, and what the mover can expect, from 0 to 1."""
        answers, seat = self.opened(view.game), view.turn
        if not self.simulations:
            shares, expected = answers.about(view.planes(seat), seat, view.mask)
            return shares, float(expected[seat])
        rows = self.searched(view, dice, answers)
        tree, policy = rows.trees[0], rows.priors[0]
        value, _ = improved_policy(tree, find_decision(tree, view_key(rows.views[0], seat)), policy)
        return policy, value

    def searched(self, view: State, dice: Dice, answers: NetworkAnswers) -> GuidedRows:
        """Search from a view, going on with what is remembered."""
        self.hurried = False
        game = view.game
        slots, edges = memory_words(self.simulations, game.action_count)
        if self.rows is None:
            self.rows = new_rows(game, 1, tree_words(slots, edges))
            prepare(self.rows.trees[0], slots, edges)
        rows, compiled = self.rows, guided_search_of(game)
        clear_if_crowded(rows.trees[0], self.simulations)
        rows.views[0] = view.position
        rows.dice[0] = dice.array
        rows.left[0], rows.waiting[0] = self.simulations, False
        while rows.left[0] > 0:
            compiled.descend(rows, self.exploration, 0.0, 0, 1)
            if (seat := int(rows.movers[0])) != NOBODY:
                shares, expected = answers.about(rows.planes[0], seat, rows.masks[0])
                rows.priors[0], rows.values[0] = shares, expected
            compiled.add(rows, 0, 1)
            if self.hurried:
                break
        dice.array[:] = rows.dice[0]
        return rows

    def choose(self, view: State, dice: Dice) -> int:
        """Play the likeliest action, or one drawn by the shares."""
        if len(view.legal) == 1:
            return view.legal[0]
        shares, _ = self.thought(view, dice)
        if not self.temperature:
            return int(np.argmax(shares))
        weights = self.tempered(shares)
        left = dice.uniform() * float(weights.sum())
        place = int(np.searchsorted(np.cumsum(weights), left, side="right"))
        legal = np.flatnonzero(weights)
        return place if weights[min(place, len(weights) - 1)] > 0 else int(legal[-1])

    def chances(self, view: State) -> NDArray[np.float64] | None:
        """Return how likely each action is; with a search that depends on its dice."""
        if self.simulations and len(view.legal) > 1:
            return None
        shares = np.asarray(self.thought(view, Dice(0))[0], dtype=np.float64)
        if not self.temperature:
            return np.asarray(np.eye(len(shares))[int(np.argmax(shares))])
        weights = self.tempered(shares)
        return np.asarray(weights / weights.sum())

    def tempered(self, shares: NDArray[Any]) -> NDArray[Any]:
        """Return with which weights moves are drawn at this temperature."""
        return np.where(shares > 0, np.maximum(shares, 1e-12) ** (1 / self.temperature), 0.0)

    def analyse(self, view: State, dice: Dice) -> Analysis | None:
        """Return the actions by their shares, and what the mover can expect."""
        game = view.game
        shares, expected = self.thought(view, dice)
        low, high = (0.0, 1.0) if game.has_winner else game.score_bounds[view.turn]
        best = np.argsort(-shares, kind="stable")[: len(view.legal)]
        candidates = tuple(Candidate((int(each),), share=float(shares[each])) for each in best)
        scale: Scale = "chance" if game.has_winner else "score"
        return Analysis(scale, low + (high - low) * expected, candidates)
