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
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sandtable.errors import (
    SandtableError,
    UnknownName,
    UnreadableSpec,
    WrongSeats,
    failure_line,
    suggestion,
)
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
    "resolved",
    "summary",
]

GAMES = "sandtable.games"
AGENTS = "sandtable.agents"
FAMILIES = "sandtable.game_families"
FILE = "file"  # in place of the name of an agent: it is a class in a file
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
            f"the {kind} '{name}' ({where}) cannot be loaded: {failure_line(problem, ours=False)}"
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
    try:
        game: Game = build(game_factory(spec.name), spec)
    except SandtableError:
        raise
    except Exception as problem:
        raise UnknownName(
            f"the game '{spec.name}' cannot be made: {failure_line(problem, ours=False)}"
        ) from problem
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

    factory, spec = resolved(parse_spec(text))
    return adopted(build(factory, spec))


# --- agents in files -----------------------------------------------------------------------------


def resolved(spec: Spec) -> tuple[Callable[..., Agent], Spec]:
    """Return the factory of an agent, by its name or from its file, and the spec to call it with.

    ``file:./bot.py:Bot,depth=2`` is the class Bot of bot.py, for trying out without a package.
    """
    if spec.name != FILE:
        return agent_factory(spec.name), spec
    path, name = file_parts(spec)
    found = getattr(loaded_file(path, path.stat().st_mtime_ns), name, None)
    if found is None:
        raise UnknownName(f"{path} has no '{name}'")
    return found, Spec(str(spec.argument), None, spec.options)


def file_parts(spec: Spec) -> tuple[Path, str]:
    """Return the file and the name in it that a spec such as ``file:./bot.py:Bot`` means.

    >>> file_parts(parse_spec("file:nowhere.py:Bot"))
    Traceback (most recent call last):
    sandtable.errors.UnknownName: there is no file nowhere.py
    """
    place, colon, name = (spec.argument or "").rpartition(":")
    if not colon or not name.isidentifier() or not place.endswith(".py"):
        raise UnreadableSpec(f"'{spec}' names no agent in a file; write file:./bot.py:Bot")
    path = Path(place).expanduser()
    if not path.is_file():
        raise UnknownName(f"there is no file {path}")
    return path.resolve(), name


@functools.cache
def loaded_file(path: Path, changed: int) -> ModuleType:
    """Import a file; its folder is searched for what it imports in turn."""
    name = f"sandtable_file_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        found.loader.exec_module(module)
    except Exception as problem:
        raise UnknownName(
            f"{path.name} cannot be loaded: {failure_line(problem, ours=False)}"
        ) from problem
    return module


# --- who may sit where ---------------------------------------------------------------------------


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
    factory, _ = resolved(spec)
    only_game = agent_game(spec.name)
    if only_game not in (None, game.name):
        raise WrongSeats(f"'{spec.name}' plays {only_game}, not {game.name}")
    getattr(factory, "suits", lambda game: None)(game)
    getattr(factory, "check_spec", lambda game, spec: None)(game, spec)
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
