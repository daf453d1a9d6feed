"""Skirmish as pictures: what there is to see in a position, in text and in words.

The map for screens and paper is in svg.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sandtable.games.skirmish import layout
from sandtable.games.skirmish.drawing import svg
from sandtable.games.skirmish.levels import (
    LETTER_OF_KIND,
    SIDE_NAMES,
    Level,
    square_name,
)
from sandtable.games.skirmish.notation import SkirmishNotation
from sandtable.games.skirmish.rules import is_capture, move, score
from sandtable.types import Position

__all__ = ["SkirmishDrawing", "SkirmishSituation", "Unit", "level_text", "situation"]

KIND_NAMES = {
    layout.TOWN: "town",
    layout.BARRACKS: "barracks",
    layout.WORKER: "worker",
    layout.SOLDIER: "soldier",
}
CELL_WIDTH = 5  # of the text drawing: a letter, an age of two digits, and space
LEGEND = (
    "t town, b barracks, w worker, s soldier, each with its age; capitals are First's",
    ". land, ~ water, where nothing can go",
)


@dataclass(frozen=True)
class Unit:
    """One unit on the board."""

    square: int
    seat: int
    kind: int
    age: int

    @property
    def lifespan(self) -> int:
        """The age at which the unit goes."""
        return int(layout.LIFESPAN[self.kind])

    @property
    def name(self) -> str:
        """Whose it is and what, for example ``First's town``."""
        return f"{SIDE_NAMES[self.seat]}'s {KIND_NAMES[self.kind]}"

    @property
    def place(self) -> str:
        """The name of the square."""
        return square_name(self.square)


@dataclass(frozen=True)
class SkirmishSituation:
    """Everything a drawing shows."""

    land: tuple[bool, ...]  # [64] by square
    units: tuple[Unit, ...]  # in the order of their squares
    half_turn: int  # from 1; of a finished game the last one
    last_half_turn: int  # with which the game ends at the latest, or 0
    mover: int  # seat, or OVER
    reason: str  # why the game is over, or empty
    result: str  # who has won, or empty

    @property
    def state_of_play(self) -> str:
        """Who is to move, or why nobody is."""
        if self.mover == layout.OVER:
            return f"game over, {self.reason}"
        return f"{SIDE_NAMES[self.mover]} to move"

    @property
    def when(self) -> str:
        """The number of the half-turn, and of the last one where there is a limit."""
        limit = f" of {self.last_half_turn}" if self.last_half_turn else ""
        return f"half-turn {self.half_turn}{limit}"

    def count(self, seat: int, kind: int) -> int:
        """Count the units of one kind and side."""
        return sum(unit.seat == seat and unit.kind == kind for unit in self.units)


def situation(position: Position) -> SkirmishSituation:
    """Read off a position what drawings show.

    >>> position = SkirmishNotation().parse_position("8/8/8/3t4/8/8/3W4/8 s 2 3,7")
    >>> scene = situation(position)
    >>> scene.state_of_play, [f"{unit.name} on {unit.place}" for unit in scene.units]
    ('Second to move', ["Second's town on d5", "First's worker on d2"])
    """
    over = int(position[layout.MOVER]) == layout.OVER
    return SkirmishSituation(
        land=tuple(bool(cell) for cell in position[layout.LAND : layout.LAND + layout.SQUARES]),
        units=tuple(units_on(position).values()),
        half_turn=int(position[layout.PLAYED]) + (0 if over else 1),
        last_half_turn=2 * int(position[layout.MAX_TURNS]),
        mover=int(position[layout.MOVER]),
        reason=SkirmishNotation().reason(position) if over else "",
        result=result_of(position) if over else "",
    )


def result_of(position: Position) -> str:
    """Say who has won a finished game."""
    scores = np.zeros(len(SIDE_NAMES))
    score(position, scores)
    return "Draw" if scores[layout.FIRST] == 0 else f"{SIDE_NAMES[int(scores.argmax())]} wins"


def units_on(position: Position) -> dict[int, Unit]:
    """Return all units by their squares."""
    units = {}
    for square in map(int, np.flatnonzero(position[layout.UNITS : layout.UNITS + layout.SQUARES])):
        signed, age = int(position[layout.UNITS + square]), int(position[layout.AGES + square])
        units[square] = Unit(
            square, layout.FIRST if signed > 0 else layout.SECOND, abs(signed), age
        )
    return units


class SkirmishDrawing:
    """Text, SVG and words for positions."""

    # By seat, how its pieces are written: terminals show them in colour.
    piece_patterns = (
        r"\b[TBWS]\d+\b",
        r"\b[tbws]\d+\b",
    )

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        scene = situation(position)
        lines = [f"Skirmish, {scene.when}: {scene.state_of_play}", ""]
        units = {unit.square: unit_text(unit) for unit in scene.units}
        lines += [*board_lines(scene.land, units), ""]
        lines += [
            f"{SIDE_NAMES[seat] + ':':8}{units_line(scene, seat)}"
            for seat in (layout.FIRST, layout.SECOND)
        ]
        return "\n".join([*lines, *LEGEND])

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return svg.document(situation(position))

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what a move took, and what time did to both sides after it."""
        lines = []
        units = units_on(before)
        if is_capture(before, action):
            taken = units[int(layout.DESTINATION[action])]
            lines.append(f"{taken.name} on {taken.place} is taken")
        if after[layout.MOVER] == layout.OVER:
            return [*lines, f"the game is over: {situation(after).reason}"]
        return lines + [line for _, _, line in tick_changes(before, action, after)]


def tick_changes(before: Position, action: int, after: Position) -> list[tuple[str, Unit, str]]:
    """Return what the tick after a move has changed: who has gone of age, and who was raised.

    A change is ``gone`` or ``raised``, the unit, and a line about it.
    """
    moved = np.array(before)
    move(moved, action)
    old_units, new_units = units_on(moved), units_on(after)
    gone, raised = [], []
    for square in sorted(old_units.keys() | new_units.keys()):
        old, new = old_units.get(square), new_units.get(square)
        stayed = old and new and new.age == old.age + 1
        if old and not stayed:
            line = f"{old.name} on {old.place} is gone, {old.lifespan} half-turns old"
            gone.append(("gone", old, line))
        if new and not stayed:
            raised.append(("raised", new, f"{new.name} on {new.place} is raised"))
    return gone + raised


def unit_text(unit: Unit) -> str:
    """Write a unit with its age, a capital for First.

    >>> unit_text(Unit(square=20, seat=layout.SECOND, kind=layout.WORKER, age=12))
    'w12'
    """
    letter = LETTER_OF_KIND[unit.kind]
    return f"{letter.upper() if unit.seat == layout.FIRST else letter}{unit.age}"


def level_text(level: Level) -> str:
    """Draw a map with its towns for the terminal.

    >>> from sandtable.games.skirmish.levels import parse_level
    >>> print(level_text(parse_level("8/x3t3/1x5x/5x2/3xxx2/x7/4T3/8")).splitlines()[1])
      7   ~    .    .    .    t    .    .    .
    """
    towns = dict.fromkeys(level.towns[layout.FIRST], "T")
    towns |= dict.fromkeys(level.towns[layout.SECOND], "t")
    return "\n".join(board_lines(level.land, towns))


def board_lines(land: Sequence[bool], units: dict[int, str]) -> list[str]:
    """Draw the squares with what stands on them, and their letters and numbers."""
    lines = []
    for row in range(layout.SIDE):
        squares = range(row * layout.SIDE, row * layout.SIDE + layout.SIDE)
        cells = [units.get(square, "." if land[square] else "~") for square in squares]
        lines.append(f"  {layout.SIDE - row}   {line_of_cells(cells)}")
    return [*lines, f"      {line_of_cells(list('abcdefgh'))}"]


def line_of_cells(cells: list[str]) -> str:
    """Write the cells of a row below those of the others."""
    return "".join(f"{cell:{CELL_WIDTH}}" for cell in cells).rstrip()


def units_line(scene: SkirmishSituation, seat: int) -> str:
    """Count the units of a side in words."""
    words = []
    for kind, name in KIND_NAMES.items():
        count = scene.count(seat, kind)
        if count:
            plural = "" if count == 1 or kind == layout.BARRACKS else "s"
            words.append(f"{count} {name}{plural}")
    return ", ".join(words) or "no units"
