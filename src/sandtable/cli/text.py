"""Words for a terminal: sentences that wrap between words, and numbers with their nouns."""

from __future__ import annotations

import sys
from typing import TextIO

import typer

from sandtable.agents.human.width import terminal_width, wrapped

__all__ = ["counted", "terminal_width", "wrapped", "write"]


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun, of which there is one or are many.

    >>> counted(1, "game"), counted(2000, "game"), counted(2, "entry", "entries")
    ('1 game', '2,000 games', '2 entries')
    """
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def write(text: str, *, err: bool = False, indent: str = "") -> None:
    """Print a sentence; in a terminal it wraps between words, in a file it stays one line."""
    stream: TextIO = sys.stderr if err else sys.stdout
    if stream.isatty():
        text = wrapped(text, terminal_width(), indent)
    typer.echo(text, err=err)
