"""Scenarios of Operation Lucid in plain Python: slow, and written from the docs.

It knows a scenario as the file says it (names of nodes, lists of roads), not as kernels keep it.
"""

from fractions import Fraction

LETTERS = "abcdefghijkl"
GOAL = "goal"
OTHER = {"blue": "red", "red": "blue"}


class PlainScenario:
    """A game in progress, from the values of a scenario file."""

    def __init__(self, values, dice):
        rows = [row.split() for row in values["board"]]
        self.units = {"blue": {}, "red": {}}
        self.nodes, closed = [], set()
        for number, row in enumerate(reversed(rows), start=1):
            for letter, word in zip(LETTERS, row, strict=False):
                node = f"{letter}{number}"
                self.nodes.append(node)
                if word == "x":
                    closed.add(node)
                elif word != ".":
                    self.units["blue" if word[0] == "b" else "red"][node] = int(word[1:])
        self.height = len(rows)
        shut = {frozenset(road.split("-")) for road in values["closed_roads"]}
        self.roads = {node: set() for node in [*self.nodes, GOAL]}
        for one in self.nodes:
            for other in self.nodes:
                apart = abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:]))
                if apart == 1 and not {one, other} & closed and frozenset((one, other)) not in shut:
                    self.roads[one].add(other)
            at_the_top = int(one[1:]) == self.height and one not in closed
            if at_the_top and frozenset((one, GOAL)) not in shut:
                self.roads[one].add(GOAL)
        defender = values["defender"]
        table = defender if isinstance(defender, dict) else {"default": defender}
        self.advantage = {node: table.get(node, table.get("default", 1)) for node in self.nodes}
        self.supply = values["supply"]
        self.sources = (
            {node for node in self.nodes if node[1:] == "1" and node not in closed}
            if self.supply == "row1"
            else set(self.supply)
        )
        self.penalty, self.capacity = values["penalty"], values["capacity"]
        self.turns, self.rule = values["turns"], values["right_to_move"]
        self.attacker, self.moved = {}, {}
        self.goal = self.played = self.combats = 0
        first = values["first"]
        if first == "drawn":
            self.mover = self.drawn(dice) if self.rule != "alternate" else self.coin(dice)
        else:
            self.mover = first

    def coin(self, dice):
        return ("blue", "red")[dice.coin()]

    def drawn(self, dice):
        """Who has the right to move, where it is thrown for."""
        if self.rule == "drawn":
            return self.coin(dice)
        return "blue" if dice.below(100) < self.rule else "red"

    def legal_steps(self):
        """All steps that the mover may take now."""
        if self.mover is None:
            return set()
        own = self.units[self.mover]
        steps = set()
        for node, units in own.items():
            if units == self.moved.get(node, 0) or self.attacker.get(node) == self.mover:
                continue
            for there in self.roads[node]:
                if there == GOAL:
                    allowed = self.mover == "blue"
                else:
                    allowed = own.get(there, 0) < self.capacity
                if allowed:
                    steps.add((node, there))
        return steps

    def step(self, node, there):
        """Move a unit."""
        assert (node, there) in self.legal_steps()
        own = self.units[self.mover]
        own[node] -= 1
        if not own[node]:
            del own[node]
            self.attacker.pop(node, None)
        if there == GOAL:
            self.goal += 1
        else:
            own[there] = own.get(there, 0) + 1
            self.moved[there] = self.moved.get(there, 0) + 1

    def supplied(self):
        """The nodes held by Blue alone that open roads through such nodes join to a source."""
        alone = self.units["blue"].keys() - self.units["red"].keys()
        found = alone & self.sources
        while True:
            more = {there for node in found for there in self.roads[node] if there in alone}
            if more <= found:
                return found
            found |= more

    def end_turn(self, dice):
        """Combats in the order of the nodes, then the next mover."""
        blue, red = self.units["blue"], self.units["red"]
        combats = [node for node in self.nodes if node in blue and node in red]
        for node in combats:
            if self.moved.get(node):
                self.attacker[node] = self.mover
        self.attacker = {node: side for node, side in self.attacker.items() if node in combats}
        self.combats += len(combats)
        supplied = self.supplied()
        judged = [(node, self.in_supply(node, supplied)) for node in combats]
        for node, in_supply in judged:
            strength = {"blue": blue[node], "red": red[node]}
            strength[OTHER[self.attacker[node]]] += self.advantage[node]
            if not in_supply:
                strength["blue"] = max(0, strength["blue"] - self.penalty)
            faces = sum(strength.values())
            thrown = Fraction(dice.below(faces), faces)
            loser = "red" if thrown < Fraction(strength["blue"], faces) else "blue"
            self.units[loser][node] -= 1
            if not self.units[loser][node]:
                del self.units[loser][node]
                del self.attacker[node]
        self.moved = {}
        self.played += 1
        if self.played == self.turns or not blue:
            self.mover = None
        elif self.rule == "alternate":
            self.mover = OTHER[self.mover]
        else:
            self.mover = self.drawn(dice)

    def in_supply(self, node, supplied):
        """Whether Blue fights with all its strength there."""
        return self.supply == "off" or node in self.sources or bool(self.roads[node] & supplied)
