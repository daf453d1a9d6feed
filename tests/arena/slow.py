"""An agent that thinks for a moment in Python, and a test set-up that kills it meanwhile.

The environment says how it is watched: ``SLOW_FOLDER`` names a folder in which every process that
plays leaves a file named by its number, when it begins its second game: one that never lives to
the end of a first is another story, which is told. As long as a file ``hold`` is there, each move
takes a few milliseconds.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sandtable.arena.play.journal import checked

TESTS = Path(__file__).parent.parent
COMMAND = str(Path(sys.executable).with_name("sandtable"))
SECONDS_A_MOVE = 0.005
PATIENCE = 600  # seconds; only what hangs shall end by it, however busy the machine is
ENTRY_POINTS = """[sandtable.games]
race = arena.race:race
[sandtable.agents]
race/bold = arena.race:Bold
race/slow = arena.slow:Slow
race/deadly = arena.slow:Deadly
"""

begun: list[int] = []  # seats of this process


class Slow:
    """Is bold in one step out of so many, by its dice."""

    def __init__(self, bold: int = 2) -> None:
        self.bold = bold
        self.folder = Path(os.environ["SLOW_FOLDER"])

    def begin(self, game, seat, dice):
        begun.append(seat)
        if len(begun) > len(game.seats):
            (self.folder / f"{os.getpid()}.pid").touch()

    def choose(self, view, dice):
        if (self.folder / "hold").exists():
            time.sleep(SECONDS_A_MOVE)
        return int(dice.below(self.bold) == 0)


class Deadly(Slow):
    """Takes its process down with it."""

    def choose(self, view, dice):
        os._exit(3)


def set_up(folder: Path) -> dict[str, str]:
    """Install the race and these agents for other processes; return their environment."""
    metadata = folder / "plugins" / "slow-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: slow\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "seen").mkdir()
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(metadata.parent), str(TESTS)]),
        "SLOW_FOLDER": str(folder / "seen"),
        "SANDTABLE_STATE": str(folder / "state"),
    }


class Killing:
    """Runs a command again and again and kills the run or one of its workers at random moments."""

    def __init__(self, command: list[str], environment: dict[str, str], seed: int) -> None:
        self.command = [COMMAND, *command]
        self.environment = environment
        self.folder = Path(environment["SLOW_FOLDER"])
        self.random = random.Random(seed)
        self.killed: dict[str, int] = {}
        self.games_known: list[int] = []  # whenever the command was started again
        self.driver = None

    def start(self) -> None:
        self.driver = subprocess.Popen(
            self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def workers(self) -> list[int]:
        """Return the processes that play now, without the driver."""
        found = []
        for path in self.folder.glob("*.pid"):
            process = Path("/proc", path.stem)
            try:  # Ray gives its workers a title, which takes the place of their environment
                words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            except OSError:
                path.unlink(missing_ok=True)  # it has ended
                continue
            ours = str(self.folder).encode() in words or words.startswith(b"ray::Playing")
            if ours and int(path.stem) != self.driver.pid:
                found.append(int(path.stem))
        return found

    def kill_driver(self) -> None:
        time.sleep(self.random.uniform(0.0, 3.0))
        self.driver.kill()
        self.driver.communicate()
        self.count("driver")
        self.games_known.append(self.games_in_journal())
        self.start()

    def kill_worker(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not (workers := self.workers()):
            assert self.driver.poll() is None, self.driver.communicate()
            assert time.monotonic() < deadline, "nobody plays"
            time.sleep(0.02)
        time.sleep(self.random.uniform(0.0, 0.5))
        victim = self.random.choice(self.workers() or workers)
        (self.folder / f"{victim}.pid").unlink(missing_ok=True)
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        self.count("worker")

    def count(self, what: str) -> None:
        self.killed[what] = self.killed.get(what, 0) + 1

    def games_in_journal(self) -> int:
        state = Path(self.environment["SANDTABLE_STATE"])
        texts = [path.read_bytes() for path in state.glob("runs/*")]
        lines = [line for text in texts for line in text.splitlines(keepends=True)]
        return sum(data.get("count", 0) for data in map(checked, lines) if data)

    def run(self, drivers: int, workers: int, *others: Callable[[], None]):
        """Kill so many of each in a random order, then let the command come to its end."""
        (self.folder / "hold").touch()
        self.start()
        victims = [self.kill_driver] * drivers + [self.kill_worker] * workers
        self.random.shuffle(victims)
        for each in others:  # not first or last: somebody plays, and somebody has to go on
            victims.insert(self.random.randrange(2, len(victims) - 1), each)
        try:
            for kill in victims:
                kill()
            (self.folder / "hold").unlink()
            out, err = self.driver.communicate(timeout=PATIENCE)
        finally:
            self.driver.kill()
            self.driver.communicate()
        return subprocess.CompletedProcess(self.command, self.driver.returncode, out, err)


def table(path: Path) -> bytes:
    """Return a file of results without the times it took."""
    data = json.loads(path.read_text())
    data.pop("timing", None)
    return json.dumps(data).encode()
