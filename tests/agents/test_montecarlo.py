"""Flat Monte Carlo beside a plain twin, on a game that can be solved, and in Stratego."""

from __future__ import annotations

import time

import numpy as np
import pytest

from agents.tictactoe import solved, state_of, tictactoe
from games.stratego.boards import state_of as stratego_state
from sandtable.agents.montecarlo import MonteCarlo
from sandtable.dice import Dice
from sandtable.errors import SandtableError, UnreadableSpec, WrongSeats
from sandtable.games.stratego.agents.evaluations import PIECES, balance
from sandtable.games.stratego.layout import VARIANT_NAMES
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import OVER, State

NO_WEIGHTS = np.zeros(0)


def plain_random_action(game, position, dice):
    """Draw a legal action: with the game's own kernel if there is one, else one after the other."""
    if game.rules.random_action is not None:
        return int(game.rules.random_action(position, dice.array))
    mask = np.zeros(game.action_count, dtype=bool)
    game.rules.legal(position, mask)
    legal = np.flatnonzero(mask)
    return int(legal[dice.below(len(legal))])


def plain_value(game, position, seat, bonus, evaluate):
    if game.rules.turn(position) != OVER:
        estimate = evaluate(position, seat)
        return bonus * estimate / (1 + abs(estimate))
    scores = np.zeros(len(game.seats))
    game.rules.score(position, scores)
    low, high = game.score_bounds[seat]
    return (scores[seat] - (low + high) / 2) / ((high - low) / 2)


def plain_values(view, dice, samples, lengths, bonus, evaluate, common=True):
    """Return the average value of every action, from the words of the documentation."""
    game, seat = view.game, view.turn
    values = dict.fromkeys(view.legal, 0.0)
    for _ in range(samples):
        for number, action in enumerate(values):
            if number == 0 or not common:
                guessed = np.array(view.position)
                game.rules.guess(guessed, seat, dice.array)
                length = lengths[0] + dice.below(lengths[1] - lengths[0] + 1)
            position = guessed.copy()
            game.rules.apply(position, action, dice.array)
            for _ in range(length):
                if game.rules.turn(position) == OVER:
                    break
                drawn = plain_random_action(game, position, dice)
                game.rules.apply(position, drawn, dice.array)
            values[action] += plain_value(game, position, seat, bonus, evaluate)
    return {action: value / samples for action, value in values.items()}


def plain_balance(state_line, seat, counts):
    """Add up the pieces of a whole position from its text."""
    board = state_line.split()[0]
    worth = dict(zip("S23456789TBF", PIECES[1:], strict=True))
    sums = [
        sum(board.count(f"{side}{letter}") * worth[letter] for letter in worth) for side in "rb"
    ]
    whole = sum(count * each for count, each in zip(counts, PIECES, strict=True))
    return (sums[seat] - sums[1 - seat]) / (0.1 * whole)


@pytest.mark.parametrize("common", [True, False])
def test_values_are_those_of_the_plain_twin(common):
    for board in ("x...o....", "xo.x.....", "." * 9):
        view = state_of(board).view(0)
        agent = MonteCarlo(samples=7, shortest=1, longest=4, common=common)
        chosen = agent.choose(view, Dice(3))
        expected = plain_values(view, Dice(3), 7, (1, 4), 0.5, lambda *_: 0.0, common)
        assert agent.values == pytest.approx(expected)
        assert expected[chosen] == max(expected.values())


def middle_of_mini(number):
    game, dice = make_game("stratego:variant=mini"), Dice(number)
    state = game.start(dice)
    while state.turn != OVER and state.position[:100].tolist().count(0) < 16:
        state = state.play(state.legal[dice.below(len(state.legal))], dice)
    return state


@pytest.mark.parametrize("number", range(4))
def test_the_baseline_is_that_of_the_plain_twin(number):
    state = middle_of_mini(number)
    view, game = state.view(state.turn), state.game
    counts = [0, 1, 2, 2, 0, 1, 0, 1, 0, 1, 1, 2, 1]  # of a small army

    def evaluate(position, seat):
        return plain_balance(State(game, position).line, seat, counts)

    agent = make_agent("stratego/baseline:samples=2,bonus=0.3")
    chosen = agent.choose(view, Dice(number))
    expected = plain_values(view, Dice(number), 2, (10, 50), 0.3, evaluate)
    assert agent.values == pytest.approx(expected, abs=1e-12)
    assert expected[chosen] == pytest.approx(max(expected.values()))


@pytest.mark.parametrize("variant", VARIANT_NAMES)
def test_a_whole_army_is_balanced(variant):
    position = np.array(make_game(f"stratego:variant={variant}").start(Dice(1)).position)
    assert balance(position, 0, np.array(PIECES)) == 0.0


def test_whole_playouts_find_the_moves_that_matter():
    agent = MonteCarlo(samples=300)
    assert agent.choose(state_of("xx.oo...."), Dice(0)) == 2
    assert agent.choose(state_of("xx..o...."), Dice(1)) == 2  # noughts must block
    opening = agent.choose(state_of("." * 9), Dice(2))
    assert opening == 4  # the middle is on four lines
    assert solved(state_of("." * 9).play(opening), 0) == 0
    assert all(-1 <= value <= 1 for value in agent.values.values())


def test_the_only_action_is_played_without_a_thought():
    agent, dice = MonteCarlo(), Dice(0)
    assert agent.choose(state_of("xoxxoo.xo"), dice) == 6
    assert agent.tried == 0
    assert dice.array[2] == 0


def test_equal_values_are_decided_by_the_dice():
    agent = MonteCarlo(samples=1, longest=1)  # nothing is over so early
    chosen = {agent.choose(state_of("." * 9), Dice(seed)) for seed in range(80)}
    assert chosen == set(range(9))


def test_a_time_limit_is_kept():
    agent = MonteCarlo(seconds=0.05)
    assert agent.policy(tictactoe()) is None
    began = time.perf_counter()
    agent.choose(state_of("." * 9), Dice(0))
    assert agent.tried > 10
    assert time.perf_counter() - began >= 0.05
    few = MonteCarlo(seconds=1000.0, samples=20)
    few.choose(state_of("." * 9), Dice(0))
    assert few.tried == 20


FLAGS = {"a1": "F", "b1": "B"}
# What the baseline must see: red pieces, blue pieces, and the move.
SEEN = {
    "the piece that can only be the flag": (
        {**FLAGS, "e4": "5", "j1": "4"},
        {"e5": "F", "j10": "4!'", "h9": "B!"},
        "e4-e5",
    ),
    "a known weaker piece": (
        {**FLAGS, "e4": "9!'", "j1": "4"},
        {"a10": "F", "b10": "B", "e5": "8!'", "c9": "3", "j9": "2"},
        "e4-e5",
    ),
}


@pytest.mark.parametrize("what", SEEN)
def test_the_baseline_takes(what):
    red, blue, move = SEEN[what]
    state = stratego_state(red, blue, "r")
    agent = make_agent("stratego/baseline:samples=60")
    action = agent.choose(state.view(0), Dice(1))
    assert state.game.notation.action_name(action) == move


def test_the_baseline_leaves_known_bombs_and_stronger_pieces_alone():
    red = {**FLAGS, "e4": "9!'", "j1": "4", "a3": "5", "c2": "6", "h2": "7"}
    for danger in ("B!", "T!'"):
        blue = {"a10": "F", "b10": "B", "e5": danger, "c9": "3", "j9": "2", "h9": "6"}
        state = stratego_state(red, blue, "r")
        agent = make_agent("stratego/baseline:samples=200")
        agent.choose(state.view(0), Dice(1))
        names = {state.game.notation.action_name(a): value for a, value in agent.values.items()}
        assert names["e4-e5"] < np.mean(list(names.values()))


def test_evaluations_have_names():
    state = middle_of_mini(0)
    view, chosen = state.view(state.turn), []
    for evaluation in (None, "pieces"):  # the game's first, which needs no name
        agent = MonteCarlo(samples=2, longest=5, evaluation=evaluation)
        chosen.append((agent.choose(view, Dice(0)), agent.values))
    assert chosen[0] == chosen[1]
    with pytest.raises(SandtableError, match=r"stratego has no evaluation 'peices'.*pieces"):
        MonteCarlo(evaluation="peices").choose(view, Dice(0))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("montecarlo:samples=0", "samples is 1 to 1000000, got 0"),
        ("montecarlo:seconds=-1", "seconds is 0 .* or more, got -1"),
        ("montecarlo:longest=-5", "longest is 0"),
        ("montecarlo:shortest=9,longest=5", "got shortest=9 and longest=5"),
        ("montecarlo:shortest=9", "got shortest=9 and longest=0"),
        ("montecarlo:bonus=2", "bonus lies between 0 and 1, got 2"),
        ("stratego/baseline:samples=0", "samples is 1 to 1000000, got 0"),
    ],
)
def test_wrong_options_are_refused(spec, words):
    with pytest.raises(UnreadableSpec, match=words) as caught:
        make_agent(spec)
    assert "\n" not in str(caught.value)


def test_the_baseline_plays_stratego_only():
    with pytest.raises(WrongSeats, match="'stratego/baseline' plays stratego, not lucid"):
        check_seats(make_game("lucid"), ["stratego/baseline", "random"])
