"""The signs on the board of Stratego: tiles with ranks, backs of unknown pieces, and marks.

Red's tiles have a round top and Blue's cut corners, so that nothing hangs on colour alone.
"""

from __future__ import annotations

from sandtable.games.stratego.layout import BOMB, FLAG, UNKNOWN
from sandtable.pictures import box, moved_to, tag, text

__all__ = ["MARK", "SIDE_INK", "eye", "footprint", "sign", "tile"]

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


def tile(seat: int, rank: int, shown: str, known: bool = False, moved: bool = False) -> str:
    """Draw a piece: its tile with the rank, or with a back, and its marks."""
    hidden = rank == UNKNOWN
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
    if rank == FLAG:
        return tag("path", d=FLAG_SIGN, fill=ink)
    if rank == BOMB:
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
