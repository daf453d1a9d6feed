"""What could be found after a power cut, from all that was done to the files of a folder.

What was waited for is there: the content of a file after a wait for it, its name after a wait for
its folder. Everything else may be there or not, page by page and name by name. A folder that was
just made counts as made for good.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from faults.disk import Disk, Operation

PAGE = 4096  # a disk takes a write in pieces, in any order


@dataclass(eq=False)
class File:
    """The content of a file, whatever its name is."""

    safe: bytearray = field(default_factory=bytearray)  # what was waited for
    since: list[Operation] = field(default_factory=list)  # what was done since

    def change(self, operation: Operation) -> None:
        """Note a write page by page, or a truncation."""
        if operation.kind != "write":
            self.since.append(operation)
            return
        data, place = operation.data, operation.offset
        while data:
            room = PAGE - place % PAGE
            self.since.append(Operation("write", operation.path, place, data[:room]))
            data, place = data[room:], place + room

    def content(self, kept: Callable[[], bool]) -> bytearray:
        """Return what is found: what was waited for, and of the rest what was kept."""
        found = bytearray(self.safe)
        for each in self.since:
            if not kept():
                continue
            if each.kind == "truncate":
                del found[each.offset :]
                continue
            found.extend(b"\0" * (each.offset - len(found)))
            found[each.offset : each.offset + len(each.data)] = each.data
        return found


class Folders:
    """The names of files: as the program sees them, and as they are on the disk."""

    def __init__(self) -> None:
        self.now: dict[str, File] = {}
        self.safe: dict[str, File] = {}
        self.since: list[dict[str, File | None]] = []  # changes that belong together

    def file(self, path: str) -> File:
        """Return a file, which is made if it is not there."""
        if path not in self.now:
            self.rename({path: File()})
        return self.now[path]

    def rename(self, change: dict[str, File | None]) -> None:
        """Give names to files, or take them away."""
        self.since.append(change)
        apply_names(self.now, change)

    def wait_for(self, folder: str) -> None:
        """From now on the names in a folder last."""
        here = [each for each in self.since if str(Path(next(iter(each))).parent) == folder]
        for change in here:
            apply_names(self.safe, change)
        self.since = [each for each in self.since if each not in here]

    def do(self, each: Operation) -> None:
        """Do what the program did."""
        if each.kind == "create" and each.path in self.now:
            self.file(each.path).change(Operation("truncate", each.path))
        elif each.kind == "create":
            self.file(each.path)
        elif each.kind in ("write", "truncate"):
            self.file(each.path).change(each)
        elif each.kind == "sync" and each.path in self.now:
            file = self.now[each.path]
            file.safe, file.since = file.content(lambda: True), []
        elif each.kind == "sync":
            for name in each.names:
                self.file(name)
            self.wait_for(each.path)
        elif each.kind == "rename":
            self.rename({each.path: None, each.other: self.file(each.path)})
        elif each.kind == "link":
            self.rename({each.other: self.file(each.path)})
        elif each.kind == "remove":
            self.rename({each.path: None})


def apply_names(names: dict[str, File], change: dict[str, File | None]) -> None:
    for path, file in change.items():
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file


def after_power_cut(disk: Disk, count: int, target: Path, kept: Callable[[], bool]) -> None:
    """Make the folder as it is found after the first ``count`` operations.

    What was waited for is there: the content of a file after a wait for it, its name after a wait
    for its folder. Of everything else, page by page and name by name, ``kept`` says whether it is.
    """
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    folders = Folders()
    for each in disk.operations[:count]:
        folders.do(each)
    found = dict(folders.safe)
    for change in folders.since:
        if kept():
            apply_names(found, change)
    contents = {file: bytes(file.content(kept)) for file in dict.fromkeys(found.values())}
    for path, file in found.items():
        place = target / Path(path).relative_to(disk.folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(contents[file])
