"""The champion: it wins, it repeats itself, it sees both sides alike, it notices damage."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sandtable.agents.weights import weights_bytes
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.agents.champion.agent import Champion
from sandtable.games.skirmish.agents.champion.evaluation import (
    BUNDLED,
    PARAMETERS,
    evaluate,
    load_weights,
    network_of,
)
from sandtable.games.skirmish.agents.champion.features import FEATURES, describe, grow, square_count
from sandtable.games.skirmish.agents.greedy import Greedy
from sandtable.games.skirmish.rules import flip
from sandtable.registry import make_agent, make_game
from sandtable.types import State

LEVELS = [f"skirmish:level=random-{seed},both_empty=second" for seed in range(3)]


def some_states(count: int):
    """Return states from random play on generated levels."""
    states = []
    for number in range(count):
        dice = Dice(5, "champion test", number)
        state = make_game(LEVELS[number % len(LEVELS)]).start(dice)
        for _ in range(5 + dice.below(60)):
            if state.outcome is None:
                state = state.play(state.legal[dice.below(len(state.legal))], dice)
        if state.outcome is None:
            states.append(state)
    return states


def result(game, agents, number: int) -> tuple[float, ...]:
    """Play a game in Python: a kernel for each order of seats would cost more to compile."""
    dice = Dice(3, "champion test", number)
    state = game.start(dice)
    while state.outcome is None:
        state = state.play(agents[state.turn].choose(state.view(state.turn), dice))
    return state.outcome.scores


@pytest.mark.parametrize("seat", [0, 1])
def test_wins_with_a_small_budget(seat: int):
    won = 0
    for number in range(2 * len(LEVELS)):
        agents = [Greedy(), Greedy()]
        agents[seat] = Champion(budget=150)
        won += result(make_game(LEVELS[number // 2]), agents, number)[seat] == 1.0
    assert won >= 2 * len(LEVELS) - 1


def test_kernel_and_python_agree_and_repeat_themselves():
    game = make_game(LEVELS[0])
    agents = [Champion(budget=60), Greedy()]
    acting = policies(game, agents)
    assert acting is not None
    first = play_games(game, acting, 1, 0, 1, keep=True)
    again = play_games(game, acting, 1, 0, 1, keep=True)
    assert first.actions is not None
    assert np.array_equal(first.actions, again.actions)
    state = game.start(Dice(1))
    for action in first.actions[0, : first.lengths[0]].tolist():
        if state.turn == 0:
            assert agents[0].choose(state.view(0), Dice(9)) == action
        state = state.play(action)  # refuses illegal ones
    assert state.outcome is not None


def test_spends_the_budget_and_no_more():
    state = some_states(1)[0]
    agent = Champion(budget=777)
    agent.choose(state.view(state.turn), Dice(0))
    assert agent.states == 777
    assert agent.depth >= 2


def test_a_clock_ends_the_search():
    state = some_states(1)[0]
    agent = Champion(seconds=0.1)
    assert agent.policy(state.game) is None
    agent.choose(state.view(state.turn), Dice(0))
    began = time.perf_counter()
    assert agent.choose(state.view(state.turn), Dice(0)) in state.legal
    assert time.perf_counter() - began < 2.0
    assert agent.states > 777


def test_takes_the_last_unit_of_the_enemy():
    game = make_game("skirmish:level=1")
    position = np.array(game.start(Dice(0)).position)
    position[layout.UNITS : layout.MOVER] = 0
    for square, unit in ((27, layout.SOLDIER), (28, -layout.WORKER), (60, layout.TOWN)):
        position[layout.UNITS + square], position[layout.AGES + square] = unit, 5
    state = State(game, position)
    outcome = state.play(Champion(budget=50).choose(state.view(0), Dice(0))).outcome
    assert outcome is not None
    assert outcome.scores == (1.0, -1.0)


def test_sees_both_sides_alike():
    network = network_of(load_weights())
    for state in some_states(12):
        position = np.array(state.position)
        position[layout.BOTH_EMPTY] = layout.DRAW  # with it the sides differ indeed
        value = evaluate(position, position[layout.MOVER], network)
        flip(position)
        position[layout.MOVER] = layout.SECOND - position[layout.MOVER]
        assert evaluate(position, position[layout.MOVER], network) == pytest.approx(value, abs=1e-6)
        assert -1.0 <= value <= 1.0


def test_features_are_small_and_tell_the_enemy_apart():
    features = np.empty(FEATURES, dtype=np.float32)
    sets = np.empty((2, 5), dtype=np.uint64)
    for state in some_states(12):
        own, enemy = features.copy(), features.copy()
        describe(np.array(state.position), 0, own, sets)
        describe(np.array(state.position), 1, enemy, sets)
        half = (FEATURES - 5) // 2
        assert np.array_equal(own[:half], enemy[half : 2 * half])
        assert np.array_equal(enemy[:half], own[half : 2 * half])
        assert np.abs(own).max() < 16


@pytest.mark.parametrize(
    "square, once, twice", [(0, 4, 9), (7, 4, 9), (31, 6, 15), (36, 9, 25), (63, 4, 9)]
)
def test_rings_grow_as_a_king_walks(square: int, once: int, twice: int):
    ring = np.uint64(grow(np.uint64(1 << square)))
    assert square_count(ring) == once
    assert square_count(np.uint64(grow(ring))) == twice


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "text", "short"])
def test_damaged_weights_give_one_clear_line(tmp_path, damage: str):
    whole = BUNDLED.read_bytes()
    path = tmp_path / "damaged.safetensors"
    path.write_bytes(
        {
            "cut": whole[:-100],
            "flipped": whole[:-1] + bytes([whole[-1] ^ 1]),
            "empty": b"",
            "text": b"these are no weights at all",
            "short": weights_bytes(np.zeros(PARAMETERS - 2, dtype=np.float32), {}),
        }[damage]
    )
    with pytest.raises(SandtableError, match=r"damaged|does not fit") as caught:
        Champion(weights=str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mistakes_are_told():
    with pytest.raises(SandtableError, match="cannot read"):
        Champion(weights="/nowhere/weights.safetensors")
    for spec in ("budget=0", "seconds=-1", "without=tabel"):
        with pytest.raises(SandtableError):
            make_agent(f"skirmish/champion:{spec}")
    with pytest.raises(WrongSeats, match="lucid"):
        Champion().begin(make_game("lucid"), 0, Dice(0))
