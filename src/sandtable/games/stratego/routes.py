"""Routes of Stratego: set-ups with a name, drawn ones, and saved ones."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from pydantic import Field

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.stratego.layout import VARIANT_NAMES
from sandtable.games.stratego.named_setups import NAMED
from sandtable.games.stratego.setups import (
    UnreadableSetup,
    check_setup,
    parse_setup,
    random_setup,
)
from sandtable.server.application import Operator, ServerNow
from sandtable.server.connections import NotFound
from sandtable.server.requests import RequestBody

__all__ = ["router"]

router = APIRouter()

Variant = Literal["classic", "mini", "barrage", "duel"]


class SetupRows(RequestBody):
    """A set-up, front row first."""

    variant: Variant
    rows: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=20)]],
        Field(min_length=1, max_length=10),
    ]


class SavedSetup(SetupRows):
    """A set-up under a name."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _-]{0,39}$")]


@router.get("/setups")
async def setups(server: ServerNow, variant: Annotated[Variant, Query()]) -> list[dict[str, Any]]:
    """List the set-ups with a name, our own and saved ones."""
    own = [
        {"name": name, "rows": rows.split("/"), "idea": idea, "saved": False}
        for name, (rows, idea) in NAMED[variant].items()
    ]
    saved = server.storage.saved_texts(variant)
    return own + [
        {"name": name, "rows": rows.split("/"), "idea": "", "saved": True}
        for name, rows in saved.items()
    ]


@router.get("/setups/random")
async def draw_setup(variant: Annotated[Variant, Query()]) -> dict[str, Any]:
    """Draw a set-up as games do."""
    drawn = await asyncio.to_thread(random_setup, VARIANT_NAMES.index(variant), Dice.fresh())
    return {"rows": drawn.rows}


def problems_of(setup: SetupRows) -> list[str]:
    """Say what is wrong with a set-up."""
    try:
        parsed = parse_setup("/".join(setup.rows), VARIANT_NAMES.index(setup.variant))
    except UnreadableSetup as problem:
        return [str(problem)]
    return check_setup(parsed)


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
    server.storage.save_text(setup.variant, setup.name, "/".join(setup.rows))
    return {"name": setup.name, "rows": setup.rows, "idea": "", "saved": True}


@router.delete("/setups/{variant}/{name}", dependencies=[Operator])
async def delete(
    server: ServerNow, variant: Variant, name: Annotated[str, InPath(max_length=40)]
) -> dict[str, Any]:
    """Forget a saved set-up."""
    if not server.storage.delete_text(variant, name):
        raise NotFound(f"there is no saved set-up '{name}'")
    return {}
