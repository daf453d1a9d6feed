"""What a player of an OpenSpiel game may know, as text and as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from sandtable.adapters.openspiel.moments import Moment
from sandtable.types import Game

__all__ = ["Observer", "recall_is_small", "recall_shape"]

LARGEST_RECALL = 2**16  # numbers in an information state tensor
USED = 1  # columns before the seats: whether the row says anything


def recall_shape(game: Game) -> tuple[int, int]:
    """Return the shape of all that a seat can have seen: one row for each action, and two more.

    The columns are: a one if the row is used, who acted, which action it was or, in the last of
    these columns, that the seat may not know it, and then what the seat saw after it, as planes.
    The first row is the start; in the last one an action may wait for its dice.
    """
    planes = int(np.prod(game.plane_shape))
    return game.max_actions + 2, USED + len(game.seats) + game.action_count + 1 + planes


def recall_is_small(game: Game) -> bool:
    """Say whether information state tensors are small enough to be of any use."""
    rows, columns = recall_shape(game)
    return rows * columns <= LARGEST_RECALL


class Observer:
    """What a player may know, as text and as planes.

    With perfect recall the text holds everything the player has seen so far, and so does the
    tensor in games in which that is small. Public information alone is what everybody knows: whose
    turn it is, unless the game has nothing to hide.
    """

    def __init__(self, game: Game, wanted: Any) -> None:
        self.game, self.wanted = game, wanted
        if wanted.perfect_recall and recall_is_small(game):
            seats, past = len(game.seats), recall_shape(game)
            self.tensor = np.zeros(seats + past[0] * past[1], dtype=np.float32)
            self.dict = {"seat": self.tensor[:seats], "past": self.tensor[seats:].reshape(past)}
        else:
            self.tensor = np.zeros(int(np.prod(game.plane_shape)), dtype=np.float32)
            self.dict = {"planes": self.tensor.reshape(game.plane_shape)}

    def set_from(self, state: Any, player: int) -> None:
        """Fill the tensor with what a player sees, or has seen."""
        self.tensor.fill(0.0)
        if not self.sees_own():
            return
        if "past" in self.dict:
            self.dict["seat"][player] = 1.0
            write_past(state.moment, player, self.dict["past"])
        elif state.moment.state is not None:
            self.dict["planes"][:] = state.moment.now.planes(player)

    def string_from(self, state: Any, player: int) -> str:
        """Return what a player sees, or has seen, as text."""
        if not self.sees_own():
            return f"turn {state.moment.turn}" if self.wanted.public_info else ""
        told: str = state.moment.text_for(player, whole=self.wanted.perfect_recall)
        return told

    def sees_own(self) -> bool:
        """Say whether a player's own view is asked for; what is open to all is public."""
        if not self.game.hidden:
            return bool(self.wanted.public_info)
        return bool(self.wanted.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER)


def write_past(moment: Moment, seat: int, rows: Any) -> None:
    """Write all moments up to this one as a seat saw them, the oldest first."""
    moments = [moment]
    while moments[-1].before is not None:
        moments.append(moments[-1].before)
    row = 0
    for each in reversed(moments):
        before = each.before
        if before is not None and not before.thrown:
            row += 1
            write_action(each, seat, rows[row])
        rows[row, 0] = 1.0
        if not each.thrown:
            planes = each.now.planes(seat).reshape(-1)
            rows[row, -len(planes) :] = planes


def write_action(moment: Moment, seat: int, row: Any) -> None:
    """Write who led to a moment and how, as far as a seat may know it."""
    before, game = moment.before, moment.game
    assert before is not None
    row[USED + before.turn] = 1.0
    seen = moment.action_visible(seat)  # in the frame of the planes beside it
    column = game.seat_action(seat, moment.action) if seen else game.action_count
    row[USED + len(game.seats) + column] = 1.0
