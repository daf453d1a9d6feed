"""Kuhn poker: the layout of a position and the kernels.

Both players put one coin into the pot and get one of three cards. In turn they pass or bet one
more coin; to pass against a bet is to fold. If nobody folds, the higher card wins the pot.
"""

from sandtable import OVER, below, kernel

CARDS = 0  # [2] the card of each seat: UNKNOWN in a view, or JACK, QUEEN, KING
HISTORY = 2  # [3] what was played so far: NOTHING_YET, or 1 + the action
POSITION_SIZE = 5

UNKNOWN, JACK, QUEEN, KING = 0, 1, 2, 3
NOTHING_YET = 0
PASS, BET = 0, 1  # the actions
ACTIONS = 2


@kernel
def other_card(dice, card):
    """Draw one of the two cards that are not this one."""
    drawn = 1 + below(dice, 2)
    return drawn + 1 if drawn >= card else drawn


@kernel
def start(position, dice):
    """Deal."""
    position[:] = 0
    position[CARDS] = 1 + below(dice, 3)
    position[CARDS + 1] = other_card(dice, position[CARDS])


@kernel
def played(position):
    """Return how many actions have been played."""
    count = 0
    while count < 3 and position[HISTORY + count] != NOTHING_YET:
        count += 1
    return count


@kernel
def last_two_are(position, one, two):
    """Say whether the game ended with these two actions."""
    last = HISTORY + played(position) - 1
    return last > HISTORY and position[last - 1] == 1 + one and position[last] == 1 + two


@kernel
def folded(position):
    """Say whether somebody has passed against a bet."""
    return last_two_are(position, BET, PASS)


@kernel
def showdown(position):
    """Say whether the cards are on the table: two passes, or a bet that was called."""
    return last_two_are(position, PASS, PASS) or last_two_are(position, BET, BET)


@kernel
def turn(position):
    """Return the seat to act, or OVER."""
    if folded(position) or showdown(position):
        return OVER
    return played(position) % 2


@kernel
def legal(position, mask):
    """Both actions are legal until the game is over."""
    mask[:] = turn(position) != OVER
    return 2 if mask[PASS] else 0


@kernel
def apply(position, action, dice):
    """Play one action; no dice are thrown after the deal."""
    position[HISTORY + played(position)] = 1 + action


@kernel
def score(position, scores):
    """The winner gets what the loser has put into the pot: one coin, or two after a call."""
    if folded(position):
        winner = played(position) % 2
    else:
        winner = 0 if position[CARDS] > position[CARDS + 1] else 1
    coins = 2.0 if last_two_are(position, BET, BET) else 1.0
    scores[winner] = coins
    scores[1 - winner] = -coins


@kernel
def hide(position, seat):
    """Cover the other card, unless it was shown at the end."""
    if not showdown(position):
        position[CARDS + 1 - seat] = UNKNOWN


@kernel
def guess(position, seat, dice):
    """Replace a covered card by one of those it can be."""
    if position[CARDS + 1 - seat] == UNKNOWN:
        position[CARDS + 1 - seat] = other_card(dice, position[CARDS + seat])


@kernel
def encode(position, seat, planes):
    """Write the own card and the actions so far into planes [4, 1, 3]."""
    planes[:] = 0.0
    planes[0, 0, position[CARDS + seat] - 1] = 1.0
    for index in range(3):
        planes[1, 0, index] = position[HISTORY + index] == 1 + PASS
        planes[2, 0, index] = position[HISTORY + index] == 1 + BET
    planes[3] = seat
