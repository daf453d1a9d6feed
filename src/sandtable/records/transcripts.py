"""What an agent that talks said about its decisions, kept with the record of the game.

It lies in the annotations of the record, under ``transcript``, and changes nothing about the game.
A transcript holds what its seat knew, so it is for those who may see everything: it gets into a
record when the game is over. A prompt is a list of messages; the texts of messages, of which most
come again and again, are kept once, in a list of their own.

    {"version": 1, "texts": ["...", ...], "decisions": [{"ply": 0, "seat": 1, "actions": 3,
     "model": "...", "exchanges": [{"prompt": [["system", 0], ["user", 1]], "answer": "...",
     "reasoning": "...", "problem": "", ...}]}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandtable.records.record import Annotations

__all__ = ["Decision", "Exchange", "decision_at", "decisions_of", "transcript_data"]

KEY = "transcript"
VERSION = 1


@dataclass(frozen=True)
class Exchange:
    """One question and its answer.

    >>> Exchange.from_data({"prompt": [["user", 0]], "answer": "MOVE: e4"}, ["Your move?"]).prompt
    (('user', 'Your move?'),)
    """

    prompt: tuple[tuple[str, str], ...]  # role and text of each message
    answer: str = ""
    reasoning: str = ""  # what the model let be seen of its thoughts
    problem: str = ""  # what was wrong with the answer; empty: it was played
    kind: str = ""  # of problem: "unreadable", "illegal", or "endpoint"
    finish: str = ""  # why the model stopped, in the words of the endpoint
    prompt_tokens: int | None = None  # None: the endpoint did not say
    answer_tokens: int | None = None  # with those of the reasoning
    reasoning_tokens: int | None = None
    seconds: float = 0.0
    retries: int = 0  # how often the endpoint had to be asked again

    @classmethod
    def from_data(cls, data: Any, texts: Sequence[Any]) -> Exchange | None:
        """Read an exchange from a record; None: somebody else has written there."""
        if not isinstance(data, dict) or not isinstance(data.get("prompt"), list):
            return None
        prompt: list[tuple[str, str]] = []
        for message in data["prompt"]:
            role, place = message if isinstance(message, list) and len(message) == 2 else ("", -1)
            if type(place) is not int or not 0 <= place < len(texts):
                return None
            prompt.append((str(role), str(texts[place])))
        known: dict[str, Any] = {"prompt": tuple(prompt)}
        for name in ("answer", "reasoning", "problem", "kind", "finish"):
            known[name] = str(data.get(name) or "")
        for name in ("prompt_tokens", "answer_tokens", "reasoning_tokens"):
            value = data.get(name)
            known[name] = value if type(value) is int else None
        seconds, retries = data.get("seconds"), data.get("retries")
        known["seconds"] = float(seconds) if isinstance(seconds, (int, float)) else 0.0
        known["retries"] = retries if type(retries) is int else 0
        return cls(**known)


@dataclass(frozen=True)
class Decision:
    """What was said before some actions of a seat.

    >>> Decision(ply=4, seat=1, actions=2).led_to(6), Decision(ply=4, seat=1).led_to(4)
    (True, True)
    """

    ply: int  # how many actions had been played
    seat: int
    actions: int = 0  # how many were answered; 0: the seat forfeited
    model: str = ""
    exchanges: tuple[Exchange, ...] = field(default=())

    def led_to(self, ply: int) -> bool:
        """Say whether the action that led to this ply comes from here, or the game ended here."""
        return self.ply < ply <= self.ply + self.actions or (not self.actions and ply == self.ply)


def transcript_data(entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return decisions, as agents give them with ply and seat, as they stand in a record.

    >>> told = {"ply": 0, "seat": 0, "actions": 1, "exchanges": [
    ...     {"prompt": [["user", "Your move?"]], "answer": "MOVE: e4"}]}
    >>> transcript_data([told])["texts"]
    ['Your move?']
    """
    numbers: dict[str, int] = {}
    decisions = []
    for entry in entries:
        exchanges = []
        for exchange in entry.get("exchanges", ()):
            prompt = [
                [role, numbers.setdefault(text, len(numbers))] for role, text in exchange["prompt"]
            ]
            exchanges.append({**exchange, "prompt": prompt})
        decisions.append({**entry, "exchanges": exchanges})
    return {"version": VERSION, "texts": list(numbers), "decisions": decisions}


def decisions_of(annotations: Annotations) -> list[Decision]:
    """Return the decisions among annotations in their order; what is not understood is left out.

    >>> decisions_of({"transcript": {"decisions": [{"ply": 0, "seat": 1, "actions": 2}]}})
    [Decision(ply=0, seat=1, actions=2, model='', exchanges=())]
    """
    kept = annotations.get(KEY)
    kept = kept if isinstance(kept, dict) else {}
    entries, texts = kept.get("decisions"), kept.get("texts", [])
    if not isinstance(entries, list) or not isinstance(texts, list):
        return []
    found = []
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        numbers = [entry.get(name, 0) for name in ("ply", "seat", "actions")]
        if not all(type(each) is int and each >= 0 for each in numbers):
            continue
        told = entry.get("exchanges", [])
        read = [Exchange.from_data(each, texts) for each in told] if isinstance(told, list) else []
        exchanges = tuple(each for each in read if each is not None)
        ply, seat, actions = numbers
        found.append(Decision(ply, seat, actions, str(entry.get("model", "")), exchanges))
    return found


def decision_at(annotations: Annotations, ply: int, viewer: int | None) -> list[Decision]:
    """Return what was said before the action that led to a ply, as far as a viewer may read it.

    A seat may read its own; None may read everything. After the last action this is also what was
    said before a forfeit.

    >>> decision_at({"transcript": {"decisions": [{"ply": 0, "seat": 1, "actions": 2}]}}, 1, 0)
    []
    """
    every = decisions_of(annotations)
    return [each for each in every if each.led_to(ply) and viewer in (None, each.seat)]
