"""Our games in OpenSpiel: chance, memory, hidden information (its judges: ``test_judges``)."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys

import numpy as np
import pytest

from adapters.judged_games import HIDDEN, SPECS
from agents.little_games import nim

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")

import pyspiel

from sandtable.adapters.openspiel.agent import BotAgent, random_bot, tree_search_bot
from sandtable.adapters.openspiel.our_games import openspiel_game, register
from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError
from sandtable.registry import game_names, make_game
from sandtable.types import OVER

FEW = 4  # streams of dice: enough for judges that walk through all of them


def some_states(game, seed: int, plies: int) -> list:
    """Play at random, chance included, and return clones of all states on the way."""
    state, dice, states = game.new_initial_state(), Dice(seed, "walk"), []
    for _ in range(plies):
        states.append(state.clone())
        if state.is_terminal():
            break
        actions = state.legal_actions()
        state.apply_action(actions[dice.below(len(actions))])
    return states


def test_a_game_that_is_no_plug_in_needs_no_registration():
    pyspiel.random_sim_test(openspiel_game(nim()), num_sims=2, serialize=False, verbose=False)


def test_solvers_of_openspiel_know_who_wins_a_small_game():
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    regret = pytest.importorskip("open_spiel.python.algorithms.cfr")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    game = openspiel_game(nim())
    value, action = minimax.alpha_beta_search(game)
    assert (value, action) == (1.0, 2)  # seven stones: take three and leave four
    solver = regret.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.1


def test_games_are_loaded_by_name_with_their_options():
    assert register() == [f"sandtable_{name}" for name in game_names()]
    assert register(["lucid"]) == ["sandtable_lucid"]  # twice does no harm
    game = pyspiel.load_game("sandtable_stratego(variant=mini,long_scouts=false,streams=8)")
    assert game.sandtable.spec == "stratego:long_scouts=false,variant=mini"
    assert game.max_chance_outcomes() == 8
    assert pyspiel.load_game("sandtable_gravwell", {"players": 2}).num_players() == 2
    assert pyspiel.load_game("sandtable_skirmish(level='2')").sandtable.spec == "skirmish:level=2"
    assert (
        pyspiel.load_game("sandtable_skirmish", {"level": "3"}).sandtable.spec == "skirmish:level=3"
    )
    assert pyspiel.load_game("sandtable_skirmish").max_chance_nodes_in_history() == 0
    with pytest.raises(SandtableError, match="streams is 1 or more"):
        openspiel_game("lucid", streams=0)


def test_a_process_that_registered_games_ends_in_peace():
    script = "from sandtable.adapters.openspiel.our_games import register; register()"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("spec", SPECS)
def test_a_state_is_written_as_its_actions_and_read_again(spec):
    register()
    game = openspiel_game(spec, streams=FEW)
    for state in some_states(game, 3, 40)[::13]:
        text = state.serialize()
        assert [int(word) for word in text.split()] == state.history()
        again = game.deserialize_state(text)
        assert str(again) == str(state)
        assert again.history() == state.history()
        copied = pickle.loads(pickle.dumps(state))  # OpenSpiel's own way; it replays as well
        assert str(copied) == str(state)
    given = game.state_at(make_game(spec).start(Dice(1)))
    assert str(game.deserialize_state(given.serialize())) == str(given)


def test_dice_are_thrown_by_chance_and_not_before():
    game = openspiel_game("lucid", streams=FEW)
    waiting = next(state for state in some_states(game, 5, 60) if state.is_chance_node())
    assert [chance for _, chance in waiting.chance_outcomes()] == [1 / FEW] * FEW
    results = {str(waiting.child(stream)) for stream in range(FEW)}
    assert len(results) > 1
    assert {str(waiting.child(0)) for _ in range(3)} == {str(waiting.child(0))}
    with pytest.raises(IllegalAction, match="chance picks a number below 4, got 4"):
        waiting.child(FEW)


@pytest.mark.parametrize("spec", HIDDEN)
def test_what_a_player_is_told_does_not_depend_on_what_is_hidden(spec):
    game, dice, changed = openspiel_game(spec, streams=FEW), Dice(2), 0
    for state in some_states(game, 7, 30):
        if state.current_player() < 0:
            continue
        seat, truth = state.current_player(), state.moment.now
        other = truth.view(seat).guess(dice)
        changed += other != truth
        real, guessed = game.state_at(truth), game.state_at(other)
        assert guessed.information_state_string(seat) == real.information_state_string(seat)
        assert guessed.observation_string(seat) == state.observation_string(seat)
        np.testing.assert_array_equal(
            guessed.observation_tensor(seat), state.observation_tensor(seat)
        )
    assert changed > 0


def test_secret_plays_stay_secret():
    game, secret = openspiel_game("gravwell:players=3", streams=FEW), 0
    for state in some_states(game, 7, 60):
        mover = state.current_player()
        if mover < 0:
            continue
        action, position = state.legal_actions()[0], state.moment.now.position
        for seat in range(state.num_players()):
            before = state.information_state_string(seat)
            learnt = state.child(action).information_state_string(seat).removeprefix(before)
            seen = seat == mover or game.sandtable.action_visible_to(position, action, seat)
            name = state.action_to_string(mover, action) if seen else "?"
            assert learnt.split()[:2] == [game.sandtable.seats[mover], name]
            secret += not seen
    assert secret > 0


@pytest.mark.parametrize("spec", SPECS)
def test_players_remember_everything_they_saw(spec):
    states = some_states(openspiel_game(spec, streams=FEW), 9, 30)
    for seat in range(states[0].num_players()):
        told = [state.information_state_string(seat) for state in states]
        for earlier, later in itertools.pairwise(told):
            assert later.startswith(earlier)
        for state, text in zip(states, told, strict=True):
            assert text.endswith(state.observation_string(seat)) or state.is_chance_node()


@pytest.mark.parametrize("make_bot", [random_bot, tree_search_bot(4)], ids=["random", "search"])
@pytest.mark.parametrize("spec", ["skirmish:max_turns=2", "stratego:max_plies=4,variant=mini"])
def test_bots_of_openspiel_play_as_agents(spec, make_bot):
    game, dice = make_game(spec), Dice(4)
    agents = [BotAgent(make_bot, streams=FEW) for _ in game.seats]
    for seat, agent in enumerate(agents):
        agent.begin(game, seat, Dice(6, f"agent {seat}"))
    state = game.start(dice)
    while state.turn != OVER:
        state = state.play(agents[state.turn].choose(state.view(state.turn), dice), dice)
    assert state.outcome is not None
