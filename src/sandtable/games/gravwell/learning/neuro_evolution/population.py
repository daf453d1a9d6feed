"""The networks of a run of neuro-evolution: how they begin, and how copies of them are changed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.brain import (
    MODE,
    NETWORK_INPUTS,
    NETWORK_OUTPUTS,
    SLOTS,
    Brain,
    brain_of,
    brain_text,
)
from sandtable.games.gravwell.agents.neuro_evolution.networks import Program, program_of
from sandtable.games.gravwell.learning.neuro_evolution.config import NeuroEvolutionConfig
from sandtable.games.gravwell.learning.neuro_evolution.crossover import Innovations, crossed
from sandtable.games.gravwell.learning.neuro_evolution.mutations import (
    ARITHMETIC,
    COMPARISONS,
    DIVISION,
    change_modes,
    first_network,
    published_mutation,
    weighted_mutation,
)
from sandtable.learning.checkpoints import Arrays

__all__ = ["Evolution", "begin", "offspring", "stacked"]

MOST_CHANGES = 8  # of one copy


def first_brain(config: NeuroEvolutionConfig, dice: Dice) -> Brain:
    """Return a brain in which inputs are outputs."""
    outputs = NETWORK_OUTPUTS | {
        "hand": {"places": SLOTS, "index": 1, "modes": MODE}[config.outputs]
    }
    networks = {
        kind: first_network(len(NETWORK_INPUTS[kind]), outputs[kind], dice) for kind in config.kinds
    }
    return Brain(**networks)


def offspring(
    config: NeuroEvolutionConfig,
    parents: list[Brain],
    number: int,
    dice: Dice,
    innovations: Innovations,
) -> Brain:
    """Return a changed copy of one of the parents, or a changed child of two, the fitter first."""
    if not config.crossover:
        return mutated_copy(config, parents, number, dice)
    if dice.uniform() < config.crossover:
        fitter, other = sorted((number, dice.below(len(parents))))
        both = parents[fitter]._asdict(), parents[other]._asdict()
        child = Brain(
            **{kind: crossed(both[0][kind], both[1][kind], dice) for kind in config.kinds}
        )
        parents = [*parents[:number], child, *parents[number + 1 :]]
    changed = mutated_copy(config, parents, number, dice)._asdict()
    return Brain(**{kind: innovations.numbered(kind, changed[kind]) for kind in config.kinds})


def operations_of(config: NeuroEvolutionConfig) -> tuple[int, ...]:
    """Return what new nodes may do."""
    return (
        *(COMPARISONS if config.comparisons else ARITHMETIC),
        *(DIVISION if config.division else ()),
    )


def mutated_copy(
    config: NeuroEvolutionConfig, parents: list[Brain], number: int, dice: Dice
) -> Brain:
    """Return a changed copy of one of the parents."""
    networks = parents[number]._asdict()
    kinds = config.kinds
    if config.outputs == "modes":
        networks["hand"] = change_modes(networks["hand"], dice)
    if not config.weights:
        kind = kinds[dice.below(len(kinds))]
        networks[kind] = published_mutation(networks[kind], dice, operations_of(config))
        return Brain(**networks)
    if dice.uniform() < config.exchange:
        kind = kinds[dice.below(len(kinds))]
        networks[kind] = getattr(parents[dice.below(len(parents))], kind)
    for _ in range(MOST_CHANGES):
        kind = kinds[dice.below(len(kinds))]
        changed = weighted_mutation(networks[kind], dice, operations_of(config))
        if len(changed.nodes) <= config.most_nodes:
            networks[kind] = changed
        if dice.below(2):
            break
    return Brain(**networks)


@dataclass
class Evolution:
    """Where a run stands between two generations."""

    parents: list[Brain]
    memories: list[Brain]  # former best ones to play against
    counters: dict[str, int]  # generations done, games or rounds that judge, the best parent
    scores: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))  # kept of the parents

    def arrays(self) -> Arrays:
        """Return the brains, kept as their files."""
        brains = {"parents": self.parents, "memories": self.memories}
        texts = {name: [brain_text(brain, {}) for brain in some] for name, some in brains.items()}
        kept = {
            name: np.frombuffer(json.dumps(some).encode(), np.uint8) for name, some in texts.items()
        }
        return kept | {"scores": self.scores}

    def restore(self, arrays: Arrays) -> None:
        """Go back to such brains."""
        for name in ("parents", "memories"):
            texts = json.loads(arrays[name].tobytes())
            setattr(self, name, [brain_of(json.loads(text)) for text in texts])
        self.scores = arrays.get("scores", np.zeros(0))


def begin(config: NeuroEvolutionConfig) -> Evolution:
    """Return the first parents."""
    dice = Dice(config.seed, "neuro-evolution start")
    parents = [first_brain(config, dice) for _ in range(config.parents)]
    counters = {"generations": 0, "judging": config.judging, "chosen": 0, "innovations": 0}
    return Evolution(parents, [], counters)


def stacked(brains: list[Brain]) -> Program:
    """Return many brains as one program with a row for each, filled up with zeros."""
    programs = [program_of(brain) for brain in brains]
    count = max(1, len(programs))
    cells = max((len(each.cells) for each in programs), default=1)
    weights = max((len(each.weights) for each in programs), default=1)
    together = Program(np.zeros((count, cells), np.int64), np.zeros((count, weights)))
    for number, program in enumerate(programs):
        together.cells[number, : len(program.cells)] = program.cells
        together.weights[number, : len(program.weights)] = program.weights
    return together
