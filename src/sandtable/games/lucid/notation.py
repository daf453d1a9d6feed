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
"""

from __future__ import annotations

import re

import numpy as np

from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.games.lucid import rules
from sandtable.types import Position

__all__ = ["LucidNotation", "node_name", "parse_node"]

NODE_CONTENT = re.compile(r"(?:([bB])([1-3]))?(?:([rR])([1-3]))?")
MOVELET = re.compile(r"([a-e])([1-5])-(?:([a-e])([1-5])|goal)", re.IGNORECASE)
MOVER_LETTERS = {"b": rules.BLUE_SEAT, "r": rules.RED_SEAT, "-": rules.OVER}


def node_name(node: int) -> str:
    """Return the name of a node: ``a1`` in the south-west, ``goal`` for the goal.

    >>> node_name(7), node_name(rules.TO_GOAL)
    ('c2', 'goal')
    """
    if node == rules.TO_GOAL:
        return "goal"
    return "abcde"[node % rules.SIDE] + str(node // rules.SIDE + 1)


def parse_node(text: str) -> int:
    """Return the number of a node from its name; UnreadableAction if there is no such node.

    >>> parse_node("c2")
    7
    """
    lowered = text.lower()
    if re.fullmatch("[a-e][1-5]", lowered):
        return (int(lowered[1]) - 1) * rules.SIDE + "abcde".index(lowered[0])
    raise UnreadableAction(f"'{text}' is no node; nodes are a1 to e5")


class LucidNotation:
    """Text for actions and positions, both ways.

    >>> notation = LucidNotation()
    >>> notation.parse_action("a1-a2"), notation.parse_action("end")
    (0, 100)
    >>> start = notation.parse_position("r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -")
    >>> notation.position_line(start)
    'r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3 b 1 0 -'
    """

    def action_name(self, action: int) -> str:
        """Return ``a1-a2`` for a movelet and ``end`` for END; UnreadableAction for no action.

        >>> LucidNotation().action_name(0)
        'a1-a2'
        """
        if action == rules.END:
            return "end"
        if not 0 <= action < rules.END:
            raise UnreadableAction(f"lucid has actions 0 to {rules.END}, got {action}")
        destination = int(rules.DESTINATION[action])
        if destination == rules.NOWHERE:  # a number that is never legal still needs a name
            return f"{node_name(action // rules.DIRECTIONS)}-{'nesw'[action % rules.DIRECTIONS]}"
        return f"{node_name(action // rules.DIRECTIONS)}-{node_name(destination)}"

    def parse_action(self, text: str) -> int:
        """Return the action of ``a1-a2``, ``c5-goal`` or ``end``; else UnreadableAction.

        >>> LucidNotation().parse_action("c5-goal")
        88
        """
        word = text.strip().lower()
        if word == "end":
            return rules.END
        match = MOVELET.fullmatch(word)
        if not match:
            raise UnreadableAction(
                f"'{text}' is not a movelet; write a1-a2, c5-goal, or end to close the turn"
            )
        source = parse_node(match[1] + match[2])
        destination = parse_node(match[3] + match[4]) if match[3] else rules.TO_GOAL
        first = source * rules.DIRECTIONS
        for action in range(first, first + rules.DIRECTIONS):
            if rules.DESTINATION[action] == destination:
                return action
        raise UnreadableAction(f"'{text}': no edge joins {node_name(source)} and {match[0][3:]}")

    def position_line(self, position: Position) -> str:
        """Write a position in one line, as the module describes it."""
        rows = [row_text(position, row) for row in range(rules.SIDE - 1, -1, -1)]
        mover = {seat: letter for letter, seat in MOVER_LETTERS.items()}[int(position[rules.MOVER])]
        over = position[rules.MOVER] == rules.OVER
        turn = int(position[rules.PLAYED]) + (0 if over else 1)
        arrived = [
            f"{node_name(node)}:{position[rules.ARRIVED + node]}"
            for node in range(rules.NODES)
            if position[rules.ARRIVED + node]
        ]
        moved = ",".join(arrived) or "-"
        return f"{'/'.join(rows)} {mover} {turn} {position[rules.GOAL]} {moved}"

    def parse_position(self, text: str) -> Position:
        """Read a position from one line; UnreadablePosition if it is wrong or impossible.

        >>> position = LucidNotation().parse_position("5/5/1,B2r1,3/5/5 r 20 4 -")
        >>> int(position[rules.GOAL]), int(position[rules.PLAYED])
        (4, 19)
        """
        fields = text.split()
        if len(fields) != 5:
            raise UnreadablePosition(
                f"a lucid position has 5 fields (rows, mover, turn, goal, moved), got "
                f"{len(fields)} in '{text}'"
            )
        board, mover, turn, goal, moved = fields
        position = np.zeros(rules.POSITION_SIZE, dtype=np.int16)
        rows = board.split("/")
        if len(rows) != rules.SIDE:
            raise UnreadablePosition(f"a lucid position has 5 rows, got {len(rows)} in '{board}'")
        for index, row in enumerate(rows):
            parse_row(position, rules.SIDE - 1 - index, row)
        if mover not in MOVER_LETTERS:
            raise UnreadablePosition(f"the mover is b, r or -, got '{mover}' in '{text}'")
        position[rules.MOVER] = MOVER_LETTERS[mover]
        position[rules.GOAL] = parse_number(goal, 0, rules.BLUE_UNITS, "units in the goal")
        number = parse_number(turn, 1, rules.TURNS, "turn")
        position[rules.PLAYED] = number if mover == "-" else number - 1
        parse_moved(position, moved)
        check_position(position, text)
        return position

    def reason(self, position: Position) -> str:
        """Say why a finished game is over.

        >>> notation = LucidNotation()
        >>> notation.reason(notation.parse_position("5/5/5/5/b1,4 - 36 9 -"))
        '36 turns played'
        """
        if position[rules.BLUE : rules.BLUE + rules.NODES].sum() == 0:
            return "no Blue unit is left on the board"
        return f"{rules.TURNS} turns played"


def row_text(position: Position, row: int) -> str:
    """Write one row, runs of empty nodes as a number: ``b3,2,B2r1,1``."""
    words: list[str] = []
    empty = 0
    for node in range(row * rules.SIDE, row * rules.SIDE + rules.SIDE):
        blue, red = int(position[rules.BLUE + node]), int(position[rules.RED + node])
        if not blue and not red:
            empty += 1
            continue
        if empty:
            words.append(str(empty))
            empty = 0
        attacker = position[rules.ATTACKER + node]
        blue_letter = "B" if attacker == rules.BLUE_ATTACKS else "b"
        red_letter = "R" if attacker == rules.RED_ATTACKS else "r"
        words.append(
            (f"{blue_letter}{blue}" if blue else "") + (f"{red_letter}{red}" if red else "")
        )
    return ",".join([*words, str(empty)] if empty else words)


def parse_row(position: Position, row: int, text: str) -> None:
    """Read one row into the position."""
    column = 0
    for word in text.split(","):
        if re.fullmatch(f"[1-{rules.SIDE}]", word):
            column += int(word)
            continue
        match = NODE_CONTENT.fullmatch(word)
        if not match or not word:
            raise UnreadablePosition(
                f"'{word}' in row '{text}' is no node; write b3, r2, B2r1 or 4"
            )
        if column < rules.SIDE:
            parse_node_content(position, row * rules.SIDE + column, match, word)
        column += 1
    if column != rules.SIDE:
        raise UnreadablePosition(f"row '{text}' has {column} nodes, not {rules.SIDE}")


def parse_node_content(position: Position, node: int, match: re.Match[str], word: str) -> None:
    """Read the content of one node into the position."""
    blue_letter, blue, red_letter, red = match.groups()
    position[rules.BLUE + node] = int(blue or 0)
    position[rules.RED + node] = int(red or 0)
    attackers = [letter for letter in (blue_letter, red_letter) if letter and letter.isupper()]
    if len(attackers) > (1 if blue and red else 0):
        raise UnreadablePosition(
            f"'{word}': with both colours in a node one of them attacks (a capital letter); "
            "elsewhere nobody does"
        )
    if attackers:
        position[rules.ATTACKER + node] = (
            rules.BLUE_ATTACKS if attackers == ["B"] else rules.RED_ATTACKS
        )


def parse_moved(position: Position, text: str) -> None:
    """Read the units that have already moved in this turn."""
    for word in [] if text == "-" else text.split(","):
        match = re.fullmatch("([a-e][1-5]):([1-3])", word)
        if not match:
            raise UnreadablePosition(f"'{word}' in '{text}' is not like a2:3")
        position[rules.ARRIVED + parse_node(match[1])] = int(match[2])


def parse_number(text: str, low: int, high: int, field: str) -> int:
    """Read a number and check its range."""
    if not re.fullmatch("[0-9]{1,2}", text) or not low <= int(text) <= high:
        raise UnreadablePosition(f"{field} is a number from {low} to {high}, got '{text}'")
    return int(text)


def check_position(position: Position, text: str) -> None:
    """Refuse positions no game can reach by their numbers alone."""
    blue = position[rules.BLUE : rules.BLUE + rules.NODES]
    red = position[rules.RED : rules.RED + rules.NODES]
    arrived = position[rules.ARRIVED : rules.ARRIVED + rules.NODES]
    attacker = position[rules.ATTACKER : rules.ATTACKER + rules.NODES]
    own = red if position[rules.MOVER] == rules.RED_SEAT else blue
    over = position[rules.MOVER] == rules.OVER
    if blue.sum() + position[rules.GOAL] > rules.BLUE_UNITS or red.sum() > rules.RED_UNITS:
        problem = f"there are at most {rules.BLUE_UNITS} Blue and {rules.RED_UNITS} Red units"
    elif ((blue > 0) & (red > 0) & (attacker == rules.NOBODY) & (arrived == 0)).any():
        # In a node entered in this very turn the mark is made only at its end.
        problem = "with both colours in a node one of them attacks (a capital letter)"
    elif (arrived > own).any() or (over and arrived.any()):
        problem = "more units have moved than stand there"
    elif over != bool(position[rules.PLAYED] == rules.TURNS or blue.sum() == 0):
        problem = "the game is over exactly after turn 36 or without Blue units on the board"
    else:
        return
    raise UnreadablePosition(f"'{text}' is impossible: {problem}")
