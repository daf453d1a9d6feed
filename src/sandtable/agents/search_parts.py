"""The parts of which searches of any game are made, as templates that are compiled for each game.

``facts_of`` tells what of a game they are filled with: equal games have equal facts, so that each
search is compiled once for all of them. (Compiled with sandtable.compiled.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, placeholder
from sandtable.types import OVER, Game, Rules

__all__ = [
    "GameFacts",
    "facts_of",
    "list_moves_by_mask",
    "play_on_by_rules",
    "play_whole_turn",
    "show_mover",
    "value_of_end",
]

# What the templates below are specialised with.
turn = legal = apply = score = hide = encode = random_action = evaluate = placeholder
ACTION_COUNT = 0
HIDDEN = False
LOW = HIGH = (0.0,)  # [seat] lowest and highest scores

KERNELS = ("turn", "legal", "apply", "score", "guess", "hide", "random_action", "encode")


class GameFacts(NamedTuple):
    """What of a game the templates of a search are filled with."""

    name: str
    rules: Rules
    action_count: int
    low: tuple[float, ...]  # [seat] lowest scores
    high: tuple[float, ...]
    hidden: bool

    def fillings(self) -> dict[str, Any]:
        """Return the kernels and constants under the names that templates know them by."""
        kernels = {name: getattr(self.rules, name) for name in KERNELS}
        constants = {"ACTION_COUNT": self.action_count, "SEATS": len(self.low)}
        bounds = {"LOW": self.low, "HIGH": self.high, "HIDDEN": self.hidden}
        return {**kernels, **constants, **bounds}

    def kernel_name(self, evaluate_kernel: Any = None) -> str:
        """Return a name for what is compiled for the game, and for one of its evaluations."""
        plain = getattr(evaluate_kernel, "py_func", evaluate_kernel)
        words = [] if plain is None else [plain.__module__, plain.__qualname__]
        return "_".join([self.name, *words]).replace(".", "_")


def facts_of(game: Game) -> GameFacts:
    """Return what searches need to know of a game.

    >>> from sandtable.registry import make_game
    >>> facts = facts_of(make_game("skirmish"))
    >>> facts.low, facts.high, facts.hidden, facts.kernel_name()
    ((-1.0, -1.0), (1.0, 1.0), False, 'skirmish')
    """
    low, high = zip(*game.score_bounds, strict=True)
    return GameFacts(game.name, game.rules, game.action_count, low, high, game.hidden)


def play_on_by_rules(position: NDArray[np.int16], plies: int, dice: NDArray[np.uint64]) -> None:
    """Play so many random actions, or fewer if the game ends."""
    for _ in range(plies):
        if turn(position) == OVER:
            return
        apply(position, random_action(position, dice), dice)


def play_whole_turn(
    position: NDArray[np.int16],
    actions: NDArray[np.int16],
    count: int,
    seat: int,
    dice: NDArray[np.uint64],
) -> int:
    """Play what an agent wrote while it is its turn; return how many actions that were."""
    for index in range(count):
        if turn(position) != seat:
            return index
        apply(position, np.int64(actions[index]), dice)
    return count


def value_of_end(
    position: NDArray[np.int16],
    seat: int,
    bonus: float,
    weights: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> float:
    """Return what the end of a playout is worth to a seat; ``scores`` is scratch."""
    if turn(position) != OVER:
        estimate = float(evaluate(position, seat, weights))
        return bonus * estimate / (1.0 + abs(estimate))
    score(position, scores)
    return float((2.0 * scores[seat] - LOW[seat] - HIGH[seat]) / (HIGH[seat] - LOW[seat]))


def list_moves_by_mask(position: NDArray[np.int16], moves: NDArray[Any]) -> int:
    """Write the legal actions in ascending order; return how many there are."""
    mask = np.empty(ACTION_COUNT, dtype=np.bool_)
    legal(position, mask)
    count = 0
    for action in range(ACTION_COUNT):
        if mask[action]:
            moves[count] = action
            count += 1
    return count


def show_mover(
    position: NDArray[np.int16],
    seat: int,
    view: NDArray[np.int16],
    planes: NDArray[np.float32],
    mask: NDArray[np.bool_],
) -> None:
    """Write what the seat that is to move knows, what a network sees of it, and what it may do."""
    copy_cells(position, view)
    if HIDDEN:
        hide(view, seat)
    planes[:] = 0.0
    encode(view, seat, planes)
    legal(position, mask)
