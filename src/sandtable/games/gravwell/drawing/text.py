"""Gravwell as pictures: what there is to see in a position or view, in text and in words.

The sheet for screens and paper is in svg.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import KIND, NAMES, VALUE
from sandtable.games.gravwell.drawing import svg
from sandtable.games.gravwell.notation.text import SEAT_NAMES, GravwellNotation, cards_at
from sandtable.games.gravwell.rules.drafting import secret_cards
from sandtable.types import Position

__all__ = ["GravwellDrawing", "GravwellSituation", "Player", "Stack", "situation"]

ROW = 11  # tiles in a row of the text drawing
CELL_WIDTH = 7
STACKS_IN_A_LINE = 6  # which fit into 80 columns
KIND_MARKS = ("", "r", "t")  # after the value, by kind
LEGEND = (
    "1 2 3 4 ships by seat, x hulk; 0 Singularity, 54 Warp Gate",
    "Kr2r card of value 2, r repulsor, t tractor; (..) drafted face down, ? not known",
)


@dataclass(frozen=True)
class Player:
    """One seat: its ship and its cards, as far as they are known."""

    seat: int
    tile: int
    can_stop: bool
    open_cards: tuple[int, ...]  # in hand, and everybody saw them in the draft
    secret_cards: tuple[int, ...]  # in hand, drafted face down; UNKNOWN where a view hides them
    played: tuple[int, ...]  # in this round before this turn, in alphabetical order
    table: int  # card of this turn, NOTHING, or UNKNOWN
    resolving: bool  # its card is the one about to take effect

    @property
    def name(self) -> str:
        """The name of the seat with a capital."""
        return SEAT_NAMES[self.seat].capitalize()


@dataclass(frozen=True)
class Stack:
    """A stack that can still be taken."""

    visible: int
    hidden: int  # UNKNOWN in views


@dataclass(frozen=True)
class GravwellSituation:
    """Everything a drawing shows."""

    players: tuple[Player, ...]
    hulks: tuple[int, ...]  # their tiles
    stacks: tuple[Stack, ...]
    order: tuple[int, ...]  # of the draft
    when: str
    mover: int
    state_of_play: str  # who is to do what, or why nobody is
    inert: bool  # tractors move nothing


def situation(position: Position) -> GravwellSituation:
    """Read off a position or view what drawings show."""
    count = int(position[layout.PLAYERS])
    drafting = position[layout.PHASE] == layout.DRAFTING
    tiles = (
        int(position[layout.SHIPS + ship]) for ship in range(layout.FIRST_HULK, layout.MOST_SHIPS)
    )
    turn = "draft" if drafting else f"turn {position[layout.TURN] + 1} of 6"
    return GravwellSituation(
        players=tuple(player_of(position, seat) for seat in range(count)),
        hulks=tuple(tile for tile in tiles if tile != layout.NOTHING),
        stacks=tuple(stacks_of(position)),
        order=tuple(int(position[layout.ORDER + rank]) for rank in range(count)),
        when=f"round {position[layout.ROUND] + 1} of 6, {turn}",
        mover=int(position[layout.MOVER]),
        state_of_play=state_of_play(position),
        inert=position[layout.TRACTORS] == layout.INERT,
    )


def player_of(position: Position, seat: int) -> Player:
    """Read off what is known of a seat; its card on the table is not shown in its hand."""
    table = int(position[layout.TABLE + seat])
    known = cards_at(position, layout.SECRET_HAND + seat)
    covered = int(secret_cards(position, seat)) - len(known)
    return Player(
        seat=seat,
        tile=int(position[layout.SHIPS + seat]),
        can_stop=bool(position[layout.STOPS + seat]),
        open_cards=tuple(c for c in cards_at(position, layout.OPEN_HAND + seat) if c != table),
        secret_cards=(*(c for c in known if c != table), *[layout.UNKNOWN] * covered),
        played=tuple(c for c in cards_at(position, layout.PLAYED + seat) if c != table),
        table=table,
        resolving=position[layout.PHASE] == layout.STOPPING
        and position[layout.CURRENT] == table != layout.NOTHING,
    )


def stacks_of(position: Position) -> list[Stack]:
    """Return the stacks that nobody has taken."""
    stacks = []
    for stack in range(layout.PASSES * int(position[layout.PLAYERS])):
        for visible in cards_at(position, layout.OPEN_STACK + stack):
            below = cards_at(position, layout.UNDER_STACK + stack)
            stacks.append(Stack(visible, below[0] if below else layout.UNKNOWN))
    return stacks


def state_of_play(position: Position) -> str:
    """Say who is to do what, or why the game is over."""
    if position[layout.MOVER] == layout.OVER:
        return f"game over, {GravwellNotation().reason(position)}"
    name = SEAT_NAMES[int(position[layout.MOVER])].capitalize()
    if position[layout.PHASE] == layout.STOPPING:
        return f"{name}: {NAMES[int(position[layout.CURRENT])]} takes effect, or Emergency Stop"
    drafting = position[layout.PHASE] == layout.DRAFTING
    return f"{name} to {'take a stack' if drafting else 'choose a card'}"


class GravwellDrawing:
    """Text, SVG and words for positions."""

    # By seat, how its pieces are written: terminals show them in colour.
    piece_patterns = (
        r"(?<= )1(?= .* \.(?: |$|\n))",
        r"(?<= )2(?= .* \.(?: |$|\n))",
        r"(?<= )3(?= .* \.(?: |$|\n))",
        r"(?<= )4(?= .* \.(?: |$|\n))",
    )

    def text(self, position: Position) -> str:
        """Return a drawing for the terminal."""
        seen = situation(position)
        inert = ", tractors inert" if seen.inert else ""
        lines = [f"Gravwell, {seen.when}{inert}: {seen.state_of_play}", ""]
        lines += [*track_lines(seen), ""]
        lines += [player_line(seen, player) for player in seen.players]
        if seen.stacks:
            stacks = [f"{face(stack.visible)}/{face(stack.hidden)}" for stack in seen.stacks]
            for first in range(0, len(stacks), STACKS_IN_A_LINE):
                heading = "" if first else "stacks:"
                lines.append(f"{heading:9}{' '.join(stacks[first : first + STACKS_IN_A_LINE])}")
            order = ", ".join(SEAT_NAMES[seat].capitalize() for seat in seen.order)
            lines.append(f"{'order:':9}{order}, three times")
        return "\n".join([*lines, *LEGEND])

    def svg(self, position: Position) -> str:
        """Return a drawing as a whole SVG document."""
        return svg.document(situation(position))

    def events(self, before: Position, action: int, after: Position) -> list[str]:
        """Tell in words what cards were turned over, and how the ships moved."""
        lines: list[str] = []
        seats = range(int(after[layout.PLAYERS]))
        if layout.TAKE <= action < layout.GO:
            return lines
        shown = (
            after[layout.PHASE] in (layout.STOPPING, layout.ENDED)
            and after[layout.TABLE] != layout.NOTHING
        )
        if before[layout.PHASE] == layout.PLAYING and (
            after[layout.PHASE] != layout.PLAYING or after[layout.TURN] != before[layout.TURN]
        ):
            place = layout.TABLE if shown else layout.LAST
            cards = (f"{SEAT_NAMES[seat]} {face(int(after[place + seat]))}" for seat in seats)
            lines.append(f"the cards are turned over: {', '.join(cards)}")
        if action == layout.STOP:
            lines.append(f"{SEAT_NAMES[int(before[layout.MOVER])]} uses the Emergency Stop")
        lines += move_lines(before, after)
        if after[layout.MOVER] == layout.OVER:
            lines.append(f"the game is over: {GravwellNotation().reason(after)}")
        elif after[layout.ROUND] != before[layout.ROUND]:
            order = ", ".join(SEAT_NAMES[int(after[layout.ORDER + rank])] for rank in seats)
            lines.append(f"round {after[layout.ROUND] + 1} begins; they draft in the order {order}")
        return lines


def move_lines(before: Position, after: Position) -> list[str]:
    """Tell which ships stand elsewhere than before."""
    lines = []
    for ship in range(layout.MOST_SHIPS):
        old, new = int(before[layout.SHIPS + ship]), int(after[layout.SHIPS + ship])
        if old != new:
            name = "a hulk" if ship >= layout.FIRST_HULK else SEAT_NAMES[ship]
            lines.append(f"{name} moves from {old} to {new}")
    return lines


def face(card: int) -> str:
    """Write a card with its value and kind.

    >>> face(12), face(10), face(9), face(layout.UNKNOWN)
    ('Mg10', 'Kr2r', 'Jo2t', '?')
    """
    if card < 0:
        return "?" if card == layout.UNKNOWN else "-"
    return f"{NAMES[card]}{VALUE[card]}{KIND_MARKS[KIND[card]]}"


def track_lines(seen: GravwellSituation) -> list[str]:
    """Draw the track in rows that run to and fro, as the spiral winds."""
    signs: dict[int, str] = {}
    for player in seen.players:
        signs[player.tile] = signs.get(player.tile, "") + str(player.seat + 1)
    for tile in seen.hulks:
        signs[tile] = signs.get(tile, "") + "x"
    lines = []
    for first in range(0, layout.TILES, ROW):
        tiles = range(first, min(first + ROW, layout.GATE + 1))
        ships = "".join(f"{signs.get(tile, '.'):>{CELL_WIDTH}}" for tile in tiles)
        numbers = "".join(f"{tile:>{CELL_WIDTH}}" for tile in tiles)
        lines += [ships.rstrip(), numbers.rstrip()]
    return lines


def player_line(seen: GravwellSituation, player: Player) -> str:
    """Write a seat's ship and cards in one line."""
    hidden = " ".join(face(card) for card in player.secret_cards)
    words = [
        f"{player.seat + 1} {player.name + ':':8}",
        f"tile {player.tile:<3}",
        "stop" if player.can_stop else "    ",
        " ".join(face(card) for card in player.open_cards),
        f"({hidden})" if hidden else "",
    ]
    if player.table != layout.NOTHING:
        mark = " now" if player.resolving else ""
        words.append(f"[{face(player.table)}]{mark}")
    if player.played:
        words.append(f"played {' '.join(face(card) for card in player.played)}")
    return " ".join(word for word in words if word).rstrip()
