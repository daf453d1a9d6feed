"""Gravwell on the screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import KIND, KIND_NAMES, NAMES, TRACTOR, VALUE
from sandtable.games.gravwell.drawing.text import Player, face, situation
from sandtable.games.gravwell.notation.text import SEAT_NAMES, GravwellNotation
from sandtable.games.gravwell.rules.hiding import SPECTATOR, hide
from sandtable.games.gravwell.rules.kernels import lay_down, may_stop, next_card, owner_of
from sandtable.games.gravwell.rules.movement import arrival, pull_others, target_of
from sandtable.screens import BoardScreen, FormOption, Preset, choices
from sandtable.types import Position

__all__ = ["GravwellScreen"]

PHASES = {
    layout.DRAFTING: "draft",
    layout.PLAYING: "play",
    layout.STOPPING: "stop",
    layout.ENDED: "over",
}


@dataclass(frozen=True)
class Resolved:
    """A card that took effect, or was stopped, before everybody's eyes."""

    seat: int
    card: int
    stopped: bool
    moves: tuple[tuple[int, int, int], ...]  # ship, from, to


OPTIONS = (
    FormOption(
        "players",
        "Players",
        "two to four",
        "4",
        choices(("2", "Two"), ("3", "Three"), ("4", "Four")),
    ),
    FormOption(
        "tractor",
        "Tractors",
        "whether tractor cards pull",
        "true",
        choices(("true", "Working"), ("inert", "Inert")),
    ),
)


class GravwellScreen(BoardScreen):
    """Ships on the track, hands as far as they are seen, stacks, cards on the table."""

    options = OPTIONS
    seat_titles = ("Blue", "Red", "Green", "Yellow")
    presets = (
        Preset("gravwell:players=2", "Two players"),
        Preset("gravwell:players=3", "Three players"),
        Preset("gravwell", "Four players"),
    )

    def board(self, position: Position, viewer: int | None) -> dict[str, Any]:
        """Return the track and the cards."""
        seen = situation(position)
        players = int(position[layout.PLAYERS])
        last = [int(position[layout.LAST + seat]) for seat in range(players)]
        drafting = position[layout.PHASE] == layout.DRAFTING
        current = (
            int(position[layout.CURRENT])
            if position[layout.PHASE] == layout.STOPPING
            else layout.NOTHING
        )
        hulks = [{"seat": None, "tile": tile} for tile in seen.hulks]
        return {
            "game": "gravwell",
            "round": int(position[layout.ROUND]) + 1,
            "rounds": layout.ROUNDS,
            "turn": 0 if drafting else int(position[layout.TURN]) + 1,
            "phase": PHASES[int(position[layout.PHASE])],
            "mover": None if seen.mover == layout.OVER else seen.mover,
            "tiles": layout.TILES,
            "inert": bool(seen.inert),
            "ships": [{"seat": each.seat, "tile": each.tile} for each in seen.players] + hulks,
            "players": [player_data(player) for player in seen.players],
            "stacks": [
                {"visible": card_data(stack.visible), "hidden": card_data(stack.hidden)}
                for stack in seen.stacks
            ],
            "order": list(seen.order),
            "last": None if layout.NOTHING in last else [card_data(card) for card in last],
            "current": card_data(current),
            "arrival": arrival_of(position, current),
        }

    def public(self, position: Position) -> Position | None:
        """Cover every hand."""
        seen = np.array(position)
        hide(seen, SPECTATOR)
        return seen

    def action(self, view: Position, action: int) -> dict[str, Any]:
        """Return playing a card, taking a stack, or the answer to the Emergency Stop."""
        if action == layout.GO:
            return {"kind": "go", "from": None, "to": None, "label": "Let the card take effect"}
        if action == layout.STOP:
            return {"kind": "stop", "from": None, "to": None, "label": "Emergency Stop"}
        if action >= layout.TAKE:
            name = NAMES[action - layout.TAKE]
            label = f"Take the stack with {face(action - layout.TAKE)}"
            return {"kind": "take", "from": f"stack:{name}", "to": None, "label": label}
        label = f"Play {face(action)}"
        return {"kind": "play", "from": f"hand:{NAMES[action]}", "to": "table", "label": label}

    def turn_label(self, view: Position) -> str | None:
        """Return round and turn; a draft is the turn 0 of its round."""
        drafting = view[layout.PHASE] == layout.DRAFTING
        turn = 0 if drafting else int(view[layout.TURN]) + 1
        return f"{int(view[layout.ROUND]) + 1}.{turn}"

    def progress(self, view: Position) -> str:
        """Say which round and turn it is."""
        words = f"round {int(view[layout.ROUND]) + 1} of {layout.ROUNDS}"
        if view[layout.PHASE] == layout.DRAFTING:
            return f"{words}, draft"
        return f"{words}, turn {int(view[layout.TURN]) + 1} of {layout.TURNS}"

    def public_details(self, position: Position, action: int, dice: Any) -> Any:
        """Return the cards that an action lets take effect, one by one.

        The game resolves cards until somebody is to be asked, all inside one action. The same is
        done here once more on copies, to see each card on its own. By then they lie face up.
        """
        if layout.TAKE <= action < layout.GO:
            return []
        if action < layout.TAKE:
            lay_down(position, int(position[layout.MOVER]), action)
        return resolved(position, action, dice) if position[layout.PHASE] == layout.STOPPING else []

    def events(
        self, before: Position, seat: int, action: int | None, after: Position, details: Any
    ) -> list[dict[str, Any]]:
        """Tell a draft, cards laid and turned over, every card that took effect, and the end."""
        name = SEAT_NAMES[seat].capitalize()
        events: list[dict[str, Any]] = []
        if action is not None and layout.TAKE <= action < layout.GO:
            card = card_data(action - layout.TAKE)
            text = f"{name} takes the stack with {face(action - layout.TAKE)}"
            return [{"kind": "take", "seat": seat, "visible": card, "text": text}]
        if before[layout.PHASE] == layout.PLAYING:
            events.append({"kind": "laid", "seat": seat, "text": f"{name} lays a card face down"})
            if after[layout.PHASE] != layout.PLAYING or after[layout.TURN] != before[layout.TURN]:
                events.append(reveal_event(after))
        events += [resolved_event(effect, int(after[layout.PLAYERS])) for effect in details or []]
        return events + closing_events(before, after)


def resolved(position: Position, action: int, dice: Any) -> list[Resolved]:
    """Let cards take effect as the rules do, and note each."""
    effects = []
    answered = action >= layout.GO
    while position[layout.CURRENT] != layout.NOTHING:
        card = int(position[layout.CURRENT])
        seat = int(owner_of(position, card))
        target = int(target_of(position, seat))
        if not answered and may_stop(position, seat, card, target):
            break
        ships = [int(position[layout.SHIPS + ship]) for ship in range(layout.MOST_SHIPS)]
        stopped = answered and action == layout.STOP
        if not stopped and KIND[card] == TRACTOR:
            pull_others(position, seat, int(VALUE[card]), dice)
        elif not stopped and target != layout.NOTHING:
            position[layout.SHIPS + seat] = arrival(position, seat, card, target)
        moves = tuple(
            (ship, tile, int(position[layout.SHIPS + ship]))
            for ship, tile in enumerate(ships)
            if tile != position[layout.SHIPS + ship]
        )
        effects.append(Resolved(seat, card, stopped, moves))
        answered = False
        if position[layout.SHIPS + seat] == layout.GATE:
            break
        position[layout.CURRENT] = next_card(position, card)
    return effects


def arrival_of(position: Position, card: int) -> int | None:
    """Return the tile to which a card that comes up would take its owner; None: it stays.

    The card lies face up, and ships are seen by all.
    """
    if card == layout.NOTHING or KIND[card] == TRACTOR:
        return None
    seat = int(owner_of(position, card))
    target = int(target_of(position, seat))
    return None if target == layout.NOTHING else int(arrival(position, seat, card, target))


def card_data(card: int) -> dict[str, Any] | None:
    """Return a card, or None for one that is not there or not known."""
    if card < 0:
        return None
    return {"name": NAMES[card], "value": int(VALUE[card]), "kind": KIND_NAMES[KIND[card]]}


def player_data(player: Player) -> dict[str, Any]:
    """Return a seat with its cards."""
    return {
        "seat": player.seat,
        "tile": player.tile,
        "can_stop": player.can_stop,
        "open": [card_data(card) for card in player.open_cards],
        "secret": [card_data(card) for card in player.secret_cards],
        "played": [card_data(card) for card in player.played],
        "table": card_data(player.table),
        "covered": player.table == layout.UNKNOWN,
        "resolving": bool(player.resolving),
    }


def ship_name(ship: int) -> str:
    """Return the name of a ship."""
    return "A hulk" if ship >= layout.FIRST_HULK else SEAT_NAMES[ship].capitalize()


def reveal_event(after: Position) -> dict[str, Any]:
    """Tell the cards that were turned over: on the table, or already put away."""
    seats = range(int(after[layout.PLAYERS]))
    shown = (
        after[layout.PHASE] in (layout.STOPPING, layout.ENDED)
        and after[layout.TABLE] != layout.NOTHING
    )
    cards = [int(after[(layout.TABLE if shown else layout.LAST) + seat]) for seat in seats]
    words = ", ".join(f"{SEAT_NAMES[seat]} {face(cards[seat])}" for seat in seats)
    text = f"The cards are turned over: {words}"
    return {"kind": "reveal", "cards": [card_data(card) for card in cards], "text": text}


def resolved_event(effect: Resolved, players: int) -> dict[str, Any]:
    """Tell what became of one card; ships are numbered as on the board, hulks after players."""
    name, card = SEAT_NAMES[effect.seat].capitalize(), card_data(effect.card)
    if effect.stopped:
        text = f"{name} uses the Emergency Stop on {face(effect.card)}"
        return {"kind": "stopped", "seat": effect.seat, "card": card, "text": text}
    moves = [
        {
            "seat": ship if ship < layout.FIRST_HULK else None,
            "ship": ship if ship < layout.FIRST_HULK else players + ship - layout.FIRST_HULK,
            "from": old,
            "to": new,
        }
        for ship, old, new in effect.moves
    ]
    sentences = [f"{ship_name(ship)} moves from {old} to {new}" for ship, old, new in effect.moves]
    text = f"{name}'s {face(effect.card)}: {'; '.join(sentences) or 'nobody moves'}"
    return {"kind": "resolve", "seat": effect.seat, "card": card, "moves": moves, "text": text}


def closing_events(before: Position, after: Position) -> list[dict[str, Any]]:
    """Tell that a round or the game has ended."""
    if after[layout.MOVER] == layout.OVER:
        text = f"The game is over: {GravwellNotation().reason(after)}"
        return [{"kind": "over", "text": text}]
    if after[layout.ROUND] == before[layout.ROUND]:
        return []
    order = [int(after[layout.ORDER + rank]) for rank in range(int(after[layout.PLAYERS]))]
    names = ", ".join(SEAT_NAMES[seat] for seat in order)
    number = int(after[layout.ROUND]) + 1
    text = f"Round {number} begins; they draft in the order {names}"
    return [{"kind": "round", "round": number, "order": order, "text": text}]
