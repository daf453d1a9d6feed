"""Thousands of games side by side, with all that a learner reads in arrays that are made once.

The loops over the rows are kernels, made for one game from the templates below. They run without
Python's lock, so threads can share the rows. Row by row the games are those of single play: game
number k throws the dice (seed, "game", k), whatever the size of the batch or the number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.batch_crew import Crew
from sandtable.compiled import copy_cells, kernel, specialise, stand_in
from sandtable.dice import below, stream_key
from sandtable.errors import IllegalAction, SandtableError
from sandtable.types import OVER, Game, Position, Rules, illegal_action_line

__all__ = ["Batch"]


# What the templates below are specialised with.
start = turn = legal = apply = score = encode = mark = observe = stand_in
ACTIONS = 0

SAVED = ("positions", "scores", "over", "numbers", "dice", "choices")  # the rest follows from these
MARKS = 8  # of a mask that fit in one word
BLOCK = 8  # words that are counted together
FEW_ROWS = 1024  # for each thread: with fewer, waking it takes longer than a light loop over them
NO_MARKS, LOWEST_BYTE = np.uint64(0), np.uint64(0xFF)
HALF_WORD, QUARTER_WORD, ONE_BYTE = np.uint64(32), np.uint64(16), np.uint64(8)  # bits


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


def begin_template(rows: Rows, wanted: bool, blank: Position, low: int, high: int) -> None:
    """Start the games of these rows: all of them, or only where the one before is over."""
    for row in range(low, high):
        if not wanted and not rows.over[row]:
            continue
        for stream in (rows.dice[row], rows.choices[row]):
            stream[1] = rows.numbers[row]
            stream[2:] = 0
        position = rows.positions[row]
        copy_cells(blank, position)
        start(position, rows.dice[row])
        rows.turns[row] = turn(position)
        rows.counts[row] = mark(position, rows.masks[row, :ACTIONS])
        if rows.observations.shape[0] > 0:
            observe(position, rows.observations[row])


def play_template(rows: Rows, actions: NDArray[np.int64], low: int, high: int) -> None:
    """Play one action in each of these rows where a game goes on.

    ``mark`` and ``observe`` take what they need and not all the rows: at this pace, handing those
    over is felt.
    """
    for row in range(low, high):
        if rows.turns[row] == OVER:
            continue
        position = rows.positions[row]
        apply(position, actions[row], rows.dice[row])
        rows.turns[row] = turn(position)
        rows.over[row] = rows.turns[row] == OVER
        rows.scores[row] = 0.0
        if rows.over[row]:
            score(position, rows.scores[row])
        rows.counts[row] = mark(position, rows.masks[row, :ACTIONS])
        if rows.observations.shape[0] > 0:
            observe(position, rows.observations[row])


def look_template(rows: Rows, low: int, high: int) -> None:
    """Fill all arrays that follow from the positions of these rows."""
    for row in range(low, high):
        position = rows.positions[row]
        rows.turns[row] = turn(position)
        rows.counts[row] = mark(position, rows.masks[row, :ACTIONS])
        if rows.observations.shape[0] > 0:
            observe(position, rows.observations[row])


@kernel
def first_illegal(rows: Rows, actions: NDArray[np.int64]) -> int:
    """Return the first row whose action the rules forbid, or -1."""
    for row in range(len(actions)):
        if rows.turns[row] != OVER:
            known = 0 <= actions[row] < rows.masks.shape[1]
            if not known or not rows.masks[row, actions[row]]:
                return row
    return -1


@kernel
def hand_out_numbers(rows: Rows, unused: int) -> int:
    """Give each row whose game ended the next number; one after the other, so in a fixed order."""
    for row in range(len(rows.over)):
        if rows.over[row]:
            rows.numbers[row] = unused
            unused += 1
    return unused


@kernel
def marks_in(word: np.uint64) -> np.int64:
    """Count the legal actions in a word of a mask, or in the sum of a block: the sum of its bytes.

    It is added up in halves, so that no product overflows when this runs as plain Python.
    """
    word += word >> HALF_WORD
    word += word >> QUARTER_WORD
    word += word >> ONE_BYTE
    return np.int64(word & LOWEST_BYTE)


@kernel
def legal_action(words: NDArray[np.uint64], masks: NDArray[np.bool_], place: np.int64) -> int:
    """Return the legal action of a row that so many others come before.

    Blocks of words are passed over first, then words, then single actions: without a branch that
    depends on the masks, which a processor cannot foresee.
    """
    word = 0
    while word + BLOCK <= len(words):
        total = NO_MARKS
        for each in range(BLOCK):
            total += words[word + each]
        found = marks_in(total)
        if found > place:
            break
        place -= found
        word += BLOCK
    while word < len(words) - 1:
        found = marks_in(words[word])
        if found > place:
            break
        place -= found
        word += 1
    for action in range(word * MARKS, (word + 1) * MARKS):
        place -= masks[action]
        if place < 0:
            return action
    return 0


@kernel
def draw_actions(rows: Rows, chosen: NDArray[np.int64], low: int, high: int) -> None:
    """Draw one legal action for each of these rows."""
    for row in range(low, high):
        chosen[row] = 0
        if rows.turns[row] != OVER:
            place = below(rows.choices[row], rows.counts[row])
            chosen[row] = legal_action(rows.words[row], rows.masks[row], place)


class Loops(NamedTuple):
    """The templates, compiled for one game."""

    begin: Callable[..., None]
    play: Callable[..., None]


def filled_in(name: str, rules: Rules, actions: int) -> dict[str, Any]:
    """Return what the templates are specialised with for the rules of a game."""
    names = ("start", "turn", "legal", "apply", "score", "encode")
    kernels = {each: getattr(rules, each) for each in names}
    compiled = [each for each in names if hasattr(kernels[each], "py_func")]
    plain = [each for each in names if each not in compiled]
    if compiled and plain:  # with compilation switched off all of them are plain
        raise SandtableError(
            f"a batch of {name} needs kernels, but '{plain[0]}' is a plain function; "
            "decorate it with sandtable.compiled.kernel"
        )
    return kernels | {
        "mark": specialise(mark_template, name, **kernels),
        "observe": specialise(observe_template, name, **kernels),
        "ACTIONS": actions,
    }


@functools.cache
def loops_of(name: str, rules: Rules, actions: int) -> Loops:
    """Compile the templates for the rules of a game with so many actions."""
    filled = filled_in(name, rules, actions)
    return Loops(
        specialise(begin_template, name, **filled), specialise(play_template, name, **filled)
    )


@functools.cache
def look_loop(name: str, rules: Rules, actions: int) -> Callable[..., None]:
    """Compile the template that only restored batches need."""
    compiled: Callable[..., None] = specialise(
        look_template, name, **filled_in(name, rules, actions)
    )
    return compiled


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers through an array that cannot be written."""
    shown = array.view()
    shown.flags.writeable = False
    return shown


class Batch:
    """Many games stepped together; the arrays are made once and refilled by every step.

    Row i begins with game number ``first + i``. Without ``auto_reset`` a finished row stays as it
    is: ``over`` is true, ``scores`` hold its result and its actions are ignored. With it a finished
    row goes on at once with the next number nobody has played: ``over`` and ``scores`` then tell of
    the game that has just ended, all other arrays of the new one.

    The arrays can be read but not written, and change in the next step: copy what you want to keep.
    """

    positions: NDArray[np.int16]  # [n, position size] whole positions, nothing hidden
    turns: NDArray[np.int64]  # [n] the seat to act, or OVER
    masks: NDArray[np.bool_]  # [n, actions] legal actions; none in a finished row
    observations: NDArray[np.float32]  # [n, *plane_shape] encode of the view of the seat to act
    words: NDArray[np.uint64]  # [n, words] the masks, eight actions to a word, filled up with zeros
    scores: NDArray[np.float64]  # [n, seats] of games that are over, otherwise zeros
    over: NDArray[np.bool_]  # [n]
    numbers: NDArray[np.int64]  # [n] the number of each row's game

    def __init__(
        self,
        game: Game,
        size: int,
        seed: int = 0,
        first: int = 0,
        threads: int = 1,
        auto_reset: bool = False,
        observe: bool = True,
    ) -> None:
        if size < 1 or threads < 1 or first < 0:
            raise SandtableError(
                f"a batch has at least 1 row and 1 thread and begins at game 0 or later; "
                f"got size={size}, threads={threads}, first={first}"
            )
        self.game, self.size, self.seed, self.auto_reset = game, size, seed, auto_reset
        self._loops = loops_of(game.name, game.rules, game.action_count)
        self._rows = new_rows(game, size, seed, observe)
        for name in Batch.__annotations__:
            setattr(self, name, read_only(getattr(self._rows, name)))
        self.masks = self.masks[:, : game.action_count]
        self._actions = np.zeros(size, dtype=np.int64)  # [n] what step was asked to play
        self._chosen = np.zeros(size, dtype=np.int64)  # [n] what random_actions drew
        self._chosen_shown = read_only(self._chosen)
        self._blank = game.empty_position()
        threads = min(threads, size)
        self._cuts = [size * part // threads for part in range(threads + 1)]
        self._crew = Crew(threads - 1)
        self._first = first
        self.reset()

    def reset(self, first: int | None = None) -> None:
        """Begin again with the same games, or with those from another number on."""
        self._first = self._first if first is None else first
        self._rows.numbers[:] = np.arange(self._first, self._first + self.size)
        self._rows.over[:] = False
        self._rows.scores[:] = 0.0
        self._unused = self._first + self.size
        self._in_parts(self._loops.begin, True, self._blank)

    def step(self, actions: Sequence[int] | NDArray[Any]) -> None:
        """Play one action in every row; nothing at all is played if one of them is illegal."""
        self._take(actions)
        row = int(first_illegal(self._rows, self._actions))
        if row >= 0:
            line = illegal_action_line(
                self.game, self.positions[row], int(self._actions[row]), over=False
            )
            raise IllegalAction(f"row {row} (game {self.numbers[row]}): {line}")
        self._in_parts(self._loops.play, self._actions)
        if self.auto_reset:
            before, self._unused = self._unused, int(hand_out_numbers(self._rows, self._unused))
            begun = self._unused - before
            if begun:
                self._in_parts(self._loops.begin, False, self._blank, work=begun)

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return all that ``restore`` needs to go on from here, in a batch of the same making."""
        kept = {name: np.array(getattr(self._rows, name)) for name in SAVED}
        return kept | {"unused": np.array([self._unused], dtype=np.int64)}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what ``saved`` returned."""
        rows = self._rows
        for name in SAVED:
            if saved[name].shape != getattr(rows, name).shape:
                raise SandtableError(f"this batch has {self.size} rows, the saved one others")
            getattr(rows, name)[...] = saved[name]
        self._unused = int(saved["unused"][0])
        look = look_loop(self.game.name, self.game.rules, self.game.action_count)
        self._in_parts(look)

    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for every row, each as likely, from streams apart from the games'.

        The next call writes into the same array.
        """
        self._in_parts(draw_actions, self._chosen, work=self.size)
        return self._chosen_shown

    def _take(self, actions: Sequence[int] | NDArray[Any]) -> None:
        given = np.asarray(actions)
        if given.shape != (self.size,) or given.dtype.kind not in "iu":
            raise SandtableError(
                f"step takes {self.size} whole numbers, one for each row; "
                f"got {given.dtype} of shape {given.shape}"
            )
        self._actions[:] = given

    def _in_parts(
        self, loop: Callable[..., None], *arguments: Any, work: int | None = None
    ) -> None:
        """Run a loop over all rows, in as many parts as there are threads, the first one here.

        With ``work``, how many rows a light loop has something to do in, it may all stay here.
        """
        threads = len(self._cuts) - 1
        if threads == 1 or (work is not None and work < FEW_ROWS * threads):
            loop(self._rows, *arguments, 0, self.size)
            return
        bounds = zip(self._cuts[:-1], self._cuts[1:], strict=True)
        self._crew.run([(loop, (self._rows, *arguments, *each)) for each in bounds])


def new_rows(game: Game, size: int, seed: int, observe: bool) -> Rows:
    """Make the arrays of a batch."""
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
    )
