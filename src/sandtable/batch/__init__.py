"""Thousands of games side by side, with all that a learner reads in arrays that are made once.

Row by row the games are those of single play: game number k throws the dice (seed, "game", k),
whatever the size of the batch or the number of threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.batch import loops
from sandtable.batch.crew import Crew
from sandtable.errors import IllegalAction, SandtableError
from sandtable.types import Game, illegal_action

__all__ = ["Batch"]

FRAMES = ("seat", "board")
SAVED = ("positions", "scores", "over", "numbers", "dice", "choices")  # the rest follows from these


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

    Observations show each mover the board in its own frame, which some games turn (see
    ``Game.action_frames``). Masks, words, the actions of ``step`` and those that
    ``random_actions`` draws are in the same frame, so that what a learner sees and what it does
    agree. With ``frame="board"`` they are those of the rules, records and notation.

    The arrays can be read but not written, and change in the next step: copy what you want to keep.

    >>> from sandtable.registry import make_game
    >>> batch = Batch(make_game("lucid"), 4, seed=1)
    >>> batch.step(batch.random_actions())
    >>> batch.turns.shape, batch.observations.shape[0]
    ((4,), 4)
    """

    positions: NDArray[np.int16]  # [n, position size] whole positions, nothing hidden
    turns: NDArray[np.int64]  # [n] the seat to act, or OVER
    observations: NDArray[np.float32]  # [n, *plane_shape] encode of the view of the seat to act
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
        frame: str = "seat",
    ) -> None:
        if size < 1 or threads < 1 or first < 0:
            raise SandtableError(
                f"a batch has at least 1 row and 1 thread and begins at game 0 or later; "
                f"got size={size}, threads={threads}, first={first}"
            )
        if frame not in FRAMES:
            raise SandtableError(f"the frame of a batch is {' or '.join(FRAMES)}, got '{frame}'")
        self.game, self.size, self.seed, self.auto_reset = game, size, seed, auto_reset
        self.frame = frame
        join = loops.joined(game.name, game.rules)
        frames = None if frame == "board" else game.action_frames
        self._rows = loops.new_rows(game, size, seed, observe, frames)
        self._rows.notes[loops.ON_AND_ON] = auto_reset
        for name in Batch.__annotations__:
            setattr(self, name, read_only(getattr(self._rows, name)))
        self._framed = frames is not None
        self._to_seat = self._rows.frames[loops.TO_SEAT]
        self._turned = (self._to_seat != np.arange(self._to_seat.shape[1])).any(axis=1)
        self._shown_words = np.zeros_like(self._rows.words) if self._framed else self._rows.words
        self._shown_masks = self._shown_words.view(np.bool_)
        self._words = read_only(self._shown_words)
        self._masks = read_only(self._shown_masks)[:, : game.action_count]
        self._chosen = read_only(self._rows.chosen)
        compiled = hasattr(join, "py_func")  # without, threads would stand in a queue
        self._crew = Crew(join, self._rows, min(threads, size) if compiled else 1)
        self._first = first
        self.reset()

    def reset(self, first: int | None = None) -> None:
        """Begin again with the same games, or with those from another number on."""
        self._first = self._first if first is None else first
        self._rows.numbers[:] = np.arange(self._first, self._first + self.size)
        self._rows.over[:] = False
        self._rows.scores[:] = 0.0
        self._rows.notes[loops.UNUSED] = self._first + self.size
        self._crew.run(loops.BEGIN, loops.EVERYBODY)
        self._masks_are_old = True

    def step(self, actions: Sequence[int] | NDArray[Any]) -> None:
        """Play one action in every row; nothing at all is played if one of them is illegal."""
        self._take(actions)
        said = self._crew.run(loops.PLAY, loops.EVERYBODY)
        if said == loops.MANY_ENDED:
            self._crew.run(loops.BEGIN_ENDED, loops.EVERYBODY)
        elif said == loops.ILLEGAL:
            row = int(self._rows.notes[loops.CULPRIT])
            action = int(self._rows.actions[row])
            problem = illegal_action(self.game, self.positions[row], action)
            raise IllegalAction(f"row {row} (game {self.numbers[row]}): {problem}")
        self._masks_are_old = True

    def saved(self) -> dict[str, NDArray[Any]]:
        """Return all that ``restore`` needs to go on from here, in a batch of the same making."""
        kept = {name: np.array(getattr(self._rows, name)) for name in SAVED}
        return kept | {"unused": self._rows.notes[loops.UNUSED : loops.UNUSED + 1].copy()}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to what ``saved`` returned."""
        rows = self._rows
        for name in SAVED:
            if saved[name].shape != getattr(rows, name).shape:
                raise SandtableError(f"this batch has {self.size} rows, the saved one others")
            getattr(rows, name)[...] = saved[name]
        rows.notes[loops.UNUSED] = saved["unused"][0]
        self._crew.run(loops.LOOK, loops.EVERYBODY)
        self._masks_are_old = True

    def random_actions(self) -> NDArray[np.int64]:
        """Draw a legal action for every row, each as likely, from streams apart from the games'.

        The next call writes into the same array.
        """
        self._crew.run(loops.DRAW, loops.AWAKE if self.size >= loops.FEW_ROWS else loops.ALONE)
        return self._chosen

    @property
    def masks(self) -> NDArray[np.bool_]:
        """Which actions are legal [n, actions], in the frame; none in a finished row.

        Where a game turns the board they are turned when they are asked for, which costs as much
        as a light step: ask anew after each step, and not at all where nobody looks.
        """
        self._turn_masks()
        return self._masks

    @property
    def words(self) -> NDArray[np.uint64]:
        """The masks [n, words], eight actions to a word, filled up with zeros."""
        self._turn_masks()
        return self._words

    def _turn_masks(self) -> None:
        if self._framed and self._masks_are_old:
            rows, shown = self._rows, (self._shown_words, self._shown_masks)
            loops.show_masks(rows.turns, rows.words, self._to_seat, self._turned, *shown)
            self._masks_are_old = False

    def _take(self, actions: Sequence[int] | NDArray[Any]) -> None:
        given = np.asarray(actions)
        if given.shape != (self.size,) or given.dtype.kind not in "iu":
            raise SandtableError(
                f"step takes {self.size} whole numbers, one for each row; "
                f"got {given.dtype} of shape {given.shape}"
            )
        self._rows.actions[:] = given
