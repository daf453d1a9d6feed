"""A game in progress: one door for actions, views, history."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError
from sandtable.registry import make_game
from sandtable.session import History, Session
from sandtable.types import OVER, Outcome

SPECS = ("lucid", "gravwell", "skirmish", "stratego:variant=mini,setup=choose")
MOST = 60  # actions, enough to pass turns and throw dice


def begun(spec, **options):
    return Session(make_game(spec), Dice(3, "game", 5), **options)


def play_some(session, choices):
    """Play at random; return the states on the way."""
    states = [session.state]
    while session.turn != OVER and session.ply < MOST:
        legal = session.state.legal
        session.play(legal[choices.below(len(legal))])
        states.append(session.state)
    return states


@pytest.mark.parametrize("spec", SPECS)
def test_a_session_plays_what_a_state_plays(spec):
    session, dice = begun(spec), Dice(3, "game", 5)
    state = session.game.start(dice)
    states = play_some(session, Dice(1))
    for action, after in zip(session.actions, states[1:], strict=True):
        state = state.play(action, dice)
        assert state == after
    for seat in range(len(session.game.seats)):
        assert session.view(seat) == session.state.view(seat)
    assert session.outcome == state.outcome


@pytest.mark.parametrize("spec", SPECS)
def test_history_goes_back_to_the_same_dice(spec):
    session = begun(spec, keep_history=True)
    states, actions = play_some(session, Dice(1)), list(session.actions)
    assert [move.action for move in session.moves] == actions
    for ply, state in enumerate(states):
        assert np.array_equal(session.positions[ply], state.position)
    middle = len(actions) // 2
    session.cut(middle)
    assert (session.ply, session.state) == (middle, states[middle])
    for action in actions[middle:]:
        session.play(action)
    assert session.state == states[-1]  # the same dice fell again


def test_what_is_not_legal_changes_nothing_and_is_told_in_one_line():
    session = begun("lucid", keep_history=True)
    before, dice = session.state, session.dice.array.copy()
    illegal = int(np.flatnonzero(~before.mask)[0])
    for action in (illegal, -1, before.game.action_count, 1.5, "end"):
        with pytest.raises(IllegalAction) as caught:
            session.play(action)
        assert "\n" not in str(caught.value) and "is not legal in" in str(caught.value)
        with pytest.raises(IllegalAction) as checked:
            session.check(action)
        assert str(checked.value) == str(caught.value)
    assert session.state == before and session.ply == 0
    assert np.array_equal(session.dice.array, dice)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.name) == (str(caught.value), "action 'end'")


def test_observers_learn_what_they_may_know():
    session = begun("stratego:variant=mini,setup=choose", observers=(0, 1), keep_history=True)
    session.play(session.state.legal[0])
    assert session.announced == (session.actions[0], None)  # what is put down is secret
    assert session.action_seen(1, 0) and not session.action_seen(1, 1)
    open_game = begun("lucid", observers=(1,))
    open_game.play(open_game.state.legal[0])
    assert open_game.announced == (open_game.actions[0],)


def test_luck_is_counted_on_demand_and_changes_nothing():
    plain, counted = begun("lucid"), begun("lucid", count_luck=True)
    assert play_some(plain, Dice(1)) == play_some(counted, Dice(1))
    assert not plain.luck.any() and counted.luck.any()


def test_without_history_there_is_no_way_back():
    with pytest.raises(SandtableError, match="keeps its history"):
        begun("lucid").cut(0)


def test_a_history_grows_and_is_cut():
    rows = History(np.zeros(3, dtype=np.int16))
    for number in range(1, 100):
        rows.append(np.full(3, number, dtype=np.int16))
    assert len(rows) == 100 and all(rows[each][0] == each for each in range(100))
    rows.cut(40)
    assert len(rows) == 40 and rows[-1][0] == 39
    with pytest.raises(IndexError):
        rows[40]


def test_the_price_of_a_forfeit():
    game = make_game("gravwell:players=3")
    outcome = Outcome.forfeit(game, 1, "nobody there")
    lowest, highest = game.score_bounds[1][0], game.score_bounds[0][1]
    assert outcome == Outcome((highest, lowest, highest), "nobody there", forfeited_by=1)
