"""The layout of a position and the rules of connect four."""

from sandtable import OVER, kernel

COLUMNS, ROWS = 7, 6
LINE = 4  # stones in a row that win

MOVER, END = 0, 1  # cells of the array: whose turn it is, and how the game stands
BOARD = 2  # cells from here: the squares, row by row from below; 0 empty, or 1 + the seat
SQUARES = COLUMNS * ROWS
POSITION_SIZE = BOARD + SQUARES

EMPTY = 0
RUNNING, WON, FULL = 0, 1, 2  # what stands in END; who has moved last has won


@kernel
def start(position, dice):
    """Begin with an empty board."""
    for cell in range(POSITION_SIZE):
        position[cell] = 0


@kernel
def stones_along(position, square, up, right):
    """Count the stones of one seat that follow a square in one direction, without it."""
    row, column = square // COLUMNS + up, square % COLUMNS + right
    count = 0
    while 0 <= row < ROWS and 0 <= column < COLUMNS:
        if position[BOARD + row * COLUMNS + column] != position[BOARD + square]:
            break
        row, column, count = row + up, column + right, count + 1
    return count


@kernel
def in_line(position, square):
    """Say whether the stone on a square is one of a line that wins."""
    for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        ahead = stones_along(position, square, up, right)
        if 1 + ahead + stones_along(position, square, -up, -right) >= LINE:
            return True
    return False


@kernel
def end_after(position, square):
    """Return what END is after a stone has come to a square."""
    if in_line(position, square):
        return WON
    for column in range(COLUMNS):
        if position[BOARD + SQUARES - COLUMNS + column] == EMPTY:
            return RUNNING
    return FULL


@kernel
def turn(position):
    """Return the seat to act, or OVER."""
    return int(position[MOVER]) if position[END] == RUNNING else OVER


@kernel
def legal(position, mask):
    """Mark the columns with room; an action is the number of its column."""
    count = 0
    for column in range(COLUMNS):
        room = position[BOARD + SQUARES - COLUMNS + column] == EMPTY
        mask[column] = room and position[END] == RUNNING
        count += mask[column]
    return count


@kernel
def apply(position, action, dice):
    """Drop a stone into a column."""
    square = action
    while position[BOARD + square] != EMPTY:
        square += COLUMNS
    position[BOARD + square] = 1 + position[MOVER]
    position[MOVER] = 1 - position[MOVER]
    position[END] = end_after(position, square)


@kernel
def score(position, scores):
    """A line wins, for the seat that has moved last; a full board is a draw."""
    won = 1.0 if position[END] == WON else 0.0
    scores[1 - position[MOVER]] = won
    scores[position[MOVER]] = -won


@kernel
def hide(position, seat):
    """Nothing is secret."""


@kernel
def guess(position, seat, dice):
    """Nothing is secret."""


@kernel
def encode(position, seat, planes):
    """Write what a network sees: the own stones, and those of the other."""
    for square in range(SQUARES):
        row, column = square // COLUMNS, square % COLUMNS
        planes[0, row, column] = position[BOARD + square] == 1 + seat
        planes[1, row, column] = position[BOARD + square] == 2 - seat
