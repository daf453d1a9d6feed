"""What the program keeps, step by step; each can be looked at again after a fault.

A step that ends is acknowledged; one that raises a SandtableError of one line is refused; anything
else is a mistake. ``found`` says what of the steps is there when everything is opened anew.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from faults.disk import Disk
from sandtable.arena.play.journal import Journal
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.errors import SandtableError
from sandtable.files import write_whole
from sandtable.learning.checkpoints import Checkpoint, load_newest, save
from sandtable.records.archive import Archive
from sandtable.records.files import RecordFile
from sandtable.records.notes import Note, notes_of, with_note
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.types import Outcome

STEPS = 4


def attempt(disk: Disk, step: Any, do: Callable[[], object]) -> bool:
    """Take a step; say whether it was acknowledged."""
    try:
        do()
    except SandtableError as problem:
        assert "\n" not in str(problem), problem
        assert len(str(problem)) < 600
        return False
    disk.acknowledge(step)
    return True


# --- files ---------------------------------------------------------------------------------------


def write_results(disk: Disk) -> None:
    for step in range(STEPS):
        data = json.dumps({"step": step, "more": "x" * 5000}).encode()
        attempt(disk, step, lambda data=data: write_whole(disk.folder / "result.json", data))


def found_results(folder: Path) -> set[int]:
    """Of several versions of a file the last one is there, and with it all before."""
    path = folder / "result.json"
    return set(range(json.loads(path.read_bytes())["step"] + 1)) if path.exists() else set()


def write_checkpoints(disk: Disk) -> None:
    for step in range(STEPS):
        kept = Checkpoint({"name": "test"}, {"step": step}, {"numbers": np.arange(100) + step})
        attempt(disk, step, lambda kept=kept: save(disk.folder, kept))


def found_checkpoints(folder: Path) -> set[int]:
    checkpoint, _ = load_newest(folder)
    if checkpoint is None:
        return set()
    step = checkpoint.counters["step"]
    assert np.array_equal(checkpoint.arrays["numbers"], np.arange(100) + step)
    return set(range(step + 1))


def made_records() -> list[Record]:
    game = make_game("skirmish:max_turns=2")
    final = game.start().line
    return [
        Record(
            game=game.spec, version=game.version, seats=("random", "random"), seed=1, number=step,
            actions=(), outcome=Outcome((0.0, 0.0), "over"), final=final,
        )
        for step in range(STEPS)
    ]  # fmt: skip


def add_records(disk: Disk, store: Any) -> None:
    for step, record in enumerate(made_records()):
        if step == 1:  # first broken off; its finished self takes its place
            half = dataclasses.replace(record, outcome=None)
            with_errors_told(lambda half=half: store.add([half]))
        attempt(disk, step, lambda record=record: store.add([record]))
    store.close()


def with_errors_told(do: Callable[[], object]) -> None:
    try:
        do()
    except SandtableError as problem:
        assert "\n" not in str(problem)


def write_record_file(disk: Disk) -> None:
    add_records(disk, RecordFile(disk.folder / "games.jsonl"))


def write_archive(disk: Disk) -> None:
    opened: list[Archive] = []
    with_errors_told(lambda: opened.append(Archive.open(disk.folder / "games.db")))
    if opened:
        add_records(disk, opened[0])


def finished(store: Any) -> set[int]:
    store.check_writable()
    found = {each.number for each in store.records() if each.outcome is not None}
    store.close()
    return found


def found_record_file(folder: Path) -> set[int]:
    return finished(RecordFile(folder / "games.jsonl"))


def found_archive(folder: Path) -> set[int]:
    return finished(Archive.open(folder / "games.db"))


def write_notes(disk: Disk) -> None:
    opened: list[Archive] = []
    with_errors_told(lambda: opened.append(Archive.open(disk.folder / "games.db")))
    for archive in opened:
        record = made_records()[0]
        with_errors_told(functools.partial(archive.add, [record]))
        for step in range(STEPS):
            note = functools.partial(with_note, note=Note(0, f"note {step}"))
            attempt(disk, step, functools.partial(archive.annotate, record.identity, note))
        archive.close()


def found_notes(folder: Path) -> set[int]:
    archive = Archive.open(folder / "games.db")
    found = archive.get(made_records()[0].identity)
    archive.close()
    notes = notes_of(found.annotations) if found else ()
    return {int(note.text.removeprefix("note ")) for note in notes}


PLAN = MatchPlan("skirmish:max_turns=2", ("random", "random"), games=100, seed=0)


def open_games(folder: Path) -> Journal:
    return Journal(folder / "run.jsonl", [PLAN], "a run")


def write_journal(disk: Disk) -> None:
    opened: list[Journal] = []
    with_errors_told(lambda: opened.append(open_games(disk.folder)))
    for journal in opened:
        for step in range(STEPS):
            if step == 2:
                journal.synced = -1e9  # long ago: it is time to wait for the disk
            shape = (2, 2)
            chunk = Chunk(2 * step, np.full(shape, step), np.zeros((2, 0)), np.zeros((*shape, 0)))
            attempt(disk, step, functools.partial(journal.add, 0, chunk))
        journal.close()


def found_journal(folder: Path) -> set[int]:
    journal = open_games(folder)
    found = set()
    for plan, chunk in journal.known():
        assert plan == 0
        step = chunk.first // 2
        assert (chunk.scores == step).all()
        found.add(step)
    journal.close()
    return found


@dataclasses.dataclass(frozen=True)
class Scenario:
    """Something that is kept."""

    run: Callable[[Disk], None]
    found: Callable[[Path], Any]
    waits: bool = True  # for the disk at every step: a power cut loses nothing acknowledged
    log: str = ""  # how the file ends that is waited for now and then, otherwise


SCENARIOS = {
    "results": Scenario(write_results, found_results),
    "checkpoints": Scenario(write_checkpoints, found_checkpoints),
    "record file": Scenario(write_record_file, found_record_file),
    "archive": Scenario(write_archive, found_archive),
    "notes": Scenario(write_notes, found_notes),
    "journal": Scenario(write_journal, found_journal, waits=False, log="run.jsonl"),
}
