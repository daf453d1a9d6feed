"""Stratego: what a position is made of, pieces and boards of the variants, names, fixed tables.

A square's number is row * 10 + column on every board, row 0 at the top; the 6 by 6 board is the
upper left corner of the large one. Red (seat 0) has the lower rows and moves first.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

SIDE = 10  # squares in a row of the large board, by which squares are numbered on all boards
SQUARES = SIDE * SIDE
SMALL_SIDE = 6
BEYOND = SQUARES  # the square "beyond the edge": a cell of the board that nothing can enter
RED, BLUE = 0, 1
OVER = -1

# Ranks. The spy counts as 1; UNKNOWN is what a view shows of a piece that its seat does not know.
UNKNOWN, SPY, SCOUT, MINER, MARSHAL, BOMB, FLAG = 0, 1, 2, 3, 10, 11, 12
RANKS = 13  # how many of these numbers there are

# A cell of the board is 0 (nobody), LAKE, or the sum of a rank, an owner and marks.
RANK_BITS = 15
OWNED = 16  # OWNED << seat: whose piece it is
MOVED = 64  # the piece has moved, so everybody knows that it is no bomb and no flag
KNOWN = 128  # the other side knows the rank
LAKE = 256  # nothing can enter, also said of squares that a small board does not have

# Layout of a position.
BOARD = 0  # [101] cells, the last one beyond the edge
PIECES = BOARD + SQUARES + 1  # [2, 10] by seat and row: bit c says that a piece is in column c
MOVERS = PIECES + 2 * SIDE  # [2, 10] the same for pieces that can move; zeros for an unseen seat
SCOUTS = MOVERS + 2 * SIDE  # [2, 10] the same for scouts; zeros for an unseen seat
ALIVE = SCOUTS + 2 * SIDE  # [2, 13] by seat and rank: pieces not lost, while setting up all
HIDDEN = ALIVE + 2 * RANKS  # [2, 13] those of them whose rank the other seat does not know
MOVER = HIDDEN + 2 * RANKS  # seat to act, or OVER
DECIDED = MOVER + 1  # [2] by seat: squares decided in the set-up, or READY
PLIES = DECIDED + 2  # moves played by both
QUIET = PLIES + 1  # moves since the last attack
WINNER = QUIET + 1  # 1 + seat, or 0
ENDED = WINNER + 1  # why the game is over, or NOT_OVER
LAST_FROM = ENDED + 1  # [2] by seat: the square its last move left
LAST_TO = LAST_FROM + 2  # [2] by seat: the square its last move went to
SHUTTLE = LAST_TO + 2  # [2] by seat: its last moves in a row that went between the same two squares
CHASE = SHUTTLE + 2  # [2] by seat: how many of the last moves belong to its chase, or 0
TRAIL_LENGTH = CHASE + 2  # moves kept in TRAIL, as many as the longer chase has
TRAIL = TRAIL_LENGTH + 1  # [200] the last moves, from * 100 + to, oldest first
MOST_TRAIL = 200
VARIANT = TRAIL + MOST_TRAIL  # option: CLASSIC, MINI, BARRAGE or DUEL
LONG_SCOUTS = VARIANT + 1  # option: 1 if scouts move any distance
TWO_SQUARES = LONG_SCOUTS + 1  # option: moves in a row between two squares, 0 for no limit
MORE_SQUARES = TWO_SQUARES + 1  # option: 1 if endless chases are forbidden
NO_ATTACK = MORE_SQUARES + 1  # option: a draw after so many moves without attack, 0 never
MOST_PLIES = NO_ATTACK + 1  # option: a draw after so many moves
ORIGIN = MOST_PLIES + 1  # [2] by seat: where set-ups come from; start() uses it up and leaves 0
PAPER_ENDS = ORIGIN + 2  # option: 1 if a side that cannot move loses, whatever the other can do
REPETITION = PAPER_ENDS + 1  # option: how the rules against repetition are read
CROSSED = REPETITION + 1  # [2] by seat: the highest of its counts in CROSSINGS, 0 if none is kept
CROSSINGS = CROSSED + 2  # [2, 9] by seat and border on the way of its last move: how many of its
BORDERS = SIDE - 1  # last moves in a row crossed it; kept only where SHUTTLE does not say it
POSITION_SIZE = CROSSINGS + 2 * BORDERS

READY = 99  # of DECIDED: the seat has finished its set-up
NOT_OVER, FLAG_TAKEN, STUCK, BOTH_STUCK, QUIET_END, LONG_END = 0, 1, 2, 3, 4, 5  # of ENDED
CHOSEN, RANDOM, GIVEN, ANY_NAMED = 0, 1, 2, 3  # of ORIGIN

TOURNAMENT, AS_IN_VERSION_1 = 0, 1  # of REPETITION

CLASSIC, MINI, BARRAGE, DUEL = 0, 1, 2, 3
VARIANT_NAMES = ("classic", "mini", "barrage", "duel")

# How many pieces of each rank: UNKNOWN, spy, 2 to 10, bomb, flag.
PIECE_COUNTS = np.array(
    [
        [0, 1, 8, 5, 4, 4, 4, 3, 2, 1, 1, 6, 1],
        [0, 1, 2, 2, 0, 1, 0, 1, 0, 1, 1, 2, 1],
        [0, 1, 2, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1],
        [0, 1, 2, 2, 0, 0, 0, 0, 0, 1, 1, 2, 1],
    ],
    dtype=np.int64,
)  # [variant, rank]
SIDES = np.array([SIDE, SMALL_SIDE, SIDE, SIDE], dtype=np.int64)  # [variant]
OWN_ROWS = np.array([4, 2, 4, 4], dtype=np.int64)  # [variant] rows in which a seat sets up
LAKES = (42, 43, 46, 47, 52, 53, 56, 57)  # on the large board

# Actions: (place on the board) * 2 (side - 1) + (which of the other squares in its row and column),
# then what is put on the next square of a set-up: nothing or a rank, and DONE.
LEAVE_EMPTY = 0  # of the set-up actions; a rank's is its own number
DONE = RANKS
SETUP_ACTIONS = RANKS + 1

LEFT, RIGHT, UP, DOWN = 0, 1, 2, 3
STEP = np.array([-1, 1, -SIDE, SIDE], dtype=np.int64)  # [direction]

# Results of fights, for the attacker.
WINS, LOSES, BOTH_LOSE = 1, 2, 3


# Names: of sides, of squares as on a chess board, and of ranks.
SEAT_NAMES = ("Red", "Blue")  # by seat
SQUARE_NAME = re.compile(r"([a-j])(10|[1-9])")
RANK_WORDS = {SPY: "spy", SCOUT: "scout", MINER: "miner", BOMB: "bomb", FLAG: "flag"}
RANK_LETTERS = ".S23456789TBF"  # by rank; the first one is for no piece


def square_name(square: int, side: int) -> str:
    """Return the name of a square on a board with so many rows.

    >>> square_name(0, 10), square_name(90, 10), square_name(50, 6)
    ('a10', 'a1', 'a1')
    """
    row, column = divmod(square, SIDE)
    return f"{'abcdefghij'[column]}{side - row}"


def parse_square(text: str, side: int) -> int | None:
    """Return the square of a name, or None if the board has no such square.

    >>> parse_square("a1", 10), parse_square("a7", 6)
    (90, None)
    """
    match = SQUARE_NAME.fullmatch(text)
    if not match:
        return None
    column, row = "abcdefghij".index(match[1]), side - int(match[2])
    return row * SIDE + column if column < side and row >= 0 else None


def rank_name(rank: int) -> str:
    """Return a rank in words.

    >>> rank_name(BOMB), rank_name(7)
    ('bomb', '7')
    """
    assert SPY <= rank <= FLAG
    return RANK_WORDS.get(rank, "10" if rank == MARSHAL else str(rank))


def first_setup_action(side: int) -> int:
    """Return the number of moves on a board, which is that of the first set-up action.

    >>> first_setup_action(6)
    360
    """
    return side * side * 2 * (side - 1)


def action_count(side: int) -> int:
    """Return how many actions there are on a board.

    >>> action_count(10)
    1814
    """
    return first_setup_action(side) + SETUP_ACTIONS


def neighbours() -> NDArray[np.int64]:
    """Build the table of the squares beside each one: left, right, up, down, or BEYOND."""
    table = np.full((SQUARES + 1, 4), BEYOND, dtype=np.int64)
    for square in range(SQUARES):
        row, column = divmod(square, SIDE)
        for direction, (down, right) in enumerate(((0, -1), (0, 1), (-1, 0), (1, 0))):
            if 0 <= row + down < SIDE and 0 <= column + right < SIDE:
                table[square, direction] = square + down * SIDE + right
    return table


def fights() -> NDArray[np.int64]:
    """Build the table of fights by the ranks of attacker and defender."""
    table = np.full((RANKS, RANKS), BOTH_LOSE, dtype=np.int64)
    for attacker in range(SPY, MARSHAL + 1):
        for defender in range(SPY, FLAG + 1):
            if attacker > defender or defender == FLAG:
                table[attacker, defender] = WINS
            elif attacker < defender:
                table[attacker, defender] = LOSES
    table[MINER, BOMB] = WINS
    table[SPY, MARSHAL] = WINS
    return table


def first_actions() -> NDArray[np.int64]:
    """Build the table [board, direction, square] of the actions of single steps."""
    table = np.zeros((2, 4, SQUARES), dtype=np.int64)
    for board, side in enumerate((SIDE, SMALL_SIDE)):
        for row in range(side):
            for column in range(side):
                first = (row * side + column) * 2 * (side - 1)
                down = side - 1 + row
                table[board, :, row * SIDE + column] = (
                    first + column - 1,
                    first + column,
                    first + down - 1,
                    first + down,
                )
    return table


def cells_of_boards() -> NDArray[np.int16]:
    """Build the boards without pieces [variant, 101]: lakes, and what is beyond the edge."""
    table = np.full((len(VARIANT_NAMES), SQUARES + 1), LAKE, dtype=np.int16)
    for variant, side in enumerate(SIDES):
        for square in range(SQUARES):
            row, column = divmod(square, SIDE)
            inside = row < side and column < side
            if inside and not (side == SIDE and square in LAKES):
                table[variant, square] = 0
    return table


def ends_of_moves() -> NDArray[np.int64]:
    """Build the table [board, action, 2] of the squares a move leaves and goes to."""
    table = np.zeros((2, first_setup_action(SIDE), 2), dtype=np.int64)
    for board, side in enumerate((SIDE, SMALL_SIDE)):
        for action in range(first_setup_action(side)):
            place, other = divmod(action, 2 * (side - 1))
            row, column = divmod(place, side)
            if other < side - 1:
                to_row, to_column = row, other + (other >= column)
            else:
                to_row, to_column = other - (side - 1), column
                to_row += to_row >= row
            table[board, action] = row * SIDE + column, to_row * SIDE + to_column
    return table


BESIDE = neighbours()  # [101, 4]
FIGHT = fights()  # [attacker, defender]
BARE_BOARDS = cells_of_boards()  # [variant, 101]
FIRST_ACTION = first_actions()  # [0 large or 1 small, direction, square], of single steps
NEXT_ACTION = np.array([-1, 1, -1, 1], dtype=np.int64)  # [direction] from one square to the next
ENDS = ends_of_moves()  # [0 large or 1 small, action, 2]


@kernel
def as_int64(value: int) -> int:
    """Return a number of a position in the one type that kernels take.

    Arguments of several widths would have every kernel compiled once for each.
    """
    return int(np.int64(value))


@kernel
def rank_of(cell: int) -> int:
    """Return the rank of the piece in a cell."""
    return cell & RANK_BITS


@kernel
def owned_by(cell: int, seat: int) -> bool:
    """Say whether a cell holds a piece of this seat."""
    return (cell & (OWNED << seat)) != 0


@kernel
def can_move(rank: int) -> bool:
    """Say whether pieces of this rank move at all."""
    return SPY <= rank <= MARSHAL


@kernel
def side_of(position: NDArray[np.int16]) -> int:
    """Return how many squares a row of the board has."""
    return int(SIDES[position[VARIANT]])


@kernel
def board_of(position: NDArray[np.int16]) -> int:
    """Return which of the tables of boards is the position's: 0 large, 1 small."""
    return 0 if SIDES[position[VARIANT]] == SIDE else 1


@kernel
def setup_base(position: NDArray[np.int16]) -> int:
    """Return the number of the first set-up action."""
    side = int(SIDES[position[VARIANT]])
    return side * side * 2 * (side - 1)


@kernel
def setting_up(position: NDArray[np.int16]) -> bool:
    """Say whether some seat has not finished its set-up."""
    return bool(position[DECIDED] != READY or position[DECIDED + 1] != READY)


@kernel
def setup_squares(position: NDArray[np.int16]) -> int:
    """Return on how many squares a seat sets up."""
    return int(SIDES[position[VARIANT]] * OWN_ROWS[position[VARIANT]])


@kernel
def setup_square(position: NDArray[np.int16], seat: int, index: int) -> int:
    """Return a square of the set-up: from the front row, left to right as the player sees it."""
    side, rows = int(SIDES[position[VARIANT]]), int(OWN_ROWS[position[VARIANT]])
    row, column = side - rows + index // side, index % side
    if seat == BLUE:
        row, column = side - 1 - row, side - 1 - column
    return row * SIDE + column


@kernel
def action_between(side: int, from_square: int, to_square: int) -> int:
    """Return the action of a move between two squares of one row or column."""
    row, column = from_square // SIDE, from_square % SIDE
    to_row, to_column = to_square // SIDE, to_square % SIDE
    if to_row == row:
        other = to_column - (1 if to_column > column else 0)
    else:
        other = side - 1 + to_row - (1 if to_row > row else 0)
    return (row * side + column) * 2 * (side - 1) + other


@kernel
def from_square_of(side: int, action: int) -> int:
    """Return the square that a move leaves."""
    return int(ENDS[0 if side == SIDE else 1, action, 0])


@kernel
def to_square_of(side: int, action: int) -> int:
    """Return the square that a move goes to."""
    return int(ENDS[0 if side == SIDE else 1, action, 1])


@kernel
def turned_action(side: int, action: int) -> int:
    """Return the same action on the board turned by 180 degrees; set-up actions stay."""
    reach = side - 1
    if action >= side * side * 2 * reach:
        return action
    place, other = action // (2 * reach), action % (2 * reach)
    turned = reach - 1 - other if other < reach else 3 * reach - 1 - other
    return (side * side - 1 - place) * 2 * reach + turned
