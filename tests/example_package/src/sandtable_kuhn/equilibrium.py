"""An agent whose way of acting is a kernel, so that whole matches run without Python."""

import numpy as np

from sandtable import CompiledPolicy, Scripted, kernel, uniform
from sandtable_kuhn.rules import BET, CARDS, HISTORY, JACK, KING, PASS, QUEEN, played

BOLDNESS = 0  # of the constants: how often to bluff as the first player


@kernel
def act(view, dice, memory, constants, actions):
    """Write the next action and return how many were written (one)."""
    bold = constants[BOLDNESS]
    count = played(view)
    seat = count % 2
    card = view[CARDS + seat]
    against_a_bet = count > 0 and view[HISTORY + count - 1] == 1 + BET
    chance = 0.0  # of betting, or of calling a bet
    if card == KING:
        chance = 1.0 if count > 0 else 3 * bold
    elif card == QUEEN and against_a_bet:
        chance = 1 / 3 if seat == 1 else bold + 1 / 3
    elif card == JACK and not against_a_bet:
        chance = 1 / 3 if seat == 1 else bold
    actions[0] = BET if uniform(dice) < chance else PASS
    return 1


class Equilibrium(Scripted):
    """Kuhn poker; loses to nobody in the long run, a coin in 18 games apart as the first player."""

    def __init__(self, boldness: float = 0.2) -> None:
        if not 0 <= boldness <= 1 / 3:
            raise ValueError(f"boldness is from 0 to 1/3, got {boldness}")
        self.boldness = boldness

    def policy(self, game):
        """Return the kernel with the numbers it plays by."""
        return CompiledPolicy(act, constants=np.array([self.boldness]))
