"""The signs on the sheet of Gravwell: cards, ships and hulks, and the places of the spiral track.

Ships carry the number of their seat and cards the sign of their kind, so that nothing hangs on
colour alone.
"""

from __future__ import annotations

import itertools
import math

from sandtable.games.gravwell.cards import KIND, KIND_NAMES, NAMES, NORMAL, REPULSOR, VALUE
from sandtable.games.gravwell.layout import GATE
from sandtable.pictures import INK, box, moved_to, number, tag, text

__all__ = [
    "CARD_HEIGHT",
    "CARD_WIDTH",
    "SEAT_FILL",
    "SEAT_INK",
    "back",
    "card_sign",
    "hulk_sign",
    "kind_sign",
    "ship_sign",
    "spiral",
    "tile_place",
]

SEAT_INK = ("#12355f", "#6f1a12", "#1f4a25", "#5b3f06")  # by seat
SEAT_FILL = ("#2e6cb3", "#cf4a3a", "#4c9656", "#d79a1e")
HULK = "#8b8778"

CARD_WIDTH, CARD_HEIGHT = 44, 58
CARD_FILL = ("#fffdf6", "#f8e3cb", "#dcebdd")  # by kind
CARD_EDGE, BACK_FILL, BACK_LINE = "#9d9580", "#8793a6", "#b3bccb"

# The spiral: where the tiles lie around the Singularity, which is the origin.
TURNS = 2.75
INNER, OUTER = 66.0, 292.0
STEPS = 2000  # to measure the length of the spiral with

ROCKET = "M17 0 L5 -10 H-13 L-8 0 L-13 10 H5 Z"  # pointing to the right
AWAY = "M-2.5 -4 L-8.5 0 L-2.5 4 Z M2.5 -4 L8.5 0 L2.5 4 Z"  # repulsor
INWARD = "M-8.5 -4 L-2.5 0 L-8.5 4 Z M8.5 -4 L2.5 0 L8.5 4 Z"  # tractor
TOWARDS = "M-7 -1.2 H2 V-4 L8 0 L2 4 V1.2 H-7 Z"  # normal


def on_spiral(share: float) -> tuple[float, float, float]:
    """Return the place at a share of the turns of the spiral, and the angle it runs at."""
    turned = 2 * math.pi * TURNS * share
    radius = INNER + (OUTER - INNER) * share
    angle = turned - math.pi / 2
    rise = (OUTER - INNER) / (2 * math.pi * TURNS)
    heading = angle + math.atan2(radius, rise)
    return radius * math.cos(angle), radius * math.sin(angle), heading


def even_shares(count: int) -> list[float]:
    """Return shares of the turns at which that many tiles are equally far apart on the way."""
    places = [on_spiral(step / STEPS) for step in range(STEPS + 1)]
    lengths = [0.0]
    for (x0, y0, _), (x1, y1, _) in itertools.pairwise(places):
        lengths.append(lengths[-1] + math.hypot(x1 - x0, y1 - y0))
    shares, step = [], 0
    for index in range(count):
        wanted = lengths[-1] * index / (count - 1)
        while step < STEPS and lengths[step] < wanted:
            step += 1
        shares.append(step / STEPS)
    return shares


TILE_PLACES = [(0.0, 0.0, 0.0), *(on_spiral(share) for share in even_shares(GATE))]


def tile_place(tile: int) -> tuple[float, float, float]:
    """Return the centre of a tile from the Singularity, and the angle towards the gate."""
    return TILE_PLACES[tile]


def spiral() -> str:
    """Return the path along which the tiles lie."""
    points = [on_spiral(step / 180) for step in range(181)]
    first, *others = (f"{number(x)} {number(y)}" for x, y, _ in points)
    return f"M{first} L{' '.join(others)}"


def ship_sign(seat: int, heading: float, scale: float = 1.0) -> str:
    """Draw a ship that points along the track, with the number of its seat."""
    turned = f"rotate({number(math.degrees(heading))}) scale({number(scale)})"
    look: dict[str, str | float] = {"stroke": SEAT_INK[seat], "stroke_width": 1.6}
    rocket = tag("path", d=ROCKET, transform=turned, fill=SEAT_FILL[seat], **look)
    plate = tag("circle", r=7 * scale, fill="#fffdf6", stroke=SEAT_INK[seat])
    words = text(
        0, 4.2 * scale, str(seat + 1), 12 * scale, fill=SEAT_INK[seat],
        text_anchor="middle", font_weight="700",
    )  # fmt: skip
    return rocket + plate + words


def hulk_sign(scale: float = 1.0) -> str:
    """Draw a hulk: a broken hull that nobody steers."""
    corners = [math.radians(60 * corner) for corner in range(6)]
    points = " ".join(
        f"{number(13 * scale * math.cos(angle))},{number(13 * scale * math.sin(angle))}"
        for angle in corners
    )
    hull = tag("polygon", points=points, fill=HULK, stroke=INK, stroke_width=1.4)
    reach = 5 * scale
    cross = f"M{-reach} {-reach} L{reach} {reach} M{reach} {-reach} L{-reach} {reach}"
    return hull + tag("path", d=cross, stroke="#fffdf6", stroke_width=2.4, fill="none")


def kind_sign(kind: int, **attributes: str | float) -> str:
    """Draw what a card does: one arrow ahead, two apart, or two together."""
    path = TOWARDS if kind == NORMAL else AWAY if kind == REPULSOR else INWARD
    return tag("path", d=path, **{"fill": INK, **attributes})


def card_sign(card: int) -> str:
    """Draw the face of a card around its centre: letters, value and kind."""
    kind = int(KIND[card])
    words = f"{NAMES[card]}, {KIND_NAMES[kind]} {VALUE[card]}"
    edge: dict[str, str | float] = {"rx": 5, "stroke": CARD_EDGE, "stroke_width": 1.2}
    return tag(
        "g",
        tag("title", words),
        box(0, 0, CARD_WIDTH, CARD_HEIGHT, fill=CARD_FILL[kind], **edge),
        text(0, -8, NAMES[card], 20, text_anchor="middle", font_weight="700"),
        text(0, 10, str(VALUE[card]), 16, text_anchor="middle"),
        moved_to(0, 20, kind_sign(kind)),
        class_="card",
        data_card=NAMES[card],
    )


def back() -> str:
    """Draw a card that lies face down."""
    edge: dict[str, str | float] = {"rx": 5, "stroke": CARD_EDGE, "stroke_width": 1.2}
    swirl = "M0 0 a5 5 0 0 1 10 0 a9 9 0 0 1 -18 0 a13 13 0 0 1 26 0"
    return tag(
        "g",
        tag("title", "a card face down"),
        box(0, 0, CARD_WIDTH, CARD_HEIGHT, fill=BACK_FILL, **edge),
        tag("path", d=swirl, fill="none", stroke=BACK_LINE, stroke_width=2.5),
        class_="card back",
    )
