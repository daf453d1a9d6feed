"""The recipes of Stratego's networks: data in shards, exact resume, what is learned."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from sandtable.dice import Dice
from sandtable.games.stratego.agents.board_networks import SeenBoards
from sandtable.games.stratego.agents.square_codes import MOVES, TURNED_ACTIONS
from sandtable.games.stratego.learning.fitting import Fitting
from sandtable.games.stratego.learning.games import (
    count_wins,
    play_some,
    positions_of,
    take_results,
)
from sandtable.games.stratego.learning.networks import (
    NetworkShape,
    code_table,
    export_network,
    new_network,
    planes_of,
)
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.recipes import load_recipe
from sandtable.learning.run import Control
from sandtable.learning.shards import read_shard, shard_path
from sandtable.registry import make_agent, make_game

QUICK_VALUE = {
    "players": "random",
    "games": 4,
    "games_in_shard": 2,
    "candidates": 5,
    "kept": 3,
    "playouts": 10,
    "steps": 4,
    "batch": 4,
    "rounds": 2,
    "loop_games": 2,
    "agent": "samples=1,attacks=0",
}
FAR_AHEAD = (
    "bF8bB/10/10/10/2~~2~~2/2~~2~~2/10/2b2'7/r99/rF7rTr2 r 400/0 S23B/S239T -/- - variant=barrage"
)
QUICK_POLICY = {"player": "random", "games": 5, "steps": 4, "batch": 16}


def config_of(name, **changes):
    recipe = load_recipe(name)
    return recipe, dataclasses.replace(recipe.presets["bundled"], **changes)


def stopping_after(looks):
    """Return a control that stops a run at its so-manieth look."""
    seen = []

    def stopping():
        seen.append(1)
        return len(seen) >= looks

    return Control(device="cpu", stopping=stopping)


@pytest.mark.parametrize(
    ("name", "changes"), [("stratego/policy", QUICK_POLICY), ("stratego/value", QUICK_VALUE)]
)
def test_a_run_broken_off_again_and_again_ends_like_one_that_was_not(name, changes, tmp_path):
    recipe, config = config_of(name, **changes)
    reported = []
    whole = Control(device="cpu", report=reported.append, jobs=2)
    assert recipe.train(config, tmp_path / "whole", whole)
    assert reported[-1]["part"] == recipe.length(config) - 1
    for looks in (1, 3):
        assert not recipe.train(config, tmp_path / "broken", stopping_after(looks))
        part = "moves" if name.endswith("policy") else "round-0"
        path = shard_path(tmp_path / "broken", part, 1)
        path.write_bytes(path.read_bytes()[:-3] + b"abc")  # a damaged shard is made anew
    assert recipe.train(config, tmp_path / "broken", Control(device="cpu"))
    ends = [load_newest(tmp_path / each)[0] for each in ("whole", "broken")]
    for key, array in ends[0].arrays.items():
        np.testing.assert_array_equal(array, ends[1].arrays[key])
    kind = name.rpartition("/")[2]
    assert f"weights={tmp_path}/whole/{kind}.onnx" in recipe.export(tmp_path / "whole")
    make_agent(f"{name}:weights={tmp_path}/whole/{kind}.onnx")


@pytest.mark.parametrize("kind", ["policy", "value"])
@pytest.mark.parametrize(
    "changes",
    [
        {"variant": "mini", "layers": 2, "filter_size": 5, "channels": "126"},
        {"turned": False, "mirror": False, "head": "full", "padding": "same", "ends": "paper"},
    ],
    ids=["small board", "as described, unturned"],
)
def test_networks_of_every_shape_are_trained_and_play(kind, changes, tmp_path):
    quick = QUICK_POLICY if kind == "policy" else QUICK_VALUE | {"rounds": 1}
    names = {each.name for each in dataclasses.fields(config_of(f"stratego/{kind}")[1])}
    changes = {name: value for name, value in changes.items() if name in names}
    recipe, config = config_of(f"stratego/{kind}", **(quick | {"steps": 1} | changes))
    assert recipe.train(config, tmp_path, Control(device="cpu"))
    recipe.export(tmp_path)
    agent = make_agent(f"stratego/{kind}:weights={tmp_path}/{kind}.onnx")
    game = make_game(f"stratego:variant={changes.get('variant', 'classic')}")
    state = game.start(Dice(0))
    for _ in range(4):
        agent.begin(game, state.turn, Dice(1))
        chosen = agent.choose(state.view(state.turn), Dice(2))
        assert chosen in state.legal
        state = state.play(chosen)


def test_an_unturned_network_is_shown_and_asked_in_the_frame_of_the_board(tmp_path):
    changes = {"turned": False, "variant": "barrage", "layers": 1, "mirror": False}
    recipe, config = config_of("stratego/policy", **(QUICK_POLICY | {"steps": 1} | changes))
    assert recipe.train(config, tmp_path, Control(device="cpu"))
    recipe.export(tmp_path)
    network = SeenBoards(tmp_path / "policy.onnx", "logits", "stratego/policy")
    shard = read_shard(shard_path(tmp_path, "moves", 0))
    shown = planes_of(torch.tensor(shard["codes"][:8]), code_table(torch.device("cpu"))).numpy()
    board = network.network.run(shown)[0]  # as trained: Blue's boards are not turned
    turned = np.ascontiguousarray(shown[:, :, ::-1, ::-1])  # as an agent writes them for Blue
    np.testing.assert_allclose(network.run(turned, 1)[:, TURNED_ACTIONS], board, atol=1e-5)
    np.testing.assert_array_equal(network.run(shown, 0), board)


def test_planes_that_are_left_out_change_nothing(tmp_path):
    shape = NetworkShape(channels="12", layers=1)
    export_network(new_network("value", 3, shape), tmp_path / "value.onnx", {})
    network = SeenBoards(tmp_path / "value.onnx", "values", "stratego/value")
    planes = np.random.default_rng(0).random((4, 6, 10, 10)).astype(np.float32)
    others = planes.copy()
    others[:, 2:] = 0.0
    np.testing.assert_array_equal(network.run(planes, 0), network.run(others, 0))
    others[:, 0] = 0.0
    assert (network.run(planes, 0) != network.run(others, 0)).all()


def test_examples_are_what_the_mover_saw_and_did(tmp_path):
    recipe, config = config_of("stratego/policy", **(QUICK_POLICY | {"steps": 1}))
    assert recipe.train(config, tmp_path, Control(device="cpu"))
    shard = read_shard(shard_path(tmp_path, "moves", 0))
    assert shard["codes"].shape == (len(shard["targets"]), 100)
    assert 0 <= shard["targets"].min() <= shard["targets"].max() < MOVES
    reach = 18  # every move leaves a square with an own piece that moves
    left = shard["codes"][np.arange(len(shard["targets"])), shard["targets"] // reach]
    assert ((left >= 2) & (left <= 11)).all()


def test_labels_are_shares_of_random_games_from_what_the_seat_cannot_tell_apart():
    game = make_game("stratego:variant=barrage")
    counts = np.zeros(2, dtype=np.int64)
    position = np.array(game.start(Dice(3)).position)
    count_wins(position, 0, 400, Dice(5).array, counts)
    assert abs(int(counts[0]) - int(counts[1])) < 100  # even, but for the first move
    twin = np.zeros(2, dtype=np.int64)
    unseen = game.start(Dice(3)).view(0).guess(Dice(8))
    count_wins(np.array(unseen.position), 0, 400, Dice(5).array, twin)
    assert twin.tolist() == counts.tolist()  # what is hidden from the seat does not count
    won = game.parse(FAR_AHEAD)
    for seat, ahead in ((0, 0), (1, 1)):  # counts are wins first, then losses, of the seat
        count_wins(np.array(won.position), seat, 200, Dice(5).array, counts)
        assert counts[ahead] > 2 * counts[1 - ahead]


def test_labels_by_results_are_those_of_the_seat_in_its_own_game():
    game = make_game("stratego:variant=barrage,long_scouts=false")
    numbers = range(8)
    games = play_some(game, ["random"] * 2, 4, numbers, 0.0)
    ends = []
    for number, actions in zip(numbers, games, strict=True):
        state = game.start(Dice(4, "game", number))
        for action in actions:
            state = state.play(int(action))
        ends.append(state.outcome)
    seats = np.array([0, 1, 1, 0, 1], dtype=np.int64)
    for drawn, end in zip(positions_of(game, 4, numbers, games, 5), ends, strict=True):
        codes = np.zeros((5, 100), dtype=np.uint8)
        labels = np.full(5, 7.0, dtype=np.float32)
        assert take_results(drawn.positions, seats, drawn.winner, 4, True, codes, labels) == 4
        assert labels.tolist() == [*(end.scores[seat] for seat in seats[:4]), 7.0]
        assert (codes[:4].max(axis=1) > 0).all()
        assert codes[4].max() == 0
    assert {drawn.winner for drawn in positions_of(game, 4, numbers, games, 1)} >= {1, 2}


def test_the_loop_can_learn_from_the_results_of_its_own_games(tmp_path):
    recipe = load_recipe("stratego/value")
    quick = QUICK_VALUE | {"beside": "random"}
    config = dataclasses.replace(recipe.presets["results"], **quick)
    assert recipe.train(config, tmp_path, Control(device="cpu"))
    first, second = (read_shard(shard_path(tmp_path, f"round-{number}", 0)) for number in (0, 1))
    assert set(first["targets"].tolist()) <= {-1.0, 0.0, 1.0}
    assert len(second["targets"]) == 2 * QUICK_VALUE["kept"]


def test_a_value_network_learns_who_has_more():
    random = np.random.default_rng(0)
    codes = np.where(random.random((512, 100)) < 0.3, random.integers(2, 22, (512, 100)), 0)
    own, other = (codes >= 2) & (codes <= 11), codes >= 12
    targets = np.clip((own.sum(1) - other.sum(1)) / 10, -1, 1).astype(np.float32)
    examples = {"codes": codes.astype(np.uint8), "targets": targets}
    fitting = Fitting(new_network("value", 0), torch.device("cpu"), momentum=0.9)
    fitting.set_examples(examples)
    before = fitting.judge(examples)
    fitting.run(0, 0, 100, 64, np.full(100, 0.02))
    after = fitting.judge(examples)
    assert after[0] < 0.6 * before[0]
    assert after[1] > 0.75
