"""The three pipes of a program, none of which can keep us waiting longer than we want.

Where the system can tell which pipes are ready, one loop serves all three (``WatchedPipes``). On
Windows it cannot, and each pipe has a thread (``ThreadedPipes``).
"""

from __future__ import annotations

import os
import selectors
import subprocess
import threading
from contextlib import suppress
from typing import IO

from sandtable.system import POSIX

__all__ = ["LONGEST_LINE", "ThreadedPipes", "WatchedPipes", "pipes_of"]

LONGEST_LINE = 1_000_000  # bytes of one answer
CHUNK = 65_536
COMPLAINTS_KEPT = 4_096  # bytes of its standard error, to quote the last line of


class Pipes:
    """What has come and what has still to go."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.stdin, self.stdout, self.stderr = process.stdin, process.stdout, process.stderr
        self.outgoing = bytearray()
        self.incoming = bytearray()
        self.complaints = bytearray()
        self.output_ended = False
        self.complaints_ended = False

    def take_line(self) -> bytes:
        """Return the first line that has come, without its end."""
        answer, _, rest = bytes(self.incoming).partition(b"\n")
        self.incoming = bytearray(rest)
        return answer


class WatchedPipes(Pipes):
    """Pipes that the system watches for us; bytes move only while we wait."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(process)
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.stdout, selectors.EVENT_READ, self.read_output)
        self.selector.register(self.stderr, selectors.EVENT_READ, self.read_complaints)

    def send(self, data: bytes) -> None:
        """Take what is to go out; it goes while we wait."""
        if self.stdin.closed:
            return
        if not self.outgoing:
            self.selector.register(self.stdin, selectors.EVENT_WRITE, self.write)
        self.outgoing += data

    def wait(self, seconds: float) -> int:
        """Wait for a chance to write or read and use it; return how many there were."""
        ready = self.selector.select(seconds)
        for key, _ in ready:
            key.data()
        return len(ready)

    def write(self) -> None:
        """Write what the pipe takes now."""
        try:
            written = os.write(self.stdin.fileno(), self.outgoing[:CHUNK])
        except BlockingIOError:
            return
        except OSError:  # it no longer reads; its output will say whether it has ended
            self.close_input()
            return
        del self.outgoing[:written]
        if not self.outgoing:
            self.selector.unregister(self.stdin)

    def close_input(self) -> None:
        """Let the program know that nothing more comes."""
        if self.stdin.closed:
            return
        if self.outgoing:
            self.selector.unregister(self.stdin)
            self.outgoing.clear()
        self.stdin.close()

    def read_output(self) -> None:
        """Read what there is of its standard output."""
        with suppress(BlockingIOError):
            chunk = os.read(self.stdout.fileno(), CHUNK)
            self.incoming += chunk
            if not chunk:
                self.output_ended = True
                self.selector.unregister(self.stdout)

    def read_complaints(self) -> None:
        """Read what there is of its standard error, and keep the end of it."""
        with suppress(BlockingIOError):
            chunk = os.read(self.stderr.fileno(), CHUNK)
            self.complaints += chunk
            del self.complaints[:-COMPLAINTS_KEPT]
            if not chunk:
                self.complaints_ended = True
                self.selector.unregister(self.stderr)

    def close(self) -> None:
        """Let go of all three."""
        self.selector.close()
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()


class ThreadedPipes(Pipes):
    """Pipes with a thread each, which closes its pipe when it has ended.

    A thread that hangs in a pipe, because somebody has inherited its other end, hurts nobody.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(process)
        self.changed = threading.Condition()
        self.changes = self.seen = 0
        self.closing = False
        for work in (self.write_all, self.read_output, self.read_complaints):
            threading.Thread(target=work, daemon=True).start()

    def send(self, data: bytes) -> None:
        """Take what is to go out."""
        with self.changed:
            if not self.closing:
                self.outgoing += data
                self.changed.notify_all()

    def wait(self, seconds: float) -> int:
        """Wait until something has been written or read; return how often since the last time."""
        with self.changed:
            self.changed.wait_for(lambda: self.changes != self.seen, seconds)
            fresh, self.seen = self.changes - self.seen, self.changes
            self.changed.notify_all()  # whoever reads may wait until we have seen it
            return fresh

    def take_line(self) -> bytes:
        """Return the first line that has come, without its end."""
        with self.changed:
            return super().take_line()

    def close_input(self) -> None:
        """Let the program know that nothing more comes."""
        with self.changed:
            self.closing = True
            self.changed.notify_all()

    def close(self) -> None:
        """Let go of all three; threads close what they still use."""
        with self.changed:
            self.closing = self.output_ended = True
            self.outgoing.clear()
            self.changed.notify_all()

    def note(self) -> None:
        """Tell whoever waits that something has changed; the lock is held."""
        self.changes += 1
        self.changed.notify_all()

    def write_all(self) -> None:
        """Write what is to go out, until nothing more comes."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.outgoing or self.closing)
                piece = bytes(self.outgoing[:CHUNK])
            written = 0
            with suppress(OSError, ValueError):  # it no longer reads
                written = os.write(self.stdin.fileno(), piece) if piece else 0
            with self.changed:
                del self.outgoing[:written]
                if not written:
                    self.closing = True
                    self.outgoing.clear()
                self.note()
            if not written:
                break
        with suppress(OSError):
            self.stdin.close()

    def read_output(self) -> None:
        """Read its standard output; no further than one answer can be long."""
        while chunk := read_some(self.stdout):
            with self.changed:
                self.incoming += chunk
                self.note()
                self.changed.wait_for(
                    lambda: len(self.incoming) <= LONGEST_LINE or self.output_ended
                )
        with self.changed:
            self.output_ended = True
            self.note()
        self.stdout.close()

    def read_complaints(self) -> None:
        """Read its standard error, and keep the end of it."""
        while chunk := read_some(self.stderr):
            with self.changed:
                self.complaints += chunk
                del self.complaints[:-COMPLAINTS_KEPT]
                self.note()
        with self.changed:
            self.complaints_ended = True
            self.note()
        self.stderr.close()


def read_some(pipe: IO[bytes]) -> bytes:
    """Wait for the next bytes of a pipe; none: it has ended."""
    try:
        return os.read(pipe.fileno(), CHUNK)
    except (OSError, ValueError):
        return b""


def pipes_of(process: subprocess.Popen[bytes]) -> WatchedPipes | ThreadedPipes:
    """Return the pipes of a program in the way of this system."""
    return WatchedPipes(process) if POSIX else ThreadedPipes(process)
