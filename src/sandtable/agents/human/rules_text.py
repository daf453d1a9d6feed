"""The rules of a game for the terminal, from the same text as the documents and the browser."""

from __future__ import annotations

import io
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
        if block.startswith("    "):
            blocks.append(block.replace("`", ""))  # a drawing stays as it is
            continue
        if block.lstrip().startswith("|"):
            blocks.append(table(block.replace("`", ""), width))
            continue
        items: list[str] = []
        for line in block.splitlines():
            if items and not begins_item(line.lstrip(), items[0]):
                items[-1] += f" {line.strip()}"
            else:
                items.append(line.strip())
        blocks.append("\n".join(filled(item.replace("`", ""), width) for item in items))
    return "\n\n".join(blocks)


def begins_item(line: str, first: str) -> bool:
    """Say whether a line begins an item of a list, after the first line of its block.

    As in Markdown: in the middle of a paragraph a number with a full stop is a part of a sentence.

    >>> begins_item("0. A hulk stands on 36", "Each ship starts on"), begins_item("2. b", "1. a")
    (False, True)
    """
    found = ITEM.match(line)
    return found is not None and (ITEM.match(first) is not None or found[0] in ("- ", "* ", "1. "))


def table(block: str, width: int) -> str:
    """Return a table of Markdown in lines of so many characters; cells wrap between words.

    >>> print(table("| piece | goes |\\n|-|-|\\n| scout | any distance, over empty squares |", 26))
    piece  goes
    scout  any distance, over
           empty squares
    """
    from rich.console import Console
    from rich.table import Table

    heading, _, *rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in block.strip().splitlines()
    ]
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, *cells in zip(heading, *rows, strict=True):
        longest = max(len(word) for cell in (name, *cells) for word in [*cell.split(), ""])
        shown.add_column(name, min_width=longest)
    for row in rows:
        shown.add_row(*row)
    console = Console(width=width, file=io.StringIO(), no_color=True, markup=False, highlight=False)
    with console.capture() as written:
        console.print(shown)
    return "\n".join(line.rstrip() for line in written.get().rstrip("\n").splitlines())


def filled(text: str, width: int) -> str:
    """Return one paragraph or item of a list in lines that break between words."""
    item = ITEM.match(text)
    indent = " " * (item.end() if item else 0)
    return textwrap.fill(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
