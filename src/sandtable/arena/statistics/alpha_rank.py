"""Alpha-rank: who lasts when everybody is free to switch to whatever beats the others.

Ratings put agents on a line, and where A beats B, B beats C and C beats A there is no line that
says so. Alpha-rank (Omidshafiei and others, Scientific Reports 9, 2019) lets a population wander:
from the agent it uses to another that beats it. The share of time it spends with each agent is its
mass; all agents of a cycle share it, and those that are beaten from outside the cycle get none.

Here the selection is infinitely strong: a better agent always takes over, an equal one half of the
time, a worse one hardly ever (``SLIP``, so that the walk cannot get stuck).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SLIP", "alpha_rank", "cycles"]

SLIP = 1e-3  # chance that a worse agent takes over

Floats = NDArray[np.float64]


def alpha_rank(shares: Floats, slip: float = SLIP) -> Floats:
    """Return the mass of each agent from the shares [agent, other] that it wins against others.

    A share that is not a number (they never met) counts as even.
    """
    count = len(shares)
    if count < 2:
        return np.ones(count)
    even = np.where(np.isnan(shares), 0.5, shares)
    lead = even - even.T
    takes_over = np.where(lead > 0, 1 - slip, np.where(lead < 0, slip, 0.5))
    steps = takes_over.T / (count - 1)  # [from, to]
    np.fill_diagonal(steps, 0.0)
    np.fill_diagonal(steps, 1 - steps.sum(axis=1))
    equations = np.vstack([steps.T - np.eye(count), np.ones(count)])
    wanted = np.zeros(count + 1)
    wanted[-1] = 1.0
    mass = np.linalg.lstsq(equations, wanted, rcond=None)[0]
    clean = np.maximum(mass, 0.0)
    shared: Floats = clean / clean.sum()
    return shared


def cycles(beats: NDArray[np.bool_]) -> list[list[int]]:
    """Return the groups of agents of whom each beats the next by some way round.

    ``beats`` [agent, other]. The groups are the strongly connected parts of more than one agent.
    """
    reach = beats.copy()
    for middle in range(len(beats)):
        reach |= np.outer(reach[:, middle], reach[middle])
    both = reach & reach.T
    found: list[list[int]] = []
    seen: set[int] = set()
    for agent in range(len(beats)):
        if agent not in seen and both[agent].any():
            group = sorted({agent, *np.flatnonzero(both[agent]).tolist()})
            seen.update(group)
            found.append(group)
    return found
