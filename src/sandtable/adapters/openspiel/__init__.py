"""OpenSpiel: our games there, and its games and bots here.

>>> from sandtable.adapters.openspiel import openspiel_game
>>> openspiel_game("lucid").num_players()
2
"""

from __future__ import annotations

from typing import Any

__all__ = ["openspiel_game", "register"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sandtable.adapters.openspiel' has no attribute '{name}'")
    from sandtable.adapters.openspiel import our_games  # which needs OpenSpiel

    return getattr(our_games, name)
