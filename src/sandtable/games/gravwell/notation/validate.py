"""Gravwell: is a position that was read from text possible at all?"""

from __future__ import annotations

import numpy as np

from sandtable.games.gravwell import layout
from sandtable.games.gravwell.cards import CARDS, NAMES
from sandtable.games.gravwell.rules.drafting import holds, secret_cards, stacks_taken
from sandtable.games.gravwell.rules.hiding import SPECTATOR, hide
from sandtable.games.gravwell.rules.kernels import may_stop
from sandtable.games.gravwell.rules.movement import target_of
from sandtable.types import Position

__all__ = ["check_course", "check_view"]


def check_course(position: Position) -> None:
    """Refuse what no course of play leads to."""
    problems = {layout.DRAFTING: draft_problem, layout.PLAYING: choice_problem}
    problem = problems.get(int(position[layout.PHASE]), resolution_problem)(position)
    problem = problem or hands_problem(position) or last_problem(position)
    if problem:
        raise ValueError(problem)


def draft_problem(position: Position) -> str | None:
    """Say what is wrong in a draft."""
    players = int(position[layout.PLAYERS])
    order = [int(position[layout.ORDER + rank]) for rank in range(players)]
    tiles = [int(position[layout.SHIPS + seat]) for seat in order]
    if tiles != sorted(tiles):
        return "the rearmost ship drafts first"
    if not position[layout.STOPS : layout.STOPS + players].all():
        return "all Emergency Stops are renewed before a draft"
    if (position[layout.TABLE : layout.TABLE + players] != layout.NOTHING).any():
        return "no cards are played in a draft"
    return None


def choice_problem(position: Position) -> str | None:
    """Say what is wrong while cards are chosen."""
    players = int(position[layout.PLAYERS])
    for seat in range(players):
        card = int(position[layout.TABLE + seat])
        if (card == layout.NOTHING) != (seat >= position[layout.MOVER]):
            return "cards are chosen in the order of the seats"
        if card >= 0 and not holds(position, seat, card):
            return f"seat {seat + 1} has {NAMES[card]} on the table, but not in its hand"
    if position[layout.TURN] == 0 and not position[layout.STOPS : layout.STOPS + players].all():
        return "no Emergency Stop can have been used before the first turn"
    return None


def resolution_problem(position: Position) -> str | None:
    """Say what is wrong after the cards were turned over."""
    for seat in range(position[layout.PLAYERS]):
        card = int(position[layout.TABLE + seat])
        if card < 0 or position[layout.WHERE + card] != layout.PLAYED + seat:
            return "the cards on the table are among those played by their seats"
    current = int(position[layout.CURRENT])
    if position[layout.PHASE] == layout.STOPPING:
        seat = int(position[layout.MOVER])
        if not may_stop(position, seat, current, target_of(position, seat)):
            return f"the owner of {NAMES[current]} cannot be asked for an Emergency Stop"
    elif current != layout.NOTHING:
        if position[layout.SHIPS + position[layout.WINNER]] != layout.GATE:
            return "the game is over, but the owner of the marked card is not on the Warp Gate"
    elif (position[layout.ROUND], position[layout.TURN]) != (layout.ROUNDS - 1, layout.TURNS - 1):
        return "the game is over only after six rounds, or with a ship on the Warp Gate"
    return None


def hands_problem(position: Position) -> str | None:
    """Say whose cards are too many or too few."""
    places = list(position[layout.WHERE : layout.WHERE + CARDS])
    drafting = position[layout.PHASE] == layout.DRAFTING
    shown = (
        0
        if drafting
        else int(position[layout.TURN])
        + (position[layout.PHASE] in (layout.STOPPING, layout.ENDED))
    )
    for seat in range(position[layout.PLAYERS]):
        taken, seen = int(stacks_taken(position, seat)), places.count(layout.OPEN_HAND + seat)
        played = places.count(layout.PLAYED + seat)
        if played != shown:
            return f"seat {seat + 1} has played {played} cards, which is not one a turn"
        if max(seen, secret_cards(position, seat)) > taken or (drafting and seen < taken):
            return f"seat {seat + 1} has one open and one hidden card from each of {taken} stacks"
    return None


def last_problem(position: Position) -> str | None:
    """Say what is wrong with the cards of the turn before."""
    for seat in range(position[layout.PLAYERS]):
        card, first = int(position[layout.LAST + seat]), position[layout.TURN] == 0
        if (card == layout.NOTHING) != bool(first and position[layout.ROUND] == 0):
            return "the cards of the turn before stand in all turns but the first"
        if not first and position[layout.WHERE + card] != layout.PLAYED + seat:
            return "the cards of the turn before are among those played by their seats"
        if not first and card == position[layout.TABLE + seat]:
            return f"{NAMES[card]} cannot be played twice in a round"
    return None


def check_view(position: Position) -> None:
    """Refuse a line with ``?`` in which no seat, and no spectator, sees just what is shown."""
    players = int(position[layout.PLAYERS])
    covered = position[layout.WHERE : layout.WHERE + CARDS] == layout.UNKNOWN
    if not covered.any() and layout.UNKNOWN not in position[layout.TABLE : layout.TABLE + players]:
        return
    for seat in (SPECTATOR, *range(players)):
        view = position.copy()
        hide(view, seat)
        if np.array_equal(view, position) and (seat == SPECTATOR or knows_itself(position, seat)):
            return
    raise ValueError("? stands for some cards that are covered, but not for all of them")


def knows_itself(position: Position, seat: int) -> bool:
    """Say whether all cards of a seat are named."""
    known = list(position[layout.WHERE : layout.WHERE + CARDS]).count(layout.SECRET_HAND + seat)
    return bool(
        known == secret_cards(position, seat) and position[layout.TABLE + seat] != layout.UNKNOWN
    )
