"""Operation Lucid as a map in SVG.

The look is that of a map sheet: roads join the nodes, and a dashed blue line along the roads is
supply. Only plain attributes are used, no styles, scripts or identifiers, so that several drawings
can stand in one page; ``class`` and ``data-node`` tell programs what is what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sandtable.games.lucid import rules
from sandtable.games.lucid.drawing import signs
from sandtable.games.lucid.plan import COLUMN_LETTERS, PUBLISHED_PLAN, BoardPlan
from sandtable.pictures import INK, box, line, moved_to, tag, text

if TYPE_CHECKING:
    from sandtable.games.lucid.drawing.text import LucidSituation, Node

__all__ = ["document"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

# Places, in units of the view box. Those that depend on the size of the board are in Sheet.
LEAST_WIDTH = 760  # for the caption and the legend; as wide as the published board
MAP_LEFT, MAP_TOP = 46, 104
PITCH_X, PITCH_Y = 128, 116
HELD_SIZE, COMBAT_SIZE, EMPTY_SIZE = (108, 60), (108, 96), (60, 40)
LEAST_COLUMNS_OF_GOAL = 3  # on narrower boards the goal is wider than the board
UNIT_PITCH, WIDEST_ROW_OF_UNITS = 33, 66
COMBAT_ROW = 29  # distance of the units in a combat from the centre of the node
GOAL_Y = 150
GOAL_PITCH, MOST_GOAL_PLACES = 31.5, 45

# Colours, beside those of the signs.
PAPER, LAND, HILLS, FAINT_INK = "#f6f2e7", "#e8ead8", "#d5d3b6", "#7a7362"
ROAD_EDGE, ROAD, NODE_EDGE = "#9d9580", "#fdfbf3", "#8a826d"
EMPTY, BLUE_HELD, RED_HELD, CONTESTED = "#fffdf6", "#e2ecf6", "#f8e4de", "#fdf0c4"
GOAL_FILL = "#f4e3ab"
SUPPLY_LOOK: dict[str, str | float] = {
    "stroke": signs.BLUE_FILL,
    "stroke_width": 4,
    "stroke_dasharray": "7 4",
}
CONTOUR = (
    "M-96 8 C-104 -34 -48 -70 2 -58 C40 -50 64 -62 90 -30 C112 2 62 34 30 52 C-14 74 -88 52 -96 8 Z"
)
ROCKS = "M-26 18 L-14 -10 L-5 3 L5 -18 L26 18 Z"
SHIELD = "M-11 -10 H11 V1 C11 8 4 11 0 13 C-4 11 -11 8 -11 1 Z"
HILL_RADIUS = 110
SIDE_NAMES = ("Blue", "Red")  # by seat


class Sheet:
    """Where things lie on the sheet of a board of a certain size."""

    def __init__(self, plan: BoardPlan) -> None:
        self.plan = plan
        wanted = (plan.columns - 1) * PITCH_X + HELD_SIZE[0] + 140
        self.width = max(LEAST_WIDTH, wanted)
        self.height = 364 + plan.rows * PITCH_Y
        self.middle = self.width / 2
        self.map_right, self.map_bottom = self.width - MAP_LEFT, self.height - 106
        self.map_width, self.map_height = self.map_right - MAP_LEFT, self.map_bottom - MAP_TOP
        goal_columns = max(plan.columns, LEAST_COLUMNS_OF_GOAL)
        self.board_width = (goal_columns - 1) * PITCH_X + HELD_SIZE[0]
        self.board_left = self.middle - self.board_width / 2
        self.base_y, self.legend_y = self.height - 128, self.height - 59
        self.first_x = self.width // 2 - (plan.columns - 1) * PITCH_X // 2  # centre of a1
        self.first_y = self.height - 198

    def centre(self, node: int) -> tuple[float, float]:
        """Return the centre of a node."""
        row, column = divmod(node, self.plan.columns)
        return self.first_x + column * PITCH_X, self.first_y - row * PITCH_Y


PUBLISHED_SHEET = Sheet(PUBLISHED_PLAN)  # where explanations draw over the published board
WIDTH, HEIGHT = PUBLISHED_SHEET.width, PUBLISHED_SHEET.height
centre = PUBLISHED_SHEET.centre


def document(scene: LucidSituation) -> str:
    """Draw the whole sheet."""
    title = f"Operation Lucid, turn {scene.turn} of {scene.plan.turns}: {scene.state_of_play}"
    sheet = Sheet(scene.plan)
    parts = [
        tag("title", escape(title)),
        tag("desc", escape(description(scene))),
        land(sheet),
        heading(sheet, scene),
        roads(sheet),
        supply_lines(sheet, scene),
        goal(sheet, scene),
        *(node_picture(sheet, scene, node) for node in scene.nodes),
        legend(sheet),
    ]
    drawn = tag(
        "svg",
        *(f"\n{part}" for part in parts),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {sheet.width} {sheet.height}",
        width=sheet.width,
        height=sheet.height,
        role="img",
        font_family=FONTS,
    )
    return drawn.encode("ascii", "xmlcharrefreplace").decode()  # the same in every encoding


def description(scene: LucidSituation) -> str:
    """Say in words what the drawing shows, for those who cannot see it."""
    words = [f"{scene.goal} Blue in the goal"]
    words += [node_words(scene, node) for node in scene.nodes if node.blue or node.red]
    return "; ".join(words) + "."


def node_words(scene: LucidSituation, node: Node) -> str:
    """Say what stands on a node."""
    counts = zip((node.blue, node.red), SIDE_NAMES, strict=True)
    units = " and ".join(f"{count} {side}" for count, side in counts if count)
    words = f"{node.name}: {units or 'empty'}"
    if node.moved:
        words += f" ({node.moved} moved in this turn)"
    if node.combat:
        words += f", {SIDE_NAMES[node.combat.attacker]} attacks"
        if scene.plan.supply_penalty:
            words += f", Blue {'in supply' if node.combat.supplied else 'out of supply'}"
        if not scene.over:
            words += f", Red loses a unit with {node.odds}"
    return words


def land(sheet: Sheet) -> str:
    """Draw the paper, the land with a few hills, the frame, and the letters and numbers in it."""
    plan = sheet.plan
    paper = tag("rect", width=sheet.width, height=sheet.height, rx=14, fill=PAPER, stroke=ROAD_EDGE)
    area = (sheet.middle, (MAP_TOP + sheet.map_bottom) / 2, sheet.map_width, sheet.map_height)
    ground = box(*area, fill=LAND)
    frame = box(*area, fill="none", stroke=INK, stroke_width=1.5)
    marks = []
    for index in range(max(plan.columns, plan.rows)):
        if index < plan.columns:
            x, _ = sheet.centre(index)
            marks.append(text(x, sheet.map_bottom + 21, COLUMN_LETTERS[index].upper(), 17))
        if index < plan.rows:
            _, y = sheet.centre(index * plan.columns)
            marks += [
                text(side, y + 6, str(index + 1), 17)
                for side in (MAP_LEFT - 20, sheet.map_right + 20)
            ]
    letters = tag("g", *marks, text_anchor="middle", font_weight="500")
    return tag("g", paper, ground, hills(sheet), frame, letters, north_arrow(sheet))


def hills(sheet: Sheet) -> str:
    """Draw contour lines; they mean nothing and make it a map."""
    rings = []
    for x, y, turned in ((188, 346, 24), (566, 456, -32), (316, 566, 160), (560, 690, 75)):
        if y + HILL_RADIUS > sheet.map_bottom:
            continue
        for size in (1.0, 0.72, 0.46, 0.2):
            placed = f"translate({x} {y}) rotate({turned}) scale({size}) translate(8 -6)"
            rings.append(tag("path", d=CONTOUR, transform=placed, stroke_width=1.6 / size))
    return tag("g", *rings, fill="none", stroke=HILLS)


def north_arrow(sheet: Sheet) -> str:
    """Draw the arrow that says where north is."""
    west_half = tag("path", d="M0 -15 L-6 9 L0 4 Z", fill=INK)
    east_half = tag("path", d="M0 -15 L6 9 L0 4 Z", fill=PAPER, stroke=INK)
    letter = text(0, 24, "N", 12, text_anchor="middle", font_weight="700")
    return moved_to(sheet.map_right + 21, MAP_TOP + 24, west_half, east_half, letter)


def heading(sheet: Sheet, scene: LucidSituation) -> str:
    """Write the caption: the turn, who moves or how it ended, and what is left."""
    (blue, red), (blue_lost, red_lost) = scene.left, scene.lost
    if scene.over:
        status, ink = f"Game over: {scene.goal} in the goal", INK
        when = f"Turn {scene.turn} of {scene.plan.turns}: {scene.reason}"
        counts = f"lost: Blue {blue_lost}, Red {red_lost}"
    else:
        status, ink = f"{SIDE_NAMES[scene.mover]} to move", signs.SIDE_INK[scene.mover]
        when = f"Turn {scene.turn} of {scene.plan.turns}"
        counts = f"{scene.goal} in the goal · Blue {blue} on the board, {blue_lost} lost · "
        counts += f"Red {red} on the board, {red_lost} lost"
    sign = signs.red_unit() if scene.mover == rules.RED_SEAT else signs.blue_unit()
    return tag(
        "g",
        text(MAP_LEFT, 40, "Operation Lucid", 25, font_weight="700"),
        text(sheet.map_right - 40, 40, status, 21, text_anchor="end", font_weight="700", fill=ink),
        moved_to(sheet.map_right - 15, 33, sign),
        text(MAP_LEFT, 65, when, 15),
        text(sheet.map_right, 65, counts, 14, text_anchor="end", fill=FAINT_INK),
        turn_track(sheet, scene),
        class_="heading",
    )


def turn_track(sheet: Sheet, scene: LucidSituation) -> str:
    """Draw a box for each turn: dark when played, high and in the mover's colour when it runs."""
    step = sheet.map_width / scene.plan.turns
    gap = min(2, step / 3)
    boxes = []
    for turn in range(1, scene.plan.turns + 1):
        fill, high = (INK if turn <= scene.turn else LAND), 6
        if turn == scene.turn and not scene.over:
            fill, high = signs.SIDE_INK[scene.mover], 12
        boxes.append(box(MAP_LEFT + (turn - 0.5) * step, 85, step - gap, high, rx=2, fill=fill))
    return tag("g", *boxes)


def roads(sheet: Sheet) -> str:
    """Draw all edges, those into the goal included."""
    ways = [line(*sheet.centre(here), *sheet.centre(there)) for here, there in sheet.plan.edges]
    for node in sheet.plan.exits:
        x, y = sheet.centre(node)
        ways.append(line(x, y, x, GOAL_Y))
    border = tag("g", *ways, stroke=ROAD_EDGE, stroke_width=9)
    return border + tag("g", *ways, stroke=ROAD, stroke_width=6)


def supply_lines(sheet: Sheet, scene: LucidSituation) -> str:
    """Draw supply: from the base to nodes Blue alone holds, along them, and into combats."""
    plan = scene.plan
    if not plan.supply_penalty:
        return tag("g")
    ways = []
    for node in scene.nodes[: plan.columns]:
        if node.number in plan.sources and (node.supply_source or node.combat):
            x, y = sheet.centre(node.number)
            ways.append((x, float(sheet.base_y), x, y))
    for here, there in plan.edges:
        first, second = scene.nodes[here], scene.nodes[there]
        if supplies(first, second) or supplies(second, first):
            ways.append((*sheet.centre(here), *sheet.centre(there)))
    lines = tag("g", *(line(*way, class_="supply") for way in ways), **SUPPLY_LOOK)
    if min(plan.sources, default=plan.columns) >= plan.columns:  # only depots inland
        return tag("g", lines)
    base = box(sheet.middle, sheet.base_y, sheet.board_width, 5, fill=signs.BLUE_INK)
    place = (sheet.board_left, sheet.base_y + 15)
    name = text(*place, "BLUE'S BASE", 10, fill=signs.BLUE_INK, letter_spacing=1)
    return tag("g", lines, base, name)


def supplies(source: Node, neighbour: Node) -> bool:
    """Say whether supply runs from a node to its neighbour."""
    return source.supply_source and (neighbour.supply_source or neighbour.combat is not None)


def goal(sheet: Sheet, scene: LucidSituation) -> str:
    """Draw the goal: a place for every Blue unit, filled by those that got there."""
    look: dict[str, str | float] = {"fill": GOAL_FILL, "stroke": NODE_EDGE, "stroke_width": 2}
    right = sheet.board_left + sheet.board_width - 18
    empty = box(0, 0, 26, 18, rx=2, fill="none", stroke=NODE_EDGE, stroke_dasharray="3 3")
    units = scene.plan.units[rules.BLUE_SEAT]
    pitch = min(GOAL_PITCH, (sheet.board_width - 179) / max(1, units - 1))
    places = [
        moved_to(
            sheet.board_left + 101 + place * pitch,
            GOAL_Y,
            signs.blue_unit() if place < scene.goal else empty,
        )
        for place in range(units if units <= MOST_GOAL_PLACES else 0)
    ]
    return tag(
        "g",
        box(sheet.middle, GOAL_Y, sheet.board_width, 60, rx=16, **look),
        text(sheet.board_left + 20, GOAL_Y + 7, "GOAL", 19, font_weight="700", letter_spacing=1),
        *places,
        text(right, GOAL_Y + 11, str(scene.goal), 31, text_anchor="end", font_weight="700"),
        class_="goal",
        data_node="goal",
    )


def node_picture(sheet: Sheet, scene: LucidSituation, node: Node) -> str:
    """Draw a node with its units, and the combat if there is one."""
    if node.closed:
        return closed_picture(sheet, node)
    size, fill = EMPTY_SIZE, EMPTY
    if node.combat:
        size, fill = COMBAT_SIZE, CONTESTED
    elif node.blue or node.red:
        size, fill = HELD_SIZE, BLUE_HELD if node.blue else RED_HELD
    edge, width = (signs.BURST_EDGE, 2.5) if node.combat else (NODE_EDGE, 1.5)
    parts = [tag("title", escape(node_words(scene, node)))]
    parts.append(box(0, 0, *size, rx=14, fill=fill, stroke=edge, stroke_width=width))
    apart = COMBAT_ROW if node.combat else 0
    blue_moved = node.moved if scene.mover == rules.BLUE_SEAT else 0
    red_moved = node.moved if scene.mover == rules.RED_SEAT else 0
    parts += [
        moved_to(x, -apart, signs.red_unit(spent)) for x, spent in in_a_row(node.red, red_moved)
    ]
    parts += [
        moved_to(x, apart, signs.blue_unit(spent)) for x, spent in in_a_row(node.blue, blue_moved)
    ]
    if node.combat:
        odds = "" if scene.over else node.odds
        parts.append(signs.combat_sign(node.combat.attacker, node.combat.supplied, odds))
    parts += terrain_signs(scene, node, size)
    return moved_to(*sheet.centre(node.number), *parts, class_="node", data_node=node.name)


def closed_picture(sheet: Sheet, node: Node) -> str:
    """Draw a node that nothing can enter."""
    title = tag("title", escape(f"{node.name}: closed"))
    rocks = tag("path", d=ROCKS, fill=HILLS, stroke=ROAD_EDGE, stroke_width=1.5)
    return moved_to(*sheet.centre(node.number), title, rocks, class_="closed")


def terrain_signs(scene: LucidSituation, node: Node, size: tuple[int, int]) -> list[str]:
    """Draw what is special about a node: a depot, or another advantage of the defender."""
    signs_here = []
    plan = scene.plan
    if plan.supply_penalty and node.number in plan.sources and node.number >= plan.columns:
        depot = box(0, 0, 17, 17, rx=3, fill=signs.BLUE_INK)
        letter = text(0, 5, "S", 13, text_anchor="middle", font_weight="700", fill="#ffffff")
        signs_here.append(moved_to(-size[0] / 2 + 2, size[1] / 2, depot, letter, class_="depot"))
    if node.advantage != 1:
        shield = tag("path", d=SHIELD, fill=PAPER, stroke=INK)
        words = text(0, 3, f"+{node.advantage}", 11, text_anchor="middle", font_weight="700")
        place = (size[0] / 2 - 2, size[1] / 2 - 2)
        signs_here.append(moved_to(*place, shield, words, class_="advantage"))
    return signs_here


def in_a_row(units: int, spent: int) -> list[tuple[float, bool]]:
    """Place units side by side; those that have moved stand on the right."""
    middle = (units - 1) / 2
    pitch = min(UNIT_PITCH, WIDEST_ROW_OF_UNITS / max(1, units - 1))  # many stand closer
    return [((index - middle) * pitch, index >= units - spent) for index in range(units)]


def legend(sheet: Sheet) -> str:
    """Explain the signs in two rows under the map."""
    road = line(-15, 0, 15, 0, stroke=ROAD_EDGE, stroke_width=9)
    road += line(-15, 0, 15, 0, stroke=ROAD, stroke_width=6)
    odds = text(0, 5, "50%", 14, text_anchor="middle", font_weight="700")
    smaller = "scale(0.9)"
    columns = (
        (0, (signs.blue_unit(), "Blue unit"), (signs.red_unit(), "Red unit")),
        (
            122,
            (signs.blue_unit(spent=True), "moved in this turn"),
            (road + line(-15, 0, 15, 0, **SUPPLY_LOOK), "supply line"),
        ),
        (
            300,
            (tag("g", signs.attack_sign(rules.BLUE_SEAT), transform=smaller), "Blue attacks"),
            (tag("g", signs.attack_sign(rules.RED_SEAT), transform=smaller), "Red attacks"),
        ),
        (438, (signs.warning(), "combat out of supply"), (odds, "Red's chance to lose a unit")),
    )
    parts = []
    for x, *rows in columns:
        for y, (picture, words) in zip((sheet.legend_y, sheet.legend_y + 33), rows, strict=True):
            parts.append(moved_to(MAP_LEFT + 16 + x, y, picture))
            parts.append(text(MAP_LEFT + 40 + x, y + 5, words, 14))
    return tag("g", *parts, class_="legend")
