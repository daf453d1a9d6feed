"""An agent in plain Python: it looks at its view and names an action."""

from sandtable import Agent
from sandtable_kuhn.rules import BET, CARDS, KING, PASS


class Cautious(Agent):
    """Kuhn poker; bets with the king and with nothing else."""

    def begin(self, game, seat, dice):
        """Remember which card is its own; called before every game."""
        self.seat = seat

    def choose(self, view, dice):
        """Return an action, or a list of those of a whole turn."""
        return BET if view.position[CARDS + self.seat] == KING else PASS
