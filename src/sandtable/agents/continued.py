"""Going on with a game: its agents first repeat what they have played."""

from __future__ import annotations

from collections.abc import Sequence

from sandtable.agent import Adopted, Agent
from sandtable.dice import Dice
from sandtable.types import State

__all__ = ["Continued"]


class Continued(Adopted):
    """An agent that first plays again what it has played already.

    All agents of a game share the list of ``played`` actions, of which each takes those of its
    seat as its turn comes. They are told about everything as in any game, and think only from
    where it was broken off.

    >>> from sandtable.registry import make_agent
    >>> Continued(make_agent("random"), [7]).choose(None, None)
    [7]
    """

    def __init__(self, agent: Agent, played: list[int]) -> None:
        super().__init__(agent)
        self.played = played

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Repeat an action, or let the agent choose when there is none left."""
        return [self.played.pop(0)] if self.played else super().choose(view, dice)
