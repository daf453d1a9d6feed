"""The champion of Gravwell: what a position is worth, learned, and a look at the turn to come.

See docs/games/gravwell/champion.md for the idea and what each part of it is worth.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Analysis, Candidate, CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.errors import suggestion
from sandtable.games.gravwell.agents.card_sets import drawn, field_of, refuse_other_games
from sandtable.games.gravwell.agents.champion.features import describe_fully, moment_of_turn
from sandtable.games.gravwell.agents.champion.mixing import think_mixed
from sandtable.games.gravwell.agents.champion.network import (
    BUNDLED,
    load_weights,
    sum_up,
    value_of,
    weights_named,
)
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.games.gravwell.agents.champion.turns import SECOND_ROW, VALUE_ROW, new_search
from sandtable.games.gravwell.layout import (
    DRAFTING,
    GO,
    MOVER,
    PHASE,
    PLAYING,
    STOPPING,
    TAKE,
    TURN,
    as_int64,
)
from sandtable.games.gravwell.rules.drafting import stacks_taken
from sandtable.types import Game, Position, State

__all__ = ["Champion"]

WITHOUT_DRAFT, WITHOUT_STOP = 1, 2
PARTS = {"draft": WITHOUT_DRAFT, "stop": WITHOUT_STOP}  # that can be left out
MILLION = 1_000_000


class Options(NamedTuple):
    """The options of the agent, as its kernel takes them."""

    samples: int
    randomness: float
    without: int  # the bits of the parts that are left out
    mixed: bool  # draws its cards from a mixed strategy
    parameters: NDArray[np.float32]  # of the network


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: Options,
    actions: NDArray[np.int16],
) -> int:
    """Write the action that seems most likely to win."""
    without, phase = constants.without, view[PHASE]
    if phase == STOPPING and without & WITHOUT_STOP:
        actions[0] = GO
    elif phase == DRAFTING and without & WITHOUT_DRAFT:
        actions[0] = TAKE + drawn(field_of(view), dice)
    elif phase == PLAYING and constants.mixed:
        actions[0] = think_mixed(
            new_search(),
            constants.parameters,
            view,
            as_int64(view[MOVER]),
            constants.samples,
            constants.randomness,
            dice,
        )
    else:
        actions[0] = think(
            new_search(),
            constants.parameters,
            view,
            view,
            as_int64(view[MOVER]),
            constants.samples,
            constants.randomness,
            dice,
        )
    return 1


def parts_of(names: str) -> int:
    """Return the bits of the parts that are named; a ValueError tells an unknown one.

    >>> parts_of("draft+stop")
    3
    """
    parts = 0
    for name in filter(None, names.split("+")):
        if name not in PARTS:
            raise ValueError(
                f"without is one or more (a+b) of {', '.join(PARTS)}, got '{name}'."
                + suggestion(name, PARTS)
            )
        parts |= PARTS[name]
    return parts


class Champion(Scripted):
    """Learned values and habits, and a look over many deals at the turn to come."""

    meanings: ClassVar[Mapping[str, str]] = {
        "samples": "guesses of what others hold and play in a turn",
        "randomness": "how often another seat is taken to play at random in a guess",
        "weights": "a file, or first: those of the first champion; empty: the newest",
        "mixed": "yes: draw cards from a mixed strategy, by regret matching over dealt hands",
        "without": "parts that are off, for comparisons: draft, stop",
    }

    values_waiting = True
    adviser_rank = 2

    def __init__(
        self,
        samples: int = 200,
        randomness: float = 0.3,
        weights: str = "",
        without: str = "",
        mixed: bool = False,
    ) -> None:
        """Look at so many ``samples`` of what others may hold and play in a turn.

        ``randomness`` is how often one of the others is taken to play at random in a sample, not
        by habit; ``weights`` another file; ``without`` leaves parts out, for comparisons: with
        draft it takes any stack, with stop it never stops.
        """
        if not 1 <= samples <= MILLION:
            raise ValueError(f"samples is 1 to {MILLION}, got {samples}")
        if not 0 <= randomness <= 1:
            raise ValueError(f"randomness lies between 0 and 1, got {randomness}")
        self.samples, self.randomness, self.without = samples, float(randomness), parts_of(without)
        self.mixed = mixed
        self.path = weights_named(weights) if weights else BUNDLED
        self.parameters = load_weights(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games."""
        refuse_other_games("gravwell/champion", game)

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the search as a kernel."""
        self.suits(game)
        options = Options(self.samples, self.randomness, self.without, self.mixed, self.parameters)
        return CompiledPolicy(act, constants=options)

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Return the chances after each action, by its look at the turn to come."""
        position, search, legal = np.array(view.position), new_search(), view.legal
        if len(legal) == 1:
            value = self.network_value(position, view.turn)
            return Analysis(self.scale, value, (Candidate((int(legal[0]),), value),))
        samples, randomness = self.samples, self.randomness
        seat = view.turn
        think(search, self.parameters, position, position, seat, samples, randomness, dice.array)
        candidates = [Candidate((int(action),), float(search.worth[action])) for action in legal]
        candidates.sort(key=lambda candidate: -(candidate.value or 0.0))
        return Analysis(self.scale, candidates[0].value, tuple(candidates))

    def value_of(self, view: State, dice: Dice) -> float:
        """Return the chance by the network alone, also for those who wait."""
        seat = view.turn if view.seat is None else view.seat
        return self.network_value(np.array(view.position), seat)

    def network_value(self, position: Position, seat: int) -> float:
        """Return how likely a seat wins by what the network sees in its view."""
        search = new_search()
        drafting = position[PHASE] == DRAFTING
        taken = 1 + int(stacks_taken(position, seat))
        moment = taken if drafting else int(moment_of_turn(position[TURN]))
        count = describe_fully(position, seat, moment, search.active)
        sums = search.sums
        sum_up(self.parameters, search.active, count, sums, VALUE_ROW)
        return float(value_of(self.parameters, sums, VALUE_ROW, SECOND_ROW))
