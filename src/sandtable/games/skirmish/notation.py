"""Skirmish as text: moves such as ``b2-c3``, ``b2+`` and ``pass``, and positions.

Squares are named as on a chess board, ``a1`` bottom left. A position is one line of five fields,
for example the start on the first published level::

    8/x2wt3/1x5x/5x2/3xxx2/x7/3WT3/8 f 1 2,2,2,2 -

1. the rows from 8 down to 1 as in a level: digits for land, ``x`` for squares nothing can enter,
   and units: ``t`` town, ``b`` barracks, ``w`` worker, ``s`` soldier, capitals for First;
2. who moves: ``f``, ``s``, or ``-`` when the game is over;
3. the number of the half-turn from 1 (of a finished game the last one);
4. the ages of all units in the order of the rows, or ``-`` when there are none;
5. options that are not at their default, such as ``both_empty=second,max_turns=100``, or ``-``.
   Left out, they are those of the game.
"""

from __future__ import annotations

import re

import numpy as np

from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.levels import board_text, parse_board, square_name
from sandtable.games.skirmish.rules import is_decided, sides_alive
from sandtable.types import Position

__all__ = ["BOTH_EMPTY_WORDS", "MOST_TURNS", "PASSES_WORDS", "SkirmishNotation", "parse_square"]

MOVE = re.compile(r"([a-h][1-8])-([a-h][1-8])")
BUILDING = re.compile(r"([a-h][1-8])\+")
STEP_NAMES = ("nw", "n", "ne", "w", "", "e", "sw", "s", "se")  # by action % 9
MOVER_LETTERS = {"f": layout.FIRST, "s": layout.SECOND, "-": layout.OVER}
BOTH_EMPTY_WORDS = {"draw": layout.DRAW, "second": layout.SECOND_WINS}
PASSES_WORDS = {"none": 0, "first": 1, "second": 2, "both": 3}
MOST_TURNS = 1000


def parse_square(text: str) -> int:
    """Return the number of a square from its name, or raise UnreadableAction.

    >>> parse_square("a8"), parse_square("H1")
    (0, 63)
    """
    lowered = text.lower()
    if re.fullmatch("[a-h][1-8]", lowered):
        return (layout.SIDE - int(lowered[1])) * layout.SIDE + "abcdefgh".index(lowered[0])
    raise UnreadableAction(f"'{text}' is no square; squares are a1 to h8")


class SkirmishNotation:
    """Text for actions and positions, both ways.

    What cannot be read raises UnreadableAction or UnreadablePosition.

    >>> notation = SkirmishNotation()
    >>> notation.action_name(notation.parse_action("b2-c3")), notation.parse_action("pass")
    ('b2-c3', 576)
    >>> notation.position_line(notation.parse_position("8/8/8/3t4/8/8/3W4/8 s 2 3,7"))
    '8/8/8/3t4/8/8/3W4/8 s 2 3,7 -'
    """

    def __init__(
        self, both_empty: int = layout.DRAW, max_turns: int = 0, free_pass: int = 0
    ) -> None:
        self.options = {
            layout.BOTH_EMPTY: both_empty,
            layout.MAX_TURNS: max_turns,
            layout.FREE_PASS: free_pass,
        }

    def action_name(self, action: int) -> str:
        """Return ``b2-c3`` for a step or capture, ``b2+`` for building, ``pass`` for PASS."""
        if action == layout.PASS:
            return "pass"
        if not 0 <= action < layout.PASS:
            raise UnreadableAction(f"skirmish has actions 0 to {layout.PASS}, got {action}")
        square, step = divmod(action, layout.STEPS)
        if step == layout.BUILD:
            return f"{square_name(square)}+"
        destination = int(layout.DESTINATION[action])
        if destination == layout.NOWHERE:  # a number that is never legal still needs a name
            return f"{square_name(square)}-{STEP_NAMES[step]}"
        return f"{square_name(square)}-{square_name(destination)}"

    def parse_action(self, text: str) -> int:
        """Return the action of ``b2-c3``, ``b2+`` or ``pass``."""
        word = text.strip().lower()
        if word == "pass":
            return layout.PASS
        if match := BUILDING.fullmatch(word):
            return parse_square(match[1]) * layout.STEPS + layout.BUILD
        if not (match := MOVE.fullmatch(word)):
            raise UnreadableAction(
                f"'{text}' is not a move; write b2-c3, b2+ to build a barracks, or pass"
            )
        square, destination = parse_square(match[1]), parse_square(match[2])
        for action in range(square * layout.STEPS, square * layout.STEPS + layout.STEPS):
            if layout.DESTINATION[action] == destination and action % layout.STEPS != layout.BUILD:
                return action
        raise UnreadableAction(f"'{text}': {match[1]} and {match[2]} are not one step apart")

    def position_line(self, position: Position) -> str:
        """Write a position in one line."""
        board = board_text(
            position[layout.LAND : layout.LAND + layout.SQUARES],
            position[layout.UNITS : layout.UNITS + layout.SQUARES],
        )
        mover = {seat: letter for letter, seat in MOVER_LETTERS.items()}[
            int(position[layout.MOVER])
        ]
        number = int(position[layout.PLAYED]) + (0 if position[layout.MOVER] == layout.OVER else 1)
        ages = [str(age) for age in position[layout.AGES : layout.AGES + layout.SQUARES] if age]
        return f"{board} {mover} {number} {','.join(ages) or '-'} {options_text(position)}"

    def parse_position(self, text: str) -> Position:
        """Read a position from one line, and check that it is possible."""
        fields = text.split()
        if len(fields) not in (4, 5):
            raise UnreadablePosition(
                f"a skirmish position has 5 fields (rows, mover, half-turn, ages, options), got "
                f"{len(fields)} in '{text}'"
            )
        board, mover, number, ages = fields[:4]
        position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
        try:
            (
                position[layout.LAND : layout.LAND + layout.SQUARES],
                position[layout.UNITS : layout.UNITS + layout.SQUARES],
            ) = parse_board(board)
        except ValueError as problem:
            raise UnreadablePosition(f"'{text}': {problem}") from None
        if mover not in MOVER_LETTERS:
            raise UnreadablePosition(f"the mover is f, s or -, got '{mover}' in '{text}'")
        position[layout.MOVER] = MOVER_LETTERS[mover]
        half_turn = whole_number(number, 1, layout.LONGEST, "the number of the half-turn")
        position[layout.PLAYED] = half_turn if mover == "-" else half_turn - 1
        read_ages(position, ages)
        if len(fields) == 5:
            read_options(position, fields[4])
        else:
            position[list(self.options)] = list(self.options.values())
        check(position, text)
        return position

    def reason(self, position: Position) -> str:
        """Say why a finished game is over."""
        first, second = sides_alive(position)
        if first and second:
            return f"{position[layout.MAX_TURNS]} turns played"
        if first or second:
            return f"{'Second' if first else 'First'} has no units left"
        if position[layout.BOTH_EMPTY] == layout.SECOND_WINS:
            return "nobody has units left, which counts for Second"
        return "nobody has units left"


def options_text(position: Position) -> str:
    """Write the options that are not at their default.

    >>> position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    >>> read_options(position, "both_empty=second,max_turns=100")
    >>> options_text(position)
    'both_empty=second,max_turns=100'
    """
    words = []
    for name, cell, meanings in (
        ("both_empty", layout.BOTH_EMPTY, BOTH_EMPTY_WORDS),
        ("max_turns", layout.MAX_TURNS, None),
        ("passes", layout.FREE_PASS, PASSES_WORDS),
    ):
        value = int(position[cell])
        if value:
            word = str(value) if meanings is None else {n: w for w, n in meanings.items()}[value]
            words.append(f"{name}={word}")
    return ",".join(words) or "-"


def read_options(position: Position, text: str) -> None:
    """Read the options into the position."""
    names = set()
    for word in [] if text == "-" else text.split(","):
        name, _, value = word.partition("=")
        if name in names:
            raise UnreadablePosition(f"the option '{name}' stands twice in '{text}'")
        names.add(name)
        if name == "max_turns":
            position[layout.MAX_TURNS] = whole_number(value, 1, MOST_TURNS, "max_turns")
        elif name == "both_empty" and value in BOTH_EMPTY_WORDS:
            position[layout.BOTH_EMPTY] = BOTH_EMPTY_WORDS[value]
        elif name == "passes" and value in PASSES_WORDS:
            position[layout.FREE_PASS] = PASSES_WORDS[value]
        else:
            raise UnreadablePosition(
                f"'{word}' in '{text}' is no option; write both_empty=second, max_turns=100, "
                "passes=both, or - for none"
            )


def read_ages(position: Position, text: str) -> None:
    """Read the ages of all units into the position."""
    squares = np.flatnonzero(position[layout.UNITS : layout.UNITS + layout.SQUARES])
    words = [] if text == "-" else text.split(",")
    if len(words) != len(squares):
        raise UnreadablePosition(
            f"there are {len(squares)} units on the board, but {len(words)} ages in '{text}'"
        )
    for square, word in zip(squares, words, strict=True):
        kind = abs(int(position[layout.UNITS + square]))
        subject = f"the age of the unit on {square_name(int(square))}"
        position[layout.AGES + square] = whole_number(
            word, 1, int(layout.LIFESPAN[kind]) - 1, subject
        )


def whole_number(text: str, low: int, high: int, subject: str) -> int:
    """Read a number and check its range.

    >>> whole_number("12", 1, 60, "the age")
    12
    """
    if not re.fullmatch("[0-9]{1,6}", text) or not low <= int(text) <= high:
        raise UnreadablePosition(f"{subject} is a number from {low} to {high}, got '{text}'")
    return int(text)


def check(position: Position, text: str) -> None:
    """Refuse positions no game can reach by their numbers alone."""
    mover, played = int(position[layout.MOVER]), int(position[layout.PLAYED])
    limit = 2 * int(position[layout.MAX_TURNS])
    if mover != layout.OVER and played % 2 != mover:
        problem = "First moves in odd half-turns and Second in even ones"
    elif limit and played + (mover != layout.OVER) > limit:
        problem = f"the game ends with half-turn {limit}"
    elif mover == layout.OVER and not is_decided(position):
        problem = "the game is over only when a side has no units or the turns are used up"
    else:
        return
    raise UnreadablePosition(f"'{text}' is impossible: {problem}")
