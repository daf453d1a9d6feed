"""Networks of the six planes out of files, for the board they were trained on.

A file says how its board is seen: a network that was trained on boards that are not turned for
Blue gets them so, and what it says of moves is turned to what the rest of an agent expects.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.onnx_files import OnnxNetwork
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.classic_board import BUNDLED, weights_file
from sandtable.games.stratego.agents.square_codes import PLANES, moves_of_board, turned_actions
from sandtable.types import Game

__all__ = ["SeenBoards", "bundled_for", "check_variant", "open_for", "variant_of"]

LOGITS, VALUES = "logits", "values"


class SeenBoards:
    """A network whose input is what a seat sees of a board.

    >>> SeenBoards(weights_file("policy", "policy"), LOGITS, "stratego/policy").side
    10

    Raises SandtableError for a file that holds no such network of either board.
    """

    def __init__(self, path: Path, output: str, owner: str) -> None:
        self.path = path
        self.network, self.side = open_either(path, output, owner)
        self.turned = self.network.session.notes.get("turned", "True") != "False"
        self.turning = turned_actions(self.side) if output == LOGITS else None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Return the shape of the planes of one board."""
        return PLANES, self.side, self.side

    def run(self, planes: NDArray[np.float32], seat: int) -> NDArray[np.float32]:
        """Return what the network says of boards that one seat sees, in the frame of the seat."""
        if self.turned or seat == layout.RED:
            return self.network.run(planes)[0]
        found = self.network.run(np.ascontiguousarray(planes[:, :, ::-1, ::-1]))[0]
        return found if self.turning is None else found[:, self.turning]


def open_either(path: Path, output: str, owner: str) -> tuple[OnnxNetwork, int]:
    """Open a file for the large board, or else for the small one; return the side as well."""
    first: SandtableError | None = None
    for side in (layout.SIDE, layout.SMALL_SIDE):
        numbers: tuple[int, ...] = (moves_of_board(side),) if output == LOGITS else ()
        try:
            return OnnxNetwork(path, (PLANES, side, side), {output: numbers}, owner), side
        except SandtableError as problem:
            first = first or problem
    assert first is not None
    raise first


def variant_of(game: Game) -> str:
    """Return the variant of a game.

    >>> from sandtable.registry import make_game
    >>> variant_of(make_game("stratego:variant=duel"))
    'duel'
    """
    return layout.VARIANT_NAMES[int(game.initial_cells[layout.VARIANT])]


def bundled_for(kind: str, variant: str) -> str | None:
    """Return the bundled network of a kind for a variant: its own, or that of the same board.

    >>> bundled_for("value", "classic")
    'value'
    """
    if f"{kind}-{variant}" in BUNDLED:
        return f"{kind}-{variant}"
    large = layout.SIDES[layout.VARIANT_NAMES.index(variant)] == layout.SIDE
    return kind if large else None


def check_variant(kind: str, game: Game) -> None:
    """Refuse other games, and variants for whose board there is no bundled network."""
    if game.name != "stratego":
        raise WrongSeats(f"'stratego/{kind}' plays stratego, not {game.name}")
    if bundled_for(kind, variant_of(game)) is None:
        raise WrongSeats(
            f"'stratego/{kind}' has no network for the board of {game.spec}; train one with "
            f"sandtable train stratego/{kind} --preset {variant_of(game)}"
        )


def open_for(kind: str, weights: str, game: Game, opened: SeenBoards, output: str) -> SeenBoards:
    """Return the network for a game: the one that is open, or if none was named the variant's."""
    if game.name != "stratego":
        raise WrongSeats(f"'stratego/{kind}' plays stratego, not {game.name}")
    name = bundled_for(kind, variant_of(game)) if weights == kind else None
    path = weights_file(name, kind) if name else opened.path
    found = opened if path == opened.path else SeenBoards(path, output, f"stratego/{kind}")
    if game.board_shape != (found.side, found.side):
        raise WrongSeats(
            f"the network {path.name} of 'stratego/{kind}' is for a board of {found.side} by "
            f"{found.side}, it does not fit {game.spec}"
        )
    return found
