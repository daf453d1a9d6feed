"""What can be chosen about Deep-State Learning, and the presets: the thesis's, and ours."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from sandtable.errors import SandtableError
from sandtable.games.skirmish.generator import TRAINING_LEVELS
from sandtable.learning.config import RunConfig, config_field

__all__ = ["IMPROVED", "NETWORK_KINDS", "SMALL", "THESIS", "TINY", "WATCHED_PAIRS", "DslConfig"]

NETWORK_KINDS = ("quarters", "author", "transformer", "perceptron")
REWARDS = ("utility", "material", "change", "result")
WATCHED_PAIRS = {
    "simple": (("simple", "simple"),),
    "both": (("simple", "simple"), ("simple", "constant"), ("constant", "simple")),
}


@dataclass(frozen=True)
class DslConfig(RunConfig):
    """What the thesis does not have is set so that it does nothing.

    Where an earlier version had another value than the thesis, that has stayed (``network`` and
    ``both_empty``), so that runs of then go on as they were; the preset ``thesis`` differs there.
    """

    budget: int = config_field(5000, "States a search of the learner may look at.", least=1)
    games: int = config_field(100, "Games to play.", least=1, extendable=True)
    seed: int = config_field(0, "Same seed, same run.", least=0)
    simple_games: int = config_field(
        25, "Games before self-play alternates with the opponent.", least=0
    )
    simple_budget: int = config_field(10_000, "States the simple opponent may look at.", least=1)
    self_play_only: bool = config_field(False, "Never play the simple opponent (the ablation).")
    mutation: float = config_field(0.01, "Spread of what is added to a copy's parameters.", least=0)
    replay: int = config_field(1500, "Transitions that are remembered.", least=1)
    batch: int = config_field(15, "Transitions in a gradient step.", least=1)
    learning_rate: float = config_field(0.001, "Step size of Adam.", above=0)
    incentive: float = config_field(1.2, "Factor for moves that build or capture.", above=0)
    max_turns: int = config_field(100, "A game is drawn after so many turns.", least=0)
    levels: str = config_field("1 2 3 4 5", "The levels to train on.")
    network: str = config_field("quarters", "The kind of network.", choices=NETWORK_KINDS)
    both_empty: str = config_field("draw", "What an empty board means.", choices=("draw", "second"))
    # Ours:
    reward: str = config_field(
        "utility", "What a state is worth, besides a win or a loss.", choices=REWARDS
    )
    discount: float = config_field(
        1.0, "What the next move's reward is worth now.", least=0, most=1
    )
    steps: int = config_field(1, "Moves whose rewards are added up before Q* takes over.", least=1)
    gradient_steps: int = config_field(1, "Gradient steps after every move.", least=1)
    reward_scale: float = config_field(1.0, "Factor of all rewards.", above=0)
    win_reward: float = config_field(0.0, "Extra reward of a win, and the cost of a loss.")
    huber: bool = config_field(False, "Huber loss in place of the squared error.")
    both_seats: bool = config_field(False, "Play second in every other game, not always first.")
    both_sides: bool = config_field(False, "Learn from the opponent's moves too.")
    waiting_states: bool = config_field(False, "Value states before the opponent's moves too.")
    games_at_once: int = config_field(1, "Games played side by side, by the same network.", least=1)
    exploration: float = config_field(
        0.0, "Share of the learner's moves drawn at random.", least=0, most=1
    )
    mirror: bool = config_field(False, "Mirror a random half of every batch, left and right.")
    final_learning_rate: float = config_field(0.001, "Step size after the last game.", least=0)
    generated_levels: int = config_field(
        0, "Generated levels to train on besides.", least=0, most=TRAINING_LEVELS
    )
    watched_games: int = config_field(
        0, "Games of other agents to learn from before the first.", least=0
    )
    watched: str = config_field(
        "both", "Whose games: the simple opponent's, or the constant one's too.",
        choices=tuple(WATCHED_PAIRS),
    )  # fmt: skip
    watched_budget: int = config_field(500, "States these agents may look at.", least=1)
    watched_steps: int = config_field(0, "Gradient steps on these games.", least=0)
    leaf_batch: int = config_field(256, "Leaves of a search in one call of the network.", least=1)

    def check(self) -> None:
        """Refuse a run without boards, or without any reward."""
        if not self.levels.split() and not self.generated_levels:
            raise SandtableError(
                "there is nothing to train on: name --levels or --generated-levels"
            )
        if self.reward == "result" and not self.win_reward:
            raise SandtableError("--reward result has no reward at all without --win-reward")


THESIS = DslConfig(network="author", both_empty="second")

# Ours: see "What we changed to make it learn" in docs/games/skirmish/deep-state-learning.md.
IMPROVED = DslConfig(
    both_empty="second",
    games=100,
    replay=400_000,
    batch=256,
    discount=0.9,
    steps=8,
    reward_scale=0.05,
    win_reward=20.0,
    huber=True,
    both_seats=True,
    both_sides=True,
    waiting_states=True,
    games_at_once=10,
    exploration=0.05,
    mirror=True,
    final_learning_rate=0.00005,
    generated_levels=95,
    watched_games=2000,
    watched_steps=10_000,
    leaf_batch=64,
)

# For studies of one change each: minutes on one core, and the constant opponent is never seen.
SMALL = dataclasses.replace(
    IMPROVED,
    network="author",
    budget=200,
    games=24,
    simple_games=6,
    batch=64,
    replay=200_000,
    watched="simple",
    watched_games=1000,
    watched_steps=1000,
)

# For what the thesis leaves open, so that all kinds of one question are tried within minutes.
TINY = dataclasses.replace(SMALL, budget=100, games=12, watched_steps=500)
