"""A match of two searches that tells how much processor time a decision of each took in it.

    python benchmarks/equal_time.py gravwell:players=2 ismcts:simulations=600 montecarlo:samples=60

The two take the seats in turn, every deal is played as many times as there are seats, and told is
the share of all wins (or points) that the first has got, with an interval over deals: half is even
play, with two seats as with four. Only decisions with a choice count for the times. With ``--json``
the result takes the place of the same match in a list. ``--minutes`` of processor time end a match
after a whole deal; so does Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.agent import Agent
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.dice import Dice
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import OVER, Game

WARMING_ACTIONS = 40  # of a game that nobody counts, which compiles


class TimedSeat:
    """An agent, and what its decisions took."""

    def __init__(self, spec: str) -> None:
        self.spec, self.agent = spec, make_agent(spec)
        self.seconds, self.decisions = 0.0, 0

    def choose(self, view: Any, dice: Dice) -> int:
        """Let it choose one action, and note the time if there was a choice."""
        began = time.thread_time()
        action = self.agent.choose(view, dice)
        if len(view.legal) > 1:
            self.seconds += time.thread_time() - began
            self.decisions += 1
        if not isinstance(action, int | np.integer):
            raise SystemExit(f"{self.spec} plays turns of several actions; this times single ones")
        return int(action)


def played(game: Game, seats: list[TimedSeat], seed: int, deal: int, turned: int) -> list[float]:
    """Play a game of a deal; return the share of each seat, from 0 to 1."""
    dice, thoughts = Dice(seed, "game", deal), Dice(seed, "agents", deal * len(seats) + turned)
    agents: list[Agent] = [seat.agent for seat in seats]
    for number, agent in enumerate(agents):
        agent.begin(game, number, thoughts)
    state = game.start(dice)
    while state.turn != OVER:
        action = seats[state.turn].choose(state.view(state.turn), thoughts)
        state = state.play(action, dice)
    assert state.outcome is not None
    bounds = zip(state.outcome.scores, game.score_bounds, strict=True)
    return [(score - low) / (high - low) for score, (low, high) in bounds]


def warm_up(game: Game, seats: list[TimedSeat]) -> None:
    """Play the beginning of a game, so that everything is compiled."""
    dice = Dice(0, "warm up")
    for number, seat in enumerate(seats):
        seat.agent.begin(game, number, dice)
    state = game.start(dice)
    for _ in range(WARMING_ACTIONS):
        if state.turn == OVER:
            break
        state = state.play(seats[state.turn].choose(state.view(state.turn), dice), dice)


def match(
    spec: str, first: str, second: str, deals: int, seed: int, minutes: float
) -> dict[str, Any]:
    """Play all games of a match, or those of the first deals if the time is over."""
    game = make_game(spec)
    count = len(game.seats)
    agents = [first, second] * count
    check_seats(game, agents[:count])
    warm_up(game, [TimedSeat(each) for each in agents[:count]])
    seats = [TimedSeat(each) for each in agents[:count]]
    shares: list[float] = []
    with suppress(KeyboardInterrupt):
        while len(shares) < deals and time.process_time() < 60 * minutes:
            shares.append(share_of_deal(game, seats, seed, len(shares)))
            print(f"{len(shares)} of {deals} deals: {np.mean(shares):.1%}", end="\r", flush=True)
    if not shares:
        raise SystemExit("no deal was played to the end in that time")
    found = estimate_mean(np.array(shares), bounds=(0.0, 1.0), games=count)
    return {
        "game": spec,
        "first": first,
        "second": second,
        "seed": seed,
        "deals": len(shares),
        "games": len(shares) * count,
        "share": round(found.mean, 4),
        "low": None if np.isnan(found.low) else round(found.low, 4),
        "high": None if np.isnan(found.high) else round(found.high, 4),
        "milliseconds": [round(1000 * of_spec(seats, each), 3) for each in (first, second)],
    }


def share_of_deal(game: Game, seats: list[TimedSeat], seed: int, deal: int) -> float:
    """Play a deal once for each seat; return the share of the first agent's kind."""
    count, total = len(seats), 0.0
    for turned in range(count):
        sitting = [seats[(number + turned) % count] for number in range(count)]
        results = played(game, sitting, seed, deal, turned)
        own = [share for seat, share in zip(sitting, results, strict=True) if seat in seats[::2]]
        total += sum(own) / sum(results)
    return total / count


def of_spec(seats: list[TimedSeat], spec: str) -> float:
    """Return the seconds of a decision of an agent, in all its seats."""
    own = [seat for seat in seats if seat.spec == spec]
    return sum(seat.seconds for seat in own) / max(1, sum(seat.decisions for seat in own))


def main() -> None:
    """Play and tell."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game")
    parser.add_argument("first", help="an agent that answers with single actions")
    parser.add_argument("second")
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="of processor time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="a file with a list of results")
    given = parser.parse_args()
    result = match(given.game, given.first, given.second, given.deals, given.seed, given.minutes)
    times = " and ".join(f"{each:.2f}" for each in result["milliseconds"])
    print(f"{given.game}: {given.first} gets {result['share']:.1%} against {given.second}")
    print(f"{result['low']} to {result['high']}, {result['games']} games, {times} ms a decision")
    if given.json:
        rows = json.loads(given.json.read_text("utf-8"))["matches"] if given.json.exists() else []
        same = ("game", "first", "second", "seed")
        rows = [row for row in rows if any(row[name] != result[name] for name in same)]
        data = {"machine": platform.machine(), "matches": [*rows, result]}
        given.json.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
