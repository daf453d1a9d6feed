"""Stratego as pictures: what there is to see in a position, in text and in words.

The board for screens and paper is in ``drawing_svg``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sandtable.games.stratego import drawing_svg
from sandtable.games.stratego.layout import (
    ALIVE,
    BLUE,
    BOARD,
    DECIDED,
    KNOWN,
    LAKE,
    LAST_FROM,
    LAST_TO,
    MARSHAL,
    MOVED,
    MOVER,
    NO_ATTACK,
    OVER,
    OWNED,
    PIECE_COUNTS,
    PLIES,
    QUIET,
    RANKS,
    READY,
    RED,
    SCOUT,
    SHUTTLE,
    SIDE,
    SIDES,
    SPY,
    UNKNOWN,
    VARIANT,
    WINNER,
    first_setup_action,
    from_square_of,
    setting_up,
    setup_square,
    setup_squares,
    to_square_of,
)
from sandtable.games.stratego.notation import reason_of
from sandtable.games.stratego.squares import SEAT_NAMES, rank_name, square_name
from sandtable.types import Position

__all__ = ["Piece", "Situation", "StrategoDrawing", "situation"]

CELL_WIDTH = 6  # of the text drawing: owner, rank and two marks
LETTERS = "abcdefghij"
LEGEND = "r Red, b Blue, ? unknown, ! known to the other side, ' has moved, ~ lake"


@dataclass(frozen=True)
class Piece:
    """One piece on the board, as far as it is seen."""

    square: int
    seat: int
    rank: int  # or UNKNOWN
    known: bool  # to the other side
    moved: bool


@dataclass(frozen=True)
class Situation:
    """Everything a drawing shows."""

    side: int
    lakes: frozenset[int]
    pieces: tuple[Piece, ...]  # in the order of their squares
    plies: int
    quiet: int
    quiet_limit: int
    mover: int  # seat, or OVER
    setting_up: bool
    next_square: int | None  # of the mover's set-up
    last_moves: tuple[tuple[int, int] | None, tuple[int, int] | None]  # by seat: from, to
    lost: tuple[tuple[int, ...], tuple[int, ...]]  # by seat: ranks, highest first
    alive: tuple[tuple[int, ...], tuple[int, ...]]  # by seat and rank
    reason: str  # why the game is over, or empty
    result: str  # who has won, or empty
    one_high: bool  # the marshal is shown as 1 and the scout as 9

    @property
    def state_of_play(self) -> str:
        """Who is to move, or why nobody is."""
        if self.mover == OVER:
            return f"game over, {self.reason}"
        return f"{SEAT_NAMES[self.mover]} {'sets up' if self.setting_up else 'to move'}"

    @property
    def when(self) -> str:
        """The number of the move."""
        if self.setting_up:
            return "set-up"
        return f"move {self.plies + (0 if self.mover == OVER else 1)}"

    @property
    def last_move(self) -> tuple[int, int, int] | None:
        """The seat of the last move, and its two squares."""
        seat = 1 - self.plies % 2
        move = self.last_moves[seat]
        return None if move is None else (seat, *move)

    def shown_rank(self, rank: int) -> str:
        """Return what is written on a piece."""
        if rank == UNKNOWN:
            return "?"
        if SCOUT <= rank <= MARSHAL:
            return str(MARSHAL + 1 - rank if self.one_high else rank)
        return rank_name(rank)[0].upper()


def situation(position: Position, one_high: bool = False) -> Situation:
    """Read off a position what drawings show."""
    position = np.array(position)  # kernels would be compiled anew for a read-only one
    side = int(SIDES[int(position[VARIANT])])
    mover = int(position[MOVER])
    over = mover == OVER
    squares = [row * SIDE + column for row in range(side) for column in range(side)]
    lakes = frozenset(square for square in squares if position[BOARD + square] == LAKE)
    moves = [
        (int(position[LAST_FROM + seat]), int(position[LAST_TO + seat]))
        if position[SHUTTLE + seat]
        else None
        for seat in (RED, BLUE)
    ]
    alive = [
        tuple(position[ALIVE + seat * RANKS : ALIVE + (seat + 1) * RANKS].tolist())
        for seat in (RED, BLUE)
    ]
    return Situation(
        side=side,
        lakes=lakes,
        pieces=tuple(pieces_on(position).values()),
        plies=int(position[PLIES]),
        quiet=int(position[QUIET]),
        quiet_limit=int(position[NO_ATTACK]),
        mover=mover,
        setting_up=bool(setting_up(position)),
        next_square=next_square_of(position),
        last_moves=(moves[RED], moves[BLUE]),
        lost=(lost_ranks(position, RED), lost_ranks(position, BLUE)),
        alive=(alive[RED], alive[BLUE]),
        reason=reason_of(position) if over else "",
        result=result_of(position) if over else "",
        one_high=one_high,
    )


def result_of(position: Position) -> str:
    """Say who has won a finished game."""
    return f"{SEAT_NAMES[int(position[WINNER]) - 1]} wins" if position[WINNER] else "Draw"


def next_square_of(position: Position) -> int | None:
    """Return the square that is to be decided next in a set-up."""
    mover = int(position[MOVER])
    if mover == OVER or not setting_up(position):
        return None
    decided = int(position[DECIDED + mover])
    open_square = decided != READY and decided < setup_squares(position)
    return int(setup_square(position, mover, decided)) if open_square else None


def pieces_on(position: Position) -> dict[int, Piece]:
    """Return all pieces by their squares."""
    found = {}
    for square in range(SIDE * SIDE):
        cell = int(position[BOARD + square])
        if cell not in (0, LAKE):
            seat = RED if cell & (OWNED << RED) else BLUE
            known, moved = bool(cell & KNOWN), bool(cell & MOVED)
            found[square] = Piece(square, seat, cell % OWNED, known, moved)
    return found


def lost_ranks(position: Position, seat: int) -> tuple[int, ...]:
    """Return the ranks of all pieces that a seat has lost, the highest first."""
    counts = PIECE_COUNTS[int(position[VARIANT])]
    alive = position[ALIVE + seat * RANKS : ALIVE + (seat + 1) * RANKS]
    ranks = range(RANKS - 1, UNKNOWN, -1)
    return tuple(rank for rank in ranks for _ in range(int(counts[rank] - alive[rank])))


class StrategoDrawing:
    """Text, SVG and words for positions."""

    def __init__(self, one_high: bool = False) -> None:
        self.one_high = one_high

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        seen = situation(position, self.one_high)
        quiet = f", {seen.quiet} without attack" if seen.quiet else ""
        lines = [f"Stratego, {seen.when}: {seen.state_of_play}{quiet}", "", *board_lines(seen), ""]
        for seat, name in enumerate(SEAT_NAMES):
            move = seen.last_moves[seat]
            names = [square_name(square, seen.side) for square in move or ()]
            lost = " ".join(seen.shown_rank(rank) for rank in seen.lost[seat]) or "nothing"
            last = f"; last move {'-'.join(names)}" if names else ""
            lines.append(f"{name + ':':6}lost {lost}{last}")
        return "\n".join([*lines, LEGEND])

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return drawing_svg.document(situation(position, self.one_high))

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what a fight has shown, and how the game ended."""
        side = int(SIDES[int(before[VARIANT])])
        lines = []
        if action < first_setup_action(side) and after[QUIET] == 0:
            lines.append(fight_line(before, action, after, self.one_high))
        if after[MOVER] == OVER:
            lines.append(f"the game is over: {reason_of(after)}")
        return lines


def fight_line(before: Position, action: int, after: Position, one_high: bool) -> str:
    """Tell who fought whom, and who is left; every loss is known to both."""
    side = int(SIDES[int(before[VARIANT])])
    from_square, to_square = from_square_of(side, action), to_square_of(side, action)
    attacking = pieces_on(before)[int(from_square)].seat
    left = pieces_on(after).get(int(to_square))
    ranks = []
    for seat in (attacking, 1 - attacking):
        first = ALIVE + seat * RANKS
        lost = [rank for rank in range(SPY, RANKS) if after[first + rank] < before[first + rank]]
        ranks.append(lost[0] if lost else (left.rank if left else UNKNOWN))
    words = [fighter_name(rank, one_high) for rank in ranks]
    where = square_name(int(to_square), side)
    if left is None:
        outcome = "both are lost"
    else:
        outcome = "and wins" if left.seat == attacking else "and is lost"
    attacker, defender = SEAT_NAMES[attacking], SEAT_NAMES[1 - attacking]
    return f"{attacker}'s {words[0]} attacks {defender}'s {words[1]} on {where}, {outcome}"


def fighter_name(rank: int, one_high: bool) -> str:
    """Return a rank in words, in the order that is shown."""
    if one_high and SCOUT <= rank <= MARSHAL:
        return str(MARSHAL + 1 - rank)
    return "piece" if rank == UNKNOWN else rank_name(rank)


def board_lines(seen: Situation) -> list[str]:
    """Draw the squares with what stands on them, and their letters and numbers."""
    texts = {piece.square: piece_text(seen, piece) for piece in seen.pieces}
    if seen.next_square is not None:
        texts[seen.next_square] = "_"
    lines = []
    for row in range(seen.side):
        squares = range(row * SIDE, row * SIDE + seen.side)
        cells = [texts.get(square, "~" if square in seen.lakes else ".") for square in squares]
        lines.append(f"{seen.side - row:4}   {line_of_cells(cells)}")
    return [*lines, f"       {line_of_cells(list(LETTERS[: seen.side]))}"]


def piece_text(seen: Situation, piece: Piece) -> str:
    """Write a piece with its marks: ``r7!'``."""
    marks = ("!" if piece.known else "") + ("'" if piece.moved else "")
    return f"{'rb'[piece.seat]}{seen.shown_rank(piece.rank)}{marks}"


def line_of_cells(cells: list[str]) -> str:
    """Write the cells of a row below those of the others."""
    return "".join(f"{cell:{CELL_WIDTH}}" for cell in cells).rstrip()
