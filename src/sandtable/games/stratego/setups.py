"""Set-ups of Stratego as text and in files, and what makes one legal.

A set-up is written as its player sees it, front row first, one letter a square, rows split by
``/``: ``F`` flag, ``B`` bomb, ``S`` spy, ``2`` to ``9``, ``T`` (or ``10``) and ``.`` for an empty
square. In a file the rows may also stand one below the other, with spaces between the letters; an
empty line ends a set-up, and ``#`` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sandtable.dice import Dice
from sandtable.errors import SandtableError, suggestion
from sandtable.games.stratego import layout
from sandtable.games.stratego.named_setups import NAMED
from sandtable.games.stratego.rules.moves import can_step
from sandtable.games.stratego.rules.placement import put, put_at_random
from sandtable.specs import files_allowed
from sandtable.types import Position

__all__ = [
    "Setup",
    "UnreadableSetup",
    "check_setup",
    "is_file",
    "legal_setup",
    "named_setups",
    "parse_setup",
    "random_setup",
    "setup_actions",
    "setup_called",
    "setups_in",
    "write_setup",
]

LINE_OF_FILE = re.compile(r"(.*)#([0-9]{1,6})")


class UnreadableSetup(SandtableError):
    """The text is not a set-up, or the set-up is not legal."""


@dataclass(frozen=True)
class Setup:
    """The pieces of one side, whichever side it will be."""

    variant: int
    ranks: tuple[int, ...]  # by place: front row first, left to right as the player sees it

    def __str__(self) -> str:
        side = int(layout.SIDES[self.variant])
        letters = "".join(layout.RANK_LETTERS[rank] for rank in self.ranks)
        return "/".join(letters[first : first + side] for first in range(0, len(letters), side))

    @property
    def rows(self) -> list[str]:
        """The rows, front row first."""
        return str(self).split("/")

    def mirrored(self) -> Setup:
        """Return the set-up with left and right exchanged.

        >>> str(parse_setup("B72T92/FBS353", layout.MINI).mirrored())
        '29T27B/353SBF'
        """
        return parse_setup("/".join(row[::-1] for row in self.rows), self.variant)


def parse_setup(text: str, variant: int) -> Setup:
    """Read a set-up; whether it is legal ``check_setup`` says.

    >>> str(parse_setup("b72t92 / f b s 3 5 3", layout.MINI))
    'B72T92/FBS353'

    Raises UnreadableSetup, which names the row and the letter.
    """
    side, height = int(layout.SIDES[variant]), int(layout.OWN_ROWS[variant])
    rows = [re.sub(r"\s", "", row).replace("10", "T").upper() for row in text.split("/")]
    if len(rows) != height:
        raise UnreadableSetup(
            f"'{text}' is no set-up: {layout.VARIANT_NAMES[variant]} is set up on {height} rows, "
            f"split by '/', got {len(rows)}"
        )
    for row in rows:
        wrong = [letter for letter in row if letter not in layout.RANK_LETTERS]
        if wrong:
            known = "F, B, S, 2 to 9, T for 10 and . for an empty square"
            raise UnreadableSetup(
                f"'{wrong[0]}' in the row '{row}' means nothing; known are {known}"
            )
        if len(row) != side:
            raise UnreadableSetup(f"the row '{row}' has {len(row)} squares, not {side}")
    return Setup(variant, tuple(layout.RANK_LETTERS.index(letter) for letter in "".join(rows)))


def check_setup(setup: Setup) -> list[str]:
    """Say in words what is wrong with a set-up; an empty list when it is legal.

    >>> check_setup(parse_setup("B72T92/FBS333", layout.MINI))
    ['rank 5: none instead of 1', 'miner: 3 instead of 2']
    """
    problems = []
    counts = np.bincount(setup.ranks, minlength=layout.RANKS)
    for rank in range(layout.FLAG, layout.SPY - 1, -1):
        needed, given = int(layout.PIECE_COUNTS[setup.variant, rank]), int(counts[rank])
        if given != needed:
            name = layout.rank_name(rank)
            title = f"rank {name}" if name.isdigit() else name
            problems.append(f"{title}: {given or 'none'} instead of {needed or 'none'}")
    if not problems and not can_step(alone_on_board(setup), layout.RED):
        problems.append("no piece could ever move: bombs and flag shut all the others in")
    return problems


def alone_on_board(setup: Setup) -> Position:
    """Return a board on which Red has this set-up, and nobody else is."""
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    position[layout.VARIANT] = setup.variant
    position[layout.BOARD : layout.BOARD + layout.SQUARES + 1] = layout.BARE_BOARDS[setup.variant]
    for index, rank in enumerate(setup.ranks):
        if rank != layout.LEAVE_EMPTY:
            put(position, layout.RED, rank, layout.setup_square(position, layout.RED, index))
    return position


def legal_setup(text: str, variant: int) -> Setup:
    """Return the set-up of a name, text or file.

    >>> legal_setup("corner", layout.MINI).rows
    ['B72T92', 'FBS353']

    Raises UnreadableSetup if there is none, it cannot be read, or it is not legal.
    """
    setup = setup_called(text, variant)
    problems = check_setup(setup)
    if problems:
        raise UnreadableSetup(f"'{text}' is not a legal set-up: {'; '.join(problems)}")
    return setup


def named_setups(variant: int) -> dict[str, Setup]:
    """Return the set-ups of a variant that have a name.

    >>> list(named_setups(layout.MINI))
    ['corner', 'bait']
    """
    named = NAMED[layout.VARIANT_NAMES[variant]]
    return {name: parse_setup(rows, variant) for name, (rows, _) in named.items()}


def setup_called(text: str, variant: int) -> Setup:
    """Return a set-up by its name, from its rows, or from a file; legal or not.

    >>> str(setup_called("bait", layout.MINI))
    '2975T2/B3F3SB'

    Raises UnreadableSetup if there is none or it cannot be read.
    """
    known = named_setups(variant)
    if text in known:
        return known[text]
    match = LINE_OF_FILE.fullmatch(text)
    path, number = (match[1], int(match[2])) if match else (text, None)
    if is_file(path):
        return setup_of_file(Path(path), variant, number)
    if "/" in text:
        return parse_setup(text, variant)
    example = next(iter(known.values()))
    raise UnreadableSetup(
        f"there is no set-up or file '{text}'.{suggestion(text, known)} Set-ups for "
        f"{layout.VARIANT_NAMES[variant]}: {', '.join(known)}, or rows such as {example}"
    )


def is_file(path: str) -> bool:
    """Say whether there is such a file; the text of a set-up can be too strange for a path."""
    try:
        return files_allowed() and Path(path).is_file()
    except (OSError, ValueError):
        return False


def setup_of_file(path: Path, variant: int, number: int | None) -> Setup:
    """Return the only set-up of a file, or the one with this number."""
    texts = setups_in(path)
    if number is None and len(texts) > 1:
        raise UnreadableSetup(f"{path} holds {len(texts)} set-ups; name one, such as {path}#1")
    if number is not None and not 1 <= number <= len(texts):
        raise UnreadableSetup(f"{path} holds {len(texts)} set-ups, there is no #{number}")
    line, text = texts[(number or 1) - 1]
    try:
        return parse_setup(text, variant)
    except UnreadableSetup as problem:
        raise UnreadableSetup(f"{path}:{line}: {problem}") from None


def setups_in(path: Path) -> list[tuple[int, str]]:
    """Return the texts of the set-ups in a file with the numbers of their first lines.

    Raises UnreadableSetup if the file cannot be read or holds none.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UnreadableSetup(f"cannot read {path}: {problem}") from problem
    texts: list[tuple[int, str]] = []
    rows: list[str] = []
    began = 0
    for number, line in enumerate([*content.splitlines(), ""], start=1):
        words, comment, _ = line.partition("#")
        words = words.strip()
        if "/" in words:
            texts.append((number, words))
        elif words:
            began = began if rows else number
            rows.append(words)
        elif rows and not comment:
            texts.append((began, "/".join(rows)))
            rows = []
    if not texts:
        raise UnreadableSetup(f"there are no set-ups in {path}")
    return texts


def random_setup(variant: int, dice: Dice) -> Setup:
    """Draw a set-up as games do: flag on the back row, bombs not on the front row.

    >>> str(random_setup(layout.MINI, Dice(17)))
    'T53279/BB2F3S'
    """
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    position[layout.VARIANT] = variant
    put_at_random(position, layout.RED, dice.array)
    squares = int(layout.SIDES[variant] * layout.OWN_ROWS[variant])
    places = [int(layout.setup_square(position, layout.RED, index)) for index in range(squares)]
    return Setup(variant, tuple(int(cell) % 16 for cell in position[places]))


def setup_actions(setup: Setup) -> list[int]:
    """Return the actions that set these pieces up, the closing one included.

    >>> setup_actions(parse_setup("B72T92/FBS353", layout.MINI))[-3:]
    [365, 363, 373]
    """
    base = layout.first_setup_action(int(layout.SIDES[setup.variant]))
    return [*(base + rank for rank in setup.ranks), base + layout.RANKS]


def write_setup(position: Position, seat: int, setup: Setup) -> None:
    """Write a set-up into a blank position, for ``start`` to put on the board."""
    position[layout.ORIGIN + seat] = layout.GIVEN
    for index, rank in enumerate(setup.ranks):
        position[layout.BOARD + int(layout.setup_square(position, seat, index))] = rank
