"""A part of the board beside the six planes of the paper, as in its figure 4."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.games.stratego import layout
from sandtable.pictures import box, tag, text
from sandtable.types import Position

__all__ = ["EXAMPLE_SQUARE", "example", "patch_svg"]

CELL, GAP, MARGIN, TITLE = 30.0, 28.0, 20.0, 46.0
SIDE = 3  # squares of the part that is drawn
PIECE_COLOURS = ("#c2372b", "#2f5fc2")  # by seat
EMPTY, LINE, INK, PALE = "#f4f1e6", "#8a8577", "#222222", "#ffffff"
ACROSS = 3  # planes beside each other
SHORT_NAMES = (
    "own fixed",
    "own movable",
    "other's known movable",
    "other's known bombs",
    "other's unknown, moved",
    "other's unknown, unmoved",
)  # of the paper's planes, in their order

# Seven pieces as in the figure: of Red a bomb, the flag and three that move; of Blue a 7 that is
# known and one that has moved and is not.
EXAMPLE_SQUARE = "f2"
EXAMPLE = {"e1": "B", "f1": "F", "e2": "3", "f2": "5", "g2": "8"}
EXAMPLE_OTHERS = {"f3": layout.KNOWN, "g3": layout.MOVED}
SEVEN = 7


def example() -> Position:
    """Return a board with nothing but the pieces of the example.

    >>> int((example()[: layout.SQUARES] != 0).sum())
    7
    """
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    position[layout.DECIDED : layout.DECIDED + 2] = layout.READY
    for name, letter in EXAMPLE.items():
        square = layout.parse_square(name, layout.SIDE)
        rank = layout.RANK_LETTERS.index(letter)
        position[layout.BOARD + int(square or 0)] = rank + (layout.OWNED << layout.RED)
    for name, mark in EXAMPLE_OTHERS.items():
        square = layout.parse_square(name, layout.SIDE)
        cell = SEVEN + (layout.OWNED << layout.BLUE) + (layout.MOVED | mark)
        position[layout.BOARD + int(square or 0)] = cell
    return position


def patch_svg(position: Position, seat: int, square: int, planes: NDArray[np.float32]) -> str:
    """Draw the three by three squares around one, and what the planes of a seat hold of them.

    >>> from sandtable import Dice, make_game
    >>> state = make_game("stratego").start(Dice(0))
    >>> patch_svg(state.position, 0, 81, np.zeros((6, 10, 10), dtype=np.float32))[:4]
    '<svg'
    """
    side = int(layout.side_of(np.array(position)))
    row, column = (min(max(each, 1), side - 2) for each in divmod(square, layout.SIDE))
    seen = planes if seat == layout.RED else planes[:, ::-1, ::-1]  # where the squares are
    part = slice(row - 1, row + 2), slice(column - 1, column + 2)
    name = layout.square_name(row * layout.SIDE + column, side)
    parts = [text(MARGIN, 28, f"Around {name}, seen by {layout.SEAT_NAMES[seat]}", 15)]
    parts += board_cells(position, seat, row, column)
    left = MARGIN + SIDE * CELL + 2 * GAP
    for index, plane in enumerate(seen):
        x = left + (index % ACROSS) * (SIDE * CELL + 90)
        y = TITLE + (index // ACROSS) * (SIDE * CELL + 2 * GAP)
        parts.append(text(x, y + 4, f"{index + 1}: {SHORT_NAMES[index]}", 11))
        parts += plane_numbers(plane[part], x, y + 12)
    width = left + ACROSS * (SIDE * CELL + 90)
    height = TITLE + 2 * (SIDE * CELL + 2 * GAP)
    ground = tag("rect", width=width, height=height, fill=PALE)
    font = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
    return tag("svg", ground, *parts, xmlns="http://www.w3.org/2000/svg", width=width,
               height=height, viewBox=f"0 0 {width:g} {height:g}", font_family=font)  # fmt: skip


def board_cells(position: Position, seat: int, row: int, column: int) -> list[str]:
    """Draw the squares with their pieces; an enemy that is not known has no rank."""
    parts = []
    for place in range(SIDE * SIDE):
        down, right = divmod(place, SIDE)
        cell = int(position[layout.BOARD + (row - 1 + down) * layout.SIDE + column - 1 + right])
        x, y = MARGIN + (right + 0.5) * CELL, TITLE + 12 + (down + 0.5) * CELL
        parts.append(box(x, y, CELL, CELL, fill=EMPTY, stroke=LINE))
        for owner, colour in enumerate(PIECE_COLOURS):
            if not layout.owned_by(cell, owner):
                continue
            known = owner == seat or cell & layout.KNOWN
            letter = layout.RANK_LETTERS[layout.rank_of(cell)] if known else "?"
            parts.append(box(x, y, CELL - 6, CELL - 6, fill=colour, rx=3))
            parts.append(text(x, y + 5, letter, 15, fill=PALE, text_anchor="middle"))
    return parts


def plane_numbers(plane: NDArray[np.float32], x: float, y: float) -> list[str]:
    """Draw a part of a plane with its numbers; a nothing is left blank."""
    parts = []
    for (row, column), value in np.ndenumerate(plane):
        centre = x + (column + 0.5) * CELL, y + (row + 0.5) * CELL
        parts.append(box(*centre, CELL, CELL, fill=EMPTY, stroke=LINE))
        if value:
            words = f"{value:g}"
            parts.append(text(centre[0], centre[1] + 5, words, 14, text_anchor="middle", fill=INK))
    return parts
