"""The live view: how far a long run has come, and how things stand so far.

On a terminal it is a table that is drawn again and again under a progress bar; elsewhere a line now
and then. What it shows are figures in progress: whoever stops when they look good, deceives himself
(``sandtable sprt`` is made for stopping early).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sandtable.cli.progress import Lines

__all__ = ["live_view"]

SECONDS_BETWEEN_PICTURES = 0.5
SHARE_OF_TIME = 0.05  # that drawing may take at most


class Pictures:
    """Draws the standing again, but never so often that it takes a large part of the time."""

    def __init__(self, picture: Callable[[], RenderableType]) -> None:
        self.picture = picture
        self.due = 0.0

    def next(self) -> RenderableType | None:
        """Return a new picture, or None if it is too early for one."""
        began = time.monotonic()
        if began < self.due:
            return None
        drawn = self.picture()
        now = time.monotonic()
        self.due = now + max(SECONDS_BETWEEN_PICTURES, (now - began) / SHARE_OF_TIME)
        return drawn


@contextmanager
def live_view(
    label: str,
    games: int,
    picture: Callable[[], RenderableType],
    words: Callable[[], str],
) -> Iterator[Callable[[int], None]]:
    """Show progress, with a ``picture`` of how things stand; without a terminal in ``words``.

    What it yields is called with the number of games that have just been finished, after they
    have been taken into account.
    """
    console = Console(stderr=True)
    if not (console.is_terminal and sys.stderr.isatty()):
        yield Lines(label, games, words).advance
        return
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    )
    task = progress.add_task("compiling the rules (once) ...", total=games)
    pictures = Pictures(picture)
    with Live(progress, console=console, transient=True, refresh_per_second=4) as live:

        def advance(count: int) -> None:
            progress.update(task, advance=count, description=label)
            drawn = pictures.next()
            if drawn is not None:
                live.update(Group(drawn, progress))

        yield advance
