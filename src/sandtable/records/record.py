"""What a record of a game holds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sandtable.types import Outcome

__all__ = ["Annotations", "Record", "experiment_name"]

Annotations: TypeAlias = Mapping[str, Any]


def experiment_name(
    game: str, version: int, seats: tuple[str, ...], seed: int, start: str | None
) -> str:
    """Return the short name shared by all games played under the same conditions.

    >>> experiment_name("lucid", 1, ("random", "random"), 0, None)
    'd0ac3c2fb0'
    """
    conditions = "\n".join([game, str(version), *seats, str(seed), start or "dice"])
    return hashlib.blake2b(conditions.encode(), digest_size=5).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Record:
    """One game: who played what under which rules and dice, and how it ended.

    The dice are not stored, only the name of their stream (seed, "game", number): a replay throws
    them again and must arrive at ``final``.

    >>> seats = ("random", "random")
    >>> record = Record(
    ...     game="lucid", version=1, seats=seats, seed=0, number=3,
    ...     actions=(), outcome=None, final="",
    ... )
    >>> record.identity
    'd0ac3c2fb0-3'
    """

    game: str  # spec string of the game with its options
    version: int  # of the rules
    seats: tuple[str, ...]  # spec strings of the agents in seat order
    seed: int
    number: int  # of the game within its experiment
    actions: tuple[int, ...]
    outcome: Outcome | None  # None: the game was broken off
    final: str  # the last position in one line
    start: str | None = None  # a position to start from; None: the game's own, by its dice
    seconds: tuple[float, ...] = ()  # thinking time of each seat; empty: not measured
    annotations: Annotations = field(default_factory=dict)

    @property
    def experiment(self) -> str:
        """The name of the experiment this game belongs to."""
        return experiment_name(self.game, self.version, self.seats, self.seed, self.start)

    @property
    def identity(self) -> str:
        """The name under which an archive keeps this game; the same game has the same name."""
        return f"{self.experiment}-{self.number}"

    def _repr_svg_(self) -> str:
        """Draw the last position, for notebooks; ``sandtable.notebook.Replay`` shows the game."""
        from sandtable.registry import make_game

        return make_game(self.game).parse(self.final)._repr_svg_()
