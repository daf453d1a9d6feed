"""Crossover by innovation numbers, as NEAT has it (Stanley and Miikkulainen 2002).

Every node that a mutation adds gets a number; the same addition made twice in one generation gets
the same one. Two networks are laid side by side by these numbers: a node that both have comes from
either, one that only one has from the fitter. Outputs are the same in both, so each comes from
either too, as far as what it needs is there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.networks import Network, Node
from sandtable.games.gravwell.learning.neuro_evolution.mutations import pruned

__all__ = ["Innovations", "crossed"]


class Innovations:
    """Hands out the numbers of one generation."""

    def __init__(self, last: int) -> None:
        self.last = last  # the highest number given so far in the whole run
        self.known: dict[tuple[str, int, int, int], int] = {}

    def numbered(self, kind: str, network: Network) -> Network:
        """Return a network whose new nodes have numbers.

        >>> new = Network(2, (Node(0, (0, 1)),), (2,))
        >>> [Innovations(4).numbered("hand", new).nodes[0].innovation for _ in range(2)]
        [5, 5]
        """
        names = list(range(-network.inputs, 0))  # of the values: inputs below 0, nodes by number
        nodes = []
        for node in network.nodes:
            number = node.innovation
            if not number:
                key = kind, node.operation, names[node.sources[0]], names[node.sources[1]]
                if key not in self.known:
                    self.last += 1
                    self.known[key] = self.last
                number = self.known[key]
            names.append(number)
            nodes.append(dataclasses.replace(node, innovation=number))
        return dataclasses.replace(network, nodes=tuple(nodes))


@dataclasses.dataclass(frozen=True)
class Gene:
    """A node whose sources are named: inputs by negative numbers, nodes by their innovation."""

    node: Node
    sources: tuple[int, int]


def genes_of(network: Network) -> tuple[dict[int, Gene], list[int]]:
    """Return the genes of a network by innovation, and the names of its outputs."""
    names = [value - network.inputs for value in range(network.inputs)]
    names += [node.innovation for node in network.nodes]
    genes = {
        node.innovation: Gene(node, (names[node.sources[0]], names[node.sources[1]]))
        for node in network.nodes
    }
    return genes, [names[value] for value in network.outputs]


def crossed(fitter: Network, other: Network, dice: Dice) -> Network:
    """Return a child of two networks; where it would go in circles the fitter's genes count."""
    genes, outputs = genes_of(fitter)
    others, other_outputs = genes_of(other)
    child = dict(genes)
    for name, gene in others.items():
        known = all(source < 0 or source in genes for source in gene.sources)
        if name in genes and known and dice.below(2):
            child[name] = gene
    ends = list(outputs)
    if len(outputs) == len(other_outputs):
        for place, name in enumerate(other_outputs):
            if (name < 0 or name in genes) and dice.below(2):
                ends[place] = name
    return built(fitter.inputs, child, ends) or built(fitter.inputs, genes, ends) or fitter


def built(inputs: int, genes: Mapping[int, Gene], outputs: list[int]) -> Network | None:
    """Return the network of some genes with every node after its sources; None: it goes round."""
    numbers = {name: name + inputs for name in range(-inputs, 0)}
    nodes: list[Node] = []
    waiting = list(genes)
    while waiting:
        ready = [each for each in waiting if all(s in numbers for s in genes[each].sources)]
        if not ready:
            return None
        for name in ready:
            left, right = (numbers[source] for source in genes[name].sources)
            numbers[name] = inputs + len(nodes)
            nodes.append(dataclasses.replace(genes[name].node, sources=(left, right)))
        waiting = [each for each in waiting if each not in numbers]
    return pruned(Network(inputs, tuple(nodes), tuple(numbers[name] for name in outputs)))
