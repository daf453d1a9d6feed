"""Skirmish as a map in SVG.

The look is that of a map sheet: land in two faint greens, water with a shore where nothing can go.
Only plain attributes are used, no styles, scripts or identifiers, so that several drawings can
stand in one page; ``class`` and ``data-square`` tell programs what is what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sandtable.games.skirmish import layout
from sandtable.games.skirmish.drawing.signs import (
    SIDE_INK,
    counter,
    counter_without_age,
    figure,
)
from sandtable.games.skirmish.levels import SIDE_NAMES, square_name

if TYPE_CHECKING:
    from sandtable.games.skirmish.drawing.text import Situation
from sandtable.pictures import INK, box, moved_to, tag, text

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

# Colours, beside those of the signs.
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


def centre(square: int) -> tuple[float, float]:
    """Return the centre of a square."""
    row, column = divmod(square, layout.SIDE)
    return MAP_LEFT + (column + 0.5) * CELL, MAP_TOP + (row + 0.5) * CELL


def document(seen: Situation) -> str:
    """Draw the whole sheet."""
    parts = [
        tag("title", escape(f"Skirmish, {seen.when}: {seen.state_of_play}")),
        tag("desc", escape(description(seen))),
        tag("rect", width=WIDTH, height=HEIGHT, rx=14, fill=PAPER, stroke=PAPER_EDGE),
        heading(seen),
        terrain(seen),
        shores(seen),
        frame(),
        units(seen),
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


def description(seen: Situation) -> str:
    """Say in words what the drawing shows, for those who cannot see it."""
    words = [f"{unit.name} on {unit.place}, age {unit.age}" for unit in seen.units]
    water = [square_name(square) for square in range(layout.SQUARES) if not seen.land[square]]
    return f"{'; '.join(words) or 'no units'}; water on {', '.join(water) or 'no square'}."


def heading(seen: Situation) -> str:
    """Write the caption: the half-turn, who moves or how it ended, and what both sides have."""
    if seen.mover == layout.OVER:
        status, ink, when = seen.result, INK, f"{seen.when}: {seen.reason}"
    else:
        status, ink, when = seen.state_of_play, SIDE_INK[seen.mover], seen.when
    return tag(
        "g",
        text(MAP_LEFT, 40, "Skirmish", 25, font_weight="700"),
        text(MAP_RIGHT, 40, status, 21, text_anchor="end", font_weight="700", fill=ink),
        text(MAP_LEFT, 65, when[0].upper() + when[1:], 15),
        forces(seen, layout.FIRST, MAP_LEFT),
        forces(seen, layout.SECOND, MAP_RIGHT - FORCES_WIDTH),
        class_="heading",
    )


def forces(seen: Situation, seat: int, left: float) -> str:
    """Count a side's units of every kind in small figures."""
    ink = SIDE_INK[seat]
    parts = [text(left, 91, SIDE_NAMES[seat], 15, fill=ink, font_weight="700")]
    for index, kind in enumerate(KIND_WORDS):
        x, count = left + 82 + index * 56, seen.count(seat, kind)
        look: dict[str, str | float] = {"fill": ink, "opacity": 1.0 if count else 0.3}
        parts.append(moved_to(x, 86, figure(kind, transform="scale(0.62)", **look)))
        parts.append(text(x + 14, 92, str(count), 16, font_weight="700", **look))
    return tag("g", *parts)


def terrain(seen: Situation) -> str:
    """Draw land and water."""
    cells = []
    for square, is_land in enumerate(seen.land):
        x, y = centre(square)
        dark = (square // layout.SIDE + square % layout.SIDE) % 2
        fill = (LAND_TOO if dark else LAND) if is_land else WATER
        kind = "land" if is_land else "water"
        cells.append(box(x, y, CELL, CELL, fill=fill, class_=kind, data_square=square_name(square)))
        if not is_land:
            wave = tag("path", d=WAVES, fill="none", stroke=WAVE, stroke_width=3)
            cells.append(moved_to(x, y, wave))
    return tag("g", *cells)


def shores(seen: Situation) -> str:
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
            if beside is None or (not seen.land[square] and not seen.land[beside]):
                continue
            lines[GRID if seen.land[square] and seen.land[beside] else SHORE].append(path)
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


def units(seen: Situation) -> str:
    """Draw all units on their squares."""
    drawn = []
    for unit in seen.units:
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
