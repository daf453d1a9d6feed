"""The log of a training run: a line of JSON for every unit, and TensorBoard where installed."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError
from sandtable.learning.checkpoints import write_whole

__all__ = ["Log"]

METRICS = "metrics.jsonl"
CONFIG = "config.json"


def leave_to_main_thread(arguments: threading.ExceptHookArgs) -> None:
    """Print nothing about a disk that TensorBoard's thread finds full: it also tells the run."""
    ours = type(arguments.thread).__module__.startswith("tensorboard")
    if not (ours and isinstance(arguments.exc_value, OSError)):
        threading.__excepthook__(arguments)


def tensorboard_writer(folder: Path, first_step: int) -> Any | None:
    """Return a writer that forgets the steps to come, or None without TensorBoard."""
    try:
        from torch.utils.tensorboard.writer import SummaryWriter
    except ImportError:
        return None
    threading.excepthook = leave_to_main_thread
    return SummaryWriter(str(folder / "tensorboard"), purge_step=first_step)


class Log:
    """Appends metrics; a run that goes on from a checkpoint drops what was logged after it."""

    def __init__(self, folder: Path, config: dict[str, Any], lines: int) -> None:
        self.folder = folder
        self.lines = lines
        path = folder / METRICS
        with self.writing():
            text = json.dumps(config, indent=2) + "\n"
            if not (folder / CONFIG).exists() or (folder / CONFIG).read_text("utf-8") != text:
                write_whole(folder / CONFIG, text.encode())
            self.file = path.open("a", encoding="utf-8", newline="\n")
            logged = path.read_bytes().splitlines(keepends=True)
            if len(logged) > lines:  # cut off, not written anew: a full disk must not lose it
                os.truncate(path, sum(map(len, logged[:lines])))
            self.board = tensorboard_writer(folder, lines)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        with suppress(*([] if kind is None else [SandtableError])):  # the first error is shown
            self.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Say in one line where something could not be written."""
        try:
            yield
        except OSError as problem:
            reason = problem.strerror or problem
            raise SandtableError(
                f"cannot write the log in {self.folder}: {reason}; checkpoints there are intact"
            ) from problem

    def write(self, metrics: dict[str, Any]) -> None:
        """Add a line."""
        with self.writing():
            self.file.write(json.dumps(metrics) + "\n")
            self.file.flush()
            if self.board:
                for name, value in metrics.items():
                    if isinstance(value, (int, float)):
                        self.board.add_scalar(name, value, self.lines)
        self.lines += 1

    def close(self) -> None:
        """End the log."""
        with self.writing():
            self.file.close()
            if self.board:
                self.board.close()
