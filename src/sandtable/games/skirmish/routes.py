"""Routes of Skirmish: published and generated levels, and whether a level is sound."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from sandtable.games.skirmish.game import level_named
from sandtable.games.skirmish.levels import (
    PUBLISHED,
    UnreadableLevel,
    check_level,
    format_level,
    parse_level,
)
from sandtable.server.requests import RequestBody

__all__ = ["router"]

router = APIRouter()


class LevelText(RequestBody):
    """A level in one line."""

    level: Annotated[str, Field(min_length=1, max_length=300)]


@router.get("/levels")
async def levels(
    seed: Annotated[int | None, Query(ge=0, le=10**17)] = None,
) -> list[dict[str, Any]]:
    """List the published levels, or generate one."""
    if seed is None:
        return [{"name": name, "level": rows} for name, rows in PUBLISHED.items()]
    name = f"random-{seed}"
    level = await asyncio.to_thread(level_named, name)
    return [{"name": name, "level": format_level(level)}]


@router.post("/levels/check")
async def check_map(body: LevelText) -> dict[str, Any]:
    """Say what is wrong with a level."""
    try:
        return {"problems": check_level(parse_level(body.level))}
    except UnreadableLevel as problem:
        return {"problems": [str(problem)]}
