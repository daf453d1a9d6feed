"""Levels: opponents named for people, the agent that plays them, and what a match says of them."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from agents.tictactoe import tictactoe
from sandtable.agents.level import ladder as ladders
from sandtable.agents.level.agent import LevelAgent
from sandtable.agents.level.ladder import Ladder, Level, general_ladder, ladder_of, measured_of
from sandtable.arena import ladder as measuring
from sandtable.arena.ladder import (
    Rung,
    as_data,
    deal_shares,
    level_ratings,
    pooled,
    ratings_of,
    rungs_of,
)
from sandtable.dice import Dice
from sandtable.errors import UnknownName
from sandtable.registry import check_seat, game_names, make_agent, make_game
from sandtable.specs import parse_spec


@pytest.mark.parametrize("name", ["gravwell", "lucid", "skirmish", "stratego"])
def test_every_game_has_five_levels_or_more_from_easy_to_champion(name):
    game = make_game(name)
    ladder = ladder_of(game)
    assert name in game_names()
    assert ladder.own
    assert len(ladder.levels) >= 5
    assert {"easy", "champion"} <= {level.name for level in ladder.levels}
    for level in ladder.levels:
        for seat in game.seats:
            check_seat(game, seat, parse_spec(level.agent(seat)))
            make_agent(level.agent(seat))
    slips = [level.slips for level in ladder.levels if level.agents != {"": "random"}]
    assert slips == sorted(slips, reverse=True)
    assert all(make_game(spec).name == name for spec in ladder.games)


def test_options_that_the_own_levels_do_not_suit_get_the_general_ladder():
    small = make_game("stratego:variant=mini")
    assert not ladder_of(small).own
    assert ladder_of(small) == general_ladder(hidden=True)
    agent = make_agent("level:beginner")
    agent.begin(small, 0, Dice(1))
    state = small.start(Dice(2))
    assert agent.choose(state.view(0), Dice(3)) in state.legal


def test_a_game_that_nobody_made_levels_for_has_some():
    game = tictactoe()
    ladder = ladder_of(game)
    assert ladder.levels[0].title == "Beginner"
    agent = LevelAgent("champion")
    agent.begin(game, 0, Dice(1))
    assert agent.choose(game.start(), Dice(1)) in game.start().legal


def test_slips_are_as_frequent_as_they_are_said_to_be(monkeypatch):
    game = make_game("skirmish")

    def found(slips):
        level = Level("x", "X", {"": "skirmish/greedy"}, slips)
        monkeypatch.setattr(
            "sandtable.agents.level.ladder.ladder_of", lambda game: Ladder((level,))
        )
        agent, greedy = LevelAgent("x"), make_agent("skirmish/greedy")
        agent.begin(game, 0, Dice(0))
        view, same = game.start(), 0
        usual = greedy.choose(view, Dice(9))
        for number in range(400):
            same += agent.choose(view, Dice(number)) == usual
        return same / 400, len(view.legal)

    always, moves = found(0.0)
    half, _ = found(0.5)
    assert half == pytest.approx(always * (0.5 + 0.5 / moves), abs=0.1)


def test_a_level_that_never_slips_plays_inside_kernels_and_others_do_not():
    skirmish, lucid = make_game("skirmish"), make_game("lucid")
    assert make_agent("level:champion").policy(skirmish) is not None
    assert make_agent("level:easy").policy(skirmish) is None
    assert make_agent("level:champion").policy(lucid) is None  # each side has an agent of its own


def test_an_unknown_level_is_said_with_those_there_are():
    with pytest.raises(UnknownName, match=r"no level 'esy' \(the levels: .*easy.*Did you mean"):
        make_agent("level:esy").begin(make_game("skirmish"), 0, Dice(0))


def test_shares_of_deals_with_and_without_winners():
    skirmish, lucid = make_game("skirmish"), make_game("lucid")
    orders = ((0, 1), (1, 0))
    scores = np.array([[1.0, -1.0], [1.0, -1.0], [0.0, 0.0], [-1.0, 1.0]])
    assert deal_shares(skirmish, scores, orders).tolist() == [0.5, 0.75]
    units = np.array([[9.0, -9.0], [4.0, -4.0], [5.0, -5.0], [6.0, -6.0]])
    assert deal_shares(lucid, units, orders).tolist() == [1.0, 0.0]


def test_ratings_are_those_of_the_levels_that_were_measured(monkeypatch):
    game = make_game("skirmish")
    ladder = ladder_of(game)
    names = [level.name for level in ladder.levels]
    steps = [Rung(upper, lower, {"1.0": 64, "0.0": 36}, 100) for lower, upper in pairwise(names)]
    data = json.loads(json.dumps(as_data("skirmish", ["skirmish"], ladder, pooled(steps), ["..."])))
    monkeypatch.setattr(measuring, "measured_of", lambda name: data)
    assert ratings_of(game) == level_ratings(ladder, steps)
    assert ratings_of(game)[names[2]] == 700
    data["levels"][1]["slips"] += 0.1  # it is another level now
    assert ratings_of(game) == {}


def test_the_command_measures_and_takes_results_together(sandtable, tmp_path, monkeypatch):
    few = Ladder(
        (Level("easy", "Easy", {"": "random"}), Level("hard", "Hard", {"": "skirmish/greedy"})),
        ("skirmish:max_turns=6",),
        own=True,
    )
    for module in (ladders, measuring):
        monkeypatch.setattr(module, "ladder_of", lambda game: few)
    monkeypatch.setattr("sandtable.agents.level.ladder.ladder_of", lambda game: few)
    for seed in (0, 1):
        file = tmp_path / f"{seed}.json"
        code, out, _ = sandtable("ladder", "skirmish", "-n", 8, "-s", seed, "--json", file)
        assert code == 0, out
        assert "hard" in out
    page = tmp_path / "levels.md"
    takes = ["--take", tmp_path / "0.json", "--take", tmp_path / "1.json"]
    code, out, _ = sandtable("ladder", "skirmish", *takes, "--page", page)
    assert code == 0
    assert "16" in out
    assert "Hard (`level:hard`)" in page.read_text()
    code, _, errors = sandtable("ladder", "skirmish", "--take", page)
    assert (code, errors.count("\n")) == (1, 1)


@pytest.mark.parametrize("name", ["gravwell", "lucid", "skirmish", "stratego"])
def test_figures_that_are_kept_are_of_the_levels_as_they_are(name):
    if not measured_of(name):
        pytest.skip("its levels have not been measured")
    game = make_game(name)
    steps, commands, games = rungs_of(game)
    assert steps and commands and games
    pairs = [(upper.name, lower.name) for lower, upper in pairwise(ladder_of(game).levels)]
    assert [(step.upper, step.lower) for step in steps] == pairs[: len(steps)]
    for step in steps:
        low, high = step.share.tested  # known from few games too, though not shown
        assert not high <= 0.6 and not low >= 0.8, step
