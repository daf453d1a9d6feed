"""Set-ups of Stratego with a name, as text and as tables for kernels (sandtable.compiled).

Rows are written as the player sees them, the front row first: ``F`` flag, ``B`` bomb, ``S`` spy,
``2`` to ``9``, ``T`` for 10, ``.`` for an empty square.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.games.stratego import layout

# By variant and name: the rows, and the idea.
NAMED: dict[str, dict[str, tuple[str, str]]] = {
    "classic": {
        "corner": (
            "26529627T2/75846S5827/B34B2634B5/FB323B234B",
            "the flag in a corner behind two bombs; the bombs in the other corner look the same",
        ),
        "keep": (
            "2T62752692/S85276B482/5B36B475B3/324BFB3234",
            "the flag in the middle of the back row with bombs on three sides, the strong on the "
            "wings",
        ),
        "blitz": (
            "69227822T6/573685S675/42432342B3/B5B24B3BFB",
            "the highest ranks stand at all three lanes and go forward; the flag stays shut in",
        ),
        "bluff": (
            "2726952682/6582TS7465/BB4723B532/4B3B32B4F3",
            "no bomb beside the flag: a nest of bombs in the far corner takes the miners' time",
        ),
        "one-lane": (
            "BB22T822BB/567697S654/4352876234/32BFB45323",
            "bombs shut the outer lanes, and all that is strong waits in the middle one",
        ),
    },
    "mini": {
        "corner": ("B72T92/FBS353", "the flag in a corner behind both bombs"),
        "bait": ("2975T2/B3F3SB", "bombs in the corners as bait, the flag between two miners"),
    },
    "barrage": {
        "corner": (
            "2...T.9..2/....S...../3........./FB........",
            "the flag in a corner with the bomb beside it and the miner before it",
        ),
        "bait": (
            "..2....2../.T......9./....S...../.B..3..F..",
            "the bomb stands alone to be found first, the flag where nobody guards it",
        ),
    },
    "duel": {
        "corner": (
            "2...T.9..2/....S...../B......3../FB.....3..",
            "the flag in a corner behind both bombs, the miners together",
        ),
        "bait": (
            "..2....2../.9......T./B...S...../3B..3..F..",
            "both bombs shut in a miner as if it were the flag, which stands elsewhere",
        ),
    },
}


def tables() -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Build the ranks of all set-ups [set-up, place], and where each variant's begin."""
    rows = [(name, text) for name in layout.VARIANT_NAMES for text, _ in NAMED[name].values()]
    ranks = np.zeros((len(rows), int((layout.SIDES * layout.OWN_ROWS).max())), dtype=np.int16)
    for index, (_, text) in enumerate(rows):
        letters = text.replace("/", "")
        ranks[index, : len(letters)] = [layout.RANK_LETTERS.index(letter) for letter in letters]
    sizes = [len(NAMED[name]) for name in layout.VARIANT_NAMES]
    return ranks, np.array([sum(sizes[:count]) for count in range(len(sizes) + 1)], dtype=np.int16)


NAMED_RANKS, FIRST_NAMED = tables()  # [set-up, place] by rank; [variant + 1]
