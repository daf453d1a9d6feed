"""Stratego as a board in SVG.

The look is that of a map sheet: land in two faint greens, lakes with a shore. Only plain attributes
are used, no styles, scripts or identifiers, so that several drawings can stand in one page;
``class`` and ``data-square`` tell programs what is what. Pieces are tiles with ranks, or with a
back; Red's have a round top and Blue's cut corners, so that nothing hangs on colour alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sandtable.games.stratego import layout
from sandtable.pictures import INK, box, moved_to, number, tag, text

if TYPE_CHECKING:
    from sandtable.games.stratego.drawing.text import Piece, StrategoSituation

__all__ = ["document"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

# Places, in units of the view box.
WIDTH, HEIGHT = 760, 888
MAP_LEFT, MAP_TOP, MAP_SIZE = 52, 84, 656
MAP_RIGHT, MAP_BOTTOM = MAP_LEFT + MAP_SIZE, MAP_TOP + MAP_SIZE
FORCES_Y = MAP_BOTTOM + 56  # of the table of pieces still there
FORCES_LEFT, FORCES_STEP = MAP_LEFT + 76, 48
LEGEND_Y = MAP_BOTTOM + 124
TILE_CELL = 64.0  # the size of a square for which tiles are drawn

# Colours of the sheet.
PAPER, PAPER_EDGE, FAINT_INK = "#f6f2e7", "#9d9580", "#7a7362"
LAND, LAND_TOO = "#e8ead8", "#e0e4cc"
WATER, SHORE, WAVE = "#bcd3e0", "#8fb0c4", "#dbe9f1"
WAVES = "M-24 -9 q6 -7 12 0 t12 0 t12 0 M-10 10 q6 -7 12 0 t12 0 t12 0"
RANKS_SHOWN = (10, 9, 8, 7, 6, 5, 4, 3, 2, layout.SPY, layout.BOMB, layout.FLAG)

# Colours and shapes of pieces.
SIDE_INK = ("#6f1a12", "#12355f")  # by seat
SIDE_FILL = ("#cf4a3a", "#2e6cb3")
BACK_FILL = ("#a63a2d", "#24578f")  # of unknown pieces
WHITE = "#ffffff"
PLATE = "#fffdf6"
MARK = "#f2b632"  # of last moves and next squares

# Tiles fit into a square from -27 to 27.
TILE = (
    "M-23 27 V-7 A23 20 0 0 1 23 -7 V27 Z",  # Red
    "M-23 27 V-14 L-11 -27 H11 L23 -14 V27 Z",  # Blue
)
FACE = (
    "M-19.5 23.5 V-6.5 A19.5 17 0 0 1 19.5 -6.5 V23.5 Z",
    "M-19.5 23.5 V-12.6 L-9.5 -23.5 H9.5 L19.5 -12.6 V23.5 Z",
)
FLAG_SIGN = "M-10 -14 H-6.5 V-12.5 H13 L8 -6 L13 0.5 H-6.5 V15 H-10 Z"
FUSE = "M6 -7 Q10 -14 15 -12"
SPARK = "M15 -17 L16.5 -13.5 L20 -12 L16.5 -10.5 L15 -7 L13.5 -10.5 L10 -12 L13.5 -13.5 Z"
LATTICE = ((0, -13), (-9, -3), (9, -3), (0, 7), (-9, 17), (9, 17))  # middles of diamonds
EYE = "M-8 0 Q0 -7.5 8 0 Q0 7.5 -8 0 Z"
TILT = 1.5  # how far signs stand below the middle of a tile, which is broader there


def cell_size(situation: StrategoSituation) -> float:
    """Return how wide a square is."""
    return MAP_SIZE / situation.side


def centre(situation: StrategoSituation, square: int) -> tuple[float, float]:
    """Return the centre of a square."""
    row, column = divmod(square, layout.SIDE)
    return MAP_LEFT + (column + 0.5) * cell_size(situation), MAP_TOP + (row + 0.5) * cell_size(
        situation
    )


def document(situation: StrategoSituation) -> str:
    """Draw the whole sheet."""
    parts = [
        tag("title", escape(f"Stratego, {situation.when}: {situation.state_of_play}")),
        tag("desc", escape(description(situation))),
        tag("rect", width=WIDTH, height=HEIGHT, rx=14, fill=PAPER, stroke=PAPER_EDGE),
        heading(situation),
        terrain(situation),
        last_move(situation),
        frame(situation),
        pieces(situation),
        arrow(situation),
        forces(situation),
        legend(situation),
    ]
    drawn = tag(
        "svg",
        *(f"\n{part}" for part in parts if part),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        role="img",
        font_family=FONTS,
    )
    return drawn.encode("ascii", "xmlcharrefreplace").decode()  # the same in every encoding


def piece_words(situation: StrategoSituation, piece: Piece) -> str:
    """Say what a piece is and where, for example ``Red 7 on d4, known, has moved``."""
    unknown = piece.rank == layout.UNKNOWN
    name = "unknown piece" if unknown else situation.rank_words(piece.rank)
    square = layout.square_name(piece.square, situation.side)
    marks = (", known to the other side" if piece.known else "") + ", has moved" * piece.moved
    return f"{layout.SEAT_NAMES[piece.seat]} {name} on {square}{marks}"


def description(situation: StrategoSituation) -> str:
    """Say in words what the drawing shows, for those who cannot see it."""
    words = "; ".join(piece_words(situation, piece) for piece in situation.pieces) or "no pieces"
    if situation.last_move is None:
        return f"{words}."
    seat, *ends = situation.last_move
    names = " to ".join(layout.square_name(square, situation.side) for square in ends)
    return f"{words}. Last move: {layout.SEAT_NAMES[seat]}, {names}."


def heading(situation: StrategoSituation) -> str:
    """Write the caption: the move, who is to play or how it ended, and the clock of attacks."""
    if situation.mover == layout.OVER:
        status, ink, when = situation.result, INK, f"{situation.when}: {situation.reason}"
    else:
        status, ink, when = situation.state_of_play, SIDE_INK[situation.mover], situation.when
    parts = [
        text(MAP_LEFT, 40, situation.title, 25, font_weight="700"),
        text(MAP_RIGHT, 40, status, 21, text_anchor="end", font_weight="700", fill=ink),
        text(MAP_LEFT, 65, when[0].upper() + when[1:], 15),
    ]
    if situation.quiet_words:
        look: dict[str, str | float] = {"text_anchor": "end", "fill": FAINT_INK}
        parts.append(text(MAP_RIGHT, 65, situation.quiet_words, 14, **look))
    return tag("g", *parts, class_="heading")


def terrain(situation: StrategoSituation) -> str:
    """Draw land and lakes."""
    size = cell_size(situation)
    cells, shores = [], []
    for square in (
        row * layout.SIDE + column
        for row in range(situation.side)
        for column in range(situation.side)
    ):
        x, y = centre(situation, square)
        lake = square in situation.lakes
        fill = (
            WATER if lake else (LAND, LAND_TOO)[(square // layout.SIDE + square % layout.SIDE) % 2]
        )
        name = layout.square_name(square, situation.side)
        kind = "lake" if lake else "land"
        cells.append(box(x, y, size, size, fill=fill, class_=kind, data_square=name))
        if lake:
            wave = tag("path", d=WAVES, fill="none", stroke=WAVE, stroke_width=3)
            cells.append(moved_to(x, y, wave))
            if {
                square - 1,
                square - layout.SIDE,
            } & situation.lakes == set():  # the upper left one of a lake
                shores.append(box(x + size / 2, y + size / 2, 2 * size, 2 * size, rx=5))
    shore = tag("g", *shores, fill="none", stroke=SHORE, stroke_width=3) if shores else ""
    return tag("g", *cells, shore)


def last_move(situation: StrategoSituation) -> str:
    """Mark the squares of the last move, or the square that is decided next."""
    size = cell_size(situation)
    if situation.next_square is not None:
        x, y = centre(situation, situation.next_square)
        look: dict[str, str | float] = {"fill": MARK, "fill_opacity": 0.35, "stroke": MARK}
        return box(x, y, size - 6, size - 6, rx=6, stroke_width=3, class_="next", **look)
    if situation.last_move is None:
        return ""
    _, *ends = situation.last_move
    squares = [
        box(*centre(situation, square), size, size, fill=MARK, fill_opacity=0.45) for square in ends
    ]
    return tag("g", *squares, class_="last-move")


def arrow(situation: StrategoSituation) -> str:
    """Draw the last move as an arrow from the edge of one square to that of the other."""
    if situation.last_move is None or situation.next_square is not None:
        return ""
    _, start, end = situation.last_move
    (x1, y1), (x2, y2) = centre(situation, start), centre(situation, end)
    angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
    length = math.hypot(x2 - x1, y2 - y1) - cell_size(situation) * 0.42
    d = f"M0 -3 H{number(length - 9)} V-9 L{number(length + 3)} 0 L{number(length - 9)} 9 V3 H0 Z"
    path = tag("path", d=d, fill=MARK, stroke="#8a5f00", stroke_width=1.2, stroke_linejoin="round")
    turned = f"translate({number(x1)} {number(y1)}) rotate({number(angle)})"
    return tag("g", path, transform=turned, class_="arrow")


def frame(situation: StrategoSituation) -> str:
    """Draw the frame of the board with letters and numbers."""
    middle_x, middle_y = MAP_LEFT + MAP_SIZE / 2, MAP_TOP + MAP_SIZE / 2
    look: dict[str, str | float] = {"fill": "none", "stroke": INK, "stroke_width": 1.5}
    marks = []
    for index in range(situation.side):
        x, y = centre(situation, index * layout.SIDE + index)
        marks.append(text(x, MAP_BOTTOM + 22, "abcdefghij"[index], 17))
        for place in (MAP_LEFT - 22, MAP_RIGHT + 22):
            marks.append(text(place, y + 6, str(situation.side - index), 17))
    letters = tag("g", *marks, text_anchor="middle", font_weight="500")
    return tag("g", box(middle_x, middle_y, MAP_SIZE, MAP_SIZE, **look), letters)


def pieces(situation: StrategoSituation) -> str:
    """Draw all pieces on their squares."""
    scale = number(cell_size(situation) / TILE_CELL)
    drawn = []
    for piece in situation.pieces:
        shown = situation.shown_rank(piece.rank)
        picture = tile(piece.seat, piece.rank, shown, piece.known, piece.moved)
        drawn.append(
            moved_to(
                *centre(situation, piece.square),
                tag("title", escape(piece_words(situation, piece))),
                tag("g", picture, transform=f"scale({scale})"),
                class_=f"piece {layout.SEAT_NAMES[piece.seat].lower()}",
                data_square=layout.square_name(piece.square, situation.side),
            )
        )
    return tag("g", *drawn)


def forces(situation: StrategoSituation) -> str:
    """Count what both sides have left, rank by rank."""
    words = "to place" if situation.setting_up else "left"
    parts = [text(MAP_LEFT, FORCES_Y, words, 14, fill=FAINT_INK)]
    ranks = [rank for rank in RANKS_SHOWN if situation.army[rank]]
    for index, rank in enumerate(ranks):
        x = FORCES_LEFT + index * FORCES_STEP
        small = tag("g", sign(rank, situation.shown_rank(rank), INK), transform="scale(0.52)")
        parts.append(moved_to(x, FORCES_Y - 5, small))
    for seat in (layout.RED, layout.BLUE):
        y = FORCES_Y + 22 + seat * 20
        name = text(
            MAP_LEFT, y, layout.SEAT_NAMES[seat], 15, fill=SIDE_INK[seat], font_weight="700"
        )
        parts.append(name)
        for index, rank in enumerate(ranks):
            left = situation.left[seat][rank]
            look: dict[str, str | float] = {"fill": SIDE_INK[seat], "opacity": 1 if left else 0.3}
            look |= {"text_anchor": "middle", "font_weight": "700" if left else "400"}
            parts.append(text(FORCES_LEFT + index * FORCES_STEP, y, str(left), 15, **look))
    return tag("g", *parts, class_="forces")


def legend(situation: StrategoSituation) -> str:
    """Explain the signs in one row under the table."""
    small = {"transform": "scale(0.5)"}
    signs = (
        (tag("g", tile(layout.RED, 7, situation.shown_rank(7)), **small), "Red", 0),
        (tag("g", tile(layout.BLUE, 7, situation.shown_rank(7)), **small), "Blue", 74),
        (tag("g", tile(layout.BLUE, layout.UNKNOWN, "?"), **small), "unknown", 152),
        (footprint(), "has moved", 256),
        (eye(layout.RED), "known to the other side", 366),
        (box(0, 0, 20, 20, fill=MARK, fill_opacity=0.45), "last move", 560),
    )
    parts = []
    for picture, words, x in signs:
        parts.append(moved_to(MAP_LEFT + 12 + x, LEGEND_Y, picture))
        parts.append(text(MAP_LEFT + 31 + x, LEGEND_Y + 5, words, 14))
    return tag("g", *parts, class_="legend")


# --- pieces and their marks ----------------------------------------------------------------------


def tile(seat: int, rank: int, shown: str, known: bool = False, moved: bool = False) -> str:
    """Draw a piece: its tile with the rank, or with a back, and its marks."""
    hidden = rank == layout.UNKNOWN
    parts = [
        tag("path", d=TILE[seat], fill=SIDE_INK[seat], stroke=SIDE_INK[seat], stroke_width=1.5,
            stroke_linejoin="round"),
        tag("path", d=FACE[seat], fill=(BACK_FILL if hidden else SIDE_FILL)[seat]),
        back() if hidden else moved_to(0, TILT, sign(rank, shown, WHITE)),
    ]  # fmt: skip
    if moved:
        parts.append(moved_to(-17, 21, footprint()))
    if known:
        parts.append(moved_to(15, 21, eye(seat)))
    return tag("g", *parts)


def back() -> str:
    """Draw the pattern on the back of a tile."""
    diamonds = "".join(f"M{x} {y - 7} l6 7 l-6 7 l-6 -7 Z " for x, y in LATTICE)
    look: dict[str, str | float] = {"fill": "none", "stroke": WHITE, "stroke_width": 1.4}
    return tag("path", d=diamonds.strip(), opacity=0.45, **look)


def sign(rank: int, shown: str, ink: str) -> str:
    """Draw what stands on a tile: a flag, a bomb, or a number or letter."""
    if rank == layout.FLAG:
        return tag("path", d=FLAG_SIGN, fill=ink)
    if rank == layout.BOMB:
        fuse = tag("path", d=FUSE, fill="none", stroke=ink, stroke_width=2.4)
        ball = tag("circle", cx=-1, cy=3, r=11.5, fill=ink)
        return tag("g", ball, fuse, tag("path", d=SPARK, fill=MARK))
    size = 31 if len(shown) == 1 else 28
    return text(0, size * 0.36, shown, size, fill=ink, text_anchor="middle", font_weight="700")


def footprint() -> str:
    """Draw the mark of a piece that has moved: two steps on a small plate."""
    plate = box(0, 0, 15, 13, rx=4, fill=PLATE)
    steps = [
        tag("ellipse", cx=x, cy=y, rx=1.9, ry=3.1, fill="#3a362c", transform="rotate(12)")
        for x, y in ((-2.9, 1.2), (2.9, -1.2))
    ]
    return tag("g", plate, *steps)


def eye(seat: int) -> str:
    """Draw the mark of a piece whose rank the other side knows: an eye in the other's colour."""
    ink = SIDE_INK[1 - seat]
    plate = box(0, 0, 19, 13, rx=4, fill=PLATE)
    outline = tag("path", d=EYE, fill="none", stroke=ink, stroke_width=1.6)
    return tag("g", plate, outline, tag("circle", r=2.4, fill=ink))
