"""Skirmish as a map in SVG.

The look is that of a map sheet: land in two faint greens, water with a shore where nothing can go,
and on it counters with chess-like figures and the ring of age. First's counters are round and
Second's square, so that nothing hangs on colour alone.

Only plain attributes are used, no styles, scripts or identifiers, so that several drawings can
stand in one page; ``class`` and ``data-square`` tell programs what is what.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sandtable.games.skirmish import layout
from sandtable.games.skirmish.levels import SIDE_NAMES, square_name
from sandtable.pictures import INK, box, moved_to, number, tag, text

if TYPE_CHECKING:
    from sandtable.games.skirmish.drawing.text import SkirmishSituation

__all__ = ["document"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

# Places, in units of the view box.
WIDTH, HEIGHT = 760, 888
CELL = 82
MAP_LEFT, MAP_TOP = 52, 104
MAP_SIZE = CELL * layout.SIDE
MAP_RIGHT, MAP_BOTTOM = MAP_LEFT + MAP_SIZE, MAP_TOP + MAP_SIZE
FORCES_WIDTH = 275
LEGEND_Y = MAP_BOTTOM + 54

# Colours.
SIDE_INK = ("#12355f", "#6f1a12")  # by seat
SIDE_FILL = ("#2e6cb3", "#cf4a3a")
LIFE_GONE = "#fffdf6"
PAPER, PAPER_EDGE, FAINT_INK = "#f6f2e7", "#9d9580", "#7a7362"
LAND, LAND_TOO, GRID = "#e8ead8", "#e0e4cc", "#d0d3ba"
WATER, SHORE, WAVE = "#bcd3e0", "#8fb0c4", "#dbe9f1"
WAVES = "M-24 -9 q6 -7 12 0 t12 0 t12 0 M-10 10 q6 -7 12 0 t12 0 t12 0"
KIND_WORDS = {
    layout.TOWN: "town: a worker every 12",
    layout.BARRACKS: "barracks: a soldier every 8",
    layout.WORKER: "worker: becomes a barracks",
    layout.SOLDIER: "soldier: takes enemies",
}

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
FIGURES = {layout.TOWN: CASTLE, layout.BARRACKS: TENT, layout.WORKER: PAWN, layout.SOLDIER: KNIGHT}


def centre(square: int) -> tuple[float, float]:
    """Return the centre of a square."""
    row, column = divmod(square, layout.SIDE)
    return MAP_LEFT + (column + 0.5) * CELL, MAP_TOP + (row + 0.5) * CELL


def document(scene: SkirmishSituation) -> str:
    """Draw the whole sheet."""
    parts = [
        tag("title", escape(f"Skirmish, {scene.when}: {scene.state_of_play}")),
        tag("desc", escape(description(scene))),
        tag("rect", width=WIDTH, height=HEIGHT, rx=14, fill=PAPER, stroke=PAPER_EDGE),
        heading(scene),
        terrain(scene),
        shores(scene),
        frame(),
        units(scene),
        legend(),
    ]
    drawn = tag(
        "svg",
        *(f"\n{part}" for part in parts),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        role="img",
        font_family=FONTS,
    )
    return drawn.encode("ascii", "xmlcharrefreplace").decode()  # the same in every encoding


def description(scene: SkirmishSituation) -> str:
    """Say in words what the drawing shows, for those who cannot see it."""
    words = [f"{unit.name} on {unit.place}, age {unit.age}" for unit in scene.units]
    water = [square_name(square) for square in range(layout.SQUARES) if not scene.land[square]]
    return f"{'; '.join(words) or 'no units'}; water on {', '.join(water) or 'no square'}."


def heading(scene: SkirmishSituation) -> str:
    """Write the caption: the half-turn, who moves or how it ended, and what both sides have."""
    if scene.mover == layout.OVER:
        status, ink, when = scene.result, INK, f"{scene.when}: {scene.reason}"
    else:
        status, ink, when = scene.state_of_play, SIDE_INK[scene.mover], scene.when
    return tag(
        "g",
        text(MAP_LEFT, 40, "Skirmish", 25, font_weight="700"),
        text(MAP_RIGHT, 40, status, 21, text_anchor="end", font_weight="700", fill=ink),
        text(MAP_LEFT, 65, when[0].upper() + when[1:], 15),
        forces(scene, layout.FIRST, MAP_LEFT),
        forces(scene, layout.SECOND, MAP_RIGHT - FORCES_WIDTH),
        class_="heading",
    )


def forces(scene: SkirmishSituation, seat: int, left: float) -> str:
    """Count a side's units of every kind in small figures."""
    ink = SIDE_INK[seat]
    parts = [text(left, 91, SIDE_NAMES[seat], 15, fill=ink, font_weight="700")]
    for index, kind in enumerate(KIND_WORDS):
        x, count = left + 82 + index * 56, scene.count(seat, kind)
        look: dict[str, str | float] = {"fill": ink, "opacity": 1.0 if count else 0.3}
        parts.append(moved_to(x, 86, figure(kind, transform="scale(0.62)", **look)))
        parts.append(text(x + 14, 92, str(count), 16, font_weight="700", **look))
    return tag("g", *parts)


def terrain(scene: SkirmishSituation) -> str:
    """Draw land and water."""
    cells = []
    for square, is_land in enumerate(scene.land):
        x, y = centre(square)
        dark = (square // layout.SIDE + square % layout.SIDE) % 2
        fill = (LAND_TOO if dark else LAND) if is_land else WATER
        kind = "land" if is_land else "water"
        cells.append(box(x, y, CELL, CELL, fill=fill, class_=kind, data_square=square_name(square)))
        if not is_land:
            wave = tag("path", d=WAVES, fill="none", stroke=WAVE, stroke_width=3)
            cells.append(moved_to(x, y, wave))
    return tag("g", *cells)


def shores(scene: SkirmishSituation) -> str:
    """Draw the lines between squares: a shore between land and water, a faint line in the land."""
    lines: dict[str, list[str]] = {SHORE: [], GRID: []}
    for square in range(layout.SQUARES):
        left, top = MAP_LEFT + square % layout.SIDE * CELL, MAP_TOP + square // layout.SIDE * CELL
        for beside, path in (
            (
                square + 1 if square % layout.SIDE < layout.SIDE - 1 else None,
                f"M{left + CELL} {top} v{CELL}",
            ),
            (
                square + layout.SIDE if square < layout.SQUARES - layout.SIDE else None,
                f"M{left} {top + CELL} h{CELL}",
            ),
        ):
            if beside is None or (not scene.land[square] and not scene.land[beside]):
                continue
            lines[GRID if scene.land[square] and scene.land[beside] else SHORE].append(path)
    faint = tag("path", d=" ".join(lines[GRID]) or "M0 0", stroke=GRID)
    shore = tag(
        "path",
        d=" ".join(lines[SHORE]) or "M0 0",
        stroke=SHORE,
        stroke_width=3,
        stroke_linecap="round",
    )
    return tag("g", faint, shore, fill="none")


def frame() -> str:
    """Draw the frame of the map with letters and numbers."""
    middle_x, middle_y = MAP_LEFT + MAP_SIZE / 2, MAP_TOP + MAP_SIZE / 2
    look: dict[str, str | float] = {"fill": "none", "stroke": INK, "stroke_width": 1.5}
    marks = []
    for index in range(layout.SIDE):
        x, y = centre(index * layout.SIDE + index)
        marks.append(text(x, MAP_BOTTOM + 22, "abcdefgh"[index], 17))
        for side in (MAP_LEFT - 22, MAP_RIGHT + 22):
            marks.append(text(side, y + 6, str(layout.SIDE - index), 17))
    letters = tag("g", *marks, text_anchor="middle", font_weight="500")
    return tag("g", box(middle_x, middle_y, MAP_SIZE, MAP_SIZE, **look), letters)


def units(scene: SkirmishSituation) -> str:
    """Draw all units on their squares."""
    drawn = []
    for unit in scene.units:
        words = f"{unit.name} on {unit.place}, age {unit.age} of {unit.lifespan}"
        picture = counter(unit.kind, unit.seat, unit.age, unit.lifespan)
        side = SIDE_NAMES[unit.seat].lower()
        drawn.append(
            moved_to(
                *centre(unit.square),
                tag("title", escape(words)),
                picture,
                class_=f"unit {side}",
                data_square=unit.place,
            )
        )
    return tag("g", *drawn)


def legend() -> str:
    """Explain the signs in two rows under the map."""
    parts = []
    for index, (kind, words) in enumerate(KIND_WORDS.items()):
        x, y = MAP_LEFT + 14 + index // 2 * 212, LEGEND_Y + index % 2 * 34
        parts.append(moved_to(x, y, figure(kind, fill=INK, transform="scale(0.8)")))
        parts.append(text(x + 24, y + 5, words, 14))
    x = MAP_LEFT + 466
    for y, seat, words in (
        (LEGEND_Y, layout.FIRST, "First"),
        (LEGEND_Y + 34, layout.SECOND, "Second"),
    ):
        sign = tag("g", counter_without_age(layout.WORKER, seat, 0.7), transform="scale(0.42)")
        parts += [moved_to(x, y, sign), text(x + 24, y + 5, words, 14)]
    for y, words in ((LEGEND_Y, "ring: life left"), (LEGEND_Y + 34, "number: age")):
        parts.append(text(MAP_RIGHT, y + 5, words, 14, text_anchor="end", fill=FAINT_INK))
    return tag("g", *parts, class_="legend")


# --- counters ------------------------------------------------------------------------------------


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
        box(0, 0, size, size, rx=size / 2 if seat == layout.FIRST else 9, fill=edge),
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
