"""The maps of Skirmish as one line of text, the seven published ones, and what makes a map fair.

A level is its eight rows from the top, split by ``/``: a digit stands for that many land squares,
``x`` for a square nothing can enter, ``T`` for the town of First and ``t`` for that of Second::

    8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.games.skirmish import layout
from sandtable.games.skirmish.layout import BESIDE

__all__ = [
    "PUBLISHED",
    "Balance",
    "Level",
    "UnreadableLevel",
    "balance",
    "board_text",
    "check_level",
    "distances",
    "format_level",
    "parse_board",
    "parse_level",
    "square_name",
]

# The thesis trains on 1 to 5 and also judges on 6 and 7, which no agent has seen.
PUBLISHED = {
    "1": "8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8",
    "2": "6xx/xx1t3x/x7/1x6/5xxx/1xx5/4T3/1xx2xx1",
    "3": "1x5x/1xxx1tx1/3x2x1/8/8/2Tx2x1/x7/8",
    "4": "4x3/1t1x4/8/3x4/8/1xx5/2x2T1x/2x4x",
    "5": "8/1xx2xx1/2x1t1xx/1x6/8/4x3/2T5/8",
    "6": "3xx3/x4t2/xx6/1xxx4/2xxx3/8/x1T5/5x2",
    "7": "8/5t2/1xxxx3/1x6/8/8/2x1T1x1/xxx5",
}

LETTER_OF_KIND = {
    layout.TOWN: "t",
    layout.BARRACKS: "b",
    layout.WORKER: "w",
    layout.SOLDIER: "s",
}  # a capital for First
KIND_OF_LETTER = {letter: kind for kind, letter in LETTER_OF_KIND.items()}
IMPASSABLE = "x"
SIDE_NAMES = ("First", "Second")  # by seat

# A level can be played within these limits; the two differences are those of the least fair of the
# published levels, the third. The generator keeps to narrower ones.
LEAST_DISTANCE = 3  # steps from town to town
NEAR = 2  # steps round a town within which its surroundings are counted
LEAST_NEAR = 6  # land squares there, the town's own among them
MOST_NEAR_DIFFERENCE = 10  # of the two sides
MOST_NEARER_DIFFERENCE = 14  # of the land squares nearer to one town than to the other
UNREACHED = 99  # steps, where no way leads


class UnreadableLevel(SandtableError):
    """The text is not a level, or the level is not fit to be played."""


@dataclass(frozen=True)
class Level:
    """A map: where land is, and the squares of the towns of First and of Second."""

    land: tuple[bool, ...]  # [64] by square
    towns: tuple[tuple[int, ...], tuple[int, ...]]  # by seat

    def __str__(self) -> str:
        return format_level(self)


@dataclass(frozen=True)
class Balance:
    """What a level gives to First and to Second."""

    distance: int  # steps from town to town
    near: tuple[int, int]  # land squares within NEAR steps of the own town
    nearer: tuple[int, int]  # land squares fewer steps away from the own town than from the other


def square_name(square: int) -> str:
    """Return the name of a square as on a chess board: ``a8`` top left, ``h1`` bottom right.

    >>> square_name(0), square_name(63)
    ('a8', 'h1')
    """
    return "abcdefgh"[square % layout.SIDE] + str(layout.SIDE - square // layout.SIDE)


def parse_board(text: str) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Read rows into land [64] and units [64]; a ValueError says what is wrong.

    >>> land, units = parse_board("x7/8/8/3w4/8/8/8/7T")
    >>> int(land[0]), int(units[27]), int(units[63])  # Second's are negative
    (0, -3, 1)
    """
    rows = text.split("/")
    if len(rows) != layout.SIDE:
        raise ValueError(
            f"a board has {layout.SIDE} rows split by '/', got {len(rows)} in '{text}'"
        )
    land = np.ones(layout.SQUARES, dtype=np.int16)
    units = np.zeros(layout.SQUARES, dtype=np.int16)
    for number, row in enumerate(rows):
        column = 0
        for sign in row:
            if sign in "12345678":
                column += int(sign)
                continue
            if sign != IMPASSABLE and sign.lower() not in KIND_OF_LETTER:
                known = "1 to 8, x, and t, b, w, s as small letters or capitals"
                raise ValueError(f"'{sign}' in row '{row}' means nothing; known are {known}")
            if column < layout.SIDE and sign == IMPASSABLE:
                land[number * layout.SIDE + column] = 0
            elif column < layout.SIDE:
                kind = KIND_OF_LETTER[sign.lower()]
                units[number * layout.SIDE + column] = kind if sign.isupper() else -kind
            column += 1
        if column != layout.SIDE:
            raise ValueError(f"row '{row}' has {column} squares, not {layout.SIDE}")
    return land, units


def board_text(land: NDArray[np.int16], units: NDArray[np.int16]) -> str:
    """Write land [64] and units [64] as rows; ``parse_board`` reads them back.

    >>> board_text(*parse_board("x7/8/8/3w4/8/8/8/7T"))
    'x7/8/8/3w4/8/8/8/7T'
    """
    rows = []
    for first in range(0, layout.SQUARES, layout.SIDE):
        row, empty = "", 0
        for square in range(first, first + layout.SIDE):
            if land[square] and not units[square]:
                empty += 1
                continue
            letter = LETTER_OF_KIND.get(abs(int(units[square])), IMPASSABLE)
            row += (str(empty) if empty else "") + (letter.upper() if units[square] > 0 else letter)
            empty = 0
        rows.append(row + (str(empty) if empty else ""))
    return "/".join(rows)


def parse_level(text: str) -> Level:
    """Read a level; whether it is fit to be played ``check_level`` says.

    An UnreadableLevel says what is wrong with the text.

    >>> parse_level("8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8").towns
    ((52,), (12,))
    """
    try:
        land, units = parse_board(text.strip())
    except ValueError as problem:
        raise UnreadableLevel(f"'{text}' is no level: {problem}") from None
    if (abs(units) > layout.TOWN).any():
        square = int(np.flatnonzero(abs(units) > layout.TOWN)[0])
        raise UnreadableLevel(
            f"'{text}' is no level: only towns stand on it, not what is on {square_name(square)}"
        )
    towns = tuple(tuple(map(int, np.flatnonzero(units == sign * layout.TOWN))) for sign in (1, -1))
    return Level(tuple(map(bool, land)), (towns[layout.FIRST], towns[layout.SECOND]))


def format_level(level: Level) -> str:
    """Write a level in one line.

    >>> format_level(parse_level(PUBLISHED["2"]))
    '6xx/xx1t3x/x7/1x6/5xxx/1xx5/4T3/1xx2xx1'
    """
    units = np.zeros(layout.SQUARES, dtype=np.int16)
    for seat, sign in ((layout.FIRST, layout.TOWN), (layout.SECOND, -layout.TOWN)):
        units[list(level.towns[seat])] = sign
    return board_text(np.array(level.land, dtype=np.int16), units)


def distances(land: tuple[bool, ...], start: int) -> NDArray[np.int16]:
    """Count the king's steps over land from a square to every other; UNREACHED where none lead."""
    steps = np.full(layout.SQUARES, UNREACHED, dtype=np.int16)
    steps[start] = 0
    waiting = [start]
    for square in waiting:
        for beside in BESIDE[square]:
            if beside != layout.NOWHERE and land[beside] and steps[beside] == UNREACHED:
                steps[beside] = steps[square] + 1
                waiting.append(int(beside))
    return steps


def balance(level: Level) -> Balance:
    """Measure what a level with one town each gives to both sides.

    >>> balance(parse_level(PUBLISHED["1"]))
    Balance(distance=5, near=(17, 19), nearer=(25, 24))
    """
    (first,), (second,) = level.towns
    from_first, from_second = distances(level.land, first), distances(level.land, second)
    return Balance(
        distance=int(from_first[second]),
        near=(int((from_first <= NEAR).sum()), int((from_second <= NEAR).sum())),
        nearer=(int((from_first < from_second).sum()), int((from_second < from_first).sum())),
    )


def check_level(level: Level) -> list[str]:
    """Say in words what is wrong with a level; an empty list when it can be played fairly.

    >>> check_level(parse_level("8/3t4/8/8/8/8/8/8"))
    ['First needs one town, got none']
    """
    problems = town_problems(level)
    return problems or fairness_problems(balance(level))


def town_problems(level: Level) -> list[str]:
    """Check that each side has one town, on land and in its half."""
    problems = []
    for name, towns in zip(SIDE_NAMES, level.towns, strict=True):
        if len(towns) != 1:
            problems.append(f"{name} needs one town, got {len(towns) or 'none'}")
        lower = name == SIDE_NAMES[layout.FIRST]
        for town in towns:
            if not level.land[town]:
                problems.append(f"{name}'s town on {square_name(town)} is not on land")
            if (town >= layout.SQUARES // 2) != lower:
                half = "lower" if lower else "upper"
                problems.append(f"{name}'s town on {square_name(town)} is not in the {half} half")
    return problems


def fairness_problems(measured: Balance) -> list[str]:
    """Check the measures of a level against the limits."""
    if measured.distance == UNREACHED:
        return ["no way over land joins the two towns"]
    problems = []
    if measured.distance < LEAST_DISTANCE:
        problems.append(
            f"the towns are {measured.distance} steps apart, fewer than {LEAST_DISTANCE}"
        )
    for name, near in zip(SIDE_NAMES, measured.near, strict=True):
        if near < LEAST_NEAR:
            problems.append(
                f"{name} has {near} land squares within {NEAR} steps of its town, "
                f"fewer than {LEAST_NEAR}"
            )
    limits = (
        (f"within {NEAR} steps of the own town", measured.near, MOST_NEAR_DIFFERENCE),
        ("nearer to the own town than to the other", measured.nearer, MOST_NEARER_DIFFERENCE),
    )
    for place, (first, second), most in limits:
        if abs(first - second) > most:
            problems.append(
                f"unfair: First has {first} and Second {second} land squares {place}, "
                f"more than {most} apart"
            )
    return problems
