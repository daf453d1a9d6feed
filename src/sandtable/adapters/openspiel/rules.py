"""The kernels of all games of OpenSpiel: each asks OpenSpiel, from inside compiled code.

A position holds the name of its game, whose turn it is, and either the actions since the start,
chance included, or what one seat knows (see ``Native.view``). The kernels keep nothing compiled
between two processes, for there is next to nothing in them.
"""

# Others' kernels call these; files that name sandtable.compiled are watched for edits.

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numba import njit, objmode
from numpy.typing import NDArray

from sandtable.adapters.openspiel.native import LONGEST_TEXT, MOST_LISTS, Native, digest, native
from sandtable.dice import below, picked
from sandtable.types import OVER, Position

__all__ = ["KERNELS", "blank", "history_of", "native_of", "position_size", "view_of"]

# Layout of a position.
KIND = 0  # WHOLE, or 1 + the seat whose view it is
TURN = 1  # the seat to act, or OVER
LENGTH = 2  # of the history; in a view: how often its seat has acted
NAME_LENGTH = 3
NAME = 4  # [NAME_LENGTH] characters of the game's name; after them the body

WHOLE = 0
Dice = NDArray[np.uint64]
Function = TypeVar("Function", bound=Callable[..., Any])

BY_CELLS: dict[bytes, Native] = {}  # games by their names as they stand in positions


def blank(name: str) -> tuple[int, ...]:
    """Return what ``start`` finds in the array."""
    return (WHOLE, 0, 0, len(name), *name.encode("ascii"))


def position_size(name: str) -> int:
    """Return how many cells a position of a game has."""
    game = native(name)
    cells = game.longest + game.throws
    if game.hidden:
        cells = max(cells, game.view.itemsize // 2)
    return NAME + len(name) + cells


def native_of(position: Position) -> Native:
    """Return the game of a position."""
    cells = position[NAME : NAME + position[NAME_LENGTH]]
    found = BY_CELLS.get(key := cells.tobytes())
    if found is None:
        found = BY_CELLS[key] = native(bytes(cells.astype(np.uint8)).decode("ascii"))
    return found


def body(position: Position) -> int:
    """Return the first cell after the name."""
    return NAME + int(position[NAME_LENGTH])


def history_of(position: Position) -> tuple[int, ...]:
    """Return the actions that led to a whole position, chance included."""
    first = body(position)
    return tuple(position[first : first + int(position[LENGTH])].tolist())


def view_of(position: Position) -> Any:
    """Return the fields of a view; writing to them writes to the position."""
    first, layout = body(position), native_of(position).view
    return position[first : first + layout.itemsize // 2].view(layout)[0]


def state_of(position: Position) -> Any:
    """Return OpenSpiel's state of a whole position."""
    return native_of(position).state(history_of(position))


def write(position: Position, state: Any) -> None:
    """Write a state that nobody will change any more."""
    history, first = tuple(state.history()), body(position)
    native_of(position).keep(history, state)
    position[first:] = 0
    position[first : first + len(history)] = history
    position[KIND] = WHOLE
    position[TURN] = OVER if state.is_terminal() else state.current_player()
    position[LENGTH] = len(history)


def throw(state: Any, dice: Dice) -> None:
    """Let chance act until it is somebody's turn."""
    while state.is_chance_node():
        actions, chances = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(actions[picked(dice, chances)])


def ask_start(position: Position, dice: Dice) -> None:
    """Begin a game."""
    state = native_of(position).game.new_initial_state()
    throw(state, dice)
    write(position, state)


def ask_legal(position: Position, mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions."""
    mask[:] = False
    if position[KIND] != WHOLE:
        mask[:] = view_of(position)["legal"]
    elif position[TURN] != OVER:
        mask[native_of(position).legal(state_of(position))] = True
    return int(mask.sum())


def ask_apply(position: Position, action: int, dice: Dice) -> None:
    """Play one action in a whole position."""
    state = state_of(position).child(int(action))
    throw(state, dice)
    write(position, state)


def ask_score(position: Position, scores: NDArray[np.float64]) -> None:
    """Write the result."""
    whole = position[KIND] == WHOLE
    scores[:] = state_of(position).returns() if whole else view_of(position)["scores"]


def ask_hide(position: Position, seat: int) -> None:
    """Replace the history by what a seat knows, in games that hide something."""
    game = native_of(position)
    if not game.hidden or position[KIND] != WHOLE:
        return
    history, turn = history_of(position), int(position[TURN])
    if (kept := game.views.get((seat, history))) is not None:
        position[:] = kept
        return
    state = game.state(history)
    position[body(position) :] = 0
    position[KIND] = 1 + seat
    view = view_of(position)
    told = game.player_text(state, seat)
    if turn == seat:
        view["legal"][game.legal(state)] = True
    if turn == OVER:
        view["scores"] = state.returns()
    view["told"] = digest(told)
    view["planes"] = game.planes(state, seat)
    view["text"] = (told + game.choices(state, seat)).encode()[:LONGEST_TEXT]
    position[LENGTH] = write_decisions(game, history, seat, view)
    game.keep_view(seat, history, position.copy())


def write_decisions(game: Native, history: tuple[int, ...], seat: int, view: Any) -> int:
    """Write what a seat was told whenever it acted, and what it did; return how often it did."""
    acted = 0
    for index, action in enumerate(history):
        state = game.state(history[:index])
        if state.current_player() == seat:
            view["decisions"][acted] = digest(game.player_text(state, seat))
            view["chosen"][acted] = action
            acted += 1
    return acted


def ask_guess(position: Position, seat: int, dice: Dice) -> None:
    """Replace a view by one of the histories it allows, each as likely."""
    if position[KIND] == WHOLE:
        return
    game, turn, key = native_of(position), int(position[TURN]), position.tobytes()
    allowed = game.lists.get(key)
    if allowed is None:
        allowed = game.allowed(view_of(position), seat, turn, int(position[LENGTH]))
        if len(game.lists) >= MOST_LISTS:
            game.lists.clear()
        game.lists[key] = allowed
    write(position, game.state(allowed[int(below(dice, len(allowed)))]))


def ask_encode(position: Position, seat: int, planes: NDArray[np.float32]) -> None:
    """Write what a seat knows as OpenSpiel's tensor."""
    if position[KIND] != WHOLE:
        planes.reshape(-1)[:] = view_of(position)["planes"]
        return
    planes.reshape(-1)[:] = native_of(position).planes(state_of(position), seat)


def asking(function: Function) -> Function:
    """Compile a kernel that asks Python; it keeps the lock that other kernels let go of."""
    return njit(function)  # type: ignore[no-any-return]


@asking
def start(position: Position, dice: Dice) -> None:
    """Begin a game."""
    with objmode():
        ask_start(position, dice)


@asking
def turn(position: Position) -> int:
    """Return the seat to act, or OVER."""
    return int(position[TURN])


@asking
def legal(position: Position, mask: NDArray[np.bool_]) -> int:
    """Mark the legal actions and return how many there are."""
    with objmode(count="int64"):
        count = ask_legal(position, mask)
    return count  # noqa: RET504 - nothing can be returned from inside


@asking
def apply(position: Position, action: int, dice: Dice) -> None:
    """Play one action."""
    with objmode():
        ask_apply(position, action, dice)


@asking
def score(position: Position, scores: NDArray[np.float64]) -> None:
    """Write the result."""
    with objmode():
        ask_score(position, scores)


@asking
def hide(position: Position, seat: int) -> None:
    """Leave what a seat knows."""
    with objmode():
        ask_hide(position, seat)


@asking
def guess(position: Position, seat: int, dice: Dice) -> None:
    """Fill a view."""
    with objmode():
        ask_guess(position, seat, dice)


@asking
def encode(position: Position, seat: int, planes: NDArray[np.float32]) -> None:
    """Write what a seat knows as planes."""
    with objmode():
        ask_encode(position, seat, planes)


KERNELS = SimpleNamespace(
    start=start, turn=turn, legal=legal, apply=apply, score=score, hide=hide, guess=guess
)
