"""The constraint agents of Operation Lucid: their plans, and what they make of them."""

import numpy as np
import pytest

from sandtable.arena.play.game_loop import play_game
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.constraint import (
    ConstraintBlue,
    ConstraintRed,
    blue_plan,
    red_plan,
)
from sandtable.games.lucid.rules import NODES, TO_GOAL
from sandtable.registry import make_agent, make_game

GAME = make_game("lucid")
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"


def position(line):
    return np.array(GAME.parse(line).position)


def rows(demands):
    """Write a plan as {lowest row of the area, or goal: units}."""
    return {
        "goal" if demand.nodes == {TO_GOAL} else min(demand.nodes) // 5 + 1: demand.units
        for demand in demands
    }


def test_blue_wants_all_but_a_reserve_one_row_further():
    assert rows(blue_plan(position(START), 3)) == {2: 12}
    assert rows(blue_plan(position(START), 0)) == {2: 15}
    later = "r2,r2,r2,r2,r2/b3,4/1,b3,3/1,b2,b2,2/b1,4 b 8 0 -"
    assert rows(blue_plan(position(later), 3)) == {2: 10, 3: 7, 4: 3}


def test_blue_wants_everybody_who_can_in_the_goal():
    # On b5 Blue attacks and cannot leave; on d5 it is alone, on e5 it defends.
    plan = rows(blue_plan(position("1,B2r1,1,b3,b1R1/5/5/5/5 b 8 2 -"), 3))
    assert plan["goal"] == 4
    agent = make_agent("lucid/constraint-blue")
    chosen = agent.choose(GAME.parse("1,B2r1,1,b3,b1R1/5/5/5/5 b 8 2 -"), Dice(0))
    names = [GAME.notation.action_name(action) for action in chosen]
    assert sorted(names) == ["d5-goal", "d5-goal", "d5-goal", "e5-goal", "end"]


def test_red_stays_at_home_and_watches_the_exits_under_threat():
    plan = red_plan(position("r2,r2,r2,r2,r2/1,b3,1,b1,1/5/5/5 r 8 0 -"), 2)
    assert [(sorted(demand.nodes), demand.units) for demand in plan] == [
        ([21], 1),
        ([23], 1),
        (list(range(20, NODES)), 8),
    ]
    agent = ConstraintRed(sally=0)
    chosen = agent.choose(GAME.parse("r2,r2,r2,r2,r2/1,b3,1,b1,1/5/5/5 r 8 0 -"), Dice(0))
    assert all(action == 100 or action % 4 in (1, 3) for action in chosen)


def test_thought_says_how_the_move_came_about():
    move = ConstraintBlue(candidates=500).decide(position(START), Dice(0))
    assert move.generated.relaxed == 0 and not move.generated.complete
    assert rows(move.plan) == {2: 12}
    assert 0 < move.value < 15
    after = GAME.parse(START).play(list(move.actions[:-1]))
    assert after.position[5:10].sum() >= 12


def test_more_candidates_find_better_moves():
    few, many = (
        ConstraintBlue(candidates=count).decide(position(START), Dice(0)) for count in (5, 5000)
    )
    assert many.value > few.value


def test_agents_keep_the_contract():
    assert not check_agent("lucid/constraint-blue:candidates=50", "lucid").problems
    assert not check_agent("lucid/constraint-red:candidates=50", "lucid").problems


def test_blue_gets_more_through_than_the_scripted_agents():
    agents = [make_agent("lucid/constraint-blue:candidates=1000"), make_agent("lucid/axes-red")]
    scores = [
        play_game(GAME, agents, specs=["a", "b"], seed=3, number=number).record.outcome.scores[0]
        for number in range(20)
    ]
    assert np.mean(scores) > 6.6  # OneAxisBlue has 5.4; the mean here about 8.5


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("lucid/constraint-blue:candidates=0", "candidates is at least 1"),
        ("lucid/constraint-blue:reserve=-1", "reserve 0"),
        ("lucid/constraint-red:sally=-1", "sally is at least 0"),
        ("lucid/constraint-blue:weights=nothing", "there are no weights 'nothing'"),
        ("lucid/constraint-blue:weights=no.safetensors", "cannot read the weights no.safetensors"),
    ],
)
def test_mistakes_get_one_line(spec, expected):
    with pytest.raises(SandtableError, match=expected):
        make_agent(spec)
