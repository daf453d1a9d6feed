"""Routes: what can be played, by whom, and set-ups of Stratego."""

from __future__ import annotations

import asyncio
import functools
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi import Path as InPath

from sandtable.agent import offers
from sandtable.dice import Dice
from sandtable.errors import DISTRIBUTION, SandtableError
from sandtable.games.skirmish.game import level_named
from sandtable.games.skirmish.levels import (
    PUBLISHED,
    UnreadableLevel,
    check_level,
    format_level,
    parse_level,
)
from sandtable.games.stratego.layout import VARIANT_NAMES
from sandtable.games.stratego.named_setups import NAMED
from sandtable.games.stratego.setups import (
    UnreadableSetup,
    check_setup,
    parse_setup,
    random_setup,
)
from sandtable.registry import (
    agent_factory,
    agent_names,
    check_seat,
    game_names,
    make_game,
    summary,
)
from sandtable.server.allowed_specs import NEVER, ONLY_WITH_PERMISSION, allowed_game
from sandtable.server.application import Operator, ServerNow
from sandtable.server.connection import NotFound
from sandtable.server.game_options import options_of
from sandtable.server.judges import judges
from sandtable.server.schemas import LevelText, SavedSetup, SetupRows, SpecText, Variant
from sandtable.specs import parse_spec
from sandtable.types import Game

__all__ = ["router"]

router = APIRouter()

# What the games offer besides their default, in the words of a menu.
PRESETS: dict[str, tuple[tuple[str, str], ...]] = {
    "lucid": (("lucid", "Operation Lucid"),),
    "skirmish": tuple(
        (f"skirmish:level={level}" if level > 1 else "skirmish", f"Level {level}")
        for level in range(1, 8)
    ),
    "stratego": (
        ("stratego:setup=choose", "Classic, own set-ups"),
        ("stratego:setup=choose,variant=mini", "Mini, own set-ups"),
        ("stratego:setup=choose,variant=barrage", "Barrage, own set-ups"),
        ("stratego:setup=choose,variant=duel", "Duel, own set-ups"),
        ("stratego", "Classic, random set-ups"),
        ("stratego:variant=mini", "Mini, random set-ups"),
        ("stratego:variant=barrage", "Barrage, random set-ups"),
        ("stratego:variant=duel", "Duel, random set-ups"),
    ),
    "gravwell": (
        ("gravwell:players=2", "Two players"),
        ("gravwell:players=3", "Three players"),
        ("gravwell", "Four players"),
    ),
}


@router.get("/about")
async def about(server: ServerNow) -> dict[str, Any]:
    """Say what this server is."""
    return {
        "version": version(DISTRIBUTION),
        "key_needed": server.settings.key is not None,
        "external_allowed": server.settings.external,
    }


@router.get("/games")
async def games() -> list[dict[str, Any]]:
    """List the games."""
    return await asyncio.to_thread(all_games)


@functools.cache
def all_games() -> list[dict[str, Any]]:
    """Collect what there is to know about the games; one that cannot be loaded is left out."""
    found = []
    for name in game_names():
        with suppress(SandtableError):
            game = make_game(name)
            presets = PRESETS.get(name, ((name, game.title),))
            found.append(
                {
                    "name": name,
                    "title": game.title,
                    "summary": summary("sandtable.games", name),
                    "hidden": game.hidden,
                    "chance": game.chance,
                    "winners": game.has_winner,
                    "options": options_of(name),
                    "presets": [{"spec": spec, "title": title} for spec, title in presets],
                }
            )
    return found


@router.get("/game")
async def game(spec: Annotated[SpecText, Query()]) -> dict[str, Any]:
    """Tell the facts of one game with its options."""
    made = await asyncio.to_thread(make_game, allowed_game(spec))
    return {
        "spec": made.spec,
        "name": made.name,
        "title": made.title,
        "seats": list(made.seats),
        "hidden": made.hidden,
        "chance": made.chance,
        "winners": made.has_winner,
    }


@router.get("/agents")
async def agents(server: ServerNow, game: Annotated[SpecText, Query()]) -> list[dict[str, Any]]:
    """List the agents that can play a game, with the seats they can take."""
    made = await asyncio.to_thread(make_game, allowed_game(game))
    left_out = NEVER if server.settings.external else NEVER + ONLY_WITH_PERMISSION
    names = [name for name in agent_names(made.name) if name not in left_out]
    return await asyncio.to_thread(lambda: [each for each in map(agent_info(made), names) if each])


def agent_info(game: Game) -> Any:
    """Return a function that tells what an agent can do in a game, or nothing."""

    def info(name: str) -> dict[str, Any] | None:
        try:
            factory = agent_factory(name)
        except SandtableError:
            return None  # an extra is missing
        seats = []
        for seat in game.seats:
            with suppress(SandtableError):
                check_seat(game, seat, parse_spec(name))
                seats.append(seat)
        if not seats:
            return None
        return {
            "name": name,
            "summary": summary("sandtable.agents", name),
            "seats": seats,
            "explains": offers(factory, "explain"),
            "values": judges(name),
        }

    return info


@router.get("/setups")
async def setups(server: ServerNow, variant: Annotated[Variant, Query()]) -> list[dict[str, Any]]:
    """List the set-ups with a name, our own and saved ones."""
    own = [
        {"name": name, "rows": rows.split("/"), "idea": idea, "saved": False}
        for name, (rows, idea) in NAMED[variant].items()
    ]
    saved = server.storage.setups(variant)
    return own + [
        {"name": name, "rows": rows, "idea": "", "saved": True} for name, rows in saved.items()
    ]


def problems_of(setup: SetupRows) -> list[str]:
    """Say what is wrong with a set-up."""
    try:
        parsed = parse_setup("/".join(setup.rows), VARIANT_NAMES.index(setup.variant))
    except UnreadableSetup as problem:
        return [str(problem)]
    return check_setup(parsed)


@router.get("/setups/random")
async def random_one(variant: Annotated[Variant, Query()]) -> dict[str, Any]:
    """Draw a set-up as games do."""
    drawn = await asyncio.to_thread(random_setup, VARIANT_NAMES.index(variant), Dice.fresh())
    return {"rows": drawn.rows}


@router.get("/levels")
async def levels(
    seed: Annotated[int | None, Query(ge=0, le=10**17)] = None,
) -> list[dict[str, Any]]:
    """List the published levels of Skirmish, or generate one."""
    if seed is None:
        return [{"name": name, "level": rows} for name, rows in PUBLISHED.items()]
    name = f"random-{seed}"
    level = await asyncio.to_thread(level_named, name)
    return [{"name": name, "level": format_level(level)}]


@router.post("/levels/check")
async def check_map(wanted: LevelText) -> dict[str, Any]:
    """Say what is wrong with a level."""
    try:
        return {"problems": check_level(parse_level(wanted.level))}
    except UnreadableLevel as problem:
        return {"problems": [str(problem)]}


@router.post("/setups/check")
async def check(setup: SetupRows) -> dict[str, Any]:
    """Say what is wrong with a set-up."""
    return {"problems": await asyncio.to_thread(problems_of, setup)}


@router.put("/setups", dependencies=[Operator])
async def save(server: ServerNow, setup: SavedSetup) -> dict[str, Any]:
    """Save a set-up under a name."""
    if setup.name in NAMED[setup.variant]:
        raise SandtableError(f"'{setup.name}' is a set-up of Sandtable's own; choose another name")
    problems = await asyncio.to_thread(problems_of, setup)
    if problems:
        raise SandtableError(f"this set-up is not legal: {'; '.join(problems)}")
    server.storage.save_setup(setup.variant, setup.name, setup.rows)
    return {"name": setup.name, "rows": setup.rows, "idea": "", "saved": True}


@router.delete("/setups/{variant}/{name}", dependencies=[Operator])
async def delete(
    server: ServerNow, variant: Variant, name: Annotated[str, InPath(max_length=40)]
) -> dict[str, Any]:
    """Forget a saved set-up."""
    if not server.storage.delete_setup(variant, name):
        raise NotFound(f"there is no saved set-up '{name}'")
    return {}
