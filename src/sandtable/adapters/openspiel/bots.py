"""OpenSpiel's bots as agents: they play any of our games, wherever an agent can play.

A bot wants a whole state. In games that hide something it gets one drawn from those that its view
allows, never the true one, so it cannot know more than any other agent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sandtable.adapters.chance import DEFAULT_STREAMS
from sandtable.adapters.openspiel.game import SandtableGame, openspiel_game
from sandtable.dice import Dice
from sandtable.types import Game, State

__all__ = ["BotAgent", "random_bot", "tree_search_bot"]

MakeBot = Callable[[SandtableGame, int, int], Any]  # (game, seat, seed) -> a pyspiel.Bot
SEEDS = 2**31


class BotAgent:
    """Plays what an OpenSpiel bot chooses."""

    def __init__(self, make_bot: MakeBot, streams: int = DEFAULT_STREAMS) -> None:
        self.make_bot, self.streams = make_bot, streams
        self.game: SandtableGame | None = None
        self.bot: Any = None

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Make a new bot for a new game, with its own seed."""
        self.game = openspiel_game(game, self.streams)
        self.bot = self.make_bot(self.game, seat, dice.below(SEEDS))

    def choose(self, view: State, dice: Dice) -> int:
        """Ask the bot what it would play in a position that the view allows."""
        if self.game is None:
            self.begin(view.game, view.turn, dice)
        assert self.game is not None
        chosen = int(self.bot.step(self.game.state_at(view.guess(dice))))
        return view.game.board_action(view.turn, chosen)


def random_bot(game: SandtableGame, seat: int, seed: int) -> Any:
    """Return OpenSpiel's bot that plays anything legal."""
    from open_spiel.python.bots.uniform_random import UniformRandomBot

    return UniformRandomBot(seat, np.random.RandomState(seed))


def tree_search_bot(simulations: int = 100, exploration: float = 2.0) -> MakeBot:
    """Return a maker of OpenSpiel's Monte Carlo tree search, with one random playout a leaf."""
    from open_spiel.python.algorithms import mcts

    def make(game: SandtableGame, seat: int, seed: int) -> Any:
        generator = np.random.RandomState(seed)
        return mcts.MCTSBot(
            game,
            exploration * game.max_utility(),
            simulations,
            mcts.RandomRolloutEvaluator(1, generator),
            random_state=generator,
        )

    return make
