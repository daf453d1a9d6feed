"""What a decision becomes after a search: a policy better than the network's, and an action of it.

In a game without secrets a search knows what it says, and the policy follows it as far as few
simulations allow. With secrets the best play is often a mixture, and one search has seen one deal:
there the policy takes a small step, so that what all deals of a decision say adds up, and is drawn
a little towards playing anything.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.treesearch.tree import (
    ACTION,
    COUNT,
    EDGE_VISITS,
    FIRST,
    PRIOR,
    TOTAL,
    UNIT,
    VALUE,
    edge_place,
)
from sandtable.compiled import kernel
from sandtable.dice import uniform

__all__ = ["drawn_action", "improved_policy", "stepped_policy"]

VISITS_FROM_START, VALUE_SCALE = 50.0, 0.1  # how far values move the improved policy from the prior
SMALLEST_RANGE = 0.25  # values closer to each other than this are not pulled apart
LEAST_PRIOR = 1e-9


@kernel
def improved_policy(
    tree: NDArray[np.int64], decision: int, policy: NDArray[np.float32]
) -> tuple[float, int]:
    """Write the policy that the search found better than the prior; return value and visits.

    Actions that were tried move by their mean results, the others by the usual one, so that even a
    few simulations make the policy better rather than noisier (Danihelka and others, ICLR 2022).
    """
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    known, seen, most, total = 0.0, 0.0, 0, 0
    low, high = np.inf, -np.inf
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        if visits > 0:
            mean = tree[edge + TOTAL] / (UNIT * visits)
            prior = tree[edge + PRIOR] / UNIT + LEAST_PRIOR
            known, seen = known + prior * mean, seen + prior
            low, high = min(low, mean), max(high, mean)
            most, total = max(most, visits), total + visits
    own = tree[decision + VALUE] / UNIT
    usual = (own + total * known / seen) / (1.0 + total) if seen > 0 else own
    low, high = min(low, usual), max(high, usual)
    scale = (VISITS_FROM_START + most) * VALUE_SCALE / max(high - low, SMALLEST_RANGE)
    policy[:] = 0.0
    highest = -np.inf
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        mean = tree[edge + TOTAL] / (UNIT * visits) if visits > 0 else usual
        logit = np.log(tree[edge + PRIOR] / UNIT + LEAST_PRIOR) + scale * (mean - usual)
        policy[tree[edge + ACTION]] = logit
        highest = max(highest, logit)
    mass, value = 0.0, 0.0
    for index in range(count):
        edge = edge_place(tree, first + index)
        weight = np.exp(policy[tree[edge + ACTION]] - highest)
        policy[tree[edge + ACTION]] = weight
        mass += weight
        visits = tree[edge + EDGE_VISITS]
        value += weight * (tree[edge + TOTAL] / (UNIT * visits) if visits > 0 else usual)
    policy /= np.float32(mass)
    return value / mass, int(total)


@kernel
def stepped_policy(
    tree: NDArray[np.int64],
    decision: int,
    policy: NDArray[np.float32],
    step: float,
    magnet: float,
) -> tuple[float, int]:
    """Write the policy one step of mirror descent from the prior; return value and visits.

    The logarithms of the shares move by ``step`` times what an action gives above the usual, and
    by the part ``magnet`` towards equal shares (Sokota and others, ICLR 2023).
    """
    first, count = tree[decision + FIRST], tree[decision + COUNT]
    known, seen, total = 0.0, 0.0, 0
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        if visits > 0:
            prior = tree[edge + PRIOR] / UNIT + LEAST_PRIOR
            known += prior * tree[edge + TOTAL] / (UNIT * visits)
            seen, total = seen + prior, total + visits
    usual = known / seen if seen > 0 else tree[decision + VALUE] / UNIT
    policy[:] = 0.0
    highest = -np.inf
    for index in range(count):
        edge = edge_place(tree, first + index)
        visits = tree[edge + EDGE_VISITS]
        gain = tree[edge + TOTAL] / (UNIT * visits) - usual if visits > 0 else 0.0
        logit = (1.0 - magnet) * np.log(tree[edge + PRIOR] / UNIT + LEAST_PRIOR) + step * gain
        policy[tree[edge + ACTION]] = logit
        highest = max(highest, logit)
    mass = 0.0
    for index in range(count):
        action = tree[edge_place(tree, first + index) + ACTION]
        policy[action] = np.exp(policy[action] - highest)
        mass += policy[action]
    policy /= np.float32(mass)
    return usual, int(total)


@kernel
def drawn_action(policy: NDArray[np.float32], dice: NDArray[np.uint64], best: bool) -> int:
    """Return an action drawn by its share, or the one with the greatest."""
    chosen, left = 0, uniform(dice)
    if best:
        for action in range(len(policy)):
            if policy[action] > policy[chosen]:
                chosen = action
        return chosen
    for action in range(len(policy)):
        if policy[action] > 0.0:
            chosen = action
            left -= policy[action]
            if left <= 0.0:
                break
    return chosen
