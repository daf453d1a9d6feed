"""Routes of scenarios: those that come with the game, and what is wrong with another one.

Nothing is kept here and no file is opened: a page sends what it edits, as values or as the text of
a file, and gets back what the checker says and the spec that plays it, with the whole board in it.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from sandtable.dice import Dice
from sandtable.games.lucid.scenarios.files import (
    all_values,
    bundled_names,
    bundled_scenario,
    file_values,
    format_scenario,
    option_texts,
)
from sandtable.games.lucid.scenarios.parse import UnreadableScenario, scenario_problems
from sandtable.games.lucid.scenarios.scenario import Scenario
from sandtable.registry import make_game
from sandtable.screens import screen_of
from sandtable.server.requests import LONGEST_SPEC, RequestBody
from sandtable.specs import Spec

__all__ = ["router"]

router = APIRouter()

MOST_CHARACTERS = 20_000
MOST_PROBLEMS = 20


class ScenarioText(RequestBody):
    """A scenario that somebody edits: the text of a file, or its values."""

    file: Annotated[str, Field(max_length=MOST_CHARACTERS)] | None = None
    values: Annotated[dict[str, Any], Field(max_length=20)] | None = None


@router.get("/scenarios")
async def scenarios() -> list[dict[str, Any]]:
    """List the scenarios that come with the game."""
    return [
        {"name": name, **all_values(bundled_scenario(name)), "spec": spec_of_name(name)}
        for name in bundled_names()
    ]


def spec_of_name(name: str) -> str:
    """Return the spec of a bundled scenario."""
    return make_game(f"lucid:scenario={name}").spec


@router.post("/scenarios/check")
async def check_scenario(body: ScenarioText) -> dict[str, Any]:
    """Say what is wrong with a scenario; of a sound one also its file, its spec and its start."""
    return await asyncio.to_thread(checked, body)


def checked(body: ScenarioText) -> dict[str, Any]:
    """Read what was sent."""
    try:
        values = file_values(body.file, "this file") if body.file is not None else body.values or {}
    except UnreadableScenario as problem:
        return {"problems": [str(problem)]}
    scenario, problems = scenario_problems(values)
    if scenario is None:
        return {"problems": problems[:MOST_PROBLEMS]}
    spec = spec_of(scenario)
    if len(spec) > LONGEST_SPEC:
        problems = ["it is too long to be played here; save it and play it from the command line"]
    game = make_game(spec)
    start = game.start(Dice(0))
    return {
        "problems": problems,
        "spec": spec,
        "values": all_values(scenario),
        "file": format_scenario(scenario),
        "board": screen_of(game).board(start.position, None),
    }


def spec_of(scenario: Scenario) -> str:
    """Return the spec that plays a scenario, by its name if it has one."""
    options = {key: str(value) for key, value in option_texts(scenario).items()}
    return make_game(str(Spec("lucid", None, options))).spec
