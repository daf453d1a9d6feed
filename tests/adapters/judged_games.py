"""All games with all their options, as far as judges look at them, and what the judges share.

The values come from what the games themselves declare, so that a new variant, level or number of
players is judged without a word here; a test fails if an option is missing from the table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

import numpy as np

from sandtable.dice import Dice
from sandtable.games.gravwell.game import FEWEST_PLAYERS, TRACTOR_WORDS
from sandtable.games.gravwell.layout import MOST_PLAYERS
from sandtable.games.skirmish.game import START_WORDS
from sandtable.games.skirmish.levels import PUBLISHED
from sandtable.games.skirmish.notation import BOTH_EMPTY_WORDS, PASSES_WORDS
from sandtable.games.stratego.game import ORIGIN_WORDS, RANK_ORDERS
from sandtable.games.stratego.named_setups import NAMED
from sandtable.games.stratego.options import OPTIONS, Option
from sandtable.registry import make_game
from sandtable.specs import Spec

SPECS = (  # one of each game, for tests that look closely
    "gravwell:players=3",
    "lucid",
    "skirmish:max_turns=20",
    "stratego:max_plies=80,variant=mini",
)
HIDDEN = tuple(spec for spec in SPECS if spec.startswith(("gravwell", "stratego")))


def values_of(option: Option) -> tuple[str, ...]:
    """Return the words of an option, or its lowest number and one that games reach."""
    return option.words or (str(option.low), str(option.low + 10))


VALUES: Mapping[str, Mapping[str, Iterable[str]]] = {
    "gravwell": {
        "players": [str(count) for count in range(FEWEST_PLAYERS, MOST_PLAYERS + 1)],
        "tractor": TRACTOR_WORDS,
    },
    "lucid": {  # options without a value here are varied by the tests of scenarios
        "scenario": ("relief",),
        "turns": ("8",),
        "supply": ("off",),
        **dict.fromkeys(
            ("board", "capacity", "closed_roads", "defender", "right_to_move", "first", "penalty"),
            (),
        ),
    },
    "skirmish": {
        "level": (*PUBLISHED, "random-17"),
        "start": START_WORDS,
        "both_empty": BOTH_EMPTY_WORDS,
        "max_turns": ("1", "11"),
        "passes": PASSES_WORDS,
    },
    "stratego": {
        **{name: values_of(option) for name, option in OPTIONS.items()},
        "setup": ORIGIN_WORDS,
        "red": NAMED["mini"],
        "blue": ORIGIN_WORDS,
        "ranks": RANK_ORDERS,
    },
}
CROSSED = {  # options whose values meet each other; of all others one at a time is varied
    "gravwell": ("players", "tractor"),
    "stratego": ("variant", "setup"),
}
SHORT = {  # so that a whole game takes no second
    "skirmish": {"max_turns": "8"},
    "stratego": {"max_plies": "24", "variant": "mini"},
}


def variants(name: str) -> list[str]:
    """Return the specs of a game: the crossed options in all ways, the others one by one."""
    values, crossed = VALUES[name], CROSSED.get(name, ())
    chosen = [
        dict(zip(crossed, each, strict=True))
        for each in itertools.product(*(values[option] for option in crossed))
    ]
    chosen += [{key: value} for key in values if key not in crossed for value in values[key]]
    specs = [str(Spec(name, None, {**SHORT.get(name, {}), **each})) for each in chosen]
    return sorted({make_game(spec).spec for spec in specs})


JUDGED = tuple(spec for name in VALUES for spec in variants(name))


def legal_choice(mask, dice: Dice) -> int:
    """Draw one of the marked actions."""
    marked = np.flatnonzero(mask)
    return int(marked[dice.below(len(marked))])


def illegal_choice(mask) -> int:
    """Return the first action that is not marked."""
    return int(np.flatnonzero(np.asarray(mask) == 0)[0])
