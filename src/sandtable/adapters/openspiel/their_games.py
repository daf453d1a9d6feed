"""Games of OpenSpiel as ours: ``openspiel.tic_tac_toe``, ``openspiel.kuhn_poker:players=3``.

They are played, recorded, replayed and rated like any other game, and every agent for any game can
play them. They are as fast as OpenSpiel called from Python, not as fast as kernels.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from sandtable.adapters.openspiel.native import native, spiel
from sandtable.errors import UnknownName, UnreadableSpec, suggestion
from sandtable.types import Game, Position, Rules

__all__ = ["family"]

PYTHON_GAMES = "python_"  # how the names of games begin that OpenSpiel writes in Python


def family(name: str) -> Callable[..., Game]:
    """any game of OpenSpiel, for example openspiel.tic_tac_toe (extra interop)"""
    kind = kind_named(name)
    defaults = {
        key: value
        for key, value in kind.parameter_specification.items()
        if isinstance(value, (bool, int, float, str)) and key.isidentifier()
    }

    def make(**options: Any) -> Game:
        given = {key: value for key, value in options.items() if value != defaults[key]}
        return made(name, {**defaults, **given} if given else {}, given)

    kinds = inspect.Parameter.KEYWORD_ONLY
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(key, kinds, default=value) for key, value in defaults.items()]
    )
    make.__annotations__ = {key: type(value) for key, value in defaults.items()}
    make.__doc__ = f"{kind.long_name}, as OpenSpiel plays it."
    return make


def kind_named(name: str) -> Any:
    """Return what OpenSpiel says about a game, or suggest another name."""
    pyspiel = spiel(f"the game 'openspiel.{name}'")
    if name.startswith(PYTHON_GAMES):
        from open_spiel.python import games  # noqa: F401 - they are registered by that
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise UnknownName(
            f"OpenSpiel has no game '{name}'.{suggestion(name, kinds)} "
            "pyspiel.registered_names() lists them all."
        )
    return kinds[name]


def made(name: str, parameters: dict[str, Any], given: dict[str, Any]) -> Game:
    """Return the facts of a game."""
    from sandtable.adapters.openspiel.rules import KERNELS, blank, encode, position_size
    from sandtable.adapters.openspiel.text import NativeDrawing, NativeNotation

    text = loaded_text(name, parameters)
    game = native(text)
    lowest, highest = float(game.game.min_utility()), float(game.game.max_utility())
    planes, height, width = game.plane_shape
    return Game(
        name=f"openspiel.{name}",
        title=f"{game.type.long_name} (OpenSpiel)",
        version=1,
        seats=tuple(f"player{seat}" for seat in range(game.seats)),
        rules=Rules.of(KERNELS, encode),
        notation=NativeNotation(text),
        drawing=NativeDrawing(),
        position_size=position_size(text),
        action_count=game.actions,
        plane_names=tuple(f"OpenSpiel's tensor {plane}" for plane in range(planes)),
        board_shape=(height, width),
        score_bounds=((lowest, highest),) * game.seats,
        max_actions=game.longest,
        chance=game.chance,
        hidden=game.hidden,
        zero_sum=game.zero_sum,
        has_winner=game.zero_sum and (lowest, highest) == (-1.0, 1.0),
        action_visible_to=only_own if game.hidden else None,
        options={key: written(value) for key, value in given.items()},
        initial_cells=blank(text),
    )


def written(value: Any) -> str:
    """Return the value of a parameter as a spec string has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def loaded_text(name: str, parameters: dict[str, Any]) -> str:
    """Return how OpenSpiel writes a game with these parameters, if it can be made."""
    pyspiel = spiel(f"the game 'openspiel.{name}'")
    try:
        text = str(pyspiel.load_game(name, parameters))
        native(text)
    except pyspiel.SpielError as problem:
        what = " ".join(str(problem).split())
        raise UnreadableSpec(f"OpenSpiel does not make the game '{name}': {what}") from None
    return text


def only_own(position: Position, action: int, seat: int) -> bool:
    """Say that a seat learns its own actions only; of all others, what OpenSpiel tells it."""
    from sandtable.adapters.openspiel.rules import TURN

    return bool(position[TURN] == seat)
