"""Names: of squares as on a chess board, of sides, and of ranks."""

from __future__ import annotations

import re

from sandtable.games.stratego.layout import BOMB, FLAG, MARSHAL, MINER, SCOUT, SIDE, SPY

__all__ = ["SEAT_NAMES", "parse_square", "rank_name", "square_name"]

SEAT_NAMES = ("Red", "Blue")  # by seat
SQUARE = re.compile(r"([a-j])(10|[1-9])")
RANK_WORDS = {SPY: "spy", SCOUT: "scout", MINER: "miner", BOMB: "bomb", FLAG: "flag"}


def square_name(square: int, side: int) -> str:
    """Return the name of a square on a board with so many rows: ``a1`` bottom left."""
    row, column = divmod(square, SIDE)
    return f"{'abcdefghij'[column]}{side - row}"


def parse_square(text: str, side: int) -> int | None:
    """Return the square of a name, or None if the board has no such square."""
    match = SQUARE.fullmatch(text)
    if not match:
        return None
    column, row = "abcdefghij".index(match[1]), side - int(match[2])
    return row * SIDE + column if column < side and row >= 0 else None


def rank_name(rank: int) -> str:
    """Return a rank in words, for example ``bomb`` or ``7``."""
    assert SPY <= rank <= FLAG
    return RANK_WORDS.get(rank, "10" if rank == MARSHAL else str(rank))
