"""Ctrl-C that comes at the right moment: never between a finished game and its keeping."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["postponed_interrupts", "remembered_interrupts"]

COMPILER = "llvmlite"  # the package whose objects have destructors that print

_depth = 0
_pending = False


@contextmanager
def postponed_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait until this is over; it may be nested, and counts at the outermost end."""
    global _depth, _pending  # noqa: PLW0603 - there is one Ctrl-C for the whole process
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread only
        return
    if _depth:
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None or not callable(before):  # ignored, or not Python's business
        yield
        return

    def note(number: int, frame: Any) -> None:
        global _pending  # noqa: PLW0603
        _pending = True

    _depth, _pending = 1, False  # before anything can be noted
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        _depth = 0
        signal.signal(signal.SIGINT, before)
    if _pending:
        raise KeyboardInterrupt


def hush_compiler() -> None:
    """Print nothing when objects of the compiler go that Ctrl-C left half made."""
    before = sys.unraisablehook

    def hook(unraisable: sys.UnraisableHookArgs) -> None:
        module = getattr(unraisable.object, "__module__", None) or ""
        if not module.startswith(COMPILER):
            before(unraisable)

    sys.unraisablehook = hook


@contextmanager
def remembered_interrupts() -> Iterator[None]:
    """Let Ctrl-C count at the end, even if somebody in between has caught it.

    The compiler answers it with an error of its own, which looks like a failure of an agent.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or _depth or not callable(before):
        yield
        return
    came = False

    def note(number: int, frame: Any) -> None:
        nonlocal came
        came = True
        hush_compiler()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception:
        if came:  # whatever the compiler makes of it
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt
