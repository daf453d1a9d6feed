"""The learner for every game: exact resume, results that do not depend on threads, played files."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the learner needs torch")

from sandtable.agents.network import Network  # noqa: E402
from sandtable.agents.treesearch.improvement import improved_policy, stepped_policy  # noqa: E402
from sandtable.agents.treesearch.tree import (  # noqa: E402
    DECISION,
    EDGE,
    EDGE_VISITS,
    HEADER,
    PRIOR,
    TOTAL,
    UNIT,
    VALUE,
    add_decision,
    edge_place,
    prepare,
)
from sandtable.dice import Dice  # noqa: E402
from sandtable.errors import SandtableError  # noqa: E402
from sandtable.learning.checkpoints import load_newest, save  # noqa: E402
from sandtable.learning.config import check_config  # noqa: E402
from sandtable.learning.run import Control  # noqa: E402
from sandtable.learning.selfplay.games import PlaySettings, SelfPlay  # noqa: E402
from sandtable.learning.selfplay.learner import NetworkInTraining  # noqa: E402
from sandtable.learning.selfplay.network import new_network  # noqa: E402
from sandtable.learning.selfplay.opponents import ITSELF, Opponents, seats_beside  # noqa: E402
from sandtable.learning.selfplay.recipe import SelfPlayConfig, export, train  # noqa: E402
from sandtable.registry import make_agent, make_game  # noqa: E402
from sandtable.types import OVER  # noqa: E402

SMALL = SelfPlayConfig(
    game="gravwell:players=2", width=8, blocks=1, games=12, generation=4, rows=4, simulations=3,
    batch=16, passes=2.0,
)  # fmt: skip
CONTROL = Control(device="cpu")


def weights_in(folder: Path) -> dict[str, np.ndarray]:
    checkpoint, _ = load_newest(folder)
    assert checkpoint is not None
    return {name: np.array(array) for name, array in checkpoint.arrays.items()}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    assert train(SMALL, folder, CONTROL)
    return folder


def test_a_run_goes_on_exactly(finished: Path, tmp_path: Path) -> None:
    short = dataclasses.replace(SMALL, games=4)
    assert train(short, tmp_path, CONTROL)
    assert train(SMALL, tmp_path, CONTROL)
    # The steps of a short run get smaller sooner; its first round is the same, so only those of
    # the whole run that was stopped count.
    stopped = tmp_path / "stopped"
    calls = iter([False] * 60)
    assert not train(SMALL, stopped, Control(device="cpu", stopping=lambda: next(calls, True)))
    assert train(SMALL, stopped, CONTROL)
    ours, theirs = weights_in(finished), weights_in(stopped)
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_rows_and_threads_do_not_change_the_games() -> None:
    game = make_game("gravwell:players=2")
    torch.manual_seed(3)
    network = new_network(game, "perceptron", 8, 1).eval()
    settings = PlaySettings(4, 3, 1.25, 0.0, 400, threads=1)
    played = []
    for rows, threads, groups in ((4, 1, 2), (4, 2, 2), (2, 1, 1)):
        changed = dataclasses.replace(settings, rows=rows, threads=threads, groups=groups)
        playing = SelfPlay(game, changed, torch.device("cpu"))
        result = playing.play(network, 5, 0, 4, lambda: False)
        assert result is not None
        played.append(result)
    for decisions, scores in played[1:]:
        assert np.array_equal(scores, played[0][1])
        assert np.array_equal(decisions.actions, played[0][0].actions)
        assert np.allclose(decisions.shares, played[0][0].shares, atol=2e-3)


def test_a_network_is_asked_once_for_each_decision_and_says_the_same() -> None:
    game = make_game("gravwell:players=2")
    torch.manual_seed(3)
    network = new_network(game, "perceptron", 8, 1).eval()
    settings = PlaySettings(4, 3, 1.25, 0.0, 400, threads=1)
    played, asked = [], []
    for most in (1 << 20, 4):  # answers kept; with four rows hardly any
        playing = SelfPlay(game, settings, torch.device("cpu"))
        group = playing.groups[0]
        group.known.most = most
        count = [0]
        usual = group.ask

        def counted(answers, rows, usual=usual, count=count):
            count[0] += len(rows)
            usual(answers, rows)

        group.ask = counted  # type: ignore[method-assign]
        result = playing.play(network, 5, 0, 4, lambda: False)
        assert result is not None
        played.append(result)
        asked.append(count[0])
    assert asked[0] < asked[1]
    assert np.array_equal(played[0][1], played[1][1])
    assert np.array_equal(played[0][0].actions, played[1][0].actions)
    assert np.allclose(played[0][0].shares, played[1][0].shares, atol=2e-3)


def test_an_exported_network_plays_legal_games(finished: Path) -> None:
    assert "network written" in export(finished)
    game = make_game(SMALL.game)
    for options in ("", ",simulations=4", ",temperature=1"):
        agent = make_agent(f"network:weights={finished / 'network.onnx'}{options}")
        dice, state = Dice(1), game.start(Dice(1))
        agent.begin(game, 0, dice)
        while state.turn != OVER:
            view = state.view(state.turn)
            chosen = agent.choose(view, dice)
            assert chosen in view.legal
            state = state.play(chosen, dice)
        agent.close()


def test_a_network_for_another_game_is_refused(finished: Path) -> None:
    export(finished)
    agent = Network(weights=finished / "network.onnx")
    with pytest.raises(SandtableError, match="network"):
        agent.begin(make_game("skirmish"), 0, Dice(0))
    with pytest.raises(SandtableError, match="needs weights"):
        Network()


def test_a_run_with_options_of_another_version_is_told_in_one_line(
    finished: Path, tmp_path: Path
) -> None:
    checkpoint, _ = load_newest(finished)
    assert checkpoint is not None
    renamed = {**checkpoint.config, "pull_rounds": checkpoint.config["settling_rounds"]}
    save(tmp_path, dataclasses.replace(checkpoint, config=renamed))
    with pytest.raises(SandtableError, match=r"options that this version does not have \(--pull"):
        export(tmp_path)


def test_numbers_that_are_none_stop_the_run(finished: Path, tmp_path: Path) -> None:
    broken = dataclasses.replace(SMALL, learning_rate=0.99, games=4000)

    def poison(metrics: dict[str, object]) -> None:
        raise AssertionError("the run went on")

    with pytest.raises((SandtableError, AssertionError)) as caught:
        original = torch.nn.functional.binary_cross_entropy_with_logits
        torch.nn.functional.binary_cross_entropy_with_logits = lambda values, wanted: (
            original(values, wanted) * float("nan")
        )
        try:
            train(broken, tmp_path, Control(device="cpu", report=poison))
        finally:
            torch.nn.functional.binary_cross_entropy_with_logits = original
    assert "round 1 are not numbers" in str(caught.value)
    checkpoint, _ = load_newest(tmp_path)
    assert checkpoint is not None and checkpoint.counters["rounds"] == 0


def test_nobody_can_be_an_opponent_in_a_game_of_one_seat() -> None:
    alone = dataclasses.replace(make_game("lucid"), seats=("blue",))
    with pytest.raises(SandtableError, match="lucid has one seat, so nobody can be an opponent"):
        seats_beside(alone, "random")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"game": ""}, "which game"),
        ({"game": "gravwel"}, "gravwell"),
        ({"rows": 8}, "--rows is at most --generation"),
        ({"network": "percepton"}, "perceptron"),
        ({"opponents": "lucid/axes-red"}, "plays lucid, not gravwell"),
        ({"opponents": "montecarl"}, "montecarlo"),
        ({"opponents": "external:command=true"}, "watches its games"),
        ({"opponents": "human"}, "'human' is somebody else every time; name a program"),
        ({"opponents": "network:weights=nowhere.onnx"}, "no file of weights nowhere.onnx"),
        ({"opponents": f"network:weights={__file__}"}, "damaged or holds no network for gravwell"),
        ({"network": "attention", "width": 30}, "--width .* is a multiple of 4, got 30"),
        ({"learning_rate": float("nan")}, "--learning-rate is above 0 and below 1, got nan"),
        ({"exploration": float("inf")}, "--exploration is at least 0, got inf"),
    ],
)
def test_mistakes_get_one_line(changes: dict[str, object], words: str) -> None:
    with pytest.raises(SandtableError, match=words):
        check_config(dataclasses.replace(SMALL, **changes))  # type: ignore[arg-type]


def test_the_improved_policy_follows_values_and_keeps_priors_without() -> None:
    slots, edges = 256, 16
    tree = np.zeros(HEADER + slots * DECISION + edges * EDGE, dtype=np.int64)
    prepare(tree, slots, edges)
    decision = add_decision(tree, 77, np.arange(3), 3)
    policy = np.zeros(3, dtype=np.float32)
    for index, prior in enumerate((0.2, 0.3, 0.5)):
        tree[edge_place(tree, index) + PRIOR] = int(prior * UNIT)
    tree[decision + VALUE] = int(0.5 * UNIT)
    improved_policy(tree, decision, policy)
    assert policy == pytest.approx([0.2, 0.3, 0.5], abs=1e-4)  # nothing tried: nothing learned
    first = edge_place(tree, 0)
    tree[first + EDGE_VISITS], tree[first + TOTAL] = 4, int(4 * 0.9 * UNIT)
    improved_policy(tree, decision, policy)
    assert policy[0] > 0.5 and policy[1] / policy[2] == pytest.approx(0.6, abs=1e-3)


def test_the_log_tells_every_round(finished: Path) -> None:
    lines = [json.loads(line) for line in (finished / "metrics.jsonl").read_text().splitlines()]
    rounds = [line for line in lines if "policy_loss" in line]
    assert [line["game"] for line in rounds] == [3, 7, 11]


def test_a_step_of_the_policy_is_one_of_mirror_descent() -> None:
    slots, edges = 256, 16
    tree = np.zeros(HEADER + slots * DECISION + edges * EDGE, dtype=np.int64)
    prepare(tree, slots, edges)
    decision = add_decision(tree, 77, np.arange(3), 3)
    priors, means = np.array([0.2, 0.3, 0.5]), np.array([0.9, 0.4, 0.6])
    for index in range(3):
        edge = edge_place(tree, index)
        tree[edge + PRIOR] = int(priors[index] * UNIT)
        tree[edge + EDGE_VISITS], tree[edge + TOTAL] = 2, int(2 * means[index] * UNIT)
    policy = np.zeros(5, dtype=np.float32)
    value, visits = stepped_policy(tree, decision, policy, 3.0, 0.1)
    wanted = priors**0.9 * np.exp(3.0 * (means - priors @ means))
    assert policy[:3] == pytest.approx(wanted / wanted.sum(), abs=1e-5)
    assert not policy[3:].any()
    assert (value, visits) == (pytest.approx(priors @ means, abs=1e-6), 6)


POOLED = dataclasses.replace(
    SMALL, opponents="gravwell/decision-tree random", pool=2, pool_rounds=1, pool_share=0.7
)


def test_games_with_a_pool_go_on_exactly(tmp_path: Path) -> None:
    assert train(POOLED, tmp_path / "whole", CONTROL)
    reported: list[object] = []
    stop = Control(device="cpu", report=reported.append, stopping=lambda: bool(reported))
    assert not train(POOLED, tmp_path / "stopped", stop)
    assert train(POOLED, tmp_path / "stopped", CONTROL)
    ours, theirs = weights_in(tmp_path / "whole"), weights_in(tmp_path / "stopped")
    assert {name.split("/")[1] for name in ours if name.startswith("pool/")} == {"1", "3"}
    assert ours.keys() == theirs.keys()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours)


def test_who_sits_where_follows_from_the_game_and_its_number() -> None:
    game = make_game("lucid")
    pool = Opponents(game, ["an old self"], ["lucid/axes-red"], 0.5)
    seatings = [pool.seating(1, number) for number in range(200)]
    assert seatings == [pool.seating(1, number) for number in range(200)]
    assert {player for _, player in seatings} == {ITSELF, 1, 2}
    assert all(learner == 0 for learner, player in seatings if player == 2)  # it plays Red
    assert {learner for learner, player in seatings if player == 1} == {0, 1}
    assert all(learner == -1 for learner, player in seatings if player == ITSELF)
    alone = Opponents(make_game("gravwell:players=2"))  # with secrets one learns at a time
    assert {alone.seating(1, number) for number in range(50)} == {(0, ITSELF), (1, ITSELF)}


# Kuhn poker for an exact sum: who has what, then p(ass) or b(et) in turn.
DEALS = list(itertools.permutations(range(3), 2))
ENDS = {"pp": 1, "bp": 0, "pbp": 0, "bb": 2, "pbb": 2}  # coins at stake; 0: somebody gave up
Shares = dict[tuple[int, str], np.ndarray]  # by card and what was done: of passing and betting


def kuhn(deal: tuple[int, int], done: str, shares: Shares, gains: Shares, reach: Shares) -> float:
    """Return what the first can expect, adding up what each action is worth to its mover."""
    if done in ENDS:
        gave_up = 1.0 if done == "bp" else -1.0
        higher = 1.0 if deal[0] > deal[1] else -1.0
        return ENDS[done] * higher or gave_up
    seat, known = len(done) % 2, (deal[len(done) % 2], done)
    mine, sign = shares[known], 1 - 2 * seat
    values = np.zeros(2)
    for action, name in enumerate("pb"):
        reach["seats", done + name] = reach["seats", done].copy()
        reach["seats", done + name][seat] *= mine[action]
        values[action] = sign * kuhn(deal, done + name, shares, gains, reach)
    other = reach["seats", done][1 - seat]
    gains[known] = gains.get(known, np.zeros(2)) + other * values
    reach[known] = reach.get(known, np.zeros(1)) + other
    return float(sign * (mine @ values))


def summed(shares: Shares) -> tuple[float, Shares]:
    """Return what the first can expect, and what every action is worth where it may be played."""
    gains: Shares = {}
    reach: Shares = {}
    total = 0.0
    for deal in DEALS:
        reach["seats", ""] = np.ones(2)
        total += kuhn(deal, "", shares, gains, reach)
    return total / 6, {known: gains[known] / np.maximum(reach[known], 1e-12) for known in gains}


def kuhn_nash_conv(shares: Shares) -> float:
    """Return what both could gain by the best of all plans."""
    best = [-np.inf, -np.inf]
    for seat in range(2):
        places = [known for known in shares if len(known[1]) % 2 == seat]
        for plan in itertools.product(np.eye(2), repeat=len(places)):
            value, _ = summed({**shares, **dict(zip(places, plan, strict=True))})
            best[seat] = max(best[seat], (1 - 2 * seat) * value)
    return sum(best)


def test_the_usual_steps_and_pulls_lead_to_an_equilibrium() -> None:
    """With exact values: a pull that falls too fast lets the policy run in circles."""
    game = make_game("gravwell:players=2")  # any with secrets
    state = NetworkInTraining(SelfPlayConfig(game=game.name, width=8), game, torch.device("cpu"))
    state.counters["spread"] = 1.6  # of results in coins
    places = [(card, done) for card in range(3) for done in ("", "p", "b", "pb")]
    shares = {known: np.full(2, 0.5) for known in places}
    assert kuhn_nash_conv(shares) == pytest.approx(0.9167, abs=1e-4)
    for number in range(200):
        state.counters["rounds"] = number
        step, magnet = state.step_size(), state.magnet()
        _, worth = summed(shares)
        for known, values in worth.items():
            logits = (1 - magnet) * np.log(shares[known]) + step * values
            shares[known] = np.exp(logits - logits.max())
            shares[known] /= shares[known].sum()
    assert kuhn_nash_conv(shares) < 0.06


def test_with_secrets_a_step_begins_at_the_network_that_plays() -> None:
    hidden, open_game = make_game("gravwell:players=2"), make_game("skirmish")
    for game, averaged in ((hidden, False), (open_game, True)):
        config = SelfPlayConfig(game=game.name, width=8, blocks=1)
        state = NetworkInTraining(config, game, torch.device("cpu"))
        assert state.player() is (state.average if averaged else state.network)
        state.counters |= {"rounds": 380, "steps": 8000}
        assert state.follow == pytest.approx(0.005 if averaged else 4 / 8000)
