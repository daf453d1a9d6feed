"""Operation Lucid as pictures: what there is to see in a position, in text and in words.

The map for screens and paper is in svg.py. Attackers are marked only when a turn is
closed; every drawing shows them, and the odds, as they would be if the turn were closed now.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np

from sandtable.games.lucid import rules
from sandtable.games.lucid.drawing import svg as drawing_svg
from sandtable.games.lucid.notation import LucidNotation
from sandtable.games.lucid.plan import COLUMN_LETTERS, PUBLISHED_PLAN, BoardPlan
from sandtable.types import Position

__all__ = ["Combat", "LucidDrawing", "LucidSituation", "Node", "situation"]

SIDE_NAMES = ("Blue", "Red")  # by seat

# The text drawing: where columns stand, and how wide it is.
FIRST_COLUMN = 9
COLUMN_PITCH = 13
TEXT_WIDTH = 68
USUAL_ADVANTAGE = 1  # what the defender has more where nothing else is said


@dataclass(frozen=True)
class Combat:
    """A node with both colours, as it is fought when the turn is closed."""

    attacker: int  # seat
    supplied: bool  # Blue gets supply here
    red_loses: float  # chance that the unit lost is Red's


@dataclass(frozen=True)
class Node:
    """One node of the board, with what a drawing shows there."""

    number: int
    blue: int
    red: int
    moved: int  # units of the mover that have used up their step
    supply_source: bool  # held by Blue alone and joined to the home row by such nodes
    combat: Combat | None
    plan: BoardPlan = PUBLISHED_PLAN

    @property
    def name(self) -> str:
        """The name on the map: ``a1`` in the south-west."""
        return self.plan.node_name(self.number)

    @property
    def closed(self) -> bool:
        """Nothing can enter it."""
        return self.number in self.plan.closed

    @property
    def advantage(self) -> int:
        """What the defender has more here."""
        return self.plan.advantages[self.number]

    @property
    def odds(self) -> str:
        """Red's chance to lose the unit, in per cent."""
        return f"{self.combat.red_loses:.0%}" if self.combat else ""


@dataclass(frozen=True)
class LucidSituation:
    """Everything a drawing shows."""

    nodes: tuple[Node, ...]  # by number
    goal: int
    turn: int  # from 1; of a finished game the last one
    mover: int  # seat, or OVER
    reason: str  # why the game is over, or empty
    plan: BoardPlan = PUBLISHED_PLAN

    @property
    def over(self) -> bool:
        """Nobody is to act any more."""
        return self.mover == rules.OVER

    @property
    def state_of_play(self) -> str:
        """Who is to move, or why nobody is."""
        return f"game over, {self.reason}" if self.over else f"{SIDE_NAMES[self.mover]} to move"

    @property
    def left(self) -> tuple[int, int]:
        """Units of each side on the board."""
        return sum(node.blue for node in self.nodes), sum(node.red for node in self.nodes)

    @property
    def lost(self) -> tuple[int, int]:
        """Units of each side out of the game."""
        blue, red = self.left
        all_blue, all_red = self.plan.units
        return all_blue - self.goal - blue, all_red - red


def situation(position: Position, plan: BoardPlan = PUBLISHED_PLAN) -> LucidSituation:
    """Read off a position what drawings show."""
    closed = np.array(position)  # a copy, on which the turn is closed
    plan.mark_attackers(closed)
    supplied = plan.supplied_by_node(closed)
    over = int(position[plan.mover]) == rules.OVER
    return LucidSituation(
        nodes=tuple(
            read_node(plan, position, closed, node, supplied[node]) for node in range(plan.nodes)
        ),
        goal=int(position[plan.goal]),
        turn=int(position[plan.played]) + (0 if over else 1),
        mover=int(position[plan.mover]),
        reason=LucidNotation(plan).reason(position) if over else "",
        plan=plan,
    )


def read_node(
    plan: BoardPlan, position: Position, closed: Position, node: int, supplied: bool
) -> Node:
    """Read off one node; ``closed`` is the position with the attackers marked."""
    blue, red = int(position[plan.blue + node]), int(position[plan.red + node])
    combat = None
    if blue and red:
        fighting = plan.combatants(closed, node)
        combat = Combat(
            attacker=rules.BLUE_SEAT
            if closed[plan.attacker + node] == rules.BLUE_ATTACKS
            else rules.RED_SEAT,
            supplied=fighting.supplied,
            red_loses=fighting.blue / (fighting.blue + fighting.red),
        )
    moved = int(position[plan.arrived + node])
    return Node(node, blue, red, moved, bool(supplied), combat, plan)


class LucidDrawing:
    """Text, SVG and words for positions.

    >>> start = LucidNotation().parse_position("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    >>> LucidDrawing().text(start).splitlines()[0]
    'Operation Lucid, turn 1 of 36: Blue to move'
    """

    # By seat, how its pieces are written: terminals show them in colour.
    piece_patterns = (
        r"\b[bB][1-3](?:\(\d\))?",
        r"(?:\b|(?<=\d))[rR][1-3](?:\(\d\))?",
    )

    def __init__(self, plan: BoardPlan = PUBLISHED_PLAN) -> None:
        self.plan = plan

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        scene, plan = situation(position, self.plan), self.plan
        lines = [f"Operation Lucid, turn {scene.turn} of {plan.turns}: {scene.state_of_play}", ""]
        lines.append(goal_line(scene))
        for row in range(plan.rows - 1, -1, -1):
            nodes = scene.nodes[row * plan.columns : (row + 1) * plan.columns]
            lines += [edges_north(scene, nodes), row_line(row, nodes)]
        letters = COLUMN_LETTERS.upper()
        lines.append(
            written_at([(centre(column), letters[column]) for column in range(plan.columns)])
        )
        (blue, red), (blue_lost, red_lost) = scene.left, scene.lost
        lines += [
            "",
            f"on the board: Blue {blue}, Red {red}; lost: Blue {blue_lost}, Red {red_lost}",
        ]
        return "\n".join([*lines, *legend_lines(scene)])

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return drawing_svg.document(situation(position, self.plan))

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what the dice did: each combat, and who moves next."""
        if action != self.plan.end:
            return []
        fought = [node for node in situation(before, self.plan).nodes if node.combat]
        lines = [combat_line(node, node.combat, after) for node in fought if node.combat]
        scene = situation(after, self.plan)
        if scene.over:
            return [*lines, f"the game is over, {scene.reason}: {scene.goal} in the goal"]
        return [*lines, f"turn {scene.turn}: {SIDE_NAMES[scene.mover]} has the right to move"]


def combat_line(node: Node, combat: Combat, after: Position) -> str:
    """Tell one combat: who attacked, with how many, who lost a unit, and how likely that was."""
    supply = "in supply" if combat.supplied else "out of supply"
    if combat.attacker == rules.BLUE_SEAT:
        attack = f"Blue attacks {node.blue} to {node.red}"
        attack += f" {supply}" if node.plan.supply_penalty else ""
    else:
        attack = f"Red attacks {node.red} to {node.blue}"
        attack += f" with Blue {supply}" if node.plan.supply_penalty else ""
    red_lost = int(after[node.plan.red + node.number]) < node.red
    loser, units = ("Red", node.red) if red_lost else ("Blue", node.blue)
    chance = combat.red_loses if red_lost else 1.0 - combat.red_loses
    loss = "its last unit there" if units == 1 else "a unit"
    return f"{node.name}: {attack}, {loser} loses {loss} ({chance:.0%})"


def centre(column: int) -> int:
    """Return the place in a line of text over which a column's nodes are centred."""
    return FIRST_COLUMN + column * COLUMN_PITCH


def written_at(words: list[tuple[int, str]], fill: str = " ") -> str:
    """Write words centred on their places; between the first and the last stands the fill.

    >>> written_at([(1, "+"), (6, "b3"), (11, "+")], fill="-")
    ' +----b3---+'
    """
    line = [" "] * max(TEXT_WIDTH, words[-1][0] + COLUMN_PITCH)
    line[words[0][0] : words[-1][0]] = fill * (words[-1][0] - words[0][0])
    for place, word in words:
        left = place - (len(word) - 1) // 2
        line[left : left + len(word)] = word
    return "".join(line).rstrip()


def goal_line(scene: LucidSituation) -> str:
    """Draw the goal and the bar that joins it to the last row."""
    units = "unit" if scene.goal == 1 else "units"
    left, right = centre(0), centre(scene.plan.columns - 1)
    name = ((left + right) // 2, f"[ goal: {scene.goal} Blue {units} ]")
    if scene.plan.columns < 3:  # the name is wider than the bar
        return written_at([name])
    return written_at([(left, "+"), name, (right, "+")], fill="-")


def edges_north(scene: LucidSituation, nodes: tuple[Node, ...]) -> str:
    """Draw the edges above a row; combats write their odds on them."""
    words = []
    for column, node in enumerate(nodes):
        action = node.number * rules.DIRECTIONS + rules.NORTH
        road = " " if scene.plan.destinations[action] == rules.NOWHERE else "|"
        words.append((centre(column), node.odds if node.combat and not scene.over else road))
    return written_at(words)


def row_line(row: int, nodes: tuple[Node, ...]) -> str:
    """Draw a row of nodes joined by edges, with its number on the left."""
    words = [(centre(column), f" {node_text(node)} ") for column, node in enumerate(nodes)]
    line = written_at(words, fill="-")
    for column, node in enumerate(nodes[:-1]):
        action = node.number * rules.DIRECTIONS + rules.EAST
        if node.plan.destinations[action] == rules.NOWHERE:
            first, last = centre(column), centre(column + 1)
            line = line[:first] + line[first:last].replace("-", " ") + line[last:]
    return f"{row + 1:>3}{line[3:]}"


def node_text(node: Node) -> str:
    """Write the units in a node: ``b3``, ``B2r1!`` (Blue attacks, out of supply), ``b3(1)``.

    >>> node_text(Node(7, blue=3, red=0, moved=1, supply_source=False, combat=None))
    'b3(1)'
    """
    if node.closed:
        return "x"
    attacker = node.combat.attacker if node.combat else None
    blue = f"{'B' if attacker == rules.BLUE_SEAT else 'b'}{node.blue}" if node.blue else ""
    red = f"{'R' if attacker == rules.RED_SEAT else 'r'}{node.red}" if node.red else ""
    supply = "!" if node.combat and not node.combat.supplied else ""
    moved = f"({node.moved})" if node.moved else ""
    terrain = f"^{node.advantage}" if node.advantage != USUAL_ADVANTAGE else ""
    return (f"{blue}{red}{supply}{moved}" or "+") + terrain


def legend_lines(scene: LucidSituation) -> list[str]:
    """Explain the signs that are in the drawing, and no others."""
    combats = [node.combat for node in scene.nodes if node.combat]
    signs = []
    if combats:
        signs.append("B, R: attacks")
    if combats and not scene.over:
        signs.append("%: Red's chance to lose the unit")
    if not all(combat.supplied for combat in combats):
        signs.append("!: Blue out of supply")
    if any(node.moved for node in scene.nodes):
        signs.append("(n): n have moved")
    return textwrap.wrap("; ".join([*signs, *terrain_words(scene)]), TEXT_WIDTH)


def terrain_words(scene: LucidSituation) -> list[str]:
    """Explain what is different from the published board."""
    plan, words = scene.plan, []
    if plan.closed:
        words.append("x: closed")
    if any(node.advantage != USUAL_ADVANTAGE and not node.closed for node in scene.nodes):
        words.append("^n: the defender has n more")
    if not plan.supply_penalty:
        words.append("no supply needed")
    elif plan.sources != {node for node in range(plan.columns) if node not in plan.closed}:
        names = " ".join(plan.node_name(node) for node in sorted(plan.sources))
        words.append(f"supply comes from {names or 'nowhere'}")
    return words
