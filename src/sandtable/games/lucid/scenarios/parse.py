"""Scenarios from what people write: the values of a file or of a spec, and what is wrong with them.

Every mistake is one line that says what is wrong, where, and what to write instead; all that can be
found are told at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sandtable.errors import SandtableError, suggestion
from sandtable.games.lucid.plan import COLUMN_LETTERS
from sandtable.games.lucid.rules import BLUE_SEAT, RED_SEAT
from sandtable.games.lucid.scenarios import rules
from sandtable.games.lucid.scenarios.planes import MOST_ADVANTAGE
from sandtable.games.lucid.scenarios.scenario import Scenario

__all__ = ["DEFAULTS", "UnreadableScenario", "read_scenario", "scenario_problems"]

LEAST_SIDE, MOST_SIDE = 2, len(COLUMN_LETTERS)
MOST_TURNS, MOST_CAPACITY, MOST_UNITS, MOST_PENALTY = 200, 9, 200, 3
LONGEST_TITLE, LONGEST_ABOUT = 60, 2000

# What a scenario is if it says nothing else: the published game.
DEFAULTS: dict[str, Any] = {
    "title": "",
    "about": "",
    "board": "r2,r2,r2,r2,r2/5/5/5/b3,b3,b3,b3,b3",
    "turns": 36,
    "capacity": 3,
    "closed_roads": "",
    "defender": 1,
    "right_to_move": "drawn",
    "first": "drawn",
    "supply": "row1",
    "penalty": 1,
}
FIRST_WORDS = {"drawn": rules.DRAWN, "blue": BLUE_SEAT, "red": RED_SEAT}
NODE = re.compile("([a-z])([1-9][0-9]?)")
UNITS = re.compile("([br])([0-9]{1,3})")


class UnreadableScenario(SandtableError):
    """The text is not a scenario, or the scenario cannot be played."""


def read_scenario(values: Mapping[str, Any], where: str = "the scenario") -> Scenario:
    """Make a scenario of values; UnreadableScenario tells all that is wrong, in one line.

    >>> read_scenario({"board": "r1,r1,r1/3/b3,b3,b3", "turns": 20}).columns
    3
    """
    scenario, problems = scenario_problems(values)
    if scenario is None:
        raise UnreadableScenario(f"{where} cannot be played: {'; '.join(problems)}")
    return scenario


def scenario_problems(values: Mapping[str, Any]) -> tuple[Scenario | None, list[str]]:
    """Return a scenario, or None and what is wrong, a line for each mistake.

    >>> scenario_problems({"board": "r1,r1/2/b3,b3", "turns": 0})[1]
    ['turns is a number from 1 to 200, got 0']
    """
    reader = Reader(values)
    return reader.scenario, reader.problems


class Reader:
    """Reads values one by one and notes what is wrong with them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.problems: list[str] = []
        self.scenario: Scenario | None = None
        for key in values:
            if key not in DEFAULTS:
                known = ", ".join(DEFAULTS)
                self.note(f"'{key}' means nothing; known are {known}.{suggestion(key, DEFAULTS)}")
        self.values = {**DEFAULTS, **values}
        self.columns = self.rows = 0
        self.blue: list[int] = []
        self.red: list[int] = []
        self.closed: set[int] = set()
        capacity = self.number("capacity", 1, MOST_CAPACITY)
        self.board(capacity)
        turns = self.number("turns", 1, MOST_TURNS)
        blue_chance, first = self.blue_chance(), self.first()
        penalty = self.number("penalty", 1, MOST_PENALTY)
        title, about = self.words("title", LONGEST_TITLE), self.words("about", LONGEST_ABOUT)
        if not self.columns:
            return  # nothing else makes sense without a board
        roads, sources = self.closed_roads(), self.sources()
        advantages = self.advantages()
        if self.problems:
            return
        made = Scenario(
            columns=self.columns,
            rows=self.rows,
            blue=tuple(self.blue),
            red=tuple(self.red),
            closed=frozenset(self.closed),
            closed_roads=roads,
            advantages=advantages,
            sources=sources or frozenset(),
            penalty=0 if sources is None else penalty,
            turns=turns,
            capacity=capacity,
            blue_chance=blue_chance,
            first=first,
            title=title,
            about=about,
        )
        self.check_ways(made)
        self.scenario = None if self.problems else made

    def note(self, problem: str) -> None:
        """Keep what is wrong."""
        self.problems.append(problem)

    def number(self, key: str, least: int, most: int) -> int:
        """Read a whole number."""
        value = whole_number(self.values[key])
        if value is None or not least <= value <= most:
            self.note(f"{key} is a number from {least} to {most}, got {shown(self.values[key])}")
            return most  # of capacity, so that no unit is too many besides
        return value

    def words(self, key: str, longest: int) -> str:
        """Read a text for people."""
        value = self.values[key]
        if not isinstance(value, str) or len(value) > longest or not is_plain(value):
            self.note(f"{key} is a text of at most {longest} characters without control signs")
            return ""
        return value.strip()

    def board(self, capacity: int) -> None:
        """Read the rows from the top down: units, closed and empty nodes."""
        value = self.values["board"]
        rows = value.split("/") if isinstance(value, str) else value
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            self.note('board is a list of rows such as ["r2 . x", "b3 b3 ."], from the top down')
            return
        if not LEAST_SIDE <= len(rows) <= MOST_SIDE:
            self.note(f"board has {LEAST_SIDE} to {MOST_SIDE} rows, got {len(rows)}")
            return
        before = len(self.problems)
        contents = [self.row(row, len(rows) - index) for index, row in enumerate(rows)]
        widths = {len(row) for row in contents}
        if len(self.problems) > before:
            return
        if len(widths) > 1:
            told = ", ".join(f"row {len(rows) - i} has {len(r)}" for i, r in enumerate(contents))
            self.note(f"all rows of the board need as many nodes: {told}")
            return
        columns = widths.pop()
        if not LEAST_SIDE <= columns <= MOST_SIDE:
            self.note(f"board has {LEAST_SIDE} to {MOST_SIDE} columns, got {columns}")
            return
        self.columns, self.rows = columns, len(rows)
        self.stand(contents, capacity)

    def row(self, text: str, number: int) -> list[str]:
        """Return the words of a row, one a node."""
        words: list[str] = []
        for word in re.split(r"[,\s]+", text.strip()):
            if re.fullmatch("[1-9]|1[0-2]", word):
                words += ["."] * int(word)
            elif word in (".", "x") or UNITS.fullmatch(word):
                words.append(word)
            else:
                self.note(
                    f"'{word}' in row {number} of the board means nothing; write b3 (three Blue "
                    "units), r2, . (an empty node), 4 (four of them) or x (closed)"
                )
        return words

    def stand(self, contents: list[list[str]], capacity: int) -> None:
        """Put units and closed nodes on the board."""
        for row in reversed(contents):
            for word in row:
                node = len(self.blue)
                match = UNITS.fullmatch(word)
                units = int(match[2]) if match else 0
                if match and not 1 <= units <= capacity:
                    name = f"{COLUMN_LETTERS[node % self.columns]}{node // self.columns + 1}"
                    self.note(f"{name} has {units} units; 1 to {capacity} fit on a node (capacity)")
                self.blue.append(units if match and match[1] == "b" else 0)
                self.red.append(units if match and match[1] == "r" else 0)
                if word == "x":
                    self.closed.add(node)
        for side, units in (("Blue", sum(self.blue)), ("Red", sum(self.red))):
            if not 1 <= units <= MOST_UNITS:
                self.note(f"{side} needs 1 to {MOST_UNITS} units on the board, got {units}")

    def node(self, text: str, key: str) -> int | None:
        """Return the number of an open node from its name."""
        match = NODE.fullmatch(text.strip().lower())
        column = COLUMN_LETTERS.find(match[1]) if match else -1
        if not match or not 0 <= column < self.columns or int(match[2]) > self.rows:
            last = f"{COLUMN_LETTERS[self.columns - 1]}{self.rows}"
            self.note(f"{key}: '{text}' is no node; nodes are a1 to {last}")
            return None
        node = (int(match[2]) - 1) * self.columns + column
        if node in self.closed:
            self.note(f"{key}: {text} is closed")
            return None
        return node

    def listed(self, key: str) -> list[str]:
        """Read a list of words."""
        value = self.values[key]
        if isinstance(value, str):
            return value.split()
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return value
        self.note(f"{key} is a list of words, got {shown(value)}")
        return []

    def closed_roads(self) -> frozenset[tuple[int, int]]:
        """Read roads such as ``a1-a2`` and ``c5-goal``."""
        roads = set()
        for word in self.listed("closed_roads"):
            here, dash, there = word.lower().partition("-")
            if not dash:
                self.note(f"closed_roads: '{word}' is no road; write a1-a2 or a{self.rows}-goal")
                continue
            start = self.node(here, "closed_roads")
            goal = self.columns * self.rows
            end = goal if there == "goal" else self.node(there, "closed_roads")
            if start is None or end is None:
                continue
            low, high = min(start, end), max(start, end)
            apart = high - low
            beside = apart == 1 and high % self.columns != 0
            joined = low >= goal - self.columns if high == goal else beside or apart == self.columns
            if not joined:
                self.note(f"closed_roads: no road joins {here} and {there}")
            roads.add((low, high))
        return frozenset(roads)

    def sources(self) -> frozenset[int] | None:
        """Read where supply comes from; None: there is no supply."""
        value = self.values["supply"]
        if value == "off":
            return None
        if value == "row1":
            return frozenset(node for node in range(self.columns) if node not in self.closed)
        words = self.listed("supply")
        if not words:
            self.note("supply is row1, off, or nodes it comes from")
        nodes = [self.node(word, "supply") for word in words]
        return frozenset(node for node in nodes if node is not None)

    def advantages(self) -> tuple[int, ...]:
        """Read what the defender has more: a number, and others for single nodes."""
        value = self.values["defender"]
        pairs: list[tuple[str, Any]]
        if isinstance(value, dict):
            pairs = list(value.items())
        elif isinstance(value, str):
            split = [word.rpartition(":") for word in value.split()]
            pairs = [(node or "default", number) for node, _, number in split]
        else:
            pairs = [("default", value)]
        usual, special = int(DEFAULTS["defender"]), {}
        for name, number in pairs:
            units = whole_number(number)
            if units is None or not 0 <= units <= MOST_ADVANTAGE:
                self.note(
                    f"defender is a number from 0 to {MOST_ADVANTAGE}, also for a single node "
                    f"(c3 = 2), got {shown(number)}"
                )
            elif name == "default":
                usual = units
            elif (node := self.node(name, "defender")) is not None:
                special[node] = units
        nodes = range(self.columns * self.rows)
        return tuple(usual if n in self.closed else special.get(n, usual) for n in nodes)

    def blue_chance(self) -> int:
        """Read who gets the right to move."""
        value = self.values["right_to_move"]
        if value == "drawn":
            return rules.FAIR
        if value == "alternate":
            return rules.ALTERNATE
        chance = whole_number(value)
        if chance is None or not 1 <= chance <= 99:
            self.note(
                "right_to_move is drawn, alternate, or Blue's chance in per cent (1 to 99), got "
                + shown(value)
            )
            return rules.FAIR
        return chance

    def first(self) -> int:
        """Read who moves first."""
        value = self.values["first"]
        if not isinstance(value, str) or value not in FIRST_WORDS:
            self.note(f"first is one of {', '.join(FIRST_WORDS)}, got {shown(value)}")
            return rules.DRAWN
        return FIRST_WORDS[value]

    def check_ways(self, scenario: Scenario) -> None:
        """See that some Blue unit can reach the goal at all."""
        reached = {node for node, units in enumerate(scenario.blue) if units}
        roads = list(scenario.steps())
        grown = True
        while grown:
            further = {there for here, _, there in roads if here in reached}
            grown = not further <= reached
            reached |= further
        if scenario.nodes not in reached:
            self.note("no open road leads from any Blue unit to the goal")


def is_plain(text: str) -> bool:
    """Say whether a text has nothing in it but signs and new lines.

    >>> is_plain("two\\nlines"), is_plain("a bell: \\x07")
    (True, False)
    """
    return text.replace("\n", "").replace("\t", "").isprintable()


def whole_number(value: Any) -> int | None:
    """Return a number that was written as one or as text; None: it is none.

    >>> whole_number("12"), whole_number(12), whole_number(True), whole_number("twelve")
    (12, 12, None, None)
    """
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,6}", value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def shown(value: Any) -> str:
    """Write a wrong value into a message, shortened.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    written = repr(value)
    return written if len(written) <= 32 else f"{written[:29]}..."
