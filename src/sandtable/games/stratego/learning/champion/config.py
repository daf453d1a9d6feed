"""How Stratego's champion is trained: the configuration, and the stages of its run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sandtable.errors import SandtableError
from sandtable.learning.config import RunConfig, Stage, check_config, config_field, in_round

__all__ = ["CHAMPION", "SCHOOLED", "TINY", "TUNED", "ChampionConfig"]

CHANGEABLE = {
    "passes",
    "rate_factor",
    "rival_share",
    "searcher_share",
    "school_share",
    "stranger_share",
    "trace",
    "varied_setups",
}  # by stages


@dataclass(frozen=True)
class ChampionConfig(RunConfig):
    """One run. Nothing depends on how many rounds there are, so a run can be made longer."""

    rounds: int = config_field(3498, "rounds of playing and learning", least=1, extendable=True)
    rows: int = config_field(4096, "games played side by side", least=2)
    steps: int = config_field(32, "moves played in each of them in a round", least=3)
    long_scouts: bool = config_field(True, "whether scouts move any distance")
    varied_setups: bool = config_field(False, "whether set-ups are of all kinds, many built")
    people_setups: bool = config_field(
        False, "whether varied set-ups are mostly as people make them, some of them traps"
    )
    loose_rules: bool = config_field(
        False, "whether a quarter of the games has no rules against repetition"
    )
    other_variants: bool = config_field(
        False, "whether an eighth of the games are barrage and duel"
    )
    history: bool = config_field(
        False, "whether the network sees what has happened in a game, in most games"
    )
    begin_with: str = config_field("", "weights that the run begins with; empty: random ones")
    anchor: float = config_field(0.0, "weight of staying near the network it began with", least=0)
    anchor_every: int = config_field(
        0, "rounds after which it stays near the average of now instead; 0: never", least=0
    )
    channels: int = config_field(64, "of the network", least=1)
    blocks: int = config_field(6, "of the network", least=1)
    chunk: int = config_field(8192, "positions in a gradient step", least=1)
    learned_share: float = config_field(
        1.0,
        "of the moves, those with the largest advantages, that are learned from",
        above=0,
        most=1,
    )
    sixteen_bits: bool = config_field(False, "whether a processor computes with 16 bits too")
    passes: int = config_field(1, "how often it goes over the moves of a round", least=1)
    learning_rate: float = config_field(5e-4, "of Adam at first", above=0)
    rate_rounds: int = config_field(
        600, "after so many rounds the rate is a half, then a third", least=1
    )
    rate_factor: float = config_field(1.0, "by which that rate is multiplied", above=0)
    clip: float = config_field(0.2, "how far the chance of a move may go in a round", least=0)
    horizon: float = config_field(0.997, "what a result is worth a move earlier", least=0, most=1)
    trace: float = config_field(
        0.9, "how much later values count in an advantage (lambda)", least=0, most=1
    )
    entropy: float = config_field(0.02, "reward of varied play at first", least=0)
    least_entropy: float = config_field(0.003, "and at last", least=0)
    entropy_rounds: int = config_field(300, "rounds in which it halves", least=1)
    belief: float = config_field(0.3, "weight of telling hidden ranks in the loss", least=0)
    material: float = config_field(0.5, "reward at first for all of an army's worth", least=0)
    material_rounds: int = config_field(300, "rounds in which it halves", least=1)
    draw: float = config_field(-0.3, "what a draw is worth to either side")
    past_share: float = config_field(
        0.2, "share of the games against older selves", least=0, most=1
    )
    past_every: int = config_field(100, "rounds between the older selves that are kept", least=1)
    past_kept: int = config_field(6, "how many of them are kept", least=1)
    rival: str = config_field("policy", "weights of stratego/policy, which plays some games")
    rival_share: float = config_field(0.0, "share of the games against it", least=0, most=1)
    searcher: str = config_field("value", "weights of stratego/value, which plays some games too")
    searcher_share: float = config_field(0.0, "share of the games against it", least=0, most=1)
    school_share: float = config_field(
        0.0, "share of the games against the scripted players, each as often", least=0, most=1
    )
    stranger_share: float = config_field(
        0.0, "share of the games against mixtures of the scripted players", least=0, most=1
    )
    average: float = config_field(
        0.99, "what stays in a round of the averaged network, that plays", least=0, most=1
    )
    seed: int = config_field(0, "of everything random", least=0)
    stages: tuple[Stage, ...] = config_field((), "what changes in the course of the run")

    def check(self) -> None:
        """Refuse more opponents than games, now and in every stage, and stages of other kinds."""
        scripted = self.school_share + self.stranger_share
        if self.past_share + self.rival_share + self.searcher_share + scripted > 1.0:
            raise SandtableError(
                "--past-share, --rival-share, --searcher-share, --school-share and "
                "--stranger-share are together at most 1"
            )
        if self.anchor > 0.0 and not self.begin_with:
            raise SandtableError("--anchor needs the network to stay near: give --begin-with too")
        for stage in self.stages:
            if fixed := sorted(set(stage.changes) - CHANGEABLE):
                raise SandtableError(f"no stage can change {', '.join(fixed)}")
            check_config(self.in_round(stage.first_round))

    def in_round(self, number: int) -> ChampionConfig:
        """Return what holds in a round, without stages."""
        return replace(in_round(self, self.stages, number), stages=())

    def rate_in(self, number: int) -> float:
        """Return the learning rate of a round."""
        now = self.in_round(number)
        return now.rate_factor * now.learning_rate / (1.0 + number / now.rate_rounds)

    def entropy_in(self, number: int) -> float:
        """Return the weight of varied play in a round."""
        return max(self.least_entropy, self.entropy * float(0.5 ** (number / self.entropy_rounds)))

    def material_in(self, number: int) -> float:
        """Return the reward for an army's worth in a round."""
        return self.material * float(0.5 ** (number / self.material_rounds))


RIVAL = {"rival_share": 0.25}
SEARCHER = {"rate_factor": 3.0, "passes": 2, "trace": 0.95, "searcher_share": 0.5}
BUILT = {"rate_factor": 2.0, "varied_setups": True, "searcher_share": 0.25}

CHAMPION = ChampionConfig(
    stages=(
        Stage(1219, "a rival from another school joins", RIVAL),
        Stage(2420, "so does a searcher; learning is faster and looks further", SEARCHER),
        Stage(2494, "the rate settles: a quarter", {"rate_factor": 0.75}),
        Stage(2695, "and a sixteenth", {"rate_factor": 0.1875}),
        Stage(2794, "set-ups of all kinds; learning is faster again", BUILT),
        Stage(3251, "the rate settles once more: a quarter", {"rate_factor": 0.5}),
        Stage(3401, "and a sixteenth", {"rate_factor": 0.125}),
    )
)
# What two hours of one core can do for a network that has been trained: games against scripted
# players of other schools and set-ups as people make them, never far from where it began.
TUNED = ChampionConfig(
    rounds=400,
    rows=320,
    steps=48,
    varied_setups=True,
    people_setups=True,
    begin_with="champion-built",
    anchor=0.1,
    chunk=512,
    learned_share=0.5,
    sixteen_bits=True,
    learning_rate=1.5e-4,
    rate_rounds=200,
    trace=0.95,
    entropy=0.003,
    material=0.0,
    past_share=0.15,
    past_every=10_000,
    rival_share=0.1,
    school_share=0.5,
    average=0.95,
)
# The same with a large card: a larger network, thousands of games, half of them against others, and
# half of these against scripted players that are never twice the same.
SCHOOLED = ChampionConfig(
    rounds=800,
    varied_setups=True,
    people_setups=True,
    loose_rules=True,
    other_variants=True,
    history=True,
    begin_with="champion-built",
    anchor=0.03,
    anchor_every=50,
    channels=96,
    blocks=8,
    chunk=4096,
    learned_share=0.5,
    passes=2,
    learning_rate=2.5e-4,
    rate_rounds=10_000,
    trace=0.95,
    entropy=0.004,
    entropy_rounds=400,
    least_entropy=0.002,
    material=0.0,
    past_share=0.1,
    past_every=50,
    rival_share=0.06,
    searcher_share=0.04,
    school_share=0.2,
    stranger_share=0.2,
    stages=(
        Stage(500, "the rate settles: a third", {"rate_factor": 0.33}),
        Stage(680, "and a tenth", {"rate_factor": 0.1}),
    ),
)
TINY = ChampionConfig(
    rounds=4,
    rows=16,
    steps=8,
    channels=8,
    blocks=1,
    chunk=64,
    stages=(
        Stage(1, "the rival", RIVAL),
        Stage(2, "the searcher", SEARCHER),
        Stage(3, "set-ups of all kinds", BUILT | {"school_share": 0.2, "stranger_share": 0.1}),
    ),
)
