"""The same rules as plain Python: the batch of a game stepped with compilation switched off.

    python -m sandtable.benchmarking.twin GAME TRIES SECONDS

must be a process of its own, since Numba decides at its import whether it compiles.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.timing import Effort, draw_rate, summed_up
from sandtable.errors import SandtableError

__all__ = ["twin_figure"]

SOURCE = "plain Python"
ROWS = 4  # of the twin's batch: more of them are neither faster nor slower
STEPS_BEFORE = 5


def twin_figure(game: str, effort: Effort) -> Figure:
    """Measure the twin of a game in a process of its own."""
    from sandtable.benchmarking.ours import STEPS

    command = [sys.executable, "-m", "sandtable.benchmarking.twin", game]
    done = subprocess.run(
        [*command, str(effort.tries), str(effort.seconds)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word why"])[-1]
        raise SandtableError(f"the plain twin of {game} stopped: {last}")
    rates, walls = json.loads(done.stdout.splitlines()[-1])
    draws = draw_rate()
    timing = summed_up(rates, [rate / draws for rate in rates], walls)
    return Figure(game, "the same rules, with planes", STEPS, timing, SOURCE, planes=True)


def main(game: str, tries: int, seconds: float) -> None:
    """Print rates by processor time and by the clock on the wall."""
    from sandtable.batch import Batch
    from sandtable.registry import make_game

    batch = Batch(make_game(game), ROWS, auto_reset=True)
    for _ in range(STEPS_BEFORE):
        batch.step(batch.random_actions())
    rates, walls = [], []
    for _ in range(tries):
        began, began_on_wall, steps = time.process_time(), time.perf_counter(), 0
        while time.process_time() - began < seconds or steps == 0:
            batch.step(batch.random_actions())
            steps += ROWS
        rates.append(steps / (time.process_time() - began))
        walls.append(steps / (time.perf_counter() - began_on_wall))
    print(json.dumps([rates, walls]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
