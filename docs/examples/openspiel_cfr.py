#!/usr/bin/env python3
"""OpenSpiel's counterfactual regret minimisation on the last turns of a game of Gravwell.

Two players with a few cards left lay one each, face down, and both take effect. What is best
depends on what the other one does, so the answer is a mixture. Try it::

    python docs/examples/openspiel_cfr.py --cards 3
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence

import pyspiel

from sandtable import Dice, State, make_game
from sandtable.adapters.openspiel import openspiel_game
from sandtable.games.gravwell.layout import MOVER, PHASE, PLAYING, ROUND, ROUNDS, TURN, TURNS

GAME = "gravwell:players=2"


def endgame(seed: int, cards: int) -> State:
    """Play at random up to the last round, in which both have this many cards left."""
    game = make_game(GAME)
    for number in itertools.count():
        dice, choices = Dice(seed, "game", number), Dice(seed, "choices", number)
        state = game.start(dice)
        while state.outcome is None:
            position = state.position
            if (
                position[ROUND] == ROUNDS - 1
                and position[TURN] == TURNS - cards
                and position[PHASE] == PLAYING
                and position[MOVER] == 0
            ):
                return state
            state = state.play(state.legal[choices.below(len(state.legal))], dice)
    raise AssertionError("there is always another game")


def solve(state: State, iterations: int) -> tuple[float, dict[str, dict[str, float]]]:
    """Return how much both could still gain together, and how the first player should play."""
    whole = openspiel_game(state.game, at=state)
    tree = pyspiel.convert_to_cached_tree(whole)  # every position is asked for only once
    solver = pyspiel.CFRPlusSolver(tree)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    first = tree.new_initial_state()
    chances = {
        first.action_to_string(0, action): chance
        for action, chance in policy.get_state_policy(first)
    }
    return float(pyspiel.nash_conv(tree, policy)), {"first card": chances}


def main(arguments: Sequence[str] | None = None) -> float:
    """Solve an endgame and tell the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cards", type=int, default=3, help="cards that both have left")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the game that led there")
    options = parser.parse_args(arguments)
    state = endgame(options.seed, options.cards)
    print(state)
    left, strategies = solve(state, options.iterations)
    for when, chances in strategies.items():
        told = ", ".join(f"{name} {chance:.3f}" for name, chance in chances.items())
        print(f"{when}: {told}")
    print(f"after {options.iterations} iterations both could gain {left:.4f} together")
    return left


if __name__ == "__main__":
    main()
