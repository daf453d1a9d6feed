"""The kernels of a batch: loops over its rows, made for one game from the templates below.

They run without Python's lock, so threads can share the rows. What a step needs from the first
check to the beginning of new games is one kernel: each call from Python hands over all arrays
anew, which takes as long as a light game takes for dozens of rows.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.batch.signals import (
    AWAITED,
    IDLE,
    LAST_WORD,
    Signals,
    gather,
    next_rows,
    post,
    take_order,
    task_ended,
)
from sandtable.compiled import copy_cells, kernel, placeholder, specialise
from sandtable.dice import below, stream_key
from sandtable.errors import SandtableError
from sandtable.legal_actions import LOWEST_BYTE, MARKS, NO_MARKS, ONE_BYTE, legal_action
from sandtable.types import OVER, Game, Position, Rules

__all__ = ["Rows", "joined", "new_rows"]


# What the templates below are specialised with.
start = turn = legal = apply = score = encode = mark = observe = work = placeholder

# What the threads can be given to do.
PLAY, DRAW, BEGIN, BEGIN_ENDED, LOOK = range(LAST_WORD + 1, LAST_WORD + 6)
# Who does it: the caller, all threads that are awake, all threads.
ALONE, AWAKE, EVERYBODY = range(3)
# How far it has come when the kernel is called, and what it says when it returns.
FIRST_CALL, POSTED, SHARED = range(3)
FINISHED, ILLEGAL, SLEEPERS, STRAGGLER, MANY_ENDED = range(5)
UNUSED, CULPRIT, ON_AND_ON, ACTIONS = range(4)  # in notes
TO_BOARD, TO_SEAT = range(2)  # of frames: a seat's action as the rules know it, and the other way

FEW_ROWS = 64  # with fewer the caller does light work alone


class Rows(NamedTuple):
    """The arrays of a batch; n rows, one game each."""

    positions: NDArray[np.int16]  # [n, position size]
    turns: NDArray[np.int64]  # [n] the seat to act, or OVER
    masks: NDArray[np.bool_]  # [n, 8 * words] which actions are legal; never those to fill a word
    words: NDArray[np.uint64]  # [n, words] the same bytes, eight at a time
    counts: NDArray[np.int64]  # [n] how many actions are legal
    observations: NDArray[np.float32]  # [n, *planes] for the seat to act; [0, ...]: not wanted
    scores: NDArray[np.float64]  # [n, seats] of a game that is over, otherwise zeros
    over: NDArray[np.bool_]  # [n] the game of the row is over, or ended in the last step
    numbers: NDArray[np.int64]  # [n] the number of the game the row plays
    dice: NDArray[np.uint64]  # [n, 4] the stream (seed, "game", number)
    choices: NDArray[np.uint64]  # [n, 4] the stream (seed, "random actions", number)
    actions: NDArray[np.int64]  # [n] what is to be played, in the frame, once checked on the board
    chosen: NDArray[np.int64]  # [n] what has been drawn, in the frame
    frames: NDArray[np.uint16]  # [2, seats, actions] TO_BOARD and TO_SEAT; [2, 0, 0]: not wanted
    blank: Position  # what all games begin from
    # The next number, a row or thread to speak of, whether games go on, how many actions there are.
    notes: NDArray[np.int64]


def mark_template(position: Position, mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions of a position, none if its game is over; return how many."""
    if turn(position) == OVER:
        mask[:] = False
        return 0
    return int(legal(position, mask))


def observe_template(position: Position, planes: NDArray[np.float32]) -> None:
    """Encode what the seat to act may know of a position.

    The contract has ``encode`` look at nothing that a view does not show, whatever it is given, and
    the conformance kit checks that; so the view itself, which can take longer to make, is not made.
    """
    seat = np.int64(turn(position))  # one width, or kernels are compiled once for each
    if seat == OVER:
        planes[:] = 0.0
        return
    encode(position, seat, planes)


def work_template(rows: Rows, task: int, low: int, high: int) -> None:
    """Do a task in each of these rows, and fill in what follows from the positions.

    PLAY plays one action where a game goes on. BEGIN starts all games, BEGIN_ENDED those where the
    one before is over, and LOOK none. ``mark`` and ``observe`` take what they need and not all the
    rows: at this pace, handing those over is felt.
    """
    actions = rows.notes[ACTIONS]
    for row in range(low, high):
        position = rows.positions[row]
        if task == PLAY:
            if rows.turns[row] == OVER:
                continue
            apply(position, rows.actions[row], rows.dice[row])
            rows.over[row] = turn(position) == OVER
            rows.scores[row] = 0.0
            if rows.over[row]:
                score(position, rows.scores[row])
        elif task == BEGIN or (task == BEGIN_ENDED and rows.over[row]):
            for stream in (rows.dice[row], rows.choices[row]):
                stream[1] = rows.numbers[row]
                stream[2:] = 0
            copy_cells(rows.blank, position)
            start(position, rows.dice[row])
        elif task != LOOK:
            continue
        rows.turns[row] = turn(position)
        rows.counts[row] = mark(position, rows.masks[row, :actions])
        if rows.observations.shape[0] > 0:
            observe(position, rows.observations[row])


def join_template(
    rows: Rows, signals: Signals, thread: int, task: int, who: int, patience: int, stage: int
) -> int:
    """Take part in what is to be done, as the thread that calls (0) or as one that serves.

    One that serves does what comes; it returns to wake the caller (AWAITED), or to sleep as nothing
    came (IDLE). The caller does one task, and returns before it is FINISHED where Python has to do
    something: to wake threads (SLEEPERS), or to sleep until one has ended (STRAGGLER); its next
    call tells the stage that was reached. Nothing is played if one action is ILLEGAL.
    """
    size = len(rows.turns)
    if thread == 0 and stage == FIRST_CALL:
        if task == PLAY:
            rows.notes[CULPRIT] = first_illegal(rows)
            if rows.notes[CULPRIT] >= 0:
                return ILLEGAL
        if who != ALONE and post(signals, task, who == EVERYBODY) > 0:
            return SLEEPERS
    while True:
        if thread > 0:
            task = take_order(signals, thread, patience)
            if task == IDLE:
                return IDLE
        tried, low, high = next_rows(signals, thread, 0) if who != ALONE else (size, 0, size)
        while low < high:
            if task == DRAW:
                draw_actions(rows, low, high)
            else:
                work(rows, task, low, high)
            tried, low, high = next_rows(signals, thread, tried)
        if thread == 0:
            break
        if task_ended(signals, thread):
            return AWAITED
    if gather(signals, patience) > 0:
        return STRAGGLER
    if task == PLAY and rows.notes[ON_AND_ON]:
        begun = hand_out_numbers(rows)
        if who != ALONE and begun >= FEW_ROWS:
            return MANY_ENDED
        if begun > 0:
            # Of their type, or the largest kernel of all is compiled again for these two numbers.
            work(rows, np.int64(BEGIN_ENDED), np.int64(0), size)
    return FINISHED


@kernel
def first_illegal(rows: Rows) -> int:
    """Return the first row whose action the rules forbid, or -1; write all as the board's.

    Actions that do not exist stay as they are, for the error to tell.
    """
    actions, count = rows.actions, rows.notes[ACTIONS]
    to_board = rows.frames[TO_BOARD]
    for row in range(len(actions)):
        seat = rows.turns[row]
        if seat != OVER:
            action = actions[row]
            if action < 0 or action >= count:
                return row
            if len(to_board) > 0:
                action = actions[row] = to_board[seat, action]
            if not rows.masks[row, action]:
                return row
    return -1


@kernel
def hand_out_numbers(rows: Rows) -> int:
    """Give each row whose game ended the next number; one after the other, so in a fixed order."""
    begun = 0
    for row in range(len(rows.over)):
        if rows.over[row]:
            rows.numbers[row] = rows.notes[UNUSED] + begun
            begun += 1
    rows.notes[UNUSED] += begun
    return begun


@kernel
def show_masks(
    turns: NDArray[np.int64],
    words: NDArray[np.uint64],
    to_seat: NDArray[np.uint16],
    turned: NDArray[np.bool_],
    shown_words: NDArray[np.uint64],
    shown_masks: NDArray[np.bool_],
) -> None:
    """Write masks again in the frame of each row's mover, into words that are also masks.

    Those of seats that are not ``turned`` are copied. It is given only what it needs of the rows:
    where they are few, handing all over takes longest.
    """
    for row in range(len(turns)):
        seat = turns[row]
        if seat == OVER or not turned[seat]:
            for word in range(words.shape[1]):
                shown_words[row, word] = words[row, word]
            continue
        for word in range(words.shape[1]):
            shown_words[row, word] = NO_MARKS
        for word in range(words.shape[1]):
            marks, action = words[row, word], word * MARKS
            while marks != NO_MARKS:
                if marks & LOWEST_BYTE != NO_MARKS:
                    shown_masks[row, to_seat[seat, action]] = True
                marks >>= ONE_BYTE
                action += 1


@kernel
def draw_actions(rows: Rows, low: int, high: int) -> None:
    """Draw one legal action for each of these rows."""
    to_seat = rows.frames[TO_SEAT]
    for row in range(low, high):
        rows.chosen[row] = 0
        seat = rows.turns[row]
        if seat != OVER:
            place = below(rows.choices[row], rows.counts[row])
            action = legal_action(rows.words[row], rows.masks[row], place)
            rows.chosen[row] = to_seat[seat, action] if len(to_seat) > 0 else action


@functools.cache
def joined(name: str, rules: Rules) -> Callable[..., int]:
    """Compile the templates for the rules of a game; return the last."""
    names = ("start", "turn", "legal", "apply", "score", "encode")
    kernels: dict[str, Any] = {each: getattr(rules, each) for each in names}
    compiled = [each for each in names if hasattr(kernels[each], "py_func")]
    plain = [each for each in names if each not in compiled]
    if compiled and plain:  # with compilation switched off all of them are plain
        raise SandtableError(
            f"a batch of {name} needs kernels, but '{plain[0]}' is a plain function; "
            "decorate it with sandtable.compiled.kernel"
        )
    working: Any = specialise(
        work_template,
        name,
        mark=specialise(mark_template, name, **kernels),
        observe=specialise(observe_template, name, **kernels),
        **kernels,
    )
    join: Callable[..., int] = specialise(join_template, name, work=working)
    return join


def new_rows(
    game: Game, size: int, seed: int, observe: bool, frames: NDArray[np.int64] | None
) -> Rows:
    """Make the arrays of a batch; ``frames`` as in ``Game.action_frames``, None for the board's."""
    if frames is None:
        frames = np.zeros((0, 0), dtype=np.int64)
    dice = np.zeros((size, 4), dtype=np.uint64)
    dice[:, 0] = stream_key(seed, "game")
    choices = np.zeros((size, 4), dtype=np.uint64)
    choices[:, 0] = stream_key(seed, "random actions")
    words = np.zeros((size, -(-game.action_count // MARKS)), dtype=np.uint64)
    return Rows(
        positions=np.zeros((size, game.position_size), dtype=np.int16),
        turns=np.zeros(size, dtype=np.int64),
        masks=words.view(np.bool_),
        words=words,
        counts=np.zeros(size, dtype=np.int64),
        observations=np.zeros((size if observe else 0, *game.plane_shape), dtype=np.float32),
        scores=np.zeros((size, len(game.seats))),
        over=np.zeros(size, dtype=np.bool_),
        numbers=np.zeros(size, dtype=np.int64),
        dice=dice,
        choices=choices,
        actions=np.zeros(size, dtype=np.int64),
        chosen=np.zeros(size, dtype=np.int64),
        frames=np.stack([frames, np.argsort(frames, axis=1)]).astype(np.uint16),
        blank=game.empty_position(),
        notes=np.array([0, 0, 0, game.action_count], dtype=np.int64),
    )
