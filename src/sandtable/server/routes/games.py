"""Routes: what can be played, and by whom."""

from __future__ import annotations

import functools
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import version
from inspect import signature
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from sandtable.agent import offers
from sandtable.agents.explanations import can_explain
from sandtable.agents.level.ladder import LEVEL_AGENT, ladder_of
from sandtable.arena.ladder import ratings_of
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
from sandtable.server.addresses import addresses_for_others
from sandtable.server.allowed_specs import NEVER, ONLY_WITH_PERMISSION, allowed_game
from sandtable.server.application import ServerNow
from sandtable.server.connections import encoded
from sandtable.server.requests import SpecText
from sandtable.server.summaries import seat_colours
from sandtable.server.weights_folder import listed_weights
from sandtable.specs import parse_spec
from sandtable.types import Game

__all__ = ["router"]

router = APIRouter()

MOST_KEPT = 100


@router.get("/about")
async def about(server: ServerNow) -> dict[str, Any]:
    """Say what this server is."""
    return {
        "version": version(DISTRIBUTION),
        "key_needed": server.settings.key is not None,
        "external_allowed": server.settings.external,
        "addresses": addresses_for_others(server.settings),
    }


@router.get("/games", response_model=None)
async def games(server: ServerNow) -> Response:
    """List the games."""
    return Response(await server.desk.read(games_as_text), media_type="application/json")


@functools.cache
def games_as_text() -> str:
    """Write down what there is to know about the games, once for all who ask."""
    return encoded(all_games())


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
                    "series": [each.as_data() for each in screen.series],
                    "questions": [
                        {"name": word, "title": title} for word, title in screen.questions.items()
                    ],
                }
            )
    return found


@router.get("/game")
async def game(server: ServerNow, spec: Annotated[SpecText, Query()]) -> dict[str, Any]:
    """Tell the facts of one game with its options."""
    made = await server.desk.read(make_game, allowed_game(spec))
    return {
        "spec": made.spec,
        "name": made.name,
        "title": made.title,
        "seats": list(made.seats),
        "titles": screen_of(made).titles(),
        "hidden": made.hidden,
        "chance": made.chance,
        "winners": made.has_winner,
        "seat_colours": seat_colours(made),
        "levels": await server.desk.read(levels_of, made),
    }


def levels_of(game: Game) -> list[dict[str, Any]]:
    """Return the opponents of a game, the weakest first."""
    ratings = ratings_of(game)
    return [
        {
            "name": level.name,
            "title": level.title,
            "about": [level.about(seat) for seat in game.seats],
            "rating": ratings.get(level.name),
        }
        for level in ladder_of(game).levels
    ]


@router.get("/rules")
async def rules(server: ServerNow, spec: Annotated[SpecText, Query()]) -> dict[str, Any]:
    """Give the rules of a game as Markdown."""
    asked = allowed_game(spec)
    return {"text": await server.desk.read(lambda: screen_of(make_game(asked)).rules_text())}


@router.get("/agents", response_model=None)
async def agents(server: ServerNow, game: Annotated[SpecText, Query()]) -> Response:
    """List the agents that can play a game, with the seats they can take."""
    weights = listed_weights(server.settings.weights)
    found = await server.desk.read(
        agents_as_text, allowed_game(game), server.settings.external, weights
    )
    return Response(found, media_type="application/json")


@functools.lru_cache(MOST_KEPT)
def agents_as_text(spec: str, external: bool, weights: tuple[str, ...]) -> str:
    """Write down who can play a game, once for all who ask."""
    made = make_game(spec)
    left_out = (LEVEL_AGENT, *NEVER, *(() if external else ONLY_WITH_PERMISSION))
    names = [name for name in agent_names(made.name) if name not in left_out]
    return encoded([each for each in map(agent_info(made, weights), names) if each])


def agent_info(game: Game, weights: tuple[str, ...]) -> Any:
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
            "explains": can_explain(factory),
            "values": offers(factory, "analyse"),
            "weights": list(weights) if "weights" in signature(factory).parameters else [],
        }

    return info
