"""Gravwell: positions read from text, with a clear word for whatever is wrong in them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sandtable.errors import UnreadablePosition
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS, NAMES
from sandtable.games.gravwell.notation.validate import check_course, check_view
from sandtable.games.gravwell.rules.drafting import hand_size
from sandtable.games.gravwell.rules.kernels import furthest
from sandtable.types import Position

__all__ = ["read_position"]

FIELDS = (
    "ships, round and turn, order, stops, stacks, hands, played, table, turn before, undealt, end, "
    "options"
)
FIELD_COUNT = 12
CARD = re.compile(r"[A-Z][a-z]?|\?")
NUMBERED = {name: card for card, name in enumerate(NAMES)}


def read_position(text: str, players: int, tractors: int) -> Position:
    """Read a position or a view of a game with so many players, and check that it is possible.

    An UnreadablePosition says what is wrong.

    >>> text = "12,5+36 1.3 21 2 - CMg+LiY/Dy+NePuZr ArB/OXe Mg,- B,Xe EsFGaHIrJoKrQtRaSiThUVW - -"
    >>> position = read_position(text, 2, layout.WORKING)
    >>> int(position[layout.SHIPS]), int(position[layout.MOVER])
    (12, 1)
    """
    fields = text.split()
    if len(fields) not in (FIELD_COUNT - 1, FIELD_COUNT):
        raise UnreadablePosition(
            f"a gravwell position has {FIELD_COUNT} fields ({FIELDS}), got {len(fields)} in "
            f"'{shortened(text)}'"
        )
    position = np.full(layout.POSITION_SIZE, layout.NOTHING, dtype=np.int16)
    position[layout.PLAYERS] = players
    position[layout.STOPS : layout.STOPS + layout.MOST_PLAYERS] = 0
    position[layout.WHERE : layout.WHERE + CARDS] = layout.UNKNOWN
    try:
        read_ships(position, fields[0])
        read_turn(position, fields[1])
        read_order(position, fields[2], fields[3])
        Cards(position).read(*fields[4:10])
        read_phase(position, fields[1], fields[10])
        read_options(position, fields[11] if len(fields) == FIELD_COUNT else None, tractors)
        check_course(position)
        check_view(position)
    except ValueError as problem:
        raise UnreadablePosition(f"'{shortened(text)}': {problem}") from None
    return position


def shortened(text: str) -> str:
    """Return a text in one line that is not too long to be told."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:197] + "..."


def number(word: str, low: int, high: int, subject: str) -> int:
    """Read a number and check its range; a ValueError names the subject.

    >>> number("12", 0, 54, "a tile")
    12
    """
    if not re.fullmatch("[0-9]{1,4}", word) or not low <= int(word) <= high:
        raise ValueError(f"{subject} is a number from {low} to {high}, got '{shortened(word)}'")
    return int(word)


def parts(text: str, separator: str, count: int, subject: str) -> list[str]:
    """Cut a field and check how many parts it has; a ValueError names the subject.

    >>> parts("1.0", ".", 2, "numbers")
    ['1', '0']
    """
    words = text.split(separator)
    if len(words) != count:
        raise ValueError(f"{count} {subject} are wanted, got {len(words)} in '{shortened(text)}'")
    return words


def read_ships(position: Position, text: str) -> None:
    """Read the tiles of ships and hulks; only the Singularity holds more than one."""
    players = int(position[layout.PLAYERS])
    seats, hulks = parts(text, "+", 2, "groups of ships, such as 0,3+36,")
    words = parts(seats, ",", players, "ships")
    words += parts(hulks, ",", 1 if players == 2 else 2, "hulks")
    ships = [*range(players), *range(layout.FIRST_HULK, layout.MOST_SHIPS)]
    tiles = [number(word, layout.SINGULARITY, layout.GATE, "a tile") for word in words]
    for ship, tile in zip(ships, tiles, strict=False):
        if tile != layout.SINGULARITY and tiles.count(tile) > 1:
            raise ValueError(f"more than one ship is on tile {tile}")
        position[layout.SHIPS + ship] = tile


def read_turn(position: Position, text: str) -> None:
    """Read the round and the turn; turn 0 is the draft."""
    played_round, played_turn = parts(text, ".", 2, "numbers, of the round and of the turn,")
    position[layout.ROUND] = number(played_round, 1, layout.ROUNDS, "the round") - 1
    position[layout.TURN] = max(number(played_turn, 0, layout.TURNS, "the turn") - 1, 0)


def read_order(position: Position, order: str, stops: str) -> None:
    """Read the order of the draft and who can still stop."""
    players = int(position[layout.PLAYERS])
    seats = "".join(str(seat + 1) for seat in range(players))
    if sorted(order) != list(seats):
        raise ValueError(f"the order of the draft has each of {seats} once, got '{order[:20]}'")
    for rank, seat in enumerate(order):
        position[layout.ORDER + rank] = int(seat) - 1
    if stops != "-" and (not set(stops) <= set(seats) or sorted(set(stops)) != list(stops)):
        raise ValueError(f"the Emergency Stops are some of {seats}, or -, got '{stops[:20]}'")
    for seat in "" if stops == "-" else stops:
        position[layout.STOPS + int(seat) - 1] = 1


def read_options(position: Position, text: str | None, tractors: int) -> None:
    """Read the options, or take those of the game."""
    if text not in (None, "-", "tractor=inert"):
        raise ValueError(f"the options are tractor=inert or -, got '{shortened(text or '')}'")
    position[layout.TRACTORS] = (
        tractors if text is None else layout.INERT if text != "-" else layout.WORKING
    )


class Cards:
    """Reads the fields that name cards; every card may stand in one place only."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.players = int(position[layout.PLAYERS])
        self.covered = 0  # how many cards stand as ``?``

    def read(
        self, stacks: str, hands: str, played: str, table: str, last: str, undealt: str
    ) -> None:
        """Read all of them, in the order in which they stand."""
        count = layout.PASSES * self.players
        words = ["-"] * count if stacks == "-" else parts(stacks, ",", count, "stacks")
        for stack, word in enumerate(words):
            if word != "-":
                self.read_stack(stack, word)
        self.position[layout.PICKED] = words.count("-")
        held = [
            self.read_hand(*each) for each in enumerate(parts(hands, "/", self.players, "hands"))
        ]
        empty = "/" * (self.players - 1)
        for seat, cards in enumerate(
            parts(empty if played == "-" else played, "/", self.players, "groups of played cards")
        ):
            self.place(self.cards(cards, covered=False), layout.PLAYED + seat)
        rest = self.cards("" if undealt == "-" else undealt)
        self.place(rest, layout.UNDEALT)
        self.read_table(table, last)
        self.check_counts(held, len(rest))

    def check_counts(self, held: list[int], undealt: int) -> None:
        """Check that every card is somewhere, and that everybody has as many as there should be."""
        left = int((self.position[layout.WHERE : layout.WHERE + CARDS] == layout.UNKNOWN).sum())
        if left != self.covered:
            raise ValueError(f"{left} cards are not named, but ? stands {self.covered} times")
        if undealt != CARDS - 2 * layout.PASSES * self.players:
            raise ValueError(
                f"{CARDS - 2 * layout.PASSES * self.players} cards are not dealt, got {undealt}"
            )
        for seat, cards in enumerate(held):
            wanted = int(hand_size(self.position, seat))
            if cards != wanted:
                raise ValueError(
                    f"seat {seat + 1} has {wanted} cards left, but {cards} in its hand"
                )

    def cards(self, text: str, covered: bool = True) -> list[int]:
        """Read the names of cards, and ``?`` where a card can be covered."""
        words = CARD.findall(text)
        for word in words:
            if word not in NUMBERED and not (covered and word == "?"):
                raise ValueError(f"'{word}' is no card here")
        if "".join(words) != text:
            raise ValueError(f"'{shortened(text)}' is not made of the names of cards, such as ArB")
        return [NUMBERED.get(word, layout.UNKNOWN) for word in words]

    def place(self, cards: Iterable[int], where: int) -> None:
        """Put cards in a place."""
        for card in cards:
            if card == layout.UNKNOWN:
                self.covered += 1
            elif self.position[layout.WHERE + card] != layout.UNKNOWN:
                raise ValueError(f"the card {NAMES[card]} stands in two places")
            else:
                self.position[layout.WHERE + card] = where

    def read_hand(self, seat: int, text: str) -> int:
        """Read a hand, and return how many cards are in it."""
        open_cards, secret = parts(text, "+", 2, "groups of cards in a hand, such as ArB+C,")
        seen, others = self.cards(open_cards, covered=False), self.cards(secret)
        self.place(seen, layout.OPEN_HAND + seat)
        self.place(others, layout.SECRET_HAND + seat)
        return len(seen) + len(others)

    def read_stack(self, stack: int, word: str) -> None:
        """Read a stack: a visible card, and a hidden one."""
        cards = self.cards(word)
        if len(cards) != 2 or cards[0] == layout.UNKNOWN:
            raise ValueError(f"a stack is a card and a hidden card, such as ArB, got '{word}'")
        self.place(cards[:1], layout.OPEN_STACK + stack)
        self.place(cards[1:], layout.UNDER_STACK + stack)

    def read_table(self, table: str, last: str) -> None:
        """Read what lies on the table, and what did before."""
        for seat, word in enumerate(parts(table, ",", self.players, "cards on the table")):
            if word != "-":
                self.position[layout.TABLE + seat] = self.single(word.removesuffix("!"))
            if word.endswith("!") and word != "-!":
                if self.position[layout.CURRENT] != layout.NOTHING:
                    raise ValueError("only one card is being resolved")
                self.position[layout.CURRENT] = self.position[layout.TABLE + seat]
        if last != "-":
            words = parts(last, ",", self.players, "cards of the turn before")
            cards = [self.single(word) for word in words]
            if layout.UNKNOWN in cards or len(set(cards)) < len(cards):
                raise ValueError(f"the cards of the turn before are not different cards: '{last}'")
            self.position[layout.LAST : layout.LAST + self.players] = cards

    def single(self, word: str) -> int:
        """Read the name of one card."""
        cards = self.cards(word)
        if len(cards) != 1:
            raise ValueError(f"one card is wanted, such as Ar, got '{shortened(word)}'")
        return cards[0]


def read_phase(position: Position, turn: str, end: str) -> None:
    """Find out what is to be done, and by whom."""
    if end not in ("-", "over"):
        raise ValueError(f"the end is - or over, got '{shortened(end)}'")
    drafting = turn.endswith(".0")
    players, current = int(position[layout.PLAYERS]), int(position[layout.CURRENT])
    table = list(position[layout.TABLE : layout.TABLE + players])
    if drafting != (position[layout.PICKED] < layout.PASSES * players):
        raise ValueError("stacks lie on the table in the draft, which is turn 0, and only then")
    if current == layout.UNKNOWN:
        raise ValueError("the card being resolved has been turned over")
    if end == "over":
        position[layout.PHASE], position[layout.MOVER] = layout.ENDED, layout.OVER
        position[layout.WINNER] = (
            table.index(current) if current != layout.NOTHING else furthest(position)
        )
    elif drafting:
        position[layout.PHASE] = layout.DRAFTING
        position[layout.MOVER] = position[layout.ORDER + position[layout.PICKED] % players]
    elif current != layout.NOTHING:
        position[layout.PHASE], position[layout.MOVER] = layout.STOPPING, table.index(current)
    else:
        position[layout.PHASE] = layout.PLAYING
        if layout.NOTHING not in table:
            raise ValueError("all have played a card, but none is marked with ! as being resolved")
        position[layout.MOVER] = table.index(layout.NOTHING)
