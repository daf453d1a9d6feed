"""Dice in OpenSpiel, listed or thrown when the time comes, and tensors of the whole past."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")

import pyspiel

from sandtable.adapters.openspiel.our_games import openspiel_game
from sandtable.dice import DRAWS, Dice
from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.throws import results_of_action, results_of_start

KUHN = Path(__file__).parent.parent / "example_package" / "src"
SMALL = "stratego:max_plies=12,setup=named,variant=mini"
SMALL_AND_OPEN = "skirmish:max_turns=4"


@pytest.fixture
def kuhn(monkeypatch):
    """Kuhn poker of the package that the documents show."""
    monkeypatch.syspath_prepend(str(KUHN))
    from sandtable_kuhn.game import kuhn

    return kuhn()


def test_kuhn_poker_is_worth_what_is_known(kuhn):
    """Its value for the first player is -1/18; OpenSpiel finds it with all six deals listed."""
    game = openspiel_game(kuhn, chance="exact")
    chances = [chance for _, chance in game.new_initial_state().chance_outcomes()]
    assert chances == pytest.approx([1 / 6] * 6)
    tree = pyspiel.convert_to_cached_tree(game)
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert pyspiel.nash_conv(tree, policy) < 0.01
    value = pyspiel.expected_returns(tree.new_initial_state(), policy, -1, True, 0.0)[0]
    assert value == pytest.approx(-1 / 18, abs=0.005)


def test_openspiel_finds_perfect_recall_in_all_of_kuhn_poker(kuhn):
    """Its judge walks through the whole tree and counts what both players can tell apart."""
    judge = pytest.importorskip("open_spiel.integration_tests.api_test")
    game = openspiel_game(kuhn, chance="exact")
    assert len(judge._assert_is_perfect_recall(game)) == 12
    states = judge.get_all_states.get_all_states(
        game, depth_limit=-1, include_terminals=True, include_chance_states=True
    ).values()
    kinds = Counter(state.get_type() for state in states)
    counts = [
        kinds[getattr(pyspiel.StateType, name)] for name in ("CHANCE", "DECISION", "TERMINAL")
    ]
    assert counts == [1, 24, 30]


def test_named_set_ups_are_drawn_evenly():
    results = results_of_start(make_game(SMALL))
    assert len({state.line for state, _ in results}) == len(results) == 16
    assert [chance for _, chance in results] == pytest.approx([1 / 16] * 16)


def test_listed_results_are_those_that_kernels_throw():
    """The kernel of Lucid, played 3000 times, against the list of all its results."""
    game = make_game("lucid")
    state, choices = game.start(Dice(3)), Dice(3, "choices")
    while True:
        action = state.legal[choices.below(len(state.legal))]
        dice = Dice(3, "throws", state.position.sum() % 1000)
        after = state.play(action, dice)
        if dice.array[DRAWS] > 0:
            break
        state = after
    listed = {result.line: chance for result, chance in results_of_action(state, action)}
    assert sum(listed.values()) == pytest.approx(1.0)
    assert len(listed) > 1
    thrown = Counter(state.play(action, Dice(9, "thrown", number)).line for number in range(3000))
    assert set(thrown) <= set(listed)
    for line, chance in listed.items():
        deviation = np.sqrt(3000 * chance * (1 - chance))
        assert abs(thrown[line] - 3000 * chance) < 5 * deviation + 1


def test_too_many_results_are_refused_in_one_line(monkeypatch):
    monkeypatch.setattr("sandtable.throws.MOST_THROWS", 50)
    state = openspiel_game("gravwell:players=2", chance="exact").new_initial_state()
    with pytest.raises(SandtableError, match="in more than 50 ways; take chance=streams"):
        state.chance_outcomes()
    with pytest.raises(SandtableError, match=r"got 'exakt'\. Did you mean 'exact'\?"):
        openspiel_game("lucid", chance="exakt")


def sampled(seed: int) -> list[str]:
    """Play a game whose dice OpenSpiel does not choose, and write down its states."""
    game = openspiel_game("gravwell:players=2", chance="sampled", seed=seed)
    state, choices, seen = game.new_initial_state(), Dice(1, "choices"), []
    while not state.is_terminal() and len(seen) < 40:
        seen.append(str(state))
        actions = state.legal_actions()
        state.apply_action(actions[choices.below(len(actions))])
    again = game.deserialize_state(state.serialize())
    assert (str(again), again.history()) == (str(state), state.history())
    return seen


def test_sampled_dice_follow_their_seed_and_are_written_down():
    first = sampled(7)
    assert sampled(7) == first
    assert sampled(8) != first
    game = openspiel_game("lucid", chance="sampled")
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert game.new_initial_state().chance_outcomes() == [(0, 1.0)]
    starts = {str(game.new_initial_state().child(0)) for _ in range(20)}
    assert len(starts) > 1  # nobody knows the seed


def states_of(spec: str, games: int) -> list:
    """Return the states of random games, chance included."""
    game, dice, found = openspiel_game(spec, streams=3), Dice(5, "walk"), []
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                found.append(state.clone())
            actions = state.legal_actions()
            state.apply_action(actions[dice.below(min(3, len(actions)))])
    return found


@pytest.mark.parametrize("spec", [SMALL, SMALL_AND_OPEN])
def test_a_tensor_of_the_past_says_as_much_as_the_text_and_no_more(spec):
    texts: dict[bytes, set] = {}
    tensors: dict[tuple, set] = {}
    states = states_of(spec, 4)
    for state, seat in itertools.product(states, range(2)):
        tensor = np.array(state.information_state_tensor(seat), dtype=np.float32).tobytes()
        told = (seat, state.information_state_string(seat))
        texts.setdefault(tensor, set()).add(told)
        tensors.setdefault(told, set()).add(tensor)
    assert len(texts) == len(tensors) < 2 * len(states)  # the walks meet, so both answers count
    assert {len(each) for each in (*texts.values(), *tensors.values())} == {1}


def test_a_tensor_of_the_past_does_not_depend_on_what_is_hidden():
    game, dice, changed = openspiel_game(SMALL), Dice(2), 0
    for state in states_of(SMALL, 1):
        seat, truth = state.current_player(), state.moment.now
        other = truth.view(seat).guess(dice)
        changed += other != truth
        real, guessed = game.state_at(truth), game.state_at(other)
        assert guessed.information_state_tensor(seat) == real.information_state_tensor(seat)
    assert changed > 0


def test_large_games_offer_no_tensor_of_the_past():
    assert openspiel_game(SMALL).get_type().provides_information_state_tensor
    for spec in ("lucid", "gravwell", "stratego", "skirmish"):
        assert not openspiel_game(spec).get_type().provides_information_state_tensor
