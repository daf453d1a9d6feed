"""How the games of Lucid's learner are played: what can be chosen, and who plays against it.

Its opponent is itself, AxesRed, a fixed network, or a Blue out of a pool. A Red that has only met
itself knows nothing of simpler Blues, which then beat it. So it can be made to meet others in some
of its games: the scripts, a fixed network, and networks it had before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel
from sandtable.dice import below, uniform
from sandtable.errors import SandtableError
from sandtable.games.lucid.agents import scripted
from sandtable.games.lucid.agents.champion.lookahead import (
    AXES_RED_ANSWERS,
    BEST_ANSWERS,
    MODEL_OF_BLUE,
    MODEL_OF_RED,
)
from sandtable.games.lucid.rules import DiceState, move_units
from sandtable.learning.config import RunConfig, config_field

# Who plays a side in a game: one of these, or a number of 0 or more, that of a fixed network.
ITSELF, AXES_RED, SIMPLE_BLUE, ONE_AXIS_BLUE = -1, -2, -3, -4
RIVAL = 0  # the number of the rival; older selves follow
OPPONENT_ITSELF, OPPONENT_AXES_RED = "itself", "axes-red"  # as a person names them

SCRATCH = scripted.AXES_RED_MEMORY  # the longest memory of a script
MOST_ACTIONS = 64  # of a turn, with room to spare


@dataclass(frozen=True)
class TdConfig(RunConfig):
    """What can be chosen about a run."""

    seed: int = config_field(0, "everything follows from it", least=0)
    games: int = config_field(200_000, "games in all; the learning rate falls over them", least=1)
    generation: int = config_field(1000, "games before the network is fitted again", least=1)
    learner: str = config_field("both", "the side that learns", choices=("both", "blue", "red"))
    opponent: str = config_field(
        OPPONENT_ITSELF, "itself, axes-red, or weights (a bundled name or a file)"
    )
    weights: str = config_field("", "weights to begin with; none: small random ones")
    scripted: float = config_field(
        0.0, "share of games against SimpleBlue and OneAxisBlue", least=0, most=1
    )
    rival: str = config_field("", "weights that play Blue in some games")
    rival_share: float = config_field(0.0, "share of games against the rival", least=0, most=1)
    older: float = config_field(
        0.0, "share of games in which an older self plays Blue", least=0, most=1
    )
    anybody: float = config_field(
        0.0,
        "share of games of one side alone against scripts and known networks",
        least=0,
        most=1,
    )
    best_answers: bool = config_field(
        False, "learn what best answers make of a position, whoever plays"
    )
    opponent_looks: bool = config_field(False, "the fixed network looks ahead too")
    knows_opponent: bool = config_field(
        False, "look ahead with the fixed network's answers instead of the best ones"
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
        if self.learner != "blue" and self.opponent == OPPONENT_AXES_RED:
            raise SandtableError("against axes-red only Blue can learn; add --learner blue")
        if self.learner == "both" and self.opponent != OPPONENT_ITSELF:
            raise SandtableError(
                "a learner of both sides plays itself; choose --learner blue or red"
            )
        if self.learner != "both" and self.opponent == OPPONENT_ITSELF:
            raise SandtableError(f"say who plays against {self.learner}: --opponent WEIGHTS")
        pooled = self.scripted + self.rival_share + self.older
        if pooled > 1 or (pooled > 0 and self.learner != "both"):
            raise SandtableError(
                "--scripted, --rival-share and --older add up to at most 1; for a learner of both "
                "sides"
            )
        if self.knows_opponent and (self.learner == "both" or self.opponent == OPPONENT_AXES_RED):
            raise SandtableError("--knows-opponent needs a fixed network as --opponent")
        if (self.rival_share > 0) != bool(self.rival):
            raise SandtableError("a rival needs weights and a share: --rival and --rival-share")


class Pool(NamedTuple):
    """In what share of its games a learner of both sides plays Red alone, and against whom."""

    scripted: float  # SimpleBlue or OneAxisBlue
    rival: float  # the fixed network
    older: float  # an older self
    anybody: float = 0.0  # in what share of its games it plays one side alone, against anybody


class Setting(NamedTuple):
    """How games are played and targets made."""

    blue: int  # who plays it, see above
    red: int
    pool: Pool  # who plays Blue instead of the learner of both sides
    tries: int  # climbs for a turn
    candidates: int  # plans looked at one turn further; 0: the evaluator alone chooses
    reply_tries: int  # climbs for each answer when looking further
    margin: float  # plans that seem worse than the best by more are left out
    exploration: float  # chance that a turn of the learner is disturbed
    scattered: float  # share of games that begin somewhere in the middle
    field_red: float  # chance of each Red unit to be off its top row in such a beginning
    trace: float  # lambda
    expects: int = BEST_ANSWERS  # how the next turn is taken to be played when looking ahead
    best_answers: bool = False  # whether turns of others are not learnt from as if they were best
    other_looks: bool = False  # whether a network that plays against the learner looks ahead too


def setting_of(config: TdConfig, generation: int) -> Setting:
    """Return how the games of a generation are played."""
    played = generation * config.generation
    falling = 1.0 - played / config.scattered_first if config.scattered_first else 0.0
    other = AXES_RED if config.opponent == OPPONENT_AXES_RED else RIVAL
    expects = AXES_RED_ANSWERS if config.opponent == OPPONENT_AXES_RED else BEST_ANSWERS
    if config.knows_opponent:
        expects = MODEL_OF_RED if config.learner == "blue" else MODEL_OF_BLUE
    return Setting(
        blue=ITSELF if config.learner in ("both", "blue") else other,
        red=ITSELF if config.learner in ("both", "red") else other,
        pool=Pool(config.scripted, config.rival_share, config.older, config.anybody),
        tries=config.tries,
        candidates=config.candidates,
        reply_tries=config.reply_tries,
        margin=config.margin,
        exploration=config.exploration,
        scattered=max(config.scattered, falling),
        field_red=config.field_red,
        trace=config.trace,
        expects=expects,
        best_answers=config.best_answers,
        other_looks=config.opponent_looks,
    )


# What is kept about a position besides its boards.
TURNS_AFTER, IN_GOAL, BLUE_LEFT, HOW = range(4)
FACTS = 4
AS_MEANT, DISTURBED, NOT_PLAYED = range(3)  # how a position came about


class Record(NamedTuple):
    """The positions of a game after moves, as they are written."""

    boards: NDArray[np.int32]  # [position, board]
    facts: NDArray[np.int16]  # [position, fact]
    values: NDArray[np.float32]  # [position] what the evaluator expected of the turn
    ahead: NDArray[np.float32]  # [position] its worth by the next turn, see write_targets


@kernel
def draw_blue(pool: Pool, networks: int, dice: DiceState) -> int:
    """Draw who plays Blue in a game of a learner of both sides."""
    drawn = uniform(dice)
    if drawn < pool.scripted:
        return SIMPLE_BLUE if below(dice, 2) == 0 else ONE_AXIS_BLUE
    drawn -= pool.scripted
    if drawn < pool.rival:
        return RIVAL
    drawn -= pool.rival
    if drawn < pool.older and networks > RIVAL + 1:
        return int(RIVAL + 1 + below(dice, networks - RIVAL - 1))
    return ITSELF


@kernel
def draw_players(pool: Pool, networks: int, dice: DiceState) -> tuple[int, int]:
    """Draw who plays Blue and Red: the learner both, or one of them a script or a network."""
    if uniform(dice) >= pool.anybody:
        return ITSELF, ITSELF
    if below(dice, 2) == 0:
        drawn = int(below(dice, networks + 2))
        if drawn >= networks:
            drawn = SIMPLE_BLUE if drawn == networks else ONE_AXIS_BLUE
        return drawn, ITSELF
    drawn = int(below(dice, networks + 1))
    return ITSELF, AXES_RED if drawn == networks else drawn


@kernel
def move_as_script(
    position: NDArray[np.int16], dice: DiceState, script: int, memory: NDArray[np.int64]
) -> None:
    """Make the movelets of a script without closing the turn; its memory is zero at the start."""
    view = position.copy()
    actions = np.empty(MOST_ACTIONS, dtype=np.int16)
    constants = np.empty(0)  # no script has any
    if script == AXES_RED:
        count = scripted.act_axes_red(view, dice, memory, constants, actions)
    elif script == SIMPLE_BLUE:
        count = scripted.act_simple_blue(view, dice, memory, constants, actions)
    else:
        count = scripted.act_one_axis_blue(view, dice, memory, constants, actions)
    for index in range(count - 1):  # the last one ends the turn
        move_units(position, int(actions[index]), 1)
