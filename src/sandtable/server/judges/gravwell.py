"""What the champion of Gravwell makes of a position."""

from __future__ import annotations

import numpy as np

from sandtable.agents.explanations import Candidate, Thoughts
from sandtable.dice import Dice
from sandtable.games.gravwell.agents.champion.agent import Champion
from sandtable.games.gravwell.agents.champion.features import describe, moment_of_turn
from sandtable.games.gravwell.agents.champion.network import FIRST, FIRST_BIAS, sum_up, value_of
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.games.gravwell.agents.champion.turns import SECOND_ROW, VALUE_ROW, new_search
from sandtable.games.gravwell.layout import DRAFTING, PHASE, TURN
from sandtable.games.gravwell.rules.drafting import stacks_taken
from sandtable.server.judges.judge import Judge
from sandtable.types import Position, State

__all__ = ["ChampionJudge"]


class ChampionJudge(Judge):
    """Chances to win by its look at the turn to come; for those who wait, by its network alone."""

    def __init__(self, agent: Champion) -> None:
        self.agent = agent

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Return what each action of the mover is worth."""
        agent, position, search = self.agent, np.array(view.position), new_search()
        legal = view.legal
        if len(legal) == 1:
            value = self.network_value(position, view.turn)
            return Thoughts("chance", value, (Candidate((int(legal[0]),), value),))
        think(
            search,
            agent.parameters,
            position,
            view.turn,
            agent.samples,
            agent.randomness,
            dice.array,
        )
        found = [Candidate((int(action),), float(search.worth[action])) for action in legal]
        found.sort(key=lambda each: -(each.value or 0.0))
        return Thoughts("chance", found[0].value, tuple(found))

    def values(self, state: State, dice: Dice) -> list[float | None] | None:
        """Return the chances of all seats, each by its own view, so that they add up to one."""
        seats = range(len(state.game.seats))
        found = [self.network_value(np.array(state.view(seat).position), seat) for seat in seats]
        total = sum(found) or 1.0
        return [each / total for each in found]

    def network_value(self, position: Position, seat: int) -> float:
        """Return how likely a seat wins by what the network sees in its view."""
        search = new_search()
        drafting = position[PHASE] == DRAFTING
        taken = 1 + int(stacks_taken(position, seat))
        moment = taken if drafting else int(moment_of_turn(position[TURN]))
        count = describe(position, seat, moment, search.active)
        parameters, sums = self.agent.parameters, search.sums
        sum_up(parameters, FIRST, FIRST_BIAS, search.active, count, sums, VALUE_ROW)
        return float(value_of(parameters, sums, VALUE_ROW, SECOND_ROW))
