"""The true state of a training run, for whoever looks at its folder from outside.

A run holds a lock on a file of its folder as long as its process lives, and writes how it ended
into another. A run whose lock is free but whose file says that it runs was killed.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from sandtable.errors import DAMAGED, SandtableError
from sandtable.learning.checkpoints import write_whole
from sandtable.learning.logs import METRICS
from sandtable.system.locks import lock_file

__all__ = ["RunMark", "TrainingState", "state_of"]

STATE_FILE, LOCK_FILE = "state.json", "running.lock"
RUNNING, STOPPED, FINISHED, FAILED = "running", "stopped", "finished", "failed"
KILLED = "its process ended without a word; the same command goes on from the last checkpoint"
FRESH_SECONDS = 120.0  # a log without a lock that was written so lately belongs to a run that goes


@dataclass(frozen=True)
class TrainingState:
    """How a run stands.

    >>> TrainingState("stopped", unit="game", length=100).reason
    ''
    """

    state: str
    reason: str = ""
    unit: str = ""  # what a run consists of, and the name of its number in the log
    length: int = 0  # in units; 0: not known


class RunMark:
    """What a run leaves in its folder while it goes on and when it ends.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     mark = RunMark(Path(folder), "game", 10)
    ...     before = state_of(Path(folder)).state
    ...     mark.end(FINISHED)
    ...     before, state_of(Path(folder)).state
    ('running', 'finished')
    """

    def __init__(self, folder: Path, unit: str, length: int) -> None:
        self.folder, self.unit, self.length = folder, unit, length
        self.lock: IO[str] | None = None
        with suppress(OSError):  # a run goes on without it
            self.lock = (folder / LOCK_FILE).open("w", encoding="utf-8")
            lock_file(self.lock)
        self.write(RUNNING, "")

    def write(self, state: str, reason: str) -> None:
        """Write how the run stands; a full disk must not end it for that."""
        told = TrainingState(state, reason, self.unit, self.length)
        with suppress(SandtableError, OSError):
            write_whole(self.folder / STATE_FILE, (json.dumps(asdict(told)) + "\n").encode())

    def end(self, state: str, reason: str = "") -> None:
        """Write how it ended, and let the lock go."""
        self.write(state, " ".join(reason.split())[:300])
        if self.lock is not None:
            self.lock.close()


def state_of(folder: Path) -> TrainingState:
    """Return how the run of a folder stands; of one without a mark only its log can tell.

    >>> state_of(Path("nowhere")).state
    'stopped'
    """
    told = read_state(folder / STATE_FILE)
    if is_locked(folder / LOCK_FILE):
        return (
            TrainingState(RUNNING, "", told.unit, told.length) if told else TrainingState(RUNNING)
        )
    if told is not None:
        return told if told.state != RUNNING else TrainingState(
            FAILED, KILLED, told.unit, told.length
        )  # fmt: skip
    with suppress(OSError):
        if time.time() - (folder / METRICS).stat().st_mtime < FRESH_SECONDS:
            return TrainingState(RUNNING)
    return TrainingState(STOPPED)


def is_locked(path: Path) -> bool:
    """Say whether a process holds the lock of a run."""
    try:
        with path.open(encoding="utf-8") as file:
            return not lock_file(file, shared=True)
    except OSError:
        return False


def read_state(path: Path) -> TrainingState | None:
    """Read what a run wrote about itself; None: nothing that can be read."""
    try:
        data: Any = json.loads(path.read_text("utf-8"))
        state, reason = str(data["state"]), str(data["reason"])
        unit, length = str(data["unit"]), int(data["length"])
    except (OSError, *DAMAGED):
        return None
    known = state in (RUNNING, STOPPED, FINISHED, FAILED)
    return TrainingState(state, reason, unit, length) if known else None
