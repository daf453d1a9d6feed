"""What ``stratego/value`` makes of a view: the mean values of its best moves over samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sandtable.agent import Analysis, Candidate
from sandtable.dice import Dice
from sandtable.games.stratego.agents.square_codes import write_planes
from sandtable.games.stratego.agents.value.leaves import COUNT, FAR, WANTED, supply
from sandtable.games.stratego.agents.value.search import search_move
from sandtable.games.stratego.layout import setting_up
from sandtable.types import State

if TYPE_CHECKING:
    from sandtable.games.stratego.agents.value.agent import Value
    from sandtable.games.stratego.agents.value.rollout import Followed, Following

__all__ = ["analysis_of"]

MOST_CANDIDATES = 8
BOARDS_IN_CALL = 64  # more at once are slower on one core


def analysis_of(agent: Following, view: State, dice: Dice) -> Analysis:
    """Search as the agent does, and the best moves to their ends."""
    if setting_up(np.array(view.position)):
        return Analysis(agent.scale, None)
    chosen = agent.choose(view, dice)
    if agent.followed is not None:
        return analysis_of_followed(agent, agent.followed)
    search = agent.search
    count = int(search.numbers[COUNT])
    order = sorted(range(count), key=lambda index: -float(search.means[index]))
    played = [index for index in order if search.moves[0, index] == chosen]
    candidates = [
        Candidate((int(search.moves[0, index]),), 0.5 + 0.5 * exact_value(agent, index))
        for index in dict.fromkeys(played + order[:MOST_CANDIDATES])
    ]
    candidates.sort(key=lambda candidate: -(candidate.value or 0.0))
    return Analysis(agent.scale, candidates[0].value, tuple(candidates))


def analysis_of_followed(agent: Following, followed: Followed) -> Analysis:
    """Return the moves that were followed, those in all samples first, and the best of them."""
    scores = agent.scores(followed.values, followed.chances)
    scores[followed.finalists] += FAR
    candidates = tuple(
        Candidate(
            (int(followed.moves[index]),),
            float(0.5 + 0.5 * followed.values[index]),
            float(np.exp(followed.chances[index])),
        )
        for index in np.argsort(-scores, kind="stable")[:MOST_CANDIDATES]
    )
    return Analysis(agent.scale, candidates[0].value, candidates)


def exact_value(agent: Value, index: int) -> float:
    """Search one move of the root whole, whatever the others are worth."""
    search, numbers = agent.search, agent.search.numbers
    while True:
        value = float(search_move(search, index, -FAR))
        wanted = int(numbers[WANTED])
        if wanted == 0:
            return float(np.clip(value, -1.0, 1.0))
        write_planes(search.wanted, wanted, agent.planes)
        values = [
            agent.evaluate(agent.planes[first : min(first + BOARDS_IN_CALL, wanted)])
            for first in range(0, wanted, BOARDS_IN_CALL)
        ]
        supply(search, np.concatenate(values))
