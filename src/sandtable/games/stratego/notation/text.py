"""Stratego as text: moves such as ``a4-a5``, set-ups piece by piece, and positions.

Squares are named as on a chess board, ``a1`` bottom left. A position is one line of seven fields,
for example near the end of a game of the mini variant, as Blue sees it::

    bFb7'4/2r5!'3/6/6/6/r?5 b 41/3 S223379TBB/S223359TBB c4-c5*1/- - variant=mini

1. the rows from the top: numbers for empty squares, ``~`` for a lake, and pieces: owner ``r`` or
   ``b``, rank ``F B S 2 3 4 5 6 7 8 9 T`` or ``?``, ``!`` if the other side knows the rank, ``'``
   if the piece has moved;
2. who moves: ``r`` or ``b``; ``setup:17/ready`` while setting up, with the squares that Red and
   Blue have decided; of a finished game ``r#flag``, ``b#stuck``, ``=stuck``, ``=quiet``, ``=long``
   (who has won, or a draw, and why);
3. moves played, and how many of them since the last attack;
4. the pieces that Red and Blue have lost, or ``-``;
5. the last moves of Red and of Blue with ``*`` and how often in a row they went between the same
   two squares, or ``-``;
6. chases: how many of the last moves belong to Red's and to Blue's, and the moves, such as
   ``3/0:a4-a5,b6-b7,a5-b5``, or ``-``;
7. options that are not at their default, such as ``variant=mini,long_scouts=false``, or ``-``.
   Left out, they are those of the game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.stratego import layout
from sandtable.games.stratego.named_setups import RANK_LETTERS
from sandtable.games.stratego.names import SEAT_NAMES, parse_square, square_name
from sandtable.games.stratego.notation.illegal import reason_against
from sandtable.games.stratego.notation.parse import read_position, written_position
from sandtable.types import Position

__all__ = ["StrategoNotation", "reason_of"]

MOVE = re.compile(r"([a-z][0-9]{1,2})-([a-z][0-9]{1,2})")


class StrategoNotation:
    """Text for actions and positions of one variant, both ways."""

    def __init__(self, options: Mapping[int, int]) -> None:
        self.options = dict(options)  # what the game writes into these cells of a position
        self.side = int(layout.SIDES[options[layout.VARIANT]])
        self.base = layout.first_setup_action(self.side)

    def action_name(self, action: int) -> str:
        """Return ``a4-a5`` for a move, and ``B``, ``.`` or ``done`` for a set-up action."""
        if 0 <= action < self.base:
            ends = layout.from_square_of(self.side, action), layout.to_square_of(self.side, action)
            return "-".join(square_name(square, self.side) for square in ends)
        if not self.base <= action < self.base + layout.SETUP_ACTIONS:
            last = self.base + layout.SETUP_ACTIONS - 1
            raise UnreadableAction(f"stratego has actions 0 to {last} here, got {action}")
        choice = action - self.base
        return "done" if choice == layout.DONE else RANK_LETTERS[choice]

    def parse_action(self, text: str) -> int:
        """Return the action of a move or of a word of the set-up."""
        word = text.strip().lower()
        if word == "done":
            return self.base + layout.DONE
        letter = "T" if word == "10" else word.upper()
        if len(letter) == 1 and letter in RANK_LETTERS:
            return self.base + RANK_LETTERS.index(letter)
        match = MOVE.fullmatch(word)
        if not match:
            raise UnreadableAction(
                f"'{text}' is not a move such as a4-a5; in a set-up write F, B, S, 2 to 10, . for "
                "an empty square, and done"
            )
        squares = [parse_square(name, self.side) for name in match.groups()]
        if None in squares:
            wrong = match[1 + squares.index(None)]
            last = square_name(self.side - 1, self.side)
            raise UnreadableAction(f"'{text}': there is no square {wrong}; they are a1 to {last}")
        return self._action(text, int(squares[0] or 0), int(squares[1] or 0))

    def _action(self, text: str, from_square: int, to_square: int) -> int:
        """Return the action of a move between two squares of the board."""
        in_line = from_square // 10 == to_square // 10 or from_square % 10 == to_square % 10
        if from_square == to_square or not in_line:
            raise UnreadableAction(f"'{text}' is no move: pieces move along a row or a column")
        return int(layout.action_between(self.side, from_square, to_square))

    def position_line(self, position: Position) -> str:
        """Write a position in one line."""
        return written_position(position)

    def parse_position(self, text: str) -> Position:
        """Read a position from one line, and check that it is possible."""
        try:
            return read_position(text, self.options)
        except ValueError as problem:
            raise UnreadablePosition(f"'{text}' is no position: {problem}") from None

    def why_illegal(self, position: Position, action: int) -> str:
        """Name the rule that forbids an action, as far as the mover can know it."""
        return reason_against(position, action)

    def reason(self, position: Position) -> str:
        """Say why a finished game is over."""
        return reason_of(position)


def reason_of(position: Position) -> str:
    """Say why a finished game is over."""
    ended, winner = int(position[layout.ENDED]), int(position[layout.WINNER]) - 1
    if ended == layout.FLAG_TAKEN:
        return f"{SEAT_NAMES[winner]} has taken the flag"
    if ended == layout.STUCK:
        return f"{SEAT_NAMES[1 - winner]} has no legal move"
    words = {
        layout.BOTH_STUCK: "neither side can move",
        layout.QUIET_END: f"{position[layout.NO_ATTACK]} moves without an attack",
        layout.LONG_END: f"{position[layout.MOST_PLIES]} moves played",
    }
    return words.get(ended, "")
