"""The yardstick that sees all cards: what it is told, and that nobody can play against it."""

from contextlib import contextmanager

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.champion.network import load_weights
from sandtable.games.gravwell.agents.champion.search import deal_to, study_others, think
from sandtable.games.gravwell.agents.champion.turns import (
    HAND_CELLS,
    HAND_SIZE,
    HELD_CELLS,
    KNOWN_CELLS,
    new_search,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.layout import DRAFTING, PHASE, PLAYING, TAKE, UNKNOWN, WHERE
from sandtable.games.gravwell.rules.drafting import holds
from sandtable.games.gravwell.studies import oracle
from sandtable.registry import agent_names, make_game
from sandtable.reproduce.run import Settings


@contextmanager
def silence(label: str, games: int):
    yield lambda count: None


def states(players, phase):
    """States of one random game in which somebody is to act in the phase."""
    game, dice = make_game(f"gravwell:players={players}"), Dice(8, "oracle test")
    state = game.start(dice)
    while state.outcome is None:
        if state.position[PHASE] == phase:
            yield state
        state = state.play(state.legal[dice.below(len(state.legal))], dice)


@pytest.mark.parametrize("players", [2, 4])
def test_it_is_told_the_very_hands_of_the_others(players):
    search, parameters = new_search(), load_weights()
    for state in states(players, PLAYING):
        own, position = state.turn, np.array(state.position)
        view = np.array(state.view(own).position)
        study_others(search, parameters, view, position, own)
        for seat in range(players):
            if seat == own:
                continue
            held, left = deal_to(search, seat, 0, Dice(1).array)  # nothing is left to be dealt
            first = HAND_CELLS + HAND_SIZE * seat
            hand = {card for card in range(CARDS) if holds(position, seat, card)}
            assert set(search.numbers[first : first + held].tolist()) == hand
            assert search.numbers[KNOWN_CELLS + seat] == search.numbers[HELD_CELLS + seat]
            assert left == 0


def test_it_is_told_what_lies_under_a_stack():
    """Of two deals that differ only under the stacks, the champion thinks alike, it does not."""
    search, parameters = new_search(), load_weights()
    for state in list(states(2, DRAFTING))[::7]:
        seat, position = state.turn, np.array(state.position)
        view = np.array(state.view(seat).position)
        hidden = np.flatnonzero(view[WHERE : WHERE + CARDS] == UNKNOWN)
        other = position.copy()
        other[WHERE + hidden] = position[WHERE + np.roll(hidden, 1)]
        worth = []
        for known in (view, view, position, other):
            think(search, parameters, view, known, seat, 1, 0.3, Dice(2).array)
            worth.append(search.worth[TAKE : TAKE + CARDS].copy())
        assert np.array_equal(worth[0], worth[1])
        assert not np.array_equal(worth[2], worth[3])


def test_without_its_knowledge_it_is_the_champion():
    """Among champions one more that sees its own cards alone wins its part of games."""
    equal = oracle.wins_of(2, False, False, 40, 1, silence)
    assert set(equal.tolist()) <= {0.0, 0.5, 1.0}
    assert 0.2 < equal.mean() < 0.8


def test_it_is_measured_and_is_no_agent():
    figures = oracle.STUDY.variants[0].measure(Settings(games=20), silence)
    assert [figure.count for figure in figures] == [20] * 4
    assert not [name for name in agent_names("gravwell") if "oracle" in name]
    found = {f"players-{each}": figures for each in (2, 3, 4)}
    assert "players-2" in oracle.STUDY.judge(found).words
