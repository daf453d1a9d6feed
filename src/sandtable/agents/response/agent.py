"""The agent that answers one fixed opponent by searching games against that very opponent.

See docs/methods/exploit.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from sandtable.agent import CompiledPolicy
from sandtable.agents.alphabeta.hints import evaluation_named, hints_for
from sandtable.agents.response.opponents import opponent_policy
from sandtable.agents.response.search import OtherPlayers, response_search_of
from sandtable.agents.treesearch.agent import InformationSetTreeSearch
from sandtable.agents.treesearch.search import SearchOptions, TreeSearch
from sandtable.errors import SandtableError
from sandtable.registry import make_agent
from sandtable.types import Game

__all__ = ["Response"]


class Response(InformationSetTreeSearch):
    """Any game; a tree search in which all other seats play as one named agent does."""

    meanings: ClassVar[Mapping[str, str]] = {
        "against": "the agent that the others are taken to be (needed)",
        "base": "how its own seat plays on beyond the tree",
        "simulations": "games tried for a move",
        "exploration": "how much is tried that looks worse so far",
        "longest": "actions of a playout at most; 0: to the end of the game",
        "evaluation": "which of the game's evaluations values a playout that stops early",
        "bonus": "the most such a playout is worth, as a share of a win",
    }

    def __init__(
        self,
        against: str = "",
        base: str = "random",
        simulations: int = 200,
        exploration: float = 0.7,
        longest: int = 0,
        evaluation: str | None = None,
        bonus: float = 0.5,
    ) -> None:
        """Search with so many ``simulations`` a move, all other seats being ``against``.

        Beyond the tree its own seat plays like ``base``. A playout has at most ``longest`` actions
        (0: to the end of the game); one that stops earlier is worth its ``evaluation``, and never
        more than ``bonus`` of a win. ``exploration`` is how much is tried that looks worse.
        """
        if not against:
            raise SandtableError("'response' needs an opponent: response:against=AGENT")
        super().__init__(
            simulations,
            exploration=exploration,
            longest=longest,
            evaluation=evaluation,
            bonus=bonus,
        )
        self.other, self.base = make_agent(against), make_agent(base)
        self.ways: dict[str, tuple[CompiledPolicy, CompiledPolicy]] = {}  # by game

    def weight_files(self) -> Sequence[Path]:
        """Return the files that its parts play with."""
        return (*self.other.weight_files(), *self.base.weight_files())

    def check(self) -> None:
        """Find out whether both agents can be used."""
        self.other.check()
        self.base.check()

    def close(self) -> None:
        """Let both agents go."""
        self.other.close()
        self.base.close()

    def acting(self, game: Game) -> tuple[CompiledPolicy, CompiledPolicy]:
        """Return how the others and the base act inside kernels."""
        if game.spec not in self.ways:
            self.ways[game.spec] = (
                opponent_policy(self.other, game),
                opponent_policy(self.base, game),
            )
        return self.ways[game.spec]

    def options(self, game: Game) -> SearchOptions:
        """Return the options as kernels take them, and those of the other players."""
        other, base = self.acting(game)
        players = OtherPlayers(
            other.constants,
            np.array(other.memory, dtype=np.int64),
            base.constants,
            np.array(base.memory, dtype=np.int64),
        )
        return super().options(game)._replace(others=players)

    def search(self, game: Game) -> TreeSearch:
        """Return the kernels for a game."""
        evaluation = evaluation_named(game, self.evaluation)
        return response_search_of(game, hints_for(game), evaluation, *self.acting(game))

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the search as a kernel, if both agents act in kernels themselves."""
        if self.other.policy(game) is None or self.base.policy(game) is None:
            return None
        return super().policy(game)
