"""Deep-State Learning: minimax with the values of a network, and the agent that plays with it.

See docs/methods/deep-state-learning.md. Playing needs onnxruntime alone; training, which values
positions in other ways, uses ``DeepSearch`` and ``think`` too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.skirmish.dsl_leaves import encode_wanted, supply
from sandtable.agents.skirmish.dsl_search import go_on, prepare
from sandtable.agents.skirmish.dsl_tree import (
    BUDGET,
    CHOICE,
    ITERATIONS,
    NONE,
    VALUED,
    WAITING,
    WANTED,
    new_search,
)
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats, suggestion
from sandtable.games.skirmish.layout import PASS
from sandtable.games.skirmish.rules import legal_moves
from sandtable.types import Game, State

__all__ = ["DeepSearch", "DeepStateLearning", "Evaluate", "OnnxValues", "think", "weights_file"]

# planes [position, 6, 8, 8] float32 -> value of each position [position] float32 to the side that
# the planes call its own
Evaluate: TypeAlias = Callable[[NDArray[np.float32]], NDArray[np.float32]]

PLANE_SHAPE = (6, 8, 8)
INCENTIVE = 1.2  # what the thesis favours interesting moves by
PLAYING_BATCH = 8  # leaves in a call on one core: larger ones value too much that is then cut
TABLE_ENTRIES = 1 << 16
ORDERINGS = ("natural", "published")
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
        self.search = new_search(batch, entries, incentive)
        self._dice = np.zeros(4, dtype=np.uint64)  # the rules take dice but throw none here

    def begin(self, position: NDArray[np.int16]) -> None:
        """Set up the search of a position for the side that is to move in it."""
        prepare(self.search, position, self.budget, int(self.published))

    def waits(self) -> bool:
        """Search on until values are needed, or to the end; say whether they are needed."""
        return bool(go_on(self.search, self._dice) == WAITING)

    @property
    def wanted(self) -> int:
        """How many positions wait for their values."""
        return int(self.search.numbers[WANTED])

    @property
    def states(self) -> int:
        """How many states the search has paid for."""
        return self.budget - max(0, int(self.search.numbers[BUDGET]))

    @property
    def valued(self) -> int:
        """How many positions the network has valued for it."""
        return int(self.search.numbers[VALUED])

    @property
    def depth(self) -> int:
        """How many plies the last finished iteration looked ahead."""
        return int(self.search.numbers[ITERATIONS])

    @property
    def choice(self) -> int:
        """The move that was found; without any finished iteration the first one.

        The published program then passes, if the game allows that.
        """
        if self.search.numbers[CHOICE] != NONE:
            return int(self.search.numbers[CHOICE])
        if self.published:
            moves = np.zeros(self.search.moves.shape[1], dtype=np.int16)
            count = legal_moves(self.search.positions[0], moves)
            if moves[count - 1] == PASS:
                return PASS
        return int(self.search.moves[0, 0])


def think(searches: Sequence[DeepSearch], evaluate: Evaluate) -> None:
    """Run searches side by side to their ends, with one call of the network for all that wait."""
    room = sum(len(each.search.wanted) for each in searches)
    planes = np.empty((room, *PLANE_SHAPE), dtype=np.float32)
    waiting = [each for each in searches if each.waits()]
    while waiting:
        ends = np.cumsum([each.wanted for each in waiting])
        for each, end in zip(waiting, ends, strict=True):
            encode_wanted(each.search, planes[end - each.wanted : end])
        values = evaluate(planes[: ends[-1]])
        if not np.isfinite(values).all():
            raise SandtableError("the network gave a value that is not a number")
        for each, end in zip(waiting, ends, strict=True):
            supply(each.search, values[end - each.wanted : end])
        waiting = [each for each in waiting if each.waits()]


class OnnxValues:
    """A network in an ONNX file, run by onnxruntime on one thread."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        if not path.is_file():
            raise SandtableError(f"there is no file of weights {path}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4  # the error below says it all
        providers = ["CPUExecutionProvider"]
        try:
            self.session = onnxruntime.InferenceSession(path.read_bytes(), options, providers)
            shape = self(np.zeros((2, *PLANE_SHAPE), dtype=np.float32)).shape
        except Exception as problem:  # onnxruntime has a class for every kind of damage
            raise SandtableError(f"{path} is damaged or holds no network for Skirmish") from problem
        if shape != (2,):
            raise SandtableError(f"{path} holds a network whose output is not one value")

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the value of each position."""
        values: NDArray[np.float32] = self.session.run(None, {"planes": planes})[0]
        return values


def weights_file(name: str) -> Path:
    """Return the file of bundled weights by their name, or any file by its path."""
    if name.endswith(".onnx") or "/" in name:
        return Path(name).expanduser()
    bundled = sorted(path.stem for path in WEIGHTS_FOLDER.glob("*.onnx"))
    if name not in bundled:
        raise SandtableError(
            f"there are no weights '{name}'; bundled are {', '.join(bundled) or 'none'}, or give "
            f"the path of an .onnx file.{suggestion(name, bundled)}"
        )
    return WEIGHTS_FOLDER / f"{name}.onnx"


class DeepStateLearning:
    """Minimax over a budget of states with the values of a trained network (2024 thesis)."""

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
        self.evaluate: Evaluate = OnnxValues(weights_file(weights))

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse a game that the network does not know."""
        if game.name != "skirmish":
            raise WrongSeats(f"'skirmish/dsl' plays skirmish, not {game.name}")

    def choose(self, view: State, dice: Dice) -> int:
        """Search the position to the end of the budget."""
        self.search.begin(np.array(view.position))
        think([self.search], self.evaluate)
        return self.search.choice
