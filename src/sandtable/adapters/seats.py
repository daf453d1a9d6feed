"""What all adapters share: one game in progress, seen seat by seat, that nothing can break.

Libraries for learning send whatever a network puts out. So an action that is not legal is not an
error here: it ends the game at once, the seat that tried it gets its lowest score and all others
their highest, which is how the arena treats a forfeit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.session import Session
from sandtable.types import OVER, Game, Outcome, State

__all__ = ["Episodes", "plane_bounds", "rendered"]

LARGEST_SEED = 2**63


class Episodes:
    """One game after the other, with dice that depend on the seed and the number of the game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.seed = 0
        self.number = -1  # of the game that is played
        self.offender: int | None = None  # the seat whose illegal action ended the game
        self.begun: Session | None = None

    def begin(self, seed: int | None = None, observers: Sequence[int] = ()) -> Session:
        """Begin a game: the first one of a seed, or the next one."""
        if seed is not None:
            self.seed, self.number = seed % LARGEST_SEED, -1
        elif self.number < 0:
            self.seed = int(Dice.fresh().array[0] % np.uint64(LARGEST_SEED))
        self.number += 1
        self.offender = None
        dice = Dice(self.seed, "game", self.number)
        self.begun = Session(self.game, dice, observers=observers)
        return self.begun

    @property
    def session(self) -> Session:
        """The game in progress; there is none before ``begin``."""
        if self.begun is None:
            raise RuntimeError("call reset() before anything else")
        return self.begun

    @property
    def over(self) -> bool:
        """Whether the game has ended, by the rules or by an illegal action."""
        return self.turn == OVER

    @property
    def turn(self) -> int:
        """The seat to act, or OVER."""
        turn = self.session.turn
        return turn if self.offender is None else OVER

    def play(self, action: int) -> bool:
        """Play an action of the seat to move; say whether it was legal (after the end none is)."""
        seat = self.turn
        if seat == OVER:
            return False
        try:
            self.session.play(action)
        except IllegalAction:
            self.offender = seat
            return False
        return True

    def play_seen(self, action: int) -> bool:
        """Play an action in the frame of the seat to move, the one of its observation and mask."""
        return self.play(self.game.board_action(self.turn, action))

    def scores(self) -> tuple[float, ...]:
        """Return the scores of a game that is over."""
        if self.offender is not None:
            return Outcome.forfeit(self.game, self.offender, "illegal action").scores
        outcome = self.session.outcome
        assert outcome is not None
        return outcome.scores

    def observation(self, seat: int) -> NDArray[np.float32]:
        """Return what a seat may see, as planes."""
        return self.session.state.planes(seat)

    def mask(self, seat: int) -> NDArray[np.int8]:
        """Return which actions a seat may choose now, in its own frame; none out of its turn."""
        if self.turn != seat:
            return np.zeros(self.game.action_count, dtype=np.int8)
        return self.game.seat_mask(seat, self.session.view(seat).mask).astype(np.int8)


def plane_bounds(game: Game) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return bounds of all planes; games promise none, so they are those of the numbers."""
    shape = game.plane_shape
    largest = np.finfo(np.float32).max
    return np.full(shape, -largest, dtype=np.float32), np.full(shape, largest, dtype=np.float32)


def rendered(state: State, mode: str | None) -> Any:
    """Return a drawing in one of the modes: text ("ansi"), pixels ("rgb_array"), or print it."""
    if mode is None:
        return None
    if mode == "rgb_array":
        from sandtable.pictures import pixels

        return pixels(state.game.drawing.svg(state.position))
    text = str(state)
    if mode == "human":
        print(text)
        return None
    return text
