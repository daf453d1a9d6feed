"""What a network has said about decisions, so that it is asked once for each while it stays.

Games side by side begin alike, and a search comes back to what an earlier one has forgotten: in
connect four a third of all questions of a round were asked before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["KnownAnswers"]

ROOM = 1 << 25  # bytes of answers that are kept
FEW = 1 << 10  # answers that there is room for at first


class KnownAnswers:
    """Shares of actions and expectations of seats, by the keys of decisions.

    >>> known = KnownAnswers(actions=2, seats=1, rows=3)
    >>> known.unknown([7, 8, 7])
    [0, 1]
    >>> known.note([7, 8], np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([[0.3], [0.4]]))
    >>> known.unknown([8, 9])
    [1]
    >>> known.said([8, 7])[1].tolist()
    [[0.4], [0.3]]
    """

    def __init__(self, actions: int, seats: int, rows: int) -> None:
        """Keep what there is room for, and at least the answers to ``rows`` questions."""
        self.most = max(rows, ROOM // (4 * actions + 8 * seats))
        first = min(self.most, FEW)
        self.places: dict[int, int] = {}
        self.priors: NDArray[np.float32] = np.zeros((first, actions), dtype=np.float32)
        self.values: NDArray[np.float64] = np.zeros((first, seats))

    def forget(self) -> None:
        """Forget everything: another network is asked from now on."""
        self.places.clear()

    def unknown(self, keys: Sequence[int]) -> list[int]:
        """Return the numbers of the keys to ask about, one for each, and keep room for them."""
        if len(self.places) + len(keys) > self.most:
            self.forget()
        found = []
        for number, key in enumerate(keys):
            if key not in self.places:
                self.places[key] = len(self.places)
                found.append(number)
        while len(self.places) > len(self.priors):
            more = min(self.most, 2 * len(self.priors)) - len(self.priors)
            self.priors, self.values = (
                np.concatenate([each, np.zeros((more, each.shape[1]), dtype=each.dtype)])
                for each in (self.priors, self.values)
            )
        return found

    def note(self, keys: Sequence[int], priors: NDArray[Any], values: NDArray[Any]) -> None:
        """Keep what was said about keys that were unknown."""
        places = [self.places[key] for key in keys]
        self.priors[places], self.values[places] = priors, values

    def said(self, keys: Sequence[int]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return what was said about these keys."""
        places = [self.places[key] for key in keys]
        return self.priors[places], self.values[places]
