"""The expert games that the browser shows and corrects."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, ExpertGame, read_expert_games
from sandtable.games.lucid.learning.expert_database import write_games
from sandtable.server.connections import NotFound

__all__ = ["ExpertFile"]


class ExpertFile:
    """The expert games of this server: at first the bundled ones, which are never changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = asyncio.Lock()
        self.games: list[ExpertGame] | None = None
        self.read_at: float | None = None

    async def all(self) -> list[ExpertGame]:
        """Return the games as they are in the file now."""
        source = self.path if self.path.exists() else BUNDLED_GAMES
        written = source.stat().st_mtime
        if self.games is None or self.read_at != written:
            self.games = await asyncio.to_thread(read_expert_games, source)
            self.read_at = written
        return self.games

    async def one(self, place: int) -> ExpertGame:
        """Return a game by its place from 1."""
        games = await self.all()
        if place > len(games):
            raise NotFound(f"there is no game {place}; there are 1 to {len(games)}")
        return games[place - 1]

    async def write(self, games: Sequence[ExpertGame]) -> None:
        """Write the file anew."""
        await asyncio.to_thread(write_games, self.path, [game.record for game in games])
        self.games, self.read_at = list(games), self.path.stat().st_mtime
