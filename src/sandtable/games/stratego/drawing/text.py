"""Stratego as pictures: what there is to see in a position, in text and in words.

The board for screens and paper is in ``drawing_svg``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sandtable.games.stratego import layout
from sandtable.games.stratego.drawing import svg as drawing_svg
from sandtable.games.stratego.notation.text import reason_of
from sandtable.types import Position

__all__ = ["Piece", "StrategoDrawing", "StrategoSituation", "situation_of"]

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
class StrategoSituation:
    """Everything a drawing shows."""

    title: str  # of the game, with the variant
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
    left: tuple[tuple[int, ...], tuple[int, ...]]  # by seat and rank: not lost, or not placed yet
    army: tuple[int, ...]  # by rank: what each side began with
    reason: str  # why the game is over, or empty
    result: str  # who has won, or empty
    one_high: bool  # the marshal is shown as 1 and the scout as 9

    @property
    def state_of_play(self) -> str:
        """Who is to move, or why nobody is."""
        if self.mover == layout.OVER:
            return f"game over, {self.reason}"
        return f"{layout.SEAT_NAMES[self.mover]} {'sets up' if self.setting_up else 'to move'}"

    @property
    def when(self) -> str:
        """The number of the move."""
        if self.setting_up:
            return "set-up"
        return f"move {self.plies + (0 if self.mover == layout.OVER else 1)}"

    @property
    def last_move(self) -> tuple[int, int, int] | None:
        """The seat of the last move, and its two squares."""
        seat = 1 - self.plies % 2
        move = self.last_moves[seat]
        return None if move is None else (seat, *move)

    @property
    def quiet_words(self) -> str:
        """How many moves there were without attack, and how many end the game."""
        if self.setting_up or not self.quiet:
            return ""
        limit = f" of {self.quiet_limit}" if self.quiet_limit else ""
        return f"{self.quiet}{limit} moves without an attack"

    def rank_words(self, rank: int) -> str:
        """Return a rank in words, in the order that is shown."""
        if rank == layout.UNKNOWN:
            return "piece"
        return (
            self.shown_rank(rank)
            if layout.SCOUT <= rank <= layout.MARSHAL
            else layout.rank_name(rank)
        )

    def shown_rank(self, rank: int) -> str:
        """Return what is written on a piece."""
        if rank == layout.UNKNOWN:
            return "?"
        if layout.SCOUT <= rank <= layout.MARSHAL:
            return str(layout.MARSHAL + 1 - rank if self.one_high else rank)
        return layout.rank_name(rank)[0].upper()


def situation_of(position: Position, one_high: bool = False) -> StrategoSituation:
    """Read off a position what drawings show."""
    position = np.array(position)  # kernels would be compiled anew for a read-only one
    side = int(layout.SIDES[int(position[layout.VARIANT])])
    mover = int(position[layout.MOVER])
    over = mover == layout.OVER
    squares = [row * layout.SIDE + column for row in range(side) for column in range(side)]
    lakes = frozenset(
        square for square in squares if position[layout.BOARD + square] == layout.LAKE
    )
    moves = [
        (int(position[layout.LAST_FROM + seat]), int(position[layout.LAST_TO + seat]))
        if position[layout.SHUTTLE + seat]
        else None
        for seat in (layout.RED, layout.BLUE)
    ]
    variant = int(position[layout.VARIANT])
    return StrategoSituation(
        title="Stratego"
        if variant == layout.CLASSIC
        else f"Stratego {layout.VARIANT_NAMES[variant]}",
        side=side,
        lakes=lakes,
        pieces=tuple(pieces_on(position).values()),
        plies=int(position[layout.PLIES]),
        quiet=int(position[layout.QUIET]),
        quiet_limit=int(position[layout.NO_ATTACK]),
        mover=mover,
        setting_up=bool(layout.setting_up(position)),
        next_square=next_square_of(position),
        last_moves=(moves[layout.RED], moves[layout.BLUE]),
        lost=(lost_ranks(position, layout.RED), lost_ranks(position, layout.BLUE)),
        left=(left_ranks(position, layout.RED), left_ranks(position, layout.BLUE)),
        army=tuple(map(int, layout.PIECE_COUNTS[variant])),
        reason=reason_of(position) if over else "",
        result=result_of(position) if over else "",
        one_high=one_high,
    )


def result_of(position: Position) -> str:
    """Say who has won a finished game."""
    return (
        f"{layout.SEAT_NAMES[int(position[layout.WINNER]) - 1]} wins"
        if position[layout.WINNER]
        else "Draw"
    )


def next_square_of(position: Position) -> int | None:
    """Return the square that is to be decided next in a set-up."""
    mover = int(position[layout.MOVER])
    if mover == layout.OVER or not layout.setting_up(position):
        return None
    decided = int(position[layout.DECIDED + mover])
    open_square = decided != layout.READY and decided < layout.setup_squares(position)
    return int(layout.setup_square(position, mover, decided)) if open_square else None


def pieces_on(position: Position) -> dict[int, Piece]:
    """Return all pieces by their squares."""
    pieces = {}
    for square in range(layout.SIDE * layout.SIDE):
        cell = int(position[layout.BOARD + square])
        if cell not in (0, layout.LAKE):
            seat = layout.RED if cell & (layout.OWNED << layout.RED) else layout.BLUE
            known, moved = bool(cell & layout.KNOWN), bool(cell & layout.MOVED)
            pieces[square] = Piece(square, seat, cell % layout.OWNED, known, moved)
    return pieces


def lost_ranks(position: Position, seat: int) -> tuple[int, ...]:
    """Return the ranks of all pieces that a seat has lost, the highest first."""
    counts = layout.PIECE_COUNTS[int(position[layout.VARIANT])]
    alive = position[layout.ALIVE + seat * layout.RANKS : layout.ALIVE + (seat + 1) * layout.RANKS]
    ranks = range(layout.RANKS - 1, layout.UNKNOWN, -1)
    return tuple(rank for rank in ranks for _ in range(int(counts[rank] - alive[rank])))


def left_ranks(position: Position, seat: int) -> tuple[int, ...]:
    """Count by rank the pieces that a seat has not lost, or in its set-up not placed yet."""
    alive: list[int] = position[
        layout.ALIVE + seat * layout.RANKS : layout.ALIVE + (seat + 1) * layout.RANKS
    ].tolist()
    if not layout.setting_up(position):
        return tuple(alive)
    if position[layout.DECIDED + seat] == layout.READY:
        return (0,) * layout.RANKS
    placed = [piece.rank for piece in pieces_on(position).values() if piece.seat == seat]
    return tuple(count - placed.count(rank) for rank, count in enumerate(alive))


class StrategoDrawing:
    """Text, SVG and words for positions."""

    # By seat, how its pieces are written: terminals show them in colour.
    piece_patterns = (
        r"\br(?:10|[1-9BSF?])[!']*",
        r"\bb(?:10|[1-9BSF?])[!']*",
    )

    def __init__(self, one_high: bool = False) -> None:
        self.one_high = one_high

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        situation = situation_of(position, self.one_high)
        quiet = f" ({situation.quiet_words})" if situation.quiet_words else ""
        lines = [f"{situation.title}, {situation.when}: {situation.state_of_play}{quiet}", ""]
        lines += [*board_lines(situation), ""]
        lines += [
            f"{layout.SEAT_NAMES[seat] + ':':6}{side_line(situation, seat)}"
            for seat in (layout.RED, layout.BLUE)
        ]
        return "\n".join([*lines, LEGEND])

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return drawing_svg.document(situation_of(position, self.one_high))

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what a fight has shown, and how the game ended."""
        side = int(layout.SIDES[int(before[layout.VARIANT])])
        lines = []
        if action < layout.first_setup_action(side) and after[layout.QUIET] == 0:
            lines.append(fight_line(before, action, situation_of(after, self.one_high)))
        if after[layout.MOVER] == layout.OVER:
            lines.append(f"the game is over: {reason_of(after)}")
        return lines


def fight_line(before: Position, action: int, after: StrategoSituation) -> str:
    """Tell who fought whom, and who is left; every loss is known to both."""
    from_square = int(layout.from_square_of(after.side, action))
    to_square = int(layout.to_square_of(after.side, action))
    attacking = pieces_on(before)[from_square].seat
    left = next((piece for piece in after.pieces if piece.square == to_square), None)
    ranks = []
    for seat in (attacking, 1 - attacking):
        first = layout.ALIVE + seat * layout.RANKS
        lost = [
            r for r in range(layout.SPY, layout.RANKS) if after.left[seat][r] < before[first + r]
        ]
        ranks.append(lost[0] if lost else (left.rank if left else layout.UNKNOWN))
    words = [after.rank_words(rank) for rank in ranks]
    if left is None:
        outcome = "both are lost"
    else:
        outcome = "and wins" if left.seat == attacking else "and is lost"
    attacker, defender = layout.SEAT_NAMES[attacking], layout.SEAT_NAMES[1 - attacking]
    where = layout.square_name(to_square, after.side)
    return f"{attacker}'s {words[0]} attacks {defender}'s {words[1]} on {where}, {outcome}"


def board_lines(situation: StrategoSituation) -> list[str]:
    """Draw the squares with what stands on them, and their letters and numbers."""
    texts = {piece.square: piece_text(situation, piece) for piece in situation.pieces}
    if situation.next_square is not None:
        texts[situation.next_square] = "_"
    lines = []
    for row in range(situation.side):
        squares = range(row * layout.SIDE, row * layout.SIDE + situation.side)
        cells = [texts.get(square, "~" if square in situation.lakes else ".") for square in squares]
        lines.append(f"{situation.side - row:4}   {line_of_cells(cells)}")
    return [*lines, f"       {line_of_cells(list(LETTERS[: situation.side]))}"]


def side_line(situation: StrategoSituation, seat: int) -> str:
    """Tell what a side has lost and last moved, or what it still has to place."""
    if situation.setting_up:
        ranks = range(layout.RANKS - 1, layout.UNKNOWN, -1)
        words = [
            f"{situation.shown_rank(r)}*{situation.left[seat][r]}"
            for r in ranks
            if situation.left[seat][r]
        ]
        return f"to place {' '.join(words)}" if words else "ready"
    lost = " ".join(situation.shown_rank(rank) for rank in situation.lost[seat]) or "nothing"
    move = situation.last_moves[seat]
    names = "-".join(layout.square_name(square, situation.side) for square in move or ())
    return f"lost {lost}" + (f"; last move {names}" if names else "")


def piece_text(situation: StrategoSituation, piece: Piece) -> str:
    """Write a piece with its marks: ``r7!'``."""
    marks = ("!" if piece.known else "") + ("'" if piece.moved else "")
    return f"{'rb'[piece.seat]}{situation.shown_rank(piece.rank)}{marks}"


def line_of_cells(cells: list[str]) -> str:
    """Write the cells of a row below those of the others."""
    return "".join(f"{cell:{CELL_WIDTH}}" for cell in cells).rstrip()
