"""What a language model is asked: made from the briefing of a game, so it holds for every game.

The first message says all that stays the same through a game, so that an endpoint can keep what it
made of it. The second says what is now. Each decision begins anew: what a model wrote before is not
sent again, except when it must rethink an answer that could not be played.
"""

from __future__ import annotations

import json
from typing import TypedDict

from sandtable.agents.briefing import (
    Chronicle,
    goal_text,
    legal_text,
    notation_text,
    rules_of,
    view_data,
    view_text,
)
from sandtable.types import Game, State

__all__ = ["VIEWS", "Message", "asked", "instructed", "rethink"]

VIEWS = ("both", "text", "json")  # how a view is shown
LONGEST_QUOTE = 4000  # characters of an answer that is sent back to be thought over
FORM_OF_ONE = """\
Think first, as briefly as the position allows. Then end your answer with one line, which begins
with MOVE: and names one legal action and nothing else, like this:

MOVE: {example}"""
FORM_OF_MANY = """\
Think first, as briefly as the position allows. Then end your answer with one line, which begins
with MOVE: and names all actions of your turn, in the order in which they are played, separated by
spaces. Later actions must be legal after the earlier ones. An action several times in a row may be
written once with a count: {example}*2. If the line does not end the turn, you are asked again for
the rest of it.

MOVE: {example} ..."""


class Message(TypedDict):
    """One message of a conversation, as the protocol has it."""

    role: str
    content: str


def instructed(game: Game, seat: int) -> Message:
    """Return the message that stays the same through a game.

    >>> from sandtable.registry import make_game
    >>> instructed(make_game("lucid"), 0)["content"].splitlines()[0]
    'You are playing Operation Lucid.'
    """
    from sandtable.agents.briefing import action_examples

    form = FORM_OF_ONE if game.turn_ending_actions is None else FORM_OF_MANY
    parts = [
        f"You are playing {game.title}.",
        f"# Rules\n\n{rules_of(game)}",
        f"# Your seat\n\n{goal_text(game, seat)}",
        f"# Actions\n\n{notation_text(game)}",
        f"# How to answer\n\n{form.format(example=action_examples(game)[0])}",
    ]
    return {"role": "system", "content": "\n\n".join(parts)}


def asked(view: State, chronicle: Chronicle, legal: int, shown: str) -> Message:
    """Return the message about one decision; ``legal`` is how many actions are listed at most.

    >>> from sandtable.registry import make_game
    >>> view = make_game("lucid").start().view(0)
    >>> asked(view, Chronicle(view.game, 0), 0, "text")["content"].splitlines()[-1]
    'It is your turn. End your answer with the line that begins with MOVE:'
    """
    parts = []
    happened = chronicle.text()
    if happened:
        parts.append(f"# What has happened since your last decision\n\n{happened}")
    if shown in ("both", "text"):
        parts.append(f"# The position as you see it\n\n{view_text(view)}")
    if shown in ("both", "json"):
        data = json.dumps(view_data(view), separators=(",", ":"), ensure_ascii=False)
        parts.append(f"# The position as JSON\n\n{data}")
    if legal > 0:
        later = ""
        if view.game.turn_ending_actions is not None:
            later = "\nThese are legal as the next action; later ones depend on it."
        parts.append(f"# What you can play now\n\n{legal_text(view, legal)}{later}")
    turn = "Your turn goes on." if chronicle.turn_goes_on else "It is your turn."
    parts.append(f"{turn} End your answer with the line that begins with MOVE:")
    return {"role": "user", "content": "\n\n".join(parts)}


def rethink(answer: str, problem: str) -> list[Message]:
    """Return the messages after an answer that cannot be played.

    >>> rethink("MOVE: x", "'x' is no action")[1]["role"]
    'user'
    """
    quoted = answer if len(answer) <= LONGEST_QUOTE else f"...{answer[-LONGEST_QUOTE:]}"
    complaint = (
        f"That cannot be played: {problem}. Nothing was played. Answer again for the same "
        "position; end your answer with the line that begins with MOVE:"
    )
    said: Message = {"role": "assistant", "content": quoted or "(no answer)"}
    return [said, {"role": "user", "content": complaint}]
