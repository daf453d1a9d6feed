"""Skirmish written a second time, plainly: no arrays, no sets in bits, nothing shared with ours.

Everything follows the text of the rules in the order in which it is written there. Squares are
(row, column) with row 0 at the top; a unit is [side, kind, age] with side 1 or 2.
"""

from dataclasses import dataclass, field

RAISING_ORDER = ("W", "E", "N", "NW", "NE", "S", "SW", "SE")
OFFSET = {
    name: (("S" in name) - ("N" in name), ("E" in name) - ("W" in name)) for name in RAISING_ORDER
}
LIFE = {"town": 60, "barracks": 16, "worker": 80, "soldier": 80}
RAISED = {"town": (12, "worker"), "barracks": (8, "soldier")}
LETTERS = {"t": "town", "b": "barracks", "w": "worker", "s": "soldier"}


@dataclass
class PlainSkirmish:
    land: set
    units: dict  # (row, column): [side, kind, age]
    mover: int = 1
    half_turns: int = 0
    both_empty: str = "draw"
    max_turns: int = 0
    over: bool = False
    seen: dict = field(default_factory=dict)  # how often each kind of event came up

    @classmethod
    def from_level(cls, text, **options):
        land, units = set(), {}
        for row, word in enumerate(text.split("/")):
            column = 0
            for sign in word:
                if sign.isdigit():
                    land |= {(row, column + more) for more in range(int(sign))}
                    column += int(sign)
                    continue
                if sign != "x":
                    land.add((row, column))
                    side = 1 if sign.isupper() else 2
                    units[row, column] = [side, LETTERS[sign.lower()], 1]
                column += 1
        return cls(land, units, **options)

    def begin(self, first_workers=True):
        for square in sorted(self.units) if first_workers else ():
            self.bring(square, self.units[square][0], "worker")
        self.let_time_pass()

    def note(self, what):
        self.seen[what] = self.seen.get(what, 0) + 1

    def bring(self, square, side, kind):
        """Put a new unit on the first free land beside a square."""
        for name in RAISING_ORDER:
            beside = (square[0] + OFFSET[name][0], square[1] + OFFSET[name][1])
            if beside in self.land and beside not in self.units:
                self.units[beside] = [side, kind, 1]
                self.note("raised later in the pass" if beside > square else "raised earlier")
                return
        self.note("no room for a new unit")

    def let_time_pass(self):
        for square in [(row, column) for row in range(8) for column in range(8)]:
            if square not in self.units:
                continue
            unit = self.units[square]
            unit[2] += 1
            side, kind, age = unit
            if kind in RAISED and age % RAISED[kind][0] == 0:
                self.bring(square, side, RAISED[kind][1])
            if age >= LIFE[kind]:
                del self.units[square]
                self.note(f"{kind} gone of age")

    def moves(self):
        """List (from, to) in order: units by rows, then the row offset, then the column offset."""
        found = []
        for square in sorted(self.units):
            side, kind, _ = self.units[square]
            if side != self.mover or kind in RAISED:
                continue
            for down in (-1, 0, 1):
                for right in (-1, 0, 1):
                    target = (square[0] + down, square[1] + right)
                    if self.can_go(square, target, kind):
                        found.append((square, target))
        return found

    def can_go(self, square, target, kind):
        if target == square:
            return kind == "worker"
        if target not in self.land:
            return False
        if target not in self.units:
            return True
        return kind == "soldier" and self.units[target][0] != self.mover

    def play(self, move):
        """Play one half-turn from the move on; None passes."""
        if move is not None and move[0] == move[1]:
            self.units[move[0]] = [self.mover, "barracks", 1]
            self.note("a barracks is built")
        elif move is not None:
            if move[1] in self.units:
                self.note(f"{self.units[move[1]][1]} captured")
            self.units[move[1]] = self.units.pop(move[0])
        else:
            self.note("a pass")
        self.half_turns += 1
        used_up = self.max_turns and self.half_turns == 2 * self.max_turns
        if len(self.sides()) < 2 or used_up:
            self.over = True
            self.note("both empty" if not self.sides() else "an end")
            return
        self.mover = 3 - self.mover
        self.let_time_pass()

    def sides(self):
        return {unit[0] for unit in self.units.values()}

    def result(self):
        """Return what player 1 scores."""
        if len(self.sides()) == 1:
            return 1 if self.sides() == {1} else -1
        return -1 if not self.sides() and self.both_empty == "second" else 0
