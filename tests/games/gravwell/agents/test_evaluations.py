"""What searches of any game are told about an unfinished game of Gravwell."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.evaluations import LEAD, lead
from sandtable.registry import make_game

NO_WEIGHTS = np.zeros(0)


@pytest.mark.parametrize("players", [2, 4])
def test_the_lead_is_that_over_the_best_other_ship(players: int) -> None:
    game, dice = make_game(f"gravwell:players={players}"), Dice(3)
    state, seen = game.start(dice), set()
    while state.outcome is None:
        tiles = [int(state.position[layout.SHIPS + seat]) for seat in range(players)]
        for seat in range(players):
            others = [tile for number, tile in enumerate(tiles) if number != seat]
            wanted = (tiles[seat] - max(others)) / LEAD
            assert lead(np.array(state.position), seat, NO_WEIGHTS) == pytest.approx(wanted)
            seen.add(wanted)
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
    assert min(seen) < 0 < max(seen)
