#!/usr/bin/env python3
"""OpenSpiel's Monte Carlo tree search in our arena, against random moves. Try it::

    python docs/examples/openspiel_mcts.py --simulations 50 --games 20

On the command line such a match, here on another map, is::

    sandtable match skirmish:max_turns=60 openspiel:mcts,simulations=50 random --rotate -n 10
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from sandtable import make_agent, make_game
from sandtable.arena.play.game_loop import play_game

SMALL = (  # a map of three by four squares, on which even random games are decided
    "skirmish:level=xxxxxxxx/xxxxxxxx/xx1t1xxx/xx3xxx/xx3xxx/xx1T1xxx/xxxxxxxx/xxxxxxxx,max_turns=60"
)


def total(game: str, simulations: int, games: int, seed: int) -> float:
    """Play games in alternating seats and add up the scores of the search."""
    made, added = make_game(game), 0.0
    for number in range(games):
        seat = number % 2
        specs = ["random", "random"]
        specs[seat] = f"openspiel:mcts,simulations={simulations}"
        agents = [make_agent(spec) for spec in specs]
        record = play_game(made, agents, specs=specs, seed=seed, number=number // 2).record
        assert record.outcome is not None
        added += record.outcome.scores[seat]
    return added


def main(arguments: Sequence[str] | None = None) -> float:
    """Play a match and tell the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default=SMALL, help="one with two seats")
    parser.add_argument("--simulations", type=int, default=50, help="a move")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    games: int = options.games
    score = total(options.game, options.simulations, games, options.seed) / games
    print(f"mean score of the search in {games} games of {options.game}: {score:+.2f}")
    return score


if __name__ == "__main__":
    main()
