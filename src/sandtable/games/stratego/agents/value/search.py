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

import numpy as np

from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego.agents.value import leaves
from sandtable.games.stratego.agents.value.progress import (
    measure_target_distances,
    progress_of,
    quiet_share,
)
from sandtable.games.stratego.layout import (
    BOARD,
    MOVER,
    OVER,
    as_int64,
    from_square_of,
    side_of,
    to_square_of,
)
from sandtable.games.stratego.rules.kernels import legal_moves, move

__all__ = ["prepare", "run"]


@kernel
def prepare(
    search: leaves.Search, seat: int, samples: int, depth: int, attacks: int, opened: int
) -> None:
    """Begin a search; the samples are in their places, and all have the same legal moves."""
    numbers = search.numbers
    numbers[leaves.WANTED] = numbers[leaves.STORED] = numbers[leaves.VALUED] = 0
    numbers[leaves.SEAT], numbers[leaves.DEPTH], numbers[leaves.ATTACKS] = seat, depth, attacks
    numbers[leaves.SAMPLES], numbers[leaves.OPEN] = samples, opened
    numbers[leaves.COUNT] = legal_moves(search.samples[0], search.moves[0])
    numbers[leaves.CHOICE] = numbers[leaves.BOUNDED] = 0
    root = search.samples[0]
    measure_target_distances(root, seat, search.target_distances)
    for index in range(numbers[leaves.COUNT]):
        steps = progress_of(root, as_int64(search.moves[0, index]), search.target_distances)
        search.nudges[index] = search.settings[leaves.HASTE] * quiet_share(root) * steps
    search.keys[:] = np.uint64(0)
    search.known[:] = False


@kernel
def play(search: leaves.Search, ply: int, action: int) -> None:
    """Write the position after a move of a ply into the next."""
    before, after = search.positions[ply], search.positions[ply + 1]
    copy_cells(before, after)
    side = side_of(before)
    move(after, from_square_of(side, action), to_square_of(side, action))


@kernel
def open_node(search: leaves.Search, ply: int, low: float, high: float, before: float) -> bool:
    """Begin with the position of a ply; say no if its value is there, with no move to try."""
    numbers, position = search.numbers, search.positions[ply]
    marks, frame = search.marks[ply], search.frames[ply]
    if position[MOVER] == OVER:
        frame[leaves.VALUE] = leaves.end_value(search, position)
        return False
    highest = position[MOVER] == numbers[leaves.SEAT]
    all_moves = ply < numbers[leaves.DEPTH]
    if all_moves:
        frame[leaves.VALUE] = -leaves.FAR if highest else leaves.FAR
    else:
        frame[leaves.VALUE] = before = leaves.leaf(search, position, before)
        if ply >= numbers[leaves.DEPTH] + numbers[leaves.ATTACKS]:
            return False
    frame[leaves.LOW], frame[leaves.HIGH], frame[leaves.BEFORE] = low, high, before
    marks[leaves.HIGHEST], marks[leaves.ALL_MOVES] = highest, all_moves
    marks[leaves.NEXT], marks[leaves.MOVES] = 0, legal_moves(position, search.moves[ply])
    return True


@kernel
def next_move(search: leaves.Search, ply: int) -> int:
    """Return the next move to try at a node, or -1 if there is none or the others are cut."""
    marks, frame, position = search.marks[ply], search.frames[ply], search.positions[ply]
    value = frame[leaves.VALUE]
    if (
        (value >= frame[leaves.HIGH])
        if marks[leaves.HIGHEST] == 1
        else (value <= frame[leaves.LOW])
    ):
        return -1
    side = side_of(position)
    while marks[leaves.NEXT] < marks[leaves.MOVES]:
        action = as_int64(search.moves[ply, marks[leaves.NEXT]])
        marks[leaves.NEXT] += 1
        if marks[leaves.ALL_MOVES] == 1 or position[BOARD + to_square_of(side, action)] != 0:
            return action
    return -1


@kernel
def take_back(search: leaves.Search, ply: int) -> None:
    """Take the value of the ply after into a node."""
    frame, value = search.frames[ply], search.frames[ply + 1, leaves.VALUE]
    if search.marks[ply, leaves.HIGHEST] == 1:
        frame[leaves.VALUE] = max(frame[leaves.VALUE], value)
    else:
        frame[leaves.VALUE] = min(frame[leaves.VALUE], value)


@kernel
def first_value(search: leaves.Search, low: float, high: float, before: float) -> float:
    """Return the value of the position of the first ply, as far as it lies between low and high.

    Written as a loop, because Numba cannot keep kernels that call themselves in its cache.
    """
    ply = as_int64(1)
    if not open_node(search, ply, low, high, before):
        return float(search.frames[ply, leaves.VALUE])
    while True:
        action = next_move(search, ply)
        if action >= 0:
            play(search, ply, action)
            frame = search.frames[ply]
            if search.marks[ply, leaves.HIGHEST] == 1:
                low, high = max(frame[leaves.LOW], frame[leaves.VALUE]), frame[leaves.HIGH]
            else:
                low, high = frame[leaves.LOW], min(frame[leaves.HIGH], frame[leaves.VALUE])
            if open_node(search, ply + 1, low, high, frame[leaves.BEFORE]):
                ply += 1
            else:
                take_back(search, ply)
        elif ply == 1:
            return float(search.frames[ply, leaves.VALUE])
        else:
            ply -= 1
            take_back(search, ply)


@kernel
def bound_moves(search: leaves.Search) -> None:
    """Write what each move of the root can be worth at most in each sample, and the means."""
    numbers = search.numbers
    for index in range(numbers[leaves.COUNT]):
        total = 0.0
        for sample in range(numbers[leaves.SAMPLES]):
            copy_cells(search.samples[sample], search.positions[0])
            play(search, 0, as_int64(search.moves[0, index]))
            after = search.positions[1]
            over = after[MOVER] == OVER
            bound = leaves.end_value(search, after) if over else leaves.leaf(search, after, 0.0)
            search.bounds[index, sample] = bound
            total += bound
        search.means[index] = total / numbers[leaves.SAMPLES] + search.nudges[index]


@kernel
def search_move(search: leaves.Search, index: int, best: float) -> float:
    """Return the mean value of a move of the root; if it is not above the best, only about."""
    numbers = search.numbers
    samples = numbers[leaves.SAMPLES]
    bounded = numbers[leaves.DEPTH] == 1
    nudge = search.nudges[index]
    best -= nudge
    left = 0.0  # the most the samples to come can add
    for sample in range(samples):
        left += search.bounds[index, sample] if bounded else leaves.WIN
    total = 0.0
    for sample in range(samples):
        bound = search.bounds[index, sample] if bounded else leaves.WIN
        left -= bound
        if total + bound + left <= best * samples:
            return float((total + bound + left) / samples + nudge)
        copy_cells(search.samples[sample], search.positions[0])
        play(search, 0, as_int64(search.moves[0, index]))
        low = best * samples - total - left
        total += first_value(search, low, leaves.FAR, search.bounds[index, sample])
    return float(total / samples + nudge)


@kernel
def run(search: leaves.Search) -> None:
    """Search once with the values known so far, and list the leaves that have none."""
    numbers = search.numbers
    if numbers[leaves.BOUNDED] == 0:
        bound_moves(search)
        if numbers[leaves.WANTED] > 0:
            return  # the order of the moves would be a guess
        numbers[leaves.BOUNDED] = 1
    tried = np.zeros(numbers[leaves.COUNT], dtype=np.bool_)
    best = -leaves.FAR
    for _ in range(numbers[leaves.COUNT]):
        following = -1
        for index in range(numbers[leaves.COUNT]):
            if not tried[index] and (
                following < 0 or search.means[index] > search.means[following]
            ):
                following = index
        if numbers[leaves.DEPTH] == 1 and search.means[following] <= best:
            return
        tried[following] = True
        value = search_move(search, following, best)
        if value > best:
            best = value
            numbers[leaves.CHOICE] = following
