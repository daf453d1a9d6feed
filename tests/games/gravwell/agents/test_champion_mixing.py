"""The champion's mixed strategies: legal cards, chances that add up, and sense."""

import numpy as np
import pytest

from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.games.gravwell.agents.champion.features import DIRECTIONS
from sandtable.games.gravwell.agents.champion.mixing import (
    LEAST_SHARE,
    judge_cards,
    mixture_of,
    note_shown_cards,
    think_mixed,
)
from sandtable.games.gravwell.agents.champion.network import load_weights
from sandtable.games.gravwell.agents.champion.search import study_others, think
from sandtable.games.gravwell.agents.champion.turns import (
    BASE_ROWS,
    CARD_CELLS,
    CHANGE_ROW,
    judge_turn,
    new_search,
)
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.layout import PHASE, PLAYING, UNKNOWN, WHERE
from sandtable.games.gravwell.rules.drafting import holds
from sandtable.registry import make_agent, make_game

SPECS = ["gravwell:players=2", "gravwell:players=3,tractor=inert", "gravwell"]


def views(spec, every=5):
    """Views of one random game in which somebody is to play a card."""
    game, dice = make_game(spec), Dice(4, "mixing test")
    state, number = game.start(dice), 0
    while state.outcome is None:
        if state.position[PHASE] == PLAYING:
            number += 1
            if number % every == 0:
                yield state.turn, np.array(state.view(state.turn).position)
        state = state.play(state.legal[dice.below(len(state.legal))], dice)


@pytest.mark.parametrize("spec", SPECS)
def test_a_mixture_is_of_the_own_hand_and_adds_up(spec):
    search, parameters, mixture = new_search(), load_weights(), np.zeros(CARDS)
    for own, view in views(spec):
        before = view.copy()
        mixture_of(search, parameters, view, own, 8, 0.3, mixture, Dice(1).array)
        hand = [card for card in range(CARDS) if holds(view, own, card)]
        assert np.array_equal(view, before)
        assert mixture.sum() == pytest.approx(1.0)
        assert all(mixture[card] == 0 or mixture[card] >= LEAST_SHARE for card in hand)
        assert not mixture[[card for card in range(CARDS) if card not in hand]].any()
        assert think_mixed(search, parameters, view, own, 8, 0.3, Dice(2).array) in hand


def test_a_hand_is_judged_as_judge_turn_judges_each_card():
    """The same cards of the others, no coins and no tractors: the same worth card by card."""
    search, parameters, values = new_search(), load_weights(), np.zeros(CARDS)
    for own, view in views("gravwell:players=3,tractor=inert", every=9):
        study_others(search, parameters, view, view, own)
        hidden = [card for card in range(CARDS) if view[WHERE + card] == UNKNOWN]
        for seat in range(3):
            search.numbers[CARD_CELLS + seat] = hidden[seat]
        search.erratic[:], search.coins[:] = False, 1.0
        judge_cards(search, parameters, view, own, values, Dice(3).array)
        assert not search.sums[CHANGE_ROW].any()  # all cards played were secret
        last = max(card for card in range(CARDS) if holds(view, own, card))
        again = judge_turn(search, parameters, view, BASE_ROWS + DIRECTIONS, own, Dice(3).array)
        assert again == values[last]
        note_shown_cards(search, parameters, view, own)
        assert not search.sums[CHANGE_ROW].any()


def test_it_agrees_with_the_search_where_one_card_is_clearly_best():
    search, parameters, mixture, compared = new_search(), load_weights(), np.zeros(CARDS), 0
    for own, view in views("gravwell:players=2", every=1):
        hand = [card for card in range(CARDS) if holds(view, own, card)]
        if len(hand) < 2:
            continue
        best = think(search, parameters, view, view, own, 60, 0.3, Dice(5).array)
        worth = sorted(search.worth[hand])
        if worth[-1] - worth[-2] < 0.04:
            continue
        mixture_of(search, parameters, view, own, 60, 0.3, mixture, Dice(6).array)
        assert mixture[best] > 0.5
        compared += 1
    assert compared >= 3


def test_it_keeps_the_contract_and_draws_different_cards():
    spec = "gravwell/champion:samples=3,mixed=yes"
    assert not check_agent(spec, "gravwell:players=3", games=1).problems
    agent = make_agent(spec)
    game, dice = make_game("gravwell:players=2"), Dice(4, "mixing test")
    state = game.start(dice)
    while state.position[PHASE] != PLAYING:
        state = state.play(state.legal[0], dice)
    agent.begin(game, state.turn, Dice(1))
    view = state.view(state.turn)
    assert len({agent.choose(view, Dice(7, "draw", number))[0] for number in range(40)}) > 1
