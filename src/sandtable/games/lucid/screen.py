"""Operation Lucid on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.drawing.text import Combat, Node, combat_line, situation
from sandtable.games.lucid.notation import LucidNotation, node_name
from sandtable.games.lucid.plan import BoardPlan
from sandtable.screens import BoardScreen, FormOption, Preset, Series, choices
from sandtable.types import Position, State

if TYPE_CHECKING:
    from fastapi import APIRouter

__all__ = ["EXPERT", "LUCK_WEIGHTS", "LucidScreen"]

SIDE_NAMES = ("Blue", "Red")
# Units that a unit of luck is worth, in the order of the game's luck terms: fitted on 800 games of
# lucid/imitation-4 against AxesRed, so that they owe nothing to the games they are used on.
LUCK_WEIGHTS = (1.476, 0.209, 0.063)
SMALL_LUCK = 0.25  # units
EXPERT = (9.47, 8.68, 10.26)  # mean and interval of the human in the papers' table of scores
OPTIONS = (
    FormOption("turns", "Turns", "how many are played", "36", None, 1, 200),
    FormOption(
        "right_to_move",
        "Right to move",
        "who gets the next turn",
        "drawn",
        choices(
            ("drawn", "A coin says"),
            ("alternate", "In turn"),
            ("60", "Blue, 6 times in 10"),
            ("40", "Blue, 4 times in 10"),
        ),
    ),
    FormOption(
        "first",
        "First turn",
        "who has it",
        "drawn",
        choices(("drawn", "Dice say"), ("blue", "Blue"), ("red", "Red")),
    ),
    FormOption(
        "supply",
        "Supply",
        "where Blue's comes from",
        "row1",
        choices(("row1", "From row 1"), ("off", "Nobody needs any")),
    ),
    FormOption("penalty", "Without supply", "what Blue's strength loses", "1", None, 1, 3),
    FormOption("defender", "Defender", "how much stronger it is", "1", None, 0, 3),
)


class LucidScreen(BoardScreen):
    """Nodes with units, what can still move, and the odds of combats.

    >>> from sandtable.games.lucid.game import lucid
    >>> LucidScreen(lucid()).action(np.zeros(0, dtype=np.int16), 0)
    {'kind': 'move', 'from': 'a1', 'to': 'a2', 'label': 'Move a unit from a1 to a2'}
    """

    options = OPTIONS
    presets = (
        Preset("lucid", "Operation Lucid"),
        Preset("lucid:scenario=river", "The river (7 x 6)"),
        Preset("lucid:scenario=pass", "The mountain pass (6 x 5)"),
        Preset("lucid:scenario=relief", "Relief of the airhead (5 x 7)"),
    )
    series = (
        Series(
            "expert",
            "Twenty games against AxesRed",
            "lucid",
            ("you", "lucid/axes-red"),
            20,
            "You are Blue. The human expert of the papers played the same series.",
            *EXPERT,
            "the human expert of the papers, 20 games",
            LUCK_WEIGHTS,
        ),
    )
    questions: ClassVar[Mapping[str, str]] = {"groups": "Force groups of Blue"}

    @property
    def plan(self) -> BoardPlan:
        """The plan of the board of this game."""
        notation = self.game.notation
        assert isinstance(notation, LucidNotation)
        return notation.plan

    @classmethod
    def routes(cls, server: Any) -> APIRouter | None:
        """Return the routes of expert games and their labels, and those of scenarios."""
        from fastapi import APIRouter

        from sandtable.games.lucid import routes, scenario_routes

        routes.add_experts(server)
        both = APIRouter()
        both.include_router(routes.router)
        both.include_router(scenario_routes.router)
        return both

    def answer_question(
        self, name: str, state: State, question: dict[str, Any], dice: Dice
    ) -> dict[str, Any]:
        """Tell the force groups of Blue with their features and the networks' categories."""
        if name not in self.questions:
            return super().answer_question(name, state, question, dice)
        if self.game.options:
            raise SandtableError("force groups are known on the published board only")
        return {"groups": groups_data(np.array(state.position))}

    def board(self, position: Position, viewer: int | None) -> dict[str, Any]:
        """Return the map and the numbers beside it."""
        plan = self.plan
        scene = situation(position, plan)
        over = scene.mover == rules.OVER
        return {
            "game": "lucid",
            "turn": scene.turn,
            "turns": plan.turns,
            "mover": None if over else scene.mover,
            "goal": scene.goal,
            "capacity": plan.capacity,
            "left": list(scene.left),
            "lost": list(scene.lost),
            "columns": plan.columns,
            "rows": plan.rows,
            "units": list(plan.units),
            "supply": plan.supply_penalty > 0,
            "roads": [[plan.node_name(here), plan.node_name(there)] for here, there in plan.edges],
            "exits": [plan.node_name(node) for node in plan.exits],
            "nodes": [
                node_data(
                    plan,
                    node,
                    scene.mover,
                    0 if over else int(plan.movable(position, node.number)),
                )
                for node in scene.nodes
            ],
        }

    def action(self, view: Position, action: int) -> dict[str, Any]:
        """Return a movelet with its two places, or END."""
        if action == self.plan.end:
            return {"kind": "end", "from": None, "to": None, "label": "End the turn"}
        start, goal = self.movelet(action)
        label = f"Move a unit from {start} to {goal}"
        return {"kind": "move", "from": start, "to": goal, "label": label}

    def why_not(self, view: Position, start: str, goal: str | None) -> str:
        """Name the rule that keeps a unit of the mover from going somewhere.

        >>> from sandtable.games.lucid.game import lucid
        >>> LucidScreen(lucid()).why_not(lucid().parse("5/5/5/5/b3,4 b 1 0 -").position, "a1", "a3")
        'A unit goes one road in a turn, to a neighbouring node.'
        """
        if start == "goal":
            return "Units never leave the goal."
        plan = self.plan
        node = situation(view, plan).nodes[plan.parse_node(start)]
        seat = int(view[plan.mover])
        own = node.blue if seat == rules.BLUE_SEAT else node.red
        if own == 0:
            return f"You have no unit on {start}." if goal else ""
        if int(plan.movable(view, node.number)) <= 0:
            if node.combat is not None and node.combat.attacker == seat:
                return "Attackers cannot leave their node while the combat goes on."
            return f"The units on {start} have had their step in this turn."
        if goal is None:
            return f"All nodes round {start} are full."
        if goal == "goal" and seat != rules.BLUE_SEAT:
            return "Only Blue enters the goal."
        if goal == "goal":
            exits = ", ".join(plan.node_name(each) for each in plan.exits)
            return f"The goal is entered from {exits} only."
        end = plan.parse_node(goal)
        first = node.number * rules.DIRECTIONS
        if end not in plan.destinations[first : first + rules.DIRECTIONS]:
            return "A unit goes one road in a turn, to a neighbouring node."
        return f"{goal} is full: a node holds at most {plan.capacity} units of a colour."

    def turn_label(self, view: Position) -> str | None:
        """Return the number of the turn."""
        return str(situation(view, self.plan).turn)

    def progress(self, view: Position) -> str:
        """Say which of the turns it is."""
        return f"turn {situation(view, self.plan).turn} of {self.plan.turns}"

    def ending(self, position: Position, luck: Sequence[float] | None) -> str:
        """Tell the units in the goal, and how many there would be without luck.

        >>> from sandtable.games.lucid.game import lucid
        >>> game = lucid()
        >>> end = game.parse("5/5/5/5/b1,4 - 36 9 -").position
        >>> LucidScreen(game).ending(end, (0.5, 0.0, 0.0))
        '9 of 15 units reached the goal; 8.3 were to be expected (luck-free). The dice helped Blue.'
        """
        units = int(position[self.plan.goal])
        words = f"{units} of {self.plan.units[rules.BLUE_SEAT]} units reached the goal"
        if luck is None or self.game.options:  # the weights are those of the published board
            return f"{words}."
        given = sum(weight * term for weight, term in zip(LUCK_WEIGHTS, luck, strict=True))
        helped = "nobody" if abs(given) < SMALL_LUCK else SIDE_NAMES[int(given < 0)]
        return (
            f"{words}; {units - given:.1f} were to be expected (luck-free). "
            f"The dice helped {helped}."
        )

    def movelet(self, action: int) -> tuple[str, str]:
        """Return the names of the nodes a movelet joins."""
        plan = self.plan
        source, destination = action // rules.DIRECTIONS, plan.destinations[action]
        return plan.node_name(source), plan.node_name(destination)

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, details: Any
    ) -> list[dict[str, Any]]:
        """Tell a movelet, or every combat of a turn that was closed, and who moves next."""
        if action is None:
            return []
        if action != self.plan.end:
            start, goal = self.movelet(action)
            text = f"{SIDE_NAMES[seat]} moves a unit from {start} to {goal}"
            return [{"kind": "move", "from": start, "to": goal, "text": text}]
        combats = [
            combat_data(node, node.combat, after)
            for node in situation(before, self.plan).nodes
            if node.combat is not None
        ]
        scene = situation(after, self.plan)
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


def node_data(plan: BoardPlan, node: Node, mover: int, can_leave: int) -> dict[str, Any]:
    """Return one node."""
    own = 0 if mover == rules.OVER else (node.blue if mover == rules.BLUE_SEAT else node.red)
    combat = node.combat
    return {
        "place": node.name,
        "column": node.number % plan.columns,
        "row": node.number // plan.columns,
        "blue": node.blue,
        "red": node.red,
        "moved": node.moved,
        "movable": max(can_leave, 0),
        "room": 0 if mover == rules.OVER or node.closed else plan.capacity - own,
        "source": node.supply_source,
        "closed": node.closed,
        "depot": plan.supply_penalty > 0 and node.number in plan.sources,
        "advantage": node.advantage,
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
    red_lost = int(after[node.plan.red + node.number]) < node.red
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
