"""Deep-State Learning: minimax with the values of a network, and the agent that plays with it.

See docs/games/skirmish/deep-state-learning.md. Playing needs onnxruntime alone; training,
which values positions in other ways, uses ``DeepSearch`` and ``run_searches`` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis
from sandtable.agents.onnx_files import OnnxNetwork, bundled_file
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.skirmish.agents.dsl import tree
from sandtable.games.skirmish.agents.dsl.search import encode_wanted, prepare, resume, store_values
from sandtable.games.skirmish.agents.move_values import valued_moves
from sandtable.games.skirmish.layout import PASS
from sandtable.games.skirmish.planes import encode
from sandtable.games.skirmish.rules import legal_moves
from sandtable.types import Game, State

__all__ = ["DeepSearch", "DeepStateLearning", "Evaluate", "OnnxValues", "run_searches"]

# planes [position, 6, 8, 8] float32 -> value of each position [position] float32 to the side that
# the planes call its own
Evaluate: TypeAlias = Callable[[NDArray[np.float32]], NDArray[np.float32]]

INCENTIVE = 1.2  # what the thesis favours interesting moves by
PLAYING_BATCH = 8  # leaves in a call on one core: larger ones value too much that is then cut
TABLE_ENTRIES = 1 << 16
ORDERINGS = ("natural", "published")
PLANE_SHAPE = (6, 8, 8)
WEIGHTS_FOLDER = Path(__file__).parent / "weights"


class DeepSearch:
    """One search after the other, each of which waits for values whenever it needs them."""

    def __init__(
        self,
        budget: int,
        batch: int = PLAYING_BATCH,
        incentive: float = INCENTIVE,
        published: bool = False,
    ) -> None:
        if budget < 1:
            raise ValueError(f"the budget is at least one state, got {budget}")
        self.budget = budget
        self.published = published
        entries = TABLE_ENTRIES
        while entries < 8 * batch:
            entries *= 2
        self.search = tree.new_search(batch, entries, incentive)
        self._dice = np.zeros(4, dtype=np.uint64)  # the rules take dice but throw none here

    def begin(self, position: NDArray[np.int16]) -> None:
        """Set up the search of a position for the side that is to move in it."""
        prepare(self.search, position, self.budget, int(self.published))

    def needs_values(self) -> bool:
        """Search on until values are needed, or to the end; say whether they are needed."""
        return bool(resume(self.search, self._dice) == tree.WAITING)

    @property
    def wanted(self) -> int:
        """How many positions wait for their values."""
        return int(self.search.numbers[tree.WANTED])

    @property
    def states(self) -> int:
        """How many states the search has paid for."""
        return self.budget - max(0, int(self.search.numbers[tree.BUDGET]))

    @property
    def valued(self) -> int:
        """How many positions the network has valued for it."""
        return int(self.search.numbers[tree.VALUED])

    @property
    def depth(self) -> int:
        """How many plies the last finished iteration looked ahead."""
        return int(self.search.numbers[tree.ITERATIONS])

    @property
    def choice(self) -> int:
        """The move that was found; without any finished iteration the first one.

        The published program then passes, if the game allows that.
        """
        if self.search.numbers[tree.CHOICE] != tree.NONE:
            return int(self.search.numbers[tree.CHOICE])
        if self.published:
            moves = np.zeros(self.search.moves.shape[1], dtype=np.int16)
            count = legal_moves(self.search.positions[0], moves)
            if moves[count - 1] == PASS:
                return PASS
        return int(self.search.moves[0, 0])


def run_searches(searches: Sequence[DeepSearch], evaluate: Evaluate) -> None:
    """Run searches side by side to their ends, with one call of the network for all that wait."""
    room = sum(len(search.search.wanted) for search in searches)
    planes = np.empty((room, *PLANE_SHAPE), dtype=np.float32)
    waiting = [search for search in searches if search.needs_values()]
    while waiting:
        ends = np.cumsum([search.wanted for search in waiting])
        for search, end in zip(waiting, ends, strict=True):
            encode_wanted(search.search, planes[end - search.wanted : end])
        values = evaluate(planes[: ends[-1]])
        if not np.isfinite(values).all():
            raise SandtableError("the network gave a value that is not a number")
        for search, end in zip(waiting, ends, strict=True):
            store_values(search.search, values[end - search.wanted : end])
        waiting = [search for search in waiting if search.needs_values()]


class OnnxValues:
    """A network that values positions."""

    def __init__(self, path: Path) -> None:
        self.network = OnnxNetwork(path, PLANE_SHAPE, {"values": ()}, "Skirmish")

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of each position."""
        return self.network.run(planes)[0]


class DeepStateLearning(Agent):
    """Minimax over a budget of states with the values of a trained network (2024 thesis).

    ``budget`` states are looked at for a move; ``weights`` are bundled ones by their name, or a
    file; ``batch`` is how many leaves the network values in a call; ``ordering`` is natural, or
    published: the published program to the letter. Other values raise a ValueError.
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "budget": "positions looked at for a move",
        "weights": "a bundled network by its name, or a file",
        "batch": "leaves the network values in one call",
        "ordering": "natural, or published: the published program to the letter",
    }

    scale = "own"  # it has learned rewards that are worth less the farther off they are: no chances
    values_waiting = True
    adviser_rank = 1

    def __init__(
        self,
        budget: int = 5000,
        weights: str = "dsl-5000",
        batch: int = PLAYING_BATCH,
        ordering: str = "natural",
    ) -> None:
        if batch < 1:
            raise ValueError(f"batch is at least one leaf, got {batch}")
        if ordering not in ORDERINGS:
            raise ValueError(f"ordering is {' or '.join(ORDERINGS)}, got '{ordering}'")
        self.search = DeepSearch(budget, batch, published=ordering == "published")
        self.path = bundled_file(weights, WEIGHTS_FOLDER)
        self.evaluate: Evaluate = OnnxValues(self.path)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path]

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse a game that the network does not know."""
        if game.name != "skirmish":
            raise WrongSeats(f"'skirmish/dsl' plays skirmish, not {game.name}")

    def choose(self, view: State, dice: Dice) -> int:
        """Search the position to the end of the budget."""
        self.search.begin(np.array(view.position))
        run_searches([self.search], self.evaluate)
        return self.search.choice

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Return what the network says of the position, and one move on."""
        seat = view.turn
        candidates = valued_moves(
            view, dice, lambda state: self.network_value(state, seat), self.scale
        )
        return Analysis(self.scale, self.network_value(view, seat), candidates)

    def value_of(self, view: State, dice: Dice) -> float:
        """Return the value as the viewer sees the position, also one who waits."""
        return self.network_value(view, view.turn if view.seat is None else view.seat)

    def network_value(self, state: State, seat: int) -> float:
        """Return the value of a position to a seat."""
        planes = np.empty((1, *PLANE_SHAPE), dtype=np.float32)
        encode(np.array(state.position), seat, planes[0])
        return float(self.evaluate(planes)[0])
