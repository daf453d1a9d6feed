"""What leagues, authors and bots may be called."""

from __future__ import annotations

import re

from sandtable.errors import SandtableError

__all__ = ["checked_name", "checked_title"]

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")
LONGEST_TITLE = 80


def checked_name(name: str, whose: str) -> str:
    """Return a name that can stand in an address and in a table.

    >>> checked_name("value-net-3", "a bot")
    'value-net-3'
    """
    if not NAME.fullmatch(name):
        raise SandtableError(
            f"the name of {whose} is up to 40 letters (a to z), digits and . _ + -, and begins "
            "with a letter or a digit"
        )
    return name


def checked_title(title: str) -> str:
    """Return a title: one line of text.

    >>> checked_title("Autumn course")
    'Autumn course'
    """
    line = " ".join(title.split())
    if not line or len(line) > LONGEST_TITLE or not line.isprintable():
        raise SandtableError(f"a title is one line of up to {LONGEST_TITLE} letters")
    return line
