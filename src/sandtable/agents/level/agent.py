"""The agent ``level``: plays any game at one of its levels, from beginner to champion."""

from __future__ import annotations

from collections.abc import Sequence

from sandtable.agent import Agent, CompiledPolicy
from sandtable.agents.level.ladder import EASY, Level, level_of
from sandtable.dice import Dice
from sandtable.registry import make_agent
from sandtable.specs import Spec
from sandtable.types import Game, Outcome, State

__all__ = ["LevelAgent"]


class LevelAgent(Agent):
    """Any game; plays at one of its levels: beginner, easy, medium, hard, expert, champion."""

    def __init__(self, name: str = EASY) -> None:
        """Play at the level of this ``name``, or of this number, 1 being the weakest."""
        self.name = name
        self.level: Level | None = None
        self.player: Agent | None = None
        self.seated: tuple[str, str] | None = None  # game and seat that the player is for

    @staticmethod
    def check_spec(game: Game, spec: Spec) -> None:
        """Raise UnknownName for a level that the game does not have."""
        level_of(game, spec.argument or spec.options.get("name", EASY))

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Find out who plays at this level in this seat, and let it begin."""
        self.sit_down(game, seat).begin(game, seat, dice)

    def sit_down(self, game: Game, seat: int) -> Agent:
        """Return the agent that plays; it is made once for a seat."""
        if self.player is None or self.seated != (game.spec, game.seats[seat]):
            self.close()
            self.level = level_of(game, self.name)
            self.player = make_agent(self.level.agent(game.seats[seat]))
            self.player.check()
            self.seated = (game.spec, game.seats[seat])
        return self.player

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Let the agent of this level choose; now and then the dice do instead."""
        player = self.player
        if player is None or self.seated != (view.game.spec, view.game.seats[view.turn]):
            player = self.sit_down(view.game, view.turn)
            player.begin(view.game, view.turn, dice)
        assert self.level is not None
        if self.level.slips and dice.uniform() < self.level.slips:
            return view.legal[dice.below(len(view.legal))]
        return player.choose(view, dice)

    def hurry(self) -> None:
        """Pass it on."""
        if self.player is not None:
            self.player.hurry()

    def watch(self, view: State, action: int | None) -> None:
        """Let it look."""
        if self.player is not None:
            self.player.watch(view, action)

    def finish(self, outcome: Outcome | None) -> None:
        """Let it hear how the game ended."""
        if self.player is not None:
            self.player.finish(outcome)

    def close(self) -> None:
        """Let go of the agent."""
        if self.player is not None:
            self.player.close()
        self.player = self.seated = None

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the kernel of the agent, where it never slips and is the same in every seat."""
        level = level_of(game, self.name)
        agents = {level.agent(seat) for seat in game.seats}
        return (
            make_agent(agents.pop()).policy(game) if not level.slips and len(agents) == 1 else None
        )
