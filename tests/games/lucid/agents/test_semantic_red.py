"""The semantic agent as Red: its categories, its orders, and whole games."""

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.games.lucid.agents.force_groups import force_groups
from sandtable.games.lucid.agents.red_categories import RED_CATEGORIES, red_labels
from sandtable.games.lucid.agents.semantic.agent import RED_SPECIAL_FIRST, Semantic
from sandtable.games.lucid.agents.semantic.red_orders import HANDLERS, RedOrders
from sandtable.games.lucid.placements.demands import drawn_placements, movelets_to
from sandtable.games.lucid.placements.movelets import possible_movelets
from sandtable.registry import make_game

GAME = make_game("lucid")


def orders(line, *categories, leftover="stay"):
    """Let the only Red group of a position carry out categories; return its movelets, sorted."""
    cells = np.array(GAME.parse(line).position)
    groups = force_groups(cells, 1)
    made = RedOrders(cells, groups, leftover)
    made.carry_out(groups[0], categories)
    return sorted(GAME.notation.action_name(each) for each in made.movelets())


def test_every_category_of_red_can_be_carried_out():
    assert set(HANDLERS) == set(RED_CATEGORIES) == set(RED_SPECIAL_FIRST)
    assert len(RED_CATEGORIES) == 12


@pytest.mark.parametrize(
    ("line", "moves", "expected"),
    [
        ("r2,4/5/5/5/b3,4 r 1 0 -", "", {"stayInPosition"}),
        ("r2,4/5/5/5/b3,4 r 1 0 -", "a5-a4 a5-a4", {"sally"}),
        ("r2,4/5/5/5/b3,4 r 1 0 -", "a5-a4", {"sally", "spreadOut"}),
        ("5/r2,4/5/5/b3,4 r 1 0 -", "a4-a3 a4-a3", {"press"}),
        ("5/r2,4/5/5/b3,4 r 1 0 -", "a4-a5 a4-a5", {"fallBack"}),
        ("1,r2,3/5/5/5/b3,4 r 1 0 -", "b5-a5 b5-a5", {"coverExit"}),
        ("5/1,r2,3/5/5/b3,4 r 1 0 -", "b4-a4 b4-a4", {"intercept"}),
        ("r2,4/5/5/5/b3,4 r 1 0 -", "a5-b5 a5-b5", {"coverExit"}),  # away from Blue: nothing else
        ("r2,4/b2,4/5/5/5 r 1 0 -", "a5-a4 a5-a4", {"attack"}),
        ("r1,4/B1r1,4/5/5/5 r 1 0 -", "a5-a4", {"reinforceCombat", "concentrateForces"}),
        ("B1r1,4/5/5/5/5 r 1 0 -", "", {"continueCombat", "stayInPosition"}),
    ],
)  # fmt: skip
def test_rules_of_red(line, moves, expected):
    state = GAME.parse(line)
    ((_, found),) = red_labels(state.position, GAME.parse_actions(moves))
    assert found == expected


@pytest.mark.parametrize(
    ("line", "category", "expected"),
    [
        ("r3,4/5/5/5/b3,4 r 9 0 -", "sally", ["a5-a4"] * 2),  # one stays on the exit
        ("r3,4/5/5/5/1,b3,3 r 9 0 -", "sally", []),  # nothing to meet in this column
        ("5/r2,4/5/5/b3,4 r 9 0 -", "press", ["a4-a3"] * 2),
        ("5/r2,4/5/5/b3,4 r 9 0 -", "fallBack", ["a4-a5"] * 2),
        ("1,r3,3/5/5/5/b3,4 r 9 0 -", "coverExit", ["b5-a5"] * 3),
        ("r3,r3,3/5/5/5/b3,b3,3 r 9 0 -", "coverExit", []),  # already as Blue stands
        ("5/1,r3,3/5/5/b3,4 r 9 0 -", "intercept", ["b4-a4"] * 3),
        ("5/1,r3,3/5/5/b3,4 r 9 0 -", "coverExit", []),  # nobody is on the top row
        ("r3,4/b1,4/5/5/5 r 9 0 -", "attack", ["a5-a4"] * 3),
        ("r1,4/b3,4/5/5/5 r 9 0 -", "attack", []),  # not worth trying
        ("r1,r1,3/5/5/5/b3,4 r 9 0 -", "concentrateForces", ["b5-a5"]),
        ("r2,4/5/5/5/b3,4 r 9 0 -", "spreadOut", ["a5-a4"]),
        ("r2,4/5/5/5/b3,4 r 9 0 -", "stayInPosition", []),
    ],
)
def test_orders_of_red(line, category, expected):
    assert orders(line, category) == expected


def test_who_is_left_over_covers_exits():
    line = "1,r3,3/5/5/5/b3,4 r 9 0 -"
    assert orders(line, "attack") == []
    assert orders(line, "attack", leftover="go") == ["b5-a5"] * 3


@pytest.mark.parametrize("seed", range(2))
def test_whatever_red_orders_is_legal(seed):
    dice = Dice(seed, "red orders")
    state = GAME.start(dice)
    agent = Semantic()
    while state.turn != -1:
        if state.turn == 1:
            cells = np.array(state.position)
            groups = force_groups(cells, 1)
            made = RedOrders(cells, groups)
            for group in groups:
                names = [RED_CATEGORIES[dice.below(len(RED_CATEGORIES))] for _ in range(3)]
                made.carry_out(group, names)
            movelets = made.movelets()
            assert sorted(possible_movelets(cells, movelets)) == sorted(movelets)
            assert agent.decide(cells, dice).groups[0].categories == RED_CATEGORIES
        chosen = drawn_placements(state.position, (), 1, dice)[0]
        state = state.play(movelets_to(state.position, int(chosen)), dice)
