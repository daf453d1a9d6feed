"""Routes: what can be played, and by whom."""

from __future__ import annotations

import asyncio
import functools
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import APIRouter, Query

from sandtable.agent import offers
from sandtable.errors import DISTRIBUTION, SandtableError
from sandtable.registry import (
    agent_factory,
    agent_names,
    check_seat,
    game_names,
    make_game,
    summary,
)
from sandtable.screens import Preset, screen_of
from sandtable.server.allowed_specs import NEVER, ONLY_WITH_PERMISSION, allowed_game
from sandtable.server.application import ServerNow
from sandtable.server.requests import SpecText
from sandtable.server.summaries import seat_colours
from sandtable.specs import parse_spec
from sandtable.types import Game

__all__ = ["router"]

router = APIRouter()


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
            screen = screen_of(game)
            presets = screen.presets or (Preset(name, game.title),)
            found.append(
                {
                    "name": name,
                    "title": game.title,
                    "summary": summary("sandtable.games", name),
                    "hidden": game.hidden,
                    "chance": game.chance,
                    "winners": game.has_winner,
                    "options": [option.as_data() for option in screen.options],
                    "presets": [asdict(preset) for preset in presets],
                    "seat_colours": seat_colours(game),
                    "questions": [
                        {"name": word, "title": title} for word, title in screen.questions.items()
                    ],
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
        "seat_colours": seat_colours(made),
    }


@router.get("/rules")
async def rules(spec: Annotated[SpecText, Query()]) -> dict[str, Any]:
    """Give the rules of a game as Markdown."""
    made = await asyncio.to_thread(make_game, allowed_game(spec))
    return {"text": await asyncio.to_thread(screen_of(made).rules_text)}


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
            "values": offers(factory, "analyse"),
        }

    return info
