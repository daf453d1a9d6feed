"""The study of the champion's beliefs: what each way of guessing says, and how it is judged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from sandtable.dice import Dice, below
from sandtable.games.stratego import layout
from sandtable.games.stratego.studies.beliefs import (
    BELIEF_STUDIES,
    PEOPLE,
    SAVED,
    WAYS,
    guesses,
    look,
)
from sandtable.games.stratego.studies.secrets import hidden_pieces
from sandtable.registry import make_agent, make_game
from sandtable.reproduce.studies import AGREES, CANNOT_BE_TOLD, CONTRADICTS, Measurement


@pytest.fixture(scope="module")
def middle():
    """A game in its middle, in which ranks are shown and pieces have moved."""
    dice = Dice(6, "beliefs")
    state = make_game("stratego").start(Dice(6))
    for _ in range(60):
        state = state.play(state.legal[below(dice.array, len(state.legal))])
    return state


@pytest.fixture(scope="module")
def champion():
    return make_agent("stratego/champion:weights=champion-built")


def test_every_way_gives_chances_of_what_the_rules_allow(champion, middle):
    found = guesses(champion, middle, 1 - middle.turn)
    pieces = hidden_pieces(middle.position, 1 - middle.turn)
    squares = [piece.square for piece in pieces]
    moved = [s for s in squares if int(middle.position[s]) & layout.MOVED]
    assert moved
    assert set(found) == set(WAYS)
    for way, chances in found.items():
        assert np.allclose(chances[:, squares].sum(0), 1.0, atol=1e-5), way
        assert not chances[[layout.BOMB - 1, layout.FLAG - 1]][:, moved].any(), way
        assert all(chances[piece.rank - 1, piece.square] > 0 for piece in pieces), way


def test_what_is_saved_is_the_difference_on_the_same_pieces(champion, middle):
    found = defaultdict(list)
    look(found, champion, middle, 60)
    saved = found[f"{SAVED} {PEOPLE}", 60][0]
    assert saved == pytest.approx(
        found["bits, what is left", 60][0] - found[f"bits, {PEOPLE}", 60][0]
    )


def test_it_is_judged_by_the_intervals_of_all_plies():
    judge = BELIEF_STUDIES[0].judge
    more = Measurement(f"{SAVED} {PEOPLE}", 0.1, 0.05, 0.15, 100, at=0.0)
    less, unclear = replace(more, low=-0.2, high=-0.1), replace(more, low=-0.05)
    assert judge({"built": [more, more]}).verdict == AGREES
    assert judge({"built": [less, less]}).verdict == CONTRADICTS
    for figures in ([more, unclear], [more, less], [more, replace(more, low=None)], []):
        assert judge({"built": figures}).verdict == CANNOT_BE_TOLD
