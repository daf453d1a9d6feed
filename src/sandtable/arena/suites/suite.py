"""A suite: games, opponents and deals that are the same for everybody who is measured with it.

A game says in ``benchmark.json`` beside its module in which suites it takes part, and how; a game
of another package can have suites of its own in the same way. Nothing of a deal is chosen by hand:
the number of its board and the seed of its dice are hashes of the suite, the game, the opponent and
the number of the deal. A suite never changes once it is published: what is different is a suite
with another name, and results say by a digest what they were measured with.
"""

from __future__ import annotations

import functools
import hashlib
import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandtable.agents.level.ladder import (
    LEVEL_AGENT,
    SUITES_NAME,
    Level,
    level_from,
    read_beside,
)
from sandtable.arena.play.plan import MatchPlan, make_plan
from sandtable.errors import SandtableError, UnknownName, WrongSeats, suggestion
from sandtable.registry import game_names, make_agent, make_game

__all__ = [
    "MEASURED_NAME",
    "SUITE",
    "Entry",
    "Suite",
    "suite_named",
    "suite_names",
]

SUITE = "sandtable-models-1"
MEASURED_NAME = "benchmark-measured.json"
NUMBER = "{number}"  # in the spec of a game: the number of the board of a deal
SEEDS = 2**31
QUICK_DEALS = 2  # of each pairing, where a suite is only tried out


@dataclass(frozen=True)
class Entry:
    """One game of a suite: how it is played, against whom, how often."""

    suite: str
    name: str  # of the game
    game: str  # its spec; {number} is another one in each deal
    numbers: tuple[int, int]  # the least and the greatest of them
    levels: tuple[Level, ...]  # the opponents, the weakest first
    deals: int  # against each of them
    decisions: int  # that a player has in a game, about: so many requests a game takes
    purpose: str = "players"  # what is measured: deals for something else are other ones

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the opponents, the weakest first."""
        return tuple(level.name for level in self.levels)

    def drawn(self, what: str, opponent: str, deal: int) -> int:
        """Return a number that follows from the place of a deal in the suite, and nothing else."""
        words = [self.suite, self.purpose, self.name, opponent, str(deal), what]
        return int.from_bytes(hashlib.blake2b("\n".join(words).encode(), digest_size=8).digest())

    def spec(self, opponent: str, deal: int) -> str:
        """Return the game of one deal."""
        low, high = self.numbers
        number = low + self.drawn("board", opponent, deal) % (high - low + 1)
        return self.game.replace(NUMBER, str(number))

    def player(self, opponent: str) -> str:
        """Return the agent that plays an opponent."""
        return f"{LEVEL_AGENT}:{self.suite}/{opponent}"

    def plan(self, player: str, opponent: str, deal: int) -> MatchPlan:
        """Return the games of one deal: the player in each seat, the opponent in all others.

        The dice do not depend on who plays, so that all who are measured meet the same ones.
        """
        spec = self.spec(opponent, deal)
        others = [self.player(opponent)] * (len(make_game(spec).seats) - 1)
        seed = self.drawn("dice", opponent, deal) % SEEDS
        return make_plan(spec, [player, *others], 1, seed, rotate=True)

    def plans(self, player: str) -> list[MatchPlan]:
        """Return all deals that somebody plays, opponent by opponent.

        WrongSeats if the player cannot take every seat of this game.
        """
        try:
            return [self.plan(player, opponent, deal)
                    for opponent in self.opponents for deal in range(self.deals)]  # fmt: skip
        except WrongSeats as problem:
            reason = str(problem).partition("; leave")[0]
            raise WrongSeats(
                f"'{player}' cannot be measured in {self.name}: {reason}; choose the games with "
                "--games"
            ) from None

    @property
    def changes_board(self) -> bool:
        """Whether every deal has a board of its own."""
        return NUMBER in self.game

    @property
    def several(self) -> int:
        """How many games a deal has."""
        return len(make_game(self.spec(self.opponents[0], 0)).seats)

    @property
    def games(self) -> int:
        """How many games a player plays."""
        return len(self.opponents) * self.deals * self.several

    def as_data(self) -> dict[str, Any]:
        """Return what the entry is."""
        return {
            "game": self.game,
            "numbers": list(self.numbers),
            "opponents": {level.name: opponent_data(level) for level in self.levels},
            "deals": self.deals,
            "rules_version": make_game(self.spec(self.opponents[0], 0)).version,
        }

    def measured_ratings(self) -> dict[str, float]:
        """Return the ratings of the opponents, as far as they have been measured as they are."""
        found = (read_beside(self.name, MEASURED_NAME) or {}).get(self.suite, {})
        ours, measured = self.as_data()["opponents"], found.get("opponents", {})
        if any(measured.get(name) != what for name, what in ours.items()):
            return {}  # they were others then
        return {name: float(value) for name, value in found["ratings"].items() if name in ours}


@dataclass(frozen=True)
class Suite:
    """All games of a suite, or some of them."""

    name: str
    entries: tuple[Entry, ...]
    quick: bool = False

    @property
    def digest(self) -> str:
        """What the suite is, in a word: results with the same one can be compared.

        >>> len(suite_named().digest)
        12
        """
        data = [self.name, {each.name: each.as_data() for each in self.entries}]
        text = json.dumps(data, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    @property
    def games(self) -> int:
        """How many games a player plays."""
        return sum(each.games for each in self.entries)

    @property
    def decisions(self) -> int:
        """How many decisions a player has in them, about."""
        return sum(each.games * each.decisions for each in self.entries)

    def only(self, games: Sequence[str]) -> Suite:
        """Return the suite with some of its games alone.

        >>> [entry.name for entry in suite_named().only(["skirmish"]).entries]
        ['skirmish']
        """
        names = [each.name for each in self.entries]
        for name in games:
            if name not in names:
                raise UnknownName(
                    f"the suite {self.name} has no game '{name}'; its games: {', '.join(names)}."
                    + suggestion(name, names)
                )
        return replace(self, entries=tuple(each for each in self.entries if each.name in games))

    def shortened(self) -> Suite:
        """Return the suite with so few deals that it only shows whether everything works.

        >>> suite_named().shortened().games < suite_named().games / 5
        True
        """
        few = tuple(
            replace(each, deals=QUICK_DEALS, levels=each.levels[:2]) for each in self.entries
        )
        return replace(self, entries=few, quick=True)


def entries_of(game: str) -> list[Entry]:
    """Return the suites that a game takes part in.

    >>> [entry.suite for entry in entries_of("skirmish")]
    ['sandtable-models-1']
    """
    data = read_beside(game, SUITES_NAME) or {}
    try:
        return [entry_from(suite, game, each) for suite, each in data.items()]
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise SandtableError(f"{SUITES_NAME} of '{game}' cannot be read: {problem!r}") from None


def opponent_data(level: Level) -> dict[str, Any]:
    """Return what an opponent is: who plays, with which weights, and how often it slips."""
    weights = sorted(
        {digest_of(path) for agent in level.agents.values()
         for path in make_agent(agent).weight_files()}
    )  # fmt: skip
    data = {"title": level.title, "agents": dict(level.agents), "slips": level.slips}
    return data | ({"weights": weights} if weights else {})


@functools.cache
def digest_of(path: Path) -> str:
    """Return a word for what stands in a file."""
    return hashlib.blake2b(path.read_bytes(), digest_size=6).hexdigest()


def entry_from(suite: str, name: str, data: dict[str, Any]) -> Entry:
    """Read one entry of a suite.

    >>> opponents = [{"name": each, "title": each, "agents": {"": each}} for each in ("a", "b")]
    >>> entry_from("mine", "nim", {"game": "nim", "opponents": opponents}).opponents
    ('a', 'b')
    """
    low, high = data.get("numbers", (0, SEEDS))
    levels = tuple(map(level_from, data["opponents"]))
    deals, decisions = int(data.get("deals", 20)), int(data.get("decisions", 0))
    names = {level.name for level in levels}
    if len(levels) < 2 or len(names) < len(levels) or deals < 1 or low > high:
        raise ValueError("two opponents or more, each once, and a deal or more")
    return Entry(suite, name, str(data["game"]), (int(low), int(high)), levels, deals, decisions)


def all_entries() -> list[Entry]:
    """Return the entries of all installed games; one that cannot be read breaks only itself."""
    found: list[Entry] = []
    for name in game_names():
        try:
            found += entries_of(name)
        except SandtableError as problem:
            warnings.warn(str(problem), stacklevel=2)
    return found


def suite_names() -> list[str]:
    """Return the names of all suites that the installed games take part in.

    >>> suite_names()[0]
    'sandtable-models-1'
    """
    return sorted({entry.suite for entry in all_entries()}, key=lambda name: (name != SUITE, name))


def suite_named(name: str = SUITE) -> Suite:
    """Return a suite by its name."""
    entries = tuple(entry for entry in all_entries() if entry.suite == name)
    if not entries:
        known = suite_names()
        raise UnknownName(
            f"there is no suite '{name}'; the suites: {', '.join(known)}." + suggestion(name, known)
        )
    for entry in entries:
        check_entry(entry)
    return Suite(name, entries)


def check_entry(entry: Entry) -> None:
    """Raise an error for a game of which all deals would be the same."""
    if not entry.changes_board and not make_game(entry.game).chance:
        raise SandtableError(
            f"{SUITES_NAME} of '{entry.name}': {entry.game} has no dice, so all deals would be the "
            f"same; an option with {NUMBER} in it makes them different"
        )
