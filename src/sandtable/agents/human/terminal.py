"""Where a person types: line editing and completion at a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TextIO

from sandtable.errors import StopGame

try:
    import readline
except ImportError:  # not every Python is built with it; typing works all the same
    line_editor: ModuleType | None = None
else:
    line_editor = readline

__all__ = ["Completer", "Terminal"]

Completer = Callable[[str, str], list[str]]  # (line before the word, word so far) -> words


class Terminal:
    """Standard input and output, or the two streams given."""

    def __init__(self, source: TextIO | None = None, sink: TextIO | None = None) -> None:
        self._source = source
        self._sink = sink

    @property
    def interactive(self) -> bool:
        """Whether a person sits at both ends."""
        return self._source is None and sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, text: str) -> None:
        """Write lines of text."""
        print(text, file=self._sink or sys.stdout, flush=True)

    def read(self, prompt: str, completer: Completer) -> str:
        """Return the next line; StopGame at the end of the input or at Ctrl-C."""
        try:
            if self.interactive:
                with completing(completer):
                    return input(prompt)
            return self._read_plain(prompt)
        except UnicodeDecodeError:
            self.say("\nThat line is not text in the terminal's encoding.")
            return ""
        except (EOFError, KeyboardInterrupt):
            self.say("")
            raise StopGame("quit") from None
        except (
            BaseException
        ):  # a clock or a signal: what is written next starts on a line of its own
            self.say("")
            raise

    def _read_plain(self, prompt: str) -> str:
        print(prompt, end="", file=self._sink or sys.stdout, flush=True)
        line = (self._source or sys.stdin).readline()
        if not line:
            raise EOFError
        self.say(line.rstrip("\n"))  # nobody echoes a pipe, and the transcript wants the answers
        return line

    def remember(self, line: str) -> None:
        """Put a line into the history, where the arrow keys find it."""
        if line_editor is not None and self.interactive:
            line_editor.add_history(line)


@contextmanager
def completing(completer: Completer) -> Iterator[None]:
    """Let the tab key complete words while inside; leave the line editor as it was found."""
    if line_editor is None:
        yield
        return
    found: list[str] = []

    def next_word(start: str, index: int) -> str | None:
        if index == 0:
            found.clear()
            with suppress(Exception):  # a line half typed may mean anything; tab must never hurt
                found.extend(
                    completer(line_editor.get_line_buffer()[: line_editor.get_begidx()], start)
                )
        return found[index] if index < len(found) else None

    before = line_editor.get_completer(), line_editor.get_completer_delims()
    line_editor.set_completer(next_word)
    line_editor.set_completer_delims(" \t\n,")
    libedit = "libedit" in (line_editor.__doc__ or "")
    line_editor.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    try:
        yield
    finally:
        line_editor.set_completer(before[0])
        line_editor.set_completer_delims(before[1])
