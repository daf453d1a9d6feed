"""How the champion of Stratego sets up: it draws set-ups and takes the one it likes best.

Its network says of a game that has not begun how it will end, so it also says what its own set-up
is worth: the flag alone in a corner less than the flag behind bombs. As it draws anew for every
game, nobody can know beforehand where its flag is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.agent import FITTING, FOR_BUILT, Champion
from sandtable.games.stratego.agents.champion.setups import SQUARES, draw_setup, give_setup
from sandtable.types import State

__all__ = ["SettingUpChampion"]

DRAWN = 64  # set-ups to choose from; with more of them they would be ever more alike


class SettingUpChampion(Champion):
    """Plays the move its network likes best; in the classic game it sets up by itself."""

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Set up, or move."""
        position = np.array(view.position)
        begins = layout.setting_up(position) and position[layout.DECIDED + view.turn] == 0
        if not begins or position[layout.VARIANT] != layout.CLASSIC:
            return super().choose(view, dice)
        setups = np.empty((DRAWN, SQUARES), dtype=np.int64)
        for ranks in setups:
            draw_setup(ranks, dice.array)
        best = setups[self.worth(view, setups, dice).argmax()]
        base = layout.setup_base(position)
        return [base + int(rank) for rank in best] + [base + layout.DONE]

    def worth(self, view: State, setups: NDArray[np.int64], dice: Dice) -> NDArray[np.float32]:
        """Return what the game is worth with each of these set-ups [n, 40], from -1 to 1.

        A board looks the same from both sides, so all are looked at as Red's.
        """
        game, rules = view.game, view.game.rules
        planes = np.empty((len(setups), *game.plane_shape), dtype=np.float32)
        for ranks, seen in zip(setups, planes, strict=True):
            position = game.empty_position()
            position[layout.ORIGIN : layout.ORIGIN + 2] = (
                layout.RANDOM
            )  # what the other one has is hidden below
            give_setup(position, layout.RED, ranks)
            rules.start(position, dice.array)
            rules.hide(position, layout.RED)
            rules.encode(position, layout.RED, seen)
        weights = FOR_BUILT if self.weights == FITTING else self.weights
        values: NDArray[np.float32] = self.network(weights).both_ways(planes).values
        return values
