"""Gravwell: the layout of a position, what its numbers mean, and the numbers of the actions.

Ships are numbered by seat, then come the hulks. Cards are numbered by letter. A card says where it
is (``WHERE``); a card that lies face down on the table still counts as in its owner's hand, so
that nobody can see from the hand which one it is.
"""

# Kernels take constants from here; files that name sandtable.compiled are watched for edits.
from __future__ import annotations

import numpy as np

from sandtable.compiled import inlined
from sandtable.games.gravwell.cards import CARDS

MOST_PLAYERS = 4
MOST_SHIPS = 6
FIRST_HULK = MOST_PLAYERS  # the ships from here on are hulks
MOST_STACKS = 12
ROUNDS, TURNS, PASSES = 6, 6, 3  # a round is a draft of three passes and six turns
SINGULARITY, GATE = 0, 54
TILES = GATE + 1

OVER = -1
NOTHING = -1  # no card, no seat, or a ship that is not in the game
UNKNOWN = -2  # in views: a card, or the place of one, that the seat may not know

# Layout of a position. The first two cells are the options, written before start().
PLAYERS = 0  # 2 to 4
TRACTORS = PLAYERS + 1  # WORKING or INERT
SHIPS = TRACTORS + 1  # [6] tile of each ship, or NOTHING
WHERE = SHIPS + MOST_SHIPS  # [26] where each card is, see below; UNKNOWN in views
TABLE = WHERE + CARDS  # [4] card each seat has played in this turn, NOTHING, or UNKNOWN in views
LAST = TABLE + MOST_PLAYERS  # [4] card each seat played in the turn before, or NOTHING
ORDER = LAST + MOST_PLAYERS  # [4] seats in the order of the draft, or NOTHING
STOPS = ORDER + MOST_PLAYERS  # [4] 1: the seat can still use its Emergency Stop in this round
ROUND = STOPS + MOST_PLAYERS  # 0 to 5
TURN = ROUND + 1  # of the round, 0 to 5
PHASE = TURN + 1  # DRAFTING, PLAYING, STOPPING or ENDED
MOVER = PHASE + 1  # seat to act, or OVER
PICKED = MOVER + 1  # stacks taken in this round
CURRENT = PICKED + 1  # the card being resolved (PHASE is STOPPING), the one that won, or NOTHING
WINNER = CURRENT + 1  # seat, or NOTHING: nobody yet, or nobody left the Singularity
POSITION_SIZE = WINNER + 1

WORKING, INERT = 0, 1
DRAFTING, PLAYING, STOPPING, ENDED = 0, 1, 2, 3

# Where a card can be; add a seat or the number of a stack. What is at SECRET or above is known to
# nobody, or only to the seat whose hand it is.
PLAYED = 0  # + seat: played in this round, and shown
OPEN_HAND = PLAYED + MOST_PLAYERS  # + seat: in hand, and everybody saw it in the draft
OPEN_STACK = OPEN_HAND + MOST_PLAYERS  # + stack: visible on a stack nobody has taken
SECRET = OPEN_STACK + MOST_STACKS
SECRET_HAND = SECRET  # + seat: in hand, and drafted face down
UNDER_STACK = SECRET_HAND + MOST_PLAYERS  # + stack: the hidden card of a stack
UNDEALT = UNDER_STACK + MOST_STACKS

# Actions: play the card, take the stack with this visible card, answer to the Emergency Stop.
PLAY = 0
TAKE = PLAY + CARDS
GO = TAKE + CARDS  # let the card take effect
STOP = GO + 1  # use the Emergency Stop
ACTIONS = STOP + 1


@inlined
def as_int64(value: int) -> int:
    """Return a number of a position in the one type that kernels take.

    Arguments of several widths would have every kernel compiled once for each.
    """
    return int(np.int64(value))
