"""The games of a run on disk as they are finished, so that the same command goes on from there.

A journal belongs to one run: these plans, played by this program (by its sources), kept in that
archive. Its lines have a checksum in front; behind one that is broken nothing counts. When the run
is complete the file is removed.

A chunk goes into the journal before its records go into the archive, and brings them along: of a
run that was killed in between, the records of the last line are added to the archive once more,
which stores each game once.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sandtable import registry
from sandtable.arena.play.behaviour import source_key
from sandtable.arena.play.kept_games import KnownGames, compact
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.errors import SandtableError
from sandtable.files import remove, sync_folder
from sandtable.records.lines import record_from_line, record_to_line
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.system import POSIX, temporary_folder
from sandtable.system.locks import lock_file

__all__ = ["Journal", "JournalInUse", "open_journal", "run_name", "runs_folder"]

FORMAT = "sandtable-journal"
FORMAT_VERSION = 1
SECONDS_BETWEEN_SYNCS = 1.0  # a kill loses nothing, a power cut at most so much


class JournalInUse(SandtableError):
    """Another process is playing the same run."""


class Journal(KnownGames):
    """The finished games of one run."""

    def __init__(
        self, path: Path, plans: Sequence[MatchPlan], run: str, *, fresh: bool = False
    ) -> None:
        super().__init__(path)
        self.plans = plans
        self.run = run
        self.synced = time.monotonic()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.handle: BinaryIO = path.open("a+b", buffering=0)
        except OSError as problem:
            raise SandtableError(f"cannot write {path}: {problem.strerror}") from problem
        self.lock()
        self.spans: list[tuple[int, int, int]] = []  # number of the plan, first game, games
        self.end_of_known = 0  # of the file, when it was opened
        self.last_records: list[Record] = []  # those that may not have reached the archive
        try:
            if fresh:  # only now: another process may have been playing it
                os.ftruncate(self.handle.fileno(), 0)
            self.read()
        except (OSError, SandtableError) as problem:
            self.handle.close()
            if isinstance(problem, SandtableError):
                raise
            raise SandtableError(f"cannot write {path}: {problem.strerror}") from problem

    def writer(self) -> AbstractContextManager[BinaryIO]:
        """Return the file, which stays open and locked."""
        return nullcontext(self.handle)

    def lock(self) -> None:
        """Make sure that no other process is writing to this file, and that it has its name still.

        A process that ends removes the file it has locked: what we have opened may be that one.
        """
        while True:
            if not self.has_lock():
                self.handle.close()
                raise JournalInUse(
                    f"this command is running already (it keeps its games in {self.path}); "
                    "wait for it or stop it"
                )
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(self.handle.fileno()), self.path.stat()):
                    return
            self.handle.close()
            self.handle = self.path.open("a+b", buffering=0)

    def has_lock(self) -> bool:
        """Take the lock of the file that is open, if nobody has it."""
        try:
            return lock_file(self.handle)
        except OSError:
            return False

    def read(self) -> None:
        """Read what is known, and cut off what cannot be read: half a line, or another run's."""
        self.handle.seek(0)
        good, last = 0, None
        for number, raw in enumerate(self.handle):
            data = checked(raw)
            if data is None:
                break
            if number == 0:
                if data.get("run") != self.run or data.get("format_version") != FORMAT_VERSION:
                    break
            else:
                self.spans.append((data["plan"], data["first"], data["count"]))
                last = data
            good += len(raw)
        if last is not None:
            self.last_records = chunk_from(last, self.plans[last["plan"]]).records
        os.ftruncate(self.handle.fileno(), good)
        self.end_of_known = good
        if good == 0:
            header = {"format": FORMAT, "format_version": FORMAT_VERSION, "run": self.run}
            self.write(header | {"plans": [plan_data(plan) for plan in self.plans]})
            sync_folder(self.path.parent)  # or a power cut could take the file with all its games

    @property
    def games(self) -> int:
        """How many games are known from earlier."""
        return sum(count for _, _, count in self.spans)

    def known(self) -> Iterator[tuple[int, Chunk]]:
        """Return the games known from earlier: number of the plan, games.

        They are read again one after the other: together they may be more than fits into memory.
        """
        with self.path.open("rb") as lines:
            at = len(lines.readline())
            while at < self.end_of_known:
                raw = lines.readline()
                data = checked(raw)
                if data is None:
                    raise SandtableError(
                        f"{self.path} was changed while it was read; the same command begins again"
                    )
                at += len(raw)
                yield data["plan"], chunk_from(data, self.plans[data["plan"]])

    def add(self, plan: int, chunk: Chunk) -> None:
        """Keep a chunk of games."""
        arrays = {"scores": chunk.scores, "luck": chunk.luck, "measures": chunk.measures}
        self.write({"plan": plan, **chunk_data(chunk)}, arrays)

    def write(
        self, data: dict[str, Any], arrays: dict[str, NDArray[np.float64]] | None = None
    ) -> None:
        """Append a line with its checksum.

        The arrays are put in by hand: they are long, and have nothing that JSON must look for.
        """
        parts = [compact(data).encode()[:-1]]
        for name, values in (arrays or {}).items():
            parts += [f',"{name}":"'.encode(), packed(values), b'"']
        parts.append(b"}")
        checksum = functools.reduce(lambda sum_so_far, part: zlib.crc32(part, sum_so_far), parts, 0)
        line = b"".join([f"{checksum:08x} ".encode(), *parts, b"\n"])  # a copy of it all, only once
        sync = time.monotonic() - self.synced > SECONDS_BETWEEN_SYNCS
        self.append(line, sync=sync)
        if sync:
            self.synced = time.monotonic()

    def close(self) -> None:
        """Let go of the file and leave it there."""
        self.handle.close()

    def remove(self) -> None:
        """The run is complete and its results are told: nothing is left to go on from."""
        if POSIX:  # while it is locked: whoever waits for it finds that its name has gone
            self.path.unlink(missing_ok=True)
        self.close()
        if not POSIX:
            remove(self.path)  # unless somebody has it open again


def checked(raw: bytes) -> dict[str, Any] | None:
    """Return what stands in a line, or None if it is not whole."""
    text = raw[9:-1]
    if not raw.endswith(b"\n") or raw[:9] != f"{zlib.crc32(text):08x} ".encode():
        return None
    data: dict[str, Any] = json.loads(text)
    return data


def plan_data(plan: MatchPlan) -> dict[str, Any]:
    """Return a plan as plain data, for whoever looks into the file."""
    return {
        "game": plan.game,
        "agents": list(plan.agents),
        "games": plan.games,
        "seed": plan.seed,
        "move_time": plan.move_time,
        "rotate": plan.rotate,
    }


def chunk_data(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as plain data, without its arrays."""
    return {
        "first": chunk.first,
        "count": len(chunk.scores),
        "forfeits": chunk.forfeits,
        "records": [record_to_line(record) for record in chunk.records],
    }


def chunk_from(data: dict[str, Any], plan: MatchPlan) -> Chunk:
    """Return a chunk from its data."""
    game = make_game(plan.game)
    count, seats = data["count"], len(game.seats)
    return Chunk(
        first=data["first"],
        scores=unpacked(data["scores"], count, seats),
        luck=unpacked(data["luck"], count, len(game.luck)),
        measures=unpacked(data["measures"], count, seats, len(game.measures)),
        forfeits=[(number, seat, reason) for number, seat, reason in data["forfeits"]],
        records=[record_from_line(line, "journal") for line in data["records"]],
    )


def packed(values: NDArray[np.float64]) -> bytes:
    """Return numbers as text without losing a bit."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").data)


def unpacked(text: str, *shape: int) -> NDArray[np.float64]:
    """Return numbers from their text."""
    flat = np.frombuffer(base64.b64decode(text), dtype="<f8")
    return flat.astype(np.float64).reshape(shape)


def runs_folder() -> Path:
    """Return the folder of the journals; ``SANDTABLE_STATE`` names another one.

    A home that cannot be written falls back to a temporary folder, as the cache of kernels does.
    """
    chosen = os.environ.get("SANDTABLE_STATE")
    if chosen:
        return Path(chosen) / "runs"
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    folder = Path(base) / "sandtable" / "runs"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if os.access(folder, os.W_OK):
        return folder
    return temporary_folder() / "runs"


def open_journal(plans: Sequence[MatchPlan], note: str = "", *, fresh: bool = False) -> Journal:
    """Open the journal of a run, with what an earlier run of the same name has finished.

    ``note`` is whatever else makes a run another one, such as the place of its archive. With
    ``fresh`` what is known is forgotten.
    """
    run = run_name(plans, note)
    path = runs_folder() / f"{run}.jsonl"
    return Journal(path, plans, run, fresh=fresh)


def run_name(plans: Sequence[MatchPlan], note: str) -> str:
    """Return the name of a run: the same plans, the same program, the same note."""
    data = [plan_data(plan) for plan in plans]
    versions = [registry.make_game(plan.game).version for plan in plans]
    specs = {spec for plan in plans for spec in plan.agents}
    games = {plan.game for plan in plans}
    words = json.dumps([data, versions, source_key(games, specs), note])
    return hashlib.blake2b(words.encode(), digest_size=10).hexdigest()
