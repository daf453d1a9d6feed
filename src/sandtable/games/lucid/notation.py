"""Operation Lucid as text: movelets such as ``a1-a2``, ``c5-goal`` and ``end``, and positions.

A position is one line of five fields, for example the start with Blue to move::

    r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -

1. the rows from 5 down to 1, split by ``/``; nodes from A to E, split by commas: ``b3`` three Blue
   units, ``r2`` two Red ones, both together combat, with a capital for the attacker (``B2r1``); a
   plain number stands for that many empty nodes;
2. who moves: ``b``, ``r``, or ``-`` when the game is over;
3. the number of the turn, 1 to 36 (of a finished game the last one);
4. Blue's units in the goal;
5. units that have already moved in this turn, as ``a2:3,b2:1`` by the node they stand on, or ``-``.

On the boards of scenarios it is the same with other numbers, and ``x`` is a closed node.
"""

from __future__ import annotations

import re

from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.lucid import rules
from sandtable.games.lucid.plan import PUBLISHED_PLAN, BoardPlan
from sandtable.types import Position

__all__ = ["LucidNotation", "node_name", "parse_node"]

NODE_CONTENT = re.compile(r"(?:([bB])([1-9]))?(?:([rR])([1-9]))?")
MOVELET = re.compile(r"([a-z][0-9]{1,2})-([a-z][0-9]{1,2}|goal)")
EMPTY_NODES = re.compile("[1-9]|1[0-2]")
CLOSED = "x"
MOVER_LETTERS = {"b": rules.BLUE_SEAT, "r": rules.RED_SEAT, "-": rules.OVER}


def node_name(node: int) -> str:
    """Return the name of a node: ``a1`` in the south-west, ``goal`` for the goal.

    >>> node_name(7), node_name(rules.TO_GOAL)
    ('c2', 'goal')
    """
    return PUBLISHED_PLAN.node_name(node)


def parse_node(text: str) -> int:
    """Return the number of a node from its name; UnreadableAction if there is no such node.

    >>> parse_node("c2")
    7
    """
    return PUBLISHED_PLAN.parse_node(text)


class LucidNotation:
    """Text for actions and positions, both ways.

    >>> notation = LucidNotation()
    >>> notation.parse_action("a1-a2"), notation.parse_action("end")
    (0, 100)
    >>> start = notation.parse_position("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    >>> notation.position_line(start)
    'r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -'
    """

    def __init__(self, plan: BoardPlan = PUBLISHED_PLAN) -> None:
        self.plan = plan

    def action_name(self, action: int) -> str:
        """Return ``a1-a2`` for a movelet and ``end`` for END; UnreadableAction for no action.

        >>> LucidNotation().action_name(0)
        'a1-a2'
        """
        plan = self.plan
        if action == plan.end:
            return "end"
        if not 0 <= action < plan.end:
            raise UnreadableAction(f"lucid has actions 0 to {plan.end}, got {action}")
        destination = plan.destinations[action]
        source = plan.node_name(action // rules.DIRECTIONS)
        if destination == rules.NOWHERE:  # a number that is never legal still needs a name
            return f"{source}-{'nesw'[action % rules.DIRECTIONS]}"
        return f"{source}-{plan.node_name(destination)}"

    def parse_action(self, text: str) -> int:
        """Return the action of ``a1-a2``, ``c5-goal`` or ``end``; else UnreadableAction.

        >>> LucidNotation().parse_action("c5-goal")
        88
        """
        plan = self.plan
        word = text.strip().lower()
        if word == "end":
            return plan.end
        match = MOVELET.fullmatch(word)
        if not match:
            raise UnreadableAction(
                f"'{text}' is not a movelet; write a1-a2, {plan.exit_movelet}, "
                "or end to close the turn"
            )
        try:
            source = plan.parse_node(match[1])
            destination = plan.to_goal if match[2] == "goal" else plan.parse_node(match[2])
        except UnreadableAction as problem:
            raise UnreadableAction(f"'{text}': {problem}") from None
        first = source * rules.DIRECTIONS
        for action in range(first, first + rules.DIRECTIONS):
            if plan.destinations[action] == destination:
                return action
        raise UnreadableAction(f"'{text}': no edge joins {match[1]} and {match[2]}")

    def position_line(self, position: Position) -> str:
        """Write a position in one line, as the module describes it."""
        plan = self.plan
        rows = [row_text(plan, position, row) for row in range(plan.rows - 1, -1, -1)]
        mover = {seat: letter for letter, seat in MOVER_LETTERS.items()}[int(position[plan.mover])]
        over = position[plan.mover] == rules.OVER
        turn = int(position[plan.played]) + (0 if over else 1)
        arrived = [
            f"{plan.node_name(node)}:{position[plan.arrived + node]}"
            for node in range(plan.nodes)
            if position[plan.arrived + node]
        ]
        moved = ",".join(arrived) or "-"
        return f"{'/'.join(rows)} {mover} {turn} {position[plan.goal]} {moved}"

    def parse_position(self, text: str) -> Position:
        """Read a position from one line; UnreadablePosition if it is wrong or impossible.

        >>> position = LucidNotation().parse_position("5/5/1,B2r1,3/5/5 r 20 4 -")
        >>> int(position[rules.GOAL]), int(position[rules.PLAYED])
        (4, 19)
        """
        plan = self.plan
        fields = text.split()
        if len(fields) != 5:
            raise UnreadablePosition(
                f"a lucid position has 5 fields (rows, mover, turn, goal, moved), got "
                f"{len(fields)} in '{text}'"
            )
        board, mover, turn, goal, moved = fields
        position = plan.empty_position()
        rows = board.split("/")
        if len(rows) != plan.rows:
            raise UnreadablePosition(
                f"a lucid position has {plan.rows} rows, got {len(rows)} in '{board}'"
            )
        for index, row in enumerate(rows):
            parse_row(plan, position, plan.rows - 1 - index, row)
        if mover not in MOVER_LETTERS:
            raise UnreadablePosition(f"the mover is b, r or -, got '{mover}' in '{text}'")
        position[plan.mover] = MOVER_LETTERS[mover]
        position[plan.goal] = parse_number(
            goal, 0, plan.units[rules.BLUE_SEAT], "units in the goal"
        )
        number = parse_number(turn, 1, plan.turns, "turn")
        position[plan.played] = number if mover == "-" else number - 1
        parse_moved(plan, position, moved)
        check_position(plan, position, text)
        return position

    def reason(self, position: Position) -> str:
        """Say why a finished game is over.

        >>> notation = LucidNotation()
        >>> notation.reason(notation.parse_position("5/5/5/5/b1,4 - 36 9 -"))
        '36 turns played'
        """
        if position[self.plan.blue : self.plan.blue + self.plan.nodes].sum() == 0:
            return "no Blue unit is left on the board"
        return f"{self.plan.turns} turns played"


def row_text(plan: BoardPlan, position: Position, row: int) -> str:
    """Write one row, runs of empty nodes as a number: ``b3,2,B2r1,1``."""
    words: list[str] = []
    empty = 0
    for node in range(row * plan.columns, (row + 1) * plan.columns):
        word = node_content(plan, position, node)
        if not word:
            empty += 1
            continue
        if empty:
            words.append(str(empty))
            empty = 0
        words.append(word)
    return ",".join([*words, str(empty)] if empty else words)


def node_content(plan: BoardPlan, position: Position, node: int) -> str:
    """Write what stands on a node; nothing if it is empty."""
    if node in plan.closed:
        return CLOSED
    blue, red = int(position[plan.blue + node]), int(position[plan.red + node])
    attacker = position[plan.attacker + node]
    blue_letter = "B" if attacker == rules.BLUE_ATTACKS else "b"
    red_letter = "R" if attacker == rules.RED_ATTACKS else "r"
    return (f"{blue_letter}{blue}" if blue else "") + (f"{red_letter}{red}" if red else "")


def parse_row(plan: BoardPlan, position: Position, row: int, text: str) -> None:
    """Read one row into the position."""
    column = 0
    for word in text.split(","):
        node = row * plan.columns + column
        if EMPTY_NODES.fullmatch(word) and int(word) <= plan.columns:
            if plan.closed & set(range(node, node + int(word))):
                raise UnreadablePosition(f"'{word}' in row '{text}': closed nodes are written x")
            column += int(word)
            continue
        if word == CLOSED and node in plan.closed:
            column += 1
            continue
        match = NODE_CONTENT.fullmatch(word)
        if (
            not match
            or not word
            or max(int(units or 0) for units in match.groups()[1::2]) > (plan.capacity)
        ):
            raise UnreadablePosition(
                f"'{word}' in row '{text}' is no node; write b3, r2, B2r1 or 4"
            )
        if column < plan.columns:
            parse_node_content(plan, position, node, match, word)
        column += 1
    if column != plan.columns:
        raise UnreadablePosition(f"row '{text}' has {column} nodes, not {plan.columns}")


def parse_node_content(
    plan: BoardPlan, position: Position, node: int, match: re.Match[str], word: str
) -> None:
    """Read the content of one node into the position."""
    blue_letter, blue, red_letter, red = match.groups()
    position[plan.blue + node] = int(blue or 0)
    position[plan.red + node] = int(red or 0)
    attackers = [letter for letter in (blue_letter, red_letter) if letter and letter.isupper()]
    if len(attackers) > (1 if blue and red else 0):
        raise UnreadablePosition(
            f"'{word}': with both colours in a node one of them attacks (a capital letter); "
            "elsewhere nobody does"
        )
    if attackers:
        position[plan.attacker + node] = (
            rules.BLUE_ATTACKS if attackers == ["B"] else rules.RED_ATTACKS
        )


def parse_moved(plan: BoardPlan, position: Position, text: str) -> None:
    """Read the units that have already moved in this turn."""
    for word in [] if text == "-" else text.split(","):
        match = re.fullmatch("([a-z][0-9]{1,2}):([1-9])", word)
        if not match or int(match[2]) > plan.capacity:
            raise UnreadablePosition(f"'{word}' in '{text}' is not like a2:3")
        try:
            position[plan.arrived + plan.parse_node(match[1])] = int(match[2])
        except UnreadableAction as problem:
            raise UnreadablePosition(f"'{word}' in '{text}': {problem}") from None


def parse_number(text: str, low: int, high: int, field: str) -> int:
    """Read a number and check its range."""
    if not re.fullmatch("[0-9]{1,3}", text) or not low <= int(text) <= high:
        raise UnreadablePosition(f"{field} is a number from {low} to {high}, got '{text}'")
    return int(text)


def check_position(plan: BoardPlan, position: Position, text: str) -> None:
    """Refuse positions no game can reach by their numbers alone."""
    blue = position[plan.blue : plan.blue + plan.nodes]
    red = position[plan.red : plan.red + plan.nodes]
    arrived = position[plan.arrived : plan.arrived + plan.nodes]
    attacker = position[plan.attacker : plan.attacker + plan.nodes]
    own = red if position[plan.mover] == rules.RED_SEAT else blue
    over = position[plan.mover] == rules.OVER
    most_blue, most_red = plan.units
    closed = list(plan.closed)
    if blue.sum() + position[plan.goal] > most_blue or red.sum() > most_red:
        problem = f"there are at most {most_blue} Blue and {most_red} Red units"
    elif blue[closed].any() or red[closed].any():
        problem = "nobody can stand on a closed node"
    elif ((blue > 0) & (red > 0) & (attacker == rules.NOBODY) & (arrived == 0)).any():
        # In a node entered in this very turn the mark is made only at its end.
        problem = "with both colours in a node one of them attacks (a capital letter)"
    elif (arrived > own).any() or (over and arrived.any()):
        problem = "more units have moved than stand there"
    elif over != bool(position[plan.played] == plan.turns or blue.sum() == 0):
        problem = (
            f"the game is over exactly after turn {plan.turns} or without Blue units on the board"
        )
    else:
        return
    raise UnreadablePosition(f"'{text}' is impossible: {problem}")
