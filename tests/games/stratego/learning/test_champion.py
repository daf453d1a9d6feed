"""Stratego's champion: planes on the device, advantages along every second move, exact resume."""

import dataclasses
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from sandtable.batch import Batch  # noqa: E402
from sandtable.dice import Dice  # noqa: E402
from sandtable.errors import SandtableError  # noqa: E402
from sandtable.games.stratego import layout  # noqa: E402
from sandtable.games.stratego.agents.champion.agent import Champion  # noqa: E402
from sandtable.games.stratego.agents.champion.network import ChampionNetwork  # noqa: E402
from sandtable.games.stratego.game import stratego  # noqa: E402
from sandtable.games.stratego.learning.champion.config import TINY  # noqa: E402
from sandtable.games.stratego.learning.champion.games import (  # noqa: E402
    SelfPlay,
    advantages,
    pack,
    turned_moves,
    unpack,
    worth_of_armies,
)
from sandtable.games.stratego.learning.champion.learner import ChampionLearner  # noqa: E402
from sandtable.games.stratego.learning.champion.network import move_places  # noqa: E402
from sandtable.games.stratego.learning.champion.planes import (  # noqa: E402
    KEPT_CELLS,
    StrategoPlanes,
    hidden_ranks,
)
from sandtable.games.stratego.learning.champion.recipe import RECIPE, model_of  # noqa: E402
from sandtable.games.stratego.learning.champion.rivals import Rival  # noqa: E402
from sandtable.games.stratego.learning.champion.searchers import HIGHEST_KEY, Searchers  # noqa: E402
from sandtable.games.stratego.learning.networks import padded_size, read_network  # noqa: E402
from sandtable.learning.checkpoints import load_newest  # noqa: E402
from sandtable.learning.recipes import Control  # noqa: E402
from sandtable.registry import make_agent  # noqa: E402
from sandtable.types import State  # noqa: E402


@pytest.fixture(scope="module")
def batch():
    """Games in all stages: rows that are over stay as they are."""
    games = Batch(stratego(), 48, seed=3, frame="board")
    for _ in range(300):
        games.step(games.random_actions())
    return games


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "whole"
    assert RECIPE.train(TINY, folder, Control(device="cpu"))
    return folder


def test_the_rival_moves_as_the_agent_does(batch):
    going = batch.turns >= 0
    rows, seats = batch.positions[going], batch.turns[going].astype(np.int64)
    agent, dice = make_agent("stratego/policy"), Dice(0)
    expected = []
    for position, seat in zip(rows, seats, strict=True):
        view = State(batch.game, position.copy()).view(int(seat))
        action = agent.choose(view, dice)
        expected.append(action if seat == layout.RED else turned_moves()[action])
    rival = Rival("policy", torch.device("cpu"))
    still = torch.Generator()
    cold = [rival.choose(rows, seats, still.manual_seed(number)) for number in range(12)]
    chosen = np.array(cold)
    assert (chosen == expected).mean() > 0.5  # chance changes it now and then, and only so far
    assert len({tuple(row) for row in cold}) > 1
    shared = Rival("policy", torch.device("cpu"), threads=3)
    assert np.array_equal(shared.choose(rows, seats, still.manual_seed(0)), cold[0])


def test_the_searchers_move_as_the_agent_does(batch):
    going = batch.turns >= 0
    rows, seats = batch.positions[going][:12], batch.turns[going][:12].astype(np.int64)
    rival = Searchers("value", torch.device("cpu"), 16, threads=2, runs=1000)
    chosen = rival.choose(rows, seats, torch.Generator().manual_seed(1))
    keys = torch.randint(HIGHEST_KEY, (12,), generator=torch.Generator().manual_seed(1))
    agent = make_agent("stratego/value:samples=4")
    for position, seat, key, action in zip(rows, seats, keys, chosen, strict=True):
        dice = Dice(0)
        dice.array[:] = [int(key), 0, 0, 0]
        found = agent.choose(State(batch.game, position.copy()).view(int(seat)), dice)
        assert action == (found if seat == layout.RED else turned_moves()[found])
    again = Searchers("value", torch.device("cpu"), 12, runs=1000)
    assert np.array_equal(again.choose(rows, seats, torch.Generator().manual_seed(1)), chosen)


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_searchers_that_are_not_done_play_a_legal_move(batch, runs):
    going = batch.turns >= 0
    rows, seats = batch.positions[going], batch.turns[going].astype(np.int64)
    rival = Searchers("value", torch.device("cpu"), len(rows), threads=2, runs=runs)
    chosen = rival.choose(rows, seats, torch.Generator().manual_seed(1))
    real = np.where(seats == layout.RED, chosen, turned_moves()[chosen])
    assert batch.masks[going][np.arange(len(rows)), real].all()


@pytest.mark.parametrize("boards", [1, 63, 64, 65, 8192, 8193, 20_000])
def test_batches_for_a_gpu_have_few_sizes(boards):
    size = padded_size(boards)
    assert boards <= size < max(2 * boards, 65)
    assert size % 8192 == 0 or size in {2**power for power in range(6, 13)}


def test_a_rival_of_another_kind_is_refused():
    with pytest.raises(SandtableError, match="no network of stratego/policy"):
        read_network("policy", "value")


def test_planes_are_those_of_the_kernel(batch):
    going = batch.turns >= 0
    positions = torch.from_numpy(np.array(batch.positions[going][:, :KEPT_CELLS]))
    seats = torch.from_numpy(np.array(batch.turns[going]))
    made = StrategoPlanes(batch.game.empty_position(), torch.device("cpu"))(positions, seats)
    assert going.sum() > 20
    assert set(seats.tolist()) == {0}  # all have played the same number of moves
    assert np.allclose(made.numpy(), batch.observations[going], atol=1e-6)
    other = 1 - seats
    seen_by_blue = StrategoPlanes(batch.game.empty_position(), torch.device("cpu"))(
        positions, other
    )
    planes = np.zeros(batch.game.plane_shape, dtype=np.float32)
    for row, position in enumerate(batch.positions[going]):
        batch.game.rules.encode(np.array(position), 1, planes)
        assert np.allclose(seen_by_blue[row].numpy(), planes, atol=1e-6)


def test_hidden_ranks_are_those_under_the_backs(batch):
    position = np.array(batch.positions[0])
    for seat in (0, 1):
        told = hidden_ranks(torch.from_numpy(position[None, :KEPT_CELLS]), torch.tensor([seat]))[0]
        squares = range(100) if seat == 0 else range(99, -1, -1)
        for place, square in enumerate(squares):
            cell = int(position[square])
            hidden = cell & (layout.OWNED << (1 - seat)) and not cell & layout.KNOWN
            assert told[place] == ((cell & layout.RANK_BITS) - 1 if hidden else -1)


def test_every_move_has_its_own_output():
    places = move_places()
    assert len(set(places.tolist())) == len(places) == 1800
    # One step up from square 64: the direction up (2), the distance 1.
    action = layout.action_between(10, 64, 54)
    assert places[action] == (2 * 9 + 0) * 100 + 64


def test_turned_moves_undo_themselves():
    turned = turned_moves()
    assert (turned[turned] == np.arange(len(turned))).all()


def test_worth_of_armies_is_whole_at_the_beginning():
    position = np.array(stratego().start(Dice(1)).position)
    shares = np.zeros((1, 2), dtype=np.float32)
    worth_of_armies(position[None], shares)
    assert shares[0].tolist() == pytest.approx([1.0, 1.0])
    position[layout.ALIVE + layout.RANKS + layout.MARSHAL] = 0
    worth_of_armies(position[None], shares)
    assert shares[0, 0] == pytest.approx(1.0)
    assert shares[0, 1] < 0.95


def test_packed_marks_are_those_of_the_batch(batch):
    packed = np.zeros(batch.words.shape, dtype=np.uint8)
    pack(batch.words, packed)
    marks = unpack(torch.from_numpy(packed)).numpy()
    assert np.array_equal(marks[:, : batch.game.action_count], batch.masks)


def test_advantages_follow_the_mover_and_stop_at_the_end():
    seats = torch.tensor([[0], [1], [0], [1], [0], [1]], dtype=torch.int8)
    values = torch.tensor([[0.1], [0.2], [0.3], [0.4], [0.5], [0.6]])
    rewards = torch.zeros(6, 1, 2)
    ended = torch.zeros(6, 1, dtype=torch.bool)
    rewards[3, 0] = torch.tensor([-1.0, 1.0])  # Blue's second move wins
    ended[3] = True
    gains = advantages(rewards, ended, seats, values, horizon=0.5, trace=1.0)[:, 0].tolist()
    assert gains[3] == pytest.approx(1.0 - 0.4)
    assert gains[2] == pytest.approx(-1.0 - 0.3)  # Red loses by the answer
    assert gains[1] == pytest.approx(0.5 * 0.4 - 0.2 + 0.5 * (1.0 - 0.4))
    assert gains[0] == pytest.approx(0.5 * 0.3 - 0.1 + 0.5 * (-1.0 - 0.3))


def test_results_are_counted_against_each_opponent():
    games = SelfPlay(TINY, torch.device("cpu"), 1)
    past, rival, searcher = 3, 4, 8  # rows with each of them; in the last it plays itself
    assert TINY.rows == 16
    rows = np.arange(TINY.rows)
    scores = np.where(rows[:, None] % 2 == [0, 1], -1, 1)  # Red loses in even rows, Blue in odd
    scores[past] = 0
    over = rows != past + rival
    games.batch = SimpleNamespace(over=over, scores=scores)
    games.count_results(games.begin_round(TINY.late_from - 1))
    assert games.results.tolist() == [6, 1, 8]  # the 16 games but one that goes on
    # Where it plays, the other has the seat of the row's parity and so has lost.
    assert games.against["past"].tolist() == [past, past]
    assert games.against["rival"].tolist() == [rival - 0.5, rival]
    assert games.against["searcher"].tolist() == [0, 0]  # they are not there yet
    games.count_results(games.begin_round(TINY.late_from))
    assert games.against["searcher"].tolist() == [searcher - 1, searcher - 1]


def test_the_log_tells_of_games_against_others(run_folder):
    lines = (run_folder / "metrics.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == TINY.rounds
    for facts in map(json.loads, lines):
        for name in ("past", "rival", "searcher"):
            assert 0 <= facts[f"{name}_points"] <= facts[f"{name}_games"]
    facts |= {"searcher_points": 19.5, "searcher_games": 20, "rival_games": 0}
    assert "98% against the searcher" in RECIPE.told(facts)
    assert "the rival" not in RECIPE.told(facts)


def test_the_late_stage_learns_faster_then_settles():
    config = dataclasses.replace(
        TINY,
        late_from=100,
        late_rate=3.0,
        settle_from=150,
        settle_rounds=10,
        late_passes=2,
        built_from=170,
        built_rate=2.0,
        built_settle_from=180,
        built_settle_rounds=5,
    )
    plain = [config.learning_rate / (1 + number / config.rate_rounds) for number in range(200)]
    late = [config.rate_in(number) / plain[number] for number in (99, 100, 149, 150, 159, 160, 169)]
    assert late == pytest.approx([1, 3, 3, 0.75, 0.75, 0.1875, 0.1875])
    built = [config.rate_in(number) / plain[number] for number in (170, 179, 180, 184, 185)]
    assert built == pytest.approx([2, 2, 0.5, 0.5, 0.125])
    assert [config.passes_in(number) for number in (99, 100)] == [1, 2]
    assert [config.trace_in(number) for number in (99, 100)] == [config.trace, config.late_trace]


def test_every_pass_goes_over_all_own_moves(monkeypatch):
    games = SelfPlay(TINY, torch.device("cpu"), 1)
    learner = ChampionLearner(TINY, torch.device("cpu"))
    learner.begin_round(0)
    played = games.play(learner.model, learner.past, 0)
    seen = []

    def step(chunk, games, number):
        seen.append(chunk.chances)
        return torch.zeros(4)

    monkeypatch.setattr(learner, "step", step)
    for number, passes in ((0, 1), (TINY.late_from, TINY.late_passes)):
        seen.clear()
        learner.learn(played, games, number)
        learned = torch.cat(seen).sort().values
        own = played.chances[played.own].sort().values
        assert torch.equal(learned, own.repeat_interleave(passes))


def test_a_run_broken_off_goes_on_exactly(run_folder, tmp_path):
    folder = tmp_path / "broken"
    rounds = iter([False, True])
    assert not RECIPE.train(TINY, folder, Control(device="cpu", stopping=lambda: next(rounds)))
    assert load_newest(folder)[0].counters["rounds"] == 2
    assert RECIPE.train(TINY, folder, Control(device="cpu"))
    whole, resumed = (load_newest(each)[0] for each in (run_folder, folder))
    assert whole.arrays.keys() == resumed.arrays.keys()
    for name, array in whole.arrays.items():
        assert np.array_equal(array, resumed.arrays[name]), name


def test_the_average_follows_the_network_slowly(run_folder, tmp_path):
    longer = dataclasses.replace(TINY, rounds=TINY.rounds + 1)
    shutil.copytree(run_folder, tmp_path / "longer")
    before = load_newest(run_folder)[0].arrays
    assert RECIPE.train(longer, tmp_path / "longer", Control(device="cpu"))
    after = load_newest(tmp_path / "longer")[0].arrays
    for name, averaged in after.items():
        if name.startswith("average/"):
            newest = after[name.replace("average/", "network/")]
            kept = TINY.average
            assert np.allclose(averaged, kept * before[name] + (1 - kept) * newest, atol=1e-6), name


def test_export_plays_as_the_network_thinks(run_folder):
    assert "weights.onnx" in RECIPE.export(run_folder)
    model = model_of(load_newest(run_folder)[0])
    state = stratego().start(Dice(5))
    with torch.no_grad():
        moves, values, beliefs = model(torch.from_numpy(state.planes()[None]))
    thoughts = ChampionNetwork(run_folder / "weights.onnx")(state.planes()[None])
    assert np.allclose(thoughts.moves, moves, atol=1e-3)
    assert np.allclose(thoughts.values, values, atol=1e-3)
    assert np.allclose(thoughts.beliefs, beliefs, atol=1e-3)
    agent = Champion(weights=str(run_folder / "weights.onnx"), mirror=False)
    liked = moves[0].masked_fill(~torch.from_numpy(state.mask[:1800]), -1e9).argmax()
    assert agent.choose(state.view(0), Dice(0)) == int(liked)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 1),
        ("horizon", 1.5),
        ("past_every", 0),
        ("late_passes", 0),
        ("settle_rounds", 0),
        ("built_settle_rounds", 0),
        ("built_searcher_share", 0.6),
    ],
)
def test_bad_configurations_are_refused(name, value, tmp_path):
    config = dataclasses.replace(TINY, **{name: value})
    with pytest.raises(SandtableError, match=name.replace("_", "-")):
        RECIPE.train(config, tmp_path / "run", Control(device="cpu"))
