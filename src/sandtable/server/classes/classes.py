"""All tournaments of classes: who may do what in them, stored before it is true, then shown.

Guests enter by a name and get a token; whoever made a tournament has the token of the host. Games
are ordinary rooms. Results are read off finished rooms, when one ends and again whenever somebody
looks, so a result that could not be stored, or a server that was killed, loses none.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sandtable.arena.statistics.archived_ratings import RatedAgent
from sandtable.arena.tournaments.points import PointsTable, rated_players, table_of
from sandtable.arena.tournaments.rounds import ROUND_ROBIN, Pair, circle_rounds
from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.server.allowed_specs import allowed_game
from sandtable.server.classes.storage import ClassShelf
from sandtable.server.classes.tournament import (
    ClassGame,
    ClassPlayer,
    ClassRound,
    ClassTournament,
    Meeting,
    replaced_in,
)
from sandtable.server.connections import NotFound, Refused
from sandtable.server.guests import clean_name, replace_seat, told_apart
from sandtable.server.requests import NewClass, NewSeat
from sandtable.server.rooms import TOKEN_BYTES, fresh_room, ready_game
from sandtable.server.storage import StoredRoom, StoredSeat
from sandtable.server.summaries import CLASS, archive_id
from sandtable.types import Game, Outcome

if TYPE_CHECKING:
    from sandtable.server.rooms import Rooms

__all__ = ["Classes"]

# The name of a class is in its link, and who has the link may see its games: it cannot be guessed
# (60 bits), and can be typed: no letter looks like another.
NAME_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
NAME_LENGTH = 12
MOST_PLAYERS = 200  # who have not gone
MOST_NUMBERS = 1000  # for all who ever came
CONFIRM_SECONDS = 60.0  # in which a new player's page asks for its games; others make room
MOST_CLASSES = 200  # that are not over
HOSTS_DECISION = "the host decided so"


class Classes:
    """The tournaments of a server."""

    def __init__(self, rooms: Rooms, storage: ClassShelf) -> None:
        self.rooms, self.storage = rooms, storage
        self.open: dict[str, ClassTournament] = {}  # by name, the newest first
        self.class_of: dict[str, str] = {}  # by room
        self.rating = asyncio.Lock()
        self.ratings: dict[str, tuple[Any, dict[int, RatedAgent]]] = {}
        self.pages: dict[str, tuple[ClassTournament, float, str]] = {}  # made when, and as text
        self.unconfirmed: dict[str, float] = {}  # by token: when somebody came in, not seen since

    def start(self) -> None:
        """Go on with all that was there when the server stopped."""
        for each in self.storage.all():
            self.take(each)
        self.rooms.when_over.append(self.hear)
        for name in list(self.open):
            self.collect(name)

    def take(self, tournament: ClassTournament) -> None:
        """Let a tournament that is stored take the place of what was."""
        self.open[tournament.name] = tournament
        for game in tournament.games:
            self.class_of[game.room] = tournament.name

    def keep(self, tournament: ClassTournament, rooms: list[StoredRoom] | None = None) -> None:
        """Store a tournament, then let it be true."""
        self.storage.save(tournament, rooms or [])
        self.take(tournament)

    def find(self, name: str) -> ClassTournament:
        """Return a tournament by its name."""
        if name not in self.open:
            taken = self.storage.taken(name)
            if taken is None:
                raise NotFound("there is no such class")
            self.take(taken)
        return self.open[name]

    def known(self) -> list[ClassTournament]:
        """Return all tournaments, also those that other servers look after."""
        return list(({each.name: each for each in self.storage.everywhere()} | self.open).values())

    def forget(self, name: str) -> None:
        """Let go of a tournament that another server looks after now."""
        self.open.pop(name, None)
        self.pages.pop(name, None)

    # --- results ----------------------------------------------------------------------------------

    def hear(self, room: str) -> None:
        """A room is over; if it cannot be noted now, it is when somebody looks."""
        if room in self.class_of:
            self.collect(self.class_of[room])

    def collect(self, name: str) -> None:
        """Read results off finished rooms."""
        tournament = self.open[name]
        waiting = [game for game in tournament.games if game.scores is None]
        found = {game.room: self.finished(tournament, game) for game in waiting}
        changed = {room: game for room, game in found.items() if game is not None}
        if not changed:
            return
        tournament = tournament.with_games(changed)
        through = len(tournament.rounds) == len(tournament.schedule) > 0
        if through and tournament.rounds[-1].over:
            tournament = replace(tournament, over=True)
        with suppress(SandtableError):
            self.keep(tournament)

    def finished(self, tournament: ClassTournament, game: ClassGame) -> ClassGame | None:
        """Return a game with its result; None: it goes on."""
        room = self.rooms.open.get(game.room)
        outcome: Outcome | None
        if room is not None:
            stored, outcome = room.stored, room.outcome
        else:
            known = self.rooms.storage.finished_room(game.room)
            if known is None:
                return None
            stored, data = known[0], known[0].state.get("outcome")
            outcome = data and Outcome(tuple(data["scores"]), data["reason"], data["forfeited_by"])
        if outcome is None:
            return None
        return replace(
            game,
            scores=outcome.scores,
            reason=outcome.reason,
            forfeited_by=outcome.forfeited_by,
            archive=archive_id(stored),
            replaced=replaced_in(tournament, game, stored),
        )

    async def table(self, tournament: ClassTournament) -> PointsTable:
        """Return the standings: points as of now, ratings as of the last round that is over.

        Ratings of many players take a while: they are made beside the games, once for a round.
        """
        game, names = make_game(tournament.game), tournament.names
        over = tuple(each for each in tournament.rounds if each.over)
        key = over, names
        async with self.rating:  # all who look while it is made wait for the same
            known = self.ratings.get(tournament.name)
            if known is None or known[0] != key:
                played = replace(tournament, rounds=over).results
                found = await asyncio.to_thread(rated_players, game, names, played)
                known = self.ratings[tournament.name] = key, found
        results, byes, sides = tournament.results, tournament.byes, 1 + tournament.both_sides
        return table_of(game, tournament.kind, names, results, byes, sides, known[1])

    # --- what the host does -----------------------------------------------------------------------

    async def make(self, wanted: NewClass) -> ClassTournament:
        """Make a tournament, or raise a SandtableError that says what is wrong."""
        if sum(not each.over for each in self.open.values()) >= MOST_CLASSES:
            raise Refused("busy", "there are too many tournaments that are not over")
        game = await asyncio.to_thread(ready_game, allowed_game(wanted.game))
        if len(game.seats) != 2:
            raise SandtableError(
                f"a class plays games of two; {game.spec} has {len(game.seats)} seats"
            )
        clock = wanted.clock
        made = ClassTournament(
            name="".join(secrets.choice(NAME_LETTERS) for _ in range(NAME_LENGTH)),
            host=secrets.token_urlsafe(TOKEN_BYTES),
            title=clean_name(wanted.title) or game.title,
            made_at=time.time(),
            game=game.spec,
            kind=wanted.kind,
            both_sides=wanted.both_sides or not game.has_winner,
            clock=None if clock is None else (clock.minutes, clock.increment),
            listed=wanted.listed,
        )
        self.storage.save(made)
        self.open = {made.name: made, **self.open}
        return made

    async def add_program(self, name: str, agent: str) -> ClassTournament:
        """Let a program take part."""
        game = make_game(self.find(name).game)
        asked = NewSeat(agent=agent)
        seats = enumerate(game.seats)
        held, *_ = [await self.rooms.seat(game, number, seat, asked) for number, seat in seats]
        spec = held.agent or agent
        known = held.name != game.seats[0].capitalize()
        title = held.name if known else spec.partition(":")[0].rpartition("/")[2]
        tournament, _ = self.added(name, clean_name(title), None, spec)
        return tournament

    async def start_round(self, name: str) -> ClassTournament:
        """Begin the next round: all its games at once."""
        self.collect(name)
        self.let_unconfirmed_go(name)
        game = await asyncio.to_thread(ready_game, self.find(name).game)
        table = await self.table(self.find(name))
        tournament = self.find(name)
        if tournament.over:
            raise Refused("over", "the tournament is over")
        if tournament.rounds and not tournament.rounds[-1].over:
            raise Refused("not_allowed", f"round {len(tournament.rounds)} is not over yet")
        if not tournament.schedule and tournament.kind == ROUND_ROBIN:
            here = [number for number, each in enumerate(tournament.players) if not each.gone]
            tournament = replace(tournament, schedule=tuple(circle_rounds(here)))
        points = {row.player: row.points for row in table.rows}
        planned = tournament.next_round([row.player for row in table.rows], points)
        if planned is None or not planned.pairs:
            raise Refused("not_allowed", "there is nobody left to be paired; two have to be there")
        most = self.rooms.settings.limits.rooms
        if sum(not room.over for room in self.rooms.open.values()) + len(planned.pairs) > most:
            raise Refused("busy", "there are too many open games; try again later")
        meetings, rooms = [], []
        for pair in planned.pairs:
            orders = [pair, pair[::-1]] if tournament.both_sides else [pair]
            made = [self.room_for(tournament, game, order) for order in orders]
            rooms += made
            games = [ClassGame(room.room, order) for room, order in zip(made, orders, strict=True)]
            meetings.append(Meeting(pair, tuple(games)))
        fresh = ClassRound(tuple(meetings), planned.byes)
        self.keep(replace(tournament, rounds=(*tournament.rounds, fresh)), rooms)
        for room in rooms:
            self.rooms.open_stored(room, game)
        return self.find(name)

    def room_for(self, tournament: ClassTournament, game: Game, order: Pair) -> StoredRoom:
        """Return a new room for two players."""
        seats = []
        for player in (tournament.players[number] for number in order):
            token = None if player.agent else secrets.token_urlsafe(TOKEN_BYTES)
            seats.append(StoredSeat(player.name, player.agent, token))
        return fresh_room(game, seats, tournament.clock, {CLASS: tournament.name})

    async def decide(self, name: str, room: str, seat: int, agent: str | None) -> ClassTournament:
        """Let somebody who does not come forfeit, or let a program play instead of them."""
        tournament = self.find(name)
        wanted = next((game for game in tournament.games if game.room == room), None)
        if wanted is None or seat >= len(wanted.seats):
            raise NotFound("this class has no such game")
        found = await self.rooms.find(room)
        game = make_game(tournament.game)
        if found is None:  # its game is gone; only the result can be decided
            outcome = Outcome.forfeit(game, seat, HOSTS_DECISION)
            decided = replace(wanted, scores=outcome.scores, reason=outcome.reason)
            self.keep(tournament.with_games({room: replace(decided, forfeited_by=seat)}))
        elif found.over:
            raise Refused("over", "this game is over")
        elif agent is None:
            found.forfeit(seat, f"{game.seats[seat]} forfeits: {HOSTS_DECISION}")
        else:
            asked = NewSeat(agent=agent)
            held = await self.rooms.seat(game, seat, game.seats[seat], asked)
            replace_seat(found, seat, held)
        return self.find(name)

    def withdraw(
        self, name: str, number: int, gone: bool, *, and_later: bool = False
    ) -> ClassTournament:
        """Let a player not be paired any more, or again; who was never paired is forgotten.

        With ``and_later`` all who came after this one go too.
        """
        tournament = self.find(name)
        if number >= len(tournament.players):
            raise NotFound("there is no such player")
        last = len(tournament.players) if and_later else number + 1
        if gone:
            self.keep(tournament.without(set(range(number, last))))
        else:
            self.keep(tournament.with_player(number, gone=False))
        return self.find(name)

    def close_entry(self, name: str, closed: bool) -> ClassTournament:
        """Let nobody else come in, or again."""
        self.keep(replace(self.find(name), closed=closed))
        return self.find(name)

    def finish(self, name: str) -> ClassTournament:
        """End a tournament; games that go on still count when they end."""
        self.keep(replace(self.find(name), over=True))
        return self.find(name)

    # --- what guests do ---------------------------------------------------------------------------

    def enter(self, name: str, person: str) -> tuple[ClassTournament, int]:
        """Let somebody take part; return the tournament and their number."""
        shown = clean_name(person)
        if not shown:
            raise SandtableError("say what the others shall call you")
        token = secrets.token_urlsafe(TOKEN_BYTES)
        found = self.added(name, shown, token, None)
        self.unconfirmed[token] = time.monotonic()
        return found

    def let_unconfirmed_go(self, name: str) -> None:
        """Forget those who came in and were never seen again: no page of theirs is open.

        A page asks for its games as soon as it has a place, so this is nobody who waits.
        """
        late = time.monotonic() - CONFIRM_SECONDS
        gone = {token for token, came in self.unconfirmed.items() if came < late}
        if not gone:
            return
        tournament = self.find(name)
        first, players = tournament.first_unpaired, tournament.players
        numbers = {number for number, each in enumerate(players) if each.token in gone}
        here = {number for number in numbers if number >= first}
        if here:
            self.keep(tournament.without(here))
        for number in numbers:
            self.unconfirmed.pop(players[number].token or "", None)

    def added(
        self, name: str, shown: str, token: str | None, agent: str | None
    ) -> tuple[ClassTournament, int]:
        """Add a player under a name that nobody has yet."""
        self.let_unconfirmed_go(name)
        tournament = self.find(name)
        if not tournament.takes_more:
            raise Refused("not_allowed", "the tournament has begun without you; ask its host")
        if tournament.closed and agent is None:
            raise Refused("not_allowed", "the host lets nobody else in at the moment; ask there")
        here = sum(not each.gone for each in tournament.players)
        if here >= MOST_PLAYERS or len(tournament.players) >= MOST_NUMBERS:
            raise Refused("busy", f"a class has at most {MOST_PLAYERS} players; its host can help")
        player = ClassPlayer(told_apart(shown, tournament.names), token, agent)
        self.keep(replace(tournament, players=(*tournament.players, player)))
        return self.find(name), len(tournament.players)

    def rename(self, name: str, number: int, person: str) -> ClassTournament:
        """Give a player another name; games that are on keep the old one."""
        tournament, shown = self.find(name), clean_name(person)
        if not shown:
            raise SandtableError("say what the others shall call you")
        others = [each for index, each in enumerate(tournament.names) if index != number]
        self.keep(tournament.with_player(number, name=told_apart(shown, others)))
        return self.find(name)

    def role(self, tournament: ClassTournament, token: str | None) -> tuple[str, int | None]:
        """Return who a token belongs to: the host, a player with a number, or a guest."""
        given = (token or "").encode("utf-8", "surrogatepass")
        found: tuple[str, int | None] = ("guest", None)
        for number, player in enumerate(tournament.players):
            if player.token and hmac.compare_digest(player.token.encode(), given):
                self.unconfirmed.pop(player.token, None)
                found = "player", number
        return ("host", None) if hmac.compare_digest(tournament.host.encode(), given) else found

    def games_of(self, tournament: ClassTournament, number: int) -> list[dict[str, Any]]:
        """Return the way to the open games of a player."""
        found = []
        for game in tournament.games:
            if game.scores is not None or number not in game.seats:
                continue
            room, seat = self.rooms.open.get(game.room), game.seats.index(number)
            known = None if room is not None else self.rooms.storage.get_room(game.room)
            stored = room.stored if room is not None else known[0] if known else None
            token = None if stored is None else stored.seats[seat].token
            if token is not None:
                found.append({"room": game.room, "link": f"/room/{game.room}#token={token}"})
        return found
