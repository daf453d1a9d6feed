"""Checks of notation and drawing: text that comes back, errors with names, pictures that parse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np

from sandtable.conformance.bench import Bench
from sandtable.dice import Dice
from sandtable.errors import UnreadableAction, UnreadablePosition
from sandtable.types import Position

__all__ = [
    "check_actions",
    "check_drawing",
    "check_events",
    "check_nonsense",
    "check_position_text",
]

NONSENSE = (
    "", " ", "\n", "\t-", "-", "--", "/", "//////", ",", ":", ".", "0", "-1", "1e9", "9" * 5000,
    "nan", "None", "²", "٣", "①", "ß", "İ", "é", "\0", "\ud800", "🂡", "x" * 10_000, "{}", "%s%n",
    "<svg/>", "a-b", "a1-z9", "- - - - -", "0 0 0 0 0",
)  # fmt: skip
SPOILERS = "0179²٣ -/,:xX\0é"
MUTATIONS = 12  # of each text


def check_actions(bench: Bench, legal: list[int]) -> None:
    """Check that the legal actions have names, one word each, that are read back."""
    report, notation = bench.report, bench.game.notation
    with report.no_exception("actions as text", "naming or reading an action"):
        names = [notation.action_name(action) for action in legal]
        for action, name in zip(legal, names, strict=True):
            if not isinstance(name, str) or not name or name.split() != [name] or "," in name:
                report.broken("actions as text", f"the name {name!r} is not one word")
                continue
            read = notation.parse_action(name)
            report.expect(
                "actions as text", read == action, f"'{name}' is action {action}, read as {read}"
            )
        double = sorted({str(name) for name in names if names.count(name) > 1})
        report.expect("actions as text", not double, f"several legal actions are called {double}")


def check_position_text(bench: Bench, position: Position) -> str:
    """Check that a position, or a view, is one line of text that is read back."""
    report, notation = bench.report, bench.game.notation
    line = ""
    with report.no_exception("positions as text", "writing or reading a position"):
        line = notation.position_line(position)
        one_line = isinstance(line, str) and len(line.splitlines()) == 1 and line.strip()
        report.expect("positions as text", bool(one_line), f"{line!r} is not one line of text")
        read = notation.parse_position(line)
        report.expect(
            "positions as text",
            read.dtype == np.int16 and np.array_equal(read, position),
            lambda: f"'{line}' is read as another position, '{notation.position_line(read)}'",
        )
    return line


def mutations(text: str, choices: Dice) -> Iterator[str]:
    """Spoil a text here and there."""
    for _ in range(MUTATIONS):
        place = choices.below(len(text) + 1)
        spoiler = SPOILERS[choices.below(len(SPOILERS))]
        kind = choices.below(4)
        if kind == 0:
            yield text[:place] + text[place + 1 :]
        elif kind == 1:
            yield text[:place] + spoiler + text[place:]
        elif kind == 2:
            yield text[:place] + spoiler + text[place + 1 :]
        else:
            yield text[:place]


def check_nonsense(bench: Bench, line: str, action_name: str, number: int) -> None:
    """Check that text that means nothing is refused with the right error, and no other."""
    choices = bench.dice("nonsense", number)
    notation = bench.game.notation
    for text in (*NONSENSE, *mutations(action_name, choices)):
        action = read_or_refused(bench, notation.parse_action, text, UnreadableAction)
        if action is not None:
            known = isinstance(action, (int, np.integer)) and 0 <= action < bench.game.action_count
            bench.report.expect(
                "nonsense", bool(known), f"{shown(text)} is read as action {action!r}"
            )
    for text in (*NONSENSE, *mutations(line, choices)):
        position = read_or_refused(bench, notation.parse_position, text, UnreadablePosition)
        if position is not None:
            with bench.report.no_exception("nonsense", f"writing again {shown(text)}"):
                again = notation.parse_position(notation.position_line(position))
                bench.report.expect(
                    "nonsense",
                    np.array_equal(again, position),
                    f"{shown(text)} is read, but its position does not come back from its text",
                )


def read_or_refused(
    bench: Bench, parse: Callable[[str], Any], text: str, error: type[Exception]
) -> Any:
    """Return what a text means, or None if it was refused as it should be."""
    try:
        meaning = parse(text)
    except error as problem:
        bench.report.expect("nonsense", bool(str(problem)), f"no reason to refuse {shown(text)}")
        return None
    except Exception as problem:
        raised = type(problem).__name__
        bench.report.expect(
            "nonsense", False, f"{shown(text)} raises {raised} instead of {error.__name__}"
        )
        return None
    return meaning


def shown(text: str) -> str:
    """Return a text for people, cut short."""
    return ascii(text if len(text) <= 60 else text[:57] + "...")


def check_drawing(bench: Bench, position: Position) -> None:
    """Check that there is something to see, and that the SVG is a well-formed document."""
    report, drawing = bench.report, bench.game.drawing
    with report.no_exception("drawing", "drawing as text"):
        text = drawing.text(position)
        report.expect("drawing", isinstance(text, str) and bool(text.strip()), "no text drawing")
    with report.no_exception("drawing", "reading the SVG drawing"):
        root = ElementTree.fromstring(drawing.svg(position))
        report.expect(
            "drawing", root.tag.rpartition("}")[2] == "svg", f"the SVG's root is <{root.tag}>"
        )


def check_events(bench: Bench, before: Position, action: int, after: Position) -> None:
    """Check that what the dice did can be told in words."""
    with bench.report.no_exception("drawing", "telling the events of an action"):
        told = bench.game.drawing.events(before, action, after)
        fine = isinstance(told, list) and all(isinstance(each, str) for each in told)
        bench.report.expect("drawing", fine, f"events are a list of texts, got {told!r}")
