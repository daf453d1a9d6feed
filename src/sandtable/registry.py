"""Names to games and agents, through entry points; our own are registered like anybody's.

A package adds a game with an entry point in the group ``sandtable.games`` (a function that takes
the game's options and returns a Game), and an agent with one in ``sandtable.agents`` (a class or
function that takes the agent's options and returns an Agent). One in ``sandtable.game_families`` is
for many games at once: a function that takes what stands after the dot, as in
``openspiel.tic_tac_toe``, and returns the function of that game. Nothing is imported until it is
used, and a plug-in that cannot be imported breaks nothing but itself.
"""

from __future__ import annotations

import functools
import importlib.util
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandtable.errors import SandtableError, UnknownName, WrongSeats, suggestion
from sandtable.specs import Spec, build, parse_spec

if TYPE_CHECKING:
    from sandtable.agent import Agent
    from sandtable.types import Game

__all__ = [
    "agent_factory",
    "agent_names",
    "check_seat",
    "check_seats",
    "family_names",
    "game_factory",
    "game_names",
    "is_game",
    "make_agent",
    "make_game",
    "summary",
]

GAMES = "sandtable.games"
AGENTS = "sandtable.agents"
FAMILIES = "sandtable.game_families"
MOST_GAMES_KEPT = 1000  # with different options; a server is asked for ever new ones


@functools.cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name; of two with one name the first counts."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        if point.name in found and point.value != found[point.name].value:
            warnings.warn(
                f"{group} '{point.name}' is registered twice; using {found[point.name].value}, "
                f"not {point.value}",
                stacklevel=2,
            )
        found.setdefault(point.name, point)
    return dict(sorted(found.items()))


def game_names() -> list[str]:
    """Return the names of all installed games.

    >>> "lucid" in game_names()
    True
    """
    return list(registered(GAMES))


def family_names() -> list[str]:
    """Return the names of all installed families of games."""
    return list(registered(FAMILIES))


def agent_names(game: str | None = None) -> list[str]:
    """Return the names of all installed agents, or of those that can play a game.

    >>> "random" in agent_names("lucid"), "skirmish/greedy" in agent_names("lucid")
    (True, False)
    """
    names = registered(AGENTS)
    return [name for name in names if game is None or agent_game(name) in (None, game)]


def agent_game(name: str) -> str | None:
    """Return the one game an agent plays (``lucid`` for ``lucid/axes-red``), or None for any.

    >>> agent_game("lucid/axes-red"), agent_game("random")
    ('lucid', None)
    """
    return name.rpartition("/")[0] or None


def module_of(group: str, name: str) -> str:
    """Return the module that a game or agent of this name comes from."""
    points = registered(group)
    if group == GAMES and name not in points and is_game(name):
        return registered(FAMILIES)[name.partition(".")[0]].module
    return points[name].module


def module_folder(group: str, name: str) -> Path:
    """Return the folder of the module that a game or agent of this name comes from."""
    place = importlib.util.find_spec(module_of(group, name))
    if place is None or place.origin is None:
        raise UnknownName(f"'{name}' comes from no file")
    return Path(place.origin).parent


def load(group: str, kind: str, name: str) -> Any:
    """Import what an entry point names."""
    points = registered(group)
    if name not in points:
        command = f"sandtable {kind}s"
        raise UnknownName(
            f"there is no {kind} '{name}'.{suggestion(name, points)} '{command}' lists them all."
        )
    try:
        return points[name].load()
    except SandtableError:
        raise
    except Exception as problem:
        where = points[name].value
        raise UnknownName(
            f"the {kind} '{name}' ({where}) cannot be loaded: {type(problem).__name__}: {problem}"
        ) from problem


def is_game(name: str) -> bool:
    """Say whether a name (without options) means a game, alone or one of a family.

    >>> is_game("lucid"), is_game("openspiel.tic_tac_toe"), is_game("random")
    (True, True, False)
    """
    family, dot, _ = name.partition(".")
    return name in registered(GAMES) or (bool(dot) and family in registered(FAMILIES))


def game_factory(name: str) -> Callable[..., Game]:
    """Return the function that makes the game of this name, alone or one of a family."""
    factory: Callable[..., Game]
    if name not in registered(GAMES) and is_game(name):
        family, _, member = name.partition(".")
        factory = load(FAMILIES, "family of games", family)(member)
    else:
        factory = load(GAMES, "game", name)
    return factory


@functools.lru_cache(maxsize=MOST_GAMES_KEPT)
def make_game(text: str) -> Game:
    """Build a game from its spec string, for example ``lucid``.

    >>> make_game("skirmish:level=2").seats
    ('first', 'second')
    """
    spec = parse_spec(text)
    game: Game = build(game_factory(spec.name), spec)
    return game


def agent_factory(name: str) -> Callable[..., Agent]:
    """Return the class or function that makes the agent of this name."""
    factory: Callable[..., Agent] = load(AGENTS, "agent", name)
    return factory


def make_agent(text: str) -> Agent:
    """Build an agent from its spec string, for example ``lucid/one-axis-blue:axis=c``.

    >>> make_agent("lucid/one-axis-blue:axis=c").seats
    ('blue',)
    """
    from sandtable.agent import adopted  # the compiler comes with it, and names need none

    spec = parse_spec(text)
    return adopted(build(agent_factory(spec.name), spec))


def check_seats(game: Game, specs: list[str]) -> list[str]:
    """Check that these agents can take the seats of the game in this order; return clean specs.

    >>> check_seats(make_game("lucid"), ["random", "lucid/axes-red"])
    ['random', 'lucid/axes-red']
    """
    if len(specs) != len(game.seats):
        named = ", ".join(game.seats)
        raise WrongSeats(
            f"{game.name} needs {len(game.seats)} agents, in the order {named}; got {len(specs)}"
        )
    parsed = [parse_spec(text) for text in specs]
    for seat, spec in zip(game.seats, parsed, strict=True):
        check_seat(game, seat, spec)
    return [str(spec) for spec in parsed]


def check_seat(game: Game, seat: str, spec: Spec) -> None:
    """Check that one agent exists, plays this game, and plays this seat."""
    factory = agent_factory(spec.name)
    only_game = agent_game(spec.name)
    if only_game not in (None, game.name):
        raise WrongSeats(f"'{spec.name}' plays {only_game}, not {game.name}")
    getattr(factory, "suits", lambda game: None)(game)
    seats = getattr(factory, "seats", None)
    if seats and seat not in seats:
        raise WrongSeats(
            f"'{spec.name}' plays {' or '.join(seats)}, not {seat}; "
            f"the order of the seats is {', '.join(game.seats)}"
        )


def summary(group: str, name: str) -> str:
    """Return the first line of what a game or agent says about itself.

    >>> summary(GAMES, "lucid") != ""
    True
    """
    kind = {GAMES: "game", FAMILIES: "family of games"}.get(group, "agent")
    text = load(group, kind, name).__doc__ or ""
    return str(text).strip().partition("\n")[0]
