"""What can be chosen about the training of Lucid's evaluator."""

from __future__ import annotations

from dataclasses import dataclass

from sandtable.errors import SandtableError
from sandtable.learning.config import RunConfig, config_field

__all__ = ["AXES_RED", "ITSELF", "TdConfig"]

ITSELF, AXES_RED = "itself", "axes-red"  # opponents that are no weights


@dataclass(frozen=True)
class TdConfig(RunConfig):
    """What can be chosen about a run."""

    seed: int = config_field(0, "everything follows from it", least=0)
    games: int = config_field(200_000, "games in all; the learning rate falls over them", least=1)
    generation: int = config_field(1000, "games before the network is fitted again", least=1)
    learner: str = config_field("both", "the side that learns", choices=("both", "blue", "red"))
    opponent: str = config_field(ITSELF, "itself, axes-red, or weights (a bundled name or a file)")
    weights: str = config_field("", "weights to begin with; none: small random ones")
    scripted: float = config_field(
        0.0, "share of games against SimpleBlue and OneAxisBlue", least=0, most=1
    )
    rival: str = config_field("", "weights that play Blue in some games")
    rival_share: float = config_field(0.0, "share of games against the rival", least=0, most=1)
    older: float = config_field(
        0.0, "share of games in which an older self plays Blue", least=0, most=1
    )
    tries: int = config_field(2, "climbs to a good turn, from different beginnings", least=1)
    candidates: int = config_field(
        0, "plans looked at one turn further, as the champions do", least=0
    )
    reply_tries: int = config_field(2, "climbs for each answer when looking further", least=1)
    margin: float = config_field(
        1.0, "plans that seem worse than the best by more are left out", least=0
    )
    trace: float = config_field(
        0.9, "lambda: 1 learns from results alone, 0 from the next value", least=0, most=1
    )
    exploration: float = config_field(
        0.03, "chance that a turn is changed at random", least=0, most=1
    )
    scattered_first: int = config_field(
        40_000, "games over which fewer and fewer begin with scattered units", least=0
    )
    scattered: float = config_field(0.1, "share of games that begin so after that", least=0, most=1)
    field_red: float = config_field(
        0.3, "chance of a Red unit to be off its row in such a start", least=0, most=1
    )
    passes: int = config_field(
        1, "times the network is fitted to the positions of a generation", least=1
    )
    batch: int = config_field(256, "positions a step", least=1)
    learning_rate: float = config_field(0.002, "of Adam at the beginning", above=0)
    final_rate: float = config_field(
        0.02, "the share of it that is left at the end", least=0, most=1
    )

    @property
    def generations(self) -> int:
        """How many rounds of playing and fitting there are."""
        return -(-self.games // self.generation)

    def check(self) -> None:
        """Refuse opponents that do not fit the learner."""
        if self.learner != "blue" and self.opponent == AXES_RED:
            raise SandtableError("against axes-red only Blue can learn; add --learner blue")
        if self.learner == "both" and self.opponent != ITSELF:
            raise SandtableError(
                "a learner of both sides plays itself; choose --learner blue or red"
            )
        if self.learner != "both" and self.opponent == ITSELF:
            raise SandtableError(f"say who plays against {self.learner}: --opponent WEIGHTS")
        pooled = self.scripted + self.rival_share + self.older
        if pooled > 1 or (pooled > 0 and self.learner != "both"):
            raise SandtableError(
                "--scripted, --rival-share and --older add up to at most 1; for a learner of both "
                "sides"
            )
        if (self.rival_share > 0) != bool(self.rival):
            raise SandtableError("a rival needs weights and a share: --rival and --rival-share")
