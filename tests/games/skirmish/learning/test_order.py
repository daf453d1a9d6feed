"""The table of the champion's order of moves: it learns what a search chooses."""

from __future__ import annotations

import numpy as np

from sandtable.games.skirmish.agents.champion.order import PARTS
from sandtable.games.skirmish.learning.champion.order import (
    choices_of_search,
    fit_order,
    places_of_choices,
)
from sandtable.games.skirmish.rules import legal_moves


def test_the_order_learns_what_a_search_chooses():
    positions, chosen = choices_of_search(600, 40, 3)
    again, choices = choices_of_search(600, 40, 3)
    assert np.array_equal(positions, again)
    assert np.array_equal(chosen, choices)
    moves = np.empty(600, dtype=np.int16)
    for position, action in zip(positions, chosen, strict=True):
        assert action in moves[: legal_moves(position, moves)]
    table, losses = fit_order(positions[:500], chosen[:500], 3)
    assert table.shape == (PARTS,)
    assert losses[-1] < losses[0]
    places = np.zeros((2, 100), dtype=np.int64)
    places_of_choices(positions[500:], chosen[500:], table.astype(np.float64), places[0])
    places_of_choices(positions[500:], chosen[500:], np.zeros(PARTS), places[1])
    assert places[0].mean() < 0.85 * places[1].mean() / 2  # without scores the chosen comes last
