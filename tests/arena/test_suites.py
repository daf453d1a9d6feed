"""Suites: fixed for good, in no text, and the same deals for everybody."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sandtable.arena.play.plan import make_plan
from sandtable.arena.suites.facts import Asked, DealFacts, GameFacts, deal_points
from sandtable.arena.suites.figures import Prices, figures_of
from sandtable.arena.suites.measuring import Row, prepared
from sandtable.arena.suites.opponents import opponent_ratings, opponent_work
from sandtable.arena.suites.suite import Suite, check_entry, entry_from, suite_named
from sandtable.errors import SandtableError, UnknownName

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def suite():
    return suite_named()


@pytest.fixture(scope="module")
def plans(suite):
    return prepared(suite, "random").plans


def test_the_suite_never_changes(suite, plans):
    """Whoever changes a deal, an opponent or a rule makes a suite with another name."""
    told = [[plan.game, plan.agents[1], plan.seed, plan.games] for plan in plans]
    told += [entry.levels for entry in suite.entries]
    digest = hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()
    assert digest == "13c8ff8c589a0d80"
    assert [entry.name for entry in suite.entries] == ["gravwell", "lucid", "skirmish", "stratego"]


def test_boards_and_dice_stand_in_no_text(plans):
    texts = "".join(
        path.read_text("utf-8")
        for folder in ("docs", "src", "tests", "results", "benchmarks")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".md", ".py", ".json", ".toml") and path.is_file()
    )
    drawn = {plan.game for plan in plans if "random-" in plan.game}
    assert len(drawn) == 160  # a board of its own for each deal of two games
    assert not [plan.seed for plan in plans if str(plan.seed) in texts]
    assert not [game for game in drawn if game.split("random-")[1].split(",")[0] in texts]


def test_everybody_meets_the_same_deals_and_opponents_are_measured_on_others(suite, plans):
    some = suite.only(["lucid", "stratego"])
    mine, yours = (prepared(some, player).plans for player in ("random", "level:easy"))
    assert [(plan.game, plan.seed) for plan in mine] == [(plan.game, plan.seed) for plan in yours]
    dice = {(plan.game, plan.seed) for plan in plans}
    for entry in suite.entries:
        for work in opponent_work(suite.name, entry, 5):
            assert not dice & {(plan.game, plan.seed) for plan in work.plans}
    assert all(len(plan.orders) == 2 for plan in plans)  # each deal from both seats
    assert len(dice) == len(plans)


def test_a_short_suite_is_another_one(suite):
    assert suite.shortened().digest != suite.digest != suite.only(["lucid"]).digest
    assert suite.shortened().games == 32


def test_a_game_whose_deals_are_all_the_same_is_refused():
    opponents = [{"name": each, "title": each, "agents": {"": "random"}} for each in "ab"]
    entry = entry_from("mine", "skirmish", {"game": "skirmish", "opponents": opponents})
    with pytest.raises(SandtableError, match="has no dice"):
        check_entry(entry)
    with pytest.raises(ValueError, match="two opponents"):
        entry_from("mine", "skirmish", {"game": "skirmish", "opponents": opponents[:1]})
    with pytest.raises(UnknownName, match="no suite 'sandtable-models-2'"):
        suite_named("sandtable-models-2")


def test_points_of_a_deal():
    winners = make_plan("skirmish", ["random", "skirmish/greedy"], 1, 0, rotate=True)
    assert deal_points(winners, [[1.0, -1.0], [1.0, -1.0]]) == 0.5  # each as first
    assert deal_points(winners, [[1.0, -1.0], [-1.0, 1.0]]) == 1.0
    scores = make_plan("lucid", ["random", "montecarlo"], 1, 0, rotate=True)
    assert deal_points(scores, [[5.0, -5.0], [4.0, -4.0]]) == 1.0  # one more unit came through
    assert deal_points(scores, [[3.0, -3.0], [4.0, -4.0]]) == 0.0
    same = make_plan("lucid", ["random", "random"], 1, 0, rotate=True)
    assert deal_points(same, [[5.0, -5.0]]) == 0.5


# --- figures --------------------------------------------------------------------------------------


def made_row(entry, player, chance, asked=None, seed=0):
    """Return a row whose deals are won with a known chance."""
    generator = np.random.default_rng(seed)
    deals = []
    for opponent in entry.opponents:
        for number in range(entry.deals):
            won = float(generator.random() < chance)
            luck = (float(generator.normal()),)
            games = tuple(
                GameFacts(won + 3 * luck[0], luck, 10, "", asked or Asked()) for _ in range(2)
            )
            deals.append(DealFacts(opponent, number, won, games))
    return Row(player, "", {entry.name: tuple(deals)})


def test_figures_have_the_intervals_of_rounds(suite):
    [entry] = suite.only(["lucid"]).entries
    entry = replace(entry, deals=60)
    small = Suite("s", (entry,))
    rows = [made_row(entry, "weak", 0.3, seed=1), made_row(entry, "strong", 0.7, seed=2)]
    strong, weak = figures_of(small, rows, {})
    assert (strong.row.player, weak.row.player) == ("strong", "weak")
    found = strong.games["lucid"]
    assert found.points.count == 60 and found.games == 60 * 2 * len(entry.opponents)
    assert found.points.low < 0.7 < found.points.high
    deals = [deal.points for deal in strong.row.deals["lucid"]]
    assert found.points.mean == pytest.approx(np.mean(deals))
    width = found.points.high - found.points.low
    assert width == pytest.approx(4 * np.sqrt(0.21 / 240), rel=0.3)
    assert weak.sure and weak.behind.low > 0
    assert weak.behind.mean == pytest.approx(strong.overall.points.mean - weak.overall.points.mean)
    assert found.adjusted.low < 0.7 < found.adjusted.high  # what the dice gave is taken away
    assert found.adjusted.high - found.adjusted.low < 0.3 * (found.score.high - found.score.low)


def test_questions_and_costs_are_counted_by_answers_and_games(suite):
    [entry] = suite.only(["gravwell"]).entries
    asked = Asked(12, 10, unreadable=1, illegal=1, prompt_tokens=3_000, answer_tokens=500)
    row = made_row(entry, "model:a", 0.5, asked)
    [player] = figures_of(Suite("s", (entry,)), [row], {"model:a": Prices(2.0, 10.0)})
    told = player.overall.asked
    assert told.unreadable.mean == told.illegal.mean == pytest.approx(1 / 12)
    assert told.rethinks.mean == pytest.approx(0.2)
    assert told.cost.mean == pytest.approx(0.006 + 0.005)
    assert told.total_requests == 12 * player.overall.games
    assert told.requests.reason == "all results are alike"


def test_an_unfinished_round_counts_nowhere(suite):
    [entry] = suite.only(["gravwell"]).entries
    row = made_row(entry, "a", 0.5)
    cut = Row("a", "", {entry.name: row.deals[entry.name][:-1]})
    [player] = figures_of(Suite("s", (entry,)), [cut], {})
    assert player.overall.deals == (entry.deals - 1) * len(entry.opponents)


def test_facts_are_read_as_they_are_written(suite):
    [entry] = suite.only(["lucid"]).entries
    row = made_row(entry, "model:a", 0.5, Asked(3, 2, illegal=1))
    again = Row.from_data(json.loads(json.dumps(row.as_data())))
    assert again.as_data() == row.as_data()
    assert again.deals["lucid"][0].games[0].asked == Asked(3, 2, illegal=1)


def test_leads_of_opponents_add_up(suite):
    [entry] = suite.only(["gravwell"]).entries
    shares = [made_row(replace(entry, deals=200), "x", 0.75, seed=3)]
    points = figures_of(Suite("s", (replace(entry, deals=200),)), shares, {})[0].overall.points
    steps = [(upper, lower, points) for lower, upper in pairwise(entry.opponents)]
    ratings = opponent_ratings(entry, steps)
    assert list(ratings) == list(entry.opponents)
    assert ratings["champion"] - ratings["random"] == pytest.approx(3 * 191, abs=60)
