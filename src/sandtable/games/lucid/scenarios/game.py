"""Games of scenarios: the facts that follow from a board, its forces and its rules."""

from __future__ import annotations

from collections.abc import Mapping

from sandtable.games.lucid.drawing.text import LucidDrawing
from sandtable.games.lucid.notation import LucidNotation
from sandtable.games.lucid.rules import DIRECTIONS
from sandtable.games.lucid.scenarios import rules
from sandtable.games.lucid.scenarios.files import (
    PUBLISHED,
    bundled_names,
    bundled_scenario,
    option_texts,
    scenario_values,
)
from sandtable.games.lucid.scenarios.generator import GENERATED
from sandtable.games.lucid.scenarios.parse import read_scenario
from sandtable.games.lucid.scenarios.planes import encode, plane_names
from sandtable.games.lucid.scenarios.scenario import Scenario
from sandtable.types import Game, Rules

__all__ = ["game_of_options", "scenario_game"]


def game_of_options(name: str, changes: Mapping[str, str]) -> Game | None:
    """Return the game of a scenario with some values changed; None: it is the published one.

    The spec of a bundled scenario keeps its name, and so does that of one drawn from a number. That
    of a file has everything in it that is different from the published game, so that records and
    clusters do not need the file.

    >>> game_of_options("river", {}).spec
    'lucid:scenario=river'
    >>> game_of_options("published", {"turns": "36"}) is None
    True
    """
    where = f"lucid:scenario={name}" if name != PUBLISHED else "lucid with these options"
    scenario = read_scenario({**scenario_values(name), **changes}, where)
    if scenario == bundled_scenario(PUBLISHED):
        return None
    if not changes and GENERATED.fullmatch(name):
        return scenario_game(scenario, {"scenario": name})
    for known in bundled_names():
        if scenario == bundled_scenario(known):
            return scenario_game(bundled_scenario(known), {"scenario": known})
    return scenario_game(scenario, option_texts(scenario))


def scenario_game(scenario: Scenario, options: Mapping[str, object] | None = None) -> Game:
    """Return the game of a scenario, with the options that stand in its spec.

    >>> scenario_game(bundled_scenario("published")).action_count
    101
    """
    plan = scenario.plan()
    blue_units, red_units = scenario.units
    turns = scenario.turns
    return Game(
        name="lucid",
        title=f"Operation Lucid: {scenario.title}" if scenario.title else "Operation Lucid",
        version=1,
        seats=("blue", "red"),
        rules=Rules.of(rules, encode),
        notation=LucidNotation(plan),
        drawing=LucidDrawing(plan),
        position_size=len(plan.initial_cells),
        action_count=scenario.nodes * DIRECTIONS + 1,
        plane_names=plane_names(scenario.capacity, turns, blue_units),
        board_shape=(scenario.rows, scenario.columns),
        score_bounds=((0.0, float(blue_units)), (-float(blue_units), 0.0)),
        max_actions=turns * (max(blue_units, red_units) + 1),
        chance=True,
        hidden=False,
        zero_sum=True,
        has_winner=False,
        score_unit="units",
        turn_ending_actions=frozenset({plan.end}),
        luck=rules.LUCK_NAMES,
        options=dict(option_texts(scenario) if options is None else options),
        initial_cells=scenario.initial_cells(),
    )
