"""Programs that somebody at a terminal waits for: it says that they think.

Their first move may take longer than others: they may have to be compiled for it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sandtable.agent import Adopted, Agent
from sandtable.arena.play.game_loop import time_limit
from sandtable.arena.play.rehearsal import WITHOUT, first_move_time
from sandtable.dice import Dice
from sandtable.specs import parse_spec
from sandtable.types import State

__all__ = ["Awaited", "said_meanwhile"]

PATIENCE = 1.0  # seconds after which a person wants to know what goes on
FIRST = "gets ready for its first move (it may have to be compiled) ..."
LATER = "thinks ..."


@contextmanager
def said_meanwhile(words: str) -> Iterator[None]:
    """Show words in a terminal while something takes longer than a second; then they are gone."""
    if not words or not sys.stdout.isatty():
        yield
        return
    shown = threading.Event()

    def say() -> None:
        shown.set()
        print(words, end="", flush=True)

    timer = threading.Timer(PATIENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        if shown.is_set():
            print(f"\r{' ' * len(words)}\r", end="", flush=True)


class Awaited(Adopted):
    """A program whose answers must come in time; its first one may take longer.

    >>> from sandtable.registry import make_agent, make_game
    >>> game = make_game("skirmish")
    >>> program = Awaited(make_agent("random"), "random", 1.0)
    >>> len(program.choose(game.start(Dice(1)).view(0), Dice(2)))  # a turn of one action
    1
    """

    def __init__(
        self, agent: Agent, spec: str, seconds: float | None, *, quiet: bool = False
    ) -> None:
        super().__init__(agent)
        self.spec = spec
        self.seconds = seconds
        self.quiet = quiet
        self.first = parse_spec(spec).name not in WITHOUT  # it may have to be compiled now

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Let it choose, say that it does, and interrupt it when its time is up."""
        limit = self.seconds
        if limit and self.first:
            limit = first_move_time(limit)
        words = "" if self.quiet else f"{self.spec} {FIRST if self.first else LATER}"
        with time_limit(limit), said_meanwhile(words):
            chosen = super().choose(view, dice)
        self.first = False
        return chosen
