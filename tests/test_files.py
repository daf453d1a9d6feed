"""The one way in which files are written: links, FIFOs, devices, and what cannot be written."""

from __future__ import annotations

import ast
import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import sandtable
from sandtable.errors import SandtableError
from sandtable.files import check_writable, write_whole, written_whole
from sandtable.records.store import open_store


def test_a_link_stays_a_link_and_its_file_keeps_its_mode(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to("elsewhere/real.json")
    check_writable(link)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "elsewhere" / "not-yet")
    write_whole(dangling, b"made")
    assert dangling.is_symlink()
    assert (tmp_path / "elsewhere" / "not-yet").read_text() == "made"
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "dangling",
        "elsewhere",
        "link.json",
    ]


@pytest.mark.parametrize("guessed", [False, True])
def test_a_link_that_somebody_put_in_our_way_is_not_followed(tmp_path, monkeypatch, guessed):
    victim, target = tmp_path / "victim", tmp_path / "result.json"
    victim.write_text("theirs")
    (tmp_path / f".result.json.{os.getpid()}").symlink_to(victim)
    if guessed:
        monkeypatch.setattr("secrets.token_hex", lambda count: "0" * count)
        (tmp_path / ".result.json.00000000").symlink_to(victim)
        with pytest.raises(SandtableError, match=r"cannot write .*File exists"):
            write_whole(target, b"ours")
    else:
        write_whole(target, b"ours")
        assert target.read_text() == "ours"
        assert not target.is_symlink()
    assert victim.read_text() == "theirs"


@pytest.mark.parametrize("by_library", [False, True])
def test_a_fifo_is_written_through(tmp_path, by_library):
    fifo, got = tmp_path / "fifo", []
    os.mkfifo(fifo)
    check_writable(fifo)
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    if by_library:
        with written_whole(fifo) as new:
            new.write_bytes(b"x" * 100_000)
    else:
        write_whole(fifo, b"x" * 100_000)
    reader.join(20)
    assert got == [b"x" * 100_000]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_devices_are_written_through():
    device = Path("/dev/null")
    before = device.stat()
    write_whole(device, b"gone")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.stat().st_rdev == before.st_rdev


def test_what_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    for path, reason in (
        (tmp_path, "Is a directory"),
        (tmp_path / "file" / "below", "Not a directory"),
        (tmp_path / "missing" / "below", "there is no folder"),
        (tmp_path / ("n" * 300), "File name too long"),
        (Path("/dev/full"), "No space left on device"),
        (Path("/proc/file"), "No such file or directory"),  # the folder is there and takes none
    ):
        with pytest.raises(SandtableError, match=reason) as caught:
            write_whole(path, b"something")
        assert "\n" not in str(caught.value)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(SandtableError, match=r"cannot write .*loop: "):
        write_whole(loop, b"")


@pytest.mark.skipif(os.getuid() == 0, reason="the superuser may write everything")
def test_a_file_that_may_not_be_written_stays(tmp_path):
    path = tmp_path / "kept"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(SandtableError, match="Permission denied"):
        write_whole(path, b"new")
    assert path.read_text() == "old"


@pytest.mark.parametrize("redirected", [False, True])
def test_standard_output_is_written_after_what_was_printed(tmp_path, redirected):
    code = (
        "from pathlib import Path; from sandtable.files import check_writable, write_whole; "
        "check_writable(Path('/dev/stdout')); print('before'); "
        "write_whole(Path('/dev/stdout'), b'{}\\n'); print('after')"
    )
    command = [sys.executable, "-c", code]
    if redirected:
        with (tmp_path / "out").open("wb") as out:
            subprocess.run(command, stdout=out, check=True)
        got = (tmp_path / "out").read_text()
    else:
        got = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    assert got == "before\n{}\nafter\n"


# --- every file that the program writes ----------------------------------------------------------

# Where something else than ``sandtable.files`` may open a file to write it, and why.
OTHER_WRITERS = {
    "files.py": "it is the one way",
    "agents/models/kept_answers.py": "lines at the end of a file, locked",
    "agents/models/slots.py": "empty files that are locked",
    "arena/play/journal.py": "lines at the end of a file of our own, locked",
    "arena/play/kept_games.py": "lines at the end of a file",
    "games/lucid/studies/semantic_trainings.py": "into a temporary folder",
    "games/stratego/setup_trials.py": "lines at the end of the games of a trial",
    "league/sandbox/confine.py": "inside a sandbox that nobody else sees",
    "league/sandbox/programs.py": "into a temporary folder",
    "learning/logs.py": "lines at the end of the log of a run",
    "learning/state.py": "an empty file that is locked",
    "pages/compiler.py": "into a temporary folder, for the process that asked",
    "records/files.py": "lines at the end of a file of records, locked",
    "records/parquet.py": "a library writes what written_whole gives it",
    "server/storage.py": "an empty file that is locked",
}
WRITING_CALLS = {
    "write_text", "write_bytes", "save", "savez", "savez_compressed", "savetxt", "tofile",
    "to_parquet", "write_table", "savefig", "copyfile", "copy2", "rename", "symlink_to",
}  # fmt: skip
MAY_WRITE = re.compile(rf"open\(|\.({'|'.join(sorted(WRITING_CALLS))})\(")
NOT_FILES = {"learning/checkpoints.py", "server/priority.py", "server/routes/classes.py"}


def opens_to_write(call: ast.Call) -> bool:
    """Say whether a call writes a file by itself."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    plain = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in WRITING_CALLS:
        owner = call.func.value
        module = owner.id if isinstance(owner, ast.Name) else ""
        return name not in ("save", "rename") or module in ("np", "torch", "onnx", "os", "shutil")
    if "open" not in (name, plain):
        return False
    modes = [each.value for each in [*call.args, *(word.value for word in call.keywords)]
             if isinstance(each, ast.Constant) and isinstance(each.value, str)]  # fmt: skip
    return any(set(mode) & set("wax+") and set(mode) <= set("rwaxbt+") for mode in modes)


def test_whatever_is_written_passes_through_one_place():
    home = Path(sandtable.__file__).parent
    found = set()
    for path in home.rglob("*.py"):
        if "templates" in path.parts:
            continue
        text = path.read_text("utf-8")
        if not MAY_WRITE.search(text):
            continue
        calls = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call))
        if any(map(opens_to_write, calls)):
            found.add(path.relative_to(home).as_posix())
    assert found - NOT_FILES <= set(OTHER_WRITERS), "use sandtable.files: links, FIFOs, full disks"


@pytest.mark.parametrize("stopped", [False, True])
def test_puzzles_go_through_a_fifo_once_and_whole(tmp_path, monkeypatch, stopped):
    from typer.testing import CliRunner

    from sandtable.cli import puzzles
    from sandtable.puzzles import mining
    from sandtable.puzzles.puzzle import bundled_puzzles

    known = bundled_puzzles("skirmish")[:3]

    class Miner:
        def __init__(self, *more) -> None:
            self.stopped, self.close = threading.Event(), lambda: None

        def puzzles(self, first, jobs):
            yield from known
            raise KeyboardInterrupt

    monkeypatch.setattr(mining, "Miner", Miner)
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()), daemon=True)
    reader.start()
    words = ["mine", "skirmish", "--out", str(fifo), "-n", "5" if stopped else "3"]
    assert CliRunner().invoke(puzzles.command, words).exit_code == (130 if stopped else 0)
    reader.join(20)
    assert read and read[0].count(b"\n") == 3
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_games_are_not_kept_in_what_keeps_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    for place in (tmp_path / "pipe.jsonl", Path("/dev/null")):
        with pytest.raises(SandtableError) as refused:
            open_store(str(place)).check_writable()
        assert "\n" not in str(refused.value)
    assert stat.S_ISFIFO((tmp_path / "pipe.jsonl").stat().st_mode)
