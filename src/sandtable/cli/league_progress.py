"""What a worker of leagues shows while it plays: how much it has done."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from sandtable.cli.text import counted

if TYPE_CHECKING:
    from sandtable.league.worker import Worked

__all__ = ["shown_progress"]

SECONDS_BETWEEN_LINES = 60.0  # where the output is no terminal


@contextmanager
def shown_progress() -> Iterator[Callable[[Worked], None]]:
    """Show what is done: in a terminal in one line, elsewhere now and then in a new one."""
    terminal = sys.stderr.isatty()
    told = time.monotonic()

    def show(done: Worked) -> None:
        nonlocal told
        line = f"{counted(done.deals, 'deal')} played, {counted(done.games, 'game')}"
        if terminal:
            typer.echo(f"\r{line}", nl=False, err=True)
        elif time.monotonic() - told > SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            typer.echo(line, err=True)

    try:
        yield show
    finally:
        if terminal:
            typer.echo("", err=True)
