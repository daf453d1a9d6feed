"""Studies of Stratego: what is counted, what is judged, and the figures they are made of."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from beside import ROOT
from games.stratego.boards import state_of
from sandtable.dice import Dice
from sandtable.games.stratego import layout
from sandtable.games.stratego.drawing.patch import EXAMPLE_SQUARE, example, patch_svg
from sandtable.games.stratego.planes import encode_paper
from sandtable.games.stratego.studies import STUDIES
from sandtable.games.stratego.studies.information import by_table, learn_table, mean_hits, watch
from sandtable.games.stratego.studies.networks import (
    CHANCE_WINS,
    ENTROPY,
    WON,
    apart,
    better,
    judge_channels,
)
from sandtable.games.stratego.studies.secrets import (
    hidden_pieces,
    secret_bits,
    uniform_chances,
)
from sandtable.games.stratego.studies.training import figures_of_log
from sandtable.registry import make_agent, make_game
from sandtable.reproduce.papers import papers_of
from sandtable.reproduce.run import Settings
from sandtable.reproduce.studies import AGREES, CANNOT_BE_TOLD, CONTRADICTS, Measurement

NAMED = "moves named (%), held out"
SQUARED = "squared error, held out"


@contextmanager
def silence(label, games):
    yield lambda count: None


def test_a_secret_is_the_number_of_armies_that_fit():
    """Count them: orders of the hidden ranks in which what has moved is neither bomb nor flag."""
    red = {"a1": "F", "b1": "B", "c1": "5", "d4": "5", "e4": "9"}
    state = state_of(red, {"a10": "F", "j10": "4"})
    position = np.array(state.position)
    square = layout.parse_square("e4", 10)
    position[layout.BOARD + square] |= layout.MOVED
    ranks = "FB559"
    fitting = {order for order in permutations(ranks) if order[-1] not in "FB"}
    assert 2 ** secret_bits(position, 0) == pytest.approx(len(fitting))
    chances = uniform_chances(position, 0)
    flags = sum(order[0] == "F" for order in fitting) / len(fitting)
    first = layout.parse_square("a1", 10)
    assert chances[first][layout.FLAG] == pytest.approx(flags)
    assert chances[square][layout.FLAG] == 0.0
    for each in chances.values():
        assert each.sum() == pytest.approx(1.0)


def test_chances_are_what_guess_gives():
    state = make_game("stratego:variant=barrage").start(Dice(1))
    for _ in range(30):
        state = state.play(state.legal[Dice(state.position[layout.PLIES]).below(len(state.legal))])
    chances = uniform_chances(state.position, 1)
    counts = {square: np.zeros(layout.RANKS) for square in chances}
    view, dice, draws = state.view(0), Dice(3), 800
    for _ in range(draws):
        for piece in hidden_pieces(view.guess(dice).position, 1):
            counts[piece.square][piece.rank] += 1
    for square, expected in chances.items():
        np.testing.assert_allclose(counts[square] / draws, expected, atol=0.08)


def test_what_is_given_away_adds_up():
    """Over a whole game the losses of a secret are what is left of it less than at the start."""
    found = watch("random", 1, Settings(), False, looks=True)
    start = make_game("stratego:long_scouts=false").start(Dice(0, "game", 1))
    lost = sum(sum(each) for each in found.given.values())
    assert 0 < lost <= secret_bits(start.position, 1) + 1e-6
    assert all(value > -1e-9 for each in found.given.values() for value in each)
    assert found.seen


def test_a_table_learns_that_a_rank_stays_behind():
    chances = np.zeros(layout.RANKS)
    chances[[3, 9]] = 0.5
    games = [[(9, 0, chances), (3, 14, chances)]] * 30
    ratios = learn_table(games)
    assert by_table(chances, ratios[0])[9] > 0.9
    assert by_table(chances, ratios[14])[3] > 0.9
    assert mean_hits([(9, chances)]) == 50.0
    assert mean_hits([(9, by_table(chances, ratios[0]))]) == 100.0


def test_judges_look_at_intervals():
    low, high = Measurement(NAMED, 5, 4, 6, 100), Measurement(NAMED, 9, 8, 10, 100)
    assert (apart(high, low), apart(low, high), apart(low, replace(high, low=5.5))) == (1, -1, 0)
    judge = better("usual", "changed", (NAMED,), "Both")
    assert judge({"usual": [high], "changed": [low]}).verdict == AGREES
    assert judge({"usual": [low], "changed": [high]}).verdict == CONTRADICTS
    assert judge({"usual": [low], "changed": [replace(low, low=None)]}).verdict == CANNOT_BE_TOLD


def test_training_without_channels_fails_if_it_plays_like_chance():
    def judged(low, high):
        found = [Measurement(name, 5, 4, 6) for name in (NAMED, ENTROPY)]
        usual = [*found, Measurement(WON, 40, 30, 50, 100)]
        changed = [*found, Measurement(WON, (low + high) / 2, low, high, 100)]
        return judge_channels({"policy-small": usual, "policy-own-channels": changed}).verdict

    assert judged(26, 44) == CONTRADICTS  # worse or not: something was learned
    assert judged(2, 9) == AGREES
    assert judged(2, 33) == CANNOT_BE_TOLD


def test_what_chance_wins_is_what_was_measured():
    rows = json.loads((ROOT / "results" / "stratego.json").read_text("utf-8"))["rows"]
    wanted = {"agent": "baseline", "opponent": "random", "rules": "draws"}
    (row,) = [each for each in rows if wanted.items() <= each.items()]
    assert row["ours"]["games"] == 1000
    assert pytest.approx(100 * (1 - row["ours"]["share"]), abs=0.051) == CHANCE_WINS


def test_larger_networks_add_little_only_where_that_is_seen():
    def judged(low, high):
        larger = [Measurement(SQUARED, (low + high) / 2, low, high, 100)]
        names = ("filter-5", "filter-7", "filters-64", "layers-8")
        usual = {"value-brief": [Measurement(SQUARED, 0.100, 0.096, 0.104, 100)]}
        study = next(each for each in STUDIES if each.name == "shape")
        return study.judge(usual | {f"value-{name}": larger for name in names}).verdict

    assert judged(0.095, 0.103) == AGREES
    assert judged(0.080, 0.110) == CANNOT_BE_TOLD  # a fifth less may be hidden there
    assert judged(0.080, 0.090) == CONTRADICTS


def test_a_curve_is_read_from_the_log(tmp_path):
    log = tmp_path / "metrics.jsonl"
    told = {"part": 9, "step": 500, "loss": 2.5, "held_out_loss": 3.0, "examples": 70}
    log.write_text(json.dumps({"part": 0, "moves": 5}) + "\n" + json.dumps(told) + "\n")
    learned, held_out = figures_of_log(log, "policy")
    assert (learned.value, learned.at, learned.count, held_out.value) == (2.5, 500, 70, 3.0)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_study_can_be_judged_by_any_figures(study):
    """Judges are called once everything is measured; none may stumble over what it gets."""
    measured = {}
    for variant in study.variants:
        kind = {"policy": ("moves named (%)", "cross entropy"), "value": ("signs right (%)",
                "squared error")}[("value" if "value" in variant.name else "policy")]  # fmt: skip
        if study.name.startswith("training"):
            kind = ("loss", "loss")
        names = [f"{each}, {part}" for each in kind for part in ("held out", "learned from")]
        names += ["games won against stratego/baseline (%)", "squared error, held out"]
        names += ["bits to name a rank, uniform", "bits to name a rank, by a table of its moves"]
        measured[variant.name] = [Measurement(name, 5, 4, 6, 10, at=1.0) for name in names]
    finding = study.judge(measured)
    assert finding.verdict in (AGREES, CONTRADICTS, CANNOT_BE_TOLD)
    assert finding.words.endswith(".")


def test_every_study_is_of_presets_and_is_listed_with_the_paper():
    named = [item.study for paper in papers_of("stratego") for item in paper.items if item.study]
    assert set(named) <= {study.name for study in STUDIES}
    assert {study.name for study in STUDIES} - set(named) <= {"training-moves", "beliefs"}


def test_a_study_fits_small_networks_to_shared_games(monkeypatch):
    from sandtable.games.stratego.learning import policy
    from sandtable.games.stratego.studies import fits

    played = []

    def few_moves(config, number):
        played.append((config.player, number))
        return games_of_shard(replace(config, player="random", variant="barrage"), number)

    games_of_shard = policy.games_of_shard
    monkeypatch.setattr(policy, "games_of_shard", few_moves)
    monkeypatch.setattr(fits, "PLAYED", {})
    monkeypatch.setattr(fits, "QUICK_SHARDS", 3)
    monkeypatch.setattr(fits, "QUICK_STEPS", 2)
    quick = Settings(quick=True)
    for preset in ("small", "own-channels"):
        fitted = fits.fit_preset("policy", preset, quick, silence)
        figures = fits.accuracies(fitted)
    assert len(played) == 3  # once for both
    assert all(math.isfinite(each.value) for each in figures)
    assert len(fitted.held_out) == policy.GAMES_IN_SHARD  # a game is one observation
    assert fitted.fitting.network.shape.channels == "12"


def test_the_picture_of_the_planes_is_that_of_the_docs():
    place = Path(__file__).parents[3] / "docs/games/stratego/planes.svg"
    square = layout.parse_square(EXAMPLE_SQUARE, 10)
    planes = np.zeros((6, 10, 10), dtype=np.float32)
    encode_paper(example(), 0, planes)
    assert place.read_text() == patch_svg(example(), 0, square, planes) + "\n"
    state = make_game("stratego:variant=mini").start(Dice(0))
    assert "?" in patch_svg(state.position, 0, 0, planes[:, :6, :6])


def test_pieces_are_counted_by_hand():
    """An enemy that is known to be weaker is taken; a known stronger one is not attacked."""
    agent = make_agent("stratego/value:evaluation=pieces,samples=4,haste=0")
    for rank, taken in (("4", True), ("T", False)):
        red, blue = {"a1": "F", "e4": "9", "b2": "3"}, {"a10": "F", "e5": f"{rank}!", "j10": "2"}
        state = state_of(red, blue, options="long_scouts=false")
        agent.begin(state.game, 0, Dice(0))
        chosen = agent.choose(state.view(0), Dice(0))
        assert (state.game.notation.action_name(chosen) == "e4-e5") == taken
