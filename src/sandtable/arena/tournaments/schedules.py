"""Who meets whom: schedules as data, derived from a plan by nothing but its own words.

A tournament is a list of matches, one for each group of agents that meet and each game of its suite
(levels, set-ups, numbers of players). Every match plays the same deals: deal i of all of them has
the same dice, and with ``rotate`` each deal is played in all rotations of the seats. The games are
numbered round by round, first the deal 0 of all matches, then the deal 1, and so on; so whatever
has been played when a tournament is broken off is as even as can be.

Any stretch of games of one match can be played anywhere and at any time (``PlanPlayer.play``); the
results are the same however the list is cut.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sandtable.arena.play.plan import MatchPlan, rotations
from sandtable.dice import check_seed, suite_seed
from sandtable.errors import SandtableError, WrongSeats
from sandtable.registry import check_seat, check_seats, make_game
from sandtable.specs import parse_spec
from sandtable.types import Game

__all__ = [
    "GAUNTLET",
    "KINDS",
    "MATCH",
    "MOST_GAMES",
    "ROUND_ROBIN",
    "ScheduledGame",
    "Stretch",
    "Tournament",
    "games_of",
    "groups",
    "make_suite",
    "make_tournament",
    "no_people",
    "read_suite",
    "stretches",
]

RANGE = re.compile(r"(.*?)(\d+)\.\.(\d+)")
MOST_GAMES = 10_000  # of a suite; more is a slip of the pen

MATCH, ROUND_ROBIN, GAUNTLET = "match", "round-robin", "gauntlet"
KINDS = (MATCH, ROUND_ROBIN, GAUNTLET)


def make_suite(game: str, variations: Sequence[str]) -> list[str]:
    """Return the spec strings of a game with all combinations of some options.

    A variation is ``option=value,value,...``; a value such as ``random-0..19`` stands for twenty.
    """
    spec = parse_spec(game)
    choices = []
    for variation in variations:
        option, equals, words = variation.partition("=")
        values = [value for word in words.split(",") for value in values_of(word.strip())]
        if not equals or not option or not all(values) or not values:
            raise SandtableError(
                f"'{variation}' does not say what varies; write option=value,value,... "
                "or option=random-0..19"
            )
        choices.append([(option.strip(), value) for value in values])
    count = 1
    for each in choices:
        count *= len(each)
    if count > MOST_GAMES:
        raise SandtableError(f"a suite of {count:,} games is too large (at most {MOST_GAMES:,})")
    made = [
        str(replace(spec, options={**spec.options, **dict(chosen)}))
        for chosen in itertools.product(*choices)
    ]
    return [make_game(each).spec for each in made]


def values_of(word: str) -> list[str]:
    """Return the values that a word stands for."""
    found = RANGE.fullmatch(word)
    if not found:
        return [word]
    first, last = int(found[2]), int(found[3])
    if not first <= last or last - first >= MOST_GAMES:
        raise SandtableError(f"'{word}' is no range; write for example random-0..19")
    return [f"{found[1]}{number}" for number in range(first, last + 1)]


def read_suite(path: Path, game: str) -> list[str]:
    """Read the spec strings of a suite from a file: one in a line, # for comments.

    All must be of the same game as ``game``.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not text"
        raise SandtableError(f"cannot read the suite {path}: {reason}") from problem
    name = parse_spec(game).name
    found = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        if parse_spec(line).name != name:
            raise SandtableError(f"{path}, line {number}: '{line}' is not a game of {name}")
        try:
            found.append(make_game(line).spec)
        except SandtableError as problem:
            raise SandtableError(f"{path}, line {number}: {problem}") from problem
    if not found:
        raise SandtableError(f"the suite {path} names no games")
    return found


@dataclass(frozen=True)
class ScheduledGame:
    """One game of a tournament: which match it belongs to, and its number there."""

    number: int  # in the tournament
    match: int
    game: int


@dataclass(frozen=True)
class Stretch:
    """Consecutive games of one match of a tournament, in whole deals."""

    match: int
    first: int
    count: int


@dataclass(frozen=True)
class Tournament:
    """What is to be played. Everything about it follows from these words.

    The agents are all different, but in a match. In a gauntlet the first ``challengers`` agents
    meet all the others, who do not meet each other.
    """

    kind: str
    suite: tuple[str, ...]  # spec strings of the games that every group of agents meets
    agents: tuple[str, ...]
    deals: int  # of every match
    seed: int
    rotate: bool = True  # play each deal in all rotations of the seats
    challengers: int = 1
    move_time: float | None = None  # seconds an agent may think before it forfeits

    @functools.cached_property
    def matches(self) -> tuple[MatchPlan, ...]:
        """Return all matches, game by game of the suite."""
        found = []
        for spec in self.suite:
            game = make_game(spec)
            for group in groups(self.kind, self.agents, len(game.seats), self.challengers):
                plan = match_of(game, group, self)
                if plan:
                    found.append(plan)
        return tuple(found)

    @functools.cached_property
    def offsets(self) -> tuple[int, ...]:
        """Return where each match begins in a round, and at the end the games of a round."""
        return (0, *itertools.accumulate(len(plan.orders) for plan in self.matches))

    @property
    def games(self) -> int:
        """Return how many games there are in all."""
        return self.deals * self.offsets[-1]

    def place(self, number: int) -> ScheduledGame:
        """Return the match and the place in it of a game of the tournament."""
        deal, within = divmod(number, self.offsets[-1])
        match = next(index for index, end in enumerate(self.offsets[1:]) if within < end)
        games_per_deal = self.offsets[match + 1] - self.offsets[match]
        return ScheduledGame(number, match, deal * games_per_deal + within - self.offsets[match])


def games_of(tournament: Tournament) -> Iterator[ScheduledGame]:
    """Return all games in their order."""
    return map(tournament.place, range(tournament.games))


def stretches(tournament: Tournament, deals: int) -> Iterator[Stretch]:
    """Return all games as stretches of ``deals`` deals, so many rounds after so many rounds."""
    for first in range(0, tournament.deals, deals):
        count = min(deals, tournament.deals - first)
        for match, plan in enumerate(tournament.matches):
            games_per_deal = len(plan.orders)
            yield Stretch(match, first * games_per_deal, count * games_per_deal)


def groups(
    kind: str, agents: Sequence[str], seats: int, challengers: int = 1
) -> list[tuple[str, ...]]:
    """Return who meets whom at a table of so many seats.

    A match seats the agents as they are named. In a round robin every choice of as many agents as
    there are seats meets; fewer agents than seats take them in turn, and who sits twice goes round.
    In a gauntlet a challenger meets each opponent in all other seats.
    """
    if kind == MATCH:
        return [tuple(agents)]
    if kind == GAUNTLET:
        return [
            (challenger, *[opponent] * (seats - 1))
            for challenger in agents[:challengers]
            for opponent in agents[challengers:]
        ]
    if len(agents) >= seats:
        return list(itertools.combinations(agents, seats))
    endless = [*agents] * (seats + 1)
    firsts = 1 if seats % len(agents) == 0 else len(agents)
    return [tuple(endless[first : first + seats]) for first in range(firsts)]


def match_of(game: Game, group: tuple[str, ...], tournament: Tournament) -> MatchPlan | None:
    """Return the match of a group, in the seats its agents can take; None: they cannot meet.

    Seats are rotated if every agent can take every seat. If not, the first rotation in which all
    can sit is the only one: agents that play one seat alone meet those who play the others.
    """
    possible = [order for order in rotations(group) if can_sit(game, group, order)]
    if not possible:
        return None
    rotate = tournament.rotate and len(possible) == len(rotations(group))
    seated = tuple(group[agent] for agent in possible[0])
    games = tournament.deals * (len(rotations(seated)) if rotate else 1)
    seed = tournament.seed
    if len(tournament.suite) > 1:
        seed = suite_seed(seed, game.spec)
    return MatchPlan(game.spec, seated, games, seed, tournament.move_time, rotate)


def can_sit(game: Game, group: Sequence[str], order: Sequence[int]) -> bool:
    """Say whether agents can take the seats in this order."""
    try:
        check_seats(game, [group[agent] for agent in order])
    except WrongSeats:
        return False
    return True


def make_tournament(
    kind: str,
    suite: Sequence[str],
    agents: Sequence[str],
    deals: int,
    seed: int,
    *,
    rotate: bool = True,
    challengers: int = 1,
    move_time: float | None = None,
) -> Tournament:
    """Check names, numbers and seats, and return the tournament in its canonical form."""
    if kind not in KINDS:
        raise SandtableError(f"'{kind}' is no schedule; there are {', '.join(KINDS)}")
    specs = tuple(str(parse_spec(agent)) for agent in agents)
    if len(specs) < 2:
        raise SandtableError(f"a tournament needs at least two agents, got {len(specs)}")
    twice = next((spec for spec in specs if specs.count(spec) > 1), None)
    if kind != MATCH and twice:
        raise SandtableError(f"'{twice}' is named twice; an agent takes part once")
    if kind == GAUNTLET and not 1 <= challengers < len(specs):
        raise SandtableError(
            f"{challengers} challengers of {len(specs)} agents leave nobody to meet"
        )
    no_people(specs)
    games = tuple(dict.fromkeys(make_game(spec).spec for spec in suite))
    for agent in specs:
        check_somewhere(agent, games)
    made = Tournament(kind, games, specs, deals, check_seed(seed), rotate, challengers, move_time)
    seated = {agent for plan in made.matches for agent in plan.agents}
    alone = next((agent for agent in specs if agent not in seated), None)
    if alone:
        raise WrongSeats(f"'{alone}' meets nobody: none of the others can take the seats beside it")
    return made


def no_people(agents: Sequence[str]) -> None:
    """Check that nobody has to sit at the keyboard for hundreds of games."""
    if any(parse_spec(agent).name == "human" for agent in agents):
        raise SandtableError("people play with sandtable play, and not in tournaments and tests")


def check_somewhere(agent: str, suite: Sequence[str]) -> None:
    """Check that an agent exists, and can take some seat of every game of the suite."""
    for spec in suite:
        game = make_game(spec)
        problems = []
        for seat in game.seats:
            try:
                check_seat(game, seat, parse_spec(agent))
            except WrongSeats as problem:
                problems.append(problem)
        if len(problems) == len(game.seats):
            raise problems[0]
