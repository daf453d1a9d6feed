"""The champions of Operation Lucid: plans, climbing, looking ahead, and what comes out of it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.lucid.agents.test_evaluator import positions_after_moves, random_weights
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.champion import turn_plan
from sandtable.games.lucid.agents.champion.agent import ChampionBlue, ChampionRed
from sandtable.games.lucid.agents.champion.lookahead import (
    AXES_RED_ANSWERS,
    BEST_ANSWERS,
    MODEL_OF_BLUE,
    MODEL_OF_RED,
    choose_ahead,
    new_lookahead,
)
from sandtable.games.lucid.agents.champion.search import choose_turn, new_climb
from sandtable.games.lucid.agents.evaluator.bitboards import BOARDS
from sandtable.games.lucid.agents.evaluator.network import (
    SUMS,
    evaluate,
    load_weights,
    new_evaluator,
)
from sandtable.games.lucid.agents.expert.lookup import mirrored_position
from sandtable.registry import make_agent, make_game
from sandtable.types import State

LUCID = make_game("lucid")
QUICK = "tries=3,candidates=2,reply_tries=1"


def starts_of_turns(count: int, seed: int = 8) -> list[np.ndarray]:
    """Return positions in which nobody has moved yet, with both colours mixed well."""
    found = []
    for position in positions_after_moves(count, seed):
        clean = np.array(position)
        rules.mark_attackers(clean)
        found.append(clean)
    return found


def random_plan(position: np.ndarray, weights: np.ndarray, dice: Dice) -> tuple:
    """Return a plan with some units sent somewhere, and its sums."""
    plan, sums = np.zeros(turn_plan.PLAN_SIZE, dtype=np.int64), np.zeros(SUMS, dtype=np.float32)
    turn_plan.begin_plan(plan, weights, sums, position)
    for _ in range(30):
        node, old, new = dice.below(25), dice.below(turn_plan.WAYS), dice.below(turn_plan.WAYS)
        most = min(
            plan[turn_plan.FLOWS + node * turn_plan.WAYS + old], turn_plan.room_for(plan, node, new)
        )
        if new != old and most > 0:
            turn_plan.redirect(plan, node, old, new, 1 + dice.below(int(most)))
            if dice.below(2):
                turn_plan.value_of_trial(plan, weights, sums)
                turn_plan.keep_trial(plan, sums)
    return plan, sums


def test_a_plan_is_worth_what_the_evaluator_says_of_the_position_it_leads_to():
    weights = random_weights(1)
    evaluator = new_evaluator(weights)
    for number, position in enumerate(starts_of_turns(40)):
        plan, sums = random_plan(position, weights, Dice(1, "plan", number))
        after = np.array(position)
        turn_plan.write_position(plan, after)
        value = turn_plan.value_of_trial(plan, weights, sums)
        assert value == pytest.approx(evaluate(after, evaluator), abs=1e-3)


def test_the_value_in_the_mirror_is_that_of_the_mirrored_position():
    weights = random_weights(4)
    evaluator = new_evaluator(weights)
    boards, scratch = np.zeros(BOARDS, dtype=np.int64), np.zeros(SUMS, dtype=np.float32)
    for number, position in enumerate(starts_of_turns(20)):
        plan, sums = random_plan(position, weights, Dice(4, "plan", number))
        after = np.array(position)
        turn_plan.write_position(plan, after)
        turn_plan.value_of_trial(plan, weights, sums)
        turn_plan.keep_trial(plan, sums)
        value = turn_plan.value_in_mirror(plan, weights, boards, scratch)
        assert value == pytest.approx(evaluate(mirrored_position(after), evaluator), abs=1e-3)


def test_the_movelets_of_a_plan_are_legal_and_lead_where_it_says():
    weights = random_weights(2)
    actions = np.zeros(LUCID.max_actions, dtype=np.int16)
    for number, position in enumerate(starts_of_turns(40, seed=9)):
        plan, _ = random_plan(position, weights, Dice(2, "plan", number))
        own = rules.own_board(int(position[rules.MOVER]))
        wanted = plan[turn_plan.OWN : turn_plan.OWN + rules.NODES].copy()
        count = turn_plan.write_movelets(plan, np.array(position), actions)
        after = State(LUCID, position)
        for action in actions[:count].tolist():
            after = after.play(action)
        assert np.array_equal(after.position[own : own + rules.NODES], wanted)


def test_units_that_go_round_in_a_circle_stay():
    position = np.array(LUCID.parse("r1,4/5/5/b3,b3,3/b3,b3,3 b 9 0 -").position)
    plan, sums = np.zeros(turn_plan.PLAN_SIZE, dtype=np.int64), np.zeros(SUMS, dtype=np.float32)
    turn_plan.begin_plan(plan, random_weights(3), sums, position)
    ways = {0: rules.NORTH, 5: rules.EAST, 6: rules.SOUTH, 1: rules.WEST}
    for node, way in ways.items():
        turn_plan.redirect(plan, node, turn_plan.STAY, way, 2)
    turn_plan.redirect(plan, 6, turn_plan.STAY, rules.NORTH, 1)
    actions = np.zeros(LUCID.max_actions, dtype=np.int16)
    count = turn_plan.write_movelets(plan, np.array(position), actions)
    after = State(LUCID, position)
    for action in actions[:count].tolist():
        after = after.play(action)
    board = after.position[: rules.NODES]
    assert (board[6], board[11]) == (2, 1)
    assert board[[0, 1, 5]].tolist() == [3, 3, 3]


@pytest.mark.parametrize("seat", [rules.BLUE_SEAT, rules.RED_SEAT])
def test_climbing_ends_where_no_change_of_one_node_helps(seat: int):
    weights = load_weights("early-red")
    climb, sign = new_climb(), 1 if seat == rules.BLUE_SEAT else -1
    for number, position in enumerate(starts_of_turns(6, seed=10)):
        position[rules.MOVER] = seat
        best = choose_turn(climb, weights, position, Dice(3, "climb", number).array, 3)
        plan, sums = climb.plan, climb.sums
        assert turn_plan.value_of_trial(plan, weights, sums) == pytest.approx(best, abs=1e-4)
        for node, old, new in itertools.product(
            range(25), range(turn_plan.WAYS), range(turn_plan.WAYS)
        ):
            most = min(
                plan[turn_plan.FLOWS + node * turn_plan.WAYS + old],
                turn_plan.room_for(plan, node, new),
            )
            for units in range(1, most + 1 if new != old else 1):
                turn_plan.redirect(plan, node, old, new, units)
                assert sign * turn_plan.value_of_trial(plan, weights, sums) <= sign * best + 1e-3
                turn_plan.redirect(plan, node, new, old, units)


def test_looking_ahead_adds_up_what_dice_and_coin_can_bring():
    # Turn 35: whatever is decided now, the last turn is Blue's with chance 1/2 and then brings
    # every unit that is free on row 5 into the goal.
    weights = load_weights("axes-red")
    look = new_lookahead(weights, 8, weights)
    free = np.array(LUCID.parse("2,b1,2/2,b2,2/5/5/b1,4 b 35 5 -").position)
    value = choose_ahead(look, free, Dice(1).array, 8, 2, 100.0, AXES_RED_ANSWERS)
    assert value == pytest.approx(6 + 0.5 * 2)
    # A locked attacker, 3 against 1 without supply: strengths 2 and 2. If Red loses its unit, all
    # three are free; otherwise two fight on as attackers and cannot leave.
    locked = np.array(LUCID.parse("2,B3r1,2/5/5/5/5 b 35 5 -").position)
    value = choose_ahead(look, locked, Dice(1).array, 8, 2, 100.0, AXES_RED_ANSWERS)
    assert value == pytest.approx(5 + 0.5 * (0.5 * 3))


@pytest.mark.parametrize(
    "line", ["b2,2,b3,b1/5/5/5/b3,4 b 36 2 -", "b2,r1,1,b3,b1/5/5/5/5 b 36 2 -"]
)
def test_everybody_who_can_goes_to_the_goal_in_the_last_turn(line: str):
    state = LUCID.parse(line)
    turn = ChampionBlue(tries=2).choose(state.view(0), Dice(0))
    assert state.play(turn).position[rules.GOAL] == 8


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 2**32), st.sampled_from([0, 2]))
def test_turns_are_legal_in_any_position(seed: int, candidates: int):
    position = starts_of_turns(1, seed)[0]
    seat = int(position[rules.MOVER])
    made = (ChampionBlue, ChampionRed)[seat](tries=3, candidates=candidates, reply_tries=1)
    turn = made.choose(State(LUCID, position).view(seat), Dice(seed))
    assert turn[-1] == rules.END
    State(LUCID, position).play(turn)  # refuses what is illegal


@pytest.mark.parametrize("agent", ["champion-blue", "champion-red"])
def test_keep_the_contract(agent: str):
    assert not check_agent(f"lucid/{agent}:{QUICK}", "lucid", games=1).problems


def mean_score(blue: str, red: str, games: int) -> float:
    agents = [make_agent(blue), make_agent(red)]
    played = play_games(LUCID, policies(LUCID, agents), 5, 0, games, keep=False)
    return float(played.scores[:, 0].mean())


def test_the_champions_know_many_where_those_before_them_knew_one():
    quick = "tries=3,candidates=0"
    blue, red = f"lucid/champion-blue:{quick}", f"lucid/champion-red:{quick}"
    assert mean_score(blue, "lucid/axes-red", 100) > 9.47  # the human expert of the report
    for_axes_red = mean_score(f"{blue},weights=axes-red", "lucid/axes-red", 100)
    assert for_axes_red > 9.47
    assert mean_score(f"{blue},weights=axes-red", red, 60) < for_axes_red - 4
    early = f"{red},weights=early-red"
    assert mean_score(blue, early, 60) > mean_score(f"{blue},weights=axes-red", early, 60) + 4


def test_expects_what_its_weights_learnt_against_unless_told():
    usual = {
        "axes-red": AXES_RED_ANSWERS,
        "expert-blue": AXES_RED_ANSWERS,
        "early-red": BEST_ANSWERS,
        "td": BEST_ANSWERS,
    }
    for weights, expected in usual.items():
        assert ChampionBlue(weights=weights).options.expects == expected
        assert ChampionBlue(weights=weights, expects="best").options.expects == BEST_ANSWERS
    blue = ChampionBlue(weights="td", expects="early-red")
    assert blue.options.expects == MODEL_OF_RED
    assert np.array_equal(blue.options.model, load_weights("early-red"))
    assert [path.stem for path in blue.weight_files()] == ["td", "early-red"]
    assert ChampionRed(weights="axes-red").options.expects == BEST_ANSWERS  # AxesRed is no Blue
    red = ChampionRed(weights="td", expects="axes-red")  # a network of this name, as Blue
    assert red.options.expects == MODEL_OF_BLUE


def test_mistakes_are_told():
    for spec in ("tries=0", "candidates=-1", "margin=-1", "expects=axesred", "weights=nobody"):
        with pytest.raises(SandtableError):
            make_agent(f"lucid/champion-blue:{spec}")
    with pytest.raises(WrongSeats, match="skirmish"):
        ChampionBlue().policy(make_game("skirmish:level=1"))
