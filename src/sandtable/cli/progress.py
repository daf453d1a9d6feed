"""Progress bars for whatever takes more than a second."""

from __future__ import annotations

import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)

__all__ = ["Lines", "games_progress", "live_view"]

SECONDS_BETWEEN_LINES = 30.0  # where there is no terminal to draw a bar on

COMPILING = "compiling the rules (once) ..."
BAR_AND_NUMBERS = 42  # columns right of the name of what runs

SECONDS_BETWEEN_PICTURES = 0.5
SHARE_OF_TIME = 0.05  # that drawing may take at most


def fitting(label: str, console: Console) -> str:
    """Return a name that leaves room for the bar and its numbers, shortened between words."""
    room = max(console.width - BAR_AND_NUMBERS, len("..."))
    return label if len(label) <= room else textwrap.shorten(label, room, placeholder=" ...")


@contextmanager
def games_progress(
    label: str, games: int, things: str = "games", waiting: str = COMPILING
) -> Iterator[Callable[[int], None]]:
    """Show a bar that moves on by the number of games (or other things) it is called with.

    The first games of a pairing wait for the compiler (seconds, once an installation), which the
    bar says (or another thing that it is ``waiting`` for). How many there are may be unknown: 0.
    Without a terminal a line now and then tells how far a long run has come.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    shown = console.is_terminal and sys.stderr.isatty()
    lines = Lines(label, games, things=things)
    with Progress(*columns, console=console, transient=True, disable=not shown) as progress:
        task = progress.add_task(fitting(waiting, console), total=games or None)
        name = fitting(label, console)

        def advance(count: int) -> None:
            progress.update(task, advance=count, description=name)
            if not shown:
                lines.advance(count)

        yield advance


class Lines:
    """Tells on standard error from time to time how many games are finished.

    ``standing`` may add in words how things stand.
    """

    def __init__(
        self,
        label: str,
        games: int,
        standing: Callable[[], str] | None = None,
        things: str = "games",
    ) -> None:
        self.label, self.games, self.things, self.finished = label, games, things, 0
        self.standing = standing
        self.at_first = 0  # games finished when the clock was started: the compiler is not counted
        self.began = self.printed_at = time.monotonic()

    def advance(self, count: int) -> None:
        """Count finished games, and print a line if the last one was long ago."""
        now = time.monotonic()
        if self.finished == 0:
            self.began, self.at_first = now, count
        self.finished += count
        if now - self.printed_at < SECONDS_BETWEEN_LINES or self.finished == self.at_first:
            return
        self.printed_at = now
        each = (now - self.began) / (self.finished - self.at_first)
        minutes = each * (self.games - self.finished) / 60
        done = f"{self.finished:,} of {self.games:,} {self.things}"
        left = f"about {minutes:.0f} min" if minutes >= 1 else "less than a minute"
        line = f"{self.label}: {done}, {left} to go"
        if self.standing:
            line += f"; so far: {self.standing()}"
        print(line, file=sys.stderr, flush=True)


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
    task = progress.add_task(COMPILING, total=games)
    name = fitting(label, console)
    pictures = Pictures(picture)
    with Live(progress, console=console, transient=True, refresh_per_second=4) as live:

        def advance(count: int) -> None:
            progress.update(task, advance=count, description=name)
            drawn = pictures.next()
            if drawn is not None:
                live.update(Group(drawn, progress))

        yield advance
