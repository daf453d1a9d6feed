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
from sandtable.games.lucid.notation import LucidNotation, node_name
from sandtable.types import Position

__all__ = ["Combat", "LucidDrawing", "LucidSituation", "Node", "situation"]

SIDE_NAMES = ("Blue", "Red")  # by seat

# The text drawing: where columns stand, and how wide it is.
FIRST_COLUMN = 9
COLUMN_PITCH = 13
TEXT_WIDTH = 68


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

    @property
    def name(self) -> str:
        """The name on the map: ``a1`` to ``e5``."""
        return node_name(self.number)

    @property
    def odds(self) -> str:
        """Red's chance to lose the unit, in per cent."""
        return f"{self.combat.red_loses:.0%}" if self.combat else ""


@dataclass(frozen=True)
class LucidSituation:
    """Everything a drawing shows."""

    nodes: tuple[Node, ...]  # [25] by number
    goal: int
    turn: int  # 1 to 36; of a finished game the last one
    mover: int  # seat, or OVER
    reason: str  # why the game is over, or empty

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
        return rules.BLUE_UNITS - self.goal - blue, rules.RED_UNITS - red


def situation(position: Position) -> LucidSituation:
    """Read off a position what drawings show."""
    closed = np.array(position)  # a copy, on which the turn is closed
    rules.mark_attackers(closed)
    blue_alone = rules.occupied(closed, rules.BLUE) & ~rules.occupied(closed, rules.RED)
    supplied = int(rules.supplied_nodes(blue_alone))
    over = int(position[rules.MOVER]) == rules.OVER
    return LucidSituation(
        nodes=tuple(read_node(position, closed, node, supplied) for node in range(rules.NODES)),
        goal=int(position[rules.GOAL]),
        turn=int(position[rules.PLAYED]) + (0 if over else 1),
        mover=int(position[rules.MOVER]),
        reason=LucidNotation().reason(position) if over else "",
    )


def read_node(position: Position, closed: Position, node: int, supplied: int) -> Node:
    """Read off one node; ``closed`` is the position with the attackers marked."""
    blue, red = int(position[rules.BLUE + node]), int(position[rules.RED + node])
    combat = None
    if blue and red:
        blue_strength, red_strength = rules.strengths(closed, node, supplied)
        combat = Combat(
            attacker=rules.BLUE_SEAT
            if closed[rules.ATTACKER + node] == rules.BLUE_ATTACKS
            else rules.RED_SEAT,
            supplied=bool(rules.in_supply(node, supplied)),
            red_loses=float(blue_strength / (blue_strength + red_strength)),
        )
    moved = int(position[rules.ARRIVED + node])
    return Node(node, blue, red, moved, bool(supplied >> node & 1), combat)


class LucidDrawing:
    """Text, SVG and words for positions.

    >>> start = LucidNotation().parse_position("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    >>> LucidDrawing().text(start).splitlines()[0]
    'Operation Lucid, turn 1 of 36: Blue to move'
    """

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        scene = situation(position)
        lines = [f"Operation Lucid, turn {scene.turn} of {rules.TURNS}: {scene.state_of_play}", ""]
        lines.append(goal_line(scene))
        for row in range(rules.SIDE - 1, -1, -1):
            nodes = scene.nodes[row * rules.SIDE : row * rules.SIDE + rules.SIDE]
            lines += [edges_north(scene, nodes), row_line(row, nodes)]
        lines.append(
            written_at([(centre(column), "ABCDE"[column]) for column in range(rules.SIDE)])
        )
        (blue, red), (blue_lost, red_lost) = scene.left, scene.lost
        lines += [
            "",
            f"on the board: Blue {blue}, Red {red}; lost: Blue {blue_lost}, Red {red_lost}",
        ]
        return "\n".join([*lines, *legend_lines(scene)])

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return drawing_svg.document(situation(position))

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what the dice did: each combat, and who moves next."""
        if action != rules.END:
            return []
        fought = [node for node in situation(before).nodes if node.combat]
        lines = [combat_line(node, node.combat, after) for node in fought if node.combat]
        scene = situation(after)
        if scene.over:
            return [*lines, f"the game is over, {scene.reason}: {scene.goal} in the goal"]
        return [*lines, f"turn {scene.turn}: {SIDE_NAMES[scene.mover]} has the right to move"]


def combat_line(node: Node, combat: Combat, after: Position) -> str:
    """Tell one combat: who attacked, with how many, who lost a unit, and how likely that was."""
    supply = "in supply" if combat.supplied else "out of supply"
    if combat.attacker == rules.BLUE_SEAT:
        attack = f"Blue attacks {node.blue} to {node.red} {supply}"
    else:
        attack = f"Red attacks {node.red} to {node.blue} with Blue {supply}"
    red_lost = int(after[rules.RED + node.number]) < node.red
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
    line = [" "] * TEXT_WIDTH
    line[words[0][0] : words[-1][0]] = fill * (words[-1][0] - words[0][0])
    for place, word in words:
        left = place - (len(word) - 1) // 2
        line[left : left + len(word)] = word
    return "".join(line).rstrip()


def goal_line(scene: LucidSituation) -> str:
    """Draw the goal and the bar that joins it to row 5."""
    units = "unit" if scene.goal == 1 else "units"
    words = [(centre(0), "+"), (centre(2), f"[ goal: {scene.goal} Blue {units} ]")]
    return written_at([*words, (centre(rules.SIDE - 1), "+")], fill="-")


def edges_north(scene: LucidSituation, nodes: tuple[Node, ...]) -> str:
    """Draw the edges above a row; combats write their odds on them."""
    words = []
    for column, node in enumerate(nodes):
        words.append((centre(column), node.odds if node.combat and not scene.over else "|"))
    return written_at(words)


def row_line(row: int, nodes: tuple[Node, ...]) -> str:
    """Draw a row of nodes joined by edges, with its number on the left."""
    words = [(centre(column), f" {node_text(node)} ") for column, node in enumerate(nodes)]
    line = written_at(words, fill="-")
    return f"  {row + 1}{line[3:]}"


def node_text(node: Node) -> str:
    """Write the units in a node: ``b3``, ``B2r1!`` (Blue attacks, out of supply), ``b3(1)``.

    >>> node_text(Node(7, blue=3, red=0, moved=1, supply_source=False, combat=None))
    'b3(1)'
    """
    attacker = node.combat.attacker if node.combat else None
    blue = f"{'B' if attacker == rules.BLUE_SEAT else 'b'}{node.blue}" if node.blue else ""
    red = f"{'R' if attacker == rules.RED_SEAT else 'r'}{node.red}" if node.red else ""
    supply = "!" if node.combat and not node.combat.supplied else ""
    moved = f"({node.moved})" if node.moved else ""
    return f"{blue}{red}{supply}{moved}" or "+"


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
    return textwrap.wrap("; ".join(signs), TEXT_WIDTH)
