"""Hexapawn as text and pictures, and the facts."""

import numpy as np

from sandtable import Game, Rules, SandtableError, UnreadableAction, UnreadablePosition
from sandtable_hexapawn import rules

PAWNS = ".wb"  # by what stands on a square
SEATS = ("white", "black")
LEAST, MOST = 3, 6  # columns or rows


class HexapawnNotation:
    """Moves are like ``a1-a2``, positions like ``bbb/.../www white``: the rows, Black's first."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.squares = [
            f"{'abcdef'[column]}{row + 1}" for row in range(rows) for column in range(columns)
        ]

    def action_name(self, action):
        origin, target = divmod(action, len(self.squares))
        return f"{self.squares[origin]}-{self.squares[target]}"

    def parse_action(self, text):
        origin, _, target = text.partition("-")
        if origin not in self.squares or target not in self.squares:
            raise UnreadableAction(f"'{text}' is not two squares, like a1-a2")
        return self.squares.index(origin) * len(self.squares) + self.squares.index(target)

    def position_line(self, position):
        board = position[rules.BOARD :].reshape(self.rows, self.columns)[::-1]
        lines = ("".join(PAWNS[pawn] for pawn in row) for row in board)
        return f"{'/'.join(lines)} {SEATS[position[rules.MOVER]]}"

    def parse_position(self, text):
        board, _, mover = text.partition(" ")
        lines = board.split("/")[::-1]
        whole = [len(line) for line in lines] == [self.columns] * self.rows
        if not whole or not set("".join(lines)) <= set(PAWNS) or mover not in SEATS:
            raise UnreadablePosition(f"'{text}' is not like 'bbb/.../www white'")
        pawns = [PAWNS.index(letter) for letter in "".join(lines)]
        cells = [self.columns, self.rows, SEATS.index(mover), *pawns]
        return np.array(cells, dtype=np.int16)

    def reason(self, position):
        winner = SEATS[1 - position[rules.MOVER]]
        if rules.far_row_reached(position):
            return f"{winner} reached the far row"
        return f"{winner} left no move"


class HexapawnDrawing:
    """The board from White's side; in the SVG every square says which place it is."""

    def __init__(self, notation):
        self.notation = notation

    def text(self, position):
        rows = self.notation.position_line(position).partition(" ")[0].split("/")
        numbered = [f"{len(rows) - index} {' '.join(row)}" for index, row in enumerate(rows)]
        return "\n".join([*numbered, "  " + " ".join("abcdef"[: self.notation.columns])])

    def svg(self, position):
        columns, rows = self.notation.columns, self.notation.rows
        drawn = []
        for square, place in enumerate(self.notation.squares):
            x, y = 20 * (square % columns), 20 * (rows - 1 - square // columns)
            shade = "#e9dfc7" if (square % columns + square // columns) % 2 else "#b99b6b"
            pawn = position[rules.BOARD + square]
            fill = ("none", "#fffdf5", "#2b2b2b")[pawn]
            drawn.append(
                f'<g data-place="{place}">'
                f'<rect x="{x}" y="{y}" width="20" height="20" fill="{shade}"/>'
                f'<circle cx="{x + 10}" cy="{y + 10}" r="7" fill="{fill}"/></g>'
            )
        box = f"0 0 {20 * columns} {20 * rows}"
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{"".join(drawn)}</svg>'

    def events(self, before, action, after):
        return []  # no dice are thrown


def hexapawn(columns: int = 3, rows: int = 3) -> Game:
    """Hexapawn: two rows of pawns; come through, or leave the other no move."""
    for name, size in (("columns", columns), ("rows", rows)):
        if not LEAST <= size <= MOST:
            raise SandtableError(f"hexapawn has {LEAST} to {MOST} {name}, got {size}")
    notation = HexapawnNotation(columns, rows)
    sizes = {"columns": columns, "rows": rows}
    return Game(
        name="hexapawn",
        title="Hexapawn",
        version=1,
        seats=SEATS,
        rules=Rules.of(rules, rules.encode),
        notation=notation,
        drawing=HexapawnDrawing(notation),
        position_size=rules.BOARD + columns * rows,
        action_count=(columns * rows) ** 2,
        plane_names=("white pawns", "black pawns", "the view is Black's"),
        board_shape=(rows, columns),
        score_bounds=((-1.0, 1.0), (-1.0, 1.0)),
        max_actions=2 * columns * (rows - 1),  # every move brings a pawn one row further
        chance=False,
        hidden=False,
        zero_sum=True,
        has_winner=True,
        options={name: size for name, size in sizes.items() if size != LEAST},
        initial_cells=(columns, rows),
    )
