"""How agents of Operation Lucid came to their moves, in words and in pictures.

The pictures are the maps of the game's own drawing, one or two beside each other, with arrows for
the units that move, a coloured frame round every node of a force group, and notes on the right.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sandtable.agent import Explanation
from sandtable.agents.human.turn import compact
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.constraint import PlannedMove
from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES
from sandtable.games.lucid.agents.semantic.agent import GroupDecision, SemanticMove
from sandtable.games.lucid.agents.semantic.turn_orders import Order
from sandtable.games.lucid.drawing import svg as sheet
from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.games.lucid.notation import node_name
from sandtable.games.lucid.placements.demands import Demand, Generated
from sandtable.pictures import box, moved_to, tag, text
from sandtable.registry import make_game
from sandtable.types import Position

__all__ = [
    "Panel",
    "explain_plan",
    "explain_semantic",
    "fact_note",
    "generated_facts",
    "map_picture",
    "movelet_words",
    "placed_page",
    "wrapped",
]

LINE_WIDTH = 76
FEATURES_IN_A_ROW = 2
PANEL_CHARACTERS = 74

# The picture.
GROUP_COLOURS = ("#7b3fa0", "#1b7f5c", "#b8611a", "#a12550", "#2b5fa8", "#6b6b1e", "#4a4a4a")
ARROW = "#101f38"
PANEL_WIDTH = 560
LINE = 17
MARGIN = 24
BAR_LEFT, BAR_WIDTH = 330, 150
PAPER, TRACK = "#fbfaf5", "#e3e0d4"
TAIL, HEAD = 34.0, 40.0  # how far arrows keep from the middle of their nodes
BESIDE_ROAD, BESIDE_NODES = 13.0, 44.0  # and from the road: sideways they would cover the units


def movelet_words(actions: Sequence[int]) -> str:
    """Write movelets in a row.

    >>> movelet_words([0, 0, rules.END])
    'a1-a2*2'
    """
    movelets = [action for action in actions if action != rules.END]
    return compact(make_game("lucid"), movelets) or "nobody moves"


def wrapped(line: str, indent: str = "") -> list[str]:
    """Break a long line."""
    return textwrap.wrap(line, LINE_WIDTH, subsequent_indent=indent, break_on_hyphens=False)


# --- the semantic agent --------------------------------------------------------------------------


def explain_semantic(position: Position, move: SemanticMove) -> Explanation:
    """Show groups, features, the networks' answers, and the orders they led to."""
    lines = [LucidDrawing().text(position), ""]
    notes = []
    for number, decision in enumerate(move.groups):
        orders = [order for order in move.orders if order.node in decision.group.nodes]
        title = (
            f"Group {number + 1}: {decision.group.key} ({units_text(sum(decision.group.units))})"
        )
        chosen = f"chosen: {', '.join(decision.chosen)}"
        lines += [title, *feature_lines(decision, FEATURES_IN_A_ROW), f"  {chosen}"]
        lines += wrapped(f"  outputs: {output_words(decision)}", " " * 11)
        lines += [f"  looked up: {source}" for source in decision.sources]
        lines += [f"  {order_words(order)}" for order in orders] + [""]
        note_lines = [*short_feature_lines(decision), *(order_words(order) for order in orders)]
        note_lines += [f"looked up: {source}" for source in decision.sources]
        notes.append(Note(title, note_lines, output_bars(decision), colour_of(number)))
    lines += wrapped(f"Move: {movelet_words(move.actions)}", "      ")
    groups = [decision.group.nodes for decision in move.groups]
    picture = map_picture(position, move.actions, groups, "arrows: the chosen move")
    svg = page("Semantic agent", [picture], Panel(notes))
    return Explanation(move.actions, "\n".join(lines), svg)


def feature_lines(decision: GroupDecision, columns: int) -> list[str]:
    """Write the features of a group, several in a row."""
    cells = [
        f"{name}: {value:g}"
        for name, value in zip(FEATURE_NAMES, decision.group.features.round(2), strict=True)
    ]
    rows = [cells[index : index + columns] for index in range(0, len(cells), columns)]
    return ["  " + "".join(f"{cell:34}" for cell in row).rstrip() for row in rows]


def short_feature_lines(decision: GroupDecision) -> list[str]:
    """Write the features one below the other, the exits in pairs."""
    values = [f"{value:g}" for value in decision.group.features.round(2)]
    exits = [
        f"exit {rank + 1}: distance {values[2 * rank]}, resistance {values[2 * rank + 1]}"
        for rank in range(rules.SIDE)
    ]
    others = zip(FEATURE_NAMES[2 * rules.SIDE :], values[2 * rules.SIDE :], strict=True)
    return exits + [f"{name}: {value}" for name, value in others]


def units_text(units: int) -> str:
    """Write a number of units."""
    return f"{units} unit{'s' if units > 1 else ''}"


def output_words(decision: GroupDecision) -> str:
    """Write the networks' answers, the most certain first."""
    pairs = sorted(zip(decision.outputs, decision.categories, strict=True), reverse=True)
    return ", ".join(f"{name} {value:.2f}" for value, name in pairs)


def output_bars(decision: GroupDecision) -> list[Bar]:
    """Draw the networks' answers in the order of the categories."""
    return [
        Bar(name, float(value), name in decision.chosen)
        for name, value in zip(decision.categories, decision.outputs, strict=True)
    ]


def order_words(order: Order) -> str:
    """Write what units of a node were told to do."""
    units = units_text(order.units)
    if order.end == order.node:
        return f"{order.category}: {units} on {node_name(order.node)} stay"
    return f"{order.category}: {units} {node_name(order.node)}-{node_name(order.end)}"


# --- constraint agents ---------------------------------------------------------------------------


def explain_plan(position: Position, move: PlannedMove) -> Explanation:
    """Show the demands of the plan, how they were met, and the chosen move."""
    facts = [
        f"Plan: {'; '.join(demand_words(demand) for demand in move.plan) or 'no demands'}",
        *generated_facts(move.generated, move.value),
        f"Move: {movelet_words(move.actions)}",
    ]
    lines = [LucidDrawing().text(position), ""]
    lines += [line for fact in facts for line in wrapped(fact, "      ")]
    picture = map_picture(position, move.actions, caption="arrows: the chosen move")
    svg = page("Constraints", [picture], Panel([fact_note("How the move came about", facts)]))
    return Explanation(move.actions, "\n".join(lines), svg)


def generated_facts(generated: Generated | None, value: float | None) -> list[str]:
    """Say which placements were looked at, and what the evaluator expects of the chosen one."""
    if generated is None:
        return []
    kept = [demand for demand in generated.demands if demand.units > 0]
    met = "; ".join(demand_words(demand) for demand in kept) or "nothing"
    how = "all that meet the demands" if generated.complete else "drawn from those that meet them"
    return [
        f"Demands met: {met} ({generated.relaxed} units taken off)",
        f"Placements: {len(generated.codes):,}, {how}",
        "Chosen by lot"
        if value is None
        else f"Value of the best: {value:.2f} units in the goal at the end",
    ]


def demand_words(demand: Demand) -> str:
    """Write a demand.

    >>> demand_words(Demand(frozenset({11}), 2))
    '2 on b3'
    >>> demand_words(Demand(frozenset(range(5, 26)), 12))
    '12 on row 2 and north of it'
    """
    rows = sorted({node // rules.SIDE for node in demand.nodes if node != rules.TO_GOAL})
    if demand.nodes == {rules.TO_GOAL}:
        return f"{demand.units} into the goal"
    if len(demand.nodes) == 1:
        return f"{demand.units} on {node_name(min(demand.nodes))}"
    if demand.nodes == frozenset(range(rows[0] * rules.SIDE, rules.TO_GOAL + 1)):
        return f"{demand.units} on row {rows[0] + 1} and north of it"
    if demand.nodes == frozenset(range(rows[0] * rules.SIDE, rules.NODES)):
        return f"{demand.units} on rows {rows[0] + 1} to {rules.SIDE}"
    names = " ".join(node_name(node) for node in sorted(demand.nodes))
    return f"{demand.units} on {names}"


def fact_note(title: str, facts: Sequence[str]) -> Note:
    """Put facts into a note, broken to its width."""
    lines = [
        line
        for fact in facts
        for line in textwrap.wrap(
            fact, PANEL_CHARACTERS, subsequent_indent="  ", break_on_hyphens=False
        )
    ]
    return Note(title, lines)


# --- pictures ------------------------------------------------------------------------------------


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
    caption_size: int = 14,
) -> str:
    """Draw a position with arrows for movelets and frames round groups of nodes."""
    frames = [
        box(
            *sheet.centre(node),
            116,
            68,
            rx=17,
            fill="none",
            stroke=colour_of(number),
            stroke_width=4,
        )
        for number, nodes in enumerate(groups)
        for node in nodes
    ]
    counts = Counter(action for action in actions if action != rules.END)
    arrows = [arrow(action, units) for action, units in counts.items()]
    place = (sheet.WIDTH - 70, 833)
    below = text(*place, caption, caption_size, text_anchor="end") if caption else ""
    drawn = LucidDrawing().svg(position)
    overlay = tag("g", *frames, *arrows, below, class_="explanation")
    return drawn.removesuffix("</svg>").rstrip() + overlay + "</svg>"


def colour_of(group: int) -> str:
    """Return the colour of a group."""
    return GROUP_COLOURS[group % len(GROUP_COLOURS)]


def arrow(action: int, units: int) -> str:
    """Draw an arrow along an edge, to its right, with the number of units."""
    here, end = sheet.centre(action // rules.DIRECTIONS), int(rules.DESTINATION[action])
    there = (here[0], float(sheet.GOAL_Y)) if end == rules.TO_GOAL else sheet.centre(end)
    across, up = there[0] - here[0], there[1] - here[1]
    length = math.hypot(across, up)
    aside = BESIDE_NODES if across else BESIDE_ROAD
    angle = math.degrees(math.atan2(up, across))
    shaft = length - HEAD - 12
    line = tag("path", d=f"M{TAIL:g} 0 L{shaft:g} 0", stroke=ARROW, stroke_width=3 + 2 * units)
    point = tag("path", d=f"M{shaft:g} -12 L{length - HEAD + 8:g} 0 L{shaft:g} 12 Z", fill=ARROW)
    place = (TAIL + shaft) / 2
    turned = tag(
        "g", line, point, transform=f"rotate({angle:.4g}) translate(0 {aside:g})", opacity=0.85
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
    places = [(sheet.WIDTH * place, 0) for place in range(len(maps))]
    return placed_page(title, list(zip(maps, places, strict=True)), panel, sheet.WIDTH * len(maps))


def placed_page(
    title: str,
    maps: Sequence[tuple[str, tuple[int, int]]],
    panel: Panel,
    panel_left: int,
    panel_scale: float = 1.0,
) -> str:
    """Put maps to their places (of their upper left corners) and a panel at the top."""
    width = max(panel_left + PANEL_WIDTH * panel_scale, *(x + sheet.WIDTH for _, (x, _) in maps))
    height = max(panel.height * panel_scale, *(y + float(sheet.HEIGHT) for _, (_, y) in maps))
    placed = [drawn.replace("<svg ", f'<svg x="{x}" y="{y}" ', 1) for drawn, (x, y) in maps]
    drawn = tag(
        "svg",
        tag("title", title.replace("&", "&amp;").replace("<", "&lt;")),
        tag("rect", width=width, height=height, fill=PAPER),
        *placed,
        moved_to(
            panel_left, 0, tag("g", panel_picture(panel), transform=f"scale({panel_scale:g})")
        ),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        height=height,
        role="img",
        font_family=sheet.FONTS,
    )
    return drawn.encode("ascii", "xmlcharrefreplace").decode()
