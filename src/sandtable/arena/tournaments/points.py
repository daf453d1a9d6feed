"""A table of points, for tournaments in which people play: who stands where, and how sure it is.

A win is one point, a draw half of one; in a game that only counts scores the better sum of a
meeting is the win. Equal points are told apart by a tie-break, and who is equal there too shares
the place. What the few games of a class say about strength is said by the same ratings and
intervals as for programs, and where there is no interval, why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sandtable.arena.statistics.archived_ratings import ArchivedGames, RatedAgent, rate
from sandtable.arena.statistics.intervals import (
    Estimate,
    SupportsReason,
    estimate_mean,
    reason_lines,
)
from sandtable.arena.tournaments.rounds import SWISS
from sandtable.types import Game

__all__ = [
    "GameResult",
    "MeetingResult",
    "PointsTable",
    "TableRow",
    "meeting_points",
    "rated_players",
    "table_of",
]

TIE_BREAKS = {SWISS: "points of the opponents"}
USUAL_TIE_BREAK = "points of those beaten, and half of those drawn with"


@dataclass(frozen=True)
class GameResult:
    """One finished game: who sat where, the scores, and where somebody else played instead."""

    seats: tuple[int, ...]  # player by seat
    scores: tuple[float, ...]
    deal: tuple[Any, ...]  # what tells it from other games
    replaced: tuple[bool, ...] = ()  # by seat: a program stood in for the player

    @property
    def counts(self) -> bool:
        """Whether it says something about both players."""
        return not any(self.replaced)


@dataclass(frozen=True)
class MeetingResult:
    """All games of two players in one round."""

    players: tuple[int, int]
    games: tuple[GameResult, ...]


@dataclass(frozen=True)
class TableRow:
    """How one player stands."""

    player: int
    place: int  # from 1; equal ones share it
    points: float
    meetings: int
    won: int
    drawn: int
    lost: int
    byes: int
    tie_break: float
    rated: RatedAgent | None  # in games with winners
    margin: Estimate | None  # in the others: mean score of a meeting, all seats together


@dataclass(frozen=True)
class PointsTable:
    """How a tournament stands, the best first."""

    rows: tuple[TableRow, ...]
    tie_break: str  # what it is made of
    reasons: tuple[str, ...]  # why some figures have no interval


def meeting_points(game: Game, meeting: MeetingResult) -> tuple[float, float]:
    """Return what two players got for a meeting.

    >>> from sandtable.registry import make_game
    >>> played = GameResult((3, 5), (1.0, -1.0), ())
    >>> meeting_points(make_game("skirmish"), MeetingResult((5, 3), (played,)))
    (0.0, 1.0)
    """
    one, other = meeting.players
    if game.has_winner:
        pairs = [points_of_scores(each, one, other) for each in meeting.games]
        return sum(first for first, _ in pairs), sum(second for _, second in pairs)
    sums = dict.fromkeys(meeting.players, 0.0)
    absent: set[int] = set()
    for each in meeting.games:
        for seat, player in enumerate(each.seats):
            sums[player] += each.scores[seat]
            if each.replaced and each.replaced[seat]:
                absent.add(player)
    share = shared(sums[one], sums[other])
    return (0.0 if one in absent else share), (0.0 if other in absent else 1.0 - share)


def points_of_scores(played: GameResult, one: int, other: int) -> tuple[float, float]:
    """Return what two players got for one game; who was not there got nothing."""
    seats = played.seats.index(one), played.seats.index(other)
    share = shared(played.scores[seats[0]], played.scores[seats[1]])
    missing = [bool(played.replaced) and played.replaced[seat] for seat in seats]
    return (0.0 if missing[0] else share), (0.0 if missing[1] else 1.0 - share)


def shared(mine: float, other: float) -> float:
    """Return the share of a point for a score against another.

    >>> shared(2.0, 1.0), shared(0.0, 0.0)
    (1.0, 0.5)
    """
    return 1.0 if mine > other else 0.5 if mine == other else 0.0


def table_of(
    game: Game,
    kind: str,
    names: Sequence[str],
    meetings: Sequence[MeetingResult],
    byes: Mapping[int, int],
    games_per_meeting: int = 1,
    rated: Mapping[int, RatedAgent] | None = None,
) -> PointsTable:
    """Return how the players stand after some meetings; a bye counts as a meeting that was won.

    ``rated`` are ratings from before (None: made now, which takes a second for 200 players).

    >>> from sandtable.registry import make_game
    >>> won = MeetingResult((0, 1), (GameResult((0, 1), (1.0, -1.0), (0,)),))
    >>> table = table_of(make_game("skirmish"), "swiss", ["Ann", "Ben", "Eve"], [won], {2: 1})
    >>> [(row.player, row.place, row.points) for row in table.rows]
    [(0, 1, 1.0), (2, 1, 1.0), (1, 3, 0.0)]
    """
    full = float(games_per_meeting if game.has_winner else 1)
    results = [(each, meeting_points(game, each)) for each in meetings]
    points = {player: full * byes.get(player, 0) for player in range(len(names))}
    counts = {player: [0, 0, 0] for player in range(len(names))}  # won, drawn, lost
    for meeting, got in results:
        for player, mine, theirs in zip(meeting.players, got, reversed(got), strict=True):
            points[player] += mine
            counts[player][0 if mine > theirs else 1 if mine == theirs else 2] += 1
    breaks = tie_breaks(kind, points, results, full)
    rated = rated_players(game, names, meetings) if rated is None else rated
    margins = {} if game.has_winner else margins_of(meetings)
    order = sorted(points, key=lambda player: (-points[player], -breaks[player], player))
    rows: list[TableRow] = []
    for index, player in enumerate(order, start=1):
        level = rows and (points[player], breaks[player]) == (rows[-1].points, rows[-1].tie_break)
        rows.append(
            TableRow(
                player=player,
                place=rows[-1].place if level else index,
                points=points[player],
                meetings=sum(counts[player]),
                won=counts[player][0],
                drawn=counts[player][1],
                lost=counts[player][2],
                byes=byes.get(player, 0),
                tie_break=breaks[player],
                rated=rated.get(player),
                margin=margins.get(player),
            )
        )
    return PointsTable(tuple(rows), TIE_BREAKS.get(kind, USUAL_TIE_BREAK), reasons_in(rows))


def reasons_in(rows: Sequence[TableRow]) -> tuple[str, ...]:
    """Say why figures have no interval, a line for every reason."""
    figures: dict[tuple[str, str], SupportsReason] = {}
    for row in rows:
        named: list[tuple[str, SupportsReason | None]] = [("some mean scores", row.margin)]
        if row.rated is not None:
            named += [("some ratings", row.rated.rating), ("some shares won", row.rated.wins)]
        for what, figure in named:
            if figure is not None and figure.reason:
                figures.setdefault((what, figure.reason), figure)
    return tuple(reason_lines((what, figure) for (what, _), figure in figures.items()))


def tie_breaks(
    kind: str,
    points: Mapping[int, float],
    results: Sequence[tuple[MeetingResult, tuple[float, float]]],
    full: float,
) -> dict[int, float]:
    """Return what tells players of equal points apart."""
    found = dict.fromkeys(points, 0.0)
    for meeting, got in results:
        for player, other, mine in zip(
            meeting.players, reversed(meeting.players), got, strict=True
        ):
            found[player] += points[other] * (1.0 if kind == SWISS else mine / full)
    return found


def rated_players(
    game: Game, names: Sequence[str], meetings: Sequence[MeetingResult]
) -> dict[int, RatedAgent]:
    """Return ratings and shares with their intervals, as for games of an archive."""
    played = [each for meeting in meetings for each in meeting.games if each.counts]
    found = ArchivedGames()
    for each in played:
        seats = tuple(names[player] for player in each.seats)
        deal = (game.spec, game.version, None, *each.deal)
        # The same two hardly meet twice: no game is a copy.
        found.add(seats, each.scores, deal, course=hash(each.deal))
    ratings = rate(game.spec, found) if played else None
    if ratings is None:
        return {}
    return {names.index(each.agent): each for each in ratings.agents}


def margins_of(meetings: Sequence[MeetingResult]) -> dict[int, Estimate]:
    """Return the mean of what every player scored in a meeting, all seats together."""
    sums: dict[int, list[float]] = {}
    for meeting in meetings:
        if all(each.counts for each in meeting.games):
            for player in meeting.players:
                total = sum(each.scores[each.seats.index(player)] for each in meeting.games)
                sums.setdefault(player, []).append(total)
    return {player: estimate_mean(np.array(values)) for player, values in sums.items()}
