"""The options of Stratego that are part of a position: their names, limits and defaults."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandtable.games.stratego import layout

__all__ = ["OPTIONS", "UNKNOWN_TO_THE_PAPER", "Option"]

LARGEST_CELL = 2**15 - 1  # of a position


@dataclass(frozen=True)
class Option:
    """One option: its name, its cell in a position, and what may stand there."""

    name: str
    cell: int
    default: int
    words: tuple[str, ...] = ()  # what the numbers 0, 1, ... are called; empty: numbers it is
    low: int = 0
    high: int = LARGEST_CELL

    def word(self, value: int) -> str:
        """Return a value as text.

        >>> OPTIONS["variant"].word(1)
        'mini'
        """
        return self.words[value] if self.words else str(value)

    def parse(self, text: str) -> int:
        """Read a value.

        >>> OPTIONS["long_scouts"].parse("true"), OPTIONS["no_attack"].parse("50")
        (1, 50)

        Raises ValueError, which says what may stand there.
        """
        if self.words:
            if text not in self.words:
                raise ValueError(f"{self.name} is one of {', '.join(self.words)}, got '{text}'")
            return self.words.index(text)
        if not re.fullmatch("[0-9]{1,5}", text) or not self.low <= int(text) <= self.high:
            raise ValueError(
                f"{self.name} is a number from {self.low} to {self.high}, got '{text}'"
            )
        return int(text)


SWITCH = ("false", "true")
OPTIONS = {
    option.name: option
    for option in (
        Option("variant", layout.VARIANT, 0, layout.VARIANT_NAMES),
        Option("long_scouts", layout.LONG_SCOUTS, 1, SWITCH),
        Option("two_squares", layout.TWO_SQUARES, 3, high=1000),
        Option("more_squares", layout.MORE_SQUARES, 1, SWITCH),
        Option("no_attack", layout.NO_ATTACK, 200, high=30_000),
        Option("max_plies", layout.MOST_PLIES, 4000, low=1, high=30_000),
        Option("ends", layout.PAPER_ENDS, 0, ("tournament", "paper")),
        Option("repetition", layout.REPETITION, 0, ("tournament", "version-1")),
    )
}

# What the paper has none of, and so is off with ends=paper: rules against repetition, quiet draws.
UNKNOWN_TO_THE_PAPER = ("two_squares", "more_squares", "no_attack", "repetition")
