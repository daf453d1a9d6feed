"""How an expert's move is carried over to another position of Operation Lucid, movelet by movelet.

As the report describes it (sections 3.3 and 3.6): a movelet is repeated if there is a unit to take
it; whatever overfills a node is cancelled. Seen per node, a node that was emptied is emptied, one
where a single unit was kept as supply keeps one, and others split as the expert split them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sandtable.dice import Dice
from sandtable.games.lucid import rules
from sandtable.games.lucid.placements.routes import write_movelets
from sandtable.types import Position

__all__ = ["in_legal_order", "node_movelets", "repeated", "shared_out"]


def repeated(position: Position, movelets: Sequence[int]) -> list[int]:
    """Return those of the movelets that the mover can repeat here, in the same order.

    A unit moves once, so each node has only those that stood there. If a node is overfull
    afterwards, the first movelets into it are cancelled until it is not; a unit that stays for that
    reason may overfill its own node in turn.
    """
    free = {node: int(rules.movable(position, node)) for node in range(rules.NODES)}
    units = Counter({node: units_on(position, node) for node in range(rules.NODES)})
    done: list[int] = []
    for movelet in movelets:
        node, end = movelet // rules.DIRECTIONS, int(rules.DESTINATION[movelet])
        if free[node] > 0:
            free[node] -= 1
            units[node] -= 1
            units[end] += 1
            done.append(movelet)
    while True:
        overfull = [
            movelet
            for movelet in done
            if rules.DESTINATION[movelet] != rules.TO_GOAL
            and units[int(rules.DESTINATION[movelet])] > rules.CAPACITY
        ]
        if not overfull:
            return done
        done.remove(overfull[0])
        units[int(rules.DESTINATION[overfull[0]])] -= 1
        units[overfull[0] // rules.DIRECTIONS] += 1


def units_on(position: Position, node: int) -> int:
    """Return the units of the mover on a node."""
    return int(position[rules.own_board(int(position[rules.MOVER])) + node])


def in_legal_order(movelets: Sequence[int]) -> list[int]:
    """Return movelets so ordered that none overfills a node on the way, without END."""
    flow = np.zeros(rules.END, dtype=np.int64)
    for movelet in movelets:
        flow[movelet] += 1
    actions = np.zeros(rules.BLUE_UNITS + 1, dtype=np.int16)
    count = write_movelets(flow, actions)
    return [int(action) for action in actions[: count - 1]]


def node_movelets(
    position: Position, reference: Position, movelets: Sequence[int], dice: Dice
) -> list[int]:
    """Return the movelets that mirror, node by node, what the expert did in the reference.

    They stand in the order in which their nodes first moved there.
    """
    taken: dict[int, Counter[int]] = {}
    for movelet in movelets:
        taken.setdefault(movelet // rules.DIRECTIONS, Counter())[movelet] += 1
    found: list[int] = []
    for node, steps in taken.items():
        stay = units_on(reference, node) - steps.total()
        here = int(rules.movable(position, node))
        if stay == 0:
            shares = shared_out(here, steps, dice)
        elif stay == 1:  # kept for supply
            shares = shared_out(max(here - 1, 0), steps, dice)
        else:
            shares = shared_out(here, {**steps, rules.END: stay}, dice)
        found += [step for step, units in shares.items() if step != rules.END for _ in range(units)]
    return found


def shared_out(units: int, votes: Mapping[int, int], dice: Dice) -> dict[int, int]:
    """Split units in proportion to votes: the largest remainders get what is left, ties by lot."""
    total = sum(votes.values())
    shares = {choice: units * count // total for choice, count in votes.items()}
    remainders = {choice: units * count % total for choice, count in votes.items()}
    for _ in range(units - sum(shares.values())):
        most = max(remainders.values())
        tied = [choice for choice, remainder in remainders.items() if remainder == most]
        chosen = tied[dice.below(len(tied))]
        shares[chosen] += 1
        remainders[chosen] = -1
    return shares
