"""The three ways in which OpenSpiel can be told what dice do.

``streams`` (unless told otherwise) lets chance pick one of a few streams of dice, another set at
every depth: a sample of what the dice can do, fixed once for all. ``exact`` lists all results with
their probabilities, for games that are small enough to be solved. ``sampled`` throws dice when the
time comes, with one outcome for OpenSpiel to see, so that every game is another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sandtable.dice import Dice
from sandtable.errors import IllegalAction, SandtableError, suggestion
from sandtable.throws import MOST_THROWS, Result, results_of_action, results_of_start
from sandtable.types import Game, State

__all__ = ["DEFAULT_STREAMS", "Chance"]

DEFAULT_STREAMS = 256
ENDLESS_STREAMS = 2**31  # of which chance=sampled draws
WAYS = ("streams", "exact", "sampled")
PURPOSE = "chance node"


@dataclass(frozen=True)
class Chance:
    """How dice are thrown in a game of OpenSpiel."""

    way: str = "streams"
    streams: int = DEFAULT_STREAMS
    dice: Dice = field(default_factory=Dice.fresh, compare=False)  # for sampled chance

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise SandtableError(
                f"chance is {', '.join(WAYS[:-1])} or {WAYS[-1]}, got '{self.way}'."
                + suggestion(self.way, WAYS)
            )
        if self.streams < 1:
            raise SandtableError(f"streams is 1 or more, got {self.streams}")

    @property
    def sampled(self) -> bool:
        """Whether the state throws the dice, and not whoever walks through the game."""
        return self.way == "sampled"

    @property
    def most_outcomes(self) -> int:
        """How many outcomes a chance node has at most."""
        return {"streams": self.streams, "exact": MOST_THROWS, "sampled": 1}[self.way]

    def draw(self) -> int:
        """Draw the number of a stream of dice for sampled chance."""
        return self.dice.below(ENDLESS_STREAMS)

    def results(self, game: Game, before: State | None, action: int) -> list[Result] | None:
        """List what dice can do in an action (of the start: with no state before), if exact."""
        if self.way != "exact":
            return None
        return results_of_start(game) if before is None else results_of_action(before, action)

    def thrown(
        self,
        game: Game,
        before: State | None,
        action: int,
        outcome: int,
        depth: int,
        results: list[Result] | None,
    ) -> State:
        """Return the state after an action whose dice fall as this outcome says."""
        most = ENDLESS_STREAMS if self.sampled else len(results or range(self.streams))
        if not 0 <= outcome < most:
            raise IllegalAction(f"chance picks a number below {most}, got {outcome}")
        if results is not None:
            return results[outcome][0]
        # The set of streams is another one at every depth, so that no throw is ever repeated.
        dice = Dice(outcome, PURPOSE, depth)
        return game.start(dice) if before is None else before.play(action, dice)
