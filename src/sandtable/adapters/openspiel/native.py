"""A game of OpenSpiel as we need it: its states by their history, and what each player knows.

Nothing here is imported from OpenSpiel before a game is asked for, so that its games and bots can
be listed where the extra ``interop`` is not installed.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.errors import MissingExtra, SandtableError, UnreadableSpec
from sandtable.types import OVER

__all__ = ["Native", "native", "spiel"]

LARGEST_CELL = 2**15 - 1  # of a position
LONGEST_TEXT = 1000  # bytes of what a player is told; the rest is left out
MOST_STATES = 16_384  # kept, so that a game need not be played again for every question
MOST_VIEW_BYTES = 1 << 25  # kept in the same way, of what seats know
MOST_LISTS = 256  # kept, of histories that a view allows
MOST_LOOKED_AT = 100_000  # histories, in search of those that a view allows


def spiel(purpose: str) -> Any:
    """Return the module of OpenSpiel, or say how to get it."""
    try:
        import pyspiel
    except ImportError as problem:
        raise MissingExtra(purpose, "interop") from problem
    return pyspiel


@functools.cache
def native(text: str) -> Native:
    """Return the game that OpenSpiel calls so."""
    return Native(text)


class Native:
    """One game of OpenSpiel with its parameters; simultaneous ones are played turn by turn."""

    def __init__(self, text: str) -> None:
        pyspiel = spiel("a game of OpenSpiel")
        loaded = pyspiel.load_game(text)
        kinds = pyspiel.GameType
        if loaded.get_type().dynamics == kinds.Dynamics.SIMULTANEOUS:
            loaded = pyspiel.convert_to_turn_based(loaded)
        self.game, self.type = loaded, loaded.get_type()
        self.seats: int = loaded.num_players()
        self.actions: int = loaded.num_distinct_actions()
        self.longest: int = loaded.max_game_length()
        self.chance = self.type.chance_mode != kinds.ChanceMode.DETERMINISTIC
        self.hidden = self.type.information != kinds.Information.PERFECT_INFORMATION
        self.throws: int = loaded.max_chance_nodes_in_history() if self.chance else 0
        self.zero_sum = self.type.utility == kinds.Utility.ZERO_SUM
        self.states: dict[tuple[int, ...], Any] = {}
        self.views: dict[tuple[int, tuple[int, ...]], NDArray[np.int16]] = {}
        self.lists: dict[bytes, list[tuple[int, ...]]] = {}
        refuse_what_does_not_fit(text, self, kinds)
        size = int(np.prod(self.plane_shape))
        self.view = np.dtype(
            [
                ("legal", np.bool_, (self.actions,)),
                ("scores", np.float64, (self.seats,)),
                ("decisions", np.uint64, (self.longest,)),  # what it was told whenever it acted
                ("chosen", np.int16, (self.longest,)),  # what it then did
                ("told", np.uint64),  # a digest of what it is told now
                ("planes", np.float32, (size,)),
                ("text", np.bytes_, LONGEST_TEXT),
                ("even", np.bytes_, 2 + self.actions % 2),  # cells are two bytes
            ]
        )

    @property
    def plane_shape(self) -> tuple[int, int, int]:
        """The shape of what the game offers as input of a network."""
        shape = self.tensor_shape
        if len(shape) == 3:
            return (shape[0], shape[1], shape[2])
        if len(shape) == 2:
            return (1, shape[0], shape[1])
        return (1, 1, max(1, int(np.prod(shape))))

    @property
    def tensor_shape(self) -> list[int]:
        """The shape of the tensor of an information state or observation, empty without any."""
        if self.type.provides_information_state_tensor and (
            self.hidden or not self.type.provides_observation_tensor
        ):
            return list(self.game.information_state_tensor_shape())
        if self.type.provides_observation_tensor:
            return list(self.game.observation_tensor_shape())
        return []

    def planes(self, state: Any, seat: int) -> NDArray[np.float32]:
        """Return a tensor of what a player knows, flat; zeros in games that have none."""
        shape = self.tensor_shape
        if not shape:
            return np.zeros(1, dtype=np.float32)
        if self.type.provides_information_state_tensor and (
            self.hidden or not self.type.provides_observation_tensor
        ):
            return np.array(state.information_state_tensor(seat), dtype=np.float32)
        return np.array(state.observation_tensor(seat), dtype=np.float32)

    def state(self, history: Sequence[int]) -> Any:
        """Return the state after these actions, chance included; nobody may change it."""
        key = tuple(history)
        found = self.states.get(key)
        if found is None:
            found = self.game.new_initial_state()
            for action in key:
                found.apply_action(action)
            self.keep(key, found)
        return found

    def keep(self, key: tuple[int, ...], state: Any) -> None:
        """Remember a state by its history."""
        if len(self.states) >= MOST_STATES:
            self.states.clear()
        self.states[key] = state

    def keep_view(self, seat: int, history: tuple[int, ...], view: NDArray[np.int16]) -> None:
        """Remember what a seat knows after a history."""
        if len(self.views) * view.nbytes >= MOST_VIEW_BYTES:
            self.views.clear()
        self.views[seat, history] = view

    def legal(self, state: Any) -> list[int]:
        """Return the legal actions, which must be among those the game has declared."""
        legal: list[int] = state.legal_actions()
        if legal and max(legal) >= self.actions:
            raise UnreadableSpec(
                f"'openspiel.{self.type.short_name}' cannot be played here: it declares "
                f"{self.actions} actions and allows number {max(legal)}"
            )
        return legal

    def player_text(self, state: Any, seat: int) -> str:
        """Return in words what a player knows."""
        if self.type.provides_information_state_string:
            return str(state.information_state_string(seat))
        return str(state.observation_string(seat))

    def choices(self, state: Any, seat: int) -> str:
        """Return what the legal actions of a player mean, as one more line of text."""
        if state.is_terminal() or state.current_player() != seat:
            return ""
        named = [f"{each} {state.action_to_string(seat, each)}" for each in state.legal_actions()]
        return f"\nactions: {', '.join(named)}"

    def allowed(self, view: Any, seat: int, turn: int, count: int) -> list[tuple[int, ...]]:
        """Return all histories after which a player would have seen exactly this."""
        found: list[tuple[int, ...]] = []
        waiting: list[tuple[Any, int]] = [(self.game.new_initial_state(), 0)]
        looked = 0
        while waiting:
            state, acted = waiting.pop()
            looked += 1
            if looked > MOST_LOOKED_AT:
                raise SandtableError(
                    f"{self.game} is too large to list what a view of it allows: more than "
                    f"{MOST_LOOKED_AT:,} histories; take an agent that does not guess"
                )
            player = OVER if state.is_terminal() else int(state.current_player())
            fits = acted == count and player == turn and not state.is_chance_node()
            if fits and player == OVER:  # everybody knows how it ended
                fits = list(view["scores"]) == state.returns()
            if fits and digest(self.player_text(state, seat)) == int(view["told"]):
                found.append(tuple(state.history()))
            waiting += self.going_on(view, seat, state, player, acted, count)
        return found

    def going_on(
        self, view: Any, seat: int, state: Any, player: int, acted: int, count: int
    ) -> Iterator[tuple[Any, int]]:
        """Return what may come next on the way to a view."""
        if state.is_terminal():
            return
        if player != seat:
            for action in state.legal_actions():
                yield state.child(action), acted
        elif acted < count and digest(self.player_text(state, seat)) == int(
            view["decisions"][acted]
        ):
            yield state.child(int(view["chosen"][acted])), acted + 1


def digest(text: str) -> int:
    """Return a number that stands for a text."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def refuse_what_does_not_fit(text: str, native: Native, kinds: Any) -> None:
    """Say which games cannot be played here, and why."""
    strings = (
        native.type.provides_information_state_string or native.type.provides_observation_string
    )
    for wrong, why in [
        (native.type.chance_mode == kinds.ChanceMode.SAMPLED_STOCHASTIC,
         "it throws its dice out of sight, so no record of it could be replayed"),
        (native.type.dynamics != kinds.Dynamics.SEQUENTIAL, "nobody takes turns in it"),
        (not 0 < native.actions <= LARGEST_CELL, f"it has {native.actions:,} actions"),
        (native.chance and native.game.max_chance_outcomes() > LARGEST_CELL,
         f"its dice have {native.game.max_chance_outcomes() if native.chance else 0:,} sides"),
        (not 0 < native.longest + native.throws <= LARGEST_CELL,
         f"it can take {native.longest + native.throws:,} actions"),
        (native.hidden and not strings, "it does not say what a player knows"),
    ]:  # fmt: skip
        if wrong:
            name = text.removesuffix("()")
            raise UnreadableSpec(f"'openspiel.{name}' cannot be played here: {why}")
