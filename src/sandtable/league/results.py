"""What the games of a deal say: who came in before whom, and whether it was a copy of another.

In a game with a winner every rotation is one comparison. Where only the score counts, and seats
are not alike, the sums over all rotations are compared: everybody has sat everywhere, with the
same dice.

A remote bot may remember what it saw in one game of a deal: with the same dice it would know in the
next what the others hold and what comes. So the games of its deals have dice of their own each, and
others again when a deal is played once more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sandtable.arena.play.plan import MatchPlan, rotations
from sandtable.errors import BrokenRecord
from sandtable.records.lines import record_from_line
from sandtable.records.record import Record
from sandtable.types import Game

__all__ = ["DealResult", "Places", "deal_plan", "game_plan", "own_dice", "places_of",
           "read_places", "read_records", "result_of", "without_traces"]  # fmt: skip

Places = tuple[tuple[int, ...], ...]  # [comparison][member] 0: nobody was before it
DIGITS = 9  # of sums of scores that are compared


@dataclass(frozen=True)
class DealResult:
    """What is kept of a deal beside its records."""

    places: Places
    played: str  # digest of all actions
    forfeits: tuple[tuple[int, str], ...]  # bot, reason

    @property
    def places_text(self) -> str:
        """The places as a column has them.

        >>> DealResult(((0, 1), (1, 0)), "", ()).places_text
        '0 1;1 0'
        """
        return ";".join(" ".join(map(str, each)) for each in self.places)

    @property
    def forfeits_text(self) -> str:
        """The forfeits as a column has them."""
        return json.dumps(self.forfeits)


def read_places(text: str) -> Places:
    """Return places from a column.

    >>> read_places("0 1;1 0")
    ((0, 1), (1, 0))
    """
    return tuple(tuple(map(int, each.split())) for each in text.split(";"))


def deal_plan(game: Game, names: Sequence[str], seed: int, move_time: float) -> MatchPlan:
    """Return what a worker plays: one deal in all rotations.

    >>> from sandtable.registry import make_game
    >>> deal_plan(make_game("skirmish"), ("ann.1", "bob.1"), 7, 10.0).games
    2
    """
    plan = MatchPlan(game.spec, tuple(names), 0, seed, move_time, rotate=True)
    return replace(plan, games=len(plan.orders))


def game_plan(plan: MatchPlan, rotation: int) -> MatchPlan:
    """Return the plan of one rotation of a deal alone, with dice for each of its games.

    >>> from sandtable.registry import make_game
    >>> plan = deal_plan(make_game("skirmish"), ("ann.1", "bob.1"), 7, 10.0)
    >>> game_plan(plan, 1).agents, game_plan(plan, 1).rotate
    (('bob.1', 'ann.1'), False)
    """
    return replace(plan, agents=plan.seated(rotation), rotate=False)


def own_dice(attempt: int, games: int, rotation: int) -> int:
    """Return the number of a game, which its dice come from, where no two may have the same.

    ``attempt``: how often the deal was leased before.

    >>> own_dice(0, 2, 1), own_dice(3, 2, 0)
    (1, 6)
    """
    return attempt * games + rotation


def without_traces(record: Record) -> Record:
    """Return what everybody may see of a finished game: no traces of crashes, no paths."""
    return replace(record, annotations={})


def read_records(
    game: Game, names: Sequence[str], seed: int, lines: Sequence[str], attempt: int | None = None
) -> list[Record]:
    """Read the records of a deal, and check that they are of these bots and these dice.

    ``attempt``: the last there can be, if each of its games has dice of its own.
    """
    plan = deal_plan(game, names, seed, 0.0)
    if len(lines) != plan.games:
        raise BrokenRecord(f"a deal of this game has {plan.games} games, got {len(lines)}")
    found: list[Record] = []
    for rotation, line in enumerate(lines):
        record = record_from_line(line, f"game {rotation}")
        number = 0
        if attempt is not None:  # which it was is told by the first game
            attempt = min((found or [record])[0].number // plan.games, attempt)
            number = own_dice(attempt, plan.games, rotation)
        wanted = (game.spec, game.version, plan.seated(rotation), seed, number, None)
        given = (
            record.game,
            record.version,
            record.seats,
            record.seed,
            record.number,
            record.start,
        )
        if given != wanted or record.outcome is None:
            raise BrokenRecord(f"game {rotation} is not one of this deal")
        found.append(without_traces(record))
    return found


def places_of(scores: Sequence[float]) -> tuple[int, ...]:
    """Return how many came in before each.

    >>> places_of([1.0, 3.0, 1.0])
    (1, 0, 1)
    """
    return tuple(sum(other > own for other in scores) for own in scores)


def result_of(game: Game, bots: Sequence[int], records: Sequence[Record]) -> DealResult:
    """Return what the games of a deal say; places are in the order of the bots' numbers."""
    orders = rotations([str(bot) for bot in bots])
    members = sorted(bots)
    rows: list[list[float]] = []
    forfeits: list[tuple[int, str]] = []
    digest = hashlib.blake2b(digest_size=12)
    for order, record in zip(orders, records, strict=True):
        outcome = record.outcome
        assert outcome is not None
        by_bot = {bots[agent]: outcome.scores[seat] for seat, agent in enumerate(order)}
        rows.append([float(by_bot[bot]) for bot in members])
        if outcome.forfeited_by is not None:
            forfeits.append((bots[order[outcome.forfeited_by]], outcome.reason))
        digest.update(json.dumps([list(record.actions), outcome.scores]).encode())
    if not game.has_winner:
        rows = [[round(sum(column), DIGITS) for column in zip(*rows, strict=True)]]
    return DealResult(tuple(map(places_of, rows)), digest.hexdigest(), tuple(forfeits))
