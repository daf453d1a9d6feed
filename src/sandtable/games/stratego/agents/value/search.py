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
that brings its piece nearer to an enemy (see policy/progress.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.policy.progress import (
    measure_target_distances,
    no_target_distances,
    progress_of,
    quiet_share,
)
from sandtable.games.stratego.agents.square_codes import key_of, write_codes
from sandtable.games.stratego.rules.kernels import legal_moves, move
from sandtable.games.stratego.rules.moves import MOST_MOVES

__all__ = ["Evaluate", "Search", "evaluate_boards", "new_search", "prepare", "run", "supply"]

# planes [board, 6, 10, 10] float32 -> value of each board [board] to the side at the bottom
Evaluate: TypeAlias = Callable[[NDArray[np.float32]], NDArray[np.float32]]

BOARDS_IN_CALL = 64  # more at once are slower on one core: they leave its cache
TABLE = 1 << 16  # a power of two
ROOM = 4096  # boards on the list
WIN = 1.0
MOST = 0.98  # what the network may say at most: a win in hand is better than any promise
FAR = 1e9

# What a search is about, and how far it is.
CONTROL = np.dtype(
    [
        ("wanted", np.int64),  # boards on the list for the network
        ("seat", np.int64),  # for which the search is
        ("depth", np.int64),  # plies with all moves
        ("attacks", np.int64),  # plies after them with attacks alone
        ("samples", np.int64),
        ("moves", np.int64),  # of the root
        ("choice", np.int64),  # the move found, as an index
        ("stored", np.int64),  # boards in the table
        ("valued", np.int64),  # boards the network has valued for this search
        ("open_ranks", np.int64),  # 1: the network sees leaves with all ranks of the sample
        ("bounded", np.int64),  # 1: the bounds of all moves of the root are values of the network
        ("draw_value", np.float64),  # what a draw is worth
        ("haste", np.float64),  # what a step towards an enemy is worth just before a quiet draw
        ("fading", np.int64),  # 1: values move towards that of a draw while nobody attacks
    ]
)
# The position of a ply while its moves are tried.
NODE = np.dtype(
    [
        ("next_move", np.int64),  # the move to try next
        ("moves", np.int64),  # how many there are
        ("own", np.int64),  # 1: the seat of the search moves
        ("all_moves", np.int64),  # 0: attacks alone
        ("low", np.float64),
        ("high", np.float64),
        ("value", np.float64),  # so far
        ("board_value", np.float64),  # what was said of the last board before it
    ]
)


class Search(NamedTuple):
    """The memory of one search after the other."""

    samples: NDArray[np.int16]  # [sample, cell]
    positions: NDArray[np.int16]  # [ply, cell]
    moves: NDArray[np.int16]  # [ply, MOST_MOVES]
    bounds: NDArray[np.float64]  # [move of the root, sample] what it can be worth at most
    means: NDArray[np.float64]  # [move of the root] mean bound, then mean value
    keys: NDArray[np.uint64]  # [TABLE] of boards, 0 for none
    values: NDArray[np.float32]  # [TABLE] of the network
    known: NDArray[np.bool_]  # [TABLE] whether the value is there
    wanted: NDArray[np.uint8]  # [ROOM, 100] boards on the list, on the small board [ROOM, 36]
    entries: NDArray[np.int64]  # [ROOM] where their values go
    codes: NDArray[np.uint8]  # [100] or [36] scratch
    nodes: NDArray[Any]  # [ply] of NODE
    controls: NDArray[Any]  # [1] of CONTROL
    target_distances: NDArray[np.int64]  # [rank, square + 1] steps to the nearest target
    nudges: NDArray[np.float64]  # [move of the root] what is added to its value


def new_search(samples: int, plies: int, squares: int = layout.SQUARES) -> Search:
    """Return the memory for searches of so many samples and plies."""
    return Search(
        samples=np.zeros((samples, layout.POSITION_SIZE), dtype=np.int16),
        positions=np.zeros((plies + 1, layout.POSITION_SIZE), dtype=np.int16),
        moves=np.zeros((plies + 1, MOST_MOVES), dtype=np.int16),
        bounds=np.zeros((MOST_MOVES, samples)),
        means=np.zeros(MOST_MOVES),
        keys=np.zeros(TABLE, dtype=np.uint64),
        values=np.zeros(TABLE, dtype=np.float32),
        known=np.zeros(TABLE, dtype=np.bool_),
        wanted=np.zeros((ROOM, squares), dtype=np.uint8),
        entries=np.zeros(ROOM, dtype=np.int64),
        codes=np.zeros(squares, dtype=np.uint8),
        nodes=np.zeros(plies + 1, dtype=NODE),
        controls=np.zeros(1, dtype=CONTROL),
        target_distances=no_target_distances(),
        nudges=np.zeros(MOST_MOVES),
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
    fades = position[layout.NO_ATTACK] > 0 and search.controls[0].fading == 1
    share = quiet_share(position) if fades else 0.0
    return float(value + share * (search.controls[0].draw_value - value))


@kernel
def leaf(search: Search, position: NDArray[np.int16], before: float) -> float:
    """Return the value of a board to the seat; ``before`` while the network has not said it."""
    control = search.controls[0]
    write_codes(position, control.seat, control.open_ranks == 1, search.codes)
    key = key_of(search.codes)
    entry = entry_of(search, key)
    if search.keys[entry] == np.uint64(0):
        if control.wanted >= ROOM or 2 * control.stored >= TABLE:
            return before  # comes back when this list is done, or stays with the value before it
        search.keys[entry] = key
        copy_cells(search.codes, search.wanted[control.wanted])
        search.entries[control.wanted] = entry
        control.wanted += 1
        control.stored += 1
        return before
    if not search.known[entry]:
        return before
    value = min(max(float(search.values[entry]), -MOST), MOST)
    return toward_draw(search, position, value)


@kernel
def end_value(search: Search, position: NDArray[np.int16]) -> float:
    """Return what the end of a game is worth to the seat."""
    if position[layout.WINNER] == 0:
        return float(search.controls[0].draw_value)
    return WIN if position[layout.WINNER] == 1 + search.controls[0].seat else -WIN


@kernel
def supply(search: Search, values: NDArray[np.float32]) -> None:
    """Take in the values of all boards on the list."""
    control = search.controls[0]
    for index in range(control.wanted):
        entry = search.entries[index]
        search.values[entry] = values[index]
        search.known[entry] = True
    control.valued += control.wanted
    control.wanted = 0


def evaluate_boards(network: Evaluate, planes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what a network says of boards, some of them at a time."""
    return np.concatenate(
        [
            network(planes[first : first + BOARDS_IN_CALL])
            for first in range(0, len(planes), BOARDS_IN_CALL)
        ]
    )


@kernel
def prepare(search: Search, seat: int, samples: int, depth: int, attacks: int, opened: int) -> None:
    """Begin a search; the samples are in their places, and all have the same legal moves."""
    control = search.controls[0]
    control.wanted = control.stored = control.valued = 0
    control.seat, control.depth, control.attacks = seat, depth, attacks
    control.samples, control.open_ranks = samples, opened
    control.moves = legal_moves(search.samples[0], search.moves[0])
    control.choice = control.bounded = 0
    root = search.samples[0]
    measure_target_distances(root, seat, search.target_distances)
    for index in range(control.moves):
        steps = progress_of(root, layout.as_int64(search.moves[0, index]), search.target_distances)
        search.nudges[index] = control.haste * quiet_share(root) * steps
    search.keys[:] = np.uint64(0)
    search.known[:] = False


@kernel
def play(search: Search, ply: int, action: int) -> None:
    """Write the position after a move of a ply into the next."""
    before, after = search.positions[ply], search.positions[ply + 1]
    copy_cells(before, after)
    side = layout.side_of(before)
    move(after, layout.from_square_of(side, action), layout.to_square_of(side, action))


@kernel
def open_node(search: Search, ply: int, low: float, high: float, before: float) -> bool:
    """Begin with the position of a ply; say no if its value is there, with no move to try."""
    control, position, node = search.controls[0], search.positions[ply], search.nodes[ply]
    if position[layout.MOVER] == layout.OVER:
        node.value = end_value(search, position)
        return False
    own = position[layout.MOVER] == control.seat
    all_moves = ply < control.depth
    if all_moves:
        node.value = -FAR if own else FAR
    else:
        node.value = before = leaf(search, position, before)
        if ply >= control.depth + control.attacks:
            return False
    node.low, node.high, node.board_value = low, high, before
    node.own, node.all_moves = own, all_moves
    node.next_move, node.moves = 0, legal_moves(position, search.moves[ply])
    return True


@kernel
def next_move(search: Search, ply: int) -> int:
    """Return the next move to try at a node, or -1 if there is none or the others are cut."""
    node, position = search.nodes[ply], search.positions[ply]
    value = node.value
    if (value >= node.high) if node.own == 1 else (value <= node.low):
        return -1
    side = layout.side_of(position)
    while node.next_move < node.moves:
        action = layout.as_int64(search.moves[ply, node.next_move])
        node.next_move += 1
        if node.all_moves == 1 or position[layout.BOARD + layout.to_square_of(side, action)] != 0:
            return action
    return -1


@kernel
def take_back(search: Search, ply: int) -> None:
    """Take the value of the ply after into a node."""
    node, value = search.nodes[ply], search.nodes[ply + 1].value
    if search.nodes[ply].own == 1:
        node.value = max(node.value, value)
    else:
        node.value = min(node.value, value)


@kernel
def first_value(search: Search, low: float, high: float, before: float) -> float:
    """Return the value of the position of the first ply, as far as it lies between low and high.

    Written as a loop, because Numba cannot keep kernels that call themselves in its cache.
    """
    ply = layout.as_int64(1)
    if not open_node(search, ply, low, high, before):
        return float(search.nodes[ply].value)
    while True:
        action = next_move(search, ply)
        if action >= 0:
            play(search, ply, action)
            node = search.nodes[ply]
            if search.nodes[ply].own == 1:
                low, high = max(node.low, node.value), node.high
            else:
                low, high = node.low, min(node.high, node.value)
            if open_node(search, ply + 1, low, high, node.board_value):
                ply += 1
            else:
                take_back(search, ply)
        elif ply == 1:
            return float(search.nodes[ply].value)
        else:
            ply -= 1
            take_back(search, ply)


@kernel
def bound_moves(search: Search) -> None:
    """Write what each move of the root can be worth at most in each sample, and the means."""
    control = search.controls[0]
    for index in range(control.moves):
        total = 0.0
        for sample in range(control.samples):
            copy_cells(search.samples[sample], search.positions[0])
            play(search, 0, layout.as_int64(search.moves[0, index]))
            after = search.positions[1]
            over = after[layout.MOVER] == layout.OVER
            bound = end_value(search, after) if over else leaf(search, after, 0.0)
            search.bounds[index, sample] = bound
            total += bound
        search.means[index] = total / control.samples + search.nudges[index]


@kernel
def search_move(search: Search, index: int, best: float) -> float:
    """Return the mean value of a move of the root; if it is not above the best, only about."""
    control = search.controls[0]
    samples = control.samples
    bounded = control.depth == 1
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
        play(search, 0, layout.as_int64(search.moves[0, index]))
        low = best * samples - total - left
        total += first_value(search, low, FAR, search.bounds[index, sample])
    return float(total / samples + nudge)


@kernel
def run(search: Search) -> None:
    """Search once with the values known so far, and list the leaves that have none."""
    control = search.controls[0]
    if control.bounded == 0:
        bound_moves(search)
        if control.wanted > 0:
            return  # the order of the moves would be a guess
        control.bounded = 1
    tried = np.zeros(control.moves, dtype=np.bool_)
    best = -FAR
    for _ in range(control.moves):
        following = -1
        for index in range(control.moves):
            if not tried[index] and (
                following < 0 or search.means[index] > search.means[following]
            ):
                following = index
        if control.depth == 1 and search.means[following] <= best:
            return
        tried[following] = True
        value = search_move(search, following, best)
        if value > best:
            best = value
            control.choice = following
