"""How far a player of one of OpenSpiel's games is from an equilibrium, by OpenSpiel's exact sums.

NashConv is what the seats together could gain if each knew what the others play and answered
best; 0 is an equilibrium. It takes a game small enough to be listed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.adapters.openspiel.native import spiel
from sandtable.adapters.openspiel.rules import native_of, write
from sandtable.errors import SandtableError
from sandtable.types import Game, State

__all__ = ["nash_conv", "tabular_policy"]

Shares = Callable[[State], NDArray[Any]]  # what is played in a view: a share for every action


def tabular_policy(game: Game, shares: Shares) -> Any:
    """Return what is played in every view of a game, as a table of OpenSpiel."""
    spiel("exact sums over a game")
    if not game.name.startswith("openspiel."):
        raise SandtableError(f"exact sums are for games of OpenSpiel, and {game.name} is none")
    from open_spiel.python.policy import TabularPolicy

    position = game.empty_position()
    table = TabularPolicy(native_of(position).game)
    for number, state in enumerate(table.states):
        here = position.copy()
        write(here, state.clone())
        view = State(game, here).view(state.current_player())
        chosen = np.asarray(shares(view), dtype=np.float64)
        legal = chosen * table.legal_actions_mask[number]
        table.action_probability_array[number] = legal / legal.sum()
    return table


def nash_conv(game: Game, shares: Shares) -> float:
    """Return what all seats together could gain by best answers to what is played.

    >>> from sandtable.registry import make_game
    >>> def anything(view):
    ...     return view.mask / view.mask.sum()
    >>> round(nash_conv(make_game("openspiel.kuhn_poker"), anything), 4)
    0.9167
    """
    from open_spiel.python.algorithms import exploitability

    policy = tabular_policy(game, shares)
    return float(exploitability.nash_conv(policy.game, policy))
