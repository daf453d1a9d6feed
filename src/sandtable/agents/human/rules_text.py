"""The rules of a game for the terminal, from the same text as the documents and the browser."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection

from sandtable.screens import screen_of
from sandtable.types import Game

__all__ = ["rules_text"]

# The sections of a game's page that somebody who plays needs; the others are about the program.
FOR_PLAYERS = ("summary", "board and pieces", "course of play", "actions and notation", "rules")
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def rules_text(game: Game, width: int, more: Collection[str] = ()) -> str:
    """Return the rules of a game in lines of so many characters; empty: it has none written down.

    ``more`` are headings, in small letters, of sections that are wanted besides the rules.

    >>> from sandtable.registry import make_game
    >>> rules_text(make_game("lucid"), 60).splitlines()[0]
    'OPERATION LUCID'
    """
    text = screen_of(game).rules_text()
    parts = re.split(r"^## +(.*)$", text, flags=re.MULTILINE)
    sections = list(zip(parts[1::2], parts[2::2], strict=True))
    wanted = (*FOR_PLAYERS, *more)
    chosen = [pair for pair in sections if pair[0].strip().lower() in wanted]
    if not chosen:
        return plain(parts[0], width) if text else ""
    lines = [game.title.upper()]
    for heading, body in chosen:
        lines += ["", heading.strip().upper(), plain(body, width)]
    return "\n".join(lines)


def plain(text: str, width: int) -> str:
    """Return Markdown as plain text: paragraphs and items of lists wrap between words.

    >>> print(plain("Some **bold** words\\nand `code`.\\n\\n1. one\\n   more", 40))
    Some bold words and code.
    <BLANKLINE>
    1. one more
    """
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if block.startswith("    ") or block.lstrip().startswith("|"):
            blocks.append(block.replace("`", ""))  # a drawing or a table stays as it is
            continue
        items: list[str] = []
        for line in block.splitlines():
            if items and not ITEM.match(line.lstrip()):
                items[-1] += f" {line.strip()}"
            else:
                items.append(line.strip())
        blocks.append("\n".join(filled(item.replace("`", ""), width) for item in items))
    return "\n\n".join(blocks)


def filled(text: str, width: int) -> str:
    """Return one paragraph or item of a list in lines that break between words."""
    item = ITEM.match(text)
    indent = " " * (item.end() if item else 0)
    return textwrap.fill(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
