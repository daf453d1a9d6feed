"""What can be chosen about neuro-evolution for Gravwell: the published values, and ours."""

from __future__ import annotations

from dataclasses import dataclass

from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.neuro_evolution.names import NETWORK_INPUTS
from sandtable.games.gravwell.layout import ROUNDS
from sandtable.learning.recipes import config_field

__all__ = ["IMPROVED", "PUBLISHED", "NeuroEvolutionConfig", "check_config"]


@dataclass(frozen=True)
class NeuroEvolutionConfig:
    """The published values; what the report does not have is set so that it does nothing."""

    seed: int = config_field(0, "everything follows from it")
    generations: int = config_field(1000, "generations in all")
    parents: int = config_field(8, "networks that survive a generation")
    copies: int = config_field(5, "mutated copies of each parent")
    judging: int = config_field(20, "games (or rounds) that judge a network, at first")
    more_for_wins: int = config_field(2, "added when the best one wins more than half of them")
    inert: float = config_field(1.0, "share of games with inert tractors; in the report all")
    # Ours:
    networks: str = config_field("hand", "hand, or card with any of +stack and +stop")
    weights: bool = config_field(False, "weights on connections, and the mutations to match")
    comparisons: bool = config_field(
        False, "minimum and maximum beside the arithmetic; needs weights"
    )
    exchange: float = config_field(0.0, "chance that a copy takes a network from another parent")
    most_nodes: int = config_field(1000, "nodes that a network may grow to")
    rounds: int = config_field(6, "6: whole games; fewer: as many rounds from the middle of games")
    win_tiles: float = config_field(0.0, "what a win counts beside the lead; 0: published score")
    more_each: int = config_field(0, "games or rounds added in every generation")
    screening: int = config_field(0, "games that judge the copies before the rest; 0: all at once")
    screened: int = config_field(12, "copies that go on after screening")
    stronger: float = config_field(0.0, "share of games with stronger opponents among the three")
    final_games: int = config_field(0, "whole games that choose the best of the last parents")

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


def check_config(config: NeuroEvolutionConfig) -> None:
    """Refuse numbers that make no sense."""
    for name in ("generations", "parents", "copies", "judging", "screened", "most_nodes"):
        if getattr(config, name) < 1:
            raise SandtableError(f"{name} is at least 1, got {getattr(config, name)}")
    for name in ("seed", "more_for_wins", "more_each", "screening", "win_tiles", "final_games"):
        if getattr(config, name) < 0:
            raise SandtableError(f"{name} is 0 or more, got {getattr(config, name)}")
    for name in ("inert", "exchange", "stronger"):
        if not 0 <= getattr(config, name) <= 1:
            raise SandtableError(f"{name} lies between 0 and 1, got {getattr(config, name)}")
    if not 1 <= config.rounds <= ROUNDS:
        raise SandtableError(f"rounds is 1 to {ROUNDS}, got {config.rounds}")
    kinds = config.kinds
    unknown = [kind for kind in kinds if kind not in NETWORK_INPUTS]
    if unknown or len(set(kinds)) < len(kinds) or ("hand" in kinds) == ("card" in kinds):
        raise SandtableError(
            f"networks is hand or card, with +stack and +stop if wanted, got '{config.networks}'"
        )
