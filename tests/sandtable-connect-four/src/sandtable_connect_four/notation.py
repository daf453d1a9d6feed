"""Actions and positions of connect four as text, both ways."""

import numpy as np

from sandtable import UnreadableAction, UnreadablePosition
from sandtable_connect_four import rules

STONES = ".xo"  # by what stands on a square
MOVERS = "xo"  # by seat
COLUMN_NAMES = "abcdefg"


class ConnectFourNotation:
    """An action is its column, ``d``; a position its rows from above, and who is to move."""

    def action_name(self, action):
        """Return an action as one word."""
        return COLUMN_NAMES[action]

    def parse_action(self, text):
        """Return the action of a word, or raise UnreadableAction."""
        if len(text) != 1 or text not in COLUMN_NAMES:
            raise UnreadableAction(f"'{text}' is not a column from a to g")
        return COLUMN_NAMES.index(text)

    def position_line(self, position):
        """Return a position as one line."""
        board = position[rules.BOARD :].reshape(rules.ROWS, rules.COLUMNS)[::-1]
        rows = ("".join(STONES[stone] for stone in row) for row in board)
        return f"{'/'.join(rows)} {MOVERS[position[rules.MOVER]]}"

    def parse_position(self, text):
        """Return the position of a line, or raise UnreadablePosition."""
        board, _, mover = text.partition(" ")
        rows = board.split("/")[::-1]
        whole = [len(row) for row in rows] == [rules.COLUMNS] * rules.ROWS
        if not whole or not set("".join(rows)) <= set(STONES) or mover not in tuple(MOVERS):
            raise UnreadablePosition(f"'{text}' is not six rows of seven squares and x or o")
        columns = ("".join(column) for column in zip(*rows, strict=True))
        if any("." in column.rstrip(".") for column in columns):
            raise UnreadablePosition(f"in '{text}' a stone has none below it")
        stones = [STONES.index(letter) for letter in "".join(rows)]
        position = np.array([MOVERS.index(mover), rules.RUNNING, *stones], dtype=np.int16)
        ends = [rules.end_after(position, square) for square, stone in enumerate(stones) if stone]
        position[rules.END] = rules.WON if rules.WON in ends else (ends or [rules.RUNNING])[0]
        return position

    def reason(self, position):
        """Say why a finished game is over."""
        return "four in a row" if position[rules.END] == rules.WON else "the board is full"
