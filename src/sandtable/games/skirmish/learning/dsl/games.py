"""What can be chosen about Deep-State Learning, its games, and the transitions they give."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.compiled_games import PlayedGames, play_games, policies
from sandtable.compiled import kernel
from sandtable.dice import Dice, below
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout, rules
from sandtable.games.skirmish.agents.evaluations import SIMPLE, evaluate
from sandtable.games.skirmish.game import skirmish
from sandtable.learning.config import RunConfig, config_field
from sandtable.registry import make_agent
from sandtable.types import Game, State

__all__ = [
    "IMPROVED",
    "THESIS",
    "DslConfig",
    "Replay",
    "Round",
    "score",
    "training_game",
    "watch",
]

SIMPLE_WEIGHTS = np.array(SIMPLE)
BOARDS = layout.AGES + layout.SQUARES  # the cells of a position that a network sees
FIRST_GENERATED = 1_000_000  # seed of the first generated level to train on
FIRST_WATCHED = 1_000_000  # number of the first game that is only watched
WATCHED_PAIRS = (("simple", "simple"), ("simple", "constant"), ("constant", "simple"))


@dataclass(frozen=True)
class DslConfig(RunConfig):
    """The thesis's values; what the thesis does not have is set so that it does nothing."""

    budget: int = config_field(5000, "States a search of the learner may look at.", least=1)
    games: int = config_field(100, "Games to play.", least=1, extendable=True)
    seed: int = config_field(0, "Same seed, same run.", least=0)
    simple_games: int = config_field(
        25, "Games before self-play alternates with the opponent.", least=0
    )
    simple_budget: int = config_field(10_000, "States the simple opponent may look at.", least=1)
    self_play_only: bool = config_field(False, "Never play the simple opponent (the ablation).")
    mutation: float = config_field(0.01, "Spread of what is added to a copy's parameters.", least=0)
    replay: int = config_field(1500, "Transitions that are remembered.", least=1)
    batch: int = config_field(15, "Transitions in a gradient step.", least=1)
    learning_rate: float = config_field(0.001, "Step size of Adam.", above=0)
    incentive: float = config_field(1.2, "Factor for moves that build or capture.", above=0)
    max_turns: int = config_field(100, "A game is drawn after so many turns.", least=0)
    levels: str = config_field("1 2 3 4 5", "The levels to train on.")
    # Ours:
    discount: float = config_field(
        1.0, "What the next move's reward is worth now.", least=0, most=1
    )
    steps: int = config_field(1, "Moves whose rewards are added up before Q* takes over.", least=1)
    gradient_steps: int = config_field(1, "Gradient steps after every move.", least=1)
    reward_scale: float = config_field(1.0, "Factor of all rewards.", above=0)
    win_reward: float = config_field(0.0, "Extra reward of a win, and the cost of a loss.")
    huber: bool = config_field(False, "Huber loss in place of the squared error.")
    both_seats: bool = config_field(False, "Play second in every other game, not always first.")
    both_sides: bool = config_field(False, "Learn from the opponent's moves too.")
    waiting_states: bool = config_field(False, "Value states before the opponent's moves too.")
    games_at_once: int = config_field(1, "Games played side by side, by the same network.", least=1)
    exploration: float = config_field(
        0.0, "Share of the learner's moves drawn at random.", least=0, most=1
    )
    mirror: bool = config_field(False, "Mirror a random half of every batch, left and right.")
    final_learning_rate: float = config_field(0.001, "Step size after the last game.", least=0)
    generated_levels: int = config_field(0, "Generated levels to train on besides.", least=0)
    watched_games: int = config_field(
        0, "Games of other agents to learn from before the first.", least=0
    )
    watched_budget: int = config_field(500, "States these agents may look at.", least=1)
    watched_steps: int = config_field(0, "Gradient steps on these games.", least=0)
    leaf_batch: int = config_field(256, "Leaves of a search in one call of the network.", least=1)

    def check(self) -> None:
        """Refuse a run without boards."""
        if not self.levels.split() and not self.generated_levels:
            raise SandtableError(
                "there is nothing to train on: name --levels or --generated-levels"
            )


THESIS = DslConfig()

# Ours: see "What we changed to make it learn" in docs/games/skirmish/deep-state-learning.md.
IMPROVED = DslConfig(
    games=100,
    replay=400_000,
    batch=256,
    discount=0.9,
    steps=8,
    reward_scale=0.05,
    win_reward=20.0,
    huber=True,
    both_seats=True,
    both_sides=True,
    waiting_states=True,
    games_at_once=10,
    exploration=0.05,
    mirror=True,
    final_learning_rate=0.00005,
    generated_levels=95,
    watched_games=2000,
    watched_steps=10_000,
    leaf_batch=64,
)


@kernel
def draw_indices(dice: NDArray[np.uint64], bound: int, indices: NDArray[np.int64]) -> None:
    """Draw numbers below a bound, with repetition."""
    for place in range(len(indices)):
        indices[place] = below(dice, bound)


def level_names(config: DslConfig) -> list[str]:
    """Return the levels to train on: those named, and generated ones that nobody is judged on."""
    generated = (f"random-{FIRST_GENERATED + number}" for number in range(config.generated_levels))
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
            game = training_game(level, config.max_turns)
            position[:] = game.empty_position()
            rules.start(position, Dice(config.seed, "game", number).array)
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

    ``rewards`` of the states on the track save time where they are known.
    """
    last, steps, discount = len(track) - 1, config.steps, config.discount
    over = track[last, layout.MOVER] == layout.OVER
    if not over and last < steps:
        return
    earliest = max(0, last - steps)
    if rewards is None:
        recent = [reward(config, state, seat) for state in track[earliest + 1 :]]
    else:
        recent = rewards[earliest + 1 : last + 1]
    for first in range(earliest, last if over else earliest + 1):
        later = recent[first - earliest :]
        replay.add(
            first=track[first, :BOARDS],
            last=track[last, :BOARDS],
            seat=seat,
            gain=sum(gained * discount**delay for delay, gained in enumerate(later)),
            factor=0.0 if over else discount**steps,
        )


def reward(config: DslConfig, state: NDArray[np.int16], seat: int) -> float:
    """Return the simple utility of a state, and what winning or losing there is worth."""
    utility = float(evaluate(state, seat, SIMPLE_WEIGHTS))
    if state[layout.MOVER] == layout.OVER:
        utility += config.win_reward * score(state, seat)
    return utility * config.reward_scale


def score(state: NDArray[np.int16], seat: int) -> float:
    """Return 1 for a win of the seat, -1 for a loss, 0 for a draw."""
    scores = np.zeros(2)
    rules.score(state, scores)
    return float(scores[seat])


@functools.cache
def training_game(level: str, max_turns: int) -> Game:
    """Return the game with the thesis's randomised starts."""
    return skirmish(level=level, start="random", max_turns=max_turns)


def watch(config: DslConfig, replay: Replay, threads: ThreadPoolExecutor) -> None:
    """Fill the replay with games of the simple and the constant opponent, seen by both sides.

    They are shared out evenly among the levels, and played in kernels, which takes little time.
    """
    levels = level_names(config)
    per_level = -(-config.watched_games // len(levels))

    def play(index: int) -> PlayedGames:
        game = training_game(levels[index], config.max_turns)
        specs = (
            f"alphabeta:budget={config.watched_budget},evaluation={evaluation},ordering=published"
            for evaluation in WATCHED_PAIRS[index % len(WATCHED_PAIRS)]
        )
        acting = policies(game, [make_agent(spec) for spec in specs])
        assert acting is not None
        first = FIRST_WATCHED + index * per_level
        return play_games(game, acting, config.seed, first, per_level, keep=True)

    for index, played in enumerate(threads.map(play, range(len(levels)))):
        assert played.actions is not None
        game = training_game(levels[index], config.max_turns)
        for place, length in enumerate(played.lengths):
            number = FIRST_WATCHED + index * per_level + place
            dice = Dice(config.seed, "game", number)
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
        rewards = [reward(config, state, seat) for state in track]
        for last in range(len(track)):
            remember(replay, config, track[: last + 1], seat, rewards)
