"""The signs on the map of Skirmish: counters with chess-like figures and the ring of age.

First's counters are round and Second's square, so that nothing hangs on colour alone.
"""

from __future__ import annotations

import math

from sandtable.games.skirmish.layout import BARRACKS, FIRST, SOLDIER, TOWN, WORKER
from sandtable.pictures import box, number, tag, text

__all__ = [
    "SIDE_INK",
    "counter",
    "counter_without_age",
    "figure",
]

SIDE_INK = ("#12355f", "#6f1a12")  # by seat
SIDE_FILL = ("#2e6cb3", "#cf4a3a")
LIFE_GONE = "#fffdf6"

COUNTER_RADIUS = 25.5
RING_RADIUS, RING_WIDTH = 30.5, 5
AGE_X, AGE_Y = 25, 25  # the little plate with the age, from the centre of the counter

# The figures fit into a square from -16 to 16.
CASTLE = (
    "M-12 -14 H-7 V-10 H-2.5 V-14 H2.5 V-10 H7 V-14 H12 V-6 L8 -3 V7 H-8 V-3 L-12 -6 Z "
    "M-13 8.5 H13 V14 H-13 Z"
)
TENT = "M-1 -16 H9 L6.5 -13 L9 -10 H1 V-8 L15 14 H5 L0 4 L-5 14 H-15 L-1 -8 Z"
PAWN = (
    "M0 -15 A6 6 0 0 1 3.6 -4.2 H6 V-1.5 H4 C4 3 7 5.5 9 8 H-9 C-7 5.5 -4 3 -4 -1.5 "
    "H-6 V-4.2 H-3.6 A6 6 0 0 1 0 -15 Z M-11.5 9.5 H11.5 V14 H-11.5 Z"
)
KNIGHT = (
    "M-8 8 C-8 1 -1.5 0 -1 -5 C-4 -4.5 -5.5 -1.5 -9 0.5 C-11 1.5 -13 0 -12.5 -2.5 "
    "C-11.5 -6 -8 -8 -6.5 -11.5 L-6 -16 L-2 -12.5 C7.5 -12 11 -4 10 8 Z "
    "M-12 9.5 H12 V14 H-12 Z"
)
FIGURES = {TOWN: CASTLE, BARRACKS: TENT, WORKER: PAWN, SOLDIER: KNIGHT}


def figure(kind: int, **attributes: str | float) -> str:
    """Draw the figure of a kind: castle for a town, tent, pawn for a worker, knight."""
    return tag("path", d=FIGURES[kind], **attributes)


def counter(kind: int, seat: int, age: int, lifespan: int) -> str:
    """Draw a unit: its counter, round it a ring of the life that is left, and its age."""
    plate = box(AGE_X, AGE_Y, 24, 17, rx=5, fill=LIFE_GONE, stroke=SIDE_INK[seat], stroke_width=1.5)
    years = text(AGE_X, AGE_Y + 5, str(age), 13.5, text_anchor="middle", font_weight="700")
    return counter_without_age(kind, seat, 1.0 - age / lifespan) + plate + years


def counter_without_age(kind: int, seat: int, life_left: float) -> str:
    """Draw the counter and the ring alone."""
    ring: dict[str, str | float] = {"fill": "none", "stroke_width": RING_WIDTH}
    edge = SIDE_INK[seat]
    size = 2 * RING_RADIUS + RING_WIDTH + 3
    return tag(
        "g",
        box(0, 0, size, size, rx=size / 2 if seat == FIRST else 9, fill=edge),
        tag("circle", r=RING_RADIUS, stroke=LIFE_GONE, **ring),
        tag("path", d=arc(RING_RADIUS, life_left), stroke=SIDE_FILL[seat], **ring),
        tag("circle", r=COUNTER_RADIUS, fill=SIDE_FILL[seat]),
        figure(kind, fill="#ffffff"),
    )


def arc(radius: float, share: float) -> str:
    """Return the path of a part of a circle, clockwise from the top."""
    share = min(share, 0.9999)  # a whole circle begins where it ends, and nothing would be drawn
    large = 1 if share > 0.5 else 0
    size = number(radius)
    return f"M{point(radius, 0)} A{size} {size} 0 {large} 1 {point(radius, share)}"


def point(radius: float, share: float) -> str:
    """Return the point of a circle so far round it from the top."""
    angle = 2 * math.pi * share
    return f"{number(radius * math.sin(angle))} {number(-radius * math.cos(angle))}"
