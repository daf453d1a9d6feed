"""Progress bars for whatever takes more than a second."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

__all__ = ["games_progress"]


@contextmanager
def games_progress(label: str, games: int) -> Iterator[Callable[[int], None]]:
    """Show a bar that moves on by the number of games it is called with.

    The first games of a pairing wait for the compiler (seconds, once an installation), which the
    bar says. Without a terminal nothing is drawn.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    shown = console.is_terminal and sys.stderr.isatty()
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task("compiling the rules (once) ...", total=games)

        def advance(count: int) -> None:
            progress.update(task, advance=count, description=label)

        yield advance
