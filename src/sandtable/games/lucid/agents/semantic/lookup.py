"""Looking up force groups instead of asking networks (report, section 4.1.3).

The report could have repeated the lookup of its imitation agents on what force groups see, and
trained networks instead. This agent does the former: it takes the moves of the most similar groups
of the expert, and what share of them belongs to a category is how well that suits. Everything else
is the semantic agent's, so the difference in score is what the networks add.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import SandtableError
from sandtable.games.lucid.agents.expert.games import BUNDLED_GAMES, read_expert_games
from sandtable.games.lucid.agents.expert.group_examples import (
    LABELS,
    STATED,
    GroupExamples,
    group_examples,
)
from sandtable.games.lucid.agents.force_groups import FEATURE_SCALES, USUAL_PATHS
from sandtable.games.lucid.agents.semantic.agent import SPECIAL, GroupPlayer
from sandtable.games.lucid.agents.semantic.turn_orders import GO

__all__ = ["SemanticLookup", "nearest_examples"]

MOST_NEIGHBOURS = 99


@functools.cache
def examples_from(path: Path, seat: int, labels: str, paths: str) -> GroupExamples:
    """Read the moves of a seat out of a file of expert games once for all games."""
    examples = group_examples(read_expert_games(path), seat, labels, paths)
    if not len(examples.features):
        raise SandtableError(f"{path} has no moves of an expert who plays Blue")
    return examples


def nearest_examples(
    examples: GroupExamples, features: NDArray[np.float64], count: int
) -> NDArray[np.int64]:
    """Return the numbers of the most similar examples, the nearest first.

    The distance is the sum of the differences of all scaled features, as that of the imitation
    agents is a sum of differences; of equals the earlier ones count.
    """
    distances = np.abs(examples.features - features / FEATURE_SCALES).sum(axis=1)
    return np.argsort(distances, kind="stable")[:count]


class SemanticLookup(GroupPlayer):
    """Blue; each force group does what the expert's most similar one did."""

    seats = ("blue",)  # the bundled experts play Blue

    def __init__(
        self,
        database: str = "",
        neighbours: int = 1,
        labels: str = STATED,
        ranking: str = SPECIAL,
        leftover: str = GO,
        paths: str = USUAL_PATHS,
    ) -> None:
        """Look up so many groups in a file of expert games; ValueError for what cannot be.

        >>> SemanticLookup(neighbours=5).neighbours
        5
        """
        super().__init__(ranking, leftover, paths)
        if not 1 <= neighbours <= MOST_NEIGHBOURS:
            raise ValueError(f"neighbours is from 1 to {MOST_NEIGHBOURS}, got {neighbours}")
        if labels not in LABELS:
            raise ValueError(f"labels is one of {', '.join(LABELS)}, got '{labels}'")
        self.neighbours = neighbours
        self.labels = labels
        self.path = Path(database).expanduser() if database else BUNDLED_GAMES

    def weight_files(self) -> list[Path]:
        """Return the file it plays with."""
        return [self.path]

    def answers(
        self, seat: int, features: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Sequence[str]]:
        """Let the most similar groups of the expert vote."""
        examples = examples_from(self.path, seat, self.labels, self.paths)
        nearest = nearest_examples(examples, features, self.neighbours)
        votes = examples.targets[nearest].mean(axis=0)
        return votes, tuple(examples.names[index] for index in nearest)
