"""What has happened in a game of Stratego, as far as a position no longer tells.

A position says where the pieces are; how they came there tells what they are. A piece that ran from
a known sergeant is no captain, one that three times stood beside a miner and was left there may be
a bomb. So the champion remembers for every piece how often it moved, attacked, came beside an enemy
and went away from one, and how often it was left standing beside one, and the last moves of both
sides. All of that was seen by both, so there are no secrets in it.

A network sees it as planes beside those of the position (``planes.encode``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.games.stratego import layout

__all__ = [
    "FACTS",
    "HISTORY_CELLS",
    "HISTORY_PLANE_NAMES",
    "History",
    "encode_history",
    "remember",
    "remember_all",
]

SQUARES = layout.SQUARES
# Facts of the piece on a square: [FACTS, 100] numbers at the beginning of a history.
MOVES, LAST, ATTACKS, APPROACHES, RETREATS, LEFT_ALONE = 0, 1, 2, 3, 4, 5
FACTS = 6
PLIES = FACTS * SQUARES  # moves of both sides that are remembered
SWITCHED_OFF = PLIES + 1  # 1: nothing is remembered
RECENT = SWITCHED_OFF + 1  # [16] the last moves of both sides, newest first: from * 100 + to, or 0
RECENT_MOVES = 16
HISTORY_CELLS = RECENT + RECENT_MOVES

# What a fact is divided by; it counts no further than that. LAST is told as how long ago it was.
MOST = np.array([8, 1, 3, 4, 4, 8], dtype=np.float32)
MEMORY = np.float32(4.0)  # plies after which the last move of a piece counts half

HISTORY_PLANE_NAMES = (
    "how often a piece has moved, own and other's -, in parts of 8",
    "how lately it has moved, from 1 down",
    "how often it has attacked, in parts of 3",
    "how often it has come beside an enemy, in parts of 4",
    "how often it has gone away from one, in parts of 4",
    "how often it has been left standing beside one, in parts of 8",
    *(f"the move {back} plies ago: left -1, reached 1" for back in range(1, RECENT_MOVES + 1)),
)


@inlined
def enemy_beside(board: NDArray[np.int16], square: int, seat: int) -> bool:
    """Say whether a piece of the other seat stands beside a square."""
    for direction in range(4):
        beside = layout.BESIDE[square, direction]
        if (layout.as_int64(board[beside]) & (layout.OWNED << (1 - seat))) != 0:
            return True
    return False


@kernel
def board_before(
    after: NDArray[np.int16], seat: int, left: int, reached: int, board: NDArray[np.int16]
) -> None:
    """Write who stood where [101] before a move; of the two squares of the move only the owners."""
    for square in range(SQUARES + 1):
        board[square] = after[square]
    board[left] = layout.OWNED << seat
    attacked = after[layout.QUIET] == 0
    board[reached] = layout.OWNED << (1 - seat) if attacked else 0


@kernel
def remember(history: NDArray[np.int16], after: NDArray[np.int16], action: int) -> None:
    """Take in the move that led to a position, or to a view of it, in which the game goes on."""
    if history[SWITCHED_OFF] != 0:
        return
    board = layout.board_of(after)
    left = layout.as_int64(layout.ENDS[board, action, 0])
    reached = layout.as_int64(layout.ENDS[board, action, 1])
    seat = 1 - layout.as_int64(after[layout.MOVER])
    before = np.empty(SQUARES + 1, dtype=np.int16)
    board_before(after, seat, left, reached, before)
    history[PLIES] += 1
    for back in range(RECENT_MOVES - 1, 0, -1):
        history[RECENT + back] = history[RECENT + back - 1]
    history[RECENT] = left * SQUARES + reached
    own = layout.OWNED << seat
    for square in range(SQUARES):
        if (layout.as_int64(before[square]) & own) != 0 and square != left:
            history[LEFT_ALONE * SQUARES + square] += enemy_beside(before, square, seat)
    if (layout.as_int64(after[reached]) & own) != 0:
        take_along(history, before, after, seat, left, reached)
    elif after[reached] == 0:  # both are gone
        for fact in range(FACTS):
            history[fact * SQUARES + reached] = 0
    for fact in range(FACTS):
        history[fact * SQUARES + left] = 0


@kernel
def take_along(
    history: NDArray[np.int16],
    before: NDArray[np.int16],
    after: NDArray[np.int16],
    seat: int,
    left: int,
    reached: int,
) -> None:
    """Bring the facts of a piece to the square that it has reached, and count its move."""
    for fact in range(FACTS):
        history[fact * SQUARES + reached] = history[fact * SQUARES + left]
    history[MOVES * SQUARES + reached] += 1
    history[LAST * SQUARES + reached] = history[PLIES]
    attacked, beside = before[reached] != 0, enemy_beside(after, reached, seat)
    history[ATTACKS * SQUARES + reached] += attacked
    if not attacked:
        history[APPROACHES * SQUARES + reached] += beside
        history[RETREATS * SQUARES + reached] += enemy_beside(before, left, seat) and not beside


@kernel
def encode_history(
    history: NDArray[np.int16],
    position: NDArray[np.int16],
    seat: int,
    planes: NDArray[np.float32],
) -> None:
    """Write what is remembered into planes [22, 10, 10], as a seat sees the board."""
    flat = planes.reshape((planes.shape[0], SQUARES))
    flat[:] = np.float32(0.0)
    for square in range(SQUARES):
        cell = layout.as_int64(position[square])
        own = (cell & (layout.OWNED << seat)) != 0
        if not own and (cell & (layout.OWNED << (1 - seat))) == 0:
            continue
        sign = np.float32(1.0 if own else -1.0)
        place = square if seat == layout.RED else SQUARES - 1 - square
        for fact in range(FACTS):
            count = np.float32(history[fact * SQUARES + square])
            flat[fact, place] = sign * min(count / MOST[fact], np.float32(1.0))
        last = layout.as_int64(history[LAST * SQUARES + square])
        age = np.float32(layout.as_int64(history[PLIES]) - last)
        flat[LAST, place] = sign * (MEMORY / (MEMORY + age)) if last > 0 else np.float32(0.0)
    for back in range(RECENT_MOVES):
        move = layout.as_int64(history[RECENT + back])
        if move != 0:
            left, reached = move // SQUARES, move % SQUARES
            if seat != layout.RED:
                left, reached = SQUARES - 1 - left, SQUARES - 1 - reached
            flat[FACTS + back, left] = np.float32(-1.0)
            flat[FACTS + back, reached] = np.float32(1.0)


@kernel
def remember_all(
    histories: NDArray[np.int16],
    after: NDArray[np.int16],
    actions: NDArray[np.int64],
    over: NDArray[np.bool_],
) -> None:
    """Take in a move of every game [n]; where one is over, another has begun."""
    for row in range(len(histories)):
        if over[row]:
            for cell in range(HISTORY_CELLS):
                histories[row, cell] = 0
        else:
            remember(histories[row], after[row], actions[row])


class History:
    """The history of one game as it is watched, action by action.

    A position that did not come about so (somebody asks about it, or the game was joined later) has
    no history, and its planes are empty.

    >>> History().cells.shape == (HISTORY_CELLS,)
    True
    """

    def __init__(self) -> None:
        self.cells = np.zeros(HISTORY_CELLS, dtype=np.int16)

    def watch(self, position: NDArray[np.int16], action: int | None) -> None:
        """Look at the view after an action; those of set-ups are nothing to remember."""
        moves = layout.first_setup_action(layout.side_of(position))
        if action is not None and action < moves and position[layout.MOVER] != layout.OVER:
            remember(self.cells, position, int(action))

    def planes(self, position: NDArray[np.int16], seat: int) -> NDArray[np.float32]:
        """Return planes [22, 10, 10] of what led to a view of a seat."""
        planes = np.zeros((len(HISTORY_PLANE_NAMES), layout.SIDE, layout.SIDE), dtype=np.float32)
        if self.cells[PLIES] == position[layout.PLIES]:
            encode_history(self.cells, position, seat, planes)
        return planes
