"""How scripted players of Stratego act: every legal move gets points, and the best is played.

The schools differ in nothing but weights (see ``agent``) and in how they set up. Points are in the
worth of pieces: what an attack gains on average, what a step risks and saves, and how much nearer
it comes to what the school is after.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.setups import SETUP_SQUARES
from sandtable.games.stratego.agents.people_setups import draw_as_people, draw_trap
from sandtable.games.stratego.agents.policy.progress import NEVER
from sandtable.games.stratego.agents.schools.judgement import (
    KNOWN_PREY,
    MOVED_PREY,
    UNKNOWN_PREY,
    WORTH,
    danger_at,
    expected_gain,
    measure_ways,
    write_chances,
)
from sandtable.games.stratego.rules import placement
from sandtable.games.stratego.rules.kernels import legal_moves
from sandtable.games.stratego.rules.moves import MOST_MOVES

__all__ = ["School", "act"]

FINE = 1 << 20  # steps of chance
FARTHEST_PREY = 12  # steps; who is farther away draws nobody


class School(NamedTuple):
    """What a school cares for; everything is in the worth of pieces."""

    traps: float = 0.0  # share of set-ups with bombs at the ends of lanes, the others are people's
    caution: float = 1.0  # how much danger counts, of a step and of staying
    hunt: float = 0.0  # for a step towards a known piece that it beats
    chase: float = 0.0  # for a step of the strong towards unknown pieces that have moved
    chasers: float = 8.0  # from which rank on a piece is strong enough for that
    probe: float = 0.0  # for a step of the weak towards any unknown piece
    probers: float = 6.0  # up to which rank a piece is weak enough for that; miners always are
    curiosity: float = 0.0  # for finding out a rank
    secrecy: float = 0.1  # share of its own worth that a hidden piece loses by being found out
    doubt: float = 0.0  # what every attack on an unknown piece costs
    home: float = 0.0  # what a step beyond the own rows costs that attacks nobody
    restless: float = 0.3  # what going straight back costs
    whim: float = 0.2  # how much chance there is


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    school: School,
    actions: NDArray[np.int16],
) -> int:
    """Write a whole set-up, or the move with the most points; return how many actions."""
    if layout.setting_up(view):
        return set_up(view, dice, school, actions)
    moves = np.empty(MOST_MOVES, dtype=np.int16)
    count = legal_moves(view, moves)
    seat, side = layout.as_int64(view[layout.MOVER]), layout.side_of(view)
    chances = np.empty((2, layout.RANKS))
    write_chances(view, 1 - seat, chances)
    ways = np.empty((layout.RANKS, layout.SQUARES + 1), dtype=np.int64)
    measured = np.zeros(layout.RANKS, dtype=np.bool_)
    best, most = layout.as_int64(moves[0]), -np.inf
    for index in range(count):
        action = layout.as_int64(moves[index])
        from_square = layout.from_square_of(side, action)
        to_square = layout.to_square_of(side, action)
        rank = layout.rank_of(layout.as_int64(view[layout.BOARD + from_square]))
        if not measured[rank]:
            measured[rank] = True
            measure_ways(view, seat, rank, prey_of(rank, school), ways[rank])
        points = points_of(view, seat, from_square, to_square, school, chances, ways[rank])
        points += school.whim * below(dice, FINE) / FINE
        if points > most:
            best, most = action, points
    actions[0] = best
    return 1


@kernel
def set_up(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    school: School,
    actions: NDArray[np.int16],
) -> int:
    """Write the rest of a set-up: in the classic game the school's own, otherwise any at all."""
    seat, base = layout.as_int64(view[layout.MOVER]), layout.setup_base(view)
    if view[layout.VARIANT] == layout.CLASSIC and view[layout.DECIDED + seat] == 0:
        ranks = np.empty(SETUP_SQUARES, dtype=np.int64)
        if below(dice, FINE) < school.traps * FINE:
            draw_trap(ranks, dice)
        else:
            draw_as_people(ranks, dice)
        for index in range(SETUP_SQUARES):
            actions[index] = base + ranks[index]
        actions[SETUP_SQUARES] = base + layout.DONE
        return SETUP_SQUARES + 1
    count = 0
    while view[layout.DECIDED + seat] != layout.READY:
        actions[count] = placement.random_placement(view, dice)
        placement.place(view, layout.as_int64(actions[count]) - base)
        count += 1
    return count


@kernel
def prey_of(rank: int, school: School) -> int:
    """Return what a piece of the rank goes after, as a sum."""
    wanted = 0
    if school.hunt > 0.0:
        wanted |= KNOWN_PREY
    if school.chase > 0.0 and rank >= school.chasers:
        wanted |= MOVED_PREY
    if (
        school.probe > 0.0
        and rank > layout.SPY
        and (rank <= school.probers or rank == layout.MINER)
    ):
        wanted |= UNKNOWN_PREY
    return wanted


@kernel
def pull_of(rank: int, school: School) -> float:
    """Return how much a step towards its prey is worth to a piece of the rank."""
    pull = school.hunt
    if rank >= school.chasers:
        pull = max(pull, school.chase)
    if rank > layout.SPY and (rank <= school.probers or rank == layout.MINER):
        pull = max(pull, school.probe)
    return pull


@kernel
def points_of(
    view: NDArray[np.int16],
    seat: int,
    from_square: int,
    to_square: int,
    school: School,
    chances: NDArray[np.float64],
    steps: NDArray[np.int64],
) -> float:
    """Return what a move is worth to a school."""
    cell = layout.as_int64(view[layout.BOARD + from_square])
    target = layout.as_int64(view[layout.BOARD + to_square])
    rank, hidden = layout.rank_of(cell), (cell & layout.KNOWN) == 0
    worth = WORTH[rank]
    points = school.caution * worth * danger_at(view, seat, from_square, rank, hidden, chances)
    if target != 0:
        points += expected_gain(rank, target, chances)
        if (target & layout.KNOWN) == 0:
            points += school.curiosity - school.doubt
        if hidden:
            points -= school.secrecy * worth
        hidden = False
    elif school.home > 0.0 and beyond_own_rows(view, seat, to_square):
        points -= school.home
    # What attacks is gone from the board there only if it loses, and that is in the gain already.
    points -= school.caution * worth * danger_at(view, seat, to_square, rank, hidden, chances)
    before, after = steps[from_square], steps[to_square]
    if after < before and after <= FARTHEST_PREY:
        points += pull_of(rank, school) * (1.0 + 1.0 / (1.0 + after))
    elif after > before and before < NEVER:
        points -= 0.5 * pull_of(rank, school)
    back = from_square == view[layout.LAST_TO + seat] and to_square == view[layout.LAST_FROM + seat]
    return float(points - (school.restless if back else 0.0))


@kernel
def beyond_own_rows(view: NDArray[np.int16], seat: int, square: int) -> bool:
    """Say whether a square is beyond the rows in which the seat has set up."""
    side, rows = layout.side_of(view), layout.OWN_ROWS[view[layout.VARIANT]]
    row = square // layout.SIDE
    return bool(row < side - rows if seat == layout.RED else row >= rows)
