"""Any game in OpenSpiel: ``register()`` once, then ``pyspiel.load_game("sandtable_lucid")``.

Dice are explicit chance nodes: whenever an action throws dice, chance first picks one of a few
streams, each as likely (parameter ``streams``), and the dice of that throw come from it. Nothing is
thrown ahead, so a search cannot foresee what the real dice will show. What a player knows comes
from views. A state is written down as its actions, never as a pickled object.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from sandtable.adapters.moments import Moment, begun
from sandtable.errors import MissingExtra, SandtableError
from sandtable.registry import GAMES, game_names, load, make_game
from sandtable.specs import Spec
from sandtable.types import Game, State

try:
    import pyspiel
except ImportError as problem:
    raise MissingExtra("an OpenSpiel game", "interop") from problem

__all__ = ["SandtableGame", "SandtableState", "openspiel_game", "register"]

PREFIX = "sandtable_"
STREAMS = "streams"  # the parameter that says how many outcomes a chance node has
DEFAULT_STREAMS = 256
WRITTEN_FROM = "from "  # how a written state begins that was not reached from the start


def register(names: Iterable[str] | None = None) -> list[str]:
    """Register games (by default all) with OpenSpiel; return what ``load_game`` calls them."""
    known = set(pyspiel.registered_names())
    registered = []
    for name in game_names() if names is None else names:
        if PREFIX + name not in known:
            try:
                pyspiel.register_game(game_type(make_game(name)), Maker(name))
            except SandtableError as problem:
                if names is not None:
                    raise
                warnings.warn(f"not registered with OpenSpiel: {problem}", stacklevel=2)
                continue
        registered.append(PREFIX + name)
    return registered


def openspiel_game(game: str | Game, streams: int = DEFAULT_STREAMS) -> SandtableGame:
    """Return a game, by its spec, for OpenSpiel; nothing needs to be registered for that."""
    made = make_game(game) if isinstance(game, str) else game
    options = {name: parameter(value) for name, value in made.options.items()}
    return SandtableGame(made, {**options, STREAMS: streams})


class Maker:
    """What OpenSpiel calls with the parameters of a game."""

    def __init__(self, name: str) -> None:
        self.name = name
        # OpenSpiel lets go of it after Python has ended, when nothing can be freed any more: what
        # holds itself is never freed then.
        self.itself = self

    def __call__(self, params: dict[str, Any]) -> SandtableGame:
        defaults = parameters(self.name)
        given = {key: value for key, value in params.items() if value != defaults.get(key)}
        options = {key: written(value) for key, value in given.items() if key != STREAMS}
        return SandtableGame(make_game(str(Spec(self.name, None, options))), given)


def parameters(name: str) -> dict[str, Any]:
    """Return the parameters of a game with their defaults: its options, and the streams."""
    if name not in game_names():  # a game somebody has made without a plug-in
        return {STREAMS: DEFAULT_STREAMS}
    options = inspect.signature(load(GAMES, "game", name)).parameters
    return {
        **{key: parameter(option.default) for key, option in options.items()},
        STREAMS: DEFAULT_STREAMS,
    }


def parameter(value: Any) -> Any:
    """Return a value as one of the types OpenSpiel's parameters have."""
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def written(value: Any) -> str:
    """Return the value of a parameter as a spec string writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def game_type(game: Game) -> Any:
    """Return what OpenSpiel wants to know about a kind of game."""
    kinds = pyspiel.GameType
    defaults = parameters(game.name)
    seats = defaults.get("players", len(game.seats)), len(game.seats)
    return kinds(
        short_name=PREFIX + game.name,
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC
        if game.chance
        else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION
        if game.hidden
        else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if game.zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(seats),
        min_num_players=min(seats),
        provides_information_state_string=True,
        provides_information_state_tensor=False,  # all that was seen has no small fixed size
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults,
        provides_factored_observation_string=False,
    )


def game_info(game: Game, streams: int) -> Any:
    """Return the sizes and bounds of a game."""
    return pyspiel.GameInfo(
        num_distinct_actions=game.action_count,
        max_chance_outcomes=streams if game.chance else 0,
        num_players=len(game.seats),
        min_utility=min(low for low, _ in game.score_bounds),
        max_utility=max(high for _, high in game.score_bounds),
        utility_sum=0.0 if game.zero_sum else None,
        max_game_length=game.longest,
    )


class SandtableGame(pyspiel.Game):  # type: ignore[misc]
    """A game as OpenSpiel knows it."""

    def __init__(self, game: Game, params: dict[str, Any]) -> None:
        self.sandtable = game
        self.streams = int(params.get(STREAMS, DEFAULT_STREAMS))
        if self.streams < 1:
            raise SandtableError(f"streams is 1 or more, got {self.streams}")
        self.first: Moment | None = None  # shared by all states: cloning begins with it
        super().__init__(game_type(game), game_info(game, self.streams), params)

    def new_initial_state(self, line: str | None = None) -> SandtableState:
        """Return the start, or the state of a whole position written in one line."""
        if line is not None:
            return self.state_at(self.sandtable.parse(line))
        if self.first is None:
            self.first = begun(self.sandtable, self.streams)
        return SandtableState(self, self.first)

    def state_at(self, state: State) -> SandtableState:
        """Return a whole position as a state without a past."""
        return SandtableState(self, begun(self.sandtable, self.streams, state))

    def max_chance_nodes_in_history(self) -> int:
        """Return how often dice can be thrown: for the start, and in every action."""
        return self.sandtable.longest + 1 if self.sandtable.chance else 0

    def deserialize_state(self, text: str) -> SandtableState:
        """Read what ``serialize`` has written."""
        first, _, actions = text.partition("\n")
        line = first.removeprefix(WRITTEN_FROM) if first else None
        state = self.new_initial_state(line)
        for action in actions.split():
            state.apply_action(int(action))
        return state

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """Return what turns states into strings and tensors."""
        return Observer(
            self.sandtable, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        )


class SandtableState(pyspiel.State):  # type: ignore[misc]
    """A state as OpenSpiel knows it; the moment is all there is to it (see ``moments``)."""

    def __init__(self, game: SandtableGame, moment: Moment) -> None:
        super().__init__(game)
        self.moment = moment

    def current_player(self) -> int:
        """Return the seat to act, chance, or that the game is over."""
        if self.moment.thrown:
            return int(pyspiel.PlayerId.CHANCE)
        return self.moment.turn if self.moment.turn >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.moment.now.legal)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the streams the dice may come from."""
        streams = self.moment.streams
        return [(stream, 1.0 / streams) for stream in range(streams)]

    def _apply_action(self, action: int) -> None:
        self.moment = self.moment.after(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"dice {action}"
        return self.moment.game.notation.action_name(action)

    def is_terminal(self) -> bool:
        """Say whether the game is over."""
        return not self.moment.thrown and self.moment.turn < 0

    def returns(self) -> list[float]:
        """Return the scores; nothing before the end."""
        if not self.is_terminal():
            return [0.0] * len(self.moment.game.seats)
        outcome = self.moment.now.outcome
        assert outcome is not None
        return list(outcome.scores)

    def serialize(self) -> str:
        """Write the state down as where it began and its actions, chance included."""
        line, actions = self.moment.past
        first = "" if line is None else WRITTEN_FROM + line
        return f"{first}\n{' '.join(str(action) for action in actions)}"

    def __str__(self) -> str:
        return self.moment.line


class Observer:
    """What a player may know, as text and as planes.

    With perfect recall the text holds everything the player has seen so far. Public information
    alone is what everybody knows: whose turn it is, unless the game has nothing to hide.
    """

    def __init__(self, game: Game, wanted: Any) -> None:
        self.game, self.wanted = game, wanted
        self.tensor = np.zeros(int(np.prod(game.plane_shape)), dtype=np.float32)
        self.dict = {"planes": self.tensor.reshape(game.plane_shape)}

    def set_from(self, state: SandtableState, player: int) -> None:
        """Fill the planes with what a player sees."""
        self.tensor.fill(0.0)
        if state.moment.state is not None and self.sees_own():
            self.dict["planes"][:] = state.moment.now.planes(player)

    def string_from(self, state: SandtableState, player: int) -> str:
        """Return what a player sees, or has seen, as text."""
        if not self.sees_own():
            return f"turn {state.moment.turn}" if self.wanted.public_info else ""
        return state.moment.seen_by(player, whole=self.wanted.perfect_recall)

    def sees_own(self) -> bool:
        """Say whether a player's own view is asked for; what is open to all is public."""
        if not self.game.hidden:
            return bool(self.wanted.public_info)
        return bool(self.wanted.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER)
