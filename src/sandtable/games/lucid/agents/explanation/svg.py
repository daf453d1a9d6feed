"""Pictures of how agents of Operation Lucid came to their moves: the map with arrows, and notes.

The maps are those of the game's own drawing, one or two beside each other, with arrows for the
units that move and a coloured frame round every node of a force group.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sandtable.games.lucid.drawing.svg import FONTS, GOAL_Y, HEIGHT, WIDTH, centre
from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.games.lucid.rules import DESTINATION, DIRECTIONS, END, TO_GOAL
from sandtable.pictures import box, moved_to, tag, text
from sandtable.types import Position

__all__ = ["GROUP_COLOURS", "Bar", "Note", "Panel", "map_picture", "page"]

GROUP_COLOURS = ("#7b3fa0", "#1b7f5c", "#b8611a", "#a12550", "#2b5fa8", "#6b6b1e", "#4a4a4a")
ARROW = "#101f38"
PANEL_WIDTH = 560
LINE = 17
MARGIN = 24
BAR_LEFT, BAR_WIDTH = 330, 150
PAPER, TRACK = "#fbfaf5", "#e3e0d4"
TAIL, HEAD = 34.0, 40.0  # how far arrows keep from the middle of their nodes
BESIDE_ROAD, BESIDE_NODES = 13.0, 44.0  # and from the road: sideways they would cover the units


@dataclass(frozen=True)
class Bar:
    """A number from 0 to 1 with its name."""

    name: str
    value: float
    strong: bool


@dataclass(frozen=True)
class Note:
    """A block of a panel: lines of text on the left, bars on the right."""

    title: str
    lines: Sequence[str]
    bars: Sequence[Bar] = ()
    colour: str = ARROW

    @property
    def height(self) -> float:
        """How much room it takes."""
        return LINE * (2.5 + max(len(self.lines), len(self.bars)))


@dataclass(frozen=True)
class Panel:
    """Notes one below the other."""

    notes: Sequence[Note]

    @property
    def height(self) -> float:
        """How much room they take."""
        return MARGIN + sum(note.height for note in self.notes)


def map_picture(
    position: Position,
    actions: Sequence[int],
    groups: Sequence[Sequence[int]] = (),
    caption: str = "",
) -> str:
    """Draw a position with arrows for movelets and frames round groups of nodes."""
    frames = [
        box(*centre(node), 116, 68, rx=17, fill="none", stroke=colour_of(number), stroke_width=4)
        for number, nodes in enumerate(groups)
        for node in nodes
    ]
    counts = Counter(action for action in actions if action != END)
    arrows = [arrow(action, units) for action, units in counts.items()]
    words = text(WIDTH - 70, 833, caption, 14, text_anchor="end") if caption else ""
    drawn = LucidDrawing().svg(position)
    overlay = tag("g", *frames, *arrows, words, class_="explanation")
    return drawn.removesuffix("</svg>").rstrip() + overlay + "</svg>"


def colour_of(group: int) -> str:
    """Return the colour of a group."""
    return GROUP_COLOURS[group % len(GROUP_COLOURS)]


def arrow(action: int, units: int) -> str:
    """Draw an arrow along an edge, to its right, with the number of units."""
    here, end = centre(action // DIRECTIONS), int(DESTINATION[action])
    there = (here[0], float(GOAL_Y)) if end == TO_GOAL else centre(end)
    across, up = there[0] - here[0], there[1] - here[1]
    length = math.hypot(across, up)
    aside = BESIDE_NODES if across else BESIDE_ROAD
    angle = math.degrees(math.atan2(up, across))
    shaft = length - HEAD - 12
    line = tag("path", d=f"M{TAIL:g} 0 L{shaft:g} 0", stroke=ARROW, stroke_width=3 + 2 * units)
    point = tag("path", d=f"M{shaft:g} -12 L{length - HEAD + 8:g} 0 L{shaft:g} 12 Z", fill=ARROW)
    place = (TAIL + shaft) / 2
    turned = tag(
        "g",
        line,
        point,
        transform=f"rotate({angle:.4g}) translate(0 {aside:g})",
        opacity=0.85,
    )
    radians = math.radians(angle)
    x = place * math.cos(radians) - aside * math.sin(radians)
    y = place * math.sin(radians) + aside * math.cos(radians)
    count = text(x, y + 5, str(units), 14, text_anchor="middle", font_weight="700", fill="#ffffff")
    return moved_to(*here, turned, count, class_="arrow")


def note_picture(note: Note) -> str:
    """Draw one block."""
    parts = [
        box(6, -5, 12, 12, rx=3, fill=note.colour),
        text(20, 0, note.title, 16, font_weight="700"),
    ]
    parts += [text(20, LINE * (row + 1.4), line, 13) for row, line in enumerate(note.lines)]
    for row, bar in enumerate(note.bars):
        y = LINE * (row + 1.4)
        weight = "700" if bar.strong else "400"
        parts.append(text(BAR_LEFT - 8, y, bar.name, 13, text_anchor="end", font_weight=weight))
        fill = note.colour if bar.strong else "#a9a491"
        parts.append(bar_box(BAR_WIDTH, y, TRACK))
        parts.append(bar_box(max(1.0, BAR_WIDTH * bar.value), y, fill))
        parts.append(text(BAR_LEFT + BAR_WIDTH + 8, y, f"{bar.value:.2f}", 13, font_weight=weight))
    return "".join(parts)


def bar_box(width: float, y: float, fill: str) -> str:
    """Draw a bar that begins where all bars begin."""
    return box(BAR_LEFT + width / 2, y - 4.5, width, 10, rx=2, fill=fill)


def panel_picture(panel: Panel) -> str:
    """Draw all notes."""
    y = float(MARGIN + 10)
    parts = []
    for note in panel.notes:
        parts.append(moved_to(MARGIN, y, note_picture(note)))
        y += note.height
    return "".join(parts)


def page(title: str, maps: Sequence[str], panel: Panel) -> str:
    """Put maps and a panel beside each other into one document."""
    width = WIDTH * len(maps) + PANEL_WIDTH
    height = max(float(HEIGHT), panel.height)
    placed = [
        drawn.replace("<svg ", f'<svg x="{WIDTH * place}" y="0" ', 1)
        for place, drawn in enumerate(maps)
    ]
    notes = moved_to(WIDTH * len(maps), 0, panel_picture(panel))
    drawn = tag(
        "svg",
        tag("title", title.replace("&", "&amp;").replace("<", "&lt;")),
        tag("rect", width=width, height=height, fill=PAPER),
        *placed,
        notes,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        font_family=FONTS,
    )
    return drawn.encode("ascii", "xmlcharrefreplace").decode()
