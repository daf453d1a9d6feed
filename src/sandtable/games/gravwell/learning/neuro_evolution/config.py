"""What can be chosen about neuro-evolution for Gravwell: the published values, and ours."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.neuro_evolution.brain import NETWORK_INPUTS
from sandtable.games.gravwell.layout import ROUNDS
from sandtable.learning.config import RunConfig, config_field

__all__ = [
    "COMPARED",
    "FAMILY",
    "IMPROVED",
    "PUBLISHED",
    "RIVALS",
    "NeuroEvolutionConfig",
]


COMPETITIONS = ("seeded", "random", "parents")
SCORES = ("wins", "position")
SELECTIONS = ("truncation", "tournament", "proportional")
OUTPUTS = ("places", "index", "modes")
RIVALS = ("random", "decision-tree", "q-learning")  # random ones are those without stop
FAMILY = 4  # a parent and its copies at one table


@dataclass(frozen=True)
class NeuroEvolutionConfig(RunConfig):
    """The published values; what the report does not have is set so that it does nothing."""

    seed: int = config_field(0, "everything follows from it", least=0)
    generations: int = config_field(1000, "generations in all", least=1, extendable=True)
    parents: int = config_field(8, "networks that survive a generation", least=1)
    copies: int = config_field(5, "mutated copies of each parent", least=1)
    judging: int = config_field(20, "games (or rounds) that judge a network, at first", least=1)
    more_for_wins: int = config_field(
        2, "added when the best one wins more than half of them", least=0
    )
    inert: float = config_field(
        1.0, "share of games with inert tractors; in the report all", least=0, most=1
    )
    # What the report considered or tried before it settled on the values above:
    competition: str = config_field(
        "seeded",
        "equal dice for all, dice for each, or copies against parents",
        choices=COMPETITIONS,
    )
    score: str = config_field("wins", "games won, or the end position alone", choices=SCORES)
    selection: str = config_field("truncation", "who survives", choices=SELECTIONS)
    crossover: float = config_field(
        0.0, "chance that a copy has two parents, by innovation numbers", least=0, most=1
    )
    division: bool = config_field(False, "division and modulo among the operations")
    outputs: str = config_field(
        "places", "of the hand: places, index (a card's number) or modes", choices=OUTPUTS
    )
    rivals: str = config_field("random", "who sits in the other seats", choices=RIVALS)
    # Ours:
    networks: str = config_field("hand", "hand, or card with any of +stack and +stop")
    weights: bool = config_field(False, "weights on connections, and the mutations to match")
    comparisons: bool = config_field(
        False, "minimum and maximum beside the arithmetic; needs weights"
    )
    exchange: float = config_field(
        0.0, "chance that a copy takes a network from another parent", least=0, most=1
    )
    most_nodes: int = config_field(1000, "nodes that a network may grow to", least=1)
    rounds: int = config_field(
        6, "6: whole games; fewer: as many rounds from the middle of games", least=1, most=ROUNDS
    )
    win_tiles: float = config_field(
        0.0, "what a win counts beside the lead; 0: published score", least=0
    )
    more_each: int = config_field(0, "games or rounds added in every generation", least=0)
    screening: int = config_field(
        0, "games that judge the copies before the rest; 0: all at once", least=0
    )
    screened: int = config_field(12, "copies that go on after screening", least=1)
    stronger: float = config_field(
        0.0, "share of games with stronger opponents among the three", least=0, most=1
    )
    final_games: int = config_field(
        0, "whole games that choose the best of the last parents", least=0
    )

    def check(self) -> None:
        """Refuse sets of networks that make no player."""
        kinds = self.kinds
        unknown = [kind for kind in kinds if kind not in NETWORK_INPUTS]
        if unknown or len(set(kinds)) < len(kinds) or ("hand" in kinds) == ("card" in kinds):
            raise SandtableError(
                f"--networks is hand or card, with +stack and +stop if wanted, got "
                f"'{self.networks}'"
            )
        if self.competition == "parents" and self.copies != FAMILY - 1:
            raise SandtableError(
                f"copies that play against their parent are {FAMILY - 1}: --copies {FAMILY - 1}, "
                f"got {self.copies}"
            )
        if self.competition != "seeded" and (self.screening or self.rounds < ROUNDS):
            raise SandtableError(
                f"--competition {self.competition} plays whole games: no --screening, --rounds 6"
            )
        if self.outputs != "places" and "hand" not in kinds:
            raise SandtableError(f"--outputs {self.outputs} is for --networks hand")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The networks of a brain by name."""
        return tuple(self.networks.split("+"))


PUBLISHED = NeuroEvolutionConfig()

# Ours: see "What we changed" in docs/games/gravwell/neuro-evolution.md.
IMPROVED = NeuroEvolutionConfig(
    generations=250,
    judging=1000,
    more_for_wins=0,
    inert=0.3,
    networks="card+stack+stop",
    weights=True,
    comparisons=True,
    exchange=0.2,
    most_nodes=40,
    rounds=1,
    win_tiles=20.0,
    more_each=10,
    screening=300,
    stronger=0.3,
    final_games=10_000,
)

# What the report compares or considers, each with about as many games in all (300,000): the runs of
# the studies. The published number of games for an honest comparison by end position is 280.
SHORT = replace(PUBLISHED, generations=250)
COMPARED = {
    "equal-seeds": SHORT,
    "own-seeds": replace(
        SHORT, competition="random", score="position", judging=280, more_for_wins=0, generations=27
    ),
    "against-parents": replace(
        SHORT,
        competition="parents",
        score="position",
        copies=FAMILY - 1,
        judging=280,
        more_for_wins=0,
        generations=134,
    ),
    "tournament": replace(SHORT, selection="tournament"),
    "proportional": replace(SHORT, selection="proportional"),
    "crossover": replace(SHORT, crossover=0.5),
    "division": replace(SHORT, division=True),
    "index": replace(SHORT, outputs="index"),
    "modes": replace(SHORT, outputs="modes"),
    "against-trees": replace(SHORT, rivals="decision-tree"),
    "against-q-learning": replace(SHORT, rivals="q-learning"),
}
