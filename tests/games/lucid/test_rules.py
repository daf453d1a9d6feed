"""The eight points of the rules of Operation Lucid, each shown in a position made for it."""

import numpy as np
import pytest

from plain_dice import PlainDice
from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.games.lucid.turn_counts import count_turns
from sandtable.registry import make_game
from sandtable.types import OVER, State, TurnCounts

STREAMS = 64  # dice streams with which each chance is tried


@pytest.fixture(scope="module")
def lucid():
    return make_game("lucid")


def legal(state: State) -> set[str]:
    return set(state.legal_names)


def node_text(state: State, name: str) -> str:
    """Return what stands on a node, in the words of the notation."""
    column, row = "abcde".index(name[0]), int(name[1])
    cells: list[str] = []
    for word in state.line.split()[0].split("/")[5 - row].split(","):
        cells += [""] * int(word) if word.isdigit() else [word]
    return cells[column]


def assert_fights(state: State, actions: str, node: str, blue: int, red: int, before: int = 0):
    """Check the strengths in a node by what every throw does to it.

    ``before`` combats are fought earlier in the same turn, each with one throw of its own.
    """
    red_losses = 0
    for number in range(STREAMS):
        dice = PlainDice(8, "game", number)
        for _ in range(before):
            dice.draw()
        red_loses = dice.below(blue + red) < blue
        red_losses += red_loses
        ready = state.play(actions) if actions else state
        after = ready.play("end", Dice(8, "game", number))
        lost = {side: units_on(ready, node, side) - units_on(after, node, side) for side in "br"}
        assert lost == ({"b": 0, "r": 1} if red_loses else {"b": 1, "r": 0})
    assert (0 < red_losses < STREAMS) == (blue > 0)


def units_on(state: State, node: str, side: str) -> int:
    text = node_text(state, node).lower()
    return int(text[text.index(side) + 1]) if side in text else 0


def test_1_the_start(lucid):
    state = lucid.start(Dice(1))
    assert state.line.split()[0] == "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3"
    assert state.line.split()[2:] == ["1", "0", "-"]
    starts = {lucid.start(Dice(1, "game", number)).line.split()[1] for number in range(20)}
    assert starts == {"b", "r"}


def test_1_the_start_has_60112_placements(lucid):
    blue = lucid.parse("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    assert count_turns(blue.position) == TurnCounts(results=60_112, actions=223_104)


def test_1_edges_run_along_rows_and_columns_only(lucid):
    state = lucid.parse("5/5/2,b1,2/5/5 b 1 0 -")
    assert legal(state) == {"end", "c3-c4", "c3-d3", "c3-c2", "c3-b3"}
    corner = lucid.parse("4,b1/5/5/5/5 b 1 0 -")
    assert legal(corner) == {"end", "e5-goal", "e5-e4", "e5-d5"}


def test_2_a_unit_moves_at_most_one_edge_a_turn(lucid):
    state = lucid.parse("5/5/5/5/b2,4 b 1 0 -").play("a1-a2")
    assert state.line == "5/5/5/b1,4/b1,4 b 1 0 a2:1"
    assert legal(state) == {"end", "a1-a2", "a1-b1"}
    both = state.play("a1-a2")
    assert legal(both) == {"end"}


def test_2_units_follow_into_nodes_left_in_the_same_turn(lucid):
    state = lucid.parse("5/5/5/b3,4/b3,4 b 1 0 -")
    with pytest.raises(IllegalAction, match="'a1-a2' is not legal"):
        state.play("a1-a2")
    moved = state.play("a2-a3 a2-a3 a2-a3 a1-a2 a1-a2 a1-a2")
    assert moved.line == "5/5/b3,4/b3,4/5 b 1 0 a2:3,a3:3"


def test_2_at_most_three_of_a_colour_share_a_node(lucid):
    state = lucid.parse("5/5/5/b1,4/b3,4 b 1 0 -").play("a1-a2 a1-a2")
    assert "a1-a2" not in legal(state)
    with_red = lucid.parse("5/5/5/r3,4/b3,4 b 1 0 -").play("a1-a2 a1-a2 a1-a2")
    assert node_text(with_red, "a2").lower() == "b3r3"


def test_2_the_goal_has_no_limit(lucid):
    state = lucid.parse("b3,b3,b3,b3,b3/5/5/5/5 b 1 0 -")
    for column in "abcde":
        state = state.play([lucid.notation.parse_action(f"{column}5-goal")] * 3)
    after = state.play("end")
    assert after.outcome.scores == (15.0, -15.0)


def test_2_a_coin_thrown_after_the_combats_gives_the_right_to_move(lucid):
    state = lucid.parse("5/5/2,B2r1,2/2,b1,2/2,b1,2 b 1 0 -")
    movers = set()
    for number in range(STREAMS):
        dice = PlainDice(8, "game", number)
        dice.below(4)
        expected = "br"[dice.coin()]
        assert state.play("end", Dice(8, "game", number)).line.split()[1] == expected
        movers.add(expected)
    assert movers == {"b", "r"}


def test_3_only_blue_enters_the_goal_and_only_from_row_5(lucid):
    red = lucid.parse("r1,4/b1,4/5/5/5 r 1 0 -")
    assert legal(red) == {"end", "a5-a4", "a5-b5"}
    blue = lucid.parse("b1,4/b1,4/5/5/5 b 1 0 -")
    assert {name for name in legal(blue) if "goal" in name} == {"a5-goal"}
    inside = blue.play("a5-goal")
    assert inside.line == "5/b1,4/5/5/5 b 1 1 -"


def test_3_the_score_is_blues_units_in_the_goal(lucid):
    over = lucid.parse("5/5/5/5/b2,4 - 36 4 -")
    assert over.outcome.scores == (4.0, -4.0)


def test_4_who_enters_a_node_with_enemies_attacks(lucid):
    # Blue enters with supply from below: 2 against 1, and one more for the defender.
    blue_enters = lucid.parse("5/5/2,r1,2/2,b2,2/2,b1,2 b 1 0 -")
    assert_fights(blue_enters, "c2-c3 c2-c3 c1-c2", "c3", blue=1, red=2)
    kept = lucid.parse("5/5/2,r1,2/2,b3,2/2,b1,2 b 1 0 -")
    assert_fights(kept, "c2-c3 c2-c3", "c3", blue=2, red=2)
    red_enters = lucid.parse("5/2,r2,2/2,b1,2/2,b1,2/2,b1,2 r 1 0 -")
    assert_fights(red_enters, "c4-c3 c4-c3", "c3", blue=2, red=2)


def test_4_reinforcements_make_a_defender_the_attacker(lucid):
    blue_defends = lucid.parse("5/5/2,b1R2,2/2,b2,2/2,b1,2 b 1 0 -")
    assert_fights(blue_defends, "", "c3", blue=2, red=2)
    assert_fights(blue_defends, "c2-c3", "c3", blue=2, red=3)
    red_defends = lucid.parse("5/2,r1,2/2,B1r1,2/2,b1,2/2,b1,2 r 1 0 -")
    assert_fights(red_defends, "c4-c3", "c3", blue=2, red=2)


def test_4_entering_is_counted_gross(lucid):
    """Three leave to the goal while three enter: Blue, who defended, is the attacker."""
    state = lucid.parse("2,b3R2,2/2,b3,2/2,b1,2/2,b1,2/2,b1,2 b 1 0 -")
    actions = "c5-goal c5-goal c5-goal c4-c5 c4-c5 c4-c5 c3-c4"
    assert_fights(state, actions, "c5", blue=2, red=3)  # c3 is empty now, so without supply
    with_supply = actions + " c2-c3 c1-c2"
    held = lucid.parse("2,b3R2,2/2,b3,2/2,b1,2/2,b1,2/2,b2,2 b 1 0 -")
    assert_fights(held, with_supply, "c5", blue=3, red=3)
    assert node_text(held.play(with_supply).play("end", Dice(1)), "c5")[0] == "B"


def test_4_the_mark_of_the_attacker_is_part_of_the_position(lucid):
    attacking = lucid.parse("5/5/2,B2r2,2/5/5 r 1 0 -")
    defending = lucid.parse("5/5/2,b2R2,2/5/5 r 1 0 -")
    assert attacking != defending
    for state in (attacking, defending):
        after = state.play("end", Dice(3))
        assert node_text(after, "c3")[0] == node_text(state, "c3")[0]


def test_5_attackers_cannot_leave(lucid):
    blue = lucid.parse("2,B3r1,2/5/5/5/b1,4 b 1 0 -")
    assert legal(blue) == {"end", "a1-a2", "a1-b1"}
    red = lucid.parse("2,b3R1,2/5/5/5/4,r1 r 1 0 -")
    assert legal(red) == {"end", "e1-e2", "e1-d1"}


def test_5_defenders_can_leave(lucid):
    red = lucid.parse("2,B3r1,2/5/5/5/5 r 1 0 -")
    assert legal(red) == {"end", "c5-c4", "c5-b5", "c5-d5"}
    blue = lucid.parse("5/5/2,b3R1,2/5/5 b 1 0 -")
    assert legal(blue) == {"end", "c3-c4", "c3-d3", "c3-c2", "c3-b3"}


def test_5_defenders_leave_into_the_goal_with_red_present(lucid):
    blue = lucid.parse("2,b3R1,2/5/5/5/b1,4 b 1 0 -")
    after = blue.play("c5-goal c5-goal c5-goal").play("end", Dice(1))
    assert node_text(after, "c5") == "r1"
    assert after.line.split()[3] == "3"


def test_5_who_enters_in_this_turn_may_not_leave_again_but_others_may(lucid):
    """The mark counts from the end of the turn: defenders leave before and after others enter."""
    state = lucid.parse("5/5/2,b2R1,2/2,b1,2/5 b 1 0 -").play("c2-c3")
    assert {"c3-c4", "c3-c2"} <= legal(state)
    assert "c3-c4" not in legal(state.play("c3-c4 c3-b3"))


def test_6_every_combat_costs_one_unit_whoever_moves(lucid):
    state = lucid.parse("r2,4/5/1,B3r3,1,b2R1,1/5/1,b1,1,b1,1 r 1 0 -")
    for number in range(STREAMS):
        after = state.play("a5-b5", Dice(8, "moves", number)).play("end", Dice(8, "game", number))
        for node, units in (("b3", 6), ("d3", 3)):
            assert units_on(after, node, "b") + units_on(after, node, "r") == units - 1


@pytest.mark.parametrize(
    ("node", "supplied", "blue", "red"),
    [
        ("B3r2", True, 3, 3),
        ("B3r2", False, 2, 3),
        ("b3R2", True, 4, 2),
        ("b3R2", False, 3, 2),
        ("B2r3", True, 2, 4),
        ("b1R3", False, 1, 3),
        ("B1r1", True, 1, 2),
        ("B1r1", False, 0, 2),
        ("B1r3", False, 0, 4),
    ],
)
def test_6_strengths(lucid, node, supplied, blue, red):
    chain = "b1" if supplied else "1"
    state = lucid.parse(f"5/5/2,{node},2/2,{chain},2/2,b1,2 r 1 0 -")
    assert_fights(state, "", "c3", blue, red)


def test_6_a_lone_attacker_without_supply_always_loses(lucid):
    state = lucid.parse("5/5/2,B1r1,2/5/b1,4 r 1 0 -")
    for number in range(STREAMS):
        assert node_text(state.play("end", Dice(2, "game", number)), "c3") == "r1"


def test_6_the_mark_clears_when_one_colour_is_gone(lucid):
    lost = lucid.parse("5/5/2,B1r1,2/5/b1,4 r 1 0 -").play("end", Dice(1))
    assert node_text(lost, "c3") == "r1"
    assert not lost.position[50:75].any()
    left = lucid.parse("5/5/2,b1R1,2/5/5 b 1 0 -").play("c3-c2").play("end", Dice(1))
    assert not left.position[50:75].any()


def test_7_the_path_avoids_red_and_ends_on_row_1(lucid):
    cases = {
        "5/5/2,B2r1,2/2,b1,2/2,b1,2": True,  # straight down
        "5/5/2,B2r1,2/2,b1,b1,1/3,b1,1": True,  # round a corner
        "5/2,b1,b1,1/2,B2r1,b1,1/3,b1,1/3,b1,1": True,  # over the top
        "5/5/2,B2r1,2/2,b1,2/5": False,  # does not reach row 1
        "5/5/2,B2r1,2/5/2,b1,2": False,  # a gap
        "5/5/2,B2r1,2/2,B1r1,2/2,b1,2": False,  # through a combat
        "5/5/2,B2r1,2/1,b1,1,b1,1/1,b1,b1,b1,1": False,  # only diagonals touch the node
        "5/5/B2r1,4/4,b1/4,b1": False,  # the rows do not wrap around
    }
    for board, supplied in cases.items():
        state = lucid.parse(f"{board} r 1 0 -")
        node = "a3" if "B2r1,4" in board else "c3"
        before = 1 if "B1r1" in board else 0
        assert_fights(state, "", node, blue=2 if supplied else 1, red=2, before=before)


def test_7_a_combat_on_row_1_is_supplied(lucid):
    for board in ("5/5/5/5/2,B1r1,2", "5/5/5/5/b1R1,4"):
        attacks = "B" in board
        state = lucid.parse(f"{board} r 1 0 -")
        node = "c1" if attacks else "a1"
        assert_fights(state, "", node, blue=1 if attacks else 2, red=2 if attacks else 1)


def test_7_a_row_1_node_under_attack_supplies_nobody(lucid):
    state = lucid.parse("5/5/5/2,B2r1,2/2,b1R1,2 r 1 0 -")
    assert_fights(state, "", "c2", blue=1, red=2, before=1)


def test_7_supply_is_judged_after_the_move(lucid):
    state = lucid.parse("5/5/2,B2r1,2/2,b1,2/2,b1,2 b 1 0 -")
    assert_fights(state, "c2-b2", "c3", blue=1, red=2)
    assert_fights(state, "", "c3", blue=2, red=2)


def test_7_supply_is_judged_for_all_combats_before_any_loss(lucid):
    """Winning c2 would open the way to c3, but only in the next turn."""
    state = lucid.parse("5/5/2,B1r1,2/2,B1r1,2/2,b1,2 r 1 0 -")
    won = 0
    for number in range(STREAMS):
        after = state.play("end", Dice(8, "game", number))
        won += node_text(after, "c2") == "b1"
        assert node_text(after, "c3") == "r1"
    assert 10 < won < 40  # one time in three


def test_8_the_game_ends_after_36_turns(lucid):
    state = lucid.parse("5/5/5/5/b1,4 b 35 2 -").play("end", Dice(1))
    assert state.turn != OVER
    after = state.play("end", Dice(1))
    assert after.outcome.reason == "36 turns played"
    assert after.outcome.scores == (2.0, -2.0)
    assert legal(after) == set()
    with pytest.raises(IllegalAction, match="the game is over"):
        after.play("end")


def test_8_the_game_ends_without_blue_units_on_the_board(lucid):
    home = lucid.parse("b1,4/5/5/5/5 b 7 3 -").play("a5-goal").play("end", Dice(1))
    lost = lucid.parse("5/5/2,B1r1,2/5/5 r 7 3 -").play("end", Dice(1))
    for state, score in ((home, 4.0), (lost, 3.0)):
        assert state.outcome.reason == "no Blue unit is left on the board"
        assert state.outcome.scores == (score, -score)


def test_8_the_game_goes_on_without_red(lucid):
    assert lucid.parse("5/5/5/5/b1,4 b 7 3 -").play("end", Dice(1)).outcome is None


def test_luck_is_what_the_throws_gave_beyond_their_mean(lucid):
    state = lucid.parse("5/2,b2,2/2,B2r1,2/2,b1,2/2,b1,2 r 1 0 -")
    for number in range(STREAMS):
        position = np.array(state.position)
        luck = np.zeros(3)
        lucid.rules.apply_with_luck(position, 100, Dice(8, "game", number).array, luck)
        red_lost = position[25 + 12] == 0
        coin = 0.5 if position[-1] == 0 else -0.5
        assert luck[0] == (1 if red_lost else 0) - 2 / 4
        assert luck[1] == coin
        assert luck[2] == coin * 2
