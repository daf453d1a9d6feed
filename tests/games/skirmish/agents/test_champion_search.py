"""The parts of the search: the first one stays, a sure win is one, moves have an order."""

from __future__ import annotations

import numpy as np
import pytest

from games.skirmish.agents.test_champion import some_states
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.champion import order, tree
from sandtable.games.skirmish.agents.champion.agent import Champion
from sandtable.games.skirmish.endgames.suite import read_suite
from sandtable.games.skirmish.rules import flip
from sandtable.registry import make_agent, make_game
from sandtable.types import State

FIRST_CHOICES = [  # action, plies, value
    (24, 3, 0.110423),
    (94, 2, -0.075432),
    (157, 3, 0.240171),
    (576, 0, 0.63684),
    (485, 3, 0.369275),
    (369, 3, 0.794533),
    (439, 3, 0.33215),
    (17, 3, 0.244876),
    (259, 3, 0.777132),
    (166, 2, 0.361528),
    (107, 3, 0.37449),
    (262, 1, 0.953383),
]


def test_the_first_search_plays_as_it_did():
    agent = Champion(budget=400, search="first")
    found = []
    for state in some_states(12):
        action = agent.choose(state.view(state.turn), Dice(0))
        found.append((action, agent.depth, round(agent.value, 6)))
    assert found == FIRST_CHOICES


def test_what_is_reported_as_sure_is_sure():
    game, agent, reported = make_game("skirmish"), Champion(budget=300), 0
    for question in read_suite()[:300]:
        state = State(game, game.notation.parse_position(question.position))
        action = agent.choose(state.view(state.turn), Dice(0))
        assert agent.value > -tree.SURELY  # every question can be held at least
        if agent.value > tree.SURELY:
            assert question.value == "win"
            assert game.notation.action_name(action) in question.right
            reported += 1
    assert reported > 50


def mirrored(action: int) -> int:
    """Return an action on the board turned upside down."""
    if action == layout.PASS:
        return action
    square, step = divmod(action, layout.STEPS)
    row, column = divmod(square, layout.SIDE)
    down, right = divmod(step, 3)
    turned = (layout.SIDE - 1 - row) * layout.SIDE + column
    return turned * layout.STEPS + (2 - down) * 3 + right


def test_the_order_sees_both_sides_alike():
    table, scene, scores = order.load_order(), order.new_scene(), set()
    for state in some_states(12):
        position = np.array(state.position)
        order.look(position, state.turn, scene)
        own = [order.score(position, action, scene, table) for action in state.legal]
        flip(position)
        position[layout.MOVER] = layout.SECOND - position[layout.MOVER]
        order.look(position, 1 - state.turn, scene)
        other = [order.score(position, mirrored(action), scene, table) for action in state.legal]
        assert own == pytest.approx(other)
        scores |= set(own)
    assert len(scores) > 50
    assert max(np.abs(list(scores))) < -tree.LEAST_SCORE  # so that no rank is negative


def test_captures_that_cannot_help_are_left_out_and_no_others():
    game = make_game("skirmish:level=1")
    position = np.array(game.start(Dice(0)).position)
    position[layout.LAND : layout.UNITS], position[layout.UNITS : layout.MOVER] = 1, 0
    units = ((27, layout.SOLDIER), (28, -layout.WORKER), (36, -layout.SOLDIER), (35, -layout.TOWN))
    for square, unit in (*units, (60, layout.TOWN)):
        position[layout.UNITS + square], position[layout.AGES + square] = unit, 5
    assert int(tree.guarded_squares(position)) == sum(
        1 << square for square in (27, 28, 29, 35, 37, 43, 44, 45)
    )
    search = tree.new_search(50, tree.ALL_SWITCHES, order.load_order())
    search.positions[0] = position
    for missing, captures in ((0.0, 3), (0.5, 1), (0.7, 0)):
        search.bounds[0, tree.BEST], search.bounds[0, tree.LOW] = 0.0, missing
        tree.list_captures(search, 0)
        assert search.nodes[0, tree.COUNT] == captures


def test_an_unknown_search_is_told():
    with pytest.raises(SandtableError, match="today or first"):
        make_agent("skirmish/champion:search=frist")
