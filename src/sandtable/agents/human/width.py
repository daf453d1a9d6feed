"""How wide the terminal is, and sentences whose lines break between words."""

from __future__ import annotations

import shutil
import textwrap

__all__ = ["terminal_width", "wrapped"]

NARROWEST = 20  # columns; below that a terminal wraps better than we do


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
