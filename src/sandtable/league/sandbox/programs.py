"""Bots that are programs of strangers: ``external`` agents that run in a sandbox.

What the sandbox is made of stands in ``confine.py``. It is there on Linux from 5.12 on where a user
may make namespaces (nearly everywhere); root may always. Where it cannot be had nothing is started.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.agents.external.agent import External
from sandtable.agents.external.program import Program, shortened
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame
from sandtable.types import Game

__all__ = ["NO_SANDBOX", "ForgetfulProgram", "SandboxLimits", "SandboxedProgram", "check_sandbox",
           "launch_words", "sandbox_lines", "sandbox_problem"]  # fmt: skip

LAUNCHER = Path(__file__).with_name("confine.py")
NO_SANDBOX = 97  # the launcher's exit code
MEBIBYTE = 2**20
SECONDS_TO_TRY = 20.0
INTERPRETER_FOLDERS = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class SandboxLimits:
    """What a program may take. Memory is for all its processes together, the rest for each of them.

    >>> SandboxLimits(memory=512).memory
    512
    """

    memory: int = 1024  # MiB, beside its files
    files: int = 64  # MiB in its working folder, and as much in /tmp; both are in memory
    processes: int = 32
    open_files: int = 64
    cpu_seconds: int = 3600  # of a process; each game starts a new one
    shown: tuple[str, ...] = ()  # more folders that it may read


def facts_of(
    program: Path,
    limits: SandboxLimits,
    arguments: tuple[str, ...] = (),
    interpreter: tuple[str, ...] = (),
) -> str:
    """Return what the launcher is told; with an ``interpreter`` that runs the program."""
    base = str(Path(sys.base_prefix).resolve())  # so that programs in Python find one
    shown = [] if base.startswith("/usr") else [base]
    facts: dict[str, Any] = {
        "program": str(program.resolve()),
        "arguments": list(arguments),
        "interpreter": list(interpreter),
        "empty_folder": empty_folder(),
        "shown": [*shown, *limits.shown],
        "path": f"{base}/bin:{INTERPRETER_FOLDERS}" if shown else INTERPRETER_FOLDERS,
        "memory_bytes": limits.memory * MEBIBYTE,
        "work_bytes": limits.files * MEBIBYTE,
        "processes": limits.processes,
        "open_files": limits.open_files,
        "cpu_seconds": limits.cpu_seconds,
    }
    return json.dumps(facts)


@functools.cache
def empty_folder() -> str:
    """Return a folder over which each sandbox puts its own files; nothing is ever written there."""
    folder = tempfile.TemporaryDirectory(prefix="sandtable-sandbox-")
    KEPT.append(folder)
    return folder.name


KEPT: list[tempfile.TemporaryDirectory[str]] = []  # removed when this process ends


def launch_words(
    program: Path,
    limits: SandboxLimits,
    arguments: tuple[str, ...] = (),
    interpreter: tuple[str, ...] = (),
) -> list[str]:
    """Return the command that starts a program in the sandbox."""
    facts = facts_of(program, limits, arguments, interpreter)
    return [sys.executable, "-I", "-S", "-B", str(LAUNCHER), facts]


class ForgetfulProgram(External):
    """A program that is started anew for each game.

    The games of a deal have the same dice: who remembered one would know in the next what the
    other seat holds and what comes.
    """

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """End what played before, start the program and tell it about the game."""
        self.close()
        super().begin(game, seat, dice)


class SandboxedProgram(ForgetfulProgram):
    """A program of a stranger, started in a sandbox; it talks as ``external`` programs do."""

    def __init__(
        self, program: Path, limits: SandboxLimits | None = None, seconds: float = 10.0
    ) -> None:
        super().__init__("program", seconds)
        self.program, self.limits = program, limits or SandboxLimits()
        self.running: Program | None = None
        self.lost = False  # there was no sandbox: that is not the program's fault

    def _launched(self) -> Program:
        self.running = Program(launch_words(self.program, self.limits))
        return self.running

    def _ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        try:
            return super()._ask(message, seconds)
        except Forfeit:
            if self.running is not None and self.running.process.poll() == NO_SANDBOX:
                self.lost = True
                raise StopGame from None
            raise


@functools.cache
def sandbox_problem() -> str:
    """Say why there is no sandbox on this machine; empty: there is one. It is tried out, once."""
    if not sys.platform.startswith("linux"):
        return "the sandbox is made of what Linux offers; this is another system"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        program.write_text('#!/bin/sh\nread line && echo "$line"\n', encoding="utf-8")
        program.chmod(0o700)
        try:
            done = subprocess.run(
                launch_words(program, SandboxLimits()), input=b"there\n", capture_output=True,
                timeout=SECONDS_TO_TRY, check=False, env={},
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as problem:
            return f"the sandbox cannot be started: {shortened(str(problem))}"
    if done.stdout == b"there\n" and done.returncode == 0:
        return ""
    said = shortened(done.stderr.decode(errors="replace"), 200)
    return said or f"the sandbox ended with exit code {done.returncode}"


def check_sandbox() -> None:
    """Raise an error where there is no sandbox."""
    problem = sandbox_problem()
    if problem:
        raise SandtableError(f"programs of strangers are not started here: {problem}")


def sandbox_lines(limits: SandboxLimits | None = None) -> list[str]:
    """Say what is enforced on this machine, line by line.

    >>> any("network" in line for line in sandbox_lines())
    True
    """
    problem = sandbox_problem()
    if problem:
        return [f"no sandbox: {problem}", "programs are not accepted here: no files, no network"]
    import platform

    most = limits or SandboxLimits()
    filtered = platform.machine() in ("x86_64", "aarch64")
    return [
        "files: the system's programs and this Python, to be read; an empty folder in memory of "
        f"{most.files} MiB",
        "network: none, not even this machine's own",
        "processes: sees and reaches only its own; all end with it",
        "rights: none, and none to be had (an ordinary user, no_new_privs)",
        f"of each process: {most.memory} MiB of addresses, {most.cpu_seconds} s of processor time, "
        f"{most.open_files} open files",
        f"of all its processes together: {most.memory} MiB of memory, looked at 20 times a second",
        f"processes at a time: {most.processes}",
        "system calls: a list of those that break out of sandboxes is refused"
        if filtered
        else "system calls: not filtered on this processor; the namespaces alone must do",
        "not bounded: processor time of several processes together, beyond the clock of answers",
    ]
