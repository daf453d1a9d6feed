"""Expression networks and what they see, in plain Python; and networks grown at random."""

import math

from games.gravwell.agents.plain_trees import cards_of, end_of, pull
from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.brain import (
    NETWORK_INPUTS,
    NETWORK_OUTPUTS,
    Brain,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import LARGEST, OPERATIONS
from sandtable.games.gravwell.cards import KIND, KIND_NAMES, VALUE
from sandtable.games.gravwell.layout import (
    INERT,
    OPEN_HAND,
    ORDER,
    PICKED,
    PLAYED,
    PLAYERS,
    ROUND,
    SHIPS,
    STOPS,
    TABLE,
    TRACTORS,
    TURN,
    UNKNOWN,
    WHERE,
)
from sandtable.games.gravwell.learning.neuro_evolution.mutations import (
    first_network,
    published_mutation,
    weighted_mutation,
)

ARITHMETIC = {
    "add": lambda left, right: left + right,
    "subtract": lambda left, right: left - right,
    "multiply": lambda left, right: left * right,
    "minimum": min,
    "maximum": max,
    "divide": lambda left, right: 0.0 if abs(right) < 1e-9 else left / right,
    "modulo": lambda left, right: (
        0.0 if abs(right) < 1e-9 else left - right * math.floor(left / right)
    ),
}


def values_of(network, inputs):
    """All values of a network, computed node by node."""
    values = list(inputs)
    for node in network.nodes:
        left, right = (values[s] * w for s, w in zip(node.sources, node.weights, strict=True))
        value = ARITHMETIC[OPERATIONS[node.operation]](left, right)
        values.append(min(max(value, -LARGEST), LARGEST))
    return values


def grown(kind, changes, seed):
    """A network of a kind after so many mutations (of the published ones for the hand)."""
    dice = Dice(seed, "grown")
    network = first_network(len(NETWORK_INPUTS[kind]), NETWORK_OUTPUTS[kind], dice)
    for _ in range(changes):
        if kind == "hand":
            network = published_mutation(network, dice)
        else:
            network = weighted_mutation(network, dice, range(5))
    return network


def grown_brain(seed, *kinds):
    return Brain(**{kind: grown(kind, 30, seed + place) for place, kind in enumerate(kinds)})


def hand_inputs(view, seat):
    found = {}
    cards = cards_of(view, seat)
    for slot in range(8):
        card = cards[slot] if slot < len(cards) else None
        found[f"card {slot + 1} value"] = 1 if card is None else VALUE[card]
        found[f"card {slot + 1} kind"] = 0 if card is None else 1 + KIND[card]
        found[f"card {slot + 1} order"] = 0 if card is None else 1 + card
    tiles = [max(0, int(tile)) for tile in view[SHIPS : SHIPS + 6]]
    names = ("enemy 1", "enemy 2", "enemy 3", "hulk 1", "hulk 2")
    found["own tile"] = tiles.pop(seat)
    return found | dict(zip(names, tiles, strict=True))


def board_inputs(view, seat):
    own = int(view[SHIPS + seat])
    ships = [int(tile) for ship, tile in enumerate(view[SHIPS : SHIPS + 6]) if ship != seat]
    enemies = [int(view[SHIPS + each]) for each in range(view[PLAYERS]) if each != seat]
    ahead = [tile - own for tile in ships if tile > own]
    behind = [own - tile for tile in ships if 0 < tile <= own]
    return {
        "one": 1,
        "own tile": own / 54,
        "lead": (own - max(enemies)) / 54,
        "gap ahead": min([*ahead, 12]) / 12,
        "gap behind": min([*behind, 12]) / 12,
        "drawn forward": pull(view, seat),
        "ships ahead": len(ahead) / 5,
        "round": view[ROUND] / 5,
        "turn": view[TURN] / 5,
        "stop left": view[STOPS + seat],
        "tractors work": view[TRACTORS] != INERT,
    }


def kind_inputs(card):
    kinds = {name: KIND[card] == number for number, name in enumerate(KIND_NAMES)}
    return {"value": VALUE[card] / 10, "order": card / 25, **kinds}


def effect_inputs(view, seat, card):
    own, end = int(view[SHIPS + seat]), end_of(view, seat, card)
    after = view.copy()
    after[SHIPS + seat] = end
    found = {"progress": (end - own) / 10, "then forward": pull(after, seat), "wins": end == 54}
    enemies = [int(view[SHIPS + each]) for each in range(view[PLAYERS]) if each != seat]
    sides = [(tile > own) - (tile < own) for tile in enemies]
    works = KIND_NAMES[KIND[card]] == "tractor" and view[TRACTORS] != INERT
    return found | {"pull": works * sum(sides) / len(enemies) * VALUE[card] / 10}


def range_inputs(view, seat):
    own = int(view[SHIPS + seat])
    ends = [(end_of(view, seat, card) - own) / 10 for card in cards_of(view, seat)] or [0]
    return {"least progress": min(ends), "most progress": max(ends)}


def chance_earlier(view, enemy, card):
    """The chance that an enemy's card takes effect before one, all it may hold as likely."""
    unknown = [each for each in range(26) if view[WHERE + each] == UNKNOWN]
    shown = [each for each in range(26) if view[WHERE + each] == OPEN_HAND + enemy]
    played = sum(view[WHERE + each] == PLAYED + enemy for each in range(26))
    size = 6 - played
    secret = size - len(shown)
    share = sum(each < card for each in unknown) / max(1, len(unknown))
    return (sum(each < card for each in shown) + secret * share) / size


def card_inputs(view, seat, card):
    enemies = [each for each in range(view[PLAYERS]) if each != seat]
    own, way = int(view[SHIPS + seat]), pull(view, seat)
    chances = {enemy: chance_earlier(view, enemy, card) for enemy in enemies}
    there = [
        (abs(int(tile) - own), ship)
        for ship, tile in enumerate(view[SHIPS : SHIPS + 6])
        if ship != seat and tile > 0 and way != 0 and ((tile > own) == (way > 0))
    ]
    target = min(there)[1] if there else None
    return {
        **board_inputs(view, seat),
        **kind_inputs(card),
        **effect_inputs(view, seat, card),
        **range_inputs(view, seat),
        "enemies first": sum(chances.values()) / 3,
        "target first": chances.get(target, 0.0),
    }


def stack_inputs(view, seat, card):
    held = cards_of(view, seat)
    kinds = [sum(KIND[each] == kind for each in held) / 3 for kind in range(3)]
    rank = [int(each) for each in view[ORDER : ORDER + 4]].index(seat)
    taken = (view[PICKED] + view[PLAYERS] - 1 - rank) // view[PLAYERS]
    return {
        **board_inputs(view, seat),
        **kind_inputs(card),
        "stacks taken": taken / 2,
        "normals held": kinds[0],
        "repulsors held": kinds[1],
        "tractors held": kinds[2],
        "early held": sum(each < 13 for each in held) / 3,
        "value held": sum(int(VALUE[each]) for each in held) / 30,
        "place in draft": rank / 3,
    }


def stop_inputs(view, seat, card):
    return {
        **board_inputs(view, seat),
        **kind_inputs(card),
        **effect_inputs(view, seat, card),
        **range_inputs(view, seat),
        "cards to come": sum(view[TABLE : TABLE + 4] > card) / 3,
    }
