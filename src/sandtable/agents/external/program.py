"""A running program that is talked to line by line, each answer with a deadline.

One loop moves bytes in all three directions, so nothing the program does (not reading, flooding
its standard error, writing half a line) can block the caller longer than the deadline.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress

from sandtable.agents.external.descendants import (
    adopt_orphans,
    born,
    descendants,
    end_all,
    end_marked,
    marked_environment,
    new_mark,
)
from sandtable.errors import Forfeit

__all__ = ["Program", "shortened"]

LONGEST_LINE = 1_000_000  # bytes of one answer
CHUNK = 65_536
COMPLAINTS_KEPT = 4_096  # bytes of its standard error, to quote the last line of
SECONDS_FOR_LAST_WORDS = 0.5
SECONDS_BETWEEN_LOOKS = 0.02


def shortened(text: str, longest: int = 120) -> str:
    """Return text of unknown origin as one short printable line."""
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * longest])
    line = " ".join(line.split())
    return line if len(line) <= longest else line[: longest - 3] + "..."


class Program:
    """A child process in a session of its own, so that all it starts can be killed with it.

    Whoever leaves that session for another stays below it, or has a mark in its environment.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._mark = new_mark()
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=marked_environment(self._mark),
            start_new_session=True,
            preexec_fn=adopt_orphans,  # noqa: PLW1509 - one call of the system, no lock is taken
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._stdin, self._stdout, self._stderr = (
            self.process.stdin,
            self.process.stdout,
            self.process.stderr,
        )
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._owner = os.getpid()
        self._outgoing = bytearray()
        self._incoming = bytearray()
        self._complaints = bytearray()
        self._output_ended = False
        self._stopped = False
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ, self._read_output)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._read_complaints)

    @property
    def usable(self) -> bool:
        """Whether it still runs, as a child of this very process and not of one forked off."""
        if self._stopped or self._owner != os.getpid():
            return False
        return self.process.poll() is None and not self._output_ended

    def send(self, line: bytes) -> None:
        """Send a line that needs no answer; what does not fit now goes out with the next."""
        self._send(line)
        self._exchange(0)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the line it answers with; Forfeit says what went wrong."""
        deadline = time.monotonic() + seconds
        self._exchange(0)
        if self._incoming:
            said = shortened(self._incoming.decode(errors="replace"))
            raise Forfeit(f"it wrote a line nobody had asked for: {said}")
        self._send(line)
        while b"\n" not in self._incoming:
            if len(self._incoming) > LONGEST_LINE:
                raise Forfeit(f"its answer is longer than {LONGEST_LINE} bytes")
            if self._output_ended:
                raise Forfeit(self._last_words())
            left = deadline - time.monotonic()
            if left <= 0:
                raise Forfeit(f"no answer within {seconds:g} s")
            self._exchange(left)
        answer, _, rest = bytes(self._incoming).partition(b"\n")
        self._incoming = bytearray(rest)
        return answer

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
            with suppress(OSError):  # nobody of the group is left
                os.killpg(self.process.pid, signal.SIGKILL)
            end_marked(self._mark)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(5.0)
        else:
            self.process.returncode = 0  # it is the parent's to wait for, not this fork's
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            pipe.close()

    def _dismiss(self, farewell: bytes, deadline: float) -> None:
        """Say farewell, close its input and wait for it to end by itself, until the deadline."""
        if farewell and not self._stdin.closed:
            self._send(farewell)
        while self.process.poll() is None and time.monotonic() < deadline:
            if not self._outgoing:
                self._close_input()
            self._exchange(SECONDS_BETWEEN_LOOKS)

    def _send(self, line: bytes) -> None:
        if self._stdin.closed:
            return
        if not self._outgoing:
            self._selector.register(self._stdin, selectors.EVENT_WRITE, self._write)
        self._outgoing += line + b"\n"

    def _exchange(self, timeout: float) -> int:
        """Wait for a chance to write or read and use it; return how many there were."""
        ready = self._selector.select(timeout)
        for key, _ in ready:
            key.data()
        return len(ready)

    def _write(self) -> None:
        try:
            written = os.write(self._stdin.fileno(), self._outgoing[:CHUNK])
        except BlockingIOError:
            return
        except OSError:  # it no longer reads; its output will say whether it has ended
            self._close_input()
            return
        del self._outgoing[:written]
        if not self._outgoing:
            self._selector.unregister(self._stdin)

    def _close_input(self) -> None:
        if self._stdin.closed:
            return
        if self._outgoing:
            self._selector.unregister(self._stdin)
            self._outgoing.clear()
        self._stdin.close()

    def _read_output(self) -> None:
        with suppress(BlockingIOError):
            chunk = os.read(self._stdout.fileno(), CHUNK)
            self._incoming += chunk
            if not chunk:
                self._output_ended = True
                self._selector.unregister(self._stdout)

    def _read_complaints(self) -> None:
        with suppress(BlockingIOError):
            chunk = os.read(self._stderr.fileno(), CHUNK)
            self._complaints += chunk
            del self._complaints[:-COMPLAINTS_KEPT]
            if not chunk:
                self._selector.unregister(self._stderr)

    def _last_words(self) -> str:
        """Say how it ended, with the last line of its standard error."""
        deadline = time.monotonic() + SECONDS_FOR_LAST_WORDS
        while self.process.poll() is None and time.monotonic() < deadline:
            self._exchange(SECONDS_BETWEEN_LOOKS)
        while self._exchange(0) and time.monotonic() < deadline:
            pass  # what is left in the pipe
        code = self.process.poll()
        if code is None:
            how = "it closed its output"
        elif code < 0:
            how = f"it was ended by {signal_name(-code)}"
        else:
            how = f"it ended with exit code {code}"
        lines = self._complaints.decode(errors="replace").strip().splitlines()
        return f"{how}: {shortened(lines[-1])}" if lines else how


def signal_name(number: int) -> str:
    """Return ``SIGSEGV`` for 11; numbers without a name stay numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
