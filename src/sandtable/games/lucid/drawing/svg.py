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
from sandtable.pictures import INK, box, line, moved_to, tag, text

if TYPE_CHECKING:
    from sandtable.games.lucid.drawing.text import LucidSituation, Node

__all__ = ["document"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

# Places, in units of the view box.
WIDTH, HEIGHT = 760, 944
MAP_LEFT, MAP_TOP, MAP_RIGHT, MAP_BOTTOM = 46, 104, 714, 838
MAP_WIDTH, MAP_HEIGHT = MAP_RIGHT - MAP_LEFT, MAP_BOTTOM - MAP_TOP
MIDDLE = WIDTH / 2
PITCH_X, PITCH_Y = 128, 116
FIRST_X, FIRST_Y = 124, 746  # centre of a1
HELD_SIZE, COMBAT_SIZE, EMPTY_SIZE = (108, 60), (108, 96), (60, 40)
BOARD_WIDTH = (rules.SIDE - 1) * PITCH_X + HELD_SIZE[0]
BOARD_LEFT = MIDDLE - BOARD_WIDTH / 2
UNIT_PITCH = 33
COMBAT_ROW = 29  # distance of the units in a combat from the centre of the node
GOAL_Y, BASE_Y, LEGEND_Y = 150, 816, 885  # supply comes from the base

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
SIDE_NAMES = ("Blue", "Red")  # by seat


def centre(node: int) -> tuple[float, float]:
    """Return the centre of a node."""
    return FIRST_X + node % rules.SIDE * PITCH_X, FIRST_Y - node // rules.SIDE * PITCH_Y


def document(scene: LucidSituation) -> str:
    """Draw the whole sheet."""
    title = f"Operation Lucid, turn {scene.turn} of {rules.TURNS}: {scene.state_of_play}"
    parts = [
        tag("title", escape(title)),
        tag("desc", escape(description(scene))),
        sheet(),
        heading(scene),
        roads(),
        supply_lines(scene),
        goal(scene),
        *(node_picture(scene, node) for node in scene.nodes),
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
        supply = "in supply" if node.combat.supplied else "out of supply"
        words += f", {SIDE_NAMES[node.combat.attacker]} attacks, Blue {supply}"
        if not scene.over:
            words += f", Red loses a unit with {node.odds}"
    return words


def sheet() -> str:
    """Draw the paper, the land with a few hills, the frame, and the letters and numbers in it."""
    paper = tag("rect", width=WIDTH, height=HEIGHT, rx=14, fill=PAPER, stroke=ROAD_EDGE)
    area = (MIDDLE, (MAP_TOP + MAP_BOTTOM) / 2, MAP_WIDTH, MAP_HEIGHT)
    land = box(*area, fill=LAND)
    frame = box(*area, fill="none", stroke=INK, stroke_width=1.5)
    marks = []
    for index in range(rules.SIDE):
        x, y = centre(index * rules.SIDE + index)
        marks.append(text(x, MAP_BOTTOM + 21, "ABCDE"[index], 17))
        marks += [text(side, y + 6, str(index + 1), 17) for side in (MAP_LEFT - 20, MAP_RIGHT + 20)]
    letters = tag("g", *marks, text_anchor="middle", font_weight="500")
    return tag("g", paper, land, hills(), frame, letters, north_arrow())


def hills() -> str:
    """Draw contour lines; they mean nothing and make it a map."""
    rings = []
    for x, y, turned in ((188, 346, 24), (566, 456, -32), (316, 566, 160), (560, 690, 75)):
        for size in (1.0, 0.72, 0.46, 0.2):
            placed = f"translate({x} {y}) rotate({turned}) scale({size}) translate(8 -6)"
            rings.append(tag("path", d=CONTOUR, transform=placed, stroke_width=1.6 / size))
    return tag("g", *rings, fill="none", stroke=HILLS)


def north_arrow() -> str:
    """Draw the arrow that says where north is."""
    west_half = tag("path", d="M0 -15 L-6 9 L0 4 Z", fill=INK)
    east_half = tag("path", d="M0 -15 L6 9 L0 4 Z", fill=PAPER, stroke=INK)
    letter = text(0, 24, "N", 12, text_anchor="middle", font_weight="700")
    return moved_to(MAP_RIGHT + 21, MAP_TOP + 24, west_half, east_half, letter)


def heading(scene: LucidSituation) -> str:
    """Write the caption: the turn, who moves or how it ended, and what is left."""
    (blue, red), (blue_lost, red_lost) = scene.left, scene.lost
    if scene.over:
        status, ink = f"Game over: {scene.goal} in the goal", INK
        when = f"Turn {scene.turn} of {rules.TURNS}: {scene.reason}"
        counts = f"lost: Blue {blue_lost}, Red {red_lost}"
    else:
        status, ink = f"{SIDE_NAMES[scene.mover]} to move", signs.SIDE_INK[scene.mover]
        when = f"Turn {scene.turn} of {rules.TURNS}"
        counts = f"{scene.goal} in the goal · Blue {blue} on the board, {blue_lost} lost · "
        counts += f"Red {red} on the board, {red_lost} lost"
    sign = signs.red_unit() if scene.mover == rules.RED_SEAT else signs.blue_unit()
    return tag(
        "g",
        text(MAP_LEFT, 40, "Operation Lucid", 25, font_weight="700"),
        text(MAP_RIGHT - 40, 40, status, 21, text_anchor="end", font_weight="700", fill=ink),
        moved_to(MAP_RIGHT - 15, 33, sign),
        text(MAP_LEFT, 65, when, 15),
        text(MAP_RIGHT, 65, counts, 14, text_anchor="end", fill=FAINT_INK),
        turn_track(scene),
        class_="heading",
    )


def turn_track(scene: LucidSituation) -> str:
    """Draw a box for each turn: dark when played, high and in the mover's colour when it runs."""
    step = MAP_WIDTH / rules.TURNS
    boxes = []
    for turn in range(1, rules.TURNS + 1):
        fill, high = (INK if turn <= scene.turn else LAND), 6
        if turn == scene.turn and not scene.over:
            fill, high = signs.SIDE_INK[scene.mover], 12
        boxes.append(box(MAP_LEFT + (turn - 0.5) * step, 85, step - 2, high, rx=2, fill=fill))
    return tag("g", *boxes)


def edges() -> list[tuple[int, int]]:
    """List the edges of the board as pairs of nodes, the southern or western one first."""
    east = [(node, node + 1) for node in range(rules.NODES) if node % rules.SIDE < rules.SIDE - 1]
    return east + [(node, node + rules.SIDE) for node in range(rules.FIRST_OF_TOP_ROW)]


def roads() -> str:
    """Draw all edges, those into the goal included."""
    ways = [line(*centre(here), *centre(there)) for here, there in edges()]
    for node in range(rules.FIRST_OF_TOP_ROW, rules.NODES):
        x, y = centre(node)
        ways.append(line(x, y, x, GOAL_Y))
    border = tag("g", *ways, stroke=ROAD_EDGE, stroke_width=9)
    return border + tag("g", *ways, stroke=ROAD, stroke_width=6)


def supply_lines(scene: LucidSituation) -> str:
    """Draw supply: from the base to nodes Blue alone holds, along them, and into combats."""
    ways = []
    for node in scene.nodes[: rules.SIDE]:
        if node.supply_source or node.combat:
            x, y = centre(node.number)
            ways.append((x, float(BASE_Y), x, y))
    for here, there in edges():
        first, second = scene.nodes[here], scene.nodes[there]
        if supplies(first, second) or supplies(second, first):
            ways.append((*centre(here), *centre(there)))
    lines = tag("g", *(line(*way, class_="supply") for way in ways), **SUPPLY_LOOK)
    base = box(MIDDLE, BASE_Y, BOARD_WIDTH, 5, fill=signs.BLUE_INK)
    name = text(BOARD_LEFT, BASE_Y + 15, "BLUE'S BASE", 10, fill=signs.BLUE_INK, letter_spacing=1)
    return tag("g", lines, base, name)


def supplies(source: Node, neighbour: Node) -> bool:
    """Say whether supply runs from a node to its neighbour."""
    return source.supply_source and (neighbour.supply_source or neighbour.combat is not None)


def goal(scene: LucidSituation) -> str:
    """Draw the goal: a place for every Blue unit, filled by those that got there."""
    look: dict[str, str | float] = {"fill": GOAL_FILL, "stroke": NODE_EDGE, "stroke_width": 2}
    right = BOARD_LEFT + BOARD_WIDTH - 18
    empty = box(0, 0, 26, 18, rx=2, fill="none", stroke=NODE_EDGE, stroke_dasharray="3 3")
    places = [
        moved_to(
            BOARD_LEFT + 101 + place * 31.5,
            GOAL_Y,
            signs.blue_unit() if place < scene.goal else empty,
        )
        for place in range(rules.BLUE_UNITS)
    ]
    return tag(
        "g",
        box(MIDDLE, GOAL_Y, BOARD_WIDTH, 60, rx=16, **look),
        text(BOARD_LEFT + 20, GOAL_Y + 7, "GOAL", 19, font_weight="700", letter_spacing=1),
        *places,
        text(right, GOAL_Y + 11, str(scene.goal), 31, text_anchor="end", font_weight="700"),
        class_="goal",
        data_node="goal",
    )


def node_picture(scene: LucidSituation, node: Node) -> str:
    """Draw a node with its units, and the combat if there is one."""
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
    return moved_to(*centre(node.number), *parts, class_="node", data_node=node.name)


def in_a_row(units: int, spent: int) -> list[tuple[float, bool]]:
    """Place units side by side; those that have moved stand on the right."""
    middle = (units - 1) / 2
    return [((index - middle) * UNIT_PITCH, index >= units - spent) for index in range(units)]


def legend() -> str:
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
        for y, (picture, words) in zip((LEGEND_Y, LEGEND_Y + 33), rows, strict=True):
            parts.append(moved_to(MAP_LEFT + 16 + x, y, picture))
            parts.append(text(MAP_LEFT + 40 + x, y + 5, words, 14))
    return tag("g", *parts, class_="legend")
