"""OpenSpiel's bots as agents: ``openspiel`` in our games and in its own, and any bot in Python.

A bot wants a whole state. In games that hide something it gets one drawn from those that its view
allows, never the true one, so it cannot know more than any other agent. ``openspiel`` makes a new
bot for every decision, from its dice: the same view and dice give the same action.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sandtable.adapters.openspiel.chance import DEFAULT_STREAMS
from sandtable.adapters.openspiel.native import spiel
from sandtable.agent import Agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, UnknownName, suggestion
from sandtable.types import Game, State

if TYPE_CHECKING:
    from sandtable.adapters.openspiel.our_games import SandtableGame

__all__ = ["BotAgent", "OpenSpielBot", "random_bot", "tree_search_bot"]

OWN = ("mcts", "random")  # bots we make ourselves, besides those that OpenSpiel has registered
FAMILY = "openspiel."  # how the names of OpenSpiel's own games begin
SEEDS = 2**31

MakeBot = Callable[["SandtableGame", int, int], Any]  # (game, seat, seed) -> a pyspiel.Bot


class OpenSpielBot(Agent):
    """Any game; a bot of OpenSpiel: mcts, random, or one of its registered ones."""

    meanings: ClassVar[Mapping[str, str]] = {
        "bot": "mcts, random, or a registered bot of OpenSpiel",
        "simulations": "games that mcts tries for a move",
        "exploration": "how much mcts tries that looks worse so far",
    }

    def __init__(self, bot: str = "mcts", simulations: int = 100, exploration: float = 2.0) -> None:
        if simulations < 1:
            raise ValueError(f"simulations is 1 or more, got {simulations}")
        self.bot, self.simulations, self.exploration = bot, simulations, exploration
        self.game: Game | None = None
        self.ours: Any = None  # the game as OpenSpiel knows it, if it is one of ours
        self.seat = 0

    def check(self) -> None:
        """Say what is missing, or that there is no such bot."""
        pyspiel = spiel("the agent 'openspiel'")
        known = [*OWN, *pyspiel.registered_bots()]
        if self.bot not in known:
            raise UnknownName(
                f"OpenSpiel has no bot '{self.bot}' (it has: {', '.join(known)})."
                + suggestion(self.bot, known)
            )

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Look at the game."""
        self.check()
        if game is not self.game and not game.name.startswith(FAMILY):
            from sandtable.adapters.openspiel.our_games import openspiel_game

            self.ours = openspiel_game(game)
        self.game, self.seat = game, seat

    def choose(self, view: State, dice: Dice) -> int:
        """Ask a bot what it would play in a position that the view allows."""
        if self.game is None:
            self.begin(view.game, view.turn, dice)
        state = self.openspiel_state(view.guess(dice))
        chosen = int(self.made(state.get_game(), dice.below(SEEDS)).step(state))
        return view.game.board_action(view.turn, chosen)

    def openspiel_state(self, state: State) -> Any:
        """Return a whole position as a state of OpenSpiel, of its own game or of ours."""
        if not state.game.name.startswith(FAMILY):
            return self.ours.state_at(state)
        from sandtable.adapters.openspiel.rules import state_of

        return state_of(state.position).clone()

    def made(self, game: Any, seed: int) -> Any:
        """Make a bot."""
        if self.bot == "mcts":
            return tree_search_bot(self.simulations, self.exploration)(game, self.seat, seed)
        if self.bot == "random":
            return random_bot(game, self.seat, seed)
        pyspiel = spiel("the agent 'openspiel'")
        try:
            return pyspiel.load_bot(self.bot, game, self.seat)
        except pyspiel.SpielError as problem:
            what = " ".join(str(problem).split())
            raise SandtableError(f"OpenSpiel's bot '{self.bot}' cannot play: {what}") from None


class BotAgent:
    """Plays what an OpenSpiel bot chooses."""

    def __init__(self, make_bot: MakeBot, streams: int = DEFAULT_STREAMS) -> None:
        self.make_bot, self.streams = make_bot, streams
        self.game: SandtableGame | None = None
        self.bot: Any = None

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Make a new bot for a new game, with its own seed."""
        from sandtable.adapters.openspiel.our_games import openspiel_game

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
