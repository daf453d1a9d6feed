"""What can be chosen about the training of Lucid's evaluator."""

from __future__ import annotations

from dataclasses import dataclass

from sandtable.errors import SandtableError, suggestion
from sandtable.learning.recipes import config_field

__all__ = ["AXES_RED", "ITSELF", "TdConfig", "check_config"]

ITSELF, AXES_RED = "itself", "axes-red"  # opponents that are no weights
LEARNERS = ("both", "blue", "red")


@dataclass(frozen=True)
class TdConfig:
    """What can be chosen about a run."""

    seed: int = config_field(0, "everything follows from it")
    games: int = config_field(200_000, "games in all")
    generation: int = config_field(1000, "games before the network is fitted again")
    learner: str = config_field("both", "the side that learns: blue, red or both")
    opponent: str = config_field(ITSELF, "itself, axes-red, or weights (a bundled name or a file)")
    weights: str = config_field("", "weights to begin with; none: small random ones")
    scripted: float = config_field(0.0, "share of games against SimpleBlue and OneAxisBlue")
    rival: str = config_field("", "weights that play Blue in some games")
    rival_share: float = config_field(0.0, "share of games against the rival")
    older: float = config_field(0.0, "share of games in which an older self plays Blue")
    tries: int = config_field(2, "climbs to a good turn, from different beginnings")
    candidates: int = config_field(0, "plans looked at one turn further, as the champions do")
    reply_tries: int = config_field(2, "climbs for each answer when looking further")
    margin: float = config_field(1.0, "plans that seem worse than the best by more are left out")
    trace: float = config_field(0.9, "lambda: 1 learns from results alone, 0 from the next value")
    exploration: float = config_field(0.03, "chance that a turn is changed at random")
    scattered_first: int = config_field(
        40_000, "games over which fewer and fewer begin with scattered units"
    )
    scattered: float = config_field(0.1, "share of games that begin so after that")
    field_red: float = config_field(0.3, "chance of a Red unit to be off its row in such a start")
    passes: int = config_field(1, "times the network is fitted to the positions of a generation")
    batch: int = config_field(256, "positions a step")
    learning_rate: float = config_field(0.002, "of Adam at the beginning")
    final_rate: float = config_field(0.02, "the share of it that is left at the end")

    @property
    def generations(self) -> int:
        """How many rounds of playing and fitting there are."""
        return -(-self.games // self.generation)


def check_config(config: TdConfig) -> None:
    """Refuse numbers and names that make no sense."""
    for name in ("games", "generation", "tries", "reply_tries", "passes", "batch"):
        if getattr(config, name) < 1:
            raise SandtableError(f"{name} is at least 1, got {getattr(config, name)}")
    shares = ("scripted", "rival_share", "older")
    for name in ("trace", "exploration", "scattered", "field_red", "final_rate", *shares):
        if not 0 <= getattr(config, name) <= 1:
            raise SandtableError(f"{name} lies between 0 and 1, got {getattr(config, name)}")
    if not config.learning_rate > 0 or config.scattered_first < 0 or config.seed < 0:
        raise SandtableError("learning_rate is above 0, scattered_first and seed are 0 or more")
    if config.candidates < 0 or not config.margin >= 0:
        raise SandtableError(
            f"candidates and margin are 0 or more, got {config.candidates} and {config.margin}"
        )
    if config.learner not in LEARNERS:
        hint = suggestion(config.learner, LEARNERS)
        raise SandtableError(f"learner is both, blue or red, got '{config.learner}'.{hint}")
    if config.learner != "blue" and config.opponent == AXES_RED:
        raise SandtableError("against axes-red only Blue can learn; add --learner blue")
    if config.learner == "both" and config.opponent != ITSELF:
        raise SandtableError("a learner of both sides plays itself; choose --learner blue or red")
    if config.learner != "both" and config.opponent == ITSELF:
        raise SandtableError(f"say who plays against {config.learner}: --opponent WEIGHTS")
    pooled = sum(getattr(config, name) for name in shares)
    if pooled > 1 or (pooled > 0 and config.learner != "both"):
        raise SandtableError(
            "scripted, rival_share and older add up to at most 1; for a learner of both sides"
        )
    if (config.rival_share > 0) != bool(config.rival):
        raise SandtableError("a rival needs weights and a share: --rival and --rival-share")
