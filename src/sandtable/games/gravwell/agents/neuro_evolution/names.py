"""What the networks of Gravwell's neuro-evolution see, by name, and which of them make a brain.

The published network sees a hand whole: its cards by their places in it, and the ships. Ours are
asked about one card, one stack or one Emergency Stop at a time, and see it in relation to the
board and to what the draft has shown. Kernels take numbers from here (see sandtable.compiled).
"""

from __future__ import annotations

from typing import NamedTuple

from sandtable.games.gravwell.agents.neuro_evolution.networks import Network

__all__ = [
    "BOARD",
    "CARD_INPUTS",
    "NETWORK_INPUTS",
    "NETWORK_OUTPUTS",
    "SLOTS",
    "Brain",
]

SLOTS = 8  # places for cards in the published network; a hand fills at most six
SHIP_NAMES = ("own tile", "enemy 1", "enemy 2", "enemy 3", "hulk 1", "hulk 2")
HAND_INPUTS = (
    *(f"card {slot} {what}" for slot in range(1, SLOTS + 1) for what in ("value", "kind", "order")),
    *SHIP_NAMES,
)

# What all three of our networks see, and then what each of them does.
BOARD_INPUTS = (
    "one",
    "own tile",
    "lead",  # over the best enemy
    "gap ahead",  # to the next ship there, FAR_AWAY at most
    "gap behind",
    "drawn forward",  # 1, or -1: drawn backward, 0: stuck
    "ships ahead",
    "round",
    "turn",
    "stop left",
    "tractors work",
)
BOARD = len(BOARD_INPUTS)
KIND_INPUTS = ("value", "normal", "repulsor", "tractor", "order")
EFFECT_INPUTS = (
    "progress",  # of the own ship if the card took effect now
    "then forward",  # how the ship would be drawn from there
    "wins",
    "pull",  # what a tractor would win over the enemies, on average
)
CARD_INPUTS = (
    *BOARD_INPUTS,
    *KIND_INPUTS,
    *EFFECT_INPUTS,
    "enemies first",  # how many enemies' cards will take effect earlier, as far as one can tell
    "target first",  # chance that the card of the ship it is drawn to takes effect earlier
    "least progress",  # of all cards in hand
    "most progress",
)
STACK_INPUTS = (
    *BOARD_INPUTS,
    *KIND_INPUTS,
    "stacks taken",
    "normals held",
    "repulsors held",
    "tractors held",
    "early held",  # in the first half of the alphabet
    "value held",
    "place in draft",
)
STOP_INPUTS = (
    *BOARD_INPUTS,
    *KIND_INPUTS,
    *EFFECT_INPUTS,
    "cards to come",  # that take effect after this one
    "least progress",
    "most progress",
)

NETWORK_INPUTS = {
    "hand": HAND_INPUTS,
    "card": CARD_INPUTS,
    "stack": STACK_INPUTS,
    "stop": STOP_INPUTS,
}
NETWORK_OUTPUTS = {"hand": SLOTS, "card": 1, "stack": 1, "stop": 1}


class Brain(NamedTuple):
    """The networks of a player; without stack and stop it drafts at random and never stops."""

    hand: Network | None = None  # the published one, instead of card
    card: Network | None = None
    stack: Network | None = None
    stop: Network | None = None
