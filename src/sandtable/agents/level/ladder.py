"""The ladder of a game: opponents named for people, from the weakest to the strongest.

A game says in ``levels.json`` beside its module who plays at each level. One without that file, or
with options its own levels do not suit, gets a ladder of agents that play any game. What a match
between neighbours came to stands beside it in ``levels-measured.json``, which the command
``sandtable ladder`` writes; how strong a person is, is told from these figures.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandtable.errors import DAMAGED, SandtableError, UnknownName, suggestion
from sandtable.registry import GAMES, check_seat, module_folder
from sandtable.specs import Spec, parse_spec
from sandtable.types import Game

__all__ = [
    "EASY",
    "FILE_NAME",
    "LEVEL_AGENT",
    "MEASURED_NAME",
    "SUITES_NAME",
    "Ladder",
    "Level",
    "general_ladder",
    "ladder_of",
    "level_from",
    "level_of",
    "measured_of",
    "player_spec",
]

LEVEL_AGENT, EASY = "level", "easy"  # the agent that plays levels, and what a newcomer meets
FILE_NAME = "levels.json"
MEASURED_NAME = "levels-measured.json"
SUITES_NAME = "benchmark.json"  # beside a game too: the opponents of suites, which never change

# Title, simulations a move, and how many of a hundred moves are drawn from the dice instead.
GENERAL = (
    ("Beginner", 8, 75),
    ("Easy", 16, 50),
    ("Medium", 32, 25),
    ("Hard", 64, 8),
    ("Expert", 200, 0),
    ("Champion", 1000, 0),
)


@dataclass(frozen=True)
class Level:
    """One opponent: who plays, and how often it slips.

    >>> Level("easy", "Easy", {"": "random"}).agent("blue")
    'random'
    """

    name: str  # in specs: ``level:easy``
    title: str  # for people
    agents: Mapping[str, str]  # seat -> spec; "" is for every other seat
    slips: float = 0.0  # the share of its decisions that are drawn from the dice instead

    @property
    def spec(self) -> str:
        """The agent that plays at this level.

        >>> Level("easy", "Easy", {"": "random"}).spec
        'level:easy'
        """
        return f"{LEVEL_AGENT}:{self.name}"

    def agent(self, seat: str) -> str:
        """Return the spec of the agent that holds a seat at this level."""
        found = self.agents.get(seat) or self.agents.get("")
        if found is None:
            raise SandtableError(f"the level '{self.name}' names no agent for {seat}")
        return found

    def about(self, seat: str) -> str:
        """Say in a few words who plays.

        >>> Level("easy", "Easy", {"": "random"}, slips=0.25).about("blue")
        'random, 25% of its moves drawn at random'
        """
        slips = f", {self.slips:.0%} of its moves drawn at random" if self.slips else ""
        return f"{self.agent(seat)}{slips}"


@dataclass(frozen=True)
class Ladder:
    """The levels of a game, the weakest first.

    >>> from sandtable.registry import make_game
    >>> ladder_of(make_game("skirmish")).level("champion").title
    'Champion'
    """

    levels: tuple[Level, ...]
    games: tuple[str, ...] = ()  # specs in which it is measured
    own: bool = False  # of this game, not the general one

    def level(self, name: str) -> Level:
        """Return a level by its name, or by its number from 1.

        >>> general_ladder(False).level("2").name
        'easy'
        """
        for number, each in enumerate(self.levels, start=1):
            if name.lower() in (each.name, str(number)):
                return each
        names = [each.name for each in self.levels]
        raise UnknownName(
            f"there is no level '{name}' (the levels: {', '.join(names)})."
            + suggestion(name, names)
        )


def general_ladder(hidden: bool) -> Ladder:
    """Return the ladder of agents that play any game, with or without secrets.

    >>> [level.title for level in general_ladder(hidden=True).levels][-1]
    'Champion'
    """
    agent = "ismcts" if hidden else "mcts"
    return Ladder(
        tuple(
            Level(title.lower(), title, {"": f"{agent}:simulations={simulations}"}, slips / 100)
            for title, simulations, slips in GENERAL
        )
    )


def ladder_of(game: Game) -> Ladder:
    """Return the levels of a game; those of its own, if they suit these options of it.

    >>> from sandtable.registry import make_game
    >>> len(ladder_of(make_game("gravwell:players=2")).levels) >= 5
    True
    """
    own = own_ladder(game.name)
    if own is not None and suits(own, game):
        return own
    return general_ladder(game.hidden)


def level_of(game: Game, name: str) -> Level:
    """Return a level of a game by its name, or an opponent of a suite by ``SUITE/NAME``.

    >>> from sandtable.registry import make_game
    >>> level_of(make_game("skirmish"), "sandtable-models-1/random").agent("first")
    'random'
    """
    suite, slash, opponent = name.partition("/")
    if not slash:
        return ladder_of(game).level(name)
    data = read_beside(game.name, SUITES_NAME) or {}
    try:
        return Ladder(tuple(map(level_from, data[suite]["opponents"]))).level(opponent)
    except (KeyError, TypeError):
        raise UnknownName(f"{game.name} takes no part in a suite '{suite}'") from None


def level_from(data: Mapping[str, Any]) -> Level:
    """Read a level from its data.

    >>> level_from({"name": "easy", "title": "Easy", "agents": {"": "random"}}).slips
    0.0
    """
    slips = float(data.get("slips", 0.0))
    return Level(str(data["name"]), str(data["title"]), dict(data["agents"]), slips)


def player_spec(game: Game, seat: int, text: str) -> Spec:
    """Return who really plays: for a level the agent it plays by in this seat, else the same.

    >>> from sandtable.registry import make_game
    >>> str(player_spec(make_game("skirmish"), 1, "level:champion"))
    'skirmish/champion:search=first'
    """
    spec = parse_spec(text)
    if spec.name != LEVEL_AGENT:
        return spec
    return parse_spec(level_of(game, spec.argument or EASY).agent(game.seats[seat]))


def suits(ladder: Ladder, game: Game) -> bool:
    """Say whether every level can hold every seat."""
    try:
        for level in ladder.levels:
            for seat in game.seats:
                check_seat(game, seat, parse_spec(level.agent(seat)))
    except SandtableError:
        return False
    return True


@functools.cache
def own_ladder(name: str) -> Ladder | None:
    """Return the ladder that a game brings, or None."""
    data = read_beside(name, FILE_NAME)
    if data is None:
        return None
    try:
        levels = tuple(map(level_from, data["levels"]))
        return Ladder(levels, tuple(data.get("games", ())), own=True)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise SandtableError(f"{FILE_NAME} of '{name}' cannot be read: {problem!r}") from None


def read_beside(name: str, file_name: str) -> Any | None:
    """Return what a JSON file beside a game's module holds; None without one."""
    path = file_beside(name, file_name)
    if path is None or not path.is_file():
        return None
    try:
        return json.loads(path.read_text("utf-8"))
    except DAMAGED as problem:
        raise SandtableError(f"{path} is no JSON: {problem}") from None


def file_beside(name: str, file_name: str) -> Path | None:
    """Return the path of a file beside a game's module; None for a game that has no folder."""
    try:
        return module_folder(GAMES, name) / file_name
    except (KeyError, SandtableError):
        return None


@functools.cache
def measured_of(name: str) -> Mapping[str, Any]:
    """Return what ``sandtable ladder`` has measured of a game's own ladder; empty: nothing yet.

    >>> sorted(measured_of("no such game"))
    []
    """
    data = read_beside(name, MEASURED_NAME)
    return data if isinstance(data, dict) else {}
