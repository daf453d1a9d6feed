"""Positions and views as data for the screen: boards, actions, events, each game in its file.

Everything here is made from what a viewer may see and from nothing else. A viewer is a seat, or
None for somebody who sees all there is in the position given.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from sandtable.registry import load, registered
from sandtable.server.boards import plain
from sandtable.types import Game, Position

__all__ = ["Data", "Maker", "maker_of"]

GROUP = "sandtable.screens"  # entry points: a game's name -> what makes its boards

Data: TypeAlias = dict[str, Any]


class Maker(Protocol):
    """How the boards of one game are made."""

    def board(self, position: Position, viewer: int | None) -> Data:
        """Return the board as data."""
        ...

    def public(self, position: Position) -> Position | None:
        """Return a copy from which all is taken that some seat may hide; None: nothing is left."""
        ...

    def action(self, view: Position, action: int) -> Data:
        """Return kind, from, to and label of an action that the viewer can play."""
        ...

    def barred(self, view: Position) -> list[Data]:
        """Return moves that look possible and are not, from, to and why, for whoever is to act."""
        ...

    def facts(self, position: Position, action: int, dice: Any) -> Any:
        """Return what everybody sees happen inside one action, from copies of position and dice."""
        ...

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, facts: Any
    ) -> list[Data]:
        """Tell what happened between two views; the action is None where it is not known."""
        ...


def maker_of(game: Game) -> Maker:
    """Return what makes the boards of a game; games from elsewhere are shown as they draw."""
    if game.name in registered(GROUP):
        maker: Maker = load(GROUP, "screen", game.name)(game)
        return maker
    return plain.PlainBoards(game)
