"""A training run in its folder: going on, saving, logging, stopping, and files to play with.

A recipe opens a run, attaches what it trains, reports after every unit (a game, a generation), and
returns when it is done or has to stop; everything else happens here:

    with Run(config, folder, control) as run:
        state = run.attach(State(config))
        while state.counters["games"] < config.games:
            if control.must_stop():
                return False
            run.report(play_and_learn(state))
        return True

The line of the log comes before its checkpoint: a line whose checkpoint was never written is
dropped when the run goes on, and its unit is done again, equally. A run that is left by an error
(or by a second Ctrl-C) saves nothing more; its last checkpoint stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, TypeVar

from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import Arrays, Checkpoint, load_newest, make_folder, save
from sandtable.learning.config import RunConfig, as_saved, check_config, check_same_config
from sandtable.learning.logs import Log
from sandtable.learning.state import FAILED, FINISHED, STOPPED, RunMark, state_of

__all__ = ["DATA_FOLDER", "Control", "Run", "RunState", "notes_of", "trained"]

Metrics = dict[str, Any]
DATA_FOLDER = "data"  # in the folder of a run: what it made to learn from (shards.py)
SECONDS_BETWEEN_SAVES = 20.0  # where a unit takes less


@dataclass(frozen=True)
class Control:
    """What a run asks from whoever started it, and reports to them."""

    device: str = "auto"
    threads: int = 1  # of torch on the CPU; another number may change the last bits of the weights
    seconds: float | None = None  # stop after that long, with a checkpoint; None: at the end
    stopping: Callable[[], bool] = lambda: False  # asked often
    report: Callable[[Metrics], None] = lambda metrics: None  # after every unit of the run
    warn: Callable[[str], None] = lambda line: None
    began: float = field(default_factory=time.monotonic)
    jobs: int = 1  # processes, where a recipe can use several; never of any influence on the result
    unit: str = ""  # what the run consists of, for those who watch its folder
    length: int = 0  # in units; 0: not known
    cluster: str = ""  # HOST:PORT of the one that plays the games, for recipes that can use it

    def must_stop(self) -> bool:
        """Say whether the run has to end before its last unit."""
        late = self.seconds is not None and time.monotonic() - self.began >= self.seconds
        return late or self.stopping()


class RunState(Protocol):
    """What a run trains: all that a checkpoint holds, as numbers by name and as arrays."""

    counters: dict[str, Any]

    def arrays(self) -> Arrays:
        """Return everything that changes while learning."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Go back to such arrays; the counters are those of the checkpoint already."""
        ...


State = TypeVar("State", bound=RunState)


class Run:
    """One training run, from its beginning or from the checkpoint in its folder.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     Run(RunConfig(), Path(folder), Control()).checkpoint is None
    True
    """

    def __init__(
        self,
        config: RunConfig,
        folder: Path,
        control: Control,
        seconds_between_saves: float = SECONDS_BETWEEN_SAVES,
    ) -> None:
        """Check the configuration, also against the run in the folder; write nothing yet."""
        check_config(config)
        self.config, self.folder, self.control = as_saved(config), folder, control
        self.seconds_between_saves = seconds_between_saves
        self.checkpoint, warning = load_newest(folder)
        if warning:
            control.warn(warning)
        if self.checkpoint and not failed_at_once(folder, self.checkpoint):
            check_same_config(folder, config, self.checkpoint.config)
        elif self.checkpoint:
            self.checkpoint = None  # begun anew, perhaps with the mistake mended
        self.state: RunState | None = None
        self.unsaved = self.checkpoint is None
        self.saved_at = time.monotonic()

    def attach(self, state: State) -> State:
        """Take what is trained back to the checkpoint and open the log.

        A new run writes its first checkpoint at once: from then on the folder knows its
        configuration, and a disk that is full is noticed before anything is learned.
        """
        make_folder(self.folder)
        logged = 0
        if self.checkpoint:
            counters = dict(self.checkpoint.counters)
            logged = counters.pop("logged", 0)
            state.counters.update(counters)
            state.restore(self.checkpoint.arrays)
            self.checkpoint = None  # its arrays may be large
        self.log = Log(self.folder, self.config, logged)
        self.mark = RunMark(self.folder, self.control.unit, self.control.length)
        self.state = state
        if self.unsaved:
            self.save()
        return state

    def report(self, metrics: Metrics, may_save: bool = True) -> None:
        """Log a unit that is done, save if it is time, and pass the metrics on.

        In the midst of something that cannot be taken up again, it may not save.
        """
        self.log.write(metrics)
        self.unsaved = True
        if may_save:
            self.save_if_due()
        self.control.report(metrics)

    def save_if_due(self) -> None:
        """Write a checkpoint if the last one is old enough."""
        if time.monotonic() - self.saved_at >= self.seconds_between_saves:
            self.save()

    def save(self) -> None:
        """Write a checkpoint."""
        assert self.state is not None, "nothing is attached"
        arrays = self.state.arrays()  # first, as it may bring counters up to date
        counters = self.state.counters | {"logged": self.log.lines}
        save(self.folder, Checkpoint(self.config, counters, arrays))
        self.unsaved, self.saved_at = False, time.monotonic()

    def __enter__(self) -> Run:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Save what is not saved, unless there was an error, and end the log."""
        if self.state is None:
            return
        failed = kind is not None
        try:
            if self.unsaved and not failed:
                failed = True  # unless saving succeeds
                self.save()
                failed = False
        finally:
            self.mark.end(*self.ending(problem, failed))
            with suppress(*([SandtableError] if failed else [])):  # the first error is shown
                self.log.close()

    def ending(self, problem: BaseException | None, failed: bool) -> tuple[str, str]:
        """Return how the run ended, and why if it failed."""
        if isinstance(problem, KeyboardInterrupt):
            return STOPPED, ""
        if failed:
            return FAILED, str(problem or "it could not be saved")
        return (STOPPED if self.control.must_stop() else FINISHED), ""


def failed_at_once(folder: Path, checkpoint: Checkpoint) -> bool:
    """Say whether a run ended with an error before anything was done, so that it can be begun anew.

    So a mistake in an option that only shows once a run has begun does not keep its folder. Data
    that was made to learn from belongs to its options, though nothing was learned from it yet.
    """
    made = folder / DATA_FOLDER
    nothing_made = not made.is_dir() or not any(made.iterdir())
    nothing_learned = not any(checkpoint.counters.values())
    return nothing_learned and nothing_made and state_of(folder).state == FAILED


# --- after a run ---------------------------------------------------------------------------------


def trained(folder: Path) -> Checkpoint:
    """Return the newest checkpoint of a run, to export it; there must be one.

    >>> trained(Path("nowhere"))
    Traceback (most recent call last):
    ...
    sandtable.errors.SandtableError: there is no checkpoint in nowhere
    """
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        raise SandtableError(f"there is no checkpoint in {folder}")
    return checkpoint


def notes_of(checkpoint: Checkpoint) -> dict[str, str]:
    """Return the configuration of a run as words for the header of a file of weights."""
    return {name: str(value) for name, value in checkpoint.config.items()}
