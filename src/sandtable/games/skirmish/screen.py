"""Skirmish on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandtable.games.skirmish import layout
from sandtable.games.skirmish.drawing.text import (
    KIND_NAMES,
    Unit,
    situation,
    tick_changes,
    units_on,
)
from sandtable.games.skirmish.levels import SIDE_NAMES, square_name
from sandtable.games.skirmish.notation import parse_square
from sandtable.games.skirmish.rules import is_capture
from sandtable.screens import BUILT_PAGES, BoardScreen, FormOption, Preset, choices
from sandtable.types import Position

if TYPE_CHECKING:
    from fastapi import APIRouter

__all__ = ["SkirmishScreen"]


OPTIONS = (
    FormOption("level", "Level", "1 to 7, random- and a seed, or rows", "1"),
    FormOption(
        "start",
        "Start",
        "what stands on the map at the beginning",
        "full",
        choices(
            ("full", "Towns and workers"), ("town-only", "Towns only"), ("random", "Drawn by dice")
        ),
    ),
    FormOption(
        "both_empty",
        "Empty board",
        "what it means when nobody is left",
        "draw",
        choices(("draw", "A draw"), ("second", "Red wins")),
    ),
    FormOption("max_turns", "Most turns", "a draw after so many; 0: no limit", "0", None, 0, 1000),
    FormOption(
        "passes",
        "Passing",
        "who may pass although it has moves",
        "none",
        choices(("none", "Nobody"), ("first", "Blue"), ("second", "Red"), ("both", "Both")),
    ),
)


class SkirmishScreen(BoardScreen):
    """Land and units with their ages."""

    options = OPTIONS
    seat_titles = ("Blue", "Red")
    page_scripts = BUILT_PAGES
    presets = tuple(
        Preset(f"skirmish:level={level}" if level > 1 else "skirmish", f"Level {level}")
        for level in range(1, 8)
    )

    @classmethod
    def routes(cls, server: Any) -> APIRouter | None:
        """Return the routes of levels."""
        from sandtable.games.skirmish.routes import router

        return router

    def board(self, position: Position, viewer: int | None) -> dict[str, Any]:
        """Return the map with its units."""
        scene = situation(position)
        rows = [
            scene.land[first : first + layout.SIDE]
            for first in range(0, layout.SIDE * layout.SIDE, layout.SIDE)
        ]
        return {
            "game": "skirmish",
            "side": layout.SIDE,
            "half_turn": scene.half_turn,
            "last_half_turn": scene.last_half_turn,
            "mover": None if scene.mover == layout.OVER else scene.mover,
            "land": ["".join("." if land else "x" for land in row) for row in rows],
            "units": [unit_data(unit) for unit in scene.units],
        }

    def action(self, view: Position, action: int) -> dict[str, Any]:
        """Return a move with its two places, building, or passing."""
        if action == layout.PASS:
            return {"kind": "pass", "from": None, "to": None, "label": "Pass"}
        start = square_name(action // layout.STEPS)
        if action % layout.STEPS == layout.BUILD:
            label = f"Build a barracks on {start}"
            return {"kind": "build", "from": start, "to": start, "label": label}
        goal = square_name(int(layout.DESTINATION[action]))
        units = units_on(view)
        unit = KIND_NAMES[units[action // layout.STEPS].kind]
        if is_capture(view, action):
            taken = KIND_NAMES[units[int(layout.DESTINATION[action])].kind]
            label = f"Take the {taken} on {goal} with the {unit} from {start}"
            return {"kind": "capture", "from": start, "to": goal, "label": label}
        label = f"Move the {unit} from {start} to {goal}"
        return {"kind": "move", "from": start, "to": goal, "label": label}

    def why_not(self, view: Position, start: str, goal: str | None) -> str:
        """Name the rule that keeps a unit of the mover from going somewhere.

        >>> from sandtable.games.skirmish.game import skirmish
        >>> game = skirmish()
        >>> SkirmishScreen(game).why_not(game.start().position, "e2", "e3")
        'A town never moves.'
        """
        square, units, seat = parse_square(start), units_on(view), int(view[layout.MOVER])
        unit = units.get(square)
        if unit is None:
            return ""
        if unit.seat != seat:
            return f"That is {unit.name}." if goal else ""
        kind = KIND_NAMES[unit.kind]
        if unit.kind in (layout.TOWN, layout.BARRACKS):
            return f"A {kind} never moves." if unit.kind == layout.TOWN else "Barracks never move."
        if goal is None:
            return f"There is nowhere for the {kind} to go."
        end = parse_square(goal)
        other = units.get(end)
        rows = abs(square // layout.SIDE - end // layout.SIDE)
        columns = abs(square % layout.SIDE - end % layout.SIDE)
        if max(rows, columns) > 1:
            return f"A {kind} goes one step, in any direction."
        if not view[layout.LAND + end]:
            return f"{goal} is water: nothing can go there."
        if other is not None and other.seat == seat:
            return f"Your own {KIND_NAMES[other.kind]} stands on {goal}."
        return "Only soldiers take units." if other is not None else ""

    def turn_label(self, view: Position) -> str | None:
        """Return the number of the half-turn."""
        return str(situation(view).half_turn)

    def progress(self, view: Position) -> str:
        """Say which half-turn it is, and which is the last one where there is a limit."""
        scene = situation(view)
        return f"move {scene.half_turn}" + (
            f" of {scene.last_half_turn}" if scene.last_half_turn else ""
        )

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, details: Any
    ) -> list[dict[str, Any]]:
        """Tell a move, what it took, and what time did to both sides after it."""
        if action is None:
            return []
        events = [] if action == layout.PASS else [move_event(before, seat, action)]
        if after[layout.MOVER] == layout.OVER:
            text = f"The game is over: {situation(after).reason}"
            return [*events, {"kind": "over", "text": text}]
        return events + [tick_event(*change) for change in tick_changes(before, action, after)]


def unit_data(unit: Unit) -> dict[str, Any]:
    """Return one unit."""
    period = int(layout.PERIOD[unit.kind])
    return {
        "place": unit.place,
        "column": unit.square % layout.SIDE,
        "row": unit.square // layout.SIDE,
        "seat": unit.seat,
        "kind": KIND_NAMES[unit.kind],
        "age": unit.age,
        "lifespan": unit.lifespan,
        "raises_in": period - unit.age % period if period else None,
    }


def move_event(before: Position, seat: int, action: int) -> dict[str, Any]:
    """Tell a move, a capture or building."""
    start, side = square_name(action // layout.STEPS), SIDE_NAMES[seat]
    if action % layout.STEPS == layout.BUILD:
        return {"kind": "build", "place": start, "text": f"{side} builds a barracks on {start}"}
    square = int(layout.DESTINATION[action])
    ends = {"from": start, "to": square_name(square)}
    if is_capture(before, action):
        taken = units_on(before)[square]
        text = f"{side} takes {taken.name} on {taken.place}"
        return {"kind": "capture", **ends, "unit": KIND_NAMES[taken.kind], "text": text}
    unit = KIND_NAMES[units_on(before)[action // layout.STEPS].kind]
    text = f"{side}'s {unit} goes from {ends['from']} to {ends['to']}"
    return {"kind": "move", **ends, "unit": unit, "text": text}


def tick_event(kind: str, unit: Unit, text: str) -> dict[str, Any]:
    """Tell one unit that came or went."""
    name = KIND_NAMES[unit.kind]
    return {"kind": kind, "place": unit.place, "seat": unit.seat, "unit": name, "text": text}
