"""Alpha-beta on a game that can be solved, and beside a search that looks at everything."""

from __future__ import annotations

import itertools
import random
import time

import numpy as np
import pytest

from agents.tictactoe import evaluate, minimax, solved, state_of, tictactoe
from sandtable.agents.alphabeta import agent as alphabeta
from sandtable.agents.alphabeta import hints as alphabeta_hints
from sandtable.agents.alphabeta.agent import AlphaBeta
from sandtable.agents.alphabeta.hints import Evaluation, SearchHints, evaluation_named, no_opinion
from sandtable.agents.alphabeta.search import searcher
from sandtable.agents.alphabeta.tree import BUDGET, DONE, STATES, VALUE
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.dice import Dice
from sandtable.errors import SandtableError, UnreadableSpec
from sandtable.games.skirmish.agents.evaluations import SIMPLE
from sandtable.games.skirmish.agents.evaluations import evaluate as evaluate_units
from sandtable.registry import make_agent, make_game

ENOUGH = 1_000_000
SWITCHES = list(itertools.product((True, False), repeat=2))
WEIGHTS = (0.31, 0.17, 0.47, 0.11, 0.83, 0.29, 0.59, 0.37, 0.71)


@pytest.fixture(autouse=True)
def little_hints(monkeypatch):
    """Give the little game one evaluation in all tests, so that its search is compiled once."""
    hints, known = SearchHints({"cells": Evaluation(evaluate, WEIGHTS)}), alphabeta_hints.hints_for
    for module in (alphabeta, alphabeta_hints):
        monkeypatch.setattr(
            module, "hints_for", lambda game: hints if game.name == "tictactoe" else known(game)
        )


def random_state(numbers: random.Random, moves: int):
    """Return the state after some random moves that do not end the game."""
    while True:
        state = state_of("." * 9)
        for _ in range(moves):
            if state.outcome is None:
                state = state.play(numbers.choice(state.legal))
        if state.outcome is None:
            return state


def value_at(state, depth: int, table: bool, killers: bool) -> float:
    """Return the value of the root at a fixed depth."""
    agent = AlphaBeta(depth=depth, table=table, killers=killers)
    compiled = searcher(state.game, SearchHints(), Evaluation(evaluate, WEIGHTS))
    tree = agent.new_tree(state.game)
    compiled.prepare(tree, np.array(state.position))
    assert compiled.search(tree, np.array(WEIGHTS), Dice(0).array, ENOUGH) == DONE
    return float(tree.bounds[0, VALUE])


def test_noughts_and_crosses_is_a_draw():
    game = tictactoe()
    acting = policies(game, [AlphaBeta(budget=ENOUGH), AlphaBeta(budget=ENOUGH)])
    assert acting is not None
    played = play_games(game, acting, 0, 0, 1, keep=True)
    assert played.scores.tolist() == [[0.0, 0.0]]
    assert played.lengths.tolist() == [9]


@pytest.mark.parametrize("table, killers", SWITCHES)
def test_never_plays_a_move_that_gives_result_away(table: bool, killers: bool):
    numbers = random.Random(1)
    agent = AlphaBeta(budget=ENOUGH, table=table, killers=killers)
    for moves in (0, 1, 2, 3, 4, 5, 6, 3, 4, 5):
        state = random_state(numbers, moves)
        chosen = agent.choose(state, Dice(0))
        assert solved(state.play(chosen), state.turn) == solved(state, state.turn)


@pytest.mark.parametrize("table, killers", SWITCHES)
def test_values_equal_those_of_a_search_that_looks_at_everything(table: bool, killers: bool):
    numbers = random.Random(2)
    estimate = lambda position, seat: evaluate(position, seat, np.array(WEIGHTS))  # noqa: E731
    for _ in range(12):
        state = random_state(numbers, numbers.randrange(3, 6))
        for depth in (1, 2, 3):
            expected = minimax(state, state.turn, depth, estimate)
            assert value_at(state, depth, table, killers) == expected


def test_values_in_skirmish_equal_those_of_a_search_that_looks_at_everything():
    game, numbers = make_game("skirmish:level=4"), random.Random(4)
    weights = np.array(SIMPLE)
    for moves in (10, 30, 50, 70):
        state = game.start(Dice(0))
        for _ in range(moves):
            if state.outcome is None:
                state = state.play(numbers.choice(state.legal))
        if state.outcome is None and len(state.legal) > 1:
            agent = AlphaBeta(depth=2, evaluation="simple")
            chosen = agent.choose(state, Dice(0))
            estimate = lambda position, seat: evaluate_units(position, seat, weights)  # noqa: E731
            assert agent.value == minimax(state, state.turn, 2, estimate)
            assert agent.value == minimax(state.play(chosen), state.turn, 1, estimate)


def test_takes_the_shortest_win_and_resists_the_longest():
    assert AlphaBeta().choose(state_of("xx.oo...."), Dice(0)) == 2
    # Noughts lose whatever they do; only blocking the row makes it last.
    assert AlphaBeta().choose(state_of("xx..o...x"), Dice(0)) in (2, 5)


def test_table_and_killers_only_change_the_cost():
    states = {}
    for table, killers in SWITCHES:
        agent = AlphaBeta(budget=ENOUGH, table=table, killers=killers)
        agent.choose(state_of("." * 9), Dice(0))
        states[table, killers] = agent.states
    assert states[True, True] < states[False, True] / 2
    assert states[False, True] < states[False, False]


@pytest.mark.parametrize("budget", [1, 2, 10, 100, 1000])
def test_budget_is_the_number_of_states(budget: int):
    agent = AlphaBeta(budget=budget)
    state = state_of("." * 9)
    assert agent.choose(state, Dice(0)) in state.legal
    assert agent.states == budget


def test_kernel_and_python_choose_alike():
    game, numbers = tictactoe(), random.Random(3)
    actions = np.zeros(1, dtype=np.int16)
    for budget in (5, 50, 500):
        agent = AlphaBeta(budget=budget)
        policy = agent.policy(game)
        memory = np.array(policy.memory, dtype=np.int64)
        for _ in range(5):
            state = random_state(numbers, 2)
            position, dice = np.array(state.position), Dice(0).array
            assert policy.act(position, dice, memory, policy.constants, actions) == 1
            assert actions[0] == agent.choose(state, Dice(0))


def test_time_ends_a_search_without_budget():
    game = make_game("skirmish")
    agent = AlphaBeta(seconds=0.2)
    assert agent.policy(game) is None  # kernels cannot look at the clock
    state = game.start(Dice(0))
    agent.choose(state, Dice(0))  # compiled
    began = time.perf_counter()
    assert agent.choose(state, Dice(0)) in state.legal
    assert 0.2 <= time.perf_counter() - began < 2
    assert agent.states > 1000


def test_search_goes_on_where_it_paused():
    state = state_of("x...o....")
    compiled = searcher(state.game, SearchHints(), Evaluation(evaluate, WEIGHTS))
    chosen = set()
    for most in (1, 7, ENOUGH):
        tree = AlphaBeta(budget=300).new_tree(state.game)
        compiled.prepare(tree, np.array(state.position))
        while compiled.search(tree, np.array(WEIGHTS), Dice(0).array, most) != DONE:
            pass
        chosen.add((int(compiled.choice(tree)), int(tree.numbers[STATES])))
        assert tree.numbers[BUDGET] == 0
    assert len(chosen) == 1


@pytest.mark.parametrize(
    "facts, problem",
    [
        ({"chance": True}, "has dice"),
        ({"hidden": True}, "has hidden information"),
        ({"zero_sum": False}, "is not zero-sum"),
        ({"seats": ("a", "b", "c")}, "has 3 seats"),
    ],
)
def test_refuses_other_games_in_one_line(facts, problem: str):
    game = tictactoe(**facts)
    with pytest.raises(SandtableError, match=f"alphabeta.*tictactoe {problem}$"):
        AlphaBeta().policy(game)
    with pytest.raises(SandtableError, match=problem):
        AlphaBeta().begin(game, 0, Dice(0))


@pytest.mark.parametrize(
    "spec, problem",
    [
        ("alphabeta:budget=0", "budget is at least one state, got 0"),
        ("alphabeta:budget=-3", "got -3"),
        ("alphabeta:budget=many", "whole number"),
        ("alphabeta:seconds=-1", "seconds is 0"),
        ("alphabeta:depth=1000", "depth is 0"),
        ("alphabeta:ordering=best", "natural or published"),
    ],
)
def test_bad_options_say_what_is_wrong(spec: str, problem: str):
    with pytest.raises(UnreadableSpec, match=problem):
        make_agent(spec)


def test_unknown_evaluation_names_those_there_are():
    with pytest.raises(SandtableError, match=r"no evaluation 'simpel' \(it has: simple, constant"):
        make_agent("alphabeta:evaluation=simpel").policy(make_game("skirmish"))


def test_dice_at_the_start_are_no_obstacle():
    game = make_game("skirmish:start=random")
    assert game.chance
    assert make_agent("alphabeta").policy(game) is not None


def test_without_hints_only_results_count():
    position = np.array(state_of("xx.oo....").position)
    assert evaluation_named(tictactoe(name="no hints"), None) == Evaluation(no_opinion)
    assert no_opinion(position, 0, np.array(WEIGHTS)) == 0.0


def test_hints_of_another_kind_are_refused(monkeypatch):
    monkeypatch.setattr(alphabeta_hints, "load", lambda *names: object())
    with pytest.raises(SandtableError, match="are not SearchHints"):
        alphabeta_hints.hints_for(make_game("skirmish"))
