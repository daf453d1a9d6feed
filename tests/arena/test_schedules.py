"""Schedules: who meets whom, in which order, in which seats."""

from __future__ import annotations

import itertools

import pytest

from sandtable.arena.play.plan import make_plan
from sandtable.arena.tournaments.schedules import games_of, groups, make_tournament, stretches
from sandtable.dice import training_seed
from sandtable.errors import SandtableError

pytestmark = pytest.mark.usefixtures("with_race")

THREE = ["race/bold", "race/careful", "random"]


def test_games_of_a_suite_share_no_dice():
    suite = ["gravwell:players=2", "gravwell:players=3"]
    several = make_tournament("round-robin", suite, ["random", "gravwell/decision-tree"], 10, 0)
    seeds = {(plan.game, plan.seed) for plan in several.matches}
    assert len({seed for _, seed in seeds}) == len(seeds) == 2
    alone = make_tournament("round-robin", suite[:1], ["random", "gravwell/decision-tree"], 10, 0)
    assert {plan.seed for plan in alone.matches} == {0}  # kept games stay what they are


def test_no_match_can_have_the_dice_of_a_training():
    assert training_seed(0) > 2**63
    with pytest.raises(SandtableError, match="seed"):
        make_tournament("round-robin", ["race"], ["random", "race/bold"], 1, training_seed(0))
    with pytest.raises(SandtableError, match="seed"):
        make_plan("lucid", ["random", "random"], 1, training_seed(0))


def test_everybody_meets_everybody_once_in_both_seats():
    tournament = make_tournament("round-robin", ["race:seats=2"], THREE, deals=5, seed=7)
    pairs = [plan.agents for plan in tournament.matches]
    assert pairs == list(itertools.combinations(THREE, 2))
    for plan in tournament.matches:
        assert (plan.games, plan.seed, plan.rotate) == (10, 7, True)
    assert tournament.games == 30


def test_a_gauntlet_leaves_out_the_meetings_of_the_opponents():
    pairs = groups("gauntlet", ["a", "b", "c", "d"], seats=2, challengers=2)
    assert pairs == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    assert groups("gauntlet", ["a", "b"], seats=4) == [("a", "b", "b", "b")]


@pytest.mark.parametrize(
    ("agents", "seats", "number", "each"),
    [(5, 3, 10, 6), (4, 4, 1, 1), (2, 4, 1, 2), (3, 4, 3, 4), (2, 3, 2, 3)],
)
def test_tables_of_three_and_four_treat_all_agents_alike(agents, seats, number, each):
    names = [f"agent-{index}" for index in range(agents)]
    found = groups("round-robin", names, seats)
    assert len(found) == number
    taken = [name for group in found for name in group]
    assert [taken.count(name) for name in names] == [each] * agents


def test_games_are_numbered_round_by_round_and_can_be_cut_anywhere():
    suite = ["race:seats=2", "race:seats=3"]
    tournament = make_tournament("round-robin", suite, THREE, deals=7, seed=0)
    games = list(games_of(tournament))
    assert [each.number for each in games] == list(range(tournament.games))
    rounds = [len(plan.orders) for plan in tournament.matches]
    assert rounds == [2, 2, 2, 3]
    assert [each.match for each in games[:9]] == [0, 0, 1, 1, 2, 2, 3, 3, 3]
    in_matches = {(each.match, each.game) for each in games}
    assert len(in_matches) == tournament.games == sum(plan.games for plan in tournament.matches)
    for deals in (1, 3, 100):
        cut = [
            (each.match, game)
            for each in stretches(tournament, deals)
            for game in range(each.first, each.first + each.count)
        ]
        assert len(cut) == len(in_matches) and set(cut) == in_matches


def test_agents_of_one_seat_meet_those_of_the_other():
    agents = ["lucid/simple-blue", "lucid/one-axis-blue", "lucid/axes-red", "random"]
    tournament = make_tournament("round-robin", ["lucid"], agents, deals=3, seed=0)
    assert [plan.agents for plan in tournament.matches] == [
        ("lucid/simple-blue", "lucid/axes-red"),
        ("lucid/simple-blue", "random"),
        ("lucid/one-axis-blue", "lucid/axes-red"),
        ("lucid/one-axis-blue", "random"),
        ("random", "lucid/axes-red"),
    ]
    assert not any(plan.rotate for plan in tournament.matches)


@pytest.mark.parametrize(
    ("kind", "game", "agents", "words"),
    [
        ("round-robin", "race", ["random"], "at least two agents"),
        ("round-robin", "race", ["random", "random"], "named twice"),
        ("round-robin", "race", ["random", "race/blod"], "race/bold"),
        ("round-robin", "race", ["random", "lucid/axes-red"], "plays lucid"),
        ("round-robin", "lucid", ["lucid/simple-blue", "lucid/one-axis-blue"], "meets nobody"),
        ("round-robin", "rase", ["random", "race/bold"], "race"),
        ("knock-out", "race", ["random", "race/bold"], "no schedule"),
        ("gauntlet", "race", ["random", "race/bold"], "nobody to meet"),
    ],
)
def test_mistakes_have_one_clear_line(kind, game, agents, words):
    with pytest.raises(SandtableError, match=words) as found:
        make_tournament(kind, [game], agents, deals=1, seed=0, challengers=len(agents))
    assert "\n" not in str(found.value)
