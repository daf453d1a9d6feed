"""Finished games on disk, so that a long reproduction goes on where it was stopped.

The file has one line of JSON for each meeting of two agents on one level: what was played, by which
program (a digest of the sources and weights that decide moves), and which games were won. Lines are
only ever added. Files of several machines can therefore be joined end to end, and a line that a
kill has cut off, or that another program wrote, is as good as none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandtable.arena.chunks import MatchPlan
from sandtable.compiled import PACKAGE_FOLDER
from sandtable.errors import SandtableError

__all__ = ["KeptGames", "program_digest"]


def program_digest(patterns: Sequence[str], weights: Path | None) -> str:
    """Return a digest of what decides the moves of an agent: sources of this package, its weights.

    Drawings never do. Edits elsewhere, of another game or of a command, leave kept games valid.
    """
    digest = hashlib.blake2b(digest_size=12)
    for path in sorted({path for each in patterns for path in PACKAGE_FOLDER.glob(each)}):
        if not path.stem.startswith("drawing"):
            digest.update(path.relative_to(PACKAGE_FOLDER).as_posix().encode())
            digest.update(hashlib.blake2b(path.read_bytes()).digest())
    if weights is not None and weights.is_file():
        digest.update(weights.read_bytes())
    return digest.hexdigest()


class KeptGames:
    """Which games were won, by what was played; without a path only for as long as this lasts."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.won: dict[str, list[bool]] = {}
        if path is None:
            return
        try:
            lines = path.read_bytes().split(b"\n") if path.exists() else []
        except OSError as problem:
            raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
        for line in lines:
            self._take(line)
        self._needs_line_end = bool(lines) and lines[-1] != b""

    def _take(self, line: bytes) -> None:
        try:
            data = json.loads(line)
            won = [bool(each) for each in data.pop("won")]
            games = data["games"]
        except (ValueError, KeyError, TypeError, AttributeError):
            return  # cut off, or not ours
        if len(won) == games:
            self.won[json.dumps(data)] = won

    def find(self, plan: MatchPlan, program: str) -> list[bool] | None:
        """Return which games of a plan were won, if they have been played."""
        return self.won.get(json.dumps(played_data(plan, program)))

    def add(self, plan: MatchPlan, program: str, won: Sequence[bool]) -> None:
        """Note the games of a plan, in the file at once."""
        data = played_data(plan, program)
        self.won[json.dumps(data)] = list(won)
        if self.path is None:
            return
        line = json.dumps(data | {"won": [int(each) for each in won]}) + "\n"
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" + line if self._needs_line_end else line)
        except OSError as problem:
            raise SandtableError(f"cannot write {self.path}: {problem.strerror}") from problem
        self._needs_line_end = False


def played_data(plan: MatchPlan, program: str) -> dict[str, Any]:
    """Return what games were played, as it stands in the file."""
    return {
        "game": plan.game,
        "agents": list(plan.agents),
        "seed": plan.seed,
        "games": plan.games,
        "program": program,
    }
