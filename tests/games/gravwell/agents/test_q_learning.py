"""The Q-learner: what it sees and how it chooses, against plain twins and the authors' records."""

import math
from collections import Counter

import numpy as np
import pytest

from games.gravwell.agents.plain_trees import end_of, pull
from games.gravwell.agents.test_decision_tree import recorded_action, view_of
from games.recorded import recorded
from sandtable.agents.weights import bundled_names
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.gravwell.agents.card_sets import hand_of
from sandtable.games.gravwell.agents.decision_tree.as_coded import Q_LEARNER_LOW, draft
from sandtable.games.gravwell.agents.q_learning.agent import QLearning
from sandtable.games.gravwell.agents.q_learning.states import (
    DANGERS,
    ENEMY_CARDS,
    HULKS,
    NO_STATE,
    STOP_ENTRIES,
    TURN_IN_STATE,
    chosen_card,
    entries_of,
    place_of,
    stop_state,
    table_size,
    wants_stop,
)
from sandtable.games.gravwell.agents.q_learning.tables import (
    WEIGHTS,
    QTables,
    load_tables,
    tables_bytes,
)
from sandtable.games.gravwell.cards import KIND, TRACTOR
from sandtable.games.gravwell.layout import (
    CURRENT,
    MOVER,
    OPEN_HAND,
    PHASE,
    PLAYERS,
    PLAYING,
    SHIPS,
    STOPPING,
    TAKE,
    TURN,
    WHERE,
)
from sandtable.registry import make_agent, make_game
from sandtable.types import State

NAMES = ["extended", "gamma-1", "gamma-5", "joint", "network", "no-stop"]
NAMES += ["published", "whole-round", "with-turn"]


def views(phase, games=6):
    """Views of all seats from random games."""
    found = []
    for number in range(games):
        game = make_game(["gravwell", "gravwell:players=3", "gravwell:players=2"][number % 3])
        dice = Dice(11, "q-learning test", number)
        state = game.start(dice)
        while state.outcome is None:
            if state.position[PHASE] == phase:
                found.append(np.array(state.view(state.turn).position))
            state = state.play(state.legal[dice.below(len(state.legal))], dice)
    return found


# --- what it sees --------------------------------------------------------------------------------


def plain_distance(distances):
    """0: nobody, up to 10 exact, 11 farther."""
    return min(*distances, 11) if distances else 0


def plain_place(view, hulks):
    seat = int(view[MOVER])
    own = int(view[SHIPS + seat])
    ships = range(6) if hulks else range(4)
    tiles = [int(view[SHIPS + ship]) for ship in ships if ship != seat]
    tiles = [tile for tile in tiles if tile > 0 or (tile == 0 and not hulks)]
    behind = plain_distance([own - tile for tile in tiles if tile < own])
    ahead = plain_distance([tile - own for tile in tiles if tile > own])
    return behind, ahead


def plain_danger(view, card):
    """How many of the known enemy cards before this one would turn the ship round."""
    seat, turned = int(view[MOVER]), []
    for earlier in range(card):
        owner = int(view[WHERE + earlier]) - OPEN_HAND
        if 0 <= owner < view[PLAYERS] and owner != seat:
            after = view.copy()
            after[SHIPS + owner] = end_of(view, owner, earlier)
            turned.append(pull(after, seat) != pull(view, seat))
    if not any(turned):
        return 0
    share = sum(turned) / len(turned)
    return 1 if share < 0.15 else 2 if share < 0.4 else 3


@pytest.mark.parametrize("switches", range(8))
def test_entries_are_those_of_the_plain_twin(switches):
    entries = np.zeros(26, dtype=np.int64)
    dangers = Counter()
    for view in views(PLAYING, games=3):
        before = view.copy()
        entries_of(view, int(view[MOVER]), switches, entries)
        assert np.array_equal(view, before)
        behind, ahead = plain_place(view, bool(switches & HULKS))
        state = 12 * behind + ahead
        if switches & TURN_IN_STATE:
            state += 144 * int(view[TURN])
        for card in range(0, 26, 5):
            danger = plain_danger(view, card) if switches & ENEMY_CARDS else 0
            dangers[danger] += 1
            several = DANGERS if switches & ENEMY_CARDS else 1
            assert entries[card] == (state * several + danger) * 26 + card
        assert 0 <= entries.min() <= entries.max() < table_size(switches)
    assert set(dangers) >= ({0, 1, 2, 3} if switches & ENEMY_CARDS else {0})


def test_tables_are_as_large_as_published():
    assert table_size(0) == 12 * 12 * 26
    assert table_size(TURN_IN_STATE) == 864 * 26
    assert STOP_ENTRIES == 6 * 2 * 10 * 2


def test_stop_states_are_those_of_the_plain_twin():
    seen = Counter()
    for view in views(STOPPING):
        seat, card = int(view[MOVER]), int(view[CURRENT])
        move = end_of(view, seat, card) - int(view[SHIPS + seat])
        entry = stop_state(view, seat, card)
        if KIND[card] == TRACTOR or move == 0:
            assert entry == NO_STATE
            continue
        turn, rest = divmod(entry, 40)
        forward, distance = divmod(rest // 2, 10)
        assert (turn, forward, distance + 1) == (view[TURN], move > 0, min(abs(move), 10))
        assert entry % 2 == 0
        seen[turn, forward] += 1
    assert len(seen) == 12


# --- how it chooses ------------------------------------------------------------------------------


def test_cards_are_drawn_by_the_boltzmann_distribution():
    table, entries = np.zeros(30), np.arange(26)
    table[[2, 7, 9, 25]] = 3.0, 1.0, -50.0, 2.0
    hand, dice = sum(1 << card for card in (2, 7, 9, 25)), Dice(4)
    chosen = Counter(chosen_card(hand, entries, table, 2.0, dice.array) for _ in range(8000))
    weights = {card: math.exp(table[card] / 2.0) for card in (2, 7, 9, 25)}
    for card, weight in weights.items():
        expected = 8000 * weight / sum(weights.values())
        assert abs(chosen[card] - expected) < 5 * math.sqrt(expected + 1)
    assert {chosen_card(hand, entries, table, 0.0, dice.array) for _ in range(20)} == {2}


def test_stops_are_drawn_by_the_boltzmann_distribution():
    stops, dice = np.array([1.0, 2.0, 5.0, 0.0]), Dice(4)
    count = sum(wants_stop(0, stops, 0.5, dice.array) for _ in range(8000))
    expected = 8000 / (1 + math.exp(-2.0))
    assert abs(count - expected) < 5 * math.sqrt(expected)
    assert wants_stop(0, stops, 0.0, dice.array)
    assert not wants_stop(2, stops, 0.0, dice.array)


# --- the records of the authors' program ---------------------------------------------------------


@pytest.mark.parametrize(("which", "wanted"), [("carried", 342), ("complete", 1745)])
def test_sees_what_the_authors_program_saw(which, wanted):
    """Their number of a state is a product, which different states share; ours tell it."""
    checked = 0
    for game in recorded("gravwell", "agent_decisions", which):
        for decision in game["decisions"]:
            if decision["agent"] == "RLAI" and decision["kind"] == "play":
                view = view_of(decision, set())
                behind, ahead = divmod(int(place_of(view, int(view[MOVER]), False)), 12)
                both = 22 + behind * ahead
                theirs = both if behind and ahead else behind if behind else ahead and 11 + ahead
                assert theirs == decision["state"], decision
                checked += 1
    assert checked == wanted


@pytest.mark.parametrize(("which", "wanted"), [("carried", 118), ("complete", 622)])
def test_drafts_as_the_authors_program_did(which, wanted):
    checked = 0
    for game in recorded("gravwell", "agent_decisions", which):
        for decision in game["decisions"]:
            if decision["agent"] == "RLAI" and decision["kind"] == "draft":
                view = view_of(decision, set())
                card = draft(view, hand_of(view, int(view[MOVER])), Q_LEARNER_LOW, Dice(0).array)
                if not decision["used_random"]:
                    assert TAKE + card == recorded_action(decision), decision
                    checked += 1
    assert checked == wanted


# --- the agent -----------------------------------------------------------------------------------


def test_all_tables_are_bundled():
    assert bundled_names(WEIGHTS, ".safetensors") == NAMES


@pytest.mark.parametrize("table", ["published", "extended"])
def test_keeps_the_contract(table):
    spec = f"gravwell/q-learning:table={table}"
    assert not check_agent(spec, "gravwell", games=2).problems


@pytest.mark.parametrize(("table", "least"), [("published", 0.39), ("extended", 0.56)])
def test_wins_more_than_its_share(table, least):
    game = make_game("gravwell:tractor=inert")
    agents = [make_agent(f"gravwell/q-learning:table={table}"), *[make_agent("random")] * 3]
    acting = policies(game, agents)
    played = play_games(game, acting, 21, 0, 3000, keep=False)
    assert played.scores[:, 0].mean() > least


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "short", "other"])
def test_damaged_tables_give_one_clear_line(tmp_path, damage):
    whole = (WEIGHTS / "published.safetensors").read_bytes()
    path = tmp_path / "damaged.safetensors"
    short = QTables(np.zeros(26), np.zeros(STOP_ENTRIES), 0, True, "tree", 1.0)
    other = QTables(np.zeros(table_size(0)), np.zeros(STOP_ENTRIES), 0, True, "best", 1.0)
    path.write_bytes(
        {
            "cut": whole[:-100],
            "flipped": whole[:-1] + bytes([whole[-1] ^ 1]),
            "empty": b"",
            "text": b"these are no tables at all",
            "short": tables_bytes(short, {}),
            "other": tables_bytes(other, {}),
        }[damage]
    )
    with pytest.raises(SandtableError, match="damaged or something else") as caught:
        QLearning(table=str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_are_read_as_they_were_written(tmp_path):
    numbers = np.random.default_rng(0)
    cards = numbers.normal(size=table_size(HULKS)).astype(np.float32)
    stops = numbers.normal(size=STOP_ENTRIES).astype(np.float32)
    path = tmp_path / "tables.safetensors"
    path.write_bytes(tables_bytes(QTables(cards, stops, HULKS, False, "random", 0.5), {"a": "b"}))
    read = load_tables(str(path))
    assert np.array_equal(read.cards, cards)
    assert np.array_equal(read.stops, stops)
    assert (read.switches, read.stop, read.draft, read.temperature) == (HULKS, False, "random", 0.5)
    safetensors = pytest.importorskip("safetensors.numpy")
    assert np.array_equal(safetensors.load(path.read_bytes())["cards"], cards)


def test_mistakes_are_told():
    with pytest.raises(SandtableError, match=r"no weights 'publised'.*Did you mean 'published'"):
        make_agent("gravwell/q-learning:table=publised")
    with pytest.raises(SandtableError, match="cannot read"):
        make_agent("gravwell/q-learning:table=/nowhere/tables.safetensors")
    with pytest.raises(SandtableError, match="temperature is 0 or more"):
        make_agent("gravwell/q-learning:temperature=-1")
    with pytest.raises(WrongSeats, match="plays gravwell, not lucid"):
        make_agent("gravwell/q-learning").policy(make_game("lucid"))


# --- to be looked at -----------------------------------------------------------------------------


def test_tables_are_shown_and_explained():
    agent = make_agent("gravwell/q-learning")
    table = agent.show_text()
    behind_three = table.splitlines()[6].split()
    values = load_tables("published").cards.reshape(12, 12, 26)
    assert behind_three[0] == "3"
    assert float(behind_three[4]) == round(float(values[3, 1].max()))  # "3", card, value, card ...
    assert agent.show_svg().count("<rect") == 1 + 144 + 6 * 20
    for view in views(PLAYING, 1)[:5]:
        state = State(make_game("gravwell"), view)
        told = agent.explain(state, Dice(1))
        shares = [float(line.split()[2][:-1]) for line in told.text.splitlines()[2:-1]]
        assert sum(shares) == pytest.approx(100, abs=0.5)
        assert shares == sorted(shares, reverse=True)
