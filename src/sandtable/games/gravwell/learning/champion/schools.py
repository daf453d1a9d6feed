"""Opponents of other schools in the games the champion of Gravwell learns from.

A champion that has only met champions and players who act at random takes every other opponent for
a mix of the two. In a share of the games (``--schools``) its opponents therefore play by the
decision tree, by Q-learning's tables or by evolved networks, each with its usual options.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.games.gravwell.agents.decision_tree import described
from sandtable.games.gravwell.agents.neuro_evolution import agent as neuro_evolution
from sandtable.games.gravwell.agents.neuro_evolution.networks import Program, program_of
from sandtable.games.gravwell.agents.q_learning import agent as q_learning

__all__ = ["SCHOOLS", "Schools", "action_of_school", "usual_schools"]

DECISION_TREE, Q_LEARNING, NEURO_EVOLUTION = range(3)
SCHOOLS = 3

ask_tree = described.ask
act_by_tables = q_learning.act
act_by_networks = neuro_evolution.act


class Schools(NamedTuple):
    """What the schools play by; the decision tree needs nothing."""

    tables: q_learning.Learned
    networks: Program


@functools.cache
def usual_schools() -> Schools:
    """Load what the agents play by when nothing is chosen."""
    learner, evolved = q_learning.QLearning(), neuro_evolution.NeuroEvolution()
    tables = q_learning.learned_from(learner.tables, learner.temperature)
    return Schools(tables, program_of(evolved.brain))


@kernel
def action_of_school(
    school: int, view: NDArray[np.int16], dice: NDArray[np.uint64], schools: Schools
) -> int:
    """Return what an agent of a school does."""
    actions, memory = np.empty(1, dtype=np.int16), np.zeros(1, dtype=np.int64)
    if school == DECISION_TREE:
        ask_tree(view, described.ALL_GROUPS, dice, actions)
    elif school == Q_LEARNING:
        act_by_tables(view, dice, memory, schools.tables, actions)
    else:
        act_by_networks(view, dice, memory, schools.networks, actions)
    return int(actions[0])
