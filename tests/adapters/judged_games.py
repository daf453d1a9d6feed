"""Games that are small enough to be judged in a second, and what the judges share."""

from __future__ import annotations

import numpy as np

from sandtable.dice import Dice

SPECS = (
    "gravwell:players=3",
    "lucid",
    "skirmish:max_turns=20",
    "stratego:max_plies=80,variant=mini",
)
HIDDEN = tuple(spec for spec in SPECS if spec.startswith(("gravwell", "stratego")))


def legal_choice(mask, dice: Dice) -> int:
    """Draw one of the marked actions."""
    marked = np.flatnonzero(mask)
    return int(marked[dice.below(len(marked))])


def illegal_choice(mask) -> int:
    """Return the first action that is not marked."""
    return int(np.flatnonzero(np.asarray(mask) == 0)[0])
