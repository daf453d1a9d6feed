"""Strategy 2 of the 2015 paper: minimax over sampled positions with the values of a network.

With ``follow`` the moves of strategy 1 are followed in the samples instead of a search
(value_rollout). See docs/games/stratego/value.md. Playing needs onnxruntime alone.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from sandtable.agent import Agent, Analysis
from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.dice import Dice
from sandtable.games.stratego.agents.classic_board import check_large_board, set_up, weights_file
from sandtable.games.stratego.agents.square_codes import PLANE_SHAPE, write_planes
from sandtable.games.stratego.agents.value.analysis import analysis_of
from sandtable.games.stratego.agents.value.leaves import (
    CHOICE,
    DRAW_VALUE,
    HASTE,
    OPEN,
    SEAT,
    VALUED,
    WANTED,
    Evaluate,
    evaluate_boards,
    new_search,
    supply,
)
from sandtable.games.stratego.agents.value.rollout import (
    MOST_FOLLOWED,
    MOST_TRIED,
    Followed,
    Rollout,
)
from sandtable.games.stratego.agents.value.search import prepare, run
from sandtable.games.stratego.layout import setting_up
from sandtable.games.stratego.rules.kernels import guess
from sandtable.types import Game, State

__all__ = ["Value"]

MOST_PLIES, MOST_SAMPLES = 8, 1000
LEAVES = ("seen", "open")


def load_values(path: Path) -> Evaluate:
    """Return the network of this file."""
    network = OnnxNetwork(path, PLANE_SHAPE, {"values": ()}, "stratego/value")
    return lambda planes: network.run(planes)[0]


class Value(Agent):
    """Stratego on the large board; a search with a value network (2015 paper)."""

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
        self.search = new_search(samples, depth + attacks)
        self.search.settings[DRAW_VALUE] = -contempt
        self.search.settings[HASTE] = haste
        self.planes = np.empty((len(self.search.wanted), *PLANE_SHAPE), dtype=np.float32)
        self.rollout = Rollout(self.search, samples, follow, moves, guide) if follow else None
        self.followed: Followed | None = None  # what the last move was chosen from

    def weight_files(self) -> list[Path]:
        """Return the files it plays with: of values, and of moves if it follows them."""
        return [self.path, *(self.rollout.player.weight_files() if self.rollout else ())]

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Return the mean values of the best moves over sampled positions."""
        return analysis_of(self, view, dice)

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
            self.search.numbers[SEAT], self.search.numbers[OPEN] = seat, int(self.open_leaves)
            self.followed = self.rollout.run(position, self.evaluate, deadline)
            return self.rollout.best(self.followed)
        if deadline is None:
            return self.think(seat, self.samples, None)
        chosen, samples = -1, 1  # ever more samples while there is time
        while chosen < 0 or time.monotonic() < deadline:
            found = self.think(seat, samples, deadline if chosen >= 0 else None)
            chosen = found if found >= 0 else chosen
            if samples == self.samples:
                break
            samples = min(2 * samples, self.samples)
        return chosen

    def think(self, seat: int, samples: int, deadline: float | None) -> int:
        """Search the first samples; return the move found, or -1 if the time was over before."""
        search, numbers = self.search, self.search.numbers
        prepare(search, seat, samples, self.depth, self.attacks, int(self.open_leaves))
        while True:
            run(search)
            wanted = int(numbers[WANTED])
            if wanted == 0:
                return int(search.moves[0, numbers[CHOICE]])
            if deadline is not None and time.monotonic() > deadline:
                return -1
            write_planes(search.wanted, wanted, self.planes)
            supply(search, evaluate_boards(self.evaluate, self.planes[:wanted]))

    @property
    def valued(self) -> int:
        """How many boards the network valued for the last move."""
        return int(self.search.numbers[VALUED])
