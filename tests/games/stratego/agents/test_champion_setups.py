"""The set-ups of Stratego's champion: legal, its own ones, and those that its network likes."""

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.agent import DRAWN_SETUPS, Champion
from sandtable.games.stratego.agents.champion.setups import draw_setup
from sandtable.games.stratego.agents.classic_board import set_up
from sandtable.games.stratego.game import stratego
from sandtable.games.stratego.setups import Setup, check_setup, parse_setup
from sandtable.registry import make_agent

FLAG_BEHIND_BOMBS = "2T62752692/S85276B482/5B36B475B3/324BFB3234"  # the one called keep
FLAG_WITHOUT_BOMBS = "2726952682/6582TS7465/BB4723B532/4B3B32B4F3"  # the one called bluff


@pytest.fixture(scope="module")
def champion():
    return make_agent("stratego/champion")


def setup_chosen(champion, game, number):
    """Let the champion set up both sides of a game; return their ranks [2, 40]."""
    state, chosen = game.start(Dice(number)), []
    for seat in (0, 1):
        actions = champion.choose(state.view(seat), Dice(number, f"agent {seat}"))
        base = layout.first_setup_action(layout.SIDE)
        assert actions[-1] == base + layout.DONE
        chosen.append([action - base for action in actions[:-1]])
        for action in actions:
            state = state.play(action)
    assert not layout.setting_up(state.position)
    return chosen


def test_it_sets_up_legally_and_never_twice_the_same(champion):
    seen = [
        tuple(each)
        for number in range(3)
        for each in setup_chosen(champion, stratego(setup="choose"), number)
    ]
    assert len(set(seen)) == len(seen) == 6
    for each in seen:
        assert check_setup(Setup(layout.CLASSIC, each)) == []
    again = setup_chosen(champion, stratego(setup="choose"), 1)
    assert [tuple(each) for each in again] == seen[2:4]  # all chance comes from the dice


def test_it_takes_the_best_of_those_it_draws(champion):
    game, dice = stratego(setup="choose"), Dice(7)
    view = game.start(Dice(1)).view(0)
    setups = np.empty((DRAWN_SETUPS, 40), dtype=np.int64)
    for each in setups:
        draw_setup(each, dice.array)
    worth = champion.worth(view, setups, dice)
    base = layout.first_setup_action(layout.SIDE)
    chosen = np.array(champion.choose(view, Dice(7))[:-1]) - base
    assert np.array_equal(chosen, setups[worth.argmax()])
    assert worth.max() > worth.mean() + worth.std()


@pytest.mark.parametrize("setups", [{"setup": "choose"}, {"red": "keep", "blue": "choose"}])
def test_worth_is_what_the_network_says_of_the_first_move(champion, setups):
    """Whoever asks: a board looks the same from both sides, and the other one's is not seen."""
    game = stratego(**setups)
    rows = [FLAG_BEHIND_BOMBS, FLAG_WITHOUT_BOMBS]
    ranks = np.array([parse_setup(each, layout.CLASSIC).ranks for each in rows])
    state = game.start(Dice(1))
    found = champion.worth(state.view(state.turn), ranks, Dice(2))
    plain = Champion()
    for each, value in zip(rows, found, strict=True):
        plain.candidates(stratego(red=each).start(Dice(3)).view(0))
        assert value == pytest.approx(plain.value, abs=1e-4)
    assert found[0] > found[1] + 0.1  # with the second it wins far less, and it knows


def test_a_setup_that_was_begun_and_other_variants_are_finished_as_before(champion):
    state = stratego(setup="choose").start(Dice(1))
    state = state.play(state.legal[0])
    assert len(champion.choose(state.view(0), Dice(1))) == 1
    barrage = stratego(variant="barrage", setup="choose").start(Dice(1))
    position = np.array(barrage.view(0).position)
    assert champion.choose(barrage.view(0), Dice(5)) == set_up(position, Dice(5))
