"""What an assistant is told of its game, in words and as data, from what its seat was sent.

How a view is told to a reader of text is the same for every model (``agents/briefing.py``); here it
is put together with what happened, with who sits where, and with what others offer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sandtable.agents.briefing import view_data, view_text
from sandtable.assistants.seat import Seat
from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.screens import Data
from sandtable.server.allowed_specs import allowed_game
from sandtable.types import State

__all__ = ["ended", "happened", "legal_words", "situation"]

MOST_TOLD = 60  # entries of the log, the last ones
MOST_LEGAL = 600


def situation(
    seat: Seat, view: Data, entries: Sequence[Data], with_board: bool = False
) -> tuple[str, Data]:
    """Return how a game stands for a seat, as text and as data.

    The board as data is long, and the text says the same: it is there if it is asked for.
    """
    now, facts = seat.now, seat.facts
    legal = [each["text"] for each in now["legal"] or []]
    state = state_of(seat, view)
    parts = [heading(seat)]
    if entries:
        parts.append("Since you looked last:\n" + "\n".join(happened(facts, entries)))
    parts.append(f"The board as you see it:\n\n{board_words(view, state, now['board'])}")
    if seat.over:
        parts.append(ended(seat))
    elif seat.to_act:
        parts.append(legal_words(legal, closes=bool(facts["closing"])))
    else:
        parts.append(f"{seat.waits_for()}. Call look to wait on.")
    parts += offers(seat)
    data: Data = {
        "game": seat.name,
        "rules": facts["game"],
        "seat": None if seat.you is None else facts["seats"][seat.you]["seat"],
        "ply": now["ply"],
        "your_turn": seat.to_act,
        "over": seat.over,
        "view": seen_data(view, state, with_board),
        "legal": legal[:MOST_LEGAL],
        "happened": [entry_data(facts, entry) for entry in entries],
        "outcome": now["outcome"],
        "record": now["archive"],
    }
    return "\n\n".join(part for part in parts if part), data


def state_of(seat: Seat, view: Data) -> State | None:
    """Return the view of a seat as a state; None: its game is not installed here as it is there."""
    if view["line"] is None:
        return None
    try:
        game = make_game(allowed_game(seat.spec))
        position = game.notation.parse_position(view["line"])
    except SandtableError:
        return None
    return State(game, position, None if seat.over else seat.you)


def seen_data(view: Data, state: State | None, with_board: bool) -> Data:
    """Return a view as data, with the board of the browser or without."""
    found = {"position": view["line"]} if state is None else view_data(state)
    return {key: value for key, value in found.items() if with_board or key != "board"}


def board_words(view: Data, state: State | None, board: Data) -> str:
    """Return a view for a reader of text; of a game that is not installed here, what came."""
    if state is not None:
        return view_text(state)
    if view["text"]:
        return f"{view['text'].rstrip()}\n\nIn one line: {view['line']}"
    return json.dumps({name: value for name, value in board.items() if name != "svg"})


def heading(seat: Seat) -> str:
    """Say what is played, who sits where, and how far it is."""
    facts, now = seat.facts, seat.now
    seats = [
        f"{called(each)} {'you' if number == seat.you else each['agent'] or each['name']}"
        for number, each in enumerate(facts["seats"])
    ]
    progress = f" {now['progress'][:1].upper()}{now['progress'][1:]}." if now["progress"] else ""
    clock = ""
    if now["clocks"] is not None and seat.you is not None:
        clock = f" Your clock: {now['clocks'][seat.you]:.0f} s."
    head = f"{facts['title']} ({facts['game']}). Seats: {', '.join(seats)}."
    return f"{head}{progress} {now['status']}.{clock}"


def called(held: Data) -> str:
    """Name a seat, with its title where that is another word.

    >>> called({"seat": "first", "title": "Blue"}), called({"seat": "red", "title": "Red"})
    ('first (Blue):', 'red:')
    """
    known = held["title"].lower() == held["seat"].lower()
    return f"{held['seat']}:" if known else f"{held['seat']} ({held['title']}):"


def happened(facts: Data, entries: Sequence[Data]) -> list[str]:
    """Tell the entries of a log, one line for each action and each event."""
    left_out = len(entries) - MOST_TOLD
    lines = [f"  ({left_out} actions before these)"] if left_out > 0 else []
    for entry in entries[-MOST_TOLD:]:
        title = facts["seats"][entry["seat"]]["title"]
        lines.append(f"  {entry['ply']}. {title}: {entry['text'] or '(you cannot see it)'}")
        lines += [f"     {event['text']}" for event in entry["events"]]
    return lines


def entry_data(facts: Data, entry: Data) -> Data:
    """Return one entry of a log as data."""
    return {
        "ply": entry["ply"],
        "seat": facts["seats"][entry["seat"]]["seat"],
        "action": entry["text"],
        "events": [event["text"] for event in entry["events"]],
    }


def legal_words(legal: Sequence[str], *, closes: bool) -> str:
    """List what can be played.

    >>> legal_words(["a1-a2", "end"], closes=True).splitlines()[0]
    'You can play one of 2: a1-a2 end'
    """
    shown = " ".join(legal[:MOST_LEGAL])
    more = f" ... and {len(legal) - MOST_LEGAL} more" if len(legal) > MOST_LEGAL else ""
    turn = (
        "\nSeveral actions of a turn can be played in one call, separated by spaces; the turn "
        "goes on until the action that ends it."
        if closes
        else ""
    )
    return f"You can play one of {len(legal)}: {shown}{more}{turn}"


def ended(seat: Seat) -> str:
    """Say how a game ended."""
    now, facts = seat.now, seat.facts
    outcome = now["outcome"]
    if outcome is None:
        return "The game was broken off without a result."
    scores = ", ".join(
        f"{each['title']} {score + 0:g}"
        for each, score in zip(facts["seats"], outcome["scores"], strict=True)
    )
    words = f" {now['ending']}" if now["ending"] else ""
    kept = f" Its record: {now['archive']}." if now["archive"] else ""
    return f"The game is over: {outcome['reason']}. Scores: {scores}.{words}{kept}"


def offers(seat: Seat) -> list[str]:
    """Say what the others offer."""
    now, found = seat.now, []
    by = now["draw"]["offered_by"]
    if by is not None and by != seat.you:
        found.append("You are offered a draw; answer with the tool draw.")
    wants = [each for each in now["rematch"]["offered_by"] if each != seat.you]
    if seat.over and wants and now["rematch"]["room"] is None:
        found.append("You are asked for another game; accept with the tool play_again.")
    return found
