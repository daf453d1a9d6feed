"""A tournament of a class as data: players, rounds, meetings and games; nothing of it changes.

Whatever happens makes a new one, which is stored before it takes the place of the old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sandtable.arena.tournaments.points import GameResult, MeetingResult
from sandtable.arena.tournaments.rounds import ROUND_ROBIN, Round, circle_rounds, swiss_round
from sandtable.server.storage import StoredRoom

__all__ = [
    "ClassGame",
    "ClassPlayer",
    "ClassRound",
    "ClassTournament",
    "Meeting",
    "replaced_in",
]


@dataclass(frozen=True)
class ClassPlayer:
    """Somebody who takes part: a person with a token, or a program."""

    name: str
    token: str | None  # of a person
    agent: str | None  # spec of a program
    gone: bool = False  # is not paired any more


@dataclass(frozen=True)
class ClassGame:
    """One game of a meeting, in a room of its own."""

    room: str
    seats: tuple[int, ...]  # player by seat
    scores: tuple[float, ...] | None = None  # None: it goes on
    reason: str = ""
    forfeited_by: int | None = None
    archive: str | None = None
    replaced: tuple[bool, ...] = (False, False)  # a program stands in for the player


@dataclass(frozen=True)
class Meeting:
    """Two players in one round; the first has the first seat of the first game."""

    players: tuple[int, int]
    games: tuple[ClassGame, ...]

    @property
    def result(self) -> MeetingResult | None:
        """What came of it, once all games are over."""
        played = []
        for each in self.games:
            if each.scores is None:
                return None
            played.append(GameResult(each.seats, each.scores, (each.room, 0), each.replaced))
        return MeetingResult(self.players, tuple(played))


@dataclass(frozen=True)
class ClassRound:
    """The meetings of one round, and who has a bye."""

    meetings: tuple[Meeting, ...]
    byes: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        """Whether everything was played."""
        return all(each.result is not None for each in self.meetings)


@dataclass(frozen=True)
class ClassTournament:
    """A tournament with all that has happened in it.

    >>> people = (ClassPlayer("Ann", "a", None), ClassPlayer("Ben", "b", None))
    >>> made = ClassTournament("x", "host", "4b", 0.0, "skirmish", "swiss", players=people)
    >>> made.next_round([0, 1], {}).pairs
    ((0, 1),)
    """

    name: str  # in addresses
    host: str  # the token of whoever runs it
    title: str
    made_at: float
    game: str
    kind: str
    both_sides: bool = False
    clock: tuple[float, float] | None = None  # minutes, increment in seconds
    players: tuple[ClassPlayer, ...] = ()
    rounds: tuple[ClassRound, ...] = ()
    schedule: tuple[Round, ...] = field(default=())  # of a round robin, made with its first round
    over: bool = False
    listed: bool = False  # whoever reaches the server finds it; others have its link
    closed: bool = False  # by its host: nobody else comes in

    @property
    def names(self) -> list[str]:
        """The names of all players, all of them different."""
        return [each.name for each in self.players]

    @property
    def takes_more(self) -> bool:
        """Whether one more could be paired."""
        return not self.over and (self.kind != ROUND_ROBIN or not self.rounds)

    @property
    def joinable(self) -> bool:
        """Whether somebody may still come."""
        return self.takes_more and not self.closed

    @property
    def first_unpaired(self) -> int:
        """The player from whom on nobody was ever paired, had a bye, or is planned to."""
        seen = [player for each in self.rounds for player in each.byes]
        seen += [player for each in self.rounds for one in each.meetings for player in one.players]
        seen += [player for each in self.schedule for pair in each.pairs for player in pair]
        return max(seen, default=-1) + 1

    def without(self, numbers: set[int]) -> ClassTournament:
        """Return it without some players; who has been paired is only not paired any more.

        >>> people = tuple(ClassPlayer(name, name, None) for name in ("Ann", "Ben", "Eve"))
        >>> made = ClassTournament("x", "host", "4b", 0.0, "skirmish", "swiss", players=people)
        >>> made.without({0, 2}).names
        ['Ben']
        """
        first = self.first_unpaired
        kept = [
            replace(each, gone=True) if number in numbers else each
            for number, each in enumerate(self.players)
            if number < first or number not in numbers
        ]
        return replace(self, players=tuple(kept))

    @property
    def games(self) -> Iterator[ClassGame]:
        """All games, round by round."""
        return (each for one in self.rounds for two in one.meetings for each in two.games)

    @property
    def results(self) -> list[MeetingResult]:
        """All meetings that are over."""
        found = (meeting.result for each in self.rounds for meeting in each.meetings)
        return [each for each in found if each is not None]

    @property
    def byes(self) -> Counter[int]:
        """How many byes every player had."""
        return Counter(player for each in self.rounds for player in each.byes)

    def next_round(self, ranking: list[int], points: dict[int, float]) -> Round | None:
        """Return who meets whom next; None: a round robin is through.

        Of a pair of which one has gone the other has a bye.
        """
        here = [number for number, each in enumerate(self.players) if not each.gone]
        if self.kind != ROUND_ROBIN:
            met = [meeting.players for each in self.rounds for meeting in each.meetings]
            order = [player for player in ranking if player in here]
            return swiss_round(order, points, met, list(self.byes.elements()))
        schedule = self.schedule or tuple(circle_rounds(here))
        if len(self.rounds) >= len(schedule):
            return None
        planned = schedule[len(self.rounds)]
        pairs = [pair for pair in planned.pairs if set(pair) <= set(here)]
        seated = {player for pair in pairs for player in pair}
        return Round(tuple(pairs), tuple(each for each in here if each not in seated))

    def with_games(self, changed: dict[str, ClassGame]) -> ClassTournament:
        """Return it with some games, by room, as they are now."""
        rounds = []
        for each in self.rounds:
            meetings = []
            for meeting in each.meetings:
                games = tuple(changed.get(game.room, game) for game in meeting.games)
                meetings.append(replace(meeting, games=games))
            rounds.append(replace(each, meetings=tuple(meetings)))
        return replace(self, rounds=tuple(rounds))

    def with_player(self, number: int, **changes: Any) -> ClassTournament:
        """Return it with something changed of a player."""
        players = list(self.players)
        players[number] = replace(players[number], **changes)
        return replace(self, players=tuple(players))

    def as_data(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> ClassTournament:
        """Read what was kept.

        >>> made = ClassTournament("x", "host", "4b", 0.0, "skirmish", "swiss")
        >>> ClassTournament.from_data(made.as_data()) == made
        True
        """
        clock = data["clock"]
        return cls(
            **{
                **data,
                "clock": None if clock is None else (clock[0], clock[1]),
                "players": tuple(ClassPlayer(**each) for each in data["players"]),
                "rounds": tuple(round_from(each) for each in data["rounds"]),
                "schedule": tuple(
                    Round(tuple((one, other) for one, other in each["pairs"]), tuple(each["byes"]))
                    for each in data["schedule"]
                ),
            }
        )


def round_from(data: dict[str, Any]) -> ClassRound:
    """Read one round."""
    meetings = []
    for each in data["meetings"]:
        games = []
        for game in each["games"]:
            scores = game["scores"]
            lists = {
                "seats": tuple(game["seats"]),
                "scores": None if scores is None else tuple(scores),
                "replaced": tuple(game["replaced"]),
            }
            games.append(ClassGame(**{**game, **lists}))
        one, other = each["players"]
        meetings.append(Meeting((one, other), tuple(games)))
    return ClassRound(tuple(meetings), tuple(data["byes"]))


def replaced_in(
    tournament: ClassTournament, game: ClassGame, stored: StoredRoom
) -> tuple[bool, ...]:
    """Return for every seat whether a program sits there instead of a person."""
    return tuple(
        held.agent is not None and tournament.players[player].agent is None
        for held, player in zip(stored.seats, game.seats, strict=True)
    )
