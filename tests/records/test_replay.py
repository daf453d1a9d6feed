"""Replay: sound games replay to the last bit, and whatever was changed in one is found."""

import dataclasses
import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.played import PUBLISHED, RANDOM, broken_off, played
from sandtable.arena.play.game_loop import play_game
from sandtable.errors import BrokenRecord
from sandtable.records.files import record_from_line, record_to_line
from sandtable.records.replay import check, replay, start_of, turns
from sandtable.registry import make_agent, make_game
from sandtable.types import OVER, Outcome

MIDDLE = "2,B3r2,2/2,b1,2/2,b1,2/2,b1,2/2,b1,2 b 9 0 -"
SPECS = st.sampled_from([PUBLISHED, RANDOM, ("lucid/simple-blue", "random")])


class Failing:
    """An agent that goes on well for some choices, and then does not."""

    def __init__(self, answer, after=3):
        self.answer = answer
        self.after = after

    def choose(self, view, dice):
        self.after -= 1
        return self.answer() if self.after < 0 else view.legal[-1]


def forfeited(answer, number=0):
    game = make_game("lucid")
    agents = [Failing(answer), make_agent("lucid/axes-red")]
    specs = ("failing", "lucid/axes-red")
    return play_game(game, agents, specs=specs, seed=3, number=number).record


def problem_of(record):
    with pytest.raises(BrokenRecord) as refused:
        check(record)
    with pytest.raises(BrokenRecord) as refused_slowly:
        list(replay(record))
    assert str(refused.value) == str(refused_slowly.value)
    assert str(refused.value).startswith(f"game {record.identity}: ")
    assert str(refused.value).isprintable()
    return str(refused.value)


def changed(record, **fields):
    return dataclasses.replace(record, **fields)


def with_action(record, index, action):
    actions = list(record.actions)
    actions[index] = action
    return changed(record, actions=tuple(actions))


@given(specs=SPECS, seed=st.integers(0, 2**40), number=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_every_game_replays(specs, seed, number):
    record = played(specs, seed, number)
    steps = list(replay(record))
    assert [step.action for step in steps] == list(record.actions)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert steps[0].before == start_of(record)
    for one, next_one in itertools.pairwise(steps):
        assert one.after == next_one.before
        assert one.seat == one.before.turn
        assert one.action in one.before.legal
    assert steps[-1].after.line == record.final
    assert steps[-1].after.outcome == record.outcome
    check(record)


def test_turns_end_with_their_closing_action():
    game = make_game("lucid")
    steps = list(replay(played()))
    found = list(turns(steps))
    assert [step for turn in found for step in turn.steps] == steps
    assert [turn.number for turn in found] == list(range(1, len(found) + 1))
    for turn in found:
        assert turn.words.endswith("end")
        assert turn.words.count("end") == 1
        assert {step.seat for step in turn.steps} == {turn.seat}
    assert found[-1].after.turn == OVER
    assert game.parse_actions(found[0].words) == [step.action for step in found[0].steps]


def test_game_from_a_given_position():
    record = played(start=MIDDLE)
    assert record.start == MIDDLE
    assert start_of(record).line == MIDDLE
    check(record)
    assert "its start cannot be read" in problem_of(changed(record, start="nonsense"))
    assert "but 'final' is" in problem_of(changed(record, start=MIDDLE.replace(" 9 ", " 10 ")))


def raising():
    raise ValueError("lost\nmy mind")


@pytest.mark.parametrize("answer", [raising, lambda: 99, lambda: -1, list, lambda: "a1-a2"])
def test_forfeited_game_replays(answer):
    record = forfeited(answer)
    assert record.outcome.forfeited_by == 0
    assert record.actions
    check(record)


def test_price_of_a_forfeit_is_checked():
    record = forfeited(raising)
    assert record.outcome.scores == (0.0, 0.0)
    generous = dataclasses.replace(record.outcome, scores=(15.0, -15.0))
    assert "stated as 15, -15" in problem_of(changed(record, outcome=generous))
    red = dataclasses.replace(record.outcome, forfeited_by=1)
    assert "the outcome is 15, -15" in problem_of(changed(record, outcome=red))
    nobody = dataclasses.replace(record.outcome, forfeited_by=2)
    assert "no such seat" in problem_of(changed(record, outcome=nobody))


@pytest.mark.parametrize("actions", [0, 1, 16, 17, 40])
def test_broken_off_game_replays(actions):
    record = broken_off(played(), actions)
    assert record.outcome is None
    check(record)
    found = list(turns(replay(record)))
    assert sum(len(turn.steps) for turn in found) == actions


def test_illegal_action_is_named_with_its_place():
    record = played()
    line = next(step.before.line for step in replay(record) if step.number == 6)
    problem = problem_of(with_action(record, 5, 96))  # a unit from e5 that is not Blue's
    assert f"action 6 of {len(record.actions)}: 'e5-goal' is not legal in {line}" in problem


@pytest.mark.parametrize("action", [-1, 101, 10**9])
def test_action_that_does_not_exist(action):
    assert f"action 3 of {len(played().actions)}: action {action} is not legal" in problem_of(
        with_action(played(), 2, action)
    )


def test_action_after_the_end():
    record = played()
    problem = problem_of(changed(record, actions=(*record.actions, 100)))
    assert f"action {len(record.actions) + 1} of" in problem
    assert "the game is over" in problem


def test_missing_last_action():
    record = played()
    assert "but 'final' is" in problem_of(changed(record, actions=record.actions[:-1]))


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_other_action_is_found(data):
    """One unit moved another way changes the position, the dice's odds or what is legal."""
    record = played(RANDOM)
    index = data.draw(st.integers(0, len(record.actions) - 1))
    action = data.draw(st.integers(0, 100).filter(lambda each: each != record.actions[index]))
    try:
        check(with_action(record, index, action))
    except BrokenRecord as problem:
        assert str(problem).isprintable()
    else:  # the movelets of a turn may be exchanged, so another way can lead to the same end
        assert action != 100


def test_other_dice_are_found():
    assert problem_of(changed(played(), seed=8))
    assert problem_of(changed(played(), number=1))


def test_dice_that_do_not_exist():
    assert "there are no dice" in problem_of(changed(played(), number=2**70))
    assert "there are no dice" in problem_of(changed(played(), number=-1))


def test_other_final_position():
    record = played()
    problem = problem_of(changed(record, final=record.final.replace("r1", "r2")))
    assert f"it ends in {record.final} after {len(record.actions)} actions" in problem


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome((9.0, -9.0), "no Blue unit is left on the board"),
        Outcome((10.0, -9.0), "no Blue unit is left on the board"),
        Outcome((10.0,), "no Blue unit is left on the board"),
        Outcome((10.0, -10.0), "36 turns played"),
    ],
)
def test_other_outcome(outcome):
    assert "the outcome is 10, -10 (no Blue unit is left on the board), but stated as" in (
        problem_of(changed(played(), outcome=outcome))
    )


def test_outcome_of_a_game_that_is_not_over():
    record = broken_off(played(), 20)
    assert "is not over" in problem_of(changed(record, outcome=played().outcome))


def test_rules_seats_and_game():
    assert "version 2 of the rules of lucid; version 1 is installed" in problem_of(
        changed(played(), version=2)
    )
    assert "lucid has 2 seats, not 1" in problem_of(changed(played(), seats=("random",)))
    assert "there is no game 'chess'" in problem_of(changed(played(), game="chess"))


def test_sound_part_of_a_broken_game_is_shown():
    record = with_action(played(), 20, 96)
    found = []
    with pytest.raises(BrokenRecord, match="action 21 "):
        found.extend(turns(replay(record)))
    assert sum(len(turn.steps) for turn in found) == 20


def test_documented_example_is_sound():
    page = Path(__file__).parents[2] / "docs" / "records.md"
    example = page.read_text().partition("```json\n")[2].partition("```")[0]
    fields = json.loads(example)
    record = record_from_line(example, "docs/records.md")
    check(record)
    assert json.loads(record_to_line(record)) == fields
    assert list(json.loads(record_to_line(record))) == list(fields)
    described = {name for name in fields if f"`{name}`" in page.read_text()}
    assert described == set(fields)
