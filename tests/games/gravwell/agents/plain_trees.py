"""The decision trees in plain Python, from the words of the paper and of the specification.

Each function returns the set of what the tree may choose: one choice, or all among which it draws.
"""

import numpy as np

from sandtable.dice import Dice
from sandtable.games.gravwell.cards import KIND, NORMAL, REPULSOR, TRACTOR, VALUE
from sandtable.games.gravwell.layout import (
    CURRENT,
    DRAFTING,
    GO,
    MOVER,
    OPEN_STACK,
    PHASE,
    PLAYERS,
    PLAYING,
    SECRET,
    SHIPS,
    STOP,
    STOPS,
    TAKE,
    TURN,
    WHERE,
)
from sandtable.games.gravwell.rules.drafting import holds
from sandtable.games.gravwell.rules.movement import pull_others


def cards_of(position, seat):
    """The cards in the hand of a seat that this position or view shows, in order."""
    return [card for card in range(26) if holds(position, seat, card)]


def of_kind(cards, kind):
    return [card for card in cards if KIND[card] == kind]


def field_cards(position):
    """The visible cards of free stacks, in the order of the stacks."""
    here = {
        int(position[WHERE + card]): card
        for card in range(26)
        if OPEN_STACK <= position[WHERE + card] < SECRET
    }
    return [here[stack] for stack in sorted(here)]


def pull(position, seat):
    """+1 when drawn to the gate, -1 when drawn back, 0 when stuck."""
    own = int(position[SHIPS + seat])
    others = [int(tile) for ship, tile in enumerate(position[SHIPS : SHIPS + 6]) if ship != seat]
    ahead = [tile - own for tile in others if tile > 0 and tile > own]
    behind = [own - tile for tile in others if tile > 0 and tile < own]
    near = (min(ahead, default=99), min(behind, default=99))
    if near[0] == near[1]:
        near = (-len(ahead), -len(behind))
    return (near[0] < near[1]) - (near[0] > near[1])


def end_of(position, seat, card):
    """The tile to which a normal card or a repulsor brings the ship, one tile at a time."""
    way = pull(position, seat) * {NORMAL: 1, REPULSOR: -1, TRACTOR: 0}[int(KIND[card])]
    own = int(position[SHIPS + seat])
    taken = [int(tile) for ship, tile in enumerate(position[SHIPS : SHIPS + 6]) if ship != seat]
    tile = min(max(own + way * int(VALUE[card]), 0), 54)
    while tile > 0 and tile in taken:
        tile += way
    if tile > 54:
        tile = max(each for each in range(55) if each not in taken)
    return tile


def described(position, groups=5, forward="highest"):
    seat = int(position[MOVER])
    hand = cards_of(position, seat)
    if position[PHASE] == DRAFTING:
        groups = (
            lambda card: KIND[card] == TRACTOR,
            lambda card: KIND[card] == REPULSOR,
            lambda card: KIND[card] == NORMAL and VALUE[card] <= 3,
            lambda card: KIND[card] == NORMAL and VALUE[card] >= 8,
            lambda card: KIND[card] == NORMAL and 3 < VALUE[card] < 8,
        )[:groups]
        field = field_cards(position)
        for group in groups:
            if not any(map(group, hand)) and any(map(group, field)):
                return {TAKE + min(filter(group, field))}
        return {TAKE + card for card in field}
    if position[PHASE] == PLAYING:
        way = pull(position, seat)
        if way == 0:
            return set(hand)
        onward = of_kind(hand, NORMAL if way > 0 else REPULSOR)
        if onward:
            return {
                "highest": {max(onward, key=lambda card: (VALUE[card], -card))},
                "lowest": {min(onward, key=lambda card: (VALUE[card], card))},
                "earliest": {min(onward)},
                "any": set(onward),
            }[forward]
        if of_kind(hand, TRACTOR):
            return {min(of_kind(hand, TRACTOR))}
        return {min(hand, key=lambda card: (VALUE[card], card))}
    back = end_of(position, seat, int(position[CURRENT])) < position[SHIPS + seat]
    return {STOP if back else GO}


def as_coded(position, order):
    """The authors' program; ``order`` is the hand in the order in which it came."""
    seat = int(position[MOVER])
    if position[PHASE] == DRAFTING:
        field = field_cards(position)
        for kind in (TRACTOR, REPULSOR):
            if not of_kind(order, kind) and of_kind(field, kind):
                return {TAKE + of_kind(field, kind)[0]}
        normals, free = of_kind(order, NORMAL), of_kind(field, NORMAL)
        low = [card for card in free if VALUE[card] >= 3]
        if low and not any(VALUE[card] <= 8 for card in normals):
            return {TAKE + min(low)}
        high = [card for card in free if VALUE[card] < 7]
        if high and not any(VALUE[card] >= 3 for card in normals):
            return {TAKE + min(high)}
        return {TAKE + card for card in field}
    way = pull(position, seat)
    if position[PHASE] == PLAYING:
        tractors = of_kind(order, TRACTOR)
        if way == 0:
            return {tractors[0]} if tractors else set(order)
        forward = of_kind(order, NORMAL if way > 0 else REPULSOR)
        if forward:
            return {min(forward, key=lambda card: VALUE[card])}
        return {tractors[0] if tractors else max(order, key=lambda card: VALUE[card])}
    kind = KIND[position[CURRENT]]
    back = (kind == NORMAL and way < 0) or (kind == REPULSOR and way > 0)
    return {STOP if back else GO}


def pulled_everywhere(position, seat, card):
    """All positions a card can lead to, played by the rules themselves in whatever order."""
    outcomes = []
    for number in range(40 if KIND[card] == TRACTOR else 1):
        after = np.array(position)
        if KIND[card] == TRACTOR:
            pull_others(after, seat, VALUE[card], Dice(0, "twin", number).array)
        else:
            after[SHIPS + seat] = end_of(position, seat, card)
        outcomes.append(after)
    return outcomes


def worths(position, seat, card, whose):
    """What a card can be worth, in tiles; ``whose`` next pulls are looked at."""
    found = set()
    for after in pulled_everywhere(position, seat, card):
        gain = int(after[SHIPS + seat] - position[SHIPS + seat])
        value = -1.0 if gain < 0 and position[STOPS + seat] else float(gain)
        if whose in ("own", "both"):
            value += 3 * pull(after, seat)
        if whose in ("others", "both"):
            others = [other for other in range(position[PLAYERS]) if other != seat]
            value -= sum(pull(after, other) for other in others) / 2
        found.add(value)
    return found


def with_foresight(position, whose):
    """The cards that can be worth most to a tree with foresight."""
    seat = int(position[MOVER])
    values = {card: worths(position, seat, card, whose) for card in cards_of(position, seat)}
    least = max(min(each) for each in values.values())
    return {card for card, each in values.items() if max(each) >= least}


def with_saving(position):
    """Whether the loss is large enough for the turn."""
    seat = int(position[MOVER])
    loss = int(position[SHIPS + seat]) - end_of(position, seat, int(position[CURRENT]))
    return {STOP if loss >= [7, 6, 5, 4, 3, 1][position[TURN]] else GO}


def is_careful(position, tiles):
    """Whether a ship without its stop has others close by on every side where there are any."""
    seat = int(position[MOVER])
    own = int(position[SHIPS + seat])
    tiles_of_others = [int(t) for ship, t in enumerate(position[SHIPS : SHIPS + 6]) if ship != seat]
    ahead = [tile - own for tile in tiles_of_others if tile > own]
    behind = [own - tile for tile in tiles_of_others if 0 < tile < own]
    near = [min(side) for side in (ahead, behind) if side]
    normals = of_kind(cards_of(position, seat), NORMAL)
    used = position[STOPS + seat] == 0
    return bool(normals and used and near and max(near) <= tiles)
