"""Operation Lucid in plain Python: slow, and written from the text of the rules alone.

The numbers in the comments are the points of these rules:

1. Blue has 3 units on each of A1 to E1, Red 2 on each of A5 to E5; the goal is north of row 5.
2. In each of 36 turns a coin says who moves: every unit at most one edge, all at once; afterwards
   at most 3 units of a colour on a node. Chains into nodes left in the same turn are allowed.
3. Only Blue enters the goal, from row 5, and never leaves it. Its units there are the score.
4. A unit that enters a node with enemy units makes its side the attacker there, whoever leaves.
5. Attackers cannot leave. Defenders can, also into the goal.
6. After the move every node with both colours loses one unit, Red's with chance Sb / (Sb + Sr):
   the units there, one more for the defender, one less for Blue without supply.
7. Supply is a chain of nodes with Blue and without Red from a neighbour to row 1; combat on row 1
   has it. It is judged for all combats before any loss.
8. The game ends after 36 turns or without Blue units on the board.

Dice fall in this order: the combats of a turn from A1, B1, ... to E5, then the coin.
"""

from collections import Counter
from fractions import Fraction
from functools import cache

NODES = [column + row for row in "12345" for column in "ABCDE"]
GOAL = "goal"
MOST_ON_A_NODE = 3
TURNS = 36
SIDES = ("blue", "red")
OTHER = {"blue": "red", "red": "blue"}


def joined(one: str, other: str) -> bool:
    """Say whether an edge joins two nodes of the grid."""
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1]) - int(other[1])) == 1


NEIGHBOURS = {node: [other for other in NODES if joined(node, other)] for node in NODES}


class IllegalMovelet(Exception):
    """The rules do not allow this step."""


@cache
def chance_that_red_loses(blue: int, red: int, attacker: str, supplied: bool) -> Fraction:
    """Point 6, exactly."""
    blue_strength = blue + (attacker == "red") - (not supplied)
    red_strength = red + (attacker == "blue")
    return Fraction(blue_strength, blue_strength + red_strength)


class PlainLucid:
    """A game in progress: who stands where, in dictionaries that hold occupied nodes only."""

    def __init__(self, mover: str) -> None:
        self.units = {
            "blue": {column + "1": 3 for column in "ABCDE"},
            "red": {column + "5": 2 for column in "ABCDE"},
        }
        self.attacker: dict[str, str] = {}
        self.goal = 0
        self.turns = 0
        self.mover: str | None = mover
        self.seen: Counter[str] = Counter()  # situations of interest that have come up
        self.begin_turn()

    def begin_turn(self) -> None:
        """All units of the mover may step once."""
        self.waiting = dict(self.units[self.mover]) if self.mover else {}
        self.entered: Counter[str] = Counter()
        self.full = {node for node, count in self.waiting.items() if count == MOST_ON_A_NODE}

    def legal_steps(self) -> set[tuple[str, str]]:
        """Every step the mover may take now."""
        if self.mover is None:
            return set()
        steps = {(node, other) for node in self.waiting for other in NEIGHBOURS[node]}
        steps |= {(node, GOAL) for node in self.waiting if node[1] == "5"}
        return {step for step in steps if not self.objection(*step)}

    def objection(self, node: str, destination: str) -> str:
        """Say which rule forbids a step, or nothing."""
        if not self.waiting.get(node):
            return "2: no unit that has not moved yet"
        if self.attacker.get(node) == self.mover:
            return "5: attackers cannot leave"
        if destination == GOAL:
            return "" if self.mover == "blue" and node[1] == "5" else "3: the goal is Blue's"
        if destination not in NEIGHBOURS[node]:
            return "2: no edge"
        if self.units[self.mover].get(destination, 0) >= MOST_ON_A_NODE:
            return "2: no room"
        return ""

    def step(self, node: str, destination: str) -> None:
        """Move one unit."""
        problem = self.objection(node, destination)
        if problem:
            raise IllegalMovelet(f"{node}-{destination}: {problem}")
        own, enemy = self.units[self.mover], self.units[OTHER[self.mover]]
        take_one(own, node)
        take_one(self.waiting, node)
        if node in enemy:
            self.seen["a defender leaves"] += 1
            self.seen["a defender leaves into the goal"] += destination == GOAL
        if destination == GOAL:
            self.goal += 1
            self.seen["a unit reaches the goal"] += 1
            return
        self.seen["a step into a node that was full"] += destination in self.full
        own[destination] = own.get(destination, 0) + 1
        self.entered[destination] += 1

    def end_turn(self, dice) -> None:
        """Point 4, then 6 with 7, then 8, then the coin of point 2."""
        blue, red = self.units["blue"], self.units["red"]
        combats = [node for node in NODES if node in blue and node in red]
        self.mark_attackers(combats)
        if combats:
            supplied = self.supply_net()
            judged = [(node, self.is_supplied(node, supplied)) for node in combats]
            for node, in_supply in judged:
                self.fight(node, in_supply, dice)
        self.turns += 1
        if self.turns == TURNS or not blue:
            self.seen["no Blue unit is left"] += not blue
            self.mover = None
        else:
            self.mover = SIDES[dice.coin()]
        self.begin_turn()

    def mark_attackers(self, combats: list[str]) -> None:
        """Whoever entered is the attacker; a mark lasts as long as both colours are there."""
        self.attacker = {node: side for node, side in self.attacker.items() if node in combats}
        for node in combats:
            if self.entered[node]:
                before = self.attacker.get(node)
                self.seen["a defender becomes the attacker"] += before == OTHER[self.mover]
                stayed = self.units[self.mover][node] - self.entered[node]
                self.seen["all leave a combat and others enter"] += bool(before) and not stayed
                self.attacker[node] = self.mover
            elif self.attacker[node] == self.mover:
                self.seen["a locked attacker stays"] += 1

    def supply_net(self) -> set[str]:
        """Nodes of Blue alone that hang together with a row-1 node of Blue alone."""
        blue_alone = self.units["blue"].keys() - self.units["red"].keys()
        found = {node for node in blue_alone if node[1] == "1"}
        border = list(found)
        while border:
            for other in NEIGHBOURS[border.pop()]:
                if other in blue_alone and other not in found:
                    found.add(other)
                    border.append(other)
        return found

    def is_supplied(self, node: str, supplied: set[str]) -> bool:
        """Point 7: by a path that starts beside the node; always on row 1."""
        return node[1] == "1" or any(other in supplied for other in NEIGHBOURS[node])

    def fight(self, node: str, supplied: bool, dice) -> None:
        """One unit is lost; the throw has as many faces as both sides have strength."""
        blue, red = self.units["blue"][node], self.units["red"][node]
        attacker = self.attacker[node]
        faces = blue + red + 1 - (not supplied)
        chance = chance_that_red_loses(blue, red, attacker, supplied)
        loser = "red" if Fraction(dice.below(faces), faces) < chance else "blue"
        take_one(self.units[loser], node)
        self.seen["a combat"] += 1
        self.seen["a combat with supply" if supplied else "a combat without supply"] += 1
        self.seen["Blue defends without supply"] += not supplied and attacker == "red"
        self.seen["a lone attacker without supply"] += chance == 0
        self.seen["a combat on row 1"] += node[1] == "1"
        if node not in self.units[loser]:
            del self.attacker[node]
            self.seen["a combat is decided"] += 1


def take_one(units: dict[str, int], node: str) -> None:
    """Remove a unit, and the node with its last one."""
    if units[node] == 1:
        del units[node]
    else:
        units[node] -= 1
