"""How Stratego's champion is trained: the configuration, and what changes while it learns."""

from __future__ import annotations

from dataclasses import dataclass

from sandtable.errors import SandtableError
from sandtable.learning.recipes import config_field

__all__ = ["CHAMPION", "TINY", "ChampionConfig", "check_config"]


@dataclass(frozen=True)
class ChampionConfig:
    """One run. Nothing depends on how many rounds there are, so a run can be made longer."""

    rounds: int = config_field(3498, "rounds of playing and learning")
    rows: int = config_field(4096, "games played side by side")
    steps: int = config_field(32, "moves played in each of them in a round")
    long_scouts: bool = config_field(True, "whether scouts move any distance")
    channels: int = config_field(64, "of the network")
    blocks: int = config_field(6, "of the network")
    chunk: int = config_field(8192, "positions in a gradient step")
    learning_rate: float = config_field(5e-4, "of Adam at first")
    rate_rounds: int = config_field(600, "after so many rounds the rate is a half, then a third")
    late_from: int = config_field(2420, "the round in which the late stage of the run begins")
    late_rate: float = config_field(3.0, "how many times as high the learning rate is from then on")
    late_passes: int = config_field(2, "how often it then goes over the moves of a round")
    late_trace: float = config_field(0.95, "what is then in the place of trace")
    settle_from: int = config_field(2494, "from this round on the rate is a quarter")
    settle_rounds: int = config_field(201, "and a quarter of that after every so many more")
    built_from: int = config_field(2794, "from this round on set-ups are of all kinds, many built")
    built_rate: float = config_field(2.0, "how many times as high the learning rate then is again")
    built_settle_from: int = config_field(3251, "until this round, when it is a quarter once more")
    built_settle_rounds: int = config_field(150, "and a quarter of that after every so many")
    clip: float = config_field(0.2, "how far the chance of a move may go in a round")
    horizon: float = config_field(0.997, "what a result is worth a move earlier")
    trace: float = config_field(0.9, "how much later values count in an advantage (lambda)")
    entropy: float = config_field(0.02, "reward of varied play at first")
    least_entropy: float = config_field(0.003, "and at last")
    entropy_rounds: int = config_field(300, "rounds in which it halves")
    belief: float = config_field(0.3, "weight of telling hidden ranks in the loss")
    material: float = config_field(0.5, "reward at first for all of an army's worth")
    material_rounds: int = config_field(300, "rounds in which it halves")
    draw: float = config_field(-0.3, "what a draw is worth to either side")
    past_share: float = config_field(0.2, "share of the games against older selves")
    past_every: int = config_field(100, "rounds between the older selves that are kept")
    past_kept: int = config_field(6, "how many of them are kept")
    rival: str = config_field("policy", "weights of stratego/policy, which plays some games")
    rival_share: float = config_field(0.25, "share of the games against it")
    rival_from: int = config_field(1219, "the round in which they begin")
    searcher: str = config_field("value", "weights of stratego/value, which plays some games too")
    searcher_share: float = config_field(0.5, "share of the games against it, in the late stage")
    built_searcher_share: float = config_field(0.25, "and when set-ups are of all kinds")
    average: float = config_field(0.99, "what stays in a round of the averaged network, that plays")
    seed: int = config_field(0, "of everything random")

    def rate_in(self, number: int) -> float:
        """Return the learning rate of a round."""
        factor = self.late_rate if self.late(number) else 1.0
        since, length = self.settle_from, self.settle_rounds
        if self.built(number):
            factor, since, length = (
                self.built_rate,
                self.built_settle_from,
                self.built_settle_rounds,
            )
        if number >= since:
            factor *= float(0.25 ** (1 + (number - since) // length))
        return factor * self.learning_rate / (1.0 + number / self.rate_rounds)

    def late(self, number: int) -> bool:
        """Tell whether a round belongs to the late stage."""
        return number >= self.late_from

    def built(self, number: int) -> bool:
        """Tell whether games that begin in a round have set-ups of all kinds."""
        return number >= self.built_from

    def passes_in(self, number: int) -> int:
        """Return how often the learner goes over the moves of a round."""
        return self.late_passes if self.late(number) else 1

    def trace_in(self, number: int) -> float:
        """Return how much later values count in an advantage of a round."""
        return self.late_trace if self.late(number) else self.trace

    def entropy_in(self, number: int) -> float:
        """Return the weight of varied play in a round."""
        return max(self.least_entropy, self.entropy * float(0.5 ** (number / self.entropy_rounds)))

    def material_in(self, number: int) -> float:
        """Return the reward for an army's worth in a round."""
        return self.material * float(0.5 ** (number / self.material_rounds))


CHAMPION = ChampionConfig()
TINY = ChampionConfig(
    rounds=4,
    rows=16,
    steps=8,
    channels=8,
    blocks=1,
    chunk=64,
    rival_from=1,
    late_from=2,
    built_from=3,
)


def check_config(config: ChampionConfig) -> None:
    """Refuse what makes no sense."""
    counts = ("rounds", "channels", "blocks", "chunk", "late_passes", "past_every", "past_kept")
    lengths = ("rate_rounds", "settle_rounds", "entropy_rounds", "material_rounds")
    more = ("built_settle_rounds",)
    least = dict.fromkeys(counts + lengths + more, 1) | {"rows": 2, "steps": 3}
    for name, lowest in least.items():
        if getattr(config, name) < lowest:
            shown = name.replace("_", "-")
            raise SandtableError(f"{shown} is at least {lowest}, got {getattr(config, name)}")
    shares = ("past_share", "rival_share", "searcher_share")
    for name in ("horizon", "trace", "late_trace", "average", *shares, "built_searcher_share"):
        if not 0.0 <= getattr(config, name) <= 1.0:
            shown = name.replace("_", "-")
            raise SandtableError(f"{shown} is from 0 to 1, got {getattr(config, name)}")
    if sum(getattr(config, name) for name in shares) > 1.0:
        told = ", ".join(name.replace("_", "-") for name in shares)
        raise SandtableError(f"{told} are together at most 1")
    if config.built_searcher_share > config.searcher_share:
        raise SandtableError(
            f"built-searcher-share is at most searcher-share, which is {config.searcher_share}; "
            f"got {config.built_searcher_share}"
        )
