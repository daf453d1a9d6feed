"""The rules that label moves of force groups with the twelve categories."""

import pytest

from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import CATEGORIES, check_labels, rule_labels
from sandtable.registry import make_game

GAME = make_game("lucid")


def labels(line, moves):
    """Return {group: labels} for a move of Blue's."""
    state = GAME.parse(line)
    actions = GAME.parse_actions(moves)
    if actions:
        state.play(actions)  # legal
    return {group.key: found for group, found in rule_labels(state.position, actions)}


def only(line, moves):
    """Return the labels of the only group."""
    (found,) = labels(line, moves).values()
    return found


def test_there_are_the_twelve_categories_of_table_4_1():
    assert len(CATEGORIES) == 12


@pytest.mark.parametrize(
    ("line", "moves", "expected"),
    [
        ("r2,4/5/5/5/b3,b3,3 b 1 0 -", "", {"stayInPosition"}),
        ("r2,4/5/5/5/b3,4 b 1 0 -", "", set()),  # three units are too few to speak of
        ("r2,4/5/5/5/b3,b3,3 b 1 0 -", "a1-a2 a1-a2 a1-a2 b1-b2 b1-b2 b1-b2", {"approach"}),
        ("r2,4/5/5/5/b3,b3,3 b 1 0 -", "a1-a2 a1-a2", {"approach", "ensureSupply"}),
        ("r2,4/5/5/b3,4/b3,4 b 1 0 -", "a2-a3 a2-a3 a2-a3 a1-a2 a1-a2 a1-a2",
         {"approach", "breakSupply"}),
        ("r2,4/5/5/b3,4/b3,4 b 1 0 -", "a1-b1", {"ensureSupply"}),  # not the spearhead
        ("r2,4/b3,4/5/5/5 b 1 0 -", "a4-a5 a4-a5 a4-a5", {"attack"}),
        ("B2r2,4/b1,4/b1,4/b1,4/b1,4 b 1 0 -", "a4-a5", {"reinforceCombat", "ensureSupply"}),
        ("B2r2,4/b1,4/b1,4/b1,4/b1,4 b 1 0 -", "", {"continueCombat", "stayInPosition"}),
        ("b2R2,4/5/5/5/5 b 1 0 -", "a5-goal", {"goToGoal"}),
        ("b2R2,4/5/5/5/5 b 1 0 -", "", {"continueCombat"}),
        ("r2,4/b3,4/5/5/5 b 1 0 -", "a4-b4 a4-b4", {"outflank"}),
        ("r2,4/b3,4/5/5/5 b 1 0 -", "a4-b4", set()),  # one of three
        ("r2,r1,3/b3,4/5/5/5 b 1 0 -", "a4-b4 a4-b4", set()),  # no open exit there
        ("r2,r2,3/b3,4/5/5/5 b 1 0 -", "a4-a3 a4-a3 a4-a3", {"outflank"}),
        ("r2,r2,3/b1,b1,3/5/5/5 b 1 0 -", "b4-a4", {"concentrateForces"}),
        ("r2,r2,3/b1,b1,3/5/5/5 b 1 0 -", "b4-c4", {"outflank"}),  # parts of one unit
        ("5/b3,b1,b3,2/b1,1,b1,2/5/5 b 1 0 -", "b4-b5", {"approach", "splitIntoGroups"}),
    ],
)  # fmt: skip
def test_rules(line, moves, expected):
    assert only(line, moves) == expected


def test_a_group_links_up_by_its_own_steps():
    line = "5/5/5/1,b1,3/b1,1,b1,2 b 1 0 -"
    assert labels(line, "a1-b1 c1-b1") == {
        "a1": {"linkUpGroups"},
        "c1": {"linkUpGroups"},
        "b2": set(),
    }
    assert labels(line, "a1-b1") == {"a1": set(), "c1": set(), "b2": set()}  # beside is not enough
    few = labels("5/5/5/1,b1,3/b3,1,b1,2 b 1 0 -", "a1-b1 c1-b1")
    assert "linkUpGroups" not in few["a1"]  # one of three


def test_units_that_leave_for_the_goal_do_not_concentrate():
    found = only("b1,b1,3/5/5/5/5 b 1 0 -", "a5-goal")
    assert found == {"goToGoal"}


def test_a_combat_goes_on_while_nobody_enters_or_leaves():
    line = "1,B2r2,3/5/1,b1,3/5/5 b 1 0 -"
    assert labels(line, "b3-b4")["b5"] == {"continueCombat"}
    entered = labels("1,B2r2,b1,2/5/5/5/5 b 1 0 -", "c5-b5")["b5 c5"]
    assert "reinforceCombat" in entered and "continueCombat" not in entered


def test_unknown_labels_are_named():
    assert check_labels(["attack", "approach"]) == {"attack", "approach"}
    with pytest.raises(SandtableError, match=r"no category 'atack'\. Did you mean 'attack'"):
        check_labels(["approach", "atack"])
