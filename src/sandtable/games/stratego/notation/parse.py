"""Positions of Stratego read from one line of text; the fields are told in ``notation.text``.

Whatever is wrong with a line is raised as a ValueError with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from sandtable.games.stratego import layout
from sandtable.games.stratego.notation.validate import check_position
from sandtable.games.stratego.options import OPTIONS, UNKNOWN_TO_THE_PAPER
from sandtable.games.stratego.rules.placement import flip_sets
from sandtable.games.stratego.rules.repetition import borders
from sandtable.types import Position

__all__ = ["counts_crossings", "crossings_on_way", "read_position"]

FIELDS = "rows, mover, moves, losses, last moves, chases, options"
SEAT_LETTERS = "rb"
SHOWN_LETTERS = "?" + layout.RANK_LETTERS[1:]  # by rank
TOKEN = re.compile(r"([rb])([?S2-9TBF])(!?)('?)|([0-9]{1,2})|(~)")
SETUP = re.compile(r"setup:([0-9]{1,2}|ready)/([0-9]{1,2}|ready)")
ENDINGS = {
    "r#flag": (layout.FLAG_TAKEN, 1 + layout.RED),
    "b#flag": (layout.FLAG_TAKEN, 1 + layout.BLUE),
    "r#stuck": (layout.STUCK, 1 + layout.RED),
    "b#stuck": (layout.STUCK, 1 + layout.BLUE),
    "=stuck": (layout.BOTH_STUCK, 0),
    "=quiet": (layout.QUIET_END, 0),
    "=long": (layout.LONG_END, 0),
}


def read_position(text: str, game_options: Mapping[int, int]) -> Position:
    """Read a position, and check that it is possible; the game's options fill what is left out."""
    fields = text.split()
    if len(fields) not in (6, 7):
        raise ValueError(f"it has 7 fields ({FIELDS}), got {len(fields)}")
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    position[list(game_options)] = list(game_options.values())
    if len(fields) == 7:
        read_options(position, fields[6], game_options)
    side = int(layout.SIDES[int(position[layout.VARIANT])])
    position[layout.BOARD : layout.BOARD + layout.SQUARES + 1] = layout.BARE_BOARDS[
        int(position[layout.VARIANT])
    ]
    read_rows(position, fields[0], side)
    read_state(position, fields[1])
    plies, quiet = pair(fields[2], "the moves are written as 57/3")
    position[layout.PLIES] = number_in_range(plies, 0, 30_000, "the number of moves")
    position[layout.QUIET] = number_in_range(
        quiet, 0, int(position[layout.PLIES]), "the number of quiet moves"
    )
    for seat, lost in enumerate(pair(fields[3], "losses of both sides are written as 2235/-")):
        read_losses(position, seat, lost)
    words = pair(fields[4], "last moves of both sides are written as a4-a5*1/-")
    for seat, word in enumerate(words):
        read_last_move(position, seat, word, side)
    read_chases(position, fields[5], side)
    check_position(position)
    return position


def read_options(position: Position, text: str, game_options: Mapping[int, int]) -> None:
    """Read options; those that are not named have their defaults."""
    for option in OPTIONS.values():
        position[option.cell] = option.default
    names = set()
    for word in [] if text == "-" else text.split(","):
        name, _, value = word.partition("=")
        if name not in OPTIONS:
            raise ValueError(f"'{word}' is no option; those are {', '.join(OPTIONS)}")
        if name in names:
            raise ValueError(f"the option {name} stands twice")
        names.add(name)
        position[OPTIONS[name].cell] = OPTIONS[name].parse(value)
    if position[layout.PAPER_ENDS]:
        for name in UNKNOWN_TO_THE_PAPER:
            if name not in names:
                position[OPTIONS[name].cell] = 0
    variant = OPTIONS["variant"]
    expected, given = int(game_options[layout.VARIANT]), int(position[layout.VARIANT])
    if expected != given:
        raise ValueError(
            f"it is of the variant {variant.word(given)}, but the game is {variant.word(expected)}"
        )


def read_rows(position: Position, text: str, side: int) -> None:
    """Read the rows of the board into the cells, and into the sets of pieces."""
    rows = text.split("/")
    if len(rows) != side:
        raise ValueError(f"the board has {side} rows split by '/', got {len(rows)}")
    for number, row in enumerate(rows):
        column, place = 0, 0
        while place < len(row):
            token = TOKEN.match(row, place)
            if not token:
                raise ValueError(f"'{row[place:]}' in the row '{row}' means nothing")
            place = token.end()
            width = int(token[5]) if token[5] else 1
            if not 1 <= width <= side - column:
                raise ValueError(f"the row '{row}' does not have {side} squares")
            for _ in range(width):
                put_token(position, number * layout.SIDE + column, token, side)
                column += 1
        if column != side:
            raise ValueError(f"the row '{row}' has {column} squares, not {side}")


def put_token(position: Position, square: int, token: re.Match[str], side: int) -> None:
    """Write what a token says about one square."""
    lake = position[layout.BOARD + square] == layout.LAKE
    if lake != bool(token[6]):
        name = layout.square_name(square, side)
        raise ValueError(f"{name} is a lake" if lake else f"{name} is no lake")
    if not token[1]:
        return
    seat, rank = SEAT_LETTERS.index(token[1]), SHOWN_LETTERS.index(token[2])
    marks = (layout.KNOWN if token[3] else 0) + (layout.MOVED if token[4] else 0)
    if rank == layout.UNKNOWN and token[3]:
        name = layout.square_name(square, side)
        raise ValueError(f"the piece on {name} is marked as known, but its rank is '?'")
    position[layout.BOARD + square] = rank + (layout.OWNED << seat) + marks
    flip_sets(position, seat, rank, square)


def read_state(position: Position, text: str) -> None:
    """Read who moves, how far the set-ups are, or how the game ended."""
    position[layout.DECIDED : layout.DECIDED + 2] = layout.READY
    if text in ENDINGS:
        position[layout.MOVER] = layout.OVER
        position[layout.ENDED], position[layout.WINNER] = ENDINGS[text]
    elif text and text in SEAT_LETTERS:
        position[layout.MOVER] = SEAT_LETTERS.index(text)
    elif match := SETUP.fullmatch(text):
        decided = [layout.READY if word == "ready" else int(word) for word in match.groups()]
        position[layout.DECIDED : layout.DECIDED + 2] = decided
        position[layout.MOVER] = layout.RED if decided[layout.RED] != layout.READY else layout.BLUE
    else:
        known = ", ".join(ENDINGS)
        raise ValueError(f"who moves is r, b, setup:17/ready or one of {known}, got '{text}'")


def read_losses(position: Position, seat: int, text: str) -> None:
    """Read the lost pieces of a seat, and count what is left and what is not known of it."""
    counts = layout.PIECE_COUNTS[int(position[layout.VARIANT])].copy()
    for letter in "" if text == "-" else text:
        rank = layout.RANK_LETTERS.find(letter)
        if rank <= layout.UNKNOWN or counts[rank] == 0:
            raise ValueError(f"'{letter}' in the losses '{text}' is no piece that can be lost")
        counts[rank] -= 1
    position[layout.ALIVE + seat * layout.RANKS : layout.ALIVE + (seat + 1) * layout.RANKS] = counts
    for cell in position[layout.BOARD : layout.BOARD + layout.SQUARES].tolist():
        if cell & (layout.OWNED << seat) and cell & layout.KNOWN:
            counts[cell % layout.OWNED] -= 1
    if (counts < 0).any():
        letter = layout.RANK_LETTERS[int(np.flatnonzero(counts < 0)[0])]
        raise ValueError(f"too many pieces '{SEAT_LETTERS[seat]}{letter}!' are known or lost")
    position[layout.HIDDEN + seat * layout.RANKS : layout.HIDDEN + (seat + 1) * layout.RANKS] = (
        counts
    )


def read_last_move(position: Position, seat: int, text: str, side: int) -> None:
    """Read the last move of a seat."""
    if text == "-":
        return
    word, star, counts = text.partition("*")
    if not star:
        raise ValueError(f"a last move is written as a4-a5*1, got '{text}'")
    ends = divmod(read_move(word, side), layout.SQUARES)
    position[layout.LAST_FROM + seat], position[layout.LAST_TO + seat] = ends
    count, colon, crossed = counts.partition(":")
    times = number_in_range(count, 1, 30_000, "the count of a last move")
    position[layout.SHUTTLE + seat] = times
    read_crossings(position, seat, ends, crossed if colon else None)


def read_crossings(position: Position, seat: int, ends: tuple[int, int], text: str | None) -> None:
    """Read how often in a row the borders on a way were crossed; None: as often as it was gone."""
    if text is None:
        return
    if not counts_crossings(position):
        raise ValueError(f"without the two-squares rule nothing is crossed, got ':{text}'")
    cells, times = crossings_on_way(seat, *ends), int(position[layout.SHUTTLE + seat])
    counts = text.split(".")
    if len(counts) != len(cells):
        raise ValueError(f"the way crosses {len(cells)} borders, got ':{text}'")
    numbers = [number_in_range(each, times, 30_000, "the count of a border") for each in counts]
    if set(numbers) != {times}:
        position[cells] = numbers
        position[layout.CROSSED + seat] = max(numbers)


def counts_crossings(position: Position) -> bool:
    """Say whether borders that are crossed are counted under the options of a position."""
    tournament = int(position[layout.REPETITION]) == layout.TOURNAMENT
    return tournament and int(position[layout.TWO_SQUARES]) > 0


def crossings_on_way(seat: int, from_square: int, to_square: int) -> list[int]:
    """Return the cells with the counts of the borders on a way, in the order of the way."""
    first, end = borders(from_square, to_square)
    cells = [layout.CROSSINGS + seat * layout.BORDERS + border for border in range(first, end)]
    return cells if from_square < to_square else cells[::-1]


def read_move(text: str, side: int) -> int:
    """Read a move as from square * 100 + to square."""
    ends = [layout.parse_square(name, side) for name in text.split("-")]
    if len(ends) != 2 or ends[0] is None or ends[1] is None or ends[0] == ends[1]:
        raise ValueError(f"'{text}' is no move on this board")
    if (
        ends[0] // layout.SIDE != ends[1] // layout.SIDE
        and ends[0] % layout.SIDE != ends[1] % layout.SIDE
    ):
        raise ValueError(f"'{text}' is no move: pieces move along a row or a column")
    return ends[0] * layout.SQUARES + ends[1]


def read_chases(position: Position, text: str, side: int) -> None:
    """Read the moves of the chases."""
    if text == "-":
        return
    counts, colon, moves = text.partition(":")
    trail = [read_move(word, side) for word in moves.split(",")] if colon else []
    if not 1 <= len(trail) <= layout.MOST_TRAIL:
        raise ValueError(f"chases are written as 3/0:a4-a5,b6-b7,a5-b5, got '{text}'")
    for seat, count in enumerate(pair(counts, "the counts of chases are written as 3/0")):
        position[layout.CHASE + seat] = number_in_range(
            count, 0, len(trail), "the length of a chase"
        )
    if max(position[layout.CHASE], position[layout.CHASE + 1]) != len(trail):
        raise ValueError(f"the longer chase has as many moves as are written, got '{text}'")
    position[layout.TRAIL_LENGTH] = len(trail)
    position[layout.TRAIL : layout.TRAIL + len(trail)] = trail


def pair(text: str, form: str) -> list[str]:
    """Split what is written for Red and for Blue."""
    words = text.split("/")
    if len(words) != 2 or not all(words):
        raise ValueError(f"{form}, got '{text}'")
    return words


def number_in_range(text: str, low: int, high: int, subject: str) -> int:
    """Read a number and check its range."""
    if not re.fullmatch("[0-9]{1,5}", text) or not low <= int(text) <= high:
        raise ValueError(f"{subject} is from {low} to {high}, got '{text}'")
    return int(text)
