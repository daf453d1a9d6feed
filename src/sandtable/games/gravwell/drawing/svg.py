"""Gravwell as a sheet in SVG: the spiral track on the left, the players with their cards beside it.

Only plain attributes are used, no styles, scripts or identifiers, so that several drawings can
stand in one page; ``class``, ``data-tile``, ``data-card`` and ``data-seat`` tell programs what is
what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from sandtable.games.gravwell.cards import KIND_NAMES, NAMES
from sandtable.games.gravwell.drawing import signs
from sandtable.games.gravwell.layout import GATE, NOTHING, OVER, SINGULARITY, TILES, UNKNOWN
from sandtable.pictures import INK, moved_to, tag, text

if TYPE_CHECKING:
    from sandtable.games.gravwell.drawing.text import GravwellSituation, Player

__all__ = ["document"]

FONTS = "Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

# Places, in units of the view box.
WIDTH = 1100
LEFT, RIGHT = 36, WIDTH - 36
TRACK_X, TRACK_Y = 358, 390
TILE_RADIUS = 19
PANEL, PANEL_TOP, SEAT_HEIGHT = 704, 104, 152
FIELD_Y = 758
CARD_STEP = signs.CARD_WIDTH + 6
HAND_STEPS = 6

# Colours, beside those of the signs.
PAPER, PAPER_EDGE, FAINT_INK = "#f6f2e7", "#9d9580", "#7a7362"
TRACK, TILE, TILE_EDGE = "#dfe3ea", "#fbf9f1", "#b4b8c0"
HOLE, GATE_FILL = "#23262e", "#f3dfa2"
ACTIVE = "#ece5d0"
STOP_FILL = "#c0392b"
HEXAGON = "M-4.6 -11 H4.6 L11 -4.6 V4.6 L4.6 11 H-4.6 L-11 4.6 V-4.6 Z"
KIND_WORDS = ("towards the nearest ship", "away from it", "pulls all others")


def document(seen: GravwellSituation) -> str:
    """Draw the whole sheet; the stacks take a row of their own while there are any."""
    height = FIELD_Y + (150 if seen.stacks else 34)
    parts = [
        tag("title", escape(f"Gravwell, {seen.when}: {seen.state_of_play}")),
        tag("desc", escape(description(seen))),
        tag("rect", width=WIDTH, height=height, rx=14, fill=PAPER, stroke=PAPER_EDGE),
        heading(seen),
        moved_to(TRACK_X, TRACK_Y, track(), ships(seen)),
        *(panel(seen, player) for player in seen.players),
        field(seen) if seen.stacks else "",
        legend(height - 22),
    ]
    drawn = tag(
        "svg",
        *(f"\n{part}" for part in parts if part),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        role="img",
        font_family=FONTS,
    )
    return drawn.encode("ascii", "xmlcharrefreplace").decode()  # the same in every encoding


def description(seen: GravwellSituation) -> str:
    """Say in words what the drawing shows, for those who cannot see it."""
    places = [f"{player.name} on tile {player.tile}" for player in seen.players]
    hulks = ", ".join(str(tile) for tile in seen.hulks)
    return f"{'; '.join(places)}; hulks on {hulks}."


def heading(seen: GravwellSituation) -> str:
    """Write the caption: the round and turn, and who is to do what."""
    over = seen.mover == OVER
    when = seen.when[0].upper() + seen.when[1:] + (", tractors inert" if seen.inert else "")
    status = seen.state_of_play[0].upper() + seen.state_of_play[1:]
    ink = INK if over else signs.SEAT_INK[seen.mover]
    return tag(
        "g",
        text(LEFT, 42, "Gravwell", 25, font_weight="700"),
        text(LEFT, 67, when, 15),
        text(RIGHT, 42, status, 21, text_anchor="end", font_weight="700", fill=ink),
        class_="heading",
    )


def track() -> str:
    """Draw the spiral with its tiles, the hole in its middle and the gate at its end."""
    way = tag(
        "path", d=signs.spiral(), fill="none", stroke=TRACK, stroke_width=46, stroke_linecap="round"
    )
    tiles = []
    for tile in range(1, TILES):
        x, y, _ = signs.tile_place(tile)
        radius = TILE_RADIUS + (4 if tile == GATE else 0)
        fill = GATE_FILL if tile == GATE else TILE
        tiles.append(
            tag(
                "circle", cx=x, cy=y, r=radius, fill=fill, stroke=TILE_EDGE, class_="tile",
                data_tile=str(tile),
            )
        )  # fmt: skip
        look = {"fill": FAINT_INK, "text_anchor": "middle"}
        tiles.append(text(x, y + 4.5, str(tile), 12.5, **look))
    hole = tag("circle", r=44, fill=HOLE, class_="tile", data_tile=str(SINGULARITY))
    zero = text(0, 37, "0", 11, fill="#9aa0ad", text_anchor="middle")
    return tag("g", way, *tiles, hole, zero, class_="track")


def ships(seen: GravwellSituation) -> str:
    """Draw hulks and ships on their tiles; several in the Singularity stand side by side."""
    drawn = []
    for tile in seen.hulks:
        x, y, _ = signs.tile_place(tile)
        title = tag("title", f"a hulk on tile {tile}")
        drawn.append(moved_to(x, y, title, signs.hulk_sign(), class_="hulk"))
    waiting = [player.seat for player in seen.players if player.tile == SINGULARITY]
    for player in seen.players:
        x, y, angle = signs.tile_place(player.tile)
        if player.tile == SINGULARITY:
            place = waiting.index(player.seat)
            x, y = (place % 2 - 0.5) * 38, (place // 2 - 0.5) * 30
            if len(waiting) == 1:
                x, y = 0.0, 0.0
        title = tag("title", f"{player.name} on tile {player.tile}")
        sign = signs.ship_sign(player.seat, angle)
        drawn.append(moved_to(x, y, title, sign, class_="ship", data_seat=str(player.seat)))
    return tag("g", *drawn, class_="ships")


def panel(seen: GravwellSituation, player: Player) -> str:
    """Draw what is known of one player: ship, stop, hand, the card of this turn, cards played."""
    top = PANEL_TOP + player.seat * SEAT_HEIGHT
    ink = signs.SEAT_INK[player.seat]
    parts = []
    if seen.mover == player.seat:
        size = {"width": RIGHT - PANEL + 18, "height": SEAT_HEIGHT - 8}
        parts.append(tag("rect", x=PANEL - 12, y=top - 4, rx=8, fill=ACTIVE, **size))
    parts += [
        moved_to(PANEL + 12, top + 17, signs.ship_sign(player.seat, 0.0)),
        text(PANEL + 38, top + 23, player.name, 17, font_weight="700", fill=ink),
        text(PANEL + 112, top + 23, f"tile {player.tile}", 15),
        stop_sign(PANEL + 190, top + 17, player.can_stop),
        played(player, top + 23),
    ]
    centre = top + 44 + signs.CARD_HEIGHT / 2
    cards = [(card, False) for card in player.open_cards]
    cards += [(card, True) for card in player.secret_cards]
    for index, (card, secret) in enumerate(cards):
        x = PANEL + signs.CARD_WIDTH / 2 + index * CARD_STEP
        parts.append(moved_to(x, centre, shown(card)))
        if secret and card != UNKNOWN:
            parts.append(corner(x, centre))
    parts.append(table_card(player, centre))
    return tag("g", *parts, class_="player", data_seat=str(player.seat))


def played(player: Player, y: float) -> str:
    """List the cards a player has shown in this round before."""
    if not player.played:
        return ""
    words = "played " + " ".join(NAMES[card] for card in player.played)
    return text(RIGHT, y, words, 14, text_anchor="end", fill=FAINT_INK)


def stop_sign(x: float, y: float, unused: bool) -> str:
    """Draw the Emergency Stop, pale when it has been used."""
    title = tag("title", f"Emergency Stop {'unused' if unused else 'used'}")
    look: dict[str, str | float] = {"fill": STOP_FILL, "opacity": 1.0 if unused else 0.18}
    word = text(0, 3.2, "STOP", 7.4, fill="#ffffff", text_anchor="middle", font_weight="700")
    return moved_to(x, y, title, tag("g", tag("path", d=HEXAGON, **look), word))


def shown(card: int) -> str:
    """Draw a card's face, or its back where it is not known."""
    return signs.back() if card == UNKNOWN else signs.card_sign(card)


def corner(x: float, y: float) -> str:
    """Mark a card as drafted face down: the others do not know it."""
    left, top = x - signs.CARD_WIDTH / 2, y - signs.CARD_HEIGHT / 2
    path = f"M{left + 1.5:g} {top + 13:g} V{top + 5:g} q0 -3.5 3.5 -3.5 H{left + 13:g} Z"
    return tag("path", tag("title", "drafted face down"), d=path, fill="#8793a6")


def table_card(player: Player, centre: float) -> str:
    """Draw the card of this turn apart from the hand; a frame marks the one that is resolved."""
    if player.table == NOTHING:
        return ""
    x = PANEL + signs.CARD_WIDTH / 2 + HAND_STEPS * CARD_STEP + 10
    parts = [shown(player.table)]
    if player.resolving:
        edge: dict[str, str | float] = {"fill": "none", "stroke": STOP_FILL, "stroke_width": 3}
        size: dict[str, float] = {"width": signs.CARD_WIDTH + 8, "height": signs.CARD_HEIGHT + 8}
        parts.append(
            tag(
                "rect",
                x=-signs.CARD_WIDTH / 2 - 4,
                y=-signs.CARD_HEIGHT / 2 - 4,
                rx=8,
                **size,
                **edge,
            )
        )
    return moved_to(x, centre, *parts, class_="table")


def field(seen: GravwellSituation) -> str:
    """Draw the stacks that can be taken, each a visible card on a hidden one."""
    step = signs.CARD_WIDTH + 40
    parts = [text(LEFT, FIELD_Y - 14, "Stacks to take", 15, font_weight="700")]
    order = ", ".join(seen.players[seat].name for seat in seen.order)
    parts.append(text(LEFT + 118, FIELD_Y - 14, f"in the order {order}", 14, fill=FAINT_INK))
    for index, stack in enumerate(seen.stacks):
        x, y = LEFT + 24 + index * step, FIELD_Y + 34
        parts.append(moved_to(x + 24, y + 10, shown(stack.hidden)))
        parts.append(moved_to(x, y, signs.card_sign(stack.visible)))
    return tag("g", *parts, class_="stacks")


def legend(y: float) -> str:
    """Explain the signs in one row."""
    parts = []
    x = LEFT + 8.0
    for kind, words in enumerate(KIND_WORDS):
        label = f"{KIND_NAMES[kind]}: {words}"
        parts += [
            moved_to(x, y - 5, signs.kind_sign(kind)),
            text(x + 15, y, label, 13, fill=FAINT_INK),
        ]
        x += 40 + 6.6 * len(label)
    parts += [moved_to(x, y - 5, signs.hulk_sign(0.6)), text(x + 14, y, "hulk", 13, fill=FAINT_INK)]
    x += 70
    words = "cards take effect in the order of the alphabet"
    parts.append(text(x, y, words, 13, fill=FAINT_INK))
    return tag("g", *parts, class_="legend")
