"""Checkpoints that survive a kill at any moment and a full disk.

A checkpoint is one safetensors file: the arrays, and in its header the recipe's configuration and
counters as JSON with a digest of the arrays. It is written beside the old one, forced to the disk
and only then given its name, so the file of that name is always whole. The one before it is kept
under another name, in case the disk itself damages the newest.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.agents.weights import Arrays, array_file, read_array_file
from sandtable.errors import SandtableError
from sandtable.files import (
    make_folder,
    name_beside,
    remove,
    replace,
    sync_folder,
    write_beside,
    write_whole,
)

__all__ = [
    "NEWEST",
    "PREVIOUS",
    "Arrays",
    "Checkpoint",
    "CheckpointError",
    "load_newest",
    "make_folder",
    "save",
    "write_whole",
]

NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)
NEWEST = "checkpoint.safetensors"
PREVIOUS = "checkpoint.previous.safetensors"


class CheckpointError(SandtableError):
    """A checkpoint cannot be written, or none can be read."""


@dataclass(frozen=True)
class Checkpoint:
    """What a run needs to go on."""

    config: dict[str, Any]  # of the recipe
    counters: dict[str, Any]
    arrays: Arrays


# --- writing -------------------------------------------------------------------------------------


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint; whatever happens meanwhile, a whole one stays in the folder."""
    notes = {
        "config": json.dumps(checkpoint.config),
        "counters": json.dumps(checkpoint.counters),
    }
    newest, unfinished = folder / NEWEST, []
    try:
        temporary = write_beside(newest, [array_file(checkpoint.arrays, notes)])
        unfinished.append(temporary)
        if newest.exists():
            link = name_beside(folder / PREVIOUS)
            unfinished.append(link)
            link_or_copy(newest, link)  # not a rename: the newest must never be missing
            replace(link, folder / PREVIOUS)
        replace(temporary, newest)
        sync_folder(folder)
    except OSError as problem:
        for each in unfinished:
            remove(each)
        last = "the last good checkpoint is intact" if newest.exists() else "there is none yet"
        raise CheckpointError(
            f"cannot write the checkpoint {newest}: {problem.strerror or problem}; {last}"
        ) from problem


def link_or_copy(path: Path, other: Path) -> None:
    """Give a file a second name, or where the disk has no such thing (FAT), a copy of that name."""
    try:
        os.link(path, other)
    except OSError as problem:
        if problem.errno not in NO_LINKS:
            raise
        os.replace(write_beside(path, [path.read_bytes()]), other)  # noqa: PTH105


# --- reading -------------------------------------------------------------------------------------


def read(path: Path) -> Checkpoint:
    """Read one file; a ValueError says what is wrong with it."""
    try:
        arrays, notes = read_array_file(path.read_bytes())
        config, counters = json.loads(notes["config"]), json.loads(notes["counters"])
    except (OSError, KeyError, TypeError, RecursionError) as problem:
        raise ValueError("it is cut off or not a checkpoint") from problem
    if not isinstance(config, dict) or not isinstance(counters, dict):
        raise ValueError("its notes are not those of a checkpoint")
    return Checkpoint(config, counters, arrays)


def load_newest(folder: Path) -> tuple[Checkpoint | None, str | None]:
    """Return the newest checkpoint that can be read, or None in a new folder, and a warning.

    The warning names a damaged file in place of which the one before was taken.
    """
    problems = []
    for path in (folder / NEWEST, folder / PREVIOUS):
        if not path.exists():
            continue
        try:
            checkpoint = read(path)
        except ValueError as problem:
            problems.append(f"{path} is damaged ({problem})")
            continue
        warning = f"{problems[0]}; going on from the one before it" if problems else None
        return checkpoint, warning
    if problems:
        raise CheckpointError(
            f"{' and '.join(problems)}; to start anew, choose another folder or remove this one"
        )
    return None, None
