"""Finished games on disk, so that a long reproduction goes on where it was stopped.

The file has one line of JSON for each meeting of two agents on one level, or for some consecutive
games of a match: what was played, by which program (a digest of the sources and weights that decide
moves), and how the games ended. Lines are only ever added. Files of several machines can therefore
be joined end to end, and a line that a kill has cut off, or that another program wrote, is as good
as none.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sandtable.arena.play.plan import MatchPlan
from sandtable.compiled import PACKAGE_FOLDER
from sandtable.errors import SandtableError

__all__ = ["KeptGames", "KeptScores", "program_digest"]


def program_digest(patterns: Sequence[str], *weights: Path | None) -> str:
    """Return a digest of what decides the moves of an agent: sources of this package, its weights.

    Drawings never do. Edits elsewhere, of another game or of a command, leave kept games valid.
    """
    digest = hashlib.blake2b(digest_size=12)
    for path in sorted({path for each in patterns for path in PACKAGE_FOLDER.glob(each)}):
        if not path.stem.startswith("drawing"):
            digest.update(path.relative_to(PACKAGE_FOLDER).as_posix().encode())
            digest.update(hashlib.blake2b(path.read_bytes()).digest())
    for weighed in weights:
        if weighed is not None and weighed.is_file():
            digest.update(weighed.read_bytes())
    return digest.hexdigest()


class KeptLines(ABC):
    """The lines of such a file; without a path they last only for as long as this object."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._needs_line_end = False
        if path is None:
            return
        try:
            lines = path.read_bytes().split(b"\n") if path.exists() else []
        except OSError as problem:
            raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
        for line in lines:
            try:
                self.take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # cut off, or not ours
        self._needs_line_end = bool(lines) and lines[-1] != b""

    @abstractmethod
    def take(self, data: dict[str, Any]) -> None:
        """Take in one line that was found; what it raises about a line of another kind is fine."""

    def append(self, data: dict[str, Any]) -> None:
        """Write one line at once."""
        if self.path is None:
            return
        line = json.dumps(data) + "\n"
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" + line if self._needs_line_end else line)
        except OSError as problem:
            raise SandtableError(
                f"cannot write {self.path}: {problem.strerror}; all games before are kept, and the "
                "same command goes on from there"
            ) from problem
        self._needs_line_end = False


class KeptGames(KeptLines):
    """Which games were won, by what was played, meeting after meeting."""

    def __init__(self, path: Path | None) -> None:
        self.won: dict[str, list[bool]] = {}
        super().__init__(path)

    def take(self, data: dict[str, Any]) -> None:
        """Take in a meeting."""
        won = [bool(each) for each in data.pop("won")]
        if len(won) == data["games"]:
            self.won[json.dumps(data)] = won

    def find(self, plan: MatchPlan, program: str) -> list[bool] | None:
        """Return which games of a plan were won, if they have been played."""
        return self.won.get(json.dumps(played_data(plan, program)))

    def add(self, plan: MatchPlan, program: str, won: Sequence[bool]) -> None:
        """Note the games of a plan, in the file at once."""
        data = played_data(plan, program)
        self.won[json.dumps(data)] = list(won)
        self.append(data | {"won": [int(each) for each in won]})


class KeptScores(KeptLines):
    """The scores of an agent in the games of a match, chunk after chunk."""

    def __init__(self, path: Path | None) -> None:
        self.chunks: dict[str, dict[int, list[float]]] = {}  # by match, then by the first game
        super().__init__(path)

    def take(self, data: dict[str, Any]) -> None:
        """Take in some games."""
        first = int(data.pop("first"))
        scores = [float(each) for each in data.pop("scores")]
        self.chunks.setdefault(json.dumps(data), {})[first] = scores

    def find(self, plan: MatchPlan, program: str) -> list[float]:
        """Return the scores of the games that have been played, up to the first gap."""
        found: list[float] = []
        chunks = self.chunks.get(json.dumps(match_data(plan, program)), {})
        for first in sorted(chunks):
            if first > len(found):
                break
            found += chunks[first][len(found) - first :]
        return found[: plan.games]

    def has(self, plan: MatchPlan, program: str, first: int) -> bool:
        """Say whether the games that begin with this one were noted."""
        return first in self.chunks.get(json.dumps(match_data(plan, program)), {})

    def add(self, plan: MatchPlan, program: str, first: int, scores: Sequence[float]) -> None:
        """Note some games of a plan, in the file at once."""
        data = match_data(plan, program)
        self.chunks.setdefault(json.dumps(data), {})[first] = list(scores)
        self.append(data | {"first": first, "scores": list(scores)})


def match_data(plan: MatchPlan, program: str) -> dict[str, Any]:
    """Return which match games belong to, however many of them are wanted."""
    data = played_data(plan, program) | {"rotate": plan.rotate}
    del data["games"]
    return data


def played_data(plan: MatchPlan, program: str) -> dict[str, Any]:
    """Return what games were played, as it stands in the file."""
    return {
        "game": plan.game,
        "agents": list(plan.agents),
        "seed": plan.seed,
        "games": plan.games,
        "program": program,
    }
