"""Operation Lucid on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.drawing.text import Combat, Node, combat_line, situation
from sandtable.games.lucid.notation import node_name
from sandtable.screens import BoardScreen, Preset
from sandtable.types import Position, State

if TYPE_CHECKING:
    from fastapi import APIRouter

__all__ = ["LucidScreen"]

SIDE_NAMES = ("Blue", "Red")


class LucidScreen(BoardScreen):
    """Nodes with units, what can still move, and the odds of combats.

    >>> from sandtable.games.lucid.game import lucid
    >>> LucidScreen(lucid()).action(np.zeros(0, dtype=np.int16), 0)
    {'kind': 'move', 'from': 'a1', 'to': 'a2', 'label': 'a1 to a2'}
    """

    presets = (Preset("lucid", "Operation Lucid"),)
    questions: ClassVar[Mapping[str, str]] = {"groups": "Force groups of Blue"}

    @classmethod
    def routes(cls, server: Any) -> APIRouter | None:
        """Return the routes of expert games and their labels."""
        from sandtable.games.lucid.routes import add_experts, router

        add_experts(server)
        return router

    def answer_question(
        self, name: str, state: State, question: dict[str, Any], dice: Dice
    ) -> dict[str, Any]:
        """Tell the force groups of Blue with their features and the networks' categories."""
        if name not in self.questions:
            return super().answer_question(name, state, question, dice)
        return {"groups": groups_data(np.array(state.position))}

    def board(self, position: Position, viewer: int | None) -> dict[str, Any]:
        """Return the map and the numbers beside it."""
        scene = situation(position)
        over = scene.mover == rules.OVER
        return {
            "game": "lucid",
            "turn": scene.turn,
            "turns": rules.TURNS,
            "mover": None if over else scene.mover,
            "goal": scene.goal,
            "capacity": rules.CAPACITY,
            "left": list(scene.left),
            "lost": list(scene.lost),
            "nodes": [
                node_data(
                    node, scene.mover, 0 if over else int(rules.movable(position, node.number))
                )
                for node in scene.nodes
            ],
        }

    def action(self, view: Position, action: int) -> dict[str, Any]:
        """Return a movelet with its two places, or END."""
        if action == rules.END:
            return {"kind": "end", "from": None, "to": None, "label": "End the turn"}
        start, goal = movelet(action)
        return {"kind": "move", "from": start, "to": goal, "label": f"{start} to {goal}"}

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, details: Any
    ) -> list[dict[str, Any]]:
        """Tell a movelet, or every combat of a turn that was closed, and who moves next."""
        if action is None:
            return []
        if action != rules.END:
            start, goal = movelet(action)
            text = f"{SIDE_NAMES[seat]} moves a unit from {start} to {goal}"
            return [{"kind": "move", "from": start, "to": goal, "text": text}]
        combats = [
            combat_data(node, node.combat, after)
            for node in situation(before).nodes
            if node.combat is not None
        ]
        scene = situation(after)
        if scene.over:
            text = f"The game is over, {scene.reason}: {scene.goal} in the goal"
            return [*combats, {"kind": "over", "text": text}]
        text = f"Turn {scene.turn}: {SIDE_NAMES[scene.mover]} has the right to move"
        return [*combats, {"kind": "turn", "turn": scene.turn, "mover": scene.mover, "text": text}]


def groups_data(position: Position) -> list[dict[str, Any]]:
    """Return the force groups; the networks are loaded only where somebody asks."""
    from sandtable.games.lucid.agents.categories import CATEGORIES
    from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES, force_groups
    from sandtable.games.lucid.agents.semantic.networks import BUNDLED, load_networks, outputs

    networks = load_networks(BUNDLED)
    groups = []
    for group in force_groups(position):
        answers = np.empty(len(CATEGORIES))
        outputs(networks, group.features, answers)
        categories = [round(float(value), 3) for value in answers]
        features = [round(float(value), 3) for value in group.features]
        groups.append(
            {
                "key": group.key,
                "nodes": [node_name(node) for node in group.nodes],
                "units": int(sum(group.units)),
                "features": dict(zip(FEATURE_NAMES, features, strict=True)),
                "categories": dict(zip(CATEGORIES, categories, strict=True)),
            }
        )
    return groups


def movelet(action: int) -> tuple[str, str]:
    """Return the names of the nodes a movelet joins."""
    return node_name(action // rules.DIRECTIONS), node_name(int(rules.DESTINATION[action]))


def node_data(node: Node, mover: int, can_leave: int) -> dict[str, Any]:
    """Return one node."""
    own = 0 if mover == rules.OVER else (node.blue if mover == rules.BLUE_SEAT else node.red)
    combat = node.combat
    return {
        "place": node.name,
        "column": node.number % rules.SIDE,
        "row": node.number // rules.SIDE,
        "blue": node.blue,
        "red": node.red,
        "moved": node.moved,
        "movable": max(can_leave, 0),
        "room": 0 if mover == rules.OVER else rules.CAPACITY - own,
        "source": node.supply_source,
        "combat": None
        if combat is None
        else {
            "attacker": combat.attacker,
            "supplied": combat.supplied,
            "red_loses": round(combat.red_loses, 4),
        },
    }


def combat_data(node: Node, combat: Combat, after: Position) -> dict[str, Any]:
    """Return one combat with its result."""
    red_lost = int(after[rules.RED + node.number]) < node.red
    return {
        "kind": "combat",
        "place": node.name,
        "attacker": combat.attacker,
        "blue": node.blue,
        "red": node.red,
        "supplied": combat.supplied,
        "chance": round(combat.red_loses if red_lost else 1.0 - combat.red_loses, 4),
        "loser": int(red_lost),
        "last": (node.red if red_lost else node.blue) == 1,
        "text": combat_line(node, combat, after),
    }
