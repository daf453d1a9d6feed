"""Any game in OpenSpiel: ``register()`` once, then ``pyspiel.load_game("sandtable_lucid")``.

Whenever an action throws dice there is a chance node (see ``chance``). Nothing is thrown
ahead, so a search cannot foresee what the real dice will show. What a player knows comes from
views. A state is written down as its actions, never as a pickled object.

An action's number is the one it has in the frame of the player to act, which is also the frame of
that player's tensors (see ``Game.action_frames``); its name is the same for everybody.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterable
from typing import Any

from sandtable.adapters.openspiel.chance import DEFAULT_STREAMS, Chance
from sandtable.adapters.openspiel.moments import Moment, begun
from sandtable.dice import Dice
from sandtable.errors import MissingExtra, SandtableError
from sandtable.registry import GAMES, game_names, load, make_game
from sandtable.specs import Spec
from sandtable.types import Game, State

try:
    import pyspiel
except ImportError as problem:
    raise MissingExtra("an OpenSpiel game", "interop") from problem

from sandtable.adapters.openspiel.observers import Observer, recall_is_small

__all__ = ["SandtableGame", "SandtableState", "openspiel_game", "register"]

PREFIX = "sandtable_"
CHANCE, STREAMS, SEED = "chance", "streams", "seed"  # the parameters about dice
UNSEEDED = -1
ABOUT_DICE = {CHANCE: "streams", STREAMS: DEFAULT_STREAMS, SEED: UNSEEDED}
LIKE_A_NUMBER = re.compile(r"[-+0-9.eE]+")
WRITTEN_FROM = "from "  # how a written state begins that was not reached from the start


def register(names: Iterable[str] | None = None) -> list[str]:
    """Register games (by default all) with OpenSpiel; return what ``load_game`` calls them."""
    known = set(pyspiel.registered_names())
    registered = []
    for name in game_names() if names is None else names:
        if PREFIX + name not in known:
            try:
                pyspiel.register_game(game_type(make_game(name), Chance()), Maker(name))
            except SandtableError as problem:
                if names is not None:
                    raise
                warnings.warn(f"not registered with OpenSpiel: {problem}", stacklevel=2)
                continue
        registered.append(PREFIX + name)
    return registered


def openspiel_game(
    game: str | Game,
    streams: int = DEFAULT_STREAMS,
    chance: str = "streams",
    seed: int | None = None,
    at: State | None = None,
) -> SandtableGame:
    """Return a game, by its spec, for OpenSpiel; nothing needs to be registered for that.

    ``chance`` is streams, exact or sampled; ``seed`` is for sampled chance. ``at`` is a whole
    position in which all games begin, such as an endgame that is small enough to be solved.
    """
    made = make_game(game) if isinstance(game, str) else game
    defaults = parameters(made.name)
    options = {name: typed(value, defaults.get(name)) for name, value in made.options.items()}
    about_dice = {CHANCE: chance, STREAMS: streams, SEED: UNSEEDED if seed is None else seed}
    given = {key: value for key, value in about_dice.items() if value != ABOUT_DICE[key]}
    return SandtableGame(made, {**options, **given}, at)


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
        options = {key: written(value) for key, value in given.items() if key not in ABOUT_DICE}
        return SandtableGame(make_game(str(Spec(self.name, None, options))), given)


def parameters(name: str) -> dict[str, Any]:
    """Return the parameters of a game with their defaults: its options, and those about dice."""
    if name not in game_names():  # a game somebody has made without a plug-in
        return dict(ABOUT_DICE)
    options = inspect.signature(load(GAMES, "game", name)).parameters
    return {
        **{key: parameter(option.default) for key, option in options.items()},
        **ABOUT_DICE,
    }


def parameter(value: Any) -> Any:
    """Return a value as one of the types OpenSpiel's parameters have.

    OpenSpiel reads ``level=2`` as a number and refuses it where a text is wanted, so texts that
    look like numbers are written in quotes: ``level='2'``.
    """
    if isinstance(value, (bool, int, float)):
        return value
    text = str(value)
    return f"'{text}'" if LIKE_A_NUMBER.fullmatch(text) else text


def typed(value: Any, default: Any) -> Any:
    """Return the value of an option as a parameter of the type its default has."""
    if isinstance(default, bool):
        return str(value).lower() == "true"
    return type(default)(value) if isinstance(default, (int, float)) else parameter(value)


def written(value: Any) -> str:
    """Return the value of a parameter as a spec string writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value).strip("'")


def chance_mode(game: Game, chance: Chance) -> Any:
    """Return what OpenSpiel calls the way dice are thrown."""
    modes = pyspiel.GameType.ChanceMode
    if not game.chance:
        return modes.DETERMINISTIC
    return modes.SAMPLED_STOCHASTIC if chance.sampled else modes.EXPLICIT_STOCHASTIC


def game_type(game: Game, chance: Chance) -> Any:
    """Return what OpenSpiel wants to know about a kind of game."""
    kinds = pyspiel.GameType
    defaults = parameters(game.name)
    seats = defaults.get("players", len(game.seats)), len(game.seats)
    return kinds(
        short_name=PREFIX + game.name,
        long_name=game.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=chance_mode(game, chance),
        information=kinds.Information.IMPERFECT_INFORMATION
        if game.hidden
        else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if game.zero_sum else kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(seats),
        min_num_players=min(seats),
        provides_information_state_string=True,
        provides_information_state_tensor=recall_is_small(game),
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=defaults,
        provides_factored_observation_string=False,
    )


def game_info(game: Game, chance: Chance) -> Any:
    """Return the sizes and bounds of a game."""
    return pyspiel.GameInfo(
        num_distinct_actions=game.action_count,
        max_chance_outcomes=chance.most_outcomes if game.chance else 0,
        num_players=len(game.seats),
        min_utility=min(low for low, _ in game.score_bounds),
        max_utility=max(high for _, high in game.score_bounds),
        utility_sum=0.0 if game.zero_sum else None,
        max_game_length=game.max_actions,
    )


class SandtableGame(pyspiel.Game):  # type: ignore[misc]
    """A game as OpenSpiel knows it."""

    def __init__(self, game: Game, params: dict[str, Any], at: State | None = None) -> None:
        self.sandtable, self.at = game, at
        about_dice = {**ABOUT_DICE, **params}
        seed = int(about_dice[SEED])
        dice = Dice.fresh() if seed == UNSEEDED else Dice(seed, "sampled chance")
        self.chance = Chance(str(about_dice[CHANCE]), int(about_dice[STREAMS]), dice)
        self.first: Moment | None = None  # shared by all states: cloning begins with it
        super().__init__(game_type(game, self.chance), game_info(game, self.chance), params)

    def new_initial_state(self, line: str | None = None) -> SandtableState:
        """Return the start, or the state of a whole position written in one line."""
        if line is not None:
            return self.state_at(self.sandtable.parse(line))
        if self.first is None:
            self.first = begun(self.sandtable, self.chance, self.at)
        return SandtableState(self, self.first)

    def state_at(self, state: State) -> SandtableState:
        """Return a whole position as a state without a past."""
        return SandtableState(self, begun(self.sandtable, self.chance, state))

    def max_chance_nodes_in_history(self) -> int:
        """Return how often dice can be thrown: for the start, and in every action."""
        return self.sandtable.max_actions + 1 if self.sandtable.chance else 0

    def deserialize_state(self, text: str) -> SandtableState:
        """Read what ``serialize`` has written."""
        first, _, actions = text.partition("\n")
        line = first.removeprefix(WRITTEN_FROM) if first else None
        state = self.new_initial_state(line)
        for action in actions.split():
            state.repeat(int(action))
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
        self.stream: int | None = None  # of sampled chance that is to come again

    def current_player(self) -> int:
        """Return the seat to act, chance, or that the game is over."""
        if self.moment.thrown:
            return int(pyspiel.PlayerId.CHANCE)
        return self.moment.turn if self.moment.turn >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        game, moment = self.moment.game, self.moment
        mask = game.seat_mask(moment.turn, moment.now.mask) if moment.turn >= 0 else moment.now.mask
        return [int(action) for action in mask.nonzero()[0]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what chance can pick."""
        return self.moment.outcomes()

    def _apply_action(self, action: int) -> None:
        if self.moment.thrown and self.moment.chance.sampled:
            action = self.moment.chance.draw() if self.stream is None else self.stream
        if not self.moment.thrown:
            action = self.moment.game.board_action(self.moment.turn, int(action))
        self.moment = self.moment.after(int(action))

    def repeat(self, action: int) -> None:
        """Play an action as it was written; of sampled chance, what was drawn then."""
        if not (self.moment.thrown and self.moment.chance.sampled):
            self.apply_action(action)
            return
        self.stream = action
        self.apply_action(0)  # all that OpenSpiel knows of it
        self.stream = None

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"dice {action}"
        game = self.moment.game
        return game.notation.action_name(game.board_action(player, action))

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
        line, _ = self.moment.past
        actions: list[int] = []
        moment = self.moment
        while moment.before is not None:  # as they are numbered for whoever played them
            before, action = moment.before, moment.action
            seat_action = moment.game.seat_action
            actions.insert(0, action if before.thrown else seat_action(before.turn, action))
            moment = before
        first = "" if line is None else WRITTEN_FROM + line
        return f"{first}\n{' '.join(str(action) for action in actions)}"

    def __str__(self) -> str:
        return self.moment.line
