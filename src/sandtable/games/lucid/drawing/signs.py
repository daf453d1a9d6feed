"""The signs on the map of Operation Lucid: units and combats.

Blue's units are boxes and Red's diamonds, the frames of friend and foe on military maps, so that
nothing hangs on colour alone.
"""

from __future__ import annotations

import math

from sandtable.games.lucid.rules import BLUE_SEAT
from sandtable.pictures import INK, box, moved_to, number, tag, text

__all__ = ["attack_sign", "blue_unit", "combat_sign", "red_unit", "warning"]

BLUE_INK, BLUE_FILL = "#12355f", "#2e6cb3"
RED_INK, RED_FILL = "#6f1a12", "#cf4a3a"
SIDE_INK = (BLUE_INK, RED_INK)  # by seat
BURST_FILL, BURST_EDGE, WARNING_FILL = "#f7b733", "#8a5a00", "#ffd23e"


def blue_unit(spent: bool = False) -> str:
    """Draw a Blue unit: a box with the cross of infantry, hollow once it has moved."""
    frame = box(0, 0, 28, 20, rx=2)
    return unit("blue", BLUE_INK, BLUE_FILL, frame, "M-14 -10 L14 10 M-14 10 L14 -10", spent)


def red_unit(spent: bool = False) -> str:
    """Draw a Red unit: the same in a diamond."""
    frame = tag("path", d="M0 -14.5 L15 0 L0 14.5 L-15 0 Z")
    cross = "M-7.5 -7.2 L7.5 7.2 M-7.5 7.2 L7.5 -7.2"
    return unit("red", RED_INK, RED_FILL, frame, cross, spent)


def unit(side: str, ink: str, strong: str, frame: str, cross: str, spent: bool) -> str:
    """Draw a unit of either side."""
    return tag(
        "g",
        frame,
        tag("path", d=cross, stroke=strong if spent else "#ffffff", stroke_width=1.6),
        fill="#ffffff" if spent else strong,
        stroke=ink,
        stroke_width=1.4,
        class_=f"unit {side} moved" if spent else f"unit {side}",
    )


def combat_sign(attacker: int, supplied: bool, odds: str) -> str:
    """Draw what stands between the units in a combat: who attacks, the odds, lack of supply."""
    parts = [attack_sign(attacker)]
    if odds:
        parts.append(text(34, 5, odds, 14, text_anchor="middle", font_weight="700"))
    if not supplied:
        parts.append(moved_to(-34, 0, warning()))
    side = "blue" if attacker == BLUE_SEAT else "red"
    return tag("g", *parts, class_=f"combat {side}-attacks")


def attack_sign(attacker: int) -> str:
    """Draw a burst with an arrow: north for an attack by Blue, south for one by Red."""
    shape = tag("path", d=burst(16, 11), fill=BURST_FILL, stroke=BURST_EDGE)
    arrow = tag(
        "path",
        d="M0 -9 L7 0 L3 0 L3 9 L-3 9 L-3 0 L-7 0 Z",
        fill=SIDE_INK[attacker],
        transform=f"rotate({0 if attacker == BLUE_SEAT else 180})",
    )
    return shape + arrow


def burst(outer: float, inner: float) -> str:
    """Return the outline of a burst with ten points."""
    points = []
    for index in range(20):
        radius, angle = (inner if index % 2 else outer), math.pi * index / 10
        points.append(f"{number(radius * math.sin(angle))} {number(-radius * math.cos(angle))}")
    return f"M{' L'.join(points)} Z"


def warning() -> str:
    """Draw the sign for a combat without supply."""
    triangle = "M0 -10 L11 9 L-11 9 Z"
    sign = tag("path", d=triangle, fill=WARNING_FILL, stroke=INK, stroke_linejoin="round")
    mark = text(0, 7, "!", 14, text_anchor="middle", font_weight="700")
    return tag("g", sign, mark, class_="no-supply")
