"""What stands in place of the Q-learner's table: a network, and a table of joint actions."""

import dataclasses

import numpy as np
import pytest

from games.gravwell.agents.test_q_learning import views
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.q_learning import joint_actions, network_state
from sandtable.games.gravwell.agents.q_learning.states import JOINT, table_size
from sandtable.games.gravwell.cards import KIND, NAMES, TRACTOR, VALUE
from sandtable.games.gravwell.layout import (
    MOVER,
    OPEN_HAND,
    PLAYERS,
    PLAYING,
    SHIPS,
    UNKNOWN,
    WHERE,
)
from sandtable.games.gravwell.learning.q_learning.recipe import PRESETS, learn_block, new_tables
from sandtable.learning.config import check_config
from sandtable.registry import make_agent, make_game
from sandtable.types import State

CARD = {name: card for card, name in enumerate(NAMES)}


# --- joint actions -------------------------------------------------------------------------------


def test_classes_tell_order_and_sort():
    own = CARD["H"]
    assert joint_actions.class_of(own, CARD["Ar"]) == 5  # before it, a low normal card
    assert joint_actions.class_of(own, CARD["Y"]) == 2  # after it, a high one
    assert joint_actions.class_of(own, CARD["Kr"]) == 3
    assert joint_actions.class_of(CARD["Zr"], CARD["Qt"]) == 9
    found = {joint_actions.class_of(own, other) for own in range(26) for other in range(26)}
    assert found == set(range(joint_actions.CLASSES))


def test_chances_are_about_cards_the_opponent_can_hold():
    table = np.zeros(table_size(JOINT))
    for view in views(PLAYING, 3):
        seat, players = int(view[MOVER]), int(view[PLAYERS])
        rival = joint_actions.rival_of(view, seat)
        ways = {s: abs(int(view[SHIPS + s] - view[SHIPS + seat])) for s in range(players)}
        assert rival != seat
        assert ways[rival] == min(way for other, way in ways.items() if other != seat)
        chances = np.zeros(26)
        joint_actions.write_chances(view, rival, table, chances)
        assert chances.sum() == pytest.approx(1)
        for card in range(26):
            place = view[WHERE + card]
            assert (chances[card] > 0) <= (place in (OPEN_HAND + rival, UNKNOWN))
        own = int(np.flatnonzero(chances)[0])
        values = Dice(1).below(5) + np.arange(10.0)
        table[own * 10 : own * 10 + 10] = values  # the state with nobody behind or ahead
        wanted = sum(chances[o] * values[plain_class(own, o)] for o in range(26))
        assert joint_actions.joint_value(table, 0, own, chances) == pytest.approx(wanted)


def plain_class(own, other):
    if KIND[other] == TRACTOR:
        sort = 4
    elif KIND[other]:
        sort = 3
    else:
        sort = 0 if VALUE[other] <= 3 else 2 if VALUE[other] >= 8 else 1
    return sort + 5 * (other < own)


def test_joint_learner_counts_one_card_a_turn():
    config = PRESETS["joint"]
    tables = new_tables(config)
    results = learn_block(config, tables, 0, 30)
    counts = tables.cards[-joint_actions.BELIEFS :].reshape(6, 26)
    assert counts.sum() == results[:, 2].sum() == tables.card_visits.sum()
    assert (counts.sum(1)[:-1] >= counts.sum(1)[1:]).all()  # games end at any turn


# --- the network ---------------------------------------------------------------------------------


def test_teaching_goes_down_the_slope():
    view = views(PLAYING, 1)[7]
    seat, card, step = int(view[MOVER]), 3, 1e-5
    parameters = network_state.first_parameters(1)
    active, hidden = np.zeros(48, np.uint16), np.zeros(network_state.HIDDEN)
    count = network_state.see(view, seat, parameters, active, hidden)
    assert (hidden > 0).any()
    value = network_state.value_of(parameters, hidden, card)
    taught = parameters.copy()
    network_state.teach(taught, active, count, hidden, card, value + 1.0, step)
    moved = np.flatnonzero(taught != parameters)
    for place in moved[:: max(1, len(moved) // 40)]:
        nudged = parameters.copy()
        nudged[place] += 1e-6
        network_state.see(view, seat, nudged, active, hidden)
        slope = (network_state.value_of(nudged, hidden, card) - value) / 1e-6
        assert (taught[place] - parameters[place]) / step == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("name", ["joint", "network"])
def test_bundled_values_play_and_are_explained(name):
    agent = make_agent(f"gravwell/q-learning:table={name}")
    for view in views(PLAYING, 1)[:3]:
        told = agent.explain(State(make_game("gravwell"), view), Dice(1))
        shares = [float(line.split()[2][:-1]) for line in told.text.splitlines()[2:-1]]
        assert sum(shares) == pytest.approx(100, abs=0.5)
    assert agent.show_text() and agent.show_svg()


def test_one_thing_takes_the_place_of_the_table():
    for changes in ({"joint": True}, {"hulks": True}):
        with pytest.raises(SandtableError, match="--network goes with no other state"):
            check_config(dataclasses.replace(PRESETS["network"], **changes))
    check_config(dataclasses.replace(PRESETS["joint"], hulks=True))
