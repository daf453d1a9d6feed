"""Long matches in bounded memory: the same results as from all games at once."""

from __future__ import annotations

import functools
import json
import random
from dataclasses import replace

import numpy as np
import pytest

from sandtable.arena.play import match
from sandtable.arena.play.plan import Chunk, PlanPlayer, Results, make_plan
from sandtable.arena.statistics.results import summarise
from sandtable.arena.statistics.totals import DealCounts, MatchTotals
from sandtable.registry import make_game

MATCHES = [
    ("lucid", ["lucid/simple-blue", "lucid/axes-red"], False, 6000),
    ("skirmish", ["skirmish/greedy", "random"], True, 2000),
]


def told(plan, results):
    results.close()
    data = summarise(plan, results, kept=None, seconds=1.0, jobs=1).as_data()
    return json.dumps(data)


def pieces(chunk: Chunk, ends: list[int]) -> list[Chunk]:
    cut, first = [], 0
    for end in [*ends, len(chunk.scores)]:
        cut.append(
            replace(
                chunk,
                first=first,
                scores=chunk.scores[first:end],
                luck=chunk.luck[first:end],
                measures=chunk.measures[first:end],
                forfeits=[each for each in chunk.forfeits if first <= each[0] < end],
            )
        )
        first = end
    return cut


@pytest.mark.parametrize(("game", "agents", "rotate", "games"), MATCHES)
def test_counts_and_sums_tell_the_same_as_all_games(game, agents, rotate, games):
    plan = make_plan(game, agents, games, seed=3, rotate=rotate)
    chunk = PlanPlayer(plan).play(0, plan.games, keep_records=False)
    chunk.forfeits.append((games - 3, 1, "gave up"))
    whole = Results(make_game(game), len(plan.orders))
    whole.add(chunk)
    expected = told(plan, whole)
    for seed in range(3):
        chance = random.Random(seed)
        parts = pieces(chunk, sorted(chance.sample(range(1, games), 9)))
        chance.shuffle(parts)
        totals = MatchTotals(make_game(game), len(plan.orders), most_kept=games // 4)
        for part in parts:
            totals.add(part)
        assert totals.reduced
        assert not totals.chunks
        assert not len(totals.scores)
        assert told(plan, totals) == expected


def lopsided(kind: str, deals: int) -> Chunk:
    """Two games a deal: skewed scores, very few losses, none, all drawn but a few."""
    generator = np.random.default_rng(5)
    lost = np.zeros((deals, 2), dtype=np.bool_)
    if kind == "rare":
        lost[[3, 70, 71], [0, 1, 1]] = True  # fewer events than an interval needs
    elif kind == "seldom":
        lost = generator.random((deals, 2)) < 0.02
    won = np.where(lost, 0.0, 1.0)
    if kind == "drawn":
        won = np.where(generator.random((deals, 2)) < 0.97, 0.5, won)
    scores = np.stack([won, 1 - won], axis=2)
    scores[:, 1] = scores[:, 1, ::-1]  # the seats are changed in the second game
    measures = np.round(generator.exponential(9.0, (2 * deals, 2, 1)), 2)
    return Chunk(0, scores.reshape(-1, 2), np.zeros((2 * deals, 0)), measures)


@pytest.mark.parametrize("kind", ["rare", "seldom", "won", "drawn"])
def test_lopsided_matches_tell_the_same_from_counts_with_reasons(kind):
    plan = make_plan("skirmish", ["skirmish/greedy", "random"], 3000, seed=0, rotate=True)
    game, chunk = make_game("skirmish"), lopsided(kind, 1500)
    chunk = replace(chunk, measures=np.repeat(chunk.measures, len(game.measures), axis=2))
    totals, whole = MatchTotals(game, 2, most_kept=400), Results(game, 2)
    for part in pieces(chunk, [301, 350, 999]):
        totals.add(part)
    whole.add(chunk)
    expected = told(plan, whole)
    assert totals.reduced
    assert told(plan, totals) == expected
    agent = json.loads(expected)["agents"][0]
    withheld = {"rare": "fewer than 5 results differ", "won": "all results are alike"}
    for name in ("win_share_no_interval", "rating_no_interval"):
        assert agent.get(name, "").startswith(withheld.get(kind, ""))
        assert (name in agent) == (kind in withheld)


def test_scores_without_luck_lean_as_the_games_do():
    plan = make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], 3000, seed=0)
    game = make_game("lucid")
    generator = np.random.default_rng(1)
    luck = generator.normal(size=(3000, len(game.luck)))
    skewed = np.round(1000 + 4 * generator.exponential(1.0, (3000, 2)) ** 2 + luck[:, :2], 3)
    chunk = Chunk(0, skewed, luck, np.zeros((3000, 2, len(game.measures))))
    totals, whole = MatchTotals(game, most_kept=500), Results(game)
    for part in pieces(chunk, [499, 500, 1700]):
        totals.add(part)
    whole.add(chunk)
    expected = told(plan, whole)
    assert totals.reduced
    assert told(plan, totals) == expected
    seat = json.loads(expected)["seats"][0]
    below, above = (abs(seat[f"adjusted_{end}"] - seat["adjusted_mean"]) for end in ("low", "high"))
    assert above > 1.02 * below


def test_deals_that_all_went_the_same_count_as_one_however_they_are_kept():
    agents = ["alphabeta:budget=30", "alphabeta:budget=20"]
    plan = make_plan("skirmish", agents, 300, seed=0, rotate=True)
    played = PlanPlayer(plan).play(0, 2, keep_records=False)
    game = make_game("skirmish")
    totals, whole = MatchTotals(game, 2, most_kept=50), Results(game, 2)
    for first in range(0, 300, 2):
        totals.add(replace(played, first=first))
        whole.add(replace(played, first=first))
    expected = told(plan, whole)
    assert totals.reduced
    assert told(plan, totals) == expected
    agent = json.loads(expected)["agents"][0]
    assert {agent["no_interval"], agent["rating_no_interval"]} == {"all deals went the same"}


def test_a_gap_and_half_a_deal_count_for_nothing():
    plan = make_plan("skirmish", ["skirmish/greedy", "random"], 400, seed=0, rotate=True)
    chunk = PlanPlayer(plan).play(0, 400, keep_records=False)
    parts = pieces(chunk, [301, 350])
    totals = MatchTotals(make_game("skirmish"), 2, most_kept=100)
    totals.add(parts[0])
    totals.add(parts[2])
    assert totals.games == 300
    whole = Results(make_game("skirmish"), 2)
    whole.add(chunk.part(301))
    assert told(plan, totals) == told(plan, whole)


def test_games_without_luck_stay_as_they_are_where_scores_without_luck_need_them():
    plan = make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], 600, seed=0)
    chunk = PlanPlayer(plan).play(0, 600, keep_records=False)
    chunk.luck[::2] = 0.0
    totals, whole = MatchTotals(make_game("lucid"), 1, most_kept=100), Results(make_game("lucid"))
    totals.add(chunk)
    whole.add(chunk)
    assert not totals.reduced
    assert told(plan, totals) == told(plan, whole)


def test_a_table_grows_and_counts_every_row():
    rows = np.random.default_rng(0).integers(0, 60, size=(20_000, 1, 2)).astype(np.float64)
    rows[:10] = np.nan
    counts = DealCounts(1, 2)
    for first in range(0, len(rows), 700):
        counts.add(rows[first : first + 700])
    found, times = counts.rows()
    known, expected = np.unique(rows[:, 0].view(np.int64), axis=0, return_counts=True)
    assert times.sum() == len(rows)
    assert np.array_equal(np.sort(times), np.sort(expected))
    assert len(found) == len(known)


def test_memory_does_not_grow_with_the_games():
    game = make_game("lucid")
    totals = MatchTotals(game, most_kept=1000)
    chunk = PlanPlayer(make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], 1000, 0)).play(
        0, 1000, keep_records=False
    )
    sizes = []
    for number in range(200):
        totals.add(replace(chunk, first=1000 * number))
        sizes.append(sum(each.scores.nbytes for each in totals.chunks.values()))
    assert totals.games == 200_000
    assert max(sizes[2:]) == 0
    assert totals.score_counts.table.nbytes < 100_000


def test_who_looks_at_single_games_gets_them_however_many(monkeypatch):
    monkeypatch.setattr(match, "MatchTotals", functools.partial(MatchTotals, most_kept=0))
    plan = make_plan("lucid", ["lucid/simple-blue", "lucid/axes-red"], games=12, seed=0)
    reduced, whole = match.play_match(plan), match.play_match(plan, every_game=True)
    assert (len(reduced.scores), len(whole.scores)) == (0, 12)
    assert reduced.seats[0].score == whole.seats[0].score
