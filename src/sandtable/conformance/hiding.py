"""Checks of views: what hide removes, what guess fills in, and what encode may look at."""

from __future__ import annotations

import numpy as np

from sandtable.conformance.bench import Bench, copied
from sandtable.types import Position

__all__ = ["check_planes", "check_views"]

GUESSES = 2  # for each view


def check_views(bench: Bench, position: Position, number: int, play_out: bool) -> bool:
    """Check hide and guess for every seat; say whether some seat does not see everything."""
    something_hidden = False
    before = position.copy()
    for seat, name in enumerate(bench.game.seats):
        with bench.report.no_exception("hide", f"the view of {name}"):
            view = bench.hide(position, seat)
            something_hidden |= not np.array_equal(view, position)
            check_view(bench, position, view, seat)
        with bench.report.no_exception("guess", f"a guess of {name}"):
            for attempt in range(GUESSES):
                guessed = check_guess(bench, view, seat, number * GUESSES + attempt)
                if play_out and not np.array_equal(guessed, position):
                    check_playable(bench, guessed, seat, number * GUESSES + attempt)
        with bench.report.no_exception("encode", f"encode for {name}"):
            check_planes(bench, position, view, seat, number)
    bench.report.expect(
        "own array", np.array_equal(position, before), "turn, legal or encode changed the position"
    )
    return something_hidden


def check_view(bench: Bench, position: Position, view: Position, seat: int) -> None:
    """Check what one seat sees."""
    report, name = bench.report, bench.game.seats[seat]
    twice = bench.hide(view, seat)
    report.expect("hide", np.array_equal(twice, view), f"hiding a view of {name} again changes it")
    if not bench.game.hidden:
        report.expect(
            "hidden",
            np.array_equal(view, position),
            f"nothing is declared hidden, but hide takes something from {name}",
        )
    turn = bench.turn(position)
    seen = bench.turn(view)
    report.expect("hide", seen == turn, f"{name} sees turn {seen}, but it is {turn}")
    if seat == turn:
        same = np.array_equal(bench.legal(view)[1], bench.legal(position)[1])
        report.expect("hide", same, f"{name} sees other legal actions than there are")


def check_guess(bench: Bench, view: Position, seat: int, number: int) -> Position:
    """Return a guess; check that it looks like the view, and comes from the dice alone."""
    report, name = bench.report, bench.game.seats[seat]
    dice = bench.dice("guess", number)
    again = copied(dice)
    guessed = bench.guess(view, seat, dice)
    report.expect(
        "guess",
        np.array_equal(bench.hide(guessed, seat), view),
        f"what {name} guesses from its view does not look like the view",
    )
    report.expect(
        "guess",
        np.array_equal(bench.guess(view, seat, again), guessed),
        f"{name} guesses differently with the same dice",
    )
    notation = bench.game.notation
    read = notation.parse_position(notation.position_line(guessed))
    report.expect(
        "guess",
        np.array_equal(read, guessed),
        f"what {name} guesses is not read back from its text",
    )
    return guessed


def check_playable(bench: Bench, guessed: Position, seat: int, number: int) -> None:
    """Check that a guess can be played to its end."""
    dice, choices = bench.dice("guess dice", number), bench.dice("guess choices", number)
    ends = bench.play_out(guessed, dice, choices)
    name = bench.game.seats[seat]
    bench.report.expect("guess", ends, f"what {name} guesses cannot be played to its end")


def check_planes(bench: Bench, position: Position, view: Position, seat: int, number: int) -> None:
    """Check that the planes are filled, finite, and made from the view alone."""
    report, name = bench.report, bench.game.seats[seat]
    planes = bench.encode(view, seat)
    report.expect("encode", not np.isnan(planes).any(), f"planes of {name} are not filled whole")
    report.expect("encode", not np.isinf(planes).any(), f"planes of {name} are not finite")
    again = bench.encode(view, seat, before=1.0)
    report.expect(
        "encode",
        np.array_equal(again, planes, equal_nan=True),
        f"planes of {name} depend on what was in the array before",
    )
    report.expect(
        "encode",
        np.array_equal(bench.encode(position, seat), planes, equal_nan=True),
        f"planes of {name} show what its view does not",
    )
    guessed = bench.guess(view, seat, bench.dice("guess", number))
    report.expect(
        "encode",
        np.array_equal(bench.encode(guessed, seat), planes, equal_nan=True),
        f"planes of {name} differ for positions with the same view",
    )
