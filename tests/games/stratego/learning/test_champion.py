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
from sandtable.games.stratego.agents.champion.agent import Champion, ChampionNetwork  # noqa: E402
from sandtable.games.stratego.agents.champion.history import (  # noqa: E402
    HISTORY_CELLS,
    PLIES,
    SWITCHED_OFF,
    History,
    encode_history,
)
from sandtable.games.stratego.agents.schools.acting import School  # noqa: E402
from sandtable.games.stratego.agents.schools.agent import SCHOOLS  # noqa: E402
from sandtable.games.stratego.agents.square_codes import TURNED_ACTIONS  # noqa: E402
from sandtable.games.stratego.game import stratego  # noqa: E402
from sandtable.games.stratego.learning.champion.config import CHAMPION, TINY, TUNED  # noqa: E402
from sandtable.games.stratego.learning.champion.games import (  # noqa: E402
    FORGETFUL,
    LOOSE_LIMIT,
    SelfPlay,
    advantages,
    pack,
    training_game,
    unpack,
    worth_of_armies,
)
from sandtable.games.stratego.learning.champion.network import (  # noqa: E402
    StrategoPlanes,
    export_onnx,
    grown,
    hidden_ranks,
    input_planes,
    kept_cells,
    move_places,
    new_model,
    read_champion,
)
from sandtable.games.stratego.learning.champion.recipe import (  # noqa: E402
    RECIPE,
    ChampionLearner,
    distance_from,
    model_of,
)
from sandtable.games.stratego.learning.champion.rivals import (  # noqa: E402
    HIGHEST_KEY,
    STRANGER_ROUNDS,
    Rival,
    Scripted,
    Searchers,
    opponent_rows,
    strangers,
)
from sandtable.games.stratego.learning.networks import padded_size, read_network  # noqa: E402
from sandtable.learning.checkpoints import load_newest  # noqa: E402
from sandtable.learning.config import Stage, check_config  # noqa: E402
from sandtable.learning.run import Control  # noqa: E402
from sandtable.registry import make_agent  # noqa: E402
from sandtable.types import State  # noqa: E402

SEARCHER_FROM = TINY.stages[1].first_round


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


def numbered(rows):
    """Return the numbers of rows that all belong to one rival."""
    return np.arange(len(rows))


def test_the_rival_moves_as_the_agent_does(batch):
    going = batch.turns >= 0
    rows, seats = batch.positions[going], batch.turns[going].astype(np.int64)
    agent, dice = make_agent("stratego/policy"), Dice(0)
    expected = []
    for position, seat in zip(rows, seats, strict=True):
        view = State(batch.game, position.copy()).view(int(seat))
        action = agent.choose(view, dice)
        expected.append(action if seat == layout.RED else TURNED_ACTIONS[action])
    rival = Rival("policy", torch.device("cpu"))
    still = torch.Generator()
    cold = [
        rival.choose(rows, seats, numbered(rows), still.manual_seed(number)) for number in range(12)
    ]
    chosen = np.array(cold)
    assert (chosen == expected).mean() > 0.5  # chance changes it now and then, and only so far
    assert len({tuple(row) for row in cold}) > 1
    shared = Rival("policy", torch.device("cpu"), threads=3)
    assert np.array_equal(shared.choose(rows, seats, numbered(rows), still.manual_seed(0)), cold[0])


def test_the_searchers_move_as_the_agent_does(batch):
    going = batch.turns >= 0
    rows, seats = batch.positions[going][:12], batch.turns[going][:12].astype(np.int64)
    rival = Searchers("value", torch.device("cpu"), 16, threads=2, runs=1000)
    chosen = rival.choose(rows, seats, numbered(rows), torch.Generator().manual_seed(1))
    keys = torch.randint(HIGHEST_KEY, (12,), generator=torch.Generator().manual_seed(1))
    agent = make_agent("stratego/value:samples=4")
    for position, seat, key, action in zip(rows, seats, keys, chosen, strict=True):
        dice = Dice(0)
        dice.array[:] = [int(key), 0, 0, 0]
        found = agent.choose(State(batch.game, position.copy()).view(int(seat)), dice)
        assert action == (found if seat == layout.RED else TURNED_ACTIONS[found])
    again = Searchers("value", torch.device("cpu"), 12, runs=1000)
    assert np.array_equal(
        again.choose(rows, seats, numbered(rows), torch.Generator().manual_seed(1)), chosen
    )


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_searchers_that_are_not_done_play_a_legal_move(batch, runs):
    going = batch.turns >= 0
    rows, seats = batch.positions[going], batch.turns[going].astype(np.int64)
    rival = Searchers("value", torch.device("cpu"), len(rows), threads=2, runs=runs)
    chosen = rival.choose(rows, seats, numbered(rows), torch.Generator().manual_seed(1))
    real = np.where(seats == layout.RED, chosen, TURNED_ACTIONS[chosen])
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
    positions = torch.from_numpy(kept_cells(batch.positions[going]))
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


def test_planes_of_histories_are_those_of_the_kernel(batch):
    going = batch.turns >= 0
    positions, dice = batch.positions[going], np.random.default_rng(4)
    histories = dice.integers(0, 12, size=(len(positions), HISTORY_CELLS)).astype(np.int16)
    histories[:, PLIES] = 300
    recent = histories[:, SWITCHED_OFF + 1 :]
    recent[:] = dice.integers(0, 10_000, size=recent.shape)
    recent[recent // 100 == recent % 100] = 0  # nothing moves to where it is
    recent[0] = 0
    kept = torch.from_numpy(kept_cells(positions, histories))
    make = StrategoPlanes(batch.game.empty_position(), torch.device("cpu"))
    for seat in (0, 1):
        made = make(kept, torch.full((len(positions),), seat)).numpy()
        assert made.shape[1] == input_planes(True)
        without = make(kept[:, : kept.shape[1] - HISTORY_CELLS], torch.full((len(kept),), seat))
        assert np.array_equal(made[:, : input_planes(False)], without.numpy())
        planes = np.empty((22, 10, 10), dtype=np.float32)
        for row, position in enumerate(positions):
            encode_history(histories[row], np.array(position), seat, planes)
            assert np.allclose(made[row, input_planes(False) :], planes, atol=1e-6)


def test_training_remembers_what_a_player_does():
    config = dataclasses.replace(
        TINY, stages=(), history=True, varied_setups=True, people_setups=True, other_variants=True
    )
    games = SelfPlay(config, torch.device("cpu"), 2)
    players = [History() for _ in range(config.rows)]
    for _ in range(60):
        actions = games.batch.random_actions()
        games.batch.step(actions)
        games.remember(np.array(actions))
        for row, player in enumerate(players):
            if games.batch.over[row]:
                players[row] = History()
            else:
                player.watch(np.array(games.batch.positions[row]), int(actions[row]))
            if row % FORGETFUL:
                assert np.array_equal(games.histories[row], players[row].cells), row
            else:
                assert games.histories[row].sum() == games.histories[row, SWITCHED_OFF] == 1


def test_a_network_with_history_trains_goes_on_and_plays(tmp_path):
    path = tmp_path / "begin.onnx"
    export_onnx(new_model(8, 1, 5), path, {})
    config = dataclasses.replace(
        TINY, rounds=3, stages=(), begin_with=str(path), history=True, varied_setups=True,
        people_setups=True, loose_rules=True, other_variants=True,
    )  # fmt: skip
    for folder, stops in ((tmp_path / "whole", ()), (tmp_path / "parts", (1, 2))):
        for rounds in (*stops, 3):
            shorter = dataclasses.replace(config, rounds=rounds)
            assert RECIPE.train(shorter, folder, Control(device="cpu"))
    whole, parts = (load_newest(tmp_path / name)[0].arrays for name in ("whole", "parts"))
    assert all(np.array_equal(whole[name], parts[name]) for name in whole)
    RECIPE.export(tmp_path / "whole")
    agent, game = Champion(weights=str(tmp_path / "whole" / "weights.onnx")), stratego()
    assert agent.network(agent.weights).history
    state, dice = game.start(Dice(5)), Dice(0)
    agent.begin(game, 0, dice)
    before = agent.candidates(state.view(0))[1]
    for _ in range(2):
        action = int(np.flatnonzero(state.mask)[0])
        state = state.play(action, dice)
        agent.watch(state.view(0), action)
    with_history = agent.candidates(state.view(0))[1]
    agent.begin(game, 0, dice)
    without = agent.candidates(state.view(0))[1]
    assert len(before)
    assert not np.array_equal(with_history, without)
    assert agent.analyse(state.view(0), dice).candidates


def test_hidden_ranks_are_those_under_the_backs(batch):
    position = np.array(batch.positions[0])
    for seat in (0, 1):
        told = hidden_ranks(torch.from_numpy(kept_cells(position[None])), torch.tensor([seat]))[0]
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
    games.count_results(games.begin_round(SEARCHER_FROM - 1))
    assert games.results.tolist() == [6, 1, 8]  # the 16 games but one that goes on
    # Where it plays, the other has the seat of the row's parity and so has lost.
    assert games.against["past"].tolist() == [past, past]
    assert games.against["rival"].tolist() == [rival - 0.5, rival]
    assert games.against["searcher"].tolist() == [0, 0]  # they are not there yet
    games.count_results(games.begin_round(SEARCHER_FROM))
    assert games.against["searcher"].tolist() == [searcher - 1, searcher - 1]


def test_the_log_tells_of_games_against_others(run_folder):
    lines = (run_folder / "metrics.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == TINY.rounds
    for facts in map(json.loads, lines):
        for name in ("past", "rival", "searcher"):
            assert 0 <= facts[f"{name}_points"] <= facts[f"{name}_games"]
    facts |= {"searcher_points": 19.5, "searcher_games": 20, "rival_games": 0}
    assert "98% against the searcher" in RECIPE.progress_line(facts)
    assert "the rival" not in RECIPE.progress_line(facts)


def test_stages_change_the_rate_and_who_plays():
    first = {0: 1, 2420: 3, 2494: 0.75, 2695: 0.1875, 2794: 2, 3251: 0.5, 3401: 0.125}
    expected = 0.0
    for number in range(CHAMPION.rounds):
        expected = first.get(number, expected)
        falling = 1 + number / CHAMPION.rate_rounds
        assert CHAMPION.rate_in(number) == expected * CHAMPION.learning_rate / falling
    names = ("passes", "trace", "rival_share", "searcher_share", "varied_setups")
    seen = {
        number: tuple(getattr(CHAMPION.in_round(number), name) for name in names)
        for number in (0, 1218, 1219, 2419, 2420, 2793, 2794, 3497)
    }
    assert seen[0] == seen[1218] == (1, 0.9, 0.0, 0.0, False)
    assert seen[1219] == seen[2419] == (1, 0.9, 0.25, 0.0, False)
    assert seen[2420] == seen[2793] == (2, 0.95, 0.25, 0.5, False)
    assert seen[2794] == seen[3497] == (2, 0.95, 0.25, 0.25, True)


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
    for number, passes in ((0, 1), (SEARCHER_FROM, 2)):
        seen.clear()
        learner.learn(played, games, number)
        learned = torch.cat(seen).sort().values
        own = played.chances[played.own].sort().values
        assert torch.equal(learned, own.repeat_interleave(passes))


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
    ("changes", "words"),
    [
        ({"passes": 0}, "--passes is at least 1, got 0"),
        ({"searcher_share": 0.6}, "are together at most 1"),
        ({"rows": 8}, "no stage can change rows"),
    ],
)
def test_stages_that_make_no_sense_are_refused(changes, words):
    config = dataclasses.replace(TINY, stages=(*TINY.stages, Stage(9, "wrong", changes)))
    with pytest.raises(SandtableError, match=words):
        check_config(config)


def test_scripted_rivals_move_as_their_agents_do(batch):
    rows = batch.positions[batch.turns >= 0]
    seats = batch.turns[batch.turns >= 0]
    players = [make_agent(name) for name in ("stratego/hunter", "stratego/waiter")]
    for player in players:
        player.school = player.school._replace(whim=0.0)
    weights = np.array([players[row % 2].school for row in range(len(rows))])
    rival = Scripted(weights, threads=2)
    dice = torch.Generator().manual_seed(1)
    some = numbered(rows)[3:15]  # the weights are those of the rows, not of the places among them
    chosen = rival.choose(rows[some], seats[some], some, dice)
    for row, action in zip(some, chosen, strict=True):
        agent, seat = players[row % 2], int(seats[row])
        agent.begin(batch.game, seat, Dice(1))
        found = agent.choose(State(batch.game, rows[row].copy()).view(seat), Dice(1))[0]
        assert action == (found if seat == layout.RED else TURNED_ACTIONS[found])


def test_strangers_are_mixtures_that_change_now_and_then():
    first, again = strangers(50, 0, 0), strangers(50, 0, STRANGER_ROUNDS - 1)
    assert np.array_equal(first, again)
    later = strangers(50, 0, STRANGER_ROUNDS)
    assert not np.isclose(first, later).all(axis=1).any()
    ranks = [School._fields.index(name) for name in ("chasers", "probers")]
    known = np.array([player.school for player in SCHOOLS.values()])
    assert set(first[:, ranks].ravel()) <= set(range(int(known[:, ranks].max()) + 1))
    assert (first >= 0.0).all()
    assert len(np.unique(first[:, School._fields.index("caution")])) == 50


def test_a_quarter_of_loose_games_has_no_rules_against_repetition():
    game = training_game(True, varied=True, people=True, loose=True)
    batch = Batch(game, 64, seed=2, frame="board")
    loose = batch.positions[:, layout.MORE_SQUARES] == 0
    assert 5 < loose.sum() < 30
    assert np.array_equal(loose, batch.positions[:, layout.TWO_SQUARES] == LOOSE_LIMIT)
    for _ in range(40):
        batch.step(batch.random_actions())
    going = batch.turns >= 0
    made = StrategoPlanes(game.empty_position(), torch.device("cpu"))(
        torch.from_numpy(kept_cells(batch.positions[going])),
        torch.from_numpy(np.array(batch.turns[going])),
    )
    assert np.allclose(made.numpy(), batch.observations[going], atol=1e-6)


def test_a_grown_network_says_the_same_at_first():
    small = new_model(8, 2, 3)
    with torch.no_grad():
        for weight in small.parameters():  # nothing is zero any more
            weight.add_(0.05 * torch.randn(weight.shape, generator=torch.manual_seed(1)))
    large = grown(small, 12, 3, 4)
    given = torch.rand(5, 18, 10, 10, generator=torch.manual_seed(2))
    with torch.no_grad():
        for told, expected in zip(large(given), small(given), strict=True):
            assert torch.allclose(told, expected, atol=1e-5)
    large(given)[1].sum().backward()
    learned = [block.second.weight.grad for block in large.blocks]
    assert all(gradient[8:].any() or gradient[:8, 8:].any() for gradient in learned)
    with pytest.raises(ValueError, match="does not fit"):
        grown(large, 12, 2, 0)
    seeing = grown(small, 12, 3, 4, history=True)
    assert seeing.stem.in_channels == input_planes(True)
    more = torch.cat([given, torch.rand(5, 22, 10, 10, generator=torch.manual_seed(3))], 1)
    with torch.no_grad():
        for told, expected in zip(seeing(more), small(given), strict=True):
            assert torch.allclose(told, expected, atol=1e-5)


def test_what_it_stays_near_follows_the_average(tmp_path):
    path = tmp_path / "begin.onnx"
    export_onnx(new_model(8, 1, 5), path, {})
    config = dataclasses.replace(
        TINY, rounds=2, stages=(), begin_with=str(path), anchor=0.1, anchor_every=2
    )
    assert RECIPE.train(config, tmp_path / "run", Control(device="cpu"))
    before = load_newest(tmp_path / "run")[0].arrays
    longer = dataclasses.replace(config, rounds=3)
    assert RECIPE.train(longer, tmp_path / "run", Control(device="cpu"))
    after = load_newest(tmp_path / "run")[0].arrays
    for name, kept in after.items():
        if name.startswith("first/"):
            assert np.array_equal(kept, before[name.replace("first/", "average/")]), name
    assert any(
        not np.array_equal(after[name], before[name]) for name in after if name.startswith("first/")
    )


def test_every_school_has_rows_of_its_own():
    rows = opponent_rows(TUNED)
    assert rows["waiter"] == rows["besieger"] == TUNED.rows // 10
    assert sum(rows.values()) <= TUNED.rows


def test_a_run_begins_with_a_network_of_a_file(tmp_path):
    path = tmp_path / "small.onnx"
    model = new_model(8, 1, 5)
    export_onnx(model, path, {})
    config = dataclasses.replace(TINY, begin_with=str(path), anchor=0.5, learned_share=0.5)
    learner = ChampionLearner(config, torch.device("cpu"))
    for name, weights in learner.model.state_dict().items():
        assert torch.allclose(weights, model.state_dict()[name], atol=1e-3), name
    with pytest.raises(SandtableError, match="larger network than 1 blocks of 4 channels"):
        read_champion(path, 4, 1)
    games = SelfPlay(dataclasses.replace(config, varied_setups=True, people_setups=True),
                     torch.device("cpu"), 1)  # fmt: skip
    learner.begin_round(0)
    losses = learner.learn(games.play(learner.model, learner.past, 0), games, 0)
    assert all(np.isfinite(list(losses.values())))


def test_the_distance_from_a_network_is_nothing_at_first_and_grows():
    masks = torch.tensor([[True, True, False]])
    before = torch.tensor([[0.0, 1.0, 9.0]])
    assert float(distance_from(before, before, masks)) == 0.0
    changed = torch.tensor([[1.0, 0.0, -9.0]])
    now, then = torch.softmax(changed[0, :2], 0), torch.softmax(before[0, :2], 0)
    expected = float((now * (now / then).log()).sum())
    assert abs(float(distance_from(before, changed, masks)) - expected) < 1e-6


def test_an_anchor_needs_a_network():
    with pytest.raises(SandtableError, match="--begin-with"):
        check_config(dataclasses.replace(TINY, anchor=0.1))
