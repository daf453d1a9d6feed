"""Agents that know the published board of Operation Lucid and no other."""

from __future__ import annotations

from sandtable.agent import Agent
from sandtable.errors import WrongSeats
from sandtable.types import Game

__all__ = ["PublishedBoardAgent"]


class PublishedBoardAgent(Agent):
    """What agents share whose rules, networks or examples are made for the published board.

    >>> from sandtable.registry import check_seats, make_game
    >>> check_seats(make_game("lucid:scenario=river"), ["lucid/simple-blue", "random"])
    Traceback (most recent call last):
    ...
    sandtable.errors.WrongSeats: SimpleBlue plays the published board of lucid only, not \
'lucid:scenario=river'; random, montecarlo, mcts, external and people play any board
    """

    @classmethod
    def suits(cls, game: Game) -> None:
        """Refuse scenarios."""
        if game.name == "lucid" and game.options:
            raise WrongSeats(
                f"{cls.__name__} plays the published board of lucid only, not '{game.spec}'; "
                "random, montecarlo, mcts, external and people play any board"
            )
