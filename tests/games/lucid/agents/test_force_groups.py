"""Force groups of Operation Lucid: who hangs together, and what a group sees."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.lucid.plain import NEIGHBOURS, NODES
from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.expert.lookup import mirrored_position
from sandtable.games.lucid.agents.force_groups import (
    FEATURE_NAMES,
    FEATURES,
    PATHS,
    force_groups,
)
from sandtable.registry import make_game

GAME = make_game("lucid")


def seen(line, seat=0, paths="cheapest"):
    """Return {nodes of the group: {name of the feature: value}}."""
    groups = force_groups(GAME.parse(line).position, seat, paths)
    return {
        group.key: dict(zip(FEATURE_NAMES, group.features.tolist(), strict=True))
        for group in groups
    }


def pairs_of(found):
    """Return the pairs (distance, resistance) of a group."""
    return [(found[f"distance {n}"], found[f"resistance {n}"]) for n in range(1, 6)]


def test_there_are_the_twenty_features_of_figure_4_1():
    assert FEATURES == len(set(FEATURE_NAMES)) == 20


def test_the_example_of_figure_4_1():
    """Five units on two nodes, 12 Blue and 9 Red units, another group three steps away."""
    line = "r1,1,1,r2,1/r1,r1,1,1,r2/b3,b2,r1,r1,1/5/2,b3,b3,b1 b 10 0 -"
    found = seen(line, paths="least-resistance")["a3 b3"]
    assert pairs_of(found) == [(2, 1), (2, 2), (3, 1), (4, 3), (7, 2)]
    assert found["units in this group"] == 5 and found["group density"] == 2.5
    assert found["distance to closest group"] == 3
    assert found["total Blue units"] == 12 and found["total Red units"] == 9
    assert found["rounds left"] == 27
    assert found["Blue force in combat"] == found["proportion supplied"] == 0


@pytest.mark.parametrize("paths", PATHS)
def test_no_reading_gives_the_fifth_pair_while_red_is_at_home(paths):
    """The published opponent never leaves the top row; then 7 steps are nobody's distance."""
    line = "r1,r2,r1,r3,r2/5/b3,b2,3/5/2,b3,b3,b1 b 10 0 -"
    assert pairs_of(seen(line, paths=paths)["a3 b3"]) == [(2, 1), (2, 2), (3, 1), (4, 3), (5, 2)]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [("shortest", (4, 3)), ("cheapest", (6, 0)), ("least-resistance", (6, 0))],
)
def test_readings_of_the_best_path(paths, expected):
    """To c5: 4 steps and 3 units straight on, or 6 steps round them."""
    found = seen("5/r3,r3,r3,1,1/b1,4/5/5 b 10 0 -", paths=paths)["a3"]
    assert expected in pairs_of(found)
    # To a5: 3 units on 2 steps, or 8 steps and none.
    assert ((8, 0) if paths == "least-resistance" else (2, 3)) in pairs_of(found)


def test_combat_is_seen():
    # b5: Blue attacks 2 to 1, in supply through b4 ... b1; d4: Blue defends alone.
    found = seen("1,B2r1,3/1,b1,1,b1R2,1/1,b1,3/1,b1,3/1,b1,3 b 10 0 -")
    column, lone = found["b1 b2 b3 b4 b5"], found["d4"]
    assert (column["Blue force in combat"], column["Red force in combat"]) == (2, 1)
    assert (column["proportion supplied"], column["proportion of attackers"]) == (1, 1)
    assert (lone["Blue force in combat"], lone["Red force in combat"]) == (1, 2)
    assert (lone["proportion supplied"], lone["proportion of attackers"]) == (0, 0)
    # What the group fights in b5 itself is not on its way there.
    assert (column["distance 1"], column["resistance 1"]) == (0, 0)


def test_without_another_group_the_closest_is_far():
    assert seen("5/5/5/5/b3,4 b 1 0 -")["a1"]["distance to closest group"] == 10


def test_red_groups_see_blue():
    found = seen("r2,r2,3/5/5/5/b3,b3,b3,b3,b3 r 1 0 -", seat=1)
    assert list(found) == ["a5 b5"]
    assert found["a5 b5"]["units in this group"] == 4
    # It guards the exits: its steps to each, and what stands in that column.
    assert pairs_of(found["a5 b5"]) == [(0, 3), (0, 3), (1, 3), (2, 3), (3, 3)]
    found = seen("r2,4/5/5/5/b3,b1,3 r 1 0 -", seat=1)["a5"]
    assert pairs_of(found) == [(0, 3), (1, 1), (2, 0), (3, 0), (4, 0)]


@st.composite
def positions(draw):
    dice = Dice(draw(st.integers(0, 10_000)), "groups")
    state = GAME.start(dice)
    for _ in range(draw(st.integers(0, 400))):
        legal = state.legal
        following = state.play(legal[dice.below(len(legal))], dice)
        if following.turn == rules.OVER:
            break
        state = following
    return np.array(state.position)


@settings(max_examples=60, deadline=None)
@given(positions(), st.integers(0, 1))
def test_groups_are_connected_and_apart(cells, seat):
    board = cells[rules.own_board(seat) :][: rules.NODES]
    groups = [set(group.nodes) for group in force_groups(cells, seat)]
    assert sorted(itertools.chain(*groups)) == np.flatnonzero(board).tolist()
    for one, other in itertools.combinations(groups, 2):
        assert not any(NODES[b] in NEIGHBOURS[NODES[a]] for a in one for b in other)
    for group in groups:
        reached = {min(group)}
        while True:
            grown = reached | {
                node for node in group if any(NODES[node] in NEIGHBOURS[NODES[n]] for n in reached)
            }
            if grown == reached:
                break
            reached = grown
        assert reached == group


@settings(max_examples=40, deadline=None)
@given(positions())
def test_features_are_the_same_in_a_mirror(cells):
    def features(position):
        return sorted(group.features.round(9).tolist() for group in force_groups(position))

    assert features(cells) == features(mirrored_position(cells))


@pytest.mark.parametrize("seat", [0, 1])
def test_features_are_finite_and_in_their_ranges(seat):
    for group in force_groups(GAME.start(Dice(0)).position, seat):
        assert np.isfinite(group.features).all() and (group.features >= 0).all()
