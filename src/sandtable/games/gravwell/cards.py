"""Gravwell: the deck. Cards are numbered by letter, so they resolve in numerical order."""

# Kernels take constants from here; files that name sandtable.compiled are watched for edits.
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CARDS",
    "KIND",
    "KIND_NAMES",
    "NAMES",
    "NORMAL",
    "REPULSOR",
    "TRACTOR",
    "VALUE",
    "card_numbered",
]

NORMAL, REPULSOR, TRACTOR = 0, 1, 2
KIND_NAMES = ("normal", "repulsor", "tractor")

DECK = (
    ("Ar", NORMAL, 1),
    ("B", NORMAL, 2),
    ("C", NORMAL, 3),
    ("Dy", NORMAL, 5),
    ("Es", NORMAL, 2),
    ("F", NORMAL, 6),
    ("Ga", NORMAL, 5),
    ("H", NORMAL, 4),
    ("Ir", NORMAL, 6),
    ("Jo", TRACTOR, 2),
    ("Kr", REPULSOR, 2),
    ("Li", NORMAL, 4),
    ("Mg", NORMAL, 10),
    ("Ne", REPULSOR, 6),
    ("O", NORMAL, 7),
    ("Pu", NORMAL, 5),
    ("Qt", TRACTOR, 3),
    ("Ra", NORMAL, 9),
    ("Si", NORMAL, 9),
    ("Th", NORMAL, 2),
    ("U", REPULSOR, 5),
    ("V", NORMAL, 7),
    ("W", NORMAL, 8),
    ("Xe", REPULSOR, 3),
    ("Y", NORMAL, 8),
    ("Zr", NORMAL, 7),
)
CARDS = len(DECK)

NAMES = tuple(name for name, _, _ in DECK)
KIND: NDArray[np.int16] = np.array([kind for _, kind, _ in DECK], dtype=np.int16)  # [26] by card
VALUE: NDArray[np.int16] = np.array([value for _, _, value in DECK], dtype=np.int16)  # [26]

BY_NAME = {name.lower(): card for card, name in enumerate(NAMES)}


def card_numbered(name: str) -> int | None:
    """Return the number of a card from its name in any case, or None.

    >>> card_numbered("kr"), card_numbered("Pb")
    (10, None)
    """
    return BY_NAME.get(name.lower())
