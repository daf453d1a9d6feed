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
   two squares, or ``-``; of a scout's way, such as ``a4-a6*1:2.1``, also how many moves in a row
   have crossed each border on it, if that is not the same number;
6. chases: how many of the last moves belong to Red's and to Blue's, and the moves, such as
   ``3/0:a4-a5,b6-b7,a5-b5``, or ``-``;
7. options that are not at their default, such as ``variant=mini,long_scouts=false``, or ``-``.
   Left out, they are those of the game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.stratego import layout
from sandtable.games.stratego.notation import parse
from sandtable.games.stratego.notation.validate import reason_against
from sandtable.games.stratego.options import OPTIONS, UNKNOWN_TO_THE_PAPER, Option
from sandtable.types import Position

__all__ = ["StrategoNotation", "reason_of"]

MOVE = re.compile(r"([a-z][0-9]{1,2})-([a-z][0-9]{1,2})")


class StrategoNotation:
    """Text for actions and positions of one variant, both ways.

    >>> notation = StrategoNotation({layout.VARIANT: layout.MINI})
    >>> notation.parse_action("a2-a3"), notation.parse_action("10"), notation.parse_action("done")
    (248, 370, 373)
    >>> notation.action_name(248), notation.action_name(370)
    ('a2-a3', 'T')
    """

    def __init__(self, options: Mapping[int, int]) -> None:
        self.options = dict(options)  # what the game writes into these cells of a position
        self.side = int(layout.SIDES[options[layout.VARIANT]])
        self.base = layout.first_setup_action(self.side)

    def action_name(self, action: int) -> str:
        """Return ``a4-a5`` for a move, and ``B``, ``.`` or ``done`` for a set-up action."""
        if 0 <= action < self.base:
            ends = layout.from_square_of(self.side, action), layout.to_square_of(self.side, action)
            return "-".join(layout.square_name(square, self.side) for square in ends)
        if not self.base <= action < self.base + layout.SETUP_ACTIONS:
            last = self.base + layout.SETUP_ACTIONS - 1
            raise UnreadableAction(f"stratego has actions 0 to {last} here, got {action}")
        choice = action - self.base
        return "done" if choice == layout.DONE else layout.RANK_LETTERS[choice]

    def parse_action(self, text: str) -> int:
        """Return the action of a move or of a word of the set-up.

        Raises UnreadableAction for anything else, and for squares that the board does not have.
        """
        word = text.strip().lower()
        if word == "done":
            return self.base + layout.DONE
        letter = "T" if word == "10" else word.upper()
        if len(letter) == 1 and letter in layout.RANK_LETTERS:
            return self.base + layout.RANK_LETTERS.index(letter)
        match = MOVE.fullmatch(word)
        if not match:
            raise UnreadableAction(
                f"'{text}' is not a move such as a4-a5; in a set-up write F, B, S, 2 to 10, . for "
                "an empty square, and done"
            )
        squares = [layout.parse_square(name, self.side) for name in match.groups()]
        if None in squares:
            wrong = match[1 + squares.index(None)]
            last = layout.square_name(self.side - 1, self.side)
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
        return position_line(position)

    def parse_position(self, text: str) -> Position:
        """Read a position from one line, and check that it is possible.

        Raises UnreadablePosition, which says what is wrong.
        """
        try:
            return parse.read_position(text, self.options)
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
        return f"{layout.SEAT_NAMES[winner]} has taken the flag"
    if ended == layout.STUCK:
        return f"{layout.SEAT_NAMES[1 - winner]} has no legal move"
    words = {
        layout.BOTH_STUCK: "neither side can move",
        layout.QUIET_END: f"{position[layout.NO_ATTACK]} moves without an attack",
        layout.LONG_END: f"{position[layout.MOST_PLIES]} moves played",
    }
    return words.get(ended, "")


def position_line(position: Position) -> str:
    """Write a position in one line.

    >>> from sandtable.dice import Dice
    >>> from sandtable.games.stratego.game import stratego
    >>> position_line(stratego("mini", setup="corner").start(Dice(1)).position)
    'b3b5b3bSbBbF/b2b9bTb2b7bB/6/6/rBr7r2rTr9r2/rFrBrSr3r5r3 r 0/0 -/- -/- - variant=mini'
    """
    position = np.array(position)  # kernels would be compiled anew for a read-only one
    side = int(layout.SIDES[int(position[layout.VARIANT])])
    fields = (
        board_text(position, side),
        state_text(position),
        f"{position[layout.PLIES]}/{position[layout.QUIET]}",
        "/".join(losses_text(position, seat) for seat in (layout.RED, layout.BLUE)),
        "/".join(last_move_text(position, seat, side) for seat in (layout.RED, layout.BLUE)),
        chases_text(position, side),
        options_text(position),
    )
    return " ".join(fields)


def board_text(position: Position, side: int) -> str:
    """Write the rows of the board."""
    rows = []
    for first in range(0, side * layout.SIDE, layout.SIDE):
        row, empty = "", 0
        for cell in position[layout.BOARD + first : layout.BOARD + first + side].tolist():
            if cell == 0:
                empty += 1
                continue
            row += (str(empty) if empty else "") + cell_text(cell)
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/".join(rows)


def cell_text(cell: int) -> str:
    """Write a lake or a piece."""
    if cell == layout.LAKE:
        return "~"
    seat = parse.SEAT_LETTERS[layout.RED if cell & (layout.OWNED << layout.RED) else layout.BLUE]
    marks = ("!" if cell & layout.KNOWN else "") + ("'" if cell & layout.MOVED else "")
    return f"{seat}{parse.SHOWN_LETTERS[cell % layout.OWNED]}{marks}"


def state_text(position: Position) -> str:
    """Write who moves, how far the set-ups are, or how the game ended."""
    if position[layout.MOVER] == layout.OVER:
        ended = (int(position[layout.ENDED]), int(position[layout.WINNER]))
        return {ending: word for word, ending in parse.ENDINGS.items()}[ended]
    if layout.setting_up(position):
        decided = position[layout.DECIDED : layout.DECIDED + 2].tolist()
        return "setup:" + "/".join(
            "ready" if squares == layout.READY else str(squares) for squares in decided
        )
    return parse.SEAT_LETTERS[int(position[layout.MOVER])]


def losses_text(position: Position, seat: int) -> str:
    """Write the ranks of the pieces that a seat has lost."""
    alive = position[layout.ALIVE + seat * layout.RANKS : layout.ALIVE + (seat + 1) * layout.RANKS]
    lost = layout.PIECE_COUNTS[int(position[layout.VARIANT])] - alive
    return (
        "".join(layout.RANK_LETTERS[rank] * int(lost[rank]) for rank in range(1, layout.RANKS))
        or "-"
    )


def move_text(from_square: int, to_square: int, side: int) -> str:
    """Write a move."""
    return f"{layout.square_name(from_square, side)}-{layout.square_name(to_square, side)}"


def last_move_text(position: Position, seat: int, side: int) -> str:
    """Write the last move of a seat, and how often in a row it went there and back.

    Behind that stands, where it is not the same number, how often in a row each border on the way
    was crossed, in the order of the way.
    """
    times = int(position[layout.SHUTTLE + seat])
    if times == 0:
        return "-"
    ends = int(position[layout.LAST_FROM + seat]), int(position[layout.LAST_TO + seat])
    counts = position[parse.crossings_on_way(seat, *ends)].tolist()
    crossed = ":" + ".".join(map(str, counts)) if position[layout.CROSSED + seat] else ""
    return f"{move_text(*ends, side)}*{times}{crossed}"


def chases_text(position: Position, side: int) -> str:
    """Write the moves of the chases."""
    trail = position[layout.TRAIL : layout.TRAIL + int(position[layout.TRAIL_LENGTH])].tolist()
    if not trail:
        return "-"
    moves = ",".join(
        move_text(move // layout.SQUARES, move % layout.SQUARES, side) for move in trail
    )
    return f"{position[layout.CHASE]}/{position[layout.CHASE + 1]}:{moves}"


def options_text(position: Position) -> str:
    """Write the options that are not at their default."""
    words = [
        f"{option.name}={option.word(int(position[option.cell]))}"
        for option in OPTIONS.values()
        if position[option.cell] != usual_value(position, option)
    ]
    return ",".join(words) or "-"


def usual_value(position: Position, option: Option) -> int:
    """Return what an option is without a word about it; with the paper's ends some are off."""
    off = position[layout.PAPER_ENDS] and option.name in UNKNOWN_TO_THE_PAPER
    return 0 if off else option.default
