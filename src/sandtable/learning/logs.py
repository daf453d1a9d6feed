"""The log of a training run: a line of JSON for every game, and TensorBoard where installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sandtable.errors import SandtableError

__all__ = ["Log"]

METRICS = "metrics.jsonl"
CONFIG = "config.json"


def tensorboard_writer(folder: Path, first_step: int) -> Any | None:
    """Return a writer that forgets the steps to come, or None without TensorBoard."""
    try:
        from torch.utils.tensorboard.writer import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"), purge_step=first_step)


class Log:
    """Appends facts; a run that goes on from a checkpoint drops what was logged after it."""

    def __init__(self, folder: Path, config: dict[str, Any], lines: int) -> None:
        self.path = folder / METRICS
        self.lines = lines
        try:
            (folder / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
            old = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
            kept = "".join(line + "\n" for line in old[:lines])
            self.path.write_text(kept, encoding="utf-8")
            self.file = self.path.open("a", encoding="utf-8")
        except OSError as problem:
            raise SandtableError(f"cannot write in {folder}: {problem.strerror}") from problem
        self.board = tensorboard_writer(folder, lines)

    def write(self, facts: dict[str, Any]) -> None:
        """Add a line."""
        self.file.write(json.dumps(facts) + "\n")
        self.file.flush()
        if self.board:
            for name, value in facts.items():
                if isinstance(value, (int, float)):
                    self.board.add_scalar(name, value, self.lines)
        self.lines += 1

    def close(self) -> None:
        """End the log."""
        self.file.close()
        if self.board:
            self.board.close()
