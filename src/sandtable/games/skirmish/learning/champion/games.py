"""The games the champion of Skirmish learns from.

A game begins on a generated level, from the usual start or with scattered units, with some random
moves; later moves are now and then random too. The seven published levels and the published
opponents never occur.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, stream_key, uniform
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.champion.evaluation import Network, network_of
from sandtable.games.skirmish.agents.champion.features import FEATURES, describe
from sandtable.games.skirmish.agents.champion.search import search_root
from sandtable.games.skirmish.agents.champion.tree import (
    CHOICE,
    FORMER_SWITCHES,
    Search,
    new_search,
)
from sandtable.games.skirmish.game import skirmish
from sandtable.games.skirmish.generator import LAST_JUDGED
from sandtable.games.skirmish.rules import apply, legal_moves, score, start
from sandtable.learning.adam import Parameters
from sandtable.learning.config import RunConfig, config_field
from sandtable.learning.run import Control

__all__ = [
    "FIELDS",
    "ChampionConfig",
    "Samples",
    "blank_levels",
    "joined",
    "self_play",
]

FIRST_LEVEL = LAST_JUDGED + 1  # training levels have numbers from here on
GAMES_AT_ONCE = 20  # between questions whether to stop
FIELDS = ("features", "values", "results", "outcomes")  # of Samples


@dataclass(frozen=True)
class ChampionConfig(RunConfig):
    """What can be chosen about a run."""

    seed: int = config_field(0, "everything follows from it", least=0)
    games: int = config_field(
        6000, "games of self-play in all; the learning rate falls over them", least=1
    )
    generation: int = config_field(
        400, "games of self-play before the network is fitted again", least=1
    )
    budget: int = config_field(200, "states a move in self-play", least=1)
    levels: int = config_field(400, "generated levels to play on", least=1)
    window: int = config_field(6, "generations whose positions are fitted", least=1)
    epochs: int = config_field(2, "times each position is fitted in a generation", least=1)
    batch: int = config_field(256, "positions a step", least=1)
    start: str = config_field("", "file of weights to begin with; empty: small random ones")
    learning_rate: float = config_field(
        0.002, "of Adam at the beginning; falls to a tenth", above=0
    )
    result_share: float = config_field(
        0.5, "of the result in the target; the rest is the search's", least=0, most=1
    )
    random_first: int = config_field(12, "a game begins with fewer random moves than that", least=1)
    random_later: float = config_field(0.03, "chance of a random move after that", least=0, most=1)
    full_starts: float = config_field(
        0.6, "share of games that start as the rules say", least=0, most=1
    )
    second_wins: float = config_field(
        0.7, "share of games in which an empty board is Second's", least=0, most=1
    )

    @property
    def generations(self) -> int:
        """How many rounds of self-play and fitting there are."""
        return -(-self.games // self.generation)


@kernel
def draw_start(
    position: NDArray[np.int16],
    dice: NDArray[np.uint64],
    full_starts: float,
    second_wins: float,
) -> None:
    """Turn a level into one of the many starts that games are played from."""
    position[layout.START] = layout.FULL if uniform(dice) < full_starts else layout.RANDOM
    position[layout.BOTH_EMPTY] = layout.SECOND_WINS if uniform(dice) < second_wins else layout.DRAW
    start(position, dice)


@kernel
def play_game(
    position: NDArray[np.int16],
    dice: NDArray[np.uint64],
    search: Search,
    network: Network,
    budget: int,
    random_first: int,
    random_later: float,
    features: NDArray[np.float32],
    values: NDArray[np.float32],
    results: NDArray[np.float32],
    outcome: NDArray[np.float64],
) -> int:
    """Play a game out; write what was seen in it after the random opening, and return how much.

    ``outcome`` gets the result for First and the number of half-turns.
    """
    moves = np.empty(layout.ACTIONS, dtype=np.int16)
    seats = np.empty(layout.LONGEST, dtype=np.int64)
    kept, played = 0, 0
    opening = below(dice, random_first)
    while position[layout.MOVER] != layout.OVER:
        count = legal_moves(position, moves)
        action = moves[below(dice, count)]
        if played >= opening and count > 1:
            value = search_root(search, network, dice, position, budget)
            describe(position, position[layout.MOVER], network.features, network.sets)
            features[kept] = network.features
            values[kept] = min(1.0, max(-1.0, value))
            seats[kept] = position[layout.MOVER]
            kept += 1
            if uniform(dice) >= random_later:
                action = search.numbers[CHOICE]
        apply(position, action, dice)
        played += 1
    scores = np.empty(2)
    score(position, scores)
    for index in range(kept):
        results[index] = scores[seats[index]]
    outcome[0], outcome[1] = scores[0], played
    return kept


@kernel
def play_match(
    blanks: NDArray[np.int16],
    key: np.uint64,
    first: int,
    parameters: NDArray[np.float32],
    budget: int,
    chances: tuple[int, float, float, float],
    features: NDArray[np.float32],
    values: NDArray[np.float32],
    results: NDArray[np.float32],
    outcomes: NDArray[np.float64],
) -> int:
    """Play one game on every blank level given; return how many positions were kept."""
    random_first, random_later, full_starts, second_wins = chances
    network = network_of(parameters)
    search = new_search(budget, FORMER_SWITCHES, np.empty(0, dtype=np.float32))
    dice = np.zeros(4, dtype=np.uint64)
    position = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    kept = 0
    for index in range(len(blanks)):
        dice[0], dice[1], dice[2] = key, first + index, 0
        copy_cells(blanks[index], position)
        draw_start(position, dice, full_starts, second_wins)
        kept += play_game(
            position,
            dice,
            search,
            network,
            budget,
            random_first,
            random_later,
            features[kept:],
            values[kept:],
            results[kept:],
            outcomes[index],
        )
    return kept


@dataclass
class Samples:
    """Positions of one generation, as their movers saw them."""

    features: NDArray[np.float16]  # [position, feature]
    values: NDArray[np.float32]  # [position] of the search
    results: NDArray[np.float32]  # [position] of the game
    outcomes: NDArray[np.float64]  # [game, 2] result for First, half-turns


def blank_levels(config: ChampionConfig) -> NDArray[np.int16]:
    """Generate the levels of a run [level, cell]."""
    first = FIRST_LEVEL + config.seed * config.levels
    specs = [f"random-{first + number}" for number in range(config.levels)]
    return np.array([skirmish(level=spec).initial_cells for spec in specs], dtype=np.int16)


def play_some(
    config: ChampionConfig,
    parameters: Parameters,
    blanks: NDArray[np.int16],
    first: int,
    count: int,
) -> Samples:
    """Play games number first, first + 1, ... of a run."""
    chosen = blanks[np.arange(first, first + count) % len(blanks)]
    room = count * layout.LONGEST
    features = np.empty((room, FEATURES), dtype=np.float32)
    values, results = np.empty(room, dtype=np.float32), np.empty(room, dtype=np.float32)
    outcomes = np.empty((count, 2))
    chances = (
        config.random_first,
        config.random_later,
        config.full_starts,
        config.second_wins,
    )
    key = np.uint64(stream_key(config.seed, "champion self-play"))
    kept = play_match(
        chosen, key, first, parameters, config.budget, chances, features, values, results, outcomes
    )
    halves = features[:kept].astype(np.float16)
    return Samples(halves, values[:kept].copy(), results[:kept].copy(), outcomes)


def self_play(
    config: ChampionConfig,
    generation: int,
    parameters: Parameters,
    blanks: NDArray[np.int16],
    control: Control,
) -> Samples | None:
    """Play the games of a generation a few at a time; None when the run has to stop meanwhile.

    Threads share them (``jobs``). Every game has dice of its own, so their number changes nothing.
    """
    first = generation * config.generation
    last = min(first + config.generation, config.games)

    def some(begin: int) -> Samples | None:
        if control.must_stop():
            return None
        return play_some(config, parameters, blanks, begin, min(GAMES_AT_ONCE, last - begin))

    with ThreadPoolExecutor(control.jobs) as pool:
        parts = list(pool.map(some, range(first, last, GAMES_AT_ONCE)))
    played = [part for part in parts if part is not None]
    return joined(played) if len(played) == len(parts) else None


def joined(parts: list[Samples]) -> Samples:
    """Put samples one after the other."""
    return Samples(*(np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS))
