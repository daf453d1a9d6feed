"""The games of Deep-State Learning (sandtable.learning.dsl), and the transitions they give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.skirmish.evaluations import SIMPLE, evaluate
from sandtable.compiled import kernel
from sandtable.dice import Dice, below
from sandtable.games.skirmish import rules
from sandtable.games.skirmish.game import skirmish
from sandtable.types import Game

if TYPE_CHECKING:
    from sandtable.learning.dsl import DslConfig

__all__ = ["Replay", "Round", "training_game"]

SIMPLE_WEIGHTS = np.array(SIMPLE)


@kernel
def draw_indices(dice: NDArray[np.uint64], bound: int, indices: NDArray[np.int64]) -> None:
    """Draw numbers below a bound, with repetition."""
    for place in range(len(indices)):
        indices[place] = below(dice, bound)


class Replay:
    """The last transitions: a state, a later one, and the rewards between them."""

    def __init__(self, size: int) -> None:
        self.arrays: dict[str, NDArray[Any]] = {
            "first": np.zeros((size, rules.POSITION_SIZE), dtype=np.int16),
            "last": np.zeros((size, rules.POSITION_SIZE), dtype=np.int16),
            "seat": np.zeros(size, dtype=np.int8),
            "gain": np.zeros(size, dtype=np.float32),
            "factor": np.zeros(size, dtype=np.float32),  # 0 where the last state ends the game
        }
        self.added = 0

    def add(self, **transition: Any) -> None:
        """Keep a transition, in place of the oldest if there is no room."""
        for name, value in transition.items():
            self.arrays[name][self.added % len(self)] = value
        self.added += 1

    def draw(self, count: int, dice: Dice) -> dict[str, NDArray[Any]]:
        """Draw transitions, with repetition."""
        indices = np.empty(count, dtype=np.int64)
        draw_indices(dice.array, min(self.added, len(self)), indices)
        return {name: array[indices] for name, array in self.arrays.items()}

    def __len__(self) -> int:
        return len(self.arrays["first"])


class Round:
    """Games that are played side by side (one, in the thesis), and the transitions they give."""

    def __init__(self, config: DslConfig, first: int, replay: Replay) -> None:
        self.config = config
        self.first = first  # number of the first game
        self.replay = replay
        games = min(config.games_at_once, config.games - first)
        self.positions = np.zeros((games, rules.POSITION_SIZE), dtype=np.int16)
        # The states in which each side was to move, and the last one.
        times = config.max_turns + 2
        self.tracks = np.zeros((games, 2, times, rules.POSITION_SIZE), dtype=np.int16)
        self.lengths = np.zeros((games, 2), dtype=np.int64)
        self.told = np.zeros(games, dtype=np.bool_)  # whether the log has the game

    def set_up(self) -> None:
        """Draw the level and the starting position of every game."""
        config = self.config
        levels = config.levels.split()
        for index, position in enumerate(self.positions):
            number = self.first + index
            level = levels[Dice(config.seed, "level", number).below(len(levels))]
            game = training_game(level, config.max_turns)
            position[:] = game.empty_position()
            rules.start(position, Dice(config.seed, "game", number).array)
            self.follow(index)

    def learner_seat(self, index: int) -> int:
        """Return the seat of the learner: the first, or each in turn."""
        return (self.first + index) // 2 % 2 if self.config.both_seats else rules.FIRST

    def is_self_play(self, index: int) -> bool:
        """Say whether the opponent is the mutated copy."""
        number = self.first + index
        alternating = number >= self.config.simple_games and number % 2 == 1
        return self.config.self_play_only or alternating

    def waiting_for(self, learner: bool) -> list[int]:
        """Return the games in which the learner, or its opponent, is to move."""
        return [
            index
            for index, position in enumerate(self.positions)
            if position[rules.MOVER] != rules.OVER
            and (position[rules.MOVER] == self.learner_seat(index)) == learner
        ]

    def stray_move(self, index: int, share: float) -> int | None:
        """Return a random move in this share of all cases."""
        position = self.positions[index]
        number = (self.first + index) * rules.LONGEST + int(position[rules.PLAYED])
        dice = Dice(self.config.seed, "exploration", number)
        if share == 0.0 or dice.uniform() >= share:
            return None
        moves = np.zeros(rules.ACTIONS, dtype=np.int16)
        return int(moves[dice.below(rules.legal_moves(position, moves))])

    def play(self, index: int, action: int) -> None:
        """Play a move in one game."""
        rules.apply(self.positions[index], action, np.zeros(4, dtype=np.uint64))
        self.follow(index)

    def follow(self, index: int) -> None:
        """Put the new state on the tracks of those whom it concerns, as transitions."""
        position = self.positions[index]
        mover = position[rules.MOVER]
        for seat in (rules.FIRST, rules.SECOND):
            follows = self.config.both_sides or seat == self.learner_seat(index)
            if follows and mover in (seat, rules.OVER):
                last = int(self.lengths[index, seat])
                self.tracks[index, seat, last] = position
                self.lengths[index, seat] += 1
                self.remember(self.tracks[index, seat, : last + 1], seat)

    def remember(self, track: NDArray[np.int16], seat: int) -> None:
        """Give the replay the transitions that the newest state on a track completes."""
        last, steps, discount = len(track) - 1, self.config.steps, self.config.discount
        over = track[last, rules.MOVER] == rules.OVER
        if not over and last < steps:
            return
        earliest = max(0, last - steps)
        for first in range(earliest, last if over else earliest + 1):
            rewards = [self.reward(state, seat) for state in track[first + 1 :]]
            gain = sum(reward * discount**delay for delay, reward in enumerate(rewards))
            factor = 0.0 if over else discount**steps
            self.replay.add(
                first=track[first], last=track[last], seat=seat, gain=gain, factor=factor
            )

    def reward(self, state: NDArray[np.int16], seat: int) -> float:
        """Return the simple utility of a state, and what winning or losing there is worth."""
        reward = float(evaluate(state, seat, SIMPLE_WEIGHTS)) * self.config.reward_scale
        if state[rules.MOVER] == rules.OVER:
            reward += self.config.win_reward * self.config.reward_scale * self.score(state, seat)
        return reward

    def score(self, state: NDArray[np.int16], seat: int) -> float:
        """Return 1 for a win of the seat, -1 for a loss, 0 for a draw."""
        scores = np.zeros(2)
        rules.score(state, scores)
        return float(scores[seat])


def training_game(level: str, max_turns: int) -> Game:
    """Return the game with the thesis's randomised starts."""
    return skirmish(level=level, start="random", max_turns=max_turns)
