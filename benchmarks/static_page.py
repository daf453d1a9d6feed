"""Ask an exported page and Python for the moves of a level, in positions of many games.

    python benchmarks/static_page.py PAGE --level champion --positions 1000

PAGE is what ``sandtable page skirmish`` has written; Node runs its engine. It prints how many
answers differ, and how long both took for a move. Positions come from games of weak, middling and
good players on all presets of the game.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import time
from pathlib import Path

from sandtable.dice import Dice
from sandtable.registry import make_agent, make_game
from sandtable.screens import screen_class
from sandtable.types import State

ENGINE = Path(__file__).parent.parent / "tests" / "pages" / "engine.mjs"
EVERY = 7  # positions of a game: one is taken


def positions(name: str, players: list[str], count: int) -> list[State]:
    """Return positions from games of all pairs of players."""
    found: list[State] = []
    pairs = itertools.cycle(itertools.product(players, players))
    specs = itertools.cycle([each.spec for each in screen_class(name).presets] or [name])
    for number in itertools.count():
        game, dice = make_game(next(specs)), Dice(number, "agents")
        agents = [make_agent(spec) for spec in next(pairs)]
        state = game.start(Dice(number))
        for seat, agent in enumerate(agents):
            agent.begin(game, seat, dice)
        for ply in itertools.count():
            if state.outcome is not None or len(found) == count:
                break
            if ply % EVERY == number % EVERY:
                found.append(state)
            chosen = agents[state.turn].choose(state.view(state.turn), dice)
            state = state.play(chosen, dice)
        if len(found) == count:
            return found
    return found


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--game", default="skirmish")
    parser.add_argument("--level", default="champion")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument(
        "--players",
        nargs="+",
        default=["random", "skirmish/greedy", "skirmish/champion:budget=30"],
    )
    options = parser.parse_args()
    states = positions(options.game, options.players, options.positions)
    agent = make_agent(f"level:{options.level}")
    agent.choose(states[0].view(states[0].turn), Dice(0))  # compile
    expected, requests = [], []
    began = time.perf_counter()
    for number, state in enumerate(states):
        dice = Dice(5, "agent 0", number)
        cells = state.position.tolist()
        rolls = [str(cell) for cell in dice.array]
        requests.append(json.dumps(["choose", cells, options.level, None, rolls]))
        chosen = agent.choose(state.view(state.turn), dice)
        expected.append([chosen] if isinstance(chosen, int) else list(chosen))
    here = time.perf_counter() - began
    began = time.perf_counter()
    done = subprocess.run(
        ["node", str(ENGINE), str(options.page)],
        input="\n".join(requests) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    there = time.perf_counter() - began
    answers = [json.loads(line)["value"]["actions"] for line in done.stdout.splitlines()]
    different = sum(one != other for one, other in zip(answers, expected, strict=True))
    print(f"{len(answers):,} positions, level {options.level}: {different} different moves")
    print(f"a move takes {1000 * here / len(states):.1f} ms in Python's process, ", end="")
    print(f"{1000 * there / len(states):.1f} ms in WebAssembly")


if __name__ == "__main__":
    main()
