"""The published agents of Operation Lucid: what they do in chosen positions, and how they score."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.arena.statistics.intervals import estimate_mean, free_of_luck
from sandtable.dice import Dice
from sandtable.games.lucid.rules import BLUE, RED
from sandtable.registry import make_agent, make_game

GAME = make_game("lucid")


def moves(agent, line, seed=0):
    """Return the movelets of an agent's turn, without the closing end."""
    state = GAME.parse(line)
    made = make_agent(agent)
    names = [GAME.notation.action_name(a) for a in made.choose(state.view(state.turn), Dice(seed))]
    assert names[-1] == "end"
    state.play(" ".join(names))  # all of them are legal
    return names[:-1]


def red_row(line, seed=0):
    """Return Red's units on the top row after AxesRed has moved."""
    after = GAME.parse(line)
    for name in moves("lucid/axes-red", line, seed):
        after = after.play(name)
    return after.position[RED + 20 : RED + 25].tolist()


def test_simple_blue_sends_everybody_north():
    made = moves("lucid/simple-blue", "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    assert sorted(made) == sorted(f"{c}1-{c}2" for c in "abcde" for _ in range(3))


def test_simple_blue_fills_the_room_that_those_in_front_leave():
    made = moves("lucid/simple-blue", "b3,4/b3,4/b2,r1,3/5/5 b 9 0 -")
    assert made == ["a5-goal"] * 3 + ["a4-a5"] * 3 + ["a3-a4"] * 2


def test_simple_blue_reinforces_only_as_far_as_there_is_room():
    made = moves("lucid/simple-blue", "B2r2,4/b3,4/5/5/5 b 9 0 -")
    assert made == ["a4-a5"]  # attackers are locked, and one more fits


def test_one_axis_blue_goes_north_on_its_axis_and_sideways_elsewhere():
    made = moves("lucid/one-axis-blue:axis=c", "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    assert made[:3] == ["c1-c2"] * 3
    sideways = made[3:]
    assert set(sideways) in ({"b1-c1", "a1-b1"}, {"d1-c1", "e1-d1"})
    assert len(sideways) == 6


def test_one_axis_blue_draws_every_axis_about_equally_often():
    agent, drawn = make_agent("lucid/one-axis-blue"), []
    start = GAME.parse("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    for number in range(1000):
        agent.begin(GAME, 0, Dice(1, "test", number))
        first = agent.choose(start.view(0), Dice(1, "test", number))[0]
        drawn.append(first // 4)
    counts = np.bincount(drawn, minlength=5)
    assert counts.min() > 150 and counts.max() < 250


@pytest.mark.parametrize(
    ("blue_row", "expected"),
    [
        ("b3,b3,b3,b3,b3", [2, 2, 2, 2, 2]),
        ("1,b3,1,b3,b3", None),  # thirds: the remainder goes by lot
        ("3,b3,1", [0, 0, 3, 3, 3]),
    ],
)
def test_axes_red_wants_what_blue_has(blue_row, expected):
    line = f"r2,r2,r2,r2,r2/5/5/5/{blue_row} r 5 0 -"
    row = red_row(line)
    assert sum(row) == 10
    if expected and blue_row != "3,b3,1":
        assert row == expected
    elif expected:  # all wanted on D with backup beside it; one step is not enough to get there
        assert row[3] == 3 and row[0] < 2


def test_axes_red_does_not_give_up_the_defenders_point_for_little():
    # b=1, r=1: two more would need (1+2)*1 > 2*2, which is false.
    line = "2,B1r1,r2,1/2,b1,2/5/5/2,b1,2 r 5 0 -"
    assert "d5-c5" not in moves("lucid/axes-red", line)


def test_axes_red_counts_help_from_both_sides_together():
    # b=3, r=1: one more does not pay, (1+1)*3 <= 2*4; two together do, (1+2)*3 > 2*4.
    both = "1,r1,B3r1,r1,1/2,b3,2/5/5/2,b3,2 r 5 0 -"
    assert sorted(moves("lucid/axes-red", both)) == ["b5-c5", "d5-c5"]
    alone = "1,r1,B3r1,2/2,b3,2/5/5/2,b3,2 r 5 0 -"
    assert moves("lucid/axes-red", alone) == []


def test_axes_red_takes_back_a_home_node_that_blue_holds_alone():
    line = "1,r3,b3,2/2,b3,2/5/5/5 r 9 0 -"
    assert moves("lucid/axes-red", line) == ["b5-c5"] * 3


def test_axes_red_never_leaves_the_top_row_or_a_combat():
    agents = [make_agent("random"), make_agent("lucid/axes-red")]
    played = play_games(GAME, policies(GAME, agents), 2, 0, 300, keep=True)
    for index in range(300):
        state = GAME.start(dice := Dice(2, "game", index))
        for action in played.actions[index, : played.lengths[index]]:
            if state.turn == 1 and action != 100:
                assert action // 4 >= 20 and action % 4 in (1, 3)
                assert state.position[BLUE + action // 4] == 0
            state = state.play(int(action), dice)


@pytest.mark.parametrize(
    ("agent", "low", "high"),
    [("lucid/simple-blue", 3.81, 3.94), ("lucid/one-axis-blue", 5.24, 5.44)],
)
def test_means_lie_in_the_published_intervals(agent, low, high):
    acting = policies(GAME, [make_agent(agent), make_agent("lucid/axes-red")])
    played = play_games(GAME, acting, 0, 0, 100_000, keep=False)
    blue = played.scores[:, 0]
    for estimate in (estimate_mean(blue), estimate_mean(free_of_luck(blue, played.luck))):
        assert low <= estimate.mean <= high
