"""The rules that label moves of force groups with the twelve categories."""

import pytest

from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.categories import (
    CATEGORIES,
    LITERAL,
    OURS,
    check_labels,
    rule_labels,
)
from sandtable.games.lucid.agents.expert.games import (
    BUNDLED_GAMES,
    corrected,
    expert_game,
    read_expert_games,
)
from sandtable.games.lucid.agents.expert.group_examples import group_examples, turn_labels
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


@pytest.mark.parametrize(
    ("line", "moves", "expected"),
    [
        ("r2,4/5/5/5/b3,4 b 1 0 -", "", {"stayInPosition"}),  # however few they are
        ("r2,4/b3,4/5/5/5 b 1 0 -", "a4-b4", {"outflank"}),  # one is more than none
        ("r2,r1,3/b3,4/5/5/5 b 1 0 -", "a4-b4 a4-b4", {"outflank"}),  # whatever holds that exit
        ("5/5/b3,4/5/5 b 1 0 -", "a3-b3 a3-a4 a3-a4", {"approach"}),  # more go north
        ("5/b1,4/b1,4/5/5 b 1 0 -", "a3-b3", {"outflank"}),  # not the spearhead, but it moves
        ("5/b1,4/b2,4/5/5 b 1 0 -", "a3-a4", {"approach"}),
    ],
)  # fmt: skip
def test_literal_rules(line, moves, expected):
    state = GAME.parse(line)
    ((_, found),) = rule_labels(state.position, GAME.parse_actions(moves), LITERAL)
    assert found == expected


def test_by_the_literal_rules_every_move_of_the_expert_has_a_label():
    games = read_expert_games(BUNDLED_GAMES)
    by_rules = {name: group_examples(games, labels=name).targets for name in (OURS, LITERAL)}
    assert (by_rules[LITERAL].sum(axis=1) > 0).all()
    assert (by_rules[OURS].sum(axis=1) == 0).sum() == 112  # of 547


def test_what_a_person_corrected_stays_under_any_rules():
    game = read_expert_games(BUNDLED_GAMES)[0]
    turn = next(turn for turn in game.turns if turn.groups)
    key = turn.groups[0].group.key
    changed = expert_game(corrected(game.record, turn.number, key, ["attack"]))
    turn = next(turn for turn in changed.turns if turn.groups)
    assert turn_labels(turn, LITERAL)[key] == {"attack"}


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
