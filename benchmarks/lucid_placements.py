"""Speed of listing and drawing whole moves of Operation Lucid, beside a yardstick of the same run.

The yardstick is ``count_turns``, which merges the same placements with NumPy. Figures are
milliseconds, the best of several tries on one core.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path

from sandtable.dice import Dice
from sandtable.games.lucid.placements.demands import (
    all_placements,
    count_moves,
    drawn_placements,
    generate,
    movelets_to,
    node_demands,
    units_of,
)
from sandtable.games.lucid.turn_counts import count_turns
from sandtable.registry import make_game

TRIES = 20
START = "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -"
MIDDLE = "r2,r2,r2,r2,r2/5/5/b2,b1,b2,b1,b3/b1,b1,b1,b1,b2 b 7 0 -"


def milliseconds(work: Callable[[], object], tries: int = TRIES) -> float:
    """Return the best time of a piece of work."""
    work()  # compiled
    times = []
    for _ in range(tries):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return 1000 * min(times)


def measure() -> dict[str, float]:
    """Measure everything."""
    game = make_game("lucid")
    start, middle = (game.parse(line).position for line in (START, MIDDLE))
    found = all_placements(start)
    assert len(found) == count_turns(start).results == 60_112
    wanted = node_demands(units_of(int(found[len(found) // 3])))
    return {
        "yardstick: the 60,112 placements from the start, NumPy": milliseconds(
            lambda: count_turns(start), 3
        ),
        "all 60,112 placements from the start": milliseconds(lambda: all_placements(start)),
        "counting the 223,104 moves from the start": milliseconds(lambda: count_moves(start)),
        "one placement demanded node by node": milliseconds(
            lambda: generate(start, wanted, Dice(0))
        ),
        "counting 59 million moves": milliseconds(lambda: count_moves(middle)),
        "drawing 1,000 of 59 million moves": milliseconds(
            lambda: drawn_placements(middle, (), 1000, Dice(0))
        ),
        "movelets of one placement": milliseconds(lambda: movelets_to(start, int(found[-1]))),
    }


def main() -> None:
    """Print the table and write it to a file if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    figures = measure()
    yardstick = next(iter(figures.values()))
    for name, value in figures.items():
        print(f"{name:58} {value:10.3f} ms {value / yardstick:10.4f} x yardstick")
    if options.json:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        data = {"machine": machine, "milliseconds": figures}
        options.json.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
