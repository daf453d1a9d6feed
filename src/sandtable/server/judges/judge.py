"""What a judge can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from sandtable.agents.explanations import Scale, Thinks, Thoughts
from sandtable.arena.statistics.intervals import win_shares
from sandtable.dice import Dice
from sandtable.types import OVER, State

__all__ = ["Judge", "TellingJudge", "outcome_values"]


class Judge(ABC):
    """Values positions as an agent does."""

    scale: Scale = "chance"

    @abstractmethod
    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Return what the agent makes of a view of the seat that is to move."""

    def value(self, view: State, dice: Dice) -> float | None:
        """Return the value of a view alone; None: no opinion."""
        return self.thoughts(view, dice).value

    def values(self, state: State, dice: Dice) -> list[float | None] | None:
        """Return what a whole position is worth to every seat, as whoever is to move sees it.

        Where things are hidden that is its own opinion; what the other side thinks is not known.
        """
        value = self.value(state.view(state.turn), dice)
        if value is None or len(state.game.seats) != 2:
            return None
        other = None
        if not state.game.hidden:
            other = 1.0 - value if self.scale == "chance" else -value
        return [value, other] if state.turn == 0 else [other, value]


class TellingJudge(Judge):
    """An agent that tells its thoughts itself."""

    def __init__(self, agent: Thinks) -> None:
        self.agent = agent

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Ask the agent."""
        told = self.agent.thoughts(view, dice)
        self.scale = told.scale
        return told


def outcome_values(state: State) -> list[float | None] | None:
    """Return what is known of a position whose game is over; None if it is not."""
    outcome = state.outcome if state.turn == OVER else None
    if outcome is None:
        return None
    if not state.game.has_winner:
        return list(outcome.scores)
    return [float(share) for share in win_shares(np.array([outcome.scores]))[0]]
