"""Strategy 2 of the 2015 paper: minimax over sampled positions with the values of a network.

With ``follow`` the moves of strategy 1 are followed in the samples instead of a search
(rollout.py). See docs/games/stratego/value.md. Playing needs onnxruntime alone.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from sandtable.agent import Agent, Analysis, Candidate
from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.dice import Dice
from sandtable.games.stratego.agents.classic_board import check_large_board, set_up, weights_file
from sandtable.games.stratego.agents.square_codes import PLANE_SHAPE, write_planes
from sandtable.games.stratego.agents.value import search as value_search
from sandtable.games.stratego.agents.value.rollout import (
    MOST_FOLLOWED,
    MOST_TRIED,
    FollowedMoves,
    Rollout,
)
from sandtable.games.stratego.layout import setting_up
from sandtable.games.stratego.rules.kernels import guess
from sandtable.types import Game, State

__all__ = ["Value"]

MOST_PLIES, MOST_SAMPLES = 8, 1000
LEAVES = ("seen", "open")
MOST_CANDIDATES = 8  # of an analysis


def load_values(path: Path) -> value_search.Evaluate:
    """Return the network of this file."""
    network = OnnxNetwork(path, PLANE_SHAPE, {"values": ()}, "stratego/value")
    return lambda planes: network.run(planes)[0]


class Value(Agent):
    """Stratego on the large board; a search with a value network (2015 paper).

    A search has ``samples``, ``depth`` plies with all moves and ``attacks`` more with attacks
    alone, within ``seconds`` if that is not 0; ``contempt`` and ``haste`` keep it from draws, and
    ``leaves`` are shown as seen or open. With ``follow`` the likeliest ``moves`` are followed so
    far instead, and ``guide`` is how much their chances count.

    >>> Value(weights="loop", samples=32).path.name
    'loop.onnx'

    Raises ValueError for options out of range, SandtableError for weights that cannot be read.
    """

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
        self.path = weights_file(weights, "value")
        self.evaluate = load_values(self.path)
        self.depth, self.attacks, self.samples = depth, attacks, samples
        self.seconds, self.open_leaves = seconds, leaves == "open"
        self.search = value_search.new_search(samples, depth + attacks)
        self.control = self.search.controls[0]
        self.control["draw_value"], self.control["haste"] = -contempt, haste
        self.planes = np.empty((len(self.search.wanted), *PLANE_SHAPE), dtype=np.float32)
        self.rollout = Rollout(self.search, samples, follow, moves, guide) if follow else None
        self.followed: FollowedMoves | None = None  # what the last move was chosen from

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
    def suits(game: Game) -> None:
        """Refuse a game whose board the network does not know."""
        check_large_board("stratego/value", game)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse such a game here too."""
        self.suits(game)

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
