"""The core without what only POSIX has, and no use of that outside the one place for it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agents.programs import GOOD, write_program

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "sandtable"
ELSEWHERE = Path(__file__).with_name("elsewhere.py")
MODULES = {"fcntl", "grp", "msvcrt", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
CALLS = {
    "os": {
        "chown", "fchmod", "fchown", "fork", "forkpty", "geteuid", "getgid", "getloadavg",
        "getpgid", "getpriority", "getsid", "getuid", "killpg", "mkfifo", "nice", "O_BINARY",
        "O_CLOEXEC",
        "O_DIRECTORY", "O_NOFOLLOW", "sched_getaffinity", "set_blocking", "setpgid", "setsid",
        "uname",
    },
    "signal": {
        "SIGALRM", "SIGBREAK", "SIGHUP", "SIGKILL", "SIGSTOP", "SIGUSR1", "alarm", "setitimer",
    },
}  # fmt: skip
OPTIONS = {"preexec_fn", "start_new_session", "process_group", "creationflags", "close_fds"}
# Beside the package ``system``: what is only reached where the system has it, and why.
GUARDED = {
    "agents/external/descendants.py": {"SIGSTOP", "SIGKILL"},  # of processes found in /proc
    "agents/external/pipes.py": {"set_blocking"},  # of WatchedPipes, which only POSIX gets
    "arena/play/game_loop.py": {"SIGALRM", "setitimer"},  # after a look whether it is there
    "batch/signals.py": {"sched_getaffinity"},  # likewise
    "cli/doctor.py": {"sched_getaffinity"},  # likewise
    "files.py": {"fchmod", "fchown"},  # an AttributeError counts as an OSError
    "league/sandbox/confine.py": {  # started on Linux alone, as a process of its own
        "SIGKILL",
        "fork",
        "getgid",
        "geteuid",
        "getuid",
        "resource",
    },
    "server/listener.py": {"resource"},  # a ModuleNotFoundError is expected
    "server/priority.py": {"nice", "getsid"},  # an AttributeError is expected
}


def played_elsewhere(*words: str) -> str:
    """Run the script that hides what Windows has not, as Python and not as compiled code."""
    settings = os.environ | {"NUMBA_DISABLE_JIT": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, str(ELSEWHERE), *words],
        env=settings, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_module_can_be_imported_elsewhere():
    modules = sum(1 for path in SOURCE.rglob("*.py") if path.name != "__main__.py")
    assert int(played_elsewhere("import").split()[0]) > 0.8 * modules


def test_the_core_plays_replays_and_learns_elsewhere(tmp_path):
    told = played_elsewhere("play", str(tmp_path), write_program(tmp_path, GOOD))
    assert "2 of 2 games" in told
    assert "game 4 of 4" in told
    assert told.endswith("played\n")


def only_somewhere(path: Path) -> set[str]:
    """Return what a file uses that not every system has."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module)} & MODULES
            found |= {each.name for each in node.names} & CALLS.get(str(node.module), set())
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {node.attr} & CALLS.get(node.value.id, set())
        elif isinstance(node, ast.Call):
            found |= {str(each.arg) for each in node.keywords} & OPTIONS
    return found


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("import fcntl", {"fcntl"}),
        ("from os import fork", {"fork"}),
        ("os.killpg(1, signal.SIGKILL)", {"killpg", "SIGKILL"}),
        ("Popen(words, start_new_session=True)", {"start_new_session"}),
        ("os.path.join(signal.SIGINT)", set()),
    ],
)
def test_what_not_every_system_has_is_noticed(tmp_path, code, used):
    path = tmp_path / "module.py"
    path.write_text(code, encoding="utf-8")
    assert only_somewhere(path) == used


def test_what_not_every_system_has_is_used_in_one_place():
    found = {
        path.relative_to(SOURCE).as_posix(): used
        for path in SOURCE.rglob("*.py")
        if not path.is_relative_to(SOURCE / "system") and (used := only_somewhere(path))
    }
    assert found == GUARDED, "see sandtable.system"
