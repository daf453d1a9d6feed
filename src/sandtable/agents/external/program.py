"""A running program that is talked to line by line, each answer with a deadline.

Its pipes move bytes in all three directions, so nothing the program does (not reading, flooding
its standard error, writing half a line) can block the caller longer than the deadline.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from sandtable.agents.external.descendants import (
    adopt_orphans,
    born,
    descendants,
    end_all,
    end_marked,
    marked_environment,
    new_mark,
)
from sandtable.agents.external.pipes import LONGEST_LINE, ThreadedPipes, WatchedPipes, pipes_of
from sandtable.errors import Forfeit
from sandtable.system import POSIX
from sandtable.system.processes import Group, group_options

__all__ = ["Conversation", "Program", "shortened"]

SECONDS_FOR_LAST_WORDS = 2.0
SECONDS_BETWEEN_LOOKS = 0.02


def shortened(text: str, longest: int = 120) -> str:
    """Return text of unknown origin as one short printable line."""
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * longest])
    line = " ".join(line.split())
    return line if len(line) <= longest else line[: longest - 3] + "..."


class Conversation(Protocol):
    """Whoever answers lines: a program here, or one that is somewhere else."""

    @property
    def usable(self) -> bool:
        """Whether it can be asked."""
        ...

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer."""
        ...

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line it answers with; Forfeit says what went wrong."""
        ...

    def stop(self, farewell: bytes = b"", grace: float = 0.0) -> None:
        """End the conversation."""
        ...


def command_of(words: Sequence[str]) -> list[str]:
    """Return the words that start a program; Windows starts no script by its first line."""
    script = not POSIX and words[0].lower().endswith(".py")
    return [sys.executable, *words] if script else list(words)


class Program:
    """A child process at the head of a group, so that all it starts can be killed with it.

    Whoever leaves that group for another stays below it, or has a mark in its environment.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._mark = new_mark()
        self.process = subprocess.Popen(
            command_of(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=marked_environment(self._mark),
            **group_options(adopt_orphans),  # one call of the system, no lock is taken
        )
        self._group = Group(self.process.pid)
        self._pipes: WatchedPipes | ThreadedPipes = pipes_of(self.process)
        self._owner = os.getpid()
        self._stopped = False

    @property
    def usable(self) -> bool:
        """Whether it still runs, as a child of this very process and not of one forked off."""
        if self._stopped or self._owner != os.getpid():
            return False
        return self.process.poll() is None and not self._pipes.output_ended

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer; what does not fit now goes out with the next."""
        self._pipes.send(line + b"\n")
        self._pipes.wait(0)

    def ask(self, line: bytes, seconds: float, longest: int = LONGEST_LINE) -> bytes:
        """Send a line and return the line it answers with; Forfeit says what went wrong."""
        deadline = time.monotonic() + seconds
        pipes = self._pipes
        pipes.wait(0)
        if pipes.incoming:
            said = shortened(pipes.incoming.decode(errors="replace"))
            raise Forfeit(f"it wrote a line nobody had asked for: {said}")
        pipes.send(line + b"\n")
        while b"\n" not in pipes.incoming:
            if len(pipes.incoming) > longest:
                raise Forfeit(f"its answer is longer than {longest} bytes")
            if pipes.output_ended:
                raise Forfeit(self._last_words())
            left = deadline - time.monotonic()
            if left <= 0:
                raise Forfeit(f"no answer within {seconds:g} s")
            pipes.wait(left)
        return pipes.take_line()

    def stop(self, farewell: bytes = b"", grace: float = 0.0) -> None:
        """End it: with a farewell and time to obey, then with all it started, by force."""
        if self._stopped:
            return
        self._stopped = True
        if self._owner == os.getpid():
            below = descendants(self.process.pid)  # it may end before anybody looks again
            self._dismiss(farewell, time.monotonic() + grace)
            itself = born(self.process.pid)
            end_all([*below, itself] if itself else below)
            self._group.end()
            end_marked(self._mark)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5.0)
        else:
            self.process.returncode = 0  # it is the parent's to wait for, not this fork's
        self._pipes.close()

    def _dismiss(self, farewell: bytes, deadline: float) -> None:
        """Say farewell, close its input and wait for it to end by itself, until the deadline."""
        if farewell:
            self._pipes.send(farewell + b"\n")
        while self.process.poll() is None and time.monotonic() < deadline:
            if not self._pipes.outgoing:
                self._pipes.close_input()
            self._pipes.wait(SECONDS_BETWEEN_LOOKS)

    def _last_words(self) -> str:
        """Say how it ended, with the last line of its standard error."""
        deadline = time.monotonic() + SECONDS_FOR_LAST_WORDS
        while self.process.poll() is None and time.monotonic() < deadline:
            self._pipes.wait(SECONDS_BETWEEN_LOOKS)
        while not self._pipes.complaints_ended and time.monotonic() < deadline:
            self._pipes.wait(SECONDS_BETWEEN_LOOKS)  # what is left in the pipe
        code = self.process.poll()
        if code is None:
            how = "it closed its output"
        elif code < 0:
            how = f"it was ended by {signal_name(-code)}"
        else:
            how = f"it ended with exit code {code}"
        lines = self._pipes.complaints.decode(errors="replace").strip().splitlines()
        return f"{how}: {shortened(lines[-1])}" if lines else how


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11; numbers without a name stay numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
