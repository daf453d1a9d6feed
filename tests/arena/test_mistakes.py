"""Mistakes: what a seat gave away by its decisions, by its views alone and without luck."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest

from sandtable.agent import Agent, Analysis, Candidate
from sandtable.arena.mistakes import (
    Decision,
    Judge,
    Verdict,
    decisions_of,
    given_away,
    judge_for,
    people_of,
    worst,
)
from sandtable.arena.play.game_loop import play_game
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import make_agent, make_game
from sandtable.types import State


def record_of(spec: str, *agents: str, seed: int = 3):
    game = make_game(spec)
    made = [make_agent(agent) for agent in agents]
    return play_game(game, made, specs=agents, seed=seed, number=0).record


@pytest.fixture(scope="module")
def lucid():
    return record_of("lucid", "random", "lucid/axes-red")


def test_a_decision_is_a_turn_as_its_seat_saw_it(lucid):
    decisions = decisions_of(lucid)
    assert sum(len(each.actions) for each in decisions) == len(lucid.actions)
    assert [each.ply for each in decisions[1:]] == [each.last for each in decisions[:-1]]
    assert all(each.views[0].turn == each.seat == each.views[0].seat for each in decisions)
    assert decisions_of(lucid, 1) == [each for each in decisions if each.seat == 1]


def test_what_the_judge_would_play_is_no_mistake_and_random_turns_are(lucid):
    decisions = decisions_of(lucid, 0)[2:5]
    with closing(Judge(make_game("lucid"), 0)) as judge:
        verdicts = [judge.verdict(each) for each in decisions]
        assert all(verdict.loss > 0.3 for verdict in verdicts)
        first = decisions[0]
        own = replace(first, actions=verdicts[0].better)
        assert judge.verdict(own).loss == 0.0
        again = judge.second_look(first, verdicts[0])
        assert again.better == verdicts[0].better
        assert again.loss > 0.3
        # The order of movelets is no decision, and other dice are none either.
        turned = replace(first, actions=(*verdicts[0].better[-2::-1], verdicts[0].better[-1]))
        assert judge.verdict(turned).loss == 0.0


def test_what_is_given_away_is_added_up_and_what_was_won_set_off(lucid):
    decisions = decisions_of(lucid, 0)[:4]
    with closing(Judge(make_game("lucid"), 0)) as judge:
        verdicts = [judge.verdict(each) for each in decisions]
        own = [replace(each, actions=verdict.better) for each, verdict in zip(
            decisions, verdicts, strict=True)]  # fmt: skip
        total = given_away(verdicts)
        assert total.turns == 4
        assert total.total == pytest.approx(sum(verdict.loss for verdict in verdicts))
        assert total.a_turn > 0.3
        assert given_away([judge.verdict(each) for each in own]).total == 0.0
        # A turn that is worth more than the judge's own is told as none, but counts.
        first = decisions[0]
        view, better = first.views[0], verdicts[0].better
        worse = Analysis("score", 0.0, (Candidate(first.actions, 0.0),))
        found = judge.compared(view, worse, better, Dice(0))
    assert found.loss == 0.0
    assert found.difference < -0.1
    assert Verdict.from_data(found.as_data()).difference == found.difference


def test_luck_and_what_comes_later_change_nothing(lucid):
    """The same view and turn have the same verdict, whatever the dice made of it."""
    game = make_game("lucid")
    decision = decisions_of(lucid, 0)[1]
    elsewhere = Decision(0, decision.ply, decision.views, decision.actions)
    with closing(Judge(game, 0)) as judge:
        verdict = judge.verdict(decision)
        assert judge.verdict(elsewhere) == verdict
    state = State(game, decision.views[0].position)
    ends = {state.play(decision.actions, Dice(seed)).line for seed in range(20)}
    assert len(ends) > 1  # the dice did fall differently


def test_a_seat_is_judged_by_what_it_knew():
    """Positions that a seat cannot tell apart give the same decision, and the same verdict."""
    game = make_game("stratego:variant=mini")
    dice = Dice(8, "twins")
    state = game.start(dice)
    for _ in range(12):
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
    view = state.view(state.turn)
    twin = next(each for each in (view.guess(dice) for _ in range(20)) if each.line != state.line)
    assert twin.view(state.turn) == view
    action = view.legal[-1]
    decisions = [
        Decision(each.turn, 0, (each.view(each.turn),), (action,)) for each in (state, twin)
    ]
    with closing(Judge(game, state.turn, "ismcts:simulations=60")) as judge:
        assert judge.verdict(decisions[0]) == judge.verdict(decisions[1])
    assert decisions[0] == decisions[1]


def test_single_actions_are_judged_one_by_one_where_an_agent_values_no_turns(lucid):
    game = make_game("lucid")
    decision = next(each for each in decisions_of(lucid, 0) if len(each.actions) > 2)
    with closing(Judge(game, 0, "montecarlo:samples=2,longest=4")) as judge:
        verdict = judge.verdict(decision)
    assert len(verdict.played) == len(verdict.better) == 1
    assert verdict.played[0] == decision.actions[verdict.first]


def test_forced_moves_and_positions_without_an_opinion_are_not_judged():
    record = record_of("stratego:variant=mini,setup=choose", "random", "random")
    first = decisions_of(record)[0]
    with closing(Judge(make_game(record.game), first.seat, "stratego/value:samples=1")) as judge:
        assert not judge.agent.has_opinion(first.views[0])
        assert judge.verdict(first) is None


class Undecided(Agent):
    """Values nothing but its first candidate."""

    def choose(self, view, dice):
        return view.legal[0]

    def analyse(self, view, dice):
        return Analysis("chance", 0.5, (Candidate((view.legal[0],), 0.5),))


def test_a_turn_the_judge_did_not_think_about_gets_no_verdict():
    game = make_game("skirmish")
    view = game.start(Dice(1)).view(0)
    with closing(Judge(game, 0)) as judge:
        judge.agent = Undecided()
        assert judge.verdict(Decision(0, 0, (view,), (view.legal[1],))) is None
        assert judge.verdict(Decision(0, 0, (view,), (view.legal[0],))).loss == 0.0


def test_values_have_one_unit_a_game():
    for spec, seat, judge in (
        ("lucid", 0, "lucid/champion-blue"),
        ("skirmish", 1, "skirmish/champion"),
        ("stratego", 0, "stratego/champion"),
        ("gravwell:players=3", 2, "gravwell/champion"),
        ("lucid:scenario=river", 0, "ismcts"),
    ):
        assert judge_for(make_game(spec), seat) == judge
    for agent in ("skirmish/dsl", "alphabeta", "random"):
        with pytest.raises(SandtableError, match="does not value turns by chance to win"):
            Judge(make_game("skirmish"), 0, agent)


def test_small_losses_are_no_mistakes_and_people_come_first(lucid):
    losses = [(Decision(0, ply, (), (1,)), Verdict(0, (1,), (2,), 0.5 - ply / 100, 0.5))
              for ply in range(10)]  # fmt: skip
    assert [each.ply for each, _ in worst(losses, "chance", 3)] == [9, 8, 7]
    assert [each.ply for each, _ in worst(losses, "score", 3)] == []
    assert people_of(lucid) == [0, 1]
    assert people_of(replace(lucid, seats=("random", "human"))) == [1]
