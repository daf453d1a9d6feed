"""How networks of Gravwell's neuro-evolution change: the published mutations, and ours.

Every function returns a new network that is feed-forward like the old one, with the same inputs
and as many outputs. Nodes that no output depends on any more are dropped.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.brain import MODE, MOST_MODES
from sandtable.games.gravwell.agents.neuro_evolution.networks import (
    DIVIDE,
    MODULO,
    Network,
    Node,
    layers,
    reached,
)

__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "DIVISION",
    "add_node",
    "change_modes",
    "change_operation",
    "change_weight",
    "delete_node",
    "first_network",
    "insert_node",
    "published_mutation",
    "rewire",
    "weighted_mutation",
]

ARITHMETIC = range(3)  # add, subtract, multiply: the first of OPERATIONS
COMPARISONS = range(5)  # with minimum and maximum
DIVISION = (DIVIDE, MODULO)  # what the authors gave up
LARGEST_WEIGHT = 100.0


def first_network(inputs: int, outputs: int, dice: Dice) -> Network:
    """Return a network whose outputs are inputs, drawn at random and all different."""
    left = list(range(inputs))
    return Network(inputs, (), tuple(left.pop(dice.below(len(left))) for _ in range(outputs)))


def drawn(operations: Sequence[int], dice: Dice) -> int:
    """Draw an operation, each as likely."""
    return operations[dice.below(len(operations))]


def published_mutation(
    network: Network, dice: Dice, operations: Sequence[int] = ARITHMETIC
) -> Network:
    """Add a node or delete one, each as likely."""
    if dice.below(2):
        return add_node(network, dice, operations)
    return delete_node(network, dice)


# --- the published mutations ---------------------------------------------------------------------


def add_node(
    network: Network,
    dice: Dice,
    operations: Sequence[int] = ARITHMETIC,
    weight: Callable[[Dice], float] = lambda dice: 1.0,
) -> Network:
    """Put a new node behind an output; its other source is anything in a layer before the node."""
    place = dice.below(len(network.outputs))
    target = network.outputs[place]
    layer = layers(network)
    earlier = [value for value, each in enumerate(layer) if each <= layer[target]]
    other = earlier[dice.below(len(earlier))]
    node = Node(drawn(operations, dice), (target, other), (1.0, weight(dice)))
    outputs = list(network.outputs)
    outputs[place] = network.inputs + len(network.nodes)
    return Network(network.inputs, (*network.nodes, node), tuple(outputs))


def delete_node(network: Network, dice: Dice) -> Network:
    """Delete one of the values that an output depends on, or the output itself.

    An output that is an input becomes another input. The output node gives way to one of its
    sources, and so does any other node, wherever it is used. An input is never deleted: whatever
    used it gets other inputs instead.
    """
    place = dice.below(len(network.outputs))
    target = network.outputs[place]
    if network.is_input(target):
        return with_output(network, place, another_input(network, target, dice))
    tree = reached(network, [target])
    chosen = tree[dice.below(len(tree))]
    if chosen == target:
        return with_output(network, place, network.node(target).sources[dice.below(2)])
    if network.is_input(chosen):
        return pruned(with_sources(network, chosen, lambda: another_input(network, chosen, dice)))
    sources = network.node(chosen).sources
    replaced = with_sources(network, chosen, lambda: sources[dice.below(2)])
    outputs = (sources[dice.below(2)] if each == chosen else each for each in network.outputs)
    return pruned(dataclasses.replace(replaced, outputs=tuple(outputs)))


def another_input(network: Network, value: int, dice: Dice) -> int:
    """Return any input but this one."""
    other = dice.below(network.inputs - 1)
    return other + (other >= value)


def with_output(network: Network, place: int, value: int) -> Network:
    """Return the network with one output changed."""
    outputs = list(network.outputs)
    outputs[place] = value
    return pruned(dataclasses.replace(network, outputs=tuple(outputs)))


def with_sources(network: Network, value: int, instead: Callable[[], int]) -> Network:
    """Return the network with other sources wherever nodes use a value."""
    nodes = []
    for node in network.nodes:
        left, right = (instead() if source == value else source for source in node.sources)
        nodes.append(dataclasses.replace(node, sources=(left, right)))
    return dataclasses.replace(network, nodes=tuple(nodes))


def pruned(network: Network) -> Network:
    """Return the network without nodes that no output depends on."""
    kept = [value for value in reached(network, network.outputs) if not network.is_input(value)]
    number = {value: value for value in range(network.inputs)}
    number |= {value: network.inputs + place for place, value in enumerate(kept)}
    nodes = []
    for value in kept:
        left, right = network.node(value).sources
        nodes.append(
            dataclasses.replace(network.node(value), sources=(number[left], number[right]))
        )
    return Network(network.inputs, tuple(nodes), tuple(number[each] for each in network.outputs))


# --- modes, as Schrum and Miikkulainen (2009) evolve them ----------------------------------------

NEW_MODE, LOST_MODE = 0.05, 0.03  # chances of a copy


def change_modes(network: Network, dice: Dice) -> Network:
    """Give a network another mode now and then, a copy of one it has, or take one away."""
    modes, chance = len(network.outputs) // MODE, dice.uniform()
    if chance < NEW_MODE and modes < MOST_MODES:
        first = MODE * dice.below(modes)
        outputs = list(network.outputs + network.outputs[first : first + MODE])
        outputs[-1] = dice.below(network.inputs)  # when it is heeded has to be found out
        return dataclasses.replace(network, outputs=tuple(outputs))
    if NEW_MODE <= chance < NEW_MODE + LOST_MODE and modes > 1:
        first = MODE * dice.below(modes)
        left = network.outputs[:first] + network.outputs[first + MODE :]
        return pruned(dataclasses.replace(network, outputs=left))
    return network


# --- ours ----------------------------------------------------------------------------------------


def normal(dice: Dice) -> float:
    """Return a number from the normal distribution (Box and Muller 1958)."""
    return math.sqrt(-2.0 * math.log(1.0 - dice.uniform())) * math.cos(math.tau * dice.uniform())


def change_node(network: Network, place: int, node: Node) -> Network:
    """Return the network with one node changed."""
    nodes = list(network.nodes)
    nodes[place] = node
    return pruned(dataclasses.replace(network, nodes=tuple(nodes)))


def insert_node(network: Network, dice: Dice, operations: Sequence[int]) -> Network:
    """Put a new node on a connection; its other source is any value before it."""
    if not network.nodes:
        return network
    place, side = dice.below(len(network.nodes)), dice.below(2)
    begin = network.inputs + place  # the new node gets this number, those from it on the next one

    def moved(value: int) -> int:
        return value + (value >= begin)

    user = network.nodes[place]
    sources = (user.sources[side], dice.below(begin))
    new = Node(drawn(operations, dice), sources, (1.0, new_weight(dice)))
    nodes = [*network.nodes[:place], new]
    for node in network.nodes[place:]:
        left, right = map(moved, node.sources)
        nodes.append(dataclasses.replace(node, sources=(left, right)))
    attached = list(nodes[place + 1].sources)
    attached[side] = begin
    nodes[place + 1] = dataclasses.replace(nodes[place + 1], sources=(attached[0], attached[1]))
    return Network(network.inputs, tuple(nodes), tuple(map(moved, network.outputs)))


def change_weight(network: Network, dice: Dice) -> Network:
    """Let the weight of a connection grow, shrink or turn round."""
    if not network.nodes:
        return network
    place, side = dice.below(len(network.nodes)), dice.below(2)
    node = network.nodes[place]
    weights = list(node.weights)
    kind = dice.below(8)
    if kind == 0:
        weights[side] = -weights[side]
    elif kind < 4:
        weights[side] += 0.3 * normal(dice)
    else:
        weights[side] *= math.exp(0.5 * normal(dice))
    weights[side] = min(max(weights[side], -LARGEST_WEIGHT), LARGEST_WEIGHT)
    return change_node(network, place, dataclasses.replace(node, weights=(weights[0], weights[1])))


def rewire(network: Network, dice: Dice) -> Network:
    """Let a connection come from another value before the node."""
    if not network.nodes:
        return network
    place, side = dice.below(len(network.nodes)), dice.below(2)
    node = network.nodes[place]
    sources = list(node.sources)
    sources[side] = dice.below(network.inputs + place)
    return change_node(network, place, dataclasses.replace(node, sources=(sources[0], sources[1])))


def change_operation(network: Network, dice: Dice, operations: Sequence[int]) -> Network:
    """Let a node do something else with its sources."""
    if not network.nodes:
        return network
    place = dice.below(len(network.nodes))
    node = dataclasses.replace(network.nodes[place], operation=drawn(operations, dice))
    return change_node(network, place, node)


def new_weight(dice: Dice) -> float:
    """Return the weight of a new connection: small, either way."""
    return 0.5 * normal(dice)


def weighted_mutation(network: Network, dice: Dice, operations: Sequence[int]) -> Network:
    """Change the network in one of the ways of FS-NEAT; most often a weight.

    ``operations`` are what new nodes may do.
    """
    kind = dice.below(100)
    if kind < 20:
        return add_node(network, dice, operations, new_weight)
    if kind < 35:
        return insert_node(network, dice, operations)
    if kind < 50:
        return delete_node(network, dice)
    if kind < 62:
        return rewire(network, dice)
    if kind < 68:
        return change_operation(network, dice, operations)
    return change_weight(network, dice)
