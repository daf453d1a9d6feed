"""The leaves of Stratego's value search: what the network has said of boards, and what it is asked.

The memory of a search is here too (the search: value_search).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego.agents.square_codes import key_of, write_codes
from sandtable.games.stratego.agents.value.progress import no_target_distances, quiet_share
from sandtable.games.stratego.layout import NO_ATTACK, POSITION_SIZE, SQUARES, WINNER
from sandtable.games.stratego.rules.moves import MOST_MOVES

__all__ = [
    "Evaluate",
    "Search",
    "end_value",
    "evaluate_boards",
    "leaf",
    "new_search",
    "supply",
]

# planes [board, 6, 10, 10] float32 -> value of each board [board] to the side at the bottom
Evaluate: TypeAlias = Callable[[NDArray[np.float32]], NDArray[np.float32]]

BOARDS_IN_CALL = 64  # more at once are slower on one core: they leave its cache

# Indices into ``numbers``.
WANTED = 0  # boards on the list for the network
SEAT = 1  # for which the search is
DEPTH = 2  # plies with all moves
ATTACKS = 3  # plies after them with attacks alone
SAMPLES = 4
COUNT = 5  # moves of the root
CHOICE = 6  # the move found, as an index
STORED = 7  # boards in the table
VALUED = 8  # boards the network has valued for this search
OPEN = 9  # 1: leaves are shown to the network with all ranks of the sample
BOUNDED = 10  # 1: the bounds of all moves of the root are values of the network
NUMBERS = 11

# Indices into ``settings``.
DRAW_VALUE = 0  # what a draw is worth
HASTE = 1  # what a step towards an enemy is worth just before a draw for want of attacks
SETTINGS = 2

# Indices into ``marks`` of a node.
NEXT, MOVES, HIGHEST, ALL_MOVES = 0, 1, 2, 3  # the move to try next, their number, and two truths
MARKS = 4

# Indices into ``frames`` of a node: its window, its value so far, and the value of its board.
LOW, HIGH, VALUE, BEFORE = 0, 1, 2, 3
FRAMES = 4

TABLE = 1 << 16  # a power of two
ROOM = 4096  # boards on the list
WIN = 1.0
MOST = 0.98  # what the network may say at most: a win in hand is better than any promise
FAR = 1e9


class Search(NamedTuple):
    """The memory of one search after the other."""

    samples: NDArray[np.int16]  # [sample, POSITION_SIZE]
    positions: NDArray[np.int16]  # [ply, POSITION_SIZE]
    moves: NDArray[np.int16]  # [ply, MOST_MOVES]
    bounds: NDArray[np.float64]  # [move of the root, sample] what it can be worth at most
    means: NDArray[np.float64]  # [move of the root] mean bound, then mean value
    keys: NDArray[np.uint64]  # [TABLE] of boards, 0 for none
    values: NDArray[np.float32]  # [TABLE] of the network
    known: NDArray[np.bool_]  # [TABLE] whether the value is there
    wanted: NDArray[np.uint8]  # [ROOM, 100] boards on the list
    entries: NDArray[np.int64]  # [ROOM] where their values go
    codes: NDArray[np.uint8]  # [100] scratch
    marks: NDArray[np.int64]  # [ply, MARKS] of the node there
    frames: NDArray[np.float64]  # [ply, FRAMES] of the node there
    numbers: NDArray[np.int64]  # [NUMBERS]
    target_distances: NDArray[np.int64]  # [rank, square + 1] steps to the nearest target
    nudges: NDArray[np.float64]  # [move of the root] what is added to its value
    settings: NDArray[np.float64]  # [SETTINGS]


def new_search(samples: int, plies: int) -> Search:
    """Return the memory for searches of so many samples and plies."""
    return Search(
        samples=np.zeros((samples, POSITION_SIZE), dtype=np.int16),
        positions=np.zeros((plies + 1, POSITION_SIZE), dtype=np.int16),
        moves=np.zeros((plies + 1, MOST_MOVES), dtype=np.int16),
        bounds=np.zeros((MOST_MOVES, samples)),
        means=np.zeros(MOST_MOVES),
        keys=np.zeros(TABLE, dtype=np.uint64),
        values=np.zeros(TABLE, dtype=np.float32),
        known=np.zeros(TABLE, dtype=np.bool_),
        wanted=np.zeros((ROOM, SQUARES), dtype=np.uint8),
        entries=np.zeros(ROOM, dtype=np.int64),
        codes=np.zeros(SQUARES, dtype=np.uint8),
        marks=np.zeros((plies + 1, MARKS), dtype=np.int64),
        frames=np.zeros((plies + 1, FRAMES)),
        numbers=np.zeros(NUMBERS, dtype=np.int64),
        target_distances=no_target_distances(),
        nudges=np.zeros(MOST_MOVES),
        settings=np.zeros(SETTINGS),
    )


@kernel
def entry_of(search: Search, key: np.uint64) -> int:
    """Return where a board is in the table, or where it goes."""
    entry = np.int64(key & np.uint64(TABLE - 1))
    while search.keys[entry] != np.uint64(0) and search.keys[entry] != key:
        entry = (entry + 1) & (TABLE - 1)
    return int(entry)


@kernel
def toward_draw(search: Search, position: NDArray[np.int16], value: float) -> float:
    """Move a value towards that of a draw, the more the nearer the end of quiet moves is."""
    share = quiet_share(position) if position[NO_ATTACK] > 0 else 0.0
    return float(value + share * (search.settings[DRAW_VALUE] - value))


@kernel
def leaf(search: Search, position: NDArray[np.int16], before: float) -> float:
    """Return the value of a board to the seat; ``before`` while the network has not said it."""
    numbers = search.numbers
    write_codes(position, numbers[SEAT], numbers[OPEN] == 1, search.codes)
    key = key_of(search.codes)
    entry = entry_of(search, key)
    if search.keys[entry] == np.uint64(0):
        if numbers[WANTED] >= ROOM or 2 * numbers[STORED] >= TABLE:
            return before  # comes back when this list is done, or stays with the value before it
        search.keys[entry] = key
        copy_cells(search.codes, search.wanted[numbers[WANTED]])
        search.entries[numbers[WANTED]] = entry
        numbers[WANTED] += 1
        numbers[STORED] += 1
        return before
    if not search.known[entry]:
        return before
    value = min(max(float(search.values[entry]), -MOST), MOST)
    return toward_draw(search, position, value)


@kernel
def end_value(search: Search, position: NDArray[np.int16]) -> float:
    """Return what the end of a game is worth to the seat."""
    if position[WINNER] == 0:
        return float(search.settings[DRAW_VALUE])
    return WIN if position[WINNER] == 1 + search.numbers[SEAT] else -WIN


@kernel
def supply(search: Search, values: NDArray[np.float32]) -> None:
    """Take in the values of all boards on the list."""
    numbers = search.numbers
    for index in range(numbers[WANTED]):
        entry = search.entries[index]
        search.values[entry] = values[index]
        search.known[entry] = True
    numbers[VALUED] += numbers[WANTED]
    numbers[WANTED] = 0


def evaluate_boards(network: Evaluate, planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what a network says of boards, some of them at a time."""
    return np.concatenate(
        [
            network(planes[first : first + BOARDS_IN_CALL])
            for first in range(0, len(planes), BOARDS_IN_CALL)
        ]
    )
