"""Another rival for Stratego's champion in training: stratego/value, in many games at once.

It is the agent itself with fewer samples: the kernels of its search, one memory for every game in
which it is to move. All searches go on side by side until each has named the boards it wants to
know; these are valued together on the device, and the searches go on. The few that are not done
after some such runs play the move that is best so far.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import torch
from llvmlite import ir  # comes with Numba, which is built on it
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego.agents.square_codes import TURNED_ACTIONS
from sandtable.games.stratego.agents.value.agent import Value
from sandtable.games.stratego.agents.value.leaves import CHOICE, WANTED, Search, supply
from sandtable.games.stratego.agents.value.search import prepare, run
from sandtable.games.stratego.layout import RED, SQUARES, as_int64
from sandtable.games.stratego.learning.champion.rivals import Workers
from sandtable.games.stratego.learning.networks import (
    ValueNetwork,
    answers,
    code_table,
    read_network,
)
from sandtable.games.stratego.rules.kernels import guess, hide

__all__ = ["Searchers"]

SAMPLES = 4  # the agent has 16; in training there are more games instead
RUNS = 6  # of a search; six in seven need no more, and all would wait for the last
HIGHEST_KEY = 1 << 62


def build_borrowed(typing: Any, array: Any) -> Any:
    """Return an array as one that somebody else keeps in memory.

    Numba counts who uses an array, in a number that all its slices share. Threads that search side
    by side in slices of the same arrays would have to wait for each other at every count.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        copy = arrayobj.make_array(signature.return_type)(context, builder, arguments[0])
        copy.meminfo = copy.parent = ir.Constant(ir.IntType(8).as_pointer(), None)
        return copy._getvalue()

    return array(array), build


borrowed: Any = intrinsic(build_borrowed)


@kernel
def one_of(searches: Search, place: int) -> Search:
    """Return the memory of one search out of those of many, whose arrays have one more axis."""
    return Search(
        borrowed(searches.samples)[place],
        borrowed(searches.positions)[place],
        borrowed(searches.moves)[place],
        borrowed(searches.bounds)[place],
        borrowed(searches.means)[place],
        borrowed(searches.keys)[place],
        borrowed(searches.values)[place],
        borrowed(searches.known)[place],
        borrowed(searches.wanted)[place],
        borrowed(searches.entries)[place],
        borrowed(searches.codes)[place],
        borrowed(searches.marks)[place],
        borrowed(searches.frames)[place],
        borrowed(searches.numbers)[place],
        borrowed(searches.target_distances)[place],
        borrowed(searches.nudges)[place],
        borrowed(searches.settings)[place],
    )


@kernel
def begin_some(
    searches: Search,
    first: int,
    end: int,
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    dice: NDArray[np.uint64],
    depth: int,
    attacks: int,
) -> None:
    """Draw samples for some searches from what the movers [n] see, and run each once."""
    for place in range(first, end):
        search, seat = one_of(searches, place), as_int64(seats[place])
        samples = search.samples
        for number in range(len(samples)):
            copy_cells(positions[place], samples[number])
            hide(samples[number], seat)
            guess(samples[number], seat, dice[place])
        prepare(search, seat, len(samples), depth, attacks, as_int64(0))
        run(search)


@kernel
def go_on_with_some(
    searches: Search,
    first: int,
    end: int,
    places: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """Give some searches the values they want, those from ``places`` [n + 1] on, and run them."""
    for place in range(first, end):
        if places[place + 1] > places[place]:
            search = one_of(searches, place)
            supply(search, values[places[place] : places[place + 1]])
            run(search)


@kernel
def collect(searches: Search, places: NDArray[np.int64], codes: NDArray[np.uint8]) -> None:
    """Write all boards that are wanted, one search behind the other."""
    for place in range(len(places) - 1):
        for board in range(places[place + 1] - places[place]):
            copy_cells(searches.wanted[place, board], codes[places[place] + board])


class Searchers:
    """Value players side by side, their network on the device."""

    def __init__(
        self, weights: str, device: torch.device, rows: int, threads: int = 1, runs: int = RUNS
    ) -> None:
        self.agent, self.rows, self.runs = Value(weights=weights, samples=SAMPLES), rows, runs
        network = read_network("value", weights)
        assert isinstance(network, ValueNetwork)
        self.device, self.network = device, network.to(device).eval()
        self.table = code_table(device)
        self.workers = Workers(threads)

    @cached_property
    def searches(self) -> Search:
        """The memories, more than a megabyte each, once the rival is to move."""
        fields: list[Any] = [np.stack([field] * self.rows) for field in self.agent.search]
        return Search(*fields)

    def choose(
        self, positions: NDArray[np.int16], seats: NDArray[np.int64], dice: torch.Generator
    ) -> NDArray[np.int64]:
        """Return a move for every position [n, POSITION_SIZE], as its mover sees the board."""
        count = len(positions)
        keys = torch.randint(HIGHEST_KEY, (count,), generator=dice, device=self.device)
        streams = np.zeros((count, 4), dtype=np.uint64)
        streams[:, 0] = keys.cpu().numpy()
        plies = self.agent.depth, self.agent.attacks
        numbers = self.searches.numbers  # made here: threads would each make their own
        self.share(count, begin_some, positions, seats, streams, *plies)
        for _ in range(1, self.runs):
            if not numbers[:count, WANTED].any():
                break
            places = np.concatenate([[0], np.cumsum(numbers[:count, WANTED])])
            codes = np.empty((places[-1], SQUARES), dtype=np.uint8)
            collect(self.searches, places, codes)
            values = answers(self.network, codes, self.table).cpu().numpy()
            self.share(count, go_on_with_some, places, values)
        chosen = self.searches.moves[np.arange(count), 0, numbers[:count, CHOICE]].astype(np.int64)
        seen: NDArray[np.int64] = np.where(seats == RED, chosen, TURNED_ACTIONS[chosen])
        return seen

    def share(self, count: int, loop: Any, *arguments: Any) -> None:
        """Run a loop over the first searches, every thread its own part of them."""
        searches = self.searches
        self.workers.share(count, lambda _, first, end: loop(searches, first, end, *arguments))
