"""A malicious program: it tries to read, to write, to call home, to stay, to see what is hidden."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandtable.agents.external.agent import view_fields
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame
from sandtable.league.sandbox import programs
from sandtable.league.sandbox.programs import (
    SandboxedProgram,
    SandboxLimits,
    launch_words,
    sandbox_problem,
)
from sandtable.registry import make_game

needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=sandbox_problem() or "there")

PROBE = """#!/usr/bin/env python3
import ctypes, json, os, socket, sys

def tried(what):
    try:
        return repr(what())
    except BaseException as problem:
        return type(problem).__name__

secret, port, parent = sys.argv[1:4] if len(sys.argv) > 3 else sys.stdin.readline().split()
calls = ctypes.CDLL(None)
print(json.dumps({
    "secret": tried(lambda: open(secret).read()),
    "folder": tried(lambda: os.listdir(os.path.dirname(secret))),
    "shadow": tried(lambda: open("/etc/shadow").read()),
    "environment": sorted(os.environ),
    "of_parent": tried(lambda: open(f"/proc/{parent}/environ").read()),
    "of_first": tried(lambda: open("/proc/1/environ").read()),
    "memory": tried(lambda: open("/proc/1/mem", "rb").read(1)),
    "processes": tried(lambda: len([each for each in os.listdir("/proc") if each.isdigit()])),
    "call": tried(lambda: socket.create_connection(("127.0.0.1", int(port)), 2)),
    "datagram": tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
    "raw": tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
    "write": tried(lambda: open("/usr/mine", "w")),
    "rewrite": tried(lambda: open("/bot/program", "a")),
    "root": tried(lambda: open("/mine", "w")),
    "work": os.listdir("."),
    "kept": tried(lambda: open("mine", "w").write("x")),
    "fill": tried(lambda: open("large", "wb").write(bytes(100_000_000))),
    "eat": tried(lambda: len(bytearray(3 << 30))),
    "user": tried(lambda: calls.unshare(0x10000000)),
    "mount": tried(lambda: calls.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
    "trace": tried(lambda: calls.ptrace(16, 1, 0, 0)),
    "kill": tried(lambda: os.kill(int(parent), 9)),
    "rights": tried(lambda: [line.split()[1] for line in open("/proc/self/status")
                             if line.startswith(("CapEff", "CapPrm", "NoNewPrivs"))]),
    "root_user": os.getuid() == 0,
    "files": tried(lambda: len(os.listdir("/proc/self/fd"))),
}), flush=True)
"""


def written(folder: Path, text: str, name: str = "bot") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    """What the probe could do, beside a secret of another bot and an open port."""
    folder = tmp_path_factory.mktemp("probe")
    secret = folder / "another-bot"
    secret.write_text("weights")
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = f"{secret} {server.getsockname()[1]} {os.getpid()}\n"
        done = subprocess.run(
            launch_words(written(folder, PROBE), SandboxLimits(memory=256, files=16)),
            input=line, capture_output=True, text=True, timeout=120, check=False,
            env={"SECRET": "of the worker"},
        )  # fmt: skip
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()  # nobody came
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_sandbox
def test_a_program_reads_nothing_of_others(probed):
    assert probed["secret"] == probed["folder"] == probed["shadow"] == "FileNotFoundError"
    assert probed["of_parent"] == "FileNotFoundError"
    assert probed["of_first"] == probed["memory"] == "PermissionError"
    assert "SECRET" not in probed["environment"]
    assert probed["processes"] == "2"  # its own, and the one that started it inside
    assert probed["files"] in ("3", "4", "5")


@needs_sandbox
def test_a_program_reaches_nobody(probed):
    assert probed["call"] == probed["datagram"] == probed["raw"] == "OSError"
    assert probed["kill"] == "ProcessLookupError"


@needs_sandbox
def test_a_program_writes_nowhere_but_in_its_empty_folder(probed):
    assert probed["write"] == probed["root"] == "OSError"  # a file system that cannot be written
    assert probed["rewrite"] in ("OSError", "PermissionError")
    assert probed["work"] == []
    assert probed["kept"] == "1"


@needs_sandbox
def test_a_program_has_limits_and_no_rights(probed):
    assert probed["fill"] == "OSError"
    assert probed["eat"] == "MemoryError"
    assert probed["user"] == probed["mount"] == probed["trace"] == "-1"
    assert probed["rights"] == repr(["0000000000000000", "0000000000000000", "1"])
    assert probed["root_user"] is False


@needs_sandbox
def test_what_a_program_started_ends_with_it(tmp_path):
    text = """#!/usr/bin/env python3
import os, sys, time
if os.fork() == 0:
    os.setsid()
    time.sleep(600)
print('{"ready": true}', flush=True)
sys.stdin.readline()
time.sleep(600)
"""
    bot = SandboxedProgram(written(tmp_path, text), seconds=0.5)
    game = make_game("skirmish")
    bot.begin(game, 0, Dice(1))
    with pytest.raises(Forfeit, match="no answer within"):
        bot.choose(game.start(Dice(1)).view(0), Dice(1))
    assert bot.running is not None
    assert bot.running.process.poll() is not None
    folder = programs.empty_folder()
    running = [read(each) for each in Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(folder in text and "confine.py" in text for text in running)


def read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@needs_sandbox
def test_a_program_cannot_say_that_there_is_no_sandbox(tmp_path):
    program = written(tmp_path, "#!/bin/sh\nexit 97\n")
    bot = SandboxedProgram(program)
    with pytest.raises(Forfeit, match="exit code 98"):
        bot.begin(make_game("skirmish"), 0, Dice(1))
    assert not bot.lost
    words = launch_words(program, SandboxLimits())
    for broken, code in (({}, 98), ({"open_files": "many"}, programs.NO_SANDBOX)):
        facts = json.dumps(json.loads(words[-1]) | broken)  # limits are set just before it begins
        done = subprocess.run([*words[:-1], facts], capture_output=True, timeout=120, check=False)
        assert done.returncode == code


@needs_sandbox
def test_a_program_remembers_nothing_of_the_game_before(tmp_path):
    text = """#!/usr/bin/env python3
import json, os, sys
seen = 0
for line in sys.stdin:
    kind = json.loads(line)["type"]
    if kind == "begin":
        seen += 1
        old = os.path.exists("/tmp/mine") or os.path.exists("mine")
        open("/tmp/mine", "w").close()
        open("mine", "w").close()
        print(json.dumps({"ready": seen == 1 and not old}), flush=True)
    if kind == "quit":
        break
"""
    bot = SandboxedProgram(written(tmp_path, text))
    for number in range(2):
        bot.begin(make_game("skirmish"), 0, Dice(number))  # a Forfeit if it remembers
        bot.finish(None)
    bot.close()


@needs_sandbox
def test_many_processes_are_refused(tmp_path):
    text = """#!/usr/bin/env python3
import os, time
born = 0
try:
    while born < 500:
        if os.fork() == 0:
            time.sleep(600)
        born += 1
except OSError:
    pass
print(born, flush=True)
"""
    words = launch_words(written(tmp_path, text), SandboxLimits(processes=16))
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env={})
    assert int(done.stdout) < 17


HOARDERS = {
    "several processes": """
for _ in range(8):
    if os.fork() == 0:
        kept = bytearray(100 << 20)
        kept[::4096] = bytes(len(kept[::4096]))
        time.sleep(600)
time.sleep(600)
""",
    "memory that they share": """
kept = []
for _ in range(8):
    if os.fork() == 0:
        kept = mmap.mmap(-1, 100 << 20)
        kept.write(bytes(100 << 20))
        time.sleep(600)
time.sleep(600)
""",
    "memory of System V": """
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
for _ in range(8):
    part = libc.shmget(0, 64 << 20, 0o1600)
    if part < 0:
        sys.exit("refused")
    place = ctypes.c_void_p(libc.shmat(part, None, 0))
    ctypes.memset(place, 1, 64 << 20)
    libc.shmdt(place)
""",
    "files without a place": """
kept = []
for number in range(8):
    try:
        kept.append(os.memfd_create(str(number)))
    except PermissionError:
        sys.exit("refused")
    os.write(kept[-1], bytes(48 << 20))
""",
}


@needs_sandbox
@pytest.mark.parametrize("way", HOARDERS)
def test_all_processes_together_have_no_more_memory_than_one_may(tmp_path, way):
    text = "#!/usr/bin/env python3\nimport ctypes, mmap, os, sys, time\n" + HOARDERS[way]
    words = launch_words(written(tmp_path, text), SandboxLimits(memory=256))
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    said = done.stderr.splitlines()[-1]
    assert (done.returncode, said) in (
        (99, "its processes took more than 256 MiB of memory together"),
        (1, "refused"),
    )


@needs_sandbox
def test_processes_that_share_what_they_have_are_left_alone(tmp_path):
    text = """#!/usr/bin/env python3
import os, time
kept = bytearray(os.urandom(1 << 20)) * 100
for _ in range(8):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(sum(kept[::4096]) < 0)
for _ in range(8):
    os.wait()
print("done", flush=True)
"""
    words = launch_words(written(tmp_path, text), SandboxLimits(memory=256))
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n")


@needs_sandbox
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("while True: print('x' * 65536, end='')", "its answer is longer than"),
        ("while True: print('x' * 65536, end='', file=sys.stderr)", "no answer within"),
    ],
)
def test_a_program_that_never_stops_talking_forfeits(tmp_path, answer, said):
    text = f"""#!/usr/bin/env python3
import sys
sys.stdin.readline()
print('{{"ready": true}}', flush=True)
sys.stdin.readline()
{answer}
"""
    bot = SandboxedProgram(written(tmp_path, text), seconds=2.0)
    game = make_game("skirmish")
    bot.begin(game, 0, Dice(1))
    with pytest.raises(Forfeit, match=said):
        bot.choose(game.start(Dice(1)).view(0), Dice(1))


@pytest.mark.parametrize("name", ["stratego", "gravwell", "lucid"])
def test_a_message_holds_no_hidden_byte(name):
    """Two positions that differ only in what a seat may not know give it the same bytes."""
    game = make_game(name)
    assert game.hidden or name == "lucid"
    for number in range(5):
        state = game.start(Dice(number))
        seat = state.turn
        view = state.view(seat)
        other = view.guess(Dice(99)) if game.hidden else state
        told = [
            json.dumps({**view_fields(each.view(seat)), "legal": list(each.view(seat).legal_names)})
            for each in (state, other)
        ]
        assert told[0] == told[1]


def test_without_a_sandbox_nothing_is_started(monkeypatch, tmp_path):
    monkeypatch.setattr(programs, "sandbox_problem", lambda: "there is none")
    with pytest.raises(SandtableError, match="not started here"):
        programs.check_sandbox()
    assert programs.sandbox_lines()[0] == "no sandbox: there is none"
    # a launcher that finds none ends the deal, and is nobody's forfeit
    launcher = written(tmp_path, "import sys\nprint('no sandbox', file=sys.stderr)\nsys.exit(97)\n")
    words = [sys.executable, str(launcher)]
    monkeypatch.setattr(programs, "launch_words", lambda *about: words)
    bot = SandboxedProgram(launcher)
    with pytest.raises(StopGame):
        bot.begin(make_game("skirmish"), 0, Dice(1))
    assert bot.lost
