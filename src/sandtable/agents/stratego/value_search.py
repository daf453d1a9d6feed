"""Minimax over sampled positions of Stratego, with the values of a network (kernels).

A search has a few samples: whole positions that fit what the seat knows. Each is searched by
alpha-beta, the first ``depth`` plies with all moves and some more with attacks alone, where the
side to move may also leave things as they are. A move of the root is worth the mean over all
samples, and the best mean is played.

The network is asked for many leaves at once. A search runs with the values known so far; a leaf
without a value is put on a list, and counts meanwhile as what was said of the board before it. Then
the network values the whole list, and the search runs again. The last run meets no such leaf, so
what it finds is what a search with one call for every leaf finds.

Moves of the root are cut too. Where only attacks follow the first ply, the other side may answer
with nothing, so the value of the board after a move is the most the move can be worth. Moves are
tried by the mean of these bounds, until the next bound is no better than the best mean; and a
move's samples are searched with what it still takes to be the best.

The longer nobody attacks, the more values move towards that of a draw, and the more a move counts
that brings its piece nearer to an enemy (see value_progress).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.stratego.codes import key_of, write_codes
from sandtable.agents.stratego.value_progress import (
    measure_ways,
    no_ways,
    progress_of,
    quiet_share,
)
from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego.layout import (
    BOARD,
    MOVER,
    NO_ATTACK,
    OVER,
    POSITION_SIZE,
    SQUARES,
    WINNER,
    from_square_of,
    side_of,
    to_square_of,
    whole,
)
from sandtable.games.stratego.moves import MOST_MOVES
from sandtable.games.stratego.rules import legal_moves, move

__all__ = [
    "CHOICE",
    "DRAW_VALUE",
    "HASTE",
    "VALUED",
    "WANTED",
    "Search",
    "new_search",
    "prepare",
    "run",
    "supply",
]

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
NUMBERS = 10

# Indices into ``settings``.
DRAW_VALUE = 0  # what a draw is worth
HASTE = 1  # what a step towards an enemy is worth just before a draw for want of attacks
SETTINGS = 2

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
    numbers: NDArray[np.int64]  # [NUMBERS]
    ways: NDArray[np.int64]  # [rank, square + 1] steps to the nearest target
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
        numbers=np.zeros(NUMBERS, dtype=np.int64),
        ways=no_ways(),
        nudges=np.zeros(MOST_MOVES),
        settings=np.zeros(SETTINGS),
    )


@kernel
def prepare(search: Search, seat: int, samples: int, depth: int, attacks: int, opened: int) -> None:
    """Begin a search; the samples are in their places, and all have the same legal moves."""
    numbers = search.numbers
    numbers[WANTED] = numbers[STORED] = numbers[VALUED] = 0
    numbers[SEAT], numbers[DEPTH], numbers[ATTACKS] = seat, depth, attacks
    numbers[SAMPLES], numbers[OPEN] = samples, opened
    numbers[COUNT] = legal_moves(search.samples[0], search.moves[0])
    numbers[CHOICE] = 0
    root = search.samples[0]
    measure_ways(root, seat, search.ways)
    for index in range(numbers[COUNT]):
        steps = progress_of(root, whole(search.moves[0, index]), search.ways)
        search.nudges[index] = search.settings[HASTE] * quiet_share(root) * steps
    search.keys[:] = np.uint64(0)
    search.known[:] = False


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
def play(search: Search, ply: int, action: int) -> bool:
    """Write the position after a move of a ply into the next; say whether it was an attack."""
    before, after = search.positions[ply], search.positions[ply + 1]
    copy_cells(before, after)
    side = side_of(before)
    to_square = to_square_of(side, action)
    attack = before[BOARD + to_square] != 0
    move(after, from_square_of(side, action), to_square)
    return bool(attack)


@kernel
def node_value(search: Search, ply: int, low: float, high: float, before: float) -> float:
    """Return the value of the position of a ply, as far as it lies between low and high."""
    numbers, position = search.numbers, search.positions[ply]
    if position[MOVER] == OVER:
        return end_value(search, position)
    last = ply >= numbers[DEPTH] + numbers[ATTACKS]
    all_moves = ply < numbers[DEPTH]
    best = leaf(search, position, before) if not all_moves else 0.0
    if last:
        return best
    highest = position[MOVER] == numbers[SEAT]
    if all_moves:
        best = -FAR if highest else FAR
    else:
        before = best
    moves, side = search.moves[ply], side_of(position)
    count = legal_moves(position, moves)
    for index in range(count):
        if (best >= high) if highest else (best <= low):
            return best
        action = whole(moves[index])
        if not all_moves and position[BOARD + to_square_of(side, action)] == 0:
            continue
        play(search, ply, action)
        if highest:
            value = node_value(search, ply + 1, max(low, best), high, before)
            best = max(best, value)
        else:
            value = node_value(search, ply + 1, low, min(high, best), before)
            best = min(best, value)
    return best


@kernel
def bound_moves(search: Search) -> None:
    """Write what each move of the root can be worth at most in each sample, and the means."""
    numbers = search.numbers
    for index in range(numbers[COUNT]):
        total = 0.0
        for sample in range(numbers[SAMPLES]):
            copy_cells(search.samples[sample], search.positions[0])
            play(search, 0, whole(search.moves[0, index]))
            after = search.positions[1]
            over = after[MOVER] == OVER
            bound = end_value(search, after) if over else leaf(search, after, 0.0)
            search.bounds[index, sample] = bound
            total += bound
        search.means[index] = total / numbers[SAMPLES] + search.nudges[index]


@kernel
def search_move(search: Search, index: int, best: float) -> float:
    """Return the mean value of a move of the root; if it is not above the best, only about."""
    numbers = search.numbers
    samples = numbers[SAMPLES]
    bounded = numbers[DEPTH] == 1
    nudge = search.nudges[index]
    best -= nudge
    left = 0.0  # the most the samples to come can add
    for sample in range(samples):
        left += search.bounds[index, sample] if bounded else WIN
    total = 0.0
    for sample in range(samples):
        bound = search.bounds[index, sample] if bounded else WIN
        left -= bound
        if total + bound + left <= best * samples:
            return float((total + bound + left) / samples + nudge)
        copy_cells(search.samples[sample], search.positions[0])
        play(search, 0, whole(search.moves[0, index]))
        low = best * samples - total - left
        total += node_value(search, 1, low, FAR, search.bounds[index, sample])
    return float(total / samples + nudge)


@kernel
def run(search: Search) -> None:
    """Search once with the values known so far, and list the leaves that have none."""
    numbers = search.numbers
    bound_moves(search)
    if numbers[WANTED] > 0:
        return  # the order of the moves would be a guess
    tried = np.zeros(numbers[COUNT], dtype=np.bool_)
    best = -FAR
    for _ in range(numbers[COUNT]):
        following = -1
        for index in range(numbers[COUNT]):
            if not tried[index] and (
                following < 0 or search.means[index] > search.means[following]
            ):
                following = index
        if numbers[DEPTH] == 1 and search.means[following] <= best:
            return
        tried[following] = True
        value = search_move(search, following, best)
        if value > best:
            best = value
            numbers[CHOICE] = following


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
