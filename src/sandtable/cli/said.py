"""What agents that talk said about their moves, as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandtable.records.transcripts import Decision, Exchange

__all__ = ["Said", "said_lines"]


class Said(StrEnum):
    """How much of a transcript is shown."""

    NOTHING = "nothing"
    ANSWERS = "answers"
    ALL = "all"


def said_lines(decisions: Iterable[Decision], how_much: Said) -> list[str]:
    """Return what was said before a move; texts of strangers are freed of control codes.

    >>> from sandtable.records.transcripts import Decision, Exchange
    >>> exchange = Exchange((("user", "Your move?"),), "I attack.\\nMOVE: e4", answer_tokens=9)
    >>> decision = Decision(0, 0, 1, "small", (exchange,))
    >>> print("\\n".join(said_lines([decision], Said.ANSWERS)))
    small said (9 tokens, 0.0 s):
      | I attack.
      | MOVE: e4
    """
    from sandtable.records.lines import one_line

    if how_much is Said.NOTHING:
        return []
    lines: list[str] = []
    for decision in decisions:
        for number, exchange in enumerate(decision.exchanges):
            if how_much is Said.ALL:
                # Messages of a rethink come after those that were shown before it.
                for role, text in exchange.prompt[0 if number == 0 else -1 :]:
                    lines += [f"asked ({one_line(role)}):", *quoted(text)]
                if exchange.reasoning:
                    lines += ["it thought:", *quoted(exchange.reasoning)]
            lines += [f"{one_line(decision.model)} said{facts(exchange)}:"]
            lines += quoted(exchange.answer or "(nothing)")
            if exchange.problem:
                lines.append(f"  that could not be played: {one_line(exchange.problem)}")
    return lines


def facts(exchange: Exchange) -> str:
    """Return how many tokens and seconds an answer took."""
    words = [f"{exchange.seconds:.1f} s"]
    if exchange.answer_tokens is not None:
        words.insert(0, f"{exchange.answer_tokens:,} tokens")
    if exchange.retries:
        words.append(f"asked {exchange.retries + 1} times")
    return f" ({', '.join(words)})"


def quoted(text: str) -> list[str]:
    """Return the lines of a text with a mark before each."""
    from sandtable.records.lines import one_line

    return [f"  | {one_line(line)}".rstrip() for line in text.strip().splitlines()]
