"""Draws by agreement: who offers one, what the other says, and what the record keeps of it.

An offer stands until the other answers or moves. Only games in which a draw is fair to both have it
(``Game.draw_scores``). A program that knows its chance to win (``value_of``) answers when it is its
turn, from its own view: it accepts where that chance is even or less. Other programs decline at
once, and in the tournament of a class all do, for there a draw is worth points.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandtable.agent import offers as has_own
from sandtable.agents.level.ladder import player_spec
from sandtable.arena.play.rehearsal import first_move_time
from sandtable.errors import SandtableError
from sandtable.registry import agent_factory, make_game
from sandtable.server.broadcast import outcome_data
from sandtable.server.connections import Refused, encoded
from sandtable.server.worker import packed
from sandtable.types import OVER, Outcome

if TYPE_CHECKING:
    from sandtable.server.room import Room

__all__ = ["DrawOffers", "answer_draw", "consider_offer"]

OFFERED, DECLINED, ACCEPTED, WITHDRAWN = "offered", "declined", "accepted", "withdrawn"
EVEN = 0.5  # the chance to win, draws being half of it, up to which a program takes a draw
MOST_KEPT = 200  # programs of which is remembered whether they have chances


@dataclass(frozen=True)
class DrawOffers:
    """All that was said about a draw in a game: ply, seat and word, in the order it was said.

    >>> offers = DrawOffers().noted(4, 0, OFFERED)
    >>> offers.offered_by, offers.after_move(4, 1).offered_by, offers.may_offer(4, 0)
    (0, None, False)
    >>> offers.after_move(4, 0).offered_by  # who has offered one may go on
    0
    """

    said: tuple[tuple[int, int, str], ...] = ()

    @classmethod
    def from_data(cls, data: Sequence[Sequence[Any]]) -> DrawOffers:
        """Read what was kept.

        >>> DrawOffers.from_data([[4, 0, "offered"]]).offered_by
        0
        """
        return cls(tuple((int(ply), int(seat), str(word)) for ply, seat, word in data))

    def as_data(self) -> list[list[Any]]:
        """Return it as it is kept, and stands in the record."""
        return [list(each) for each in self.said]

    @property
    def offered_by(self) -> int | None:
        """The seat whose offer stands."""
        if not self.said or self.said[-1][2] != OFFERED:
            return None
        return self.said[-1][1]

    def declined_by(self, ply: int) -> int | None:
        """The seat that has just declined an offer; nobody cares any more after a move."""
        if not self.said or self.said[-1][0] != ply or self.said[-1][2] != DECLINED:
            return None
        return self.said[-1][1]

    def may_offer(self, ply: int, seat: int) -> bool:
        """Say whether a seat may offer a draw now: once in a position is enough."""
        own = any(said[:2] == (ply, seat) and said[2] == OFFERED for said in self.said)
        return self.offered_by is None and not own

    def noted(self, ply: int, seat: int, word: str) -> DrawOffers:
        """Return it with one thing more."""
        return DrawOffers((*self.said, (ply, seat, word)))

    def after_move(self, ply: int, seat: int) -> DrawOffers:
        """Return it after a seat has moved: an offer it did not answer is gone."""
        stays = self.offered_by is None or self.offered_by == seat
        return self if stays else self.noted(ply, seat, WITHDRAWN)


def answer_draw(room: Room, seat: int, word: str) -> None:
    """Offer a draw, or answer an offer: stored, then true, then told. Raises Refused."""
    outcome = Outcome.agreed_draw(room.game)
    if outcome is None:
        raise Refused("not_allowed", "there is no draw by agreement in this game")
    ply, offers = room.table.ply, room.draws
    asked = offers.offered_by is not None and offers.offered_by != seat
    if word == "offer" and not asked:
        if not offers.may_offer(ply, seat):
            raise Refused("not_allowed", "you have offered a draw here; play on before the next")
        offers = offers.noted(ply, seat, OFFERED)
        if not room.is_person(1 - seat) and not can_weigh(room, 1 - seat):
            offers = offers.noted(ply, 1 - seat, DECLINED)
    elif not asked:
        raise Refused("not_allowed", "nobody offers a draw")
    elif word == "decline":
        offers = offers.noted(ply, seat, DECLINED)
    else:  # accepted, or both have offered
        offers = offers.noted(ply, seat, ACCEPTED)
        room.store_state(over=True, draws=offers.as_data(), outcome=outcome_data(outcome))
        room.draws, room.outcome = offers, outcome
        room.end()
        return
    room.store_state(over=False, draws=offers.as_data())
    room.draws = offers
    room.audience.send(lambda viewer: encoded({"type": "draw", **room.broadcast.draw(viewer)}))
    if offers.offered_by is not None and room.table.turn == 1 - seat and can_weigh(room, 1 - seat):
        room.rooms.in_background(consider_offer(room, 1 - seat))  # it thinks of a move already


async def consider_offer(room: Room, seat: int) -> None:
    """Let the program of a seat, whose turn it is, answer an offer that stands."""
    ply = room.table.ply
    if room.draws.offered_by != 1 - seat or room.table.turn != seat or not can_weigh(room, seat):
        return
    word = "decline"
    with suppress(SandtableError, KeyError, TypeError, ValueError):  # without an answer it plays on
        word = "accept" if await chance_of(room, seat) <= EVEN else "decline"
    same = room.draws.offered_by == 1 - seat and room.table.ply == ply
    if same and not room.over:
        with suppress(SandtableError):  # if it cannot be stored the room asks again later
            answer_draw(room, seat, word)


async def chance_of(room: Room, seat: int) -> float:
    """Return the chance to win that the program of a seat sees in its view. Raises AgentFailure."""
    spec, pool, settings = room.stored.seats[seat].agent, room.rooms.pool, room.rooms.settings
    view = room.table.shown(room.table.ply, seat)
    assert spec is not None
    assert view is not None
    request = {
        "operation": "value",
        "game": room.game.spec,
        "agent": str(player_spec(room.game, seat, spec)),
        "weights": settings.weights_text,
        "seat": seat,
        "view": packed(view),
        "seed": room.stored.seed,
        "ply": room.table.ply,
    }
    name = f"value {room.game.spec} {request['agent']}"
    limit = min(settings.move_time, settings.limits.hint_seconds)
    if not pool.knows(name):
        limit = first_move_time(limit)  # it may have to be compiled
    left = room.clocks.seconds(seat)
    limit = limit if left is None else min(limit, left / 2)
    return float((await pool.ask(request, limit=limit, name=name))["value"])


def can_weigh(room: Room, seat: int) -> bool:
    """Say whether a seat is a program's that weighs a draw instead of declining it."""
    spec = room.stored.seats[seat].agent
    if spec is None or room.of_class is not None or room.table.turn == OVER:
        return False
    return has_chances(room.game.spec, seat, spec)


@functools.lru_cache(MOST_KEPT)
def has_chances(game_spec: str, seat: int, spec: str) -> bool:
    """Say whether a program tells its chance to win; a level is as the agent it plays by.

    >>> has_chances("skirmish", 1, "skirmish/champion"), has_chances("skirmish", 1, "random")
    (True, False)
    """
    with suppress(SandtableError):
        factory = agent_factory(player_spec(make_game(game_spec), seat, spec).name)
        told = any(has_own(factory, method) for method in ("analyse", "value_of"))
        return told and getattr(factory, "scale", "chance") == "chance"
    return False
