"""Gravwell as text: actions such as ``Kr``, ``take-Kr``, ``go`` and ``stop``, and positions.

A position is one line of twelve fields, for example two players in the third turn, in which the
first has laid Mg face down and the second is to choose::

    12,5+36 1.3 21 2 - CMg+LiY/Dy+NePuZr ArB/OXe Mg,- B,Xe EsFGaHIrJoKrQtRaSiThUVW - -

1. the tiles of the ships in the order of the seats, and after ``+`` those of the hulks;
2. the round, and the turn in it; turn 0 is the draft;
3. the order of the draft, seats numbered from 1;
4. the seats that can still use their Emergency Stop, or ``-``;
5. the stacks, each a visible card and a hidden one (``KrB``), ``-`` for one that is taken, or one
   ``-`` when all are;
6. the hands, each the cards everybody saw in the draft, and after ``+`` those drafted face down;
7. the cards played in this round by each seat, or ``-``;
8. the cards on the table by seat, ``-`` for none; ``!`` marks the one being resolved;
9. the cards of the turn before by seat, or ``-`` in the first turn;
10. the cards that were not dealt, or ``-`` for none;
11. ``over``, or ``-`` while the game goes on;
12. ``tractor=inert``, or ``-``. Left out, it is as in the game.

In views ``?`` stands for every card that the seat may not know.
"""

from __future__ import annotations

from sandtable.errors import UnreadableAction
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS, NAMES, card_numbered
from sandtable.games.gravwell.notation.parse import read_position
from sandtable.games.gravwell.rules.drafting import secret_cards
from sandtable.types import Position

__all__ = ["SEAT_NAMES", "GravwellNotation", "cards_at", "names_of"]

SEAT_NAMES = ("first", "second", "third", "fourth")
NONE, COVERED, MARK = "-", "?", "!"


class GravwellNotation:
    """Text for actions and positions, both ways."""

    def __init__(self, players: int = 4, tractors: int = layout.WORKING) -> None:
        self.players, self.tractors = players, tractors

    def action_name(self, action: int) -> str:
        """Return ``Kr`` for playing a card, ``take-Kr`` for taking its stack, ``go``, ``stop``.

        >>> GravwellNotation().action_name(layout.TAKE + 10)
        'take-Kr'
        """
        if not 0 <= action < layout.ACTIONS:
            raise UnreadableAction(f"gravwell has actions 0 to {layout.ACTIONS - 1}, got {action}")
        if action == layout.GO:
            return "go"
        if action == layout.STOP:
            return "stop"
        return NAMES[action] if action < layout.TAKE else f"take-{NAMES[action - layout.TAKE]}"

    def parse_action(self, text: str) -> int:
        """Return the action of ``Kr``, ``take-Kr``, ``go`` or ``stop``, in any case.

        An UnreadableAction says how actions are written.

        >>> GravwellNotation().parse_action("kr")
        10
        """
        word = text.strip().lower()
        if word == "go":
            return layout.GO
        if word == "stop":
            return layout.STOP
        card = card_numbered(word.removeprefix("take-"))
        if card is None:
            raise UnreadableAction(
                f"'{text}' is not an action; write a card such as Kr to play it, take-Kr to take "
                "its stack, go to let your card take effect, or stop to use the Emergency Stop"
            )
        return layout.TAKE + card if word.startswith("take-") else card

    def position_line(self, position: Position) -> str:
        """Write a position or a view in one line."""
        players = int(position[layout.PLAYERS])
        seats = range(players)
        hulks = [
            position[layout.SHIPS + ship] for ship in range(layout.FIRST_HULK, layout.MOST_SHIPS)
        ]
        ships = ",".join(str(position[layout.SHIPS + seat]) for seat in seats)
        turn = 0 if position[layout.PHASE] == layout.DRAFTING else position[layout.TURN] + 1
        stops = "".join(str(seat + 1) for seat in seats if position[layout.STOPS + seat])
        played = [names_of(cards_at(position, layout.PLAYED + seat)) for seat in seats]
        return " ".join(
            (
                f"{ships}+{','.join(str(tile) for tile in hulks if tile != layout.NOTHING)}",
                f"{position[layout.ROUND] + 1}.{turn}",
                "".join(str(position[layout.ORDER + rank] + 1) for rank in seats),
                stops or NONE,
                stacks_text(position),
                "/".join(hand_text(position, seat) for seat in seats),
                "/".join(played) if any(played) else NONE,
                ",".join(table_text(position, seat) for seat in seats),
                last_text(position),
                undealt_text(position),
                "over" if position[layout.MOVER] == layout.OVER else NONE,
                "tractor=inert" if position[layout.TRACTORS] == layout.INERT else NONE,
            )
        )

    def parse_position(self, text: str) -> Position:
        """Read a position or a view from one line, and check that it is possible."""
        return read_position(text, self.players, self.tractors)

    def reason(self, position: Position) -> str:
        """Say why a finished game is over."""
        winner = int(position[layout.WINNER])
        if winner == layout.NOTHING:
            return "nobody left the Singularity"
        if position[layout.CURRENT] != layout.NOTHING:
            return f"{SEAT_NAMES[winner]} reached the Warp Gate"
        return f"{SEAT_NAMES[winner]} was furthest after six rounds"


def cards_at(position: Position, place: int) -> list[int]:
    """Return the cards known to be in a place, in alphabetical order."""
    return [card for card in range(CARDS) if position[layout.WHERE + card] == place]


def names_of(cards: list[int]) -> str:
    """Write the names of cards without anything in between."""
    return "".join(NAMES[card] for card in cards)


def stacks_text(position: Position) -> str:
    """Write the stacks, or ``-`` when there are none."""
    words = []
    for stack in range(layout.PASSES * int(position[layout.PLAYERS])):
        visible = names_of(cards_at(position, layout.OPEN_STACK + stack))
        hidden = names_of(cards_at(position, layout.UNDER_STACK + stack))
        words.append(visible + (hidden or COVERED) if visible else NONE)
    return ",".join(words) if any(word != NONE for word in words) else NONE


def hand_text(position: Position, seat: int) -> str:
    """Write a hand: cards seen in the draft, and after ``+`` the others."""
    known = names_of(cards_at(position, layout.SECRET_HAND + seat))
    secret = known or COVERED * int(secret_cards(position, seat))
    return f"{names_of(cards_at(position, layout.OPEN_HAND + seat))}+{secret}"


def table_text(position: Position, seat: int) -> str:
    """Write the card that a seat has on the table."""
    card = int(position[layout.TABLE + seat])
    if card < 0:
        return COVERED if card == layout.UNKNOWN else NONE
    return NAMES[card] + (MARK if card == position[layout.CURRENT] else "")


def last_text(position: Position) -> str:
    """Write the cards of the turn before."""
    cards = [int(position[layout.LAST + seat]) for seat in range(position[layout.PLAYERS])]
    return NONE if layout.NOTHING in cards else ",".join(NAMES[card] for card in cards)


def undealt_text(position: Position) -> str:
    """Write the cards that were not dealt, each covered in a view."""
    known = names_of(cards_at(position, layout.UNDEALT))
    left = CARDS - 2 * layout.PASSES * int(position[layout.PLAYERS])
    return known or COVERED * left or NONE
