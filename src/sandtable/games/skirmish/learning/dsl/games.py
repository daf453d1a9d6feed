"""The games of Deep-State Learning, and the transitions they give."""

from __future__ import annotations

import functools
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.compiled_games import PlayedGames, play_games, policies
from sandtable.compiled import kernel
from sandtable.dice import Dice, below, training_seed
from sandtable.games.skirmish import layout, rules
from sandtable.games.skirmish.agents.evaluations import SIMPLE, evaluate
from sandtable.games.skirmish.game import skirmish
from sandtable.games.skirmish.generator import FIRST_TRAINING_LEVEL
from sandtable.games.skirmish.learning.dsl.config import WATCHED_PAIRS, DslConfig
from sandtable.registry import make_agent
from sandtable.types import Game, State

__all__ = ["Replay", "Round", "score", "training_game", "watch"]

SIMPLE_WEIGHTS = np.array(SIMPLE)
SIGNS = (1, -1)  # of the units of each seat
BOARDS = layout.AGES + layout.SQUARES  # the cells of a position that a network sees
FIRST_WATCHED = 1_000_000  # number of the first game that is only watched


@kernel
def draw_indices(dice: NDArray[np.uint64], bound: int, indices: NDArray[np.int64]) -> None:
    """Draw numbers below a bound, with repetition."""
    for place in range(len(indices)):
        indices[place] = below(dice, bound)


def level_names(config: DslConfig) -> list[str]:
    """Return the levels to train on: those named, and generated ones that nobody is judged on."""
    generated = (
        f"random-{FIRST_TRAINING_LEVEL + number}" for number in range(config.generated_levels)
    )
    return [*config.levels.split(), *generated]


class Replay:
    """The last transitions: a state, a later one, and the rewards between them."""

    def __init__(self, size: int) -> None:
        self.arrays: dict[str, NDArray[Any]] = {
            "first": np.zeros((size, BOARDS), dtype=np.int8),  # land, units and ages
            "last": np.zeros((size, BOARDS), dtype=np.int8),
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
        self.positions = np.zeros((games, layout.POSITION_SIZE), dtype=np.int16)
        # The states in which each side was to move, and the last one: as the first seat sees them,
        # and as the second does.
        times = config.max_turns + 2
        self.tracks = np.zeros((games, 2, 2, times, layout.POSITION_SIZE), dtype=np.int16)
        self.lengths = np.zeros((games, 2, 2), dtype=np.int64)
        self.reported = np.zeros(games, dtype=np.bool_)  # whether the log has the game

    def set_up(self) -> None:
        """Draw the level and the starting position of every game."""
        config = self.config
        levels = level_names(config)
        for index, position in enumerate(self.positions):
            number = self.first + index
            level = levels[Dice(config.seed, "level", number).below(len(levels))]
            game = training_game(level, config.max_turns, config.both_empty)
            position[:] = game.empty_position()
            rules.start(position, Dice(training_seed(config.seed), "game", number).array)
            self.follow(index)

    def learner_seat(self, index: int) -> int:
        """Return the seat of the learner: the first, or each in turn."""
        return (self.first + index) // 2 % 2 if self.config.both_seats else layout.FIRST

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
            if position[layout.MOVER] != layout.OVER
            and (position[layout.MOVER] == self.learner_seat(index)) == learner
        ]

    def stray_move(self, index: int, share: float) -> int | None:
        """Return a random move in this share of all cases."""
        position = self.positions[index]
        number = (self.first + index) * layout.LONGEST + int(position[layout.PLAYED])
        dice = Dice(self.config.seed, "exploration", number)
        if share == 0.0 or dice.uniform() >= share:
            return None
        moves = np.zeros(layout.ACTIONS, dtype=np.int16)
        return int(moves[dice.below(rules.legal_moves(position, moves))])

    def play(self, index: int, action: int) -> None:
        """Play a move in one game."""
        rules.apply(self.positions[index], action, np.zeros(4, dtype=np.uint64))
        self.follow(index)

    def follow(self, index: int) -> None:
        """Put the new state on the tracks of those whom it concerns, as transitions."""
        position = self.positions[index]
        for seat, mover in followed(self.config):
            follows = self.config.both_sides or seat == self.learner_seat(index)
            if follows and position[layout.MOVER] in (mover, layout.OVER):
                last = int(self.lengths[index, seat, mover])
                self.tracks[index, seat, mover, last] = position
                self.lengths[index, seat, mover] += 1
                track = self.tracks[index, seat, mover, : last + 1]
                remember(self.replay, self.config, track, seat)


def followed(config: DslConfig) -> list[tuple[int, int]]:
    """Return the tracks of a game: who sees its states, and who is to move in them.

    Searches end as often before a move of the opponent as before an own one, so that the network
    is asked about both kinds of states, although the thesis has it learn only one.
    """
    seats = (layout.FIRST, layout.SECOND)
    return [
        (seat, mover) for seat in seats for mover in seats if seat == mover or config.waiting_states
    ]


def remember(
    replay: Replay,
    config: DslConfig,
    track: NDArray[np.int16],
    seat: int,
    rewards: list[float] | None = None,
) -> None:
    """Give the replay the transitions that the newest state on the track of a seat completes.

    ``rewards``, on coming to each state of the track but the first, save time where known.
    """
    last, steps, discount = len(track) - 1, config.steps, config.discount
    over = track[last, layout.MOVER] == layout.OVER
    if not over and last < steps:
        return
    earliest = max(0, last - steps)
    if rewards is None:
        recent = rewards_on(config, track[earliest:], seat)
    else:
        recent = rewards[earliest:last]
    for first in range(earliest, last if over else earliest + 1):
        later = recent[first - earliest :]
        replay.add(
            first=track[first, :BOARDS],
            last=track[last, :BOARDS],
            seat=seat,
            gain=sum(gained * discount**delay for delay, gained in enumerate(later)),
            factor=0.0 if over else discount**steps,
        )


def rewards_on(config: DslConfig, track: NDArray[np.int16], seat: int) -> list[float]:
    """Return the rewards on coming to each state of a track but the first.

    They are the simple utility of the state (the thesis), its material without the division by the
    enemy's units, the change of the utility since the state before, or nothing (``result``); and
    what winning or losing there is worth.
    """
    worth = [worth_of(config.reward, state, seat) for state in track]
    if config.reward == "change":
        worth = [0.0, *(after - before for before, after in itertools.pairwise(worth))]
    for index, state in enumerate(track):
        if state[layout.MOVER] == layout.OVER:
            worth[index] += config.win_reward * score(state, seat)
    return [each * config.reward_scale for each in worth[1:]]


def worth_of(kind: str, state: NDArray[np.int16], seat: int) -> float:
    """Return what a state is worth to a seat by itself."""
    if kind == "result":
        return 0.0
    utility = float(evaluate(state, seat, SIMPLE_WEIGHTS))
    if kind == "material":
        enemies = np.sign(state[layout.UNITS : layout.UNITS + layout.SQUARES]) * SIGNS[seat] < 0
        utility *= 1 + int(enemies.sum())
    return utility


def score(state: NDArray[np.int16], seat: int) -> float:
    """Return 1 for a win of the seat, -1 for a loss, 0 for a draw."""
    scores = np.zeros(2)
    rules.score(state, scores)
    return float(scores[seat])


@functools.cache
def training_game(level: str, max_turns: int, both_empty: str) -> Game:
    """Return the game with the thesis's randomised starts."""
    return skirmish(level=level, start="random", max_turns=max_turns, both_empty=both_empty)


def watch(config: DslConfig, replay: Replay, threads: ThreadPoolExecutor) -> None:
    """Fill the replay with games of the simple opponent, or the constant one too, seen by both.

    They are shared out evenly among the levels, and played in kernels, which takes little time.
    """
    levels, pairs = level_names(config), WATCHED_PAIRS[config.watched]
    per_level = -(-config.watched_games // len(levels))
    seed = training_seed(config.seed)

    def play(index: int) -> PlayedGames:
        game = training_game(levels[index], config.max_turns, config.both_empty)
        specs = (
            f"alphabeta:budget={config.watched_budget},evaluation={evaluation},ordering=published"
            for evaluation in pairs[index % len(pairs)]
        )
        acting = policies(game, [make_agent(spec) for spec in specs])
        assert acting is not None
        first = FIRST_WATCHED + index * per_level
        return play_games(game, acting, seed, first, per_level, keep=True)

    for index, played in enumerate(threads.map(play, range(len(levels)))):
        assert played.actions is not None
        game = training_game(levels[index], config.max_turns, config.both_empty)
        for place, length in enumerate(played.lengths):
            number = FIRST_WATCHED + index * per_level + place
            dice = Dice(seed, "game", number)
            follow_actions(config, replay, game.start(dice), played.actions[place, :length])


def follow_actions(
    config: DslConfig, replay: Replay, start: State, actions: NDArray[np.int16]
) -> None:
    """Give the replay the transitions of a whole game, seen by both sides."""
    position = np.array(start.position)
    states = [np.array(position)]
    for action in actions:
        rules.apply(position, action, np.zeros(4, dtype=np.uint64))
        states.append(np.array(position))
    for seat, mover in followed(config):
        track = np.array([state for state in states if state[layout.MOVER] in (mover, layout.OVER)])
        rewards = rewards_on(config, track, seat)
        for last in range(len(track)):
            remember(replay, config, track[: last + 1], seat, rewards)
