"""Games known from before, in files of lines: they are not played again.

Lines are only ever added, one for some consecutive games of a match, so a kill loses nothing that
was finished; half a line counts as none, and a full disk leaves the file as it was. There are two
kinds of such files. A ``Journal`` (in ``journal``) belongs to one run of exactly these sources, and
is removed when the run is complete. ``KeptGames`` are for good: games of any number of matches,
played by rules and agents of a certain behaviour. ``behaviour`` says what the two mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

from sandtable.arena.play.behaviour import behaviour_key
from sandtable.arena.play.plan import MatchPlan
from sandtable.errors import DAMAGED, SandtableError
from sandtable.files import write_at_end

__all__ = ["KeptGames", "KnownGames", "compact"]


class KnownGames:
    """A file of lines that is only ever added to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def writer(self) -> AbstractContextManager[BinaryIO]:
        """Open the file to write at its end, without a buffer."""
        return self.path.open("ab", buffering=0)

    def append(self, line: bytes, *, sync: bool = True) -> None:
        """Write a line; if there is no room for it, the file stays as it was."""
        try:
            with self.writer() as handle:
                write_at_end(handle.fileno(), line, sync=sync)
        except OSError as problem:
            raise SandtableError(
                f"cannot write {self.path}: {problem.strerror}; all games before are kept, and the "
                "same command goes on from there"
            ) from problem


class KeptGames(KnownGames):
    """A number for every game of any matches, such as the score of the first agent.

    One line of JSON says what was played, by which program, the number of the first game, and the
    results::

        {"game":"stratego","agents":["stratego/policy","random"],"seed":0,"rotate":true,
         "program":"5f0c61a90d3e-ffbf4ea20c6b-d2a4c3b0911f","first":0,"results":[1,1,-1,0]}

    Files of several machines can be joined end to end. A line that is cut off, or that another
    program wrote, is as good as none. Without a path the games are known only to this object.
    """

    def __init__(
        self, path: Path | None, program: Callable[[MatchPlan], str] = behaviour_key
    ) -> None:
        super().__init__(path or Path())
        self.on_disk = path is not None
        self.program = program
        self.stretches: dict[str, dict[int, list[float]]] = {}  # by match, then by the first game
        self.ends_in_half_a_line = False
        if path is not None:
            self.read()

    def read(self) -> None:
        """Take in all lines that can be read."""
        try:
            lines = self.path.read_bytes().split(b"\n") if self.path.exists() else [b""]
        except OSError as problem:
            raise SandtableError(f"cannot read {self.path}: {problem.strerror}") from problem
        for line in lines:
            try:
                data = json.loads(line)
                first, results = (
                    int(data.pop("first")),
                    [float(each) for each in data.pop("results")],
                )
            except DAMAGED:
                continue  # cut off, or not ours
            self.take(compact(data), first, results)
        self.ends_in_half_a_line = lines[-1] != b""

    def take(self, match: str, first: int, results: list[float]) -> None:
        """Note some games of a match; of two stretches from the same game the longer counts."""
        stretches = self.stretches.setdefault(match, {})
        if len(results) > len(stretches.get(first, ())):
            stretches[first] = results

    def find(self, plan: MatchPlan) -> list[float]:
        """Return the results of the games of a plan that are known, up to the first gap."""
        found: list[float] = []
        stretches = self.stretches.get(compact(self.match_data(plan)), {})
        for first in sorted(stretches):
            if first > len(found):
                break
            found += stretches[first][len(found) - first :]
        return found[: plan.games]

    def has(self, plan: MatchPlan, first: int) -> bool:
        """Say whether the games that begin with this one were noted."""
        return first in self.stretches.get(compact(self.match_data(plan)), {})

    def add(self, plan: MatchPlan, first: int, results: Sequence[float]) -> None:
        """Note some games of a plan, in the file at once."""
        data = self.match_data(plan)
        self.take(compact(data), first, list(results))
        if self.on_disk:
            numbers = [int(each) if each == int(each) else each for each in results]
            line = compact(data | {"first": first, "results": numbers}).encode() + b"\n"
            self.append(b"\n" + line if self.ends_in_half_a_line else line)
            self.ends_in_half_a_line = False

    def match_data(self, plan: MatchPlan) -> dict[str, Any]:
        """Return which match the games of a plan belong to, however many of them are wanted."""
        data: dict[str, Any] = {"game": plan.game, "agents": list(plan.agents), "seed": plan.seed}
        if plan.rotate:
            data["rotate"] = True
        if plan.move_time is not None:
            data["move_time"] = plan.move_time
        return data | {"program": self.program(plan)}


def compact(data: dict[str, Any]) -> str:
    """Return data as JSON without blanks.

    >>> compact({"first": 0, "results": [1, -1]})
    '{"first":0,"results":[1,-1]}'
    """
    return json.dumps(data, separators=(",", ":"))
