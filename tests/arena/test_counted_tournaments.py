"""Long tournaments in bounded memory: the same bytes as from all games at once."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from sandtable.arena.play.plan import Chunk, PlanPlayer
from sandtable.arena.play.run import Run, RunOptions
from sandtable.arena.play.sequential_match import Tally, make_sequential_match
from sandtable.arena.statistics.sprt import RunningTest, SequentialTest
from sandtable.arena.tournaments.counted import CountedGames
from sandtable.arena.tournaments.schedules import make_suite, make_tournament
from sandtable.arena.tournaments.standings import Games
from sandtable.registry import make_game

pytestmark = pytest.mark.usefixtures("with_race")

THREE = ("race/bold", "race/careful", "random")
FOUR = (*THREE, "race/bold:steps=1")
LUCID = ["lucid/simple-blue", "lucid/one-axis-blue", "lucid/axes-red"]


def made_up(plan, generator, values=(0.0, 0.5, 1.0)) -> Chunk:
    """Return games of a match that nobody played: scores of a few values, some forfeited."""
    game = make_game(plan.game)
    shape = (plan.games, len(game.seats))
    scores = generator.choice(values, size=shape, p=np.arange(1, len(values) + 1) / 6)
    scores[:, 0] += generator.integers(0, 2, size=plan.games) / 2  # the first agent or seat leads
    if len(game.seats) == 2 and len(values) == 3:
        scores[:, 1] = 1.0 - scores[:, 0]  # some are drawn
    measures = generator.random((*shape, len(game.measures)))
    forfeits = [(number, 1, "gave up") for number in (0, plan.games // 2, plan.games - 1)]
    for number, _, _ in forfeits:
        measures[number] = np.nan
    luck = generator.normal(size=(plan.games, len(game.luck)))
    return Chunk(0, scores, luck, measures, forfeits)


def pieces(match: int, chunk: Chunk, cuts: list[int]) -> list[tuple[int, Chunk]]:
    ends = [*cuts, len(chunk.scores)]
    return [(match, part(chunk, first, end)) for first, end in zip([0, *cuts], ends, strict=True)]


def part(chunk: Chunk, first: int, end: int) -> Chunk:
    return replace(
        chunk,
        first=first,
        scores=chunk.scores[first:end],
        luck=chunk.luck[first:end],
        measures=chunk.measures[first:end],
        forfeits=[each for each in chunk.forfeits if first <= each[0] < end],
    )


def told(games: Games) -> str:
    result = games.conclude()
    tests = [[each.sure for each in result.standings], [each.mass for each in result.standings]]
    return json.dumps([result.as_data(), tests], allow_nan=False)


def same_from_counts(tournament, chunks, seeds=2, lacking=0, first_piece=1) -> str:
    """Check that counts tell what all games tell, and return it; some pieces may lack."""
    for seed in range(seeds):
        chance = random.Random(seed)
        parts = []
        for match, chunk in enumerate(chunks):
            cuts = chance.sample(range(first_piece, len(chunk.scores)), 7)
            parts += pieces(match, chunk, sorted(cuts))
        chance.shuffle(parts)
        parts.sort(key=lambda each: each[1].first > 0 or first_piece == 1)
        parts = parts[: len(parts) - lacking]
        whole = Games(tournament, most_kept=10**9)
        games = Games(tournament, most_kept=10**9)
        games.counted = CountedGames(tournament, deals_at_once=chance.choice([16, 50]))
        for number, (match, chunk) in enumerate(parts):
            whole.add(match, chunk)
            games.add(match, chunk)
            if number > len(chunks) and chance.random() < 0.1:
                told(games)  # looking on the way changes nothing
        assert told(games) == told(whole)
    return told(whole)


@pytest.mark.parametrize(
    ("kind", "suite", "agents"),
    [
        ("round-robin", ["race:seats=2"], THREE),
        ("gauntlet", ["race:seats=2", "race"], THREE),
        ("round-robin", ["race:seats=3"], FOUR),
        ("round-robin", ["race"], THREE),
    ],
)
@pytest.mark.parametrize("lacking", [0, 5])
def test_counts_tell_the_same_as_all_games(kind, suite, agents, lacking):
    tournament = make_tournament(kind, suite, agents, deals=120, seed=0)
    generator = np.random.default_rng(1)
    chunks = [made_up(plan, generator) for plan in tournament.matches]
    words = same_from_counts(tournament, chunks, lacking=lacking)
    data = json.loads(words)[0]
    assert data["complete"] == (not lacking)
    assert lacking or len(data["forfeits"]) == 3 * len(tournament.matches)


def test_scores_freed_of_luck_tell_the_same_from_sums():
    tournament = make_tournament("round-robin", ["lucid"], LUCID, deals=600, seed=0)
    chunks = [
        PlanPlayer(plan).play(0, plan.games, keep_records=False) for plan in tournament.matches
    ]
    for lacking in (0, 3):
        words = same_from_counts(tournament, chunks, lacking=lacking, first_piece=120)
    assert json.loads(words)[0]["standings"][0]["adjusted"]["low"] is not None


def test_games_that_are_all_the_same_count_as_one_however_they_are_kept():
    agents = ["alphabeta:budget=30", "alphabeta:budget=20", "random"]
    tournament = make_tournament("round-robin", ["skirmish"], agents, deals=60, seed=0)
    generator = np.random.default_rng(2)
    chunks = [made_up(plan, generator, (0.0, 1.0, 0.5)) for plan in tournament.matches]
    same = chunks[0]
    for name in ("scores", "measures"):
        getattr(same, name)[:] = np.tile(getattr(same, name)[2:4].T, 60).T
    chunks[0] = replace(same, forfeits=[])
    words = same_from_counts(tournament, chunks)
    assert "alike" in json.loads(words)[0]["notes"][0]
    pair = make_tournament("round-robin", ["skirmish"], agents[:2], deals=60, seed=0)
    alone = json.loads(same_from_counts(pair, chunks[:1]))[0]
    assert alone["standings"][0]["wins"]["observations"] == 1


def test_levels_count_once_however_often_they_are_played():
    suite = make_suite("skirmish", ["level=1..4"])
    agents = ["alphabeta:budget=30", "skirmish/greedy", "random"]
    tournament = make_tournament("round-robin", suite, agents, deals=40, seed=0)
    generator = np.random.default_rng(3)
    chunks = [made_up(plan, generator) for plan in tournament.matches]
    for lacking in (0, 4):
        words = same_from_counts(tournament, chunks, lacking=lacking)
        assert json.loads(words)[0]["standings"][0]["wins"]["observations"] == 4


def test_long_tournaments_let_their_games_go_and_short_ones_do_not():
    tournament = make_tournament("round-robin", ["lucid"], LUCID, deals=20_000, seed=0)
    games, short = Games(tournament, most_kept=3000), Games(tournament)
    plans = tournament.matches
    chunks = [PlanPlayer(plan).play(0, 1000, keep_records=False) for plan in plans]
    held = []
    for number in range(20):
        for match, chunk in enumerate(chunks):
            games.add(match, replace(chunk, first=1000 * number))
            if number < 2:
                short.add(match, replace(chunk, first=1000 * number))
        if games.counted:
            waiting = [each for own in games.counted.rows for each in (*own.ready,)]
            held.append(sum(len(each.scores) for each in waiting))
    assert short.counted is None and games.counted is not None and not games.results
    assert max(held) <= 2 * 2 * 2048
    assert games.conclude().complete


def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SANDTABLE_STATE", str(tmp_path))
    tournament = make_tournament("round-robin", ["lucid"], LUCID, deals=1500, seed=2)
    how = RunOptions(jobs=1, resume=True)
    whole, games = Games(tournament), Games(tournament, most_kept=1000)
    with Run(tournament.matches, how) as run:
        for number, (match, chunk) in enumerate(run.chunks()):
            whole.add(match, chunk)
            if number == 6:
                break
    known = whole.received
    assert 0 < known < 3000
    whole = Games(tournament)
    with Run(tournament.matches, how) as run:
        assert run.resumed == known
        for match, chunk in run.chunks():
            games.add(match, chunk)
            whole.add(match, chunk)
    assert games.counted is not None and whole.counted is None
    assert games.conclude().complete and told(games) == told(whole)


def test_a_test_in_one_pass_says_what_all_results_at_once_say():
    suite = ["race:seats=2", "race"]
    match = make_sequential_match(suite, ("race/bold", "random"), None, 4000, seed=1)
    generator = np.random.default_rng(4)
    chunks = [made_up(plan, generator) for plan in match.plans]
    whole = Tally(match)
    for plan, chunk in enumerate(chunks):
        whole.add(plan, chunk)
    results = whole.results()
    assert results.shape == (2000, 2) and not len(whole.results()) and whole.forfeits == 6
    for high in (5.0, 400.0):
        test = SequentialTest(low=0, high=high)
        chance = random.Random(int(high))
        cuts = [sorted(chance.sample(range(1, 2000), 9)) for _ in chunks]
        parts = [piece for plan in (0, 1) for piece in pieces(plan, chunks[plan], cuts[plan])]
        chance.shuffle(parts)
        tally, running = Tally(match), RunningTest(test, 2)
        for plan, chunk in parts:
            tally.add(plan, chunk)
            running.add(tally.results())
        assert running.verdict == test.judge(results)
        assert not any(len(each.scores) for part in tally.parts for each in part.ready)
