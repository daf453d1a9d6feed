"""Q-learning for Gravwell: the updates of a plain twin, and runs that go on exactly."""

import dataclasses

import numpy as np
import pytest

from games.gravwell.agents.plain_trees import cards_of
from sandtable.dice import Dice, training_seed
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.card_sets import hand_of
from sandtable.games.gravwell.agents.q_learning.agent import QLearning, drafted
from sandtable.games.gravwell.agents.q_learning.states import (
    NO_STATE,
    chosen_card,
    entries_of,
    stop_state,
    wants_stop,
)
from sandtable.games.gravwell.cards import VALUE
from sandtable.games.gravwell.layout import CURRENT, DRAFTING, GO, PHASE, PLAYING, SHIPS, STOP, TAKE
from sandtable.games.gravwell.learning.q_learning.games import act_of_opponent
from sandtable.games.gravwell.learning.q_learning.recipe import (
    PRESETS,
    PURPOSES,
    QLearningConfig,
    export,
    learn_block,
    new_tables,
    train,
)
from sandtable.games.gravwell.rules.movement import destination
from sandtable.learning.checkpoints import load_newest
from sandtable.learning.config import check_config
from sandtable.learning.recipes import load_recipe
from sandtable.learning.run import Control
from sandtable.registry import make_game

TINY = QLearningConfig(games=95, block=20, seed=4)


# --- the plain twin ------------------------------------------------------------------------------


class PlainLearner:
    """Q-learning as the paper writes it down; a round is an episode."""

    def __init__(self, config):
        self.config = config
        size = len(new_tables(config).cards)
        self.cards, self.stops = np.zeros(size), np.zeros(240)
        self.visits = {"cards": np.zeros(size), "stops": np.zeros(240)}
        self.forget()

    def forget(self):
        self.last_card, self.last_go, self.rewards = None, None, []

    def rate(self, name, entry):
        self.visits[name][entry] += 1
        if self.config.averaging:
            return max(self.config.learning_rate, 1 / self.visits[name][entry])
        return self.config.learning_rate

    def update(self, name, entry, target):
        table, rate = getattr(self, name), self.rate(name, entry)
        table[entry] = (1 - rate) * table[entry] + rate * target

    def moved(self, tile, best):
        """The last card has led to this tile, from where ``best`` is expected (None: nothing)."""
        if self.last_card is None:
            return
        entry, before = self.last_card
        way = tile - before
        self.rewards.append(float(way if way >= 0 else way * self.config.gamma))
        reward = self.rewards[-1]
        if self.config.whole_round:
            reward = 0.0 if best is not None else sum(self.rewards)
        later = 0.0 if best is None else self.config.discount * best
        self.update("cards", entry, reward + later)
        self.last_card = None

    def end_round(self, tile):
        self.moved(tile, None)
        if self.last_go is not None:
            self.update("stops", self.last_go, 0.0)
        self.forget()

    def card(self, view, seat, dice):
        entries = np.zeros(26, dtype=np.int64)
        entries_of(view, seat, self.config.switches, entries)
        tile = int(view[SHIPS + seat])
        self.moved(tile, max(self.cards[entries[card]] for card in cards_of(view, seat)))
        heat = self.config.temperature
        card = chosen_card(hand_of(view, seat), entries, self.cards, heat, dice.array)
        self.last_card = (int(entries[card]), tile)
        return card

    def stop(self, view, seat, dice):
        entry = stop_state(view, seat, int(view[CURRENT]))
        if entry == NO_STATE or not self.config.stop:
            return GO
        if self.last_go is not None:
            best = max(self.stops[entry], self.stops[entry + 1])
            self.update("stops", self.last_go, self.config.stop_discount * best)
        self.last_go = entry
        if not wants_stop(entry, self.stops, self.config.stop_temperature, dice.array):
            return GO
        move = int(destination(view, seat, int(view[CURRENT]))) - int(view[SHIPS + seat])
        self.update("stops", entry + 1, float(max(-10, min(10, -move))))
        self.last_go = None
        return STOP


def plain_games(config, count):
    """Play and learn from the first games, in Python."""
    game = make_game(f"gravwell:players={config.players},tractor={config.tractor}")
    learner, scores = PlainLearner(config), []
    kind = ("random", "random-no-stop", "decision-tree").index(config.opponents)
    for number in range(count):
        dice, own, others = (
            Dice(training_seed(config.seed), purpose, number) for purpose in PURPOSES
        )
        state, seat = game.start(dice), number % config.players
        while state.outcome is None:
            mover = state.turn
            view = np.array(state.view(mover).position)
            if mover != seat:
                spare = np.zeros(4, dtype=np.int16)
                action = act_of_opponent(kind, view, mover, others.array, spare)
            elif view[PHASE] == DRAFTING:
                learner.end_round(int(view[SHIPS + seat]))
                way = ("random", "tree", "as-coded").index(config.draft)
                action = TAKE + drafted(view, seat, way, own.array)
            elif view[PHASE] == PLAYING:
                action = learner.card(view, seat, own)
            else:
                action = learner.stop(view, seat, own)
            state = state.play(int(action), dice)
        learner.end_round(int(state.position[SHIPS + seat]))
        scores.append(state.outcome.scores[seat])
    return learner, scores


EXTENDED = dataclasses.replace(PRESETS["extended"], opponents="decision-tree")


@pytest.mark.parametrize(
    "config",
    [
        *(PRESETS[name] for name in ("published", "whole-round", "with-turn", "no-stop")),
        dataclasses.replace(EXTENDED, players=3),
    ],
    ids=["published", "whole-round", "with-turn", "no-stop", "extended"],
)
def test_learns_as_the_plain_twin(config):
    tables = new_tables(config)
    results = learn_block(config, tables, 0, 12)
    twin, scores = plain_games(config, 12)
    assert results[:, 0].tolist() == scores
    assert np.array_equal(tables.card_visits, twin.visits["cards"])
    assert np.array_equal(tables.stop_visits, twin.visits["stops"])
    np.testing.assert_allclose(tables.cards, twin.cards, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(tables.stops, twin.stops, rtol=1e-12, atol=1e-12)
    assert (tables.card_visits > 0).sum() > 100
    assert (tables.stops != 0).any() == config.stop


def test_learns_to_win_and_when_to_stop():
    config = QLearningConfig(seed=2)
    tables = new_tables(config)
    early = learn_block(config, tables, 0, 100)[:, 0].mean()
    learn_block(config, tables, 100, 5000)
    late = learn_block(config, tables, 5100, 2000, stop_temperature=0.0)[:, 0].mean()
    assert late > 0.36
    assert late > early
    stops = tables.stops.reshape(6, 2, 10, 2)
    assert (stops[:, 0, 2:8, 1] > stops[:, 0, 2:8, 0]).all()  # backward by 3 to 8: stop it
    assert (stops[:, 1, 2:8, 1] < stops[:, 1, 2:8, 0]).all()  # forward: never
    assert stops[0, 0, 4, 1] == pytest.approx(5.0, abs=0.1)  # saved tiles are the reward
    ahead = 3  # nobody behind and the next one three tiles ahead: forward is good
    best = max(range(26), key=lambda card: tables.cards[ahead * 26 + card])
    assert VALUE[best] >= 4


# --- the run -------------------------------------------------------------------------------------


def assert_equal_runs(folder, other):
    one, _ = load_newest(folder)
    two, _ = load_newest(other)
    assert one.counters == two.counters
    assert one.arrays.keys() == two.arrays.keys()
    for name, array in one.arrays.items():
        assert array.tobytes() == two.arrays[name].tobytes(), name
    logs = [(each / "metrics.jsonl").read_text() for each in (folder, other)]
    assert logs[0] == logs[1]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    reported = []
    assert train(TINY, folder, Control(report=reported.append))
    assert [metrics["game"] for metrics in reported] == [19, 39, 59, 79, 94]
    return folder


def test_more_games_can_be_asked_for(whole, tmp_path):
    assert train(dataclasses.replace(TINY, games=40), tmp_path, Control())
    assert train(TINY, tmp_path, Control())
    assert_equal_runs(whole, tmp_path)


def test_exports_tables_that_play(whole):
    assert "q-learning.safetensors" in export(whole)
    agent = QLearning(table=str(whole / "q-learning.safetensors"))
    checkpoint, _ = load_newest(whole)
    assert np.array_equal(agent.tables.cards, checkpoint.arrays["cards"].astype(np.float32))
    assert agent.temperature == 3.0
    assert agent.tables.draft == "as-coded"


def test_presets_are_the_switches_of_the_tables():
    published = dataclasses.asdict(PRESETS["published"])
    different = {
        name: {
            key: value
            for key, value in dataclasses.asdict(config).items()
            if value != published[key]
        }
        for name, config in PRESETS.items()
    }
    different.pop("extended")
    assert different == {
        "published": {},
        "whole-round": {"whole_round": True},
        "with-turn": {"turn_in_state": True},
        "gamma-5": {"gamma": 5.0},
        "gamma-1": {"gamma": 1.0},
        "no-stop": {"stop": False},
        "joint": {"joint": True, "games": 100_000},
        "network": {"network": True, "games": 100_000, "gamma": 1.0, "learning_rate": 0.003},
    }
    assert load_recipe("gravwell/q-learning").presets is PRESETS


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"draft": "tre"}, "Did you mean 'tree'"),
        ({"players": 5}, "players is from 2 to 4, got 5"),
        ({"tractor": "broken"}, "tractor is one of"),
    ],
)
def test_nonsense_is_refused(changed, words):
    with pytest.raises(SandtableError, match=words):
        check_config(dataclasses.replace(TINY, **changed))
