"""Words for a terminal: sentences that wrap between words, and numbers with their nouns."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TextIO

import typer

__all__ = ["counted", "terminal_width", "wrapped", "write"]

NARROWEST = 20  # columns; below that a terminal wraps better than we do


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun, of which there is one or are many.

    >>> counted(1, "game"), counted(2000, "game"), counted(2, "entry", "entries")
    ('1 game', '2,000 games', '2 entries')
    """
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def terminal_width() -> int:
    """Return how many characters fit into a line of the terminal."""
    return max(shutil.get_terminal_size().columns, NARROWEST)


def wrapped(text: str, width: int, indent: str = "") -> str:
    """Return a text whose lines break between words; a name is never broken, however long.

    >>> print(wrapped("Did you mean 'one-axis-blue'? There is no other.", 24))
    Did you mean
    'one-axis-blue'? There
    is no other.
    """
    return "\n".join(
        textwrap.fill(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        for line in text.split("\n")
    )


def write(text: str, *, err: bool = False, indent: str = "") -> None:
    """Print a sentence; in a terminal it wraps between words, in a file it stays one line."""
    stream: TextIO = sys.stderr if err else sys.stdout
    if stream.isatty():
        text = wrapped(text, terminal_width(), indent)
    typer.echo(text, err=err)
