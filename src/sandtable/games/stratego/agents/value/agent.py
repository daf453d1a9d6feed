"""Strategy 2 of the 2015 paper: minimax over sampled positions with the values of a network.

With ``follow`` the moves of strategy 1 are followed in the samples instead of a search
(rollout.py). See docs/games/stratego/value.md. Playing needs onnxruntime alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, Candidate
from sandtable.dice import Dice
from sandtable.games.stratego.agents.board_networks import (
    VALUES,
    SeenBoards,
    check_variant,
    open_for,
    variant_of,
)
from sandtable.games.stratego.agents.classic_board import set_up, weights_file
from sandtable.games.stratego.agents.policy.agent import Policy
from sandtable.games.stratego.agents.square_codes import write_planes
from sandtable.games.stratego.agents.value import search as value_search
from sandtable.games.stratego.agents.value.hand_made import hand_made_values
from sandtable.games.stratego.agents.value.rollout import (
    MOST_FOLLOWED,
    MOST_TRIED,
    FollowedMoves,
    Rollout,
)
from sandtable.games.stratego.layout import CLASSIC, VARIANT_NAMES, setting_up
from sandtable.games.stratego.rules.kernels import guess
from sandtable.types import Game, State

__all__ = ["Value"]

MOST_PLIES, MOST_SAMPLES = 8, 1000
LEAVES = ("seen", "open")
EVALUATIONS = ("network", "pieces")
MOST_CANDIDATES = 8  # of an analysis


class Value(Agent):
    """Stratego; a search with a value network (2015 paper).

    A search has ``samples``, ``depth`` plies with all moves and ``attacks`` more with attacks
    alone, within ``seconds`` if that is not 0; ``contempt``, ``haste`` and ``fading`` keep it from
    draws, and ``leaves`` are shown as seen or open. With ``follow`` the likeliest ``moves`` are
    followed so far instead, and ``guide`` is how much their chances count. ``evaluation`` is the
    network or ``pieces``, made by hand. ``weights=value`` is the network of the variant played.

    >>> Value(weights="loop", samples=32).path.name
    'loop.onnx'

    Raises ValueError for options out of range, SandtableError for weights that cannot be read.
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "a bundled network by its name, or a file",
        "depth": "plies with all moves",
        "attacks": "plies more with attacks alone",
        "samples": "guesses of what is hidden",
        "seconds": "time for a move; 0: no limit",
        "contempt": "how much worse than even a draw is taken to be",
        "haste": "how much a game without attacks loses in value",
        "leaves": "how positions are shown to the network: seen, or open",
        "follow": "plies along which the likeliest moves are followed instead; 0: none",
        "moves": "how many of them",
        "guide": "how much their chances count",
        "fading": "let values move towards a draw while nobody attacks",
        "evaluation": "what values positions: network, or pieces, made by hand",
    }

    adviser_rank = 1

    def __init__(
        self,
        weights: str = "value",
        depth: int = 1,
        attacks: int = 2,
        samples: int = 16,
        seconds: float = 0.0,
        contempt: float = 0.5,
        haste: float = 0.2,
        leaves: str = "seen",
        follow: int = 0,
        moves: int = 5,
        guide: float = 0.05,
        fading: bool = True,
        evaluation: str = "network",
    ) -> None:
        if not (depth >= 1 and attacks >= 0 and depth + attacks <= MOST_PLIES):
            raise ValueError(
                f"depth is 1 or more and attacks 0 or more, together at most {MOST_PLIES}; got "
                f"depth {depth} and attacks {attacks}"
            )
        if not 1 <= samples <= MOST_SAMPLES:
            raise ValueError(f"samples is from 1 to {MOST_SAMPLES}, got {samples}")
        if not seconds >= 0:
            raise ValueError(f"seconds is 0 (no limit) or more, got {seconds}")
        if not -1 <= contempt <= 1:
            raise ValueError(f"contempt is from -1 to 1, got {contempt}")
        if not 0 <= haste <= 1:
            raise ValueError(f"haste is from 0 to 1, got {haste}")
        if leaves not in LEAVES:
            raise ValueError(f"leaves is {' or '.join(LEAVES)}, got '{leaves}'")
        if not 0 <= follow <= MOST_FOLLOWED:
            raise ValueError(f"follow is from 0 to {MOST_FOLLOWED}, got {follow}")
        if not 1 <= moves <= MOST_TRIED:
            raise ValueError(f"moves is from 1 to {MOST_TRIED}, got {moves}")
        if not 0 <= guide <= 1:
            raise ValueError(f"guide is from 0 to 1, got {guide}")
        if follow and (depth, attacks) != (1, 2):
            raise ValueError("depth and attacks are for a search, which follow takes the place of")
        if evaluation not in EVALUATIONS:
            raise ValueError(f"evaluation is {' or '.join(EVALUATIONS)}, got '{evaluation}'")
        self.weights, self.by_hand, self.variant = weights, evaluation == "pieces", CLASSIC
        self.network = SeenBoards(weights_file(weights, "value"), VALUES, "stratego/value")
        self.depth, self.attacks, self.samples = depth, attacks, samples
        self.seconds, self.open_leaves = seconds, leaves == "open"
        self.draws = {"draw_value": -contempt, "haste": haste, "fading": int(fading)}
        self.follow, self.tried, self.guide = follow, moves, guide
        self.evaluate: value_search.Evaluate = self.value_boards
        self.followed: FollowedMoves | None = None  # what the last move was chosen from
        self.make_room(Policy() if follow else None)

    @property
    def path(self) -> Path:
        """The file of the network."""
        return self.network.path

    def make_room(self, player: Policy | None) -> None:
        """Take memory for searches on the board of the network, or for following a player."""
        squares = self.network.side * self.network.side
        self.search = value_search.new_search(self.samples, self.depth + self.attacks, squares)
        self.control = self.search.controls[0]
        for name, value in self.draws.items():
            self.control[name] = value
        shape = len(self.search.wanted), *self.network.shape
        self.planes = np.empty(shape, dtype=np.float32)
        following = self.follow, self.tried, self.guide
        self.rollout = Rollout(self.search, self.samples, *following, player) if player else None

    def value_boards(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of boards to the seat of the search."""
        if self.by_hand:
            return hand_made_values(planes, self.variant)
        return self.network.run(planes, int(self.control["seat"]))

    def weight_files(self) -> list[Path]:
        """Return the files it plays with: of values, and of moves if it follows them."""
        return [self.path, *(self.rollout.player.weight_files() if self.rollout else ())]

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Search as for a move, and the best moves to their ends: means over the samples."""
        if setting_up(np.array(view.position)):
            return Analysis(self.scale, None)
        chosen = self.choose(view, dice)
        if self.rollout is not None and self.followed is not None:
            return analysis_of_followed(self.rollout, self.followed)
        search = self.search
        order = sorted(range(self.control["moves"]), key=lambda index: -float(search.means[index]))
        played = [index for index in order if search.moves[0, index] == chosen]
        candidates = [
            Candidate((int(search.moves[0, index]),), 0.5 + 0.5 * self.exact_value(index))
            for index in dict.fromkeys(played + order[:MOST_CANDIDATES])
        ]
        candidates.sort(key=lambda candidate: -(candidate.value or 0.0))
        return Analysis(self.scale, candidates[0].value, tuple(candidates))

    @staticmethod
    def has_opinion(view: State) -> bool:
        """It has none while sides are set up."""
        return not setting_up(np.array(view.position))

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse a game for whose board there is no network."""
        check_variant("value", game)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Take the network of the variant, if none was named; refuse a board it does not fit."""
        self.variant = VARIANT_NAMES.index(variant_of(game))
        before, self.network = (
            self.network,
            open_for("value", self.weights, game, self.network, VALUES),
        )
        player = self.rollout.player if self.rollout else None
        if player is not None:
            player.begin(game, seat, dice)
        if self.network is not before:
            self.make_room(player)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Draw samples, search them or follow moves there, and return the best on average."""
        position = np.array(view.position)
        if setting_up(position):
            return set_up(position, dice)
        seat = view.turn
        deadline = time.monotonic() + self.seconds if self.seconds else None
        for sample in range(self.samples):
            self.search.samples[sample] = position
            guess(self.search.samples[sample], seat, dice.array)
        if self.rollout is not None:
            self.control["seat"], self.control["open_ranks"] = seat, int(self.open_leaves)
            self.followed = self.rollout.run(position, self.evaluate, deadline)
            return self.rollout.best(self.followed)
        if deadline is None:
            return self.think(seat, self.samples, None)
        chosen, samples = -1, 1  # ever more samples while there is time
        while chosen < 0 or time.monotonic() < deadline:
            move = self.think(seat, samples, deadline if chosen >= 0 else None)
            chosen = move if move >= 0 else chosen
            if samples == self.samples:
                break
            samples = min(2 * samples, self.samples)
        return chosen

    def think(self, seat: int, samples: int, deadline: float | None) -> int:
        """Search the first samples; return the move found, or -1 if the time was over before."""
        search = self.search
        value_search.prepare(search, seat, samples, self.depth, self.attacks, int(self.open_leaves))
        while True:
            value_search.run(search)
            if self.control["wanted"] == 0:
                return int(search.moves[0, self.control["choice"]])
            if deadline is not None and time.monotonic() > deadline:
                return -1
            self.supply()

    def supply(self) -> None:
        """Let the network value all boards that the search wants to know."""
        wanted = int(self.control["wanted"])
        write_planes(self.search.wanted, wanted, self.planes)
        values = value_search.evaluate_boards(self.evaluate, self.planes[:wanted])
        value_search.supply(self.search, values)

    def exact_value(self, index: int) -> float:
        """Search one move of the root to its end, whatever the others are worth."""
        while True:
            value = float(value_search.search_move(self.search, index, -value_search.FAR))
            if self.control["wanted"] == 0:
                return float(np.clip(value, -1.0, 1.0))
            self.supply()

    @property
    def valued(self) -> int:
        """How many boards the network valued for the last move."""
        return int(self.control["valued"])


def analysis_of_followed(rollout: Rollout, followed: FollowedMoves) -> Analysis:
    """Return the moves that were followed, those in all samples first, and the best of them."""
    scores = rollout.scores(followed)
    scores[followed.finalists] += value_search.FAR
    candidates = tuple(
        Candidate(
            (int(followed.moves[index]),),
            float(0.5 + 0.5 * followed.values[index]),
            float(np.exp(followed.chances[index])),
        )
        for index in np.argsort(-scores, kind="stable")[:MOST_CANDIDATES]
    )
    return Analysis("chance", candidates[0].value, candidates)
