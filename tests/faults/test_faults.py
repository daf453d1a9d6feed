"""A fault at every write: what was acknowledged is there, what was refused is not.

``SANDTABLE_FAULTS=all`` (``make faults``) tries every operation of every scenario; without it some
are chosen, other ones for every kind of fault.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.disk import Disk, watched_calls, watched_sqlite
from faults.power_cuts import after_power_cut
from faults.rooms import ROOMS
from faults.scenarios import SCENARIOS, Scenario
from sandtable.errors import SandtableError

EVERYTHING = SCENARIOS | ROOMS
WAYS = ("all", "what was waited for", "any of the rest")  # what is found after a power cut
FEW = 6  # operations of a scenario that are tried, in small
FAULTS = {
    "an input or output error": (errno.EIO, False),
    "a disk that fails from then on": (errno.EIO, True),
    "a moment without room": (errno.ENOSPC, False),
    "a disk that stays full": (errno.ENOSPC, True),
}


@pytest.fixture(scope="module")
def sqlite():
    return watched_sqlite()


def observed(scenario: Scenario, disk: Disk, sqlite) -> None:
    disk.folder.mkdir()
    with watched_calls(disk), sqlite.watching(disk):
        scenario.run(disk)


def chosen(count: int, name: str, musts: list[int] | None = None) -> list[int]:
    """Return the operations to try: all, or some that are the same every time."""
    if os.environ.get("SANDTABLE_FAULTS") == "all" or count <= FEW:
        return list(range(count))
    found = set(musts or [])
    others = [number for number in range(count) if number not in found]
    return sorted(found | set(random.Random(name).sample(others, max(FEW - len(found), 0))))


def writes_of_steps(disk: Disk, fault: str) -> list[int]:
    """Return one write of each of the steps that are this fault's: together they try every step."""
    found, first, turn = [], 0, list(FAULTS).index(fault)
    for number, (following, step) in enumerate(disk.acknowledged):
        span = disk.operations[first:following]
        written = [each.path for each in span if each.kind == "write"]
        if number % len(FAULTS) == turn and written:  # in the file that was written last
            places = [
                place
                for place, each in enumerate(span, start=first)
                if each.kind == "write" and each.path == written[-1]
            ]
            found.append(random.Random(f"{step}").choice(places))
        first = following
    return found


@pytest.mark.filterwarnings("ignore:.*ended in half a line")  # the next writer says so
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", EVERYTHING)
def test_a_write_that_fails(name, fault, sqlite, tmp_path):
    scenario = EVERYTHING[name]
    error, lasting = FAULTS[fault]
    whole = Disk(tmp_path / "whole")
    observed(scenario, whole, sqlite)
    everything = {step for _, step in whole.acknowledged}
    assert scenario.found(whole.folder) == everything
    musts = writes_of_steps(whole, fault)
    for number in chosen(whole.attempts, f"{name} {fault}", musts):
        disk = Disk(tmp_path / f"fault-{number}", number, error, lasting)
        observed(scenario, disk, sqlite)
        found = scenario.found(disk.folder)
        acknowledged = {step for _, step in disk.acknowledged}
        where = f"operation {number}, {disk.failed}, {found}"
        assert acknowledged <= found, where
        others = everything_before(acknowledged, name) | in_doubt(disk, whole, acknowledged)
        assert found <= acknowledged | others, where


def in_doubt(disk: Disk, whole: Disk, acknowledged: set) -> set:
    """Return the step that was refused when it was written and could not be waited for.

    A file has its new name then, which cannot be taken back for sure; what was added to one is
    taken back, unless that fails too.
    """
    failed = disk.failed
    if failed is None or failed.kind != "sync":
        return set()
    if failed.path != str(disk.folder) and not disk.lasting:
        return set()
    return set([step for _, step in whole.acknowledged if step not in acknowledged][:1])


def everything_before(acknowledged: set, name: str) -> set:
    """Return what else may be there: versions of a file that a later one has replaced."""
    if name in ("results", "checkpoints") and acknowledged:
        return set(range(max(acknowledged)))
    return set()


def power_cuts(scenario: Scenario, name: str, disk: Disk, cut: Path) -> None:
    """Cut the power after many operations, and look at what is found in each of the ways."""
    last = len(disk.operations)
    for way in WAYS:
        for count in [*chosen(last, f"{name} {way}"), last]:
            dice = random.Random(f"{name} {count}")
            keeps = {"all": True, "what was waited for": False}.get(way)
            kept = (lambda keeps=keeps: keeps) if keeps is not None else chance_of(dice)
            after_power_cut(disk, count, cut, kept)
            found = scenario.found(cut)  # whatever is there can be opened
            told = {step for number, step in disk.acknowledged if number <= count}
            waited = count if scenario.waits or keeps else last_wait(disk, count, scenario.log)
            must = {step for number, step in disk.acknowledged if number <= waited}
            where = f"{way}, after {count} of {last} operations"
            assert must <= found, where
            assert found <= told | upcoming(disk, count), where


def chance_of(dice: random.Random) -> Callable[[], bool]:
    return lambda: dice.random() < 0.5


def last_wait(disk: Disk, count: int, log: str) -> int:
    """Return up to where a program that does not wait for every step has waited for its log."""
    waits = [
        number
        for number, each in enumerate(disk.operations[:count])
        if each.kind == "sync" and each.path.endswith(log)
    ]
    return waits[-1] if waits else 0


@pytest.mark.filterwarnings("ignore:.*ended in half a line")
@pytest.mark.parametrize("name", EVERYTHING)
def test_a_power_cut(name, sqlite, tmp_path):
    disk = Disk(tmp_path / "whole")
    observed(EVERYTHING[name], disk, sqlite)
    assert disk.acknowledged
    power_cuts(EVERYTHING[name], name, disk, tmp_path / "cut")


@pytest.mark.filterwarnings("ignore:.*ended in half a line")
@pytest.mark.parametrize("forgets", ["folders", "files"])
@pytest.mark.parametrize("name", ["results", "checkpoints", "record file", "journal"])
def test_these_tests_see_it_if_nobody_waits_for_the_disk(
    name, forgets, sqlite, tmp_path, monkeypatch
):
    monkeypatch.setenv("SANDTABLE_FAULTS", "all")
    disk = Disk(tmp_path / "whole", forgets=forgets)
    observed(EVERYTHING[name], disk, sqlite)
    if name == "journal" and forgets == "files":  # which counts what it has waited for
        assert last_wait(disk, len(disk.operations), EVERYTHING[name].log) == 0
        return
    with pytest.raises((AssertionError, ValueError, SandtableError)):
        power_cuts(EVERYTHING[name], name, disk, tmp_path / "cut")


def upcoming(disk: Disk, count: int) -> set:
    """Return the step that was on its way, which may be there or not."""
    following = [step for number, step in disk.acknowledged if number > count]
    return set(following[:1])
