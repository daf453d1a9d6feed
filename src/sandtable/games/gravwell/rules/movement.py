"""Gravwell: where ships are drawn to, and where cards bring them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined, kernel
from sandtable.dice import below
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import KIND, NORMAL, TRACTOR, VALUE

__all__ = [
    "arrival",
    "destination",
    "direction_of",
    "is_occupied",
    "landing",
    "pull_others",
    "target_of",
]

FAR = 2 * layout.TILES + 2  # more than any distance, also than a doubled one


@inlined
def target_of(position: NDArray[np.int16], ship: int) -> int:
    """Return the ship that this one is drawn to, or NOTHING when it is stuck.

    That is the nearest one outside the Singularity. With one as near ahead as behind, the side
    with more ships counts.
    """
    tile = position[layout.SHIPS + ship]
    ahead, behind = FAR, FAR  # distance of the nearest on either side
    ships_ahead, ships_behind = 0, 0
    target_ahead, target_behind = layout.NOTHING, layout.NOTHING
    for other in range(layout.MOST_SHIPS):
        there = position[layout.SHIPS + other]
        if there <= layout.SINGULARITY or other == ship:
            continue
        if there > tile:
            ships_ahead += 1
            if there - tile < ahead:
                ahead, target_ahead = there - tile, other
        else:
            ships_behind += 1
            if tile - there < behind:
                behind, target_behind = tile - there, other
    if ahead != behind:
        return target_ahead if ahead < behind else target_behind
    if ships_ahead != ships_behind:
        return target_ahead if ships_ahead > ships_behind else target_behind
    return layout.NOTHING


@inlined
def direction_of(position: NDArray[np.int16], ship: int) -> int:
    """Return 1 if the ship is drawn towards the gate, -1 if away from it, 0 if it is stuck."""
    target = target_of(position, ship)
    if target == layout.NOTHING:
        return 0
    return 1 if position[layout.SHIPS + target] > position[layout.SHIPS + ship] else -1


@inlined
def is_occupied(position: NDArray[np.int16], tile: int, ship: int) -> bool:
    """Say whether another ship than this one is on a tile; the Singularity has room for all."""
    occupied = False
    for other in range(layout.MOST_SHIPS):
        occupied |= (other != ship) & (position[layout.SHIPS + other] == tile)
    return bool(occupied and tile != layout.SINGULARITY)


@inlined
def landing(position: NDArray[np.int16], ship: int, tile: int, direction: int) -> int:
    """Return where a ship ends that comes to a tile in a direction: it goes on until one is free.

    Where the board ends before that, it stays on the last free tile before the end; that can be
    the one it came from.
    """
    tile = min(max(tile, layout.SINGULARITY), layout.GATE)
    while is_occupied(position, tile, ship):
        if tile == layout.GATE:
            direction = -1
        tile += direction
    return tile


@inlined
def arrival(position: NDArray[np.int16], ship: int, card: int, target: int) -> int:
    """Return where a card that is no tractor brings a ship that is drawn to this target."""
    tile = int(position[layout.SHIPS + ship])
    ahead = position[layout.SHIPS + target] > tile
    direction = 1 if ahead == (KIND[card] == NORMAL) else -1
    return landing(position, ship, tile + direction * VALUE[card], direction)


@inlined
def destination(position: NDArray[np.int16], ship: int, card: int) -> int:
    """Return where a card would bring the ship that plays it, if it took effect now.

    Tractors leave it where it is, and so do all cards when it is stuck.
    """
    target = target_of(position, ship)
    if target == layout.NOTHING or KIND[card] == TRACTOR:
        return int(position[layout.SHIPS + ship])
    return arrival(position, ship, card, target)


@inlined
def nearness(position: NDArray[np.int16], ship: int, other: int) -> int:
    """Return a number that orders ships by distance, of equal ones that behind first."""
    away = int(position[layout.SHIPS + other]) - int(position[layout.SHIPS + ship])
    return 2 * away + 1 if away > 0 else -2 * away


@kernel
def pull_others(
    position: NDArray[np.int16], ship: int, value: int, dice: NDArray[np.uint64]
) -> None:
    """Move every other ship towards this one, the nearest first.

    Several ships in the Singularity are equally near; the dice order them. Those on the tile of
    the puller (also in the Singularity) are pulled nowhere. Inert tractors pull nobody.
    """
    if position[layout.TRACTORS] == layout.INERT:
        return
    tile = position[layout.SHIPS + ship]
    waiting = 0  # a bit for each ship yet to be moved
    for other in range(layout.MOST_SHIPS):
        if (
            position[layout.SHIPS + other] != layout.NOTHING
            and position[layout.SHIPS + other] != tile
        ):
            waiting |= 1 << other
    while waiting:
        nearest, equal = FAR, 0
        for other in range(layout.MOST_SHIPS):
            if waiting >> other & 1:
                away = nearness(position, ship, other)
                if away < nearest:
                    nearest, equal = away, 1
                elif away == nearest:
                    equal += 1
        skipped = below(dice, equal) if equal > 1 else 0
        for other in range(layout.MOST_SHIPS):
            if waiting >> other & 1 and nearness(position, ship, other) == nearest:
                if skipped == 0:
                    waiting ^= 1 << other
                    pull(position, other, tile, value)
                    break
                skipped -= 1


@inlined
def pull(position: NDArray[np.int16], ship: int, towards: int, value: int) -> None:
    """Move one ship so many tiles towards a tile, or past it."""
    tile = int(position[layout.SHIPS + ship])
    direction = 1 if towards > tile else -1
    position[layout.SHIPS + ship] = landing(position, ship, tile + direction * value, direction)
