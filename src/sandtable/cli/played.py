"""The games that people play in the terminal: each is kept from its first turn on.

One file a game in the folder of what Sandtable remembers, written anew after every turn, so that
neither Ctrl-C nor a closed window loses more than the turn in progress.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.records.record import Record

__all__ = ["KeptGame", "newest_unfinished", "played_folder"]

ENDING = ".jsonl"


def played_folder() -> Path:
    """Return the folder of the games people have played; SANDTABLE_STATE names another place."""
    from sandtable.arena.play.journal import runs_folder

    return runs_folder().parent / "played"


class KeptGame:
    """The file of one game."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path

    def save(self, record: Record) -> bool:
        """Write the game as it stands; False: there is no place to write to."""
        from sandtable.files import make_folder, write_whole
        from sandtable.records.lines import record_to_line

        if self.path is None:
            name = f"{time.strftime('%Y%m%d-%H%M%S')}-{record.identity}{ENDING}"
            self.path = played_folder() / name
        try:
            make_folder(self.path.parent)
            write_whole(self.path, f"{record_to_line(record)}\n".encode())
        except SandtableError:  # a full disk must not end the game
            return False
        return True


def newest_unfinished(wanted: str | None = None) -> tuple[Path, Record]:
    """Return the game that was played last and is not over, or the one with this id."""
    for path, record in kept_games():
        if record.outcome is None and wanted in (None, record.identity):
            return path, record
    which = f"'{wanted}'" if wanted else "that was broken off"
    raise SandtableError(f"there is no game {which} to go on with in {played_folder()}")


def kept_games() -> Iterator[tuple[Path, Record]]:
    """Return all games that are kept, the newest first; what cannot be read is passed over."""
    from sandtable.records.lines import record_from_line

    try:
        paths = [path for path in played_folder().iterdir() if path.suffix == ENDING]
        paths.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    except OSError:
        return
    for path in paths:
        with suppress(OSError, SandtableError):
            yield path, record_from_line(path.read_text(encoding="utf-8").strip(), str(path))
