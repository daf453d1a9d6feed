"""Hexapawn: the layout of a position and the kernels."""

from sandtable import OVER, kernel

COLUMNS, ROWS, MOVER = 0, 1, 2  # cells: the size of the board, and whose turn it is
BOARD = 3  # cells from here: the squares, row by row from White's side
EMPTY, WHITE, BLACK = 0, 1, 2  # what stands on a square; a pawn is 1 + the number of its seat
NOWHERE = -1


@kernel
def start(position, dice):
    """Put a row of pawns on both sides; the size stands in the array, see Game.initial_cells."""
    columns, last = position[COLUMNS], position[ROWS] - 1
    for column in range(columns):
        position[BOARD + column] = WHITE
        position[BOARD + last * columns + column] = BLACK


@kernel
def target_of(position, origin, aside):
    """Return the square the mover's pawn goes to, 0 or 1 column aside, or NOWHERE."""
    columns, mover = position[COLUMNS], position[MOVER]
    row = origin // columns + 1 - 2 * mover
    column = origin % columns + aside
    if position[BOARD + origin] != WHITE + mover:
        return NOWHERE
    if row < 0 or row >= position[ROWS] or column < 0 or column >= columns:
        return NOWHERE
    target = int(row * columns + column)
    wanted = EMPTY if aside == 0 else BLACK - mover
    return target if position[BOARD + target] == wanted else NOWHERE


@kernel
def far_row_reached(position):
    """Say whether a pawn has come through."""
    columns, last = position[COLUMNS], position[ROWS] - 1
    for column in range(columns):
        if position[BOARD + column] == BLACK or position[BOARD + last * columns + column] == WHITE:
            return True
    return False


@kernel
def turn(position):
    """Return the seat to act, or OVER."""
    if not far_row_reached(position):
        for origin in range(position[COLUMNS] * position[ROWS]):
            for aside in range(-1, 2):
                if target_of(position, origin, aside) != NOWHERE:
                    return int(position[MOVER])
    return OVER


@kernel
def legal(position, mask):
    """Mark the moves; an action is the square a pawn leaves and the one it goes to."""
    mask[:] = False
    if far_row_reached(position):
        return 0
    count = 0
    squares = int(position[COLUMNS] * position[ROWS])
    for origin in range(squares):
        for aside in range(-1, 2):
            target = target_of(position, origin, aside)
            if target != NOWHERE:
                mask[origin * squares + target] = True
                count += 1
    return count


@kernel
def apply(position, action, dice):
    """Move a pawn, and pass the turn on."""
    squares = position[COLUMNS] * position[ROWS]
    position[BOARD + action // squares] = EMPTY
    position[BOARD + action % squares] = WHITE + position[MOVER]
    position[MOVER] = 1 - position[MOVER]


@kernel
def score(position, scores):
    """Whoever would be next has lost: the other one came through, or left no move."""
    loser = position[MOVER]
    scores[loser] = -1.0
    scores[1 - loser] = 1.0


@kernel
def hide(position, seat):
    """Nothing is hidden."""


@kernel
def guess(position, seat, dice):
    """Nothing is hidden, so there is nothing to guess."""


@kernel
def encode(position, seat, planes):
    """Write both sides into planes [3, rows, columns], turned for nobody, as actions are not."""
    columns = position[COLUMNS]
    for square in range(columns * position[ROWS]):
        pawn = position[BOARD + square]
        planes[0, square // columns, square % columns] = pawn == WHITE
        planes[1, square // columns, square % columns] = pawn == BLACK
        planes[2, square // columns, square % columns] = seat
