"""What the champions of Operation Lucid make of a position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.explanations import Candidate, Thoughts
from sandtable.dice import Dice
from sandtable.games.lucid.agents.champion.agent import (
    AXES_RED_CELL,
    CANDIDATES_CELL,
    LAST_CELL,
    MARGIN_CELL,
    PARAMETERS_CELL,
    REPLY_TRIES_CELL,
    THOUSAND,
    TRIES_CELL,
    Champion,
)
from sandtable.games.lucid.agents.champion.lookahead import choose_ahead, new_lookahead, value_ahead
from sandtable.games.lucid.agents.champion.plan import write_movelets, write_position
from sandtable.games.lucid.agents.champion.search import choose_turn, new_climb
from sandtable.games.lucid.rules import BLUE_SEAT, END
from sandtable.server.judges.judge import Judge
from sandtable.types import Position, State

__all__ = ["ChampionJudge"]

MOST_ACTIONS = 64
QUICK_TRIES = 4  # beginnings of a climb, for one point of a curve


class ChampionJudge(Judge):
    """Whole turns with what the champion expects of them: Blue's units in the goal at the end."""

    scale = "score"

    def __init__(self, agent: Champion) -> None:
        memory = np.array(agent.memory, dtype=np.int64)
        self.weights = memory[PARAMETERS_CELL:LAST_CELL].view(np.float32)
        self.tries, self.reply_tries = int(memory[TRIES_CELL]), int(memory[REPLY_TRIES_CELL])
        self.margin = float(memory[MARGIN_CELL] / THOUSAND)
        self.axes_red = bool(memory[AXES_RED_CELL] == 1)
        self.kept = max(int(memory[CANDIDATES_CELL]), 1)

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Return its turn and others that it thought of, all valued one turn further."""
        position = np.array(view.position)
        look = new_lookahead(self.weights, self.kept)
        score = choose_ahead(
            look, position, dice.array, self.tries, self.reply_tries, self.margin, self.axes_red
        )
        own = 1.0 if view.turn == BLUE_SEAT else -1.0
        chosen = turn_of(look.climb.plan, position)
        found = {chosen: own * float(score)}
        for plan in look.plans:
            turn = turn_of(plan, position)
            if plan.any() and turn not in found:
                look.after[:] = position
                write_position(plan, look.after)
                value = value_ahead(look, dice.array, self.reply_tries, self.axes_red)
                found[turn] = own * float(value)
        others = sorted((each for each in found if each != chosen), key=lambda each: -found[each])
        candidates = [Candidate(each, found[each]) for each in (chosen, *others)]
        return Thoughts(self.scale, own * float(score), tuple(candidates))

    def value(self, view: State, dice: Dice) -> float | None:
        """Return the value of the best turn that is found, without looking further."""
        position = np.array(view.position)
        score = choose_turn(new_climb(), self.weights, position, dice.array, QUICK_TRIES)
        return float(score) if view.turn == BLUE_SEAT else -float(score)


def turn_of(plan: NDArray[np.int64], position: Position) -> tuple[int, ...]:
    """Return the actions of a plan."""
    actions = np.empty(MOST_ACTIONS, dtype=np.int16)
    count = write_movelets(plan.copy(), position.copy(), actions)
    return (*(int(action) for action in actions[:count]), END)
