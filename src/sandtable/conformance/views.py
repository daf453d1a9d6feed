"""Checks of what a seat sees: its view, guesses that fill it, its planes, and their frame.

A game may turn the board for a seat, as long as it turns its actions too (``Game.action_frames``).
One that turns the planes alone shows a learner a piece here and has it moved over there. That is
found by counting: for every action we look for the place of the board that tells best whether it is
legal, such as the square a move starts from. It must be the same place for all seats, unless some
plane says which seat it is, so that a learner can tell their boards apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.conformance.bench import Bench, copied
from sandtable.conformance.report import Report
from sandtable.types import Game, Position

__all__ = ["Frames", "check_declared_frames", "check_planes", "check_views"]

GUESSES = 2  # for each view
LONG_GAME = 500  # actions
ONE_IN_SHORT, ONE_IN_LONG = 2, 8  # positions that are kept
MOST_SAMPLES = 2000  # of a seat
FEWEST_SAMPLES = 60  # of a half of the games, to say anything
FEWEST_TIMES = 6  # that an action was legal, and was not, in a half of the games
FEWEST_ACTIONS = 8  # whose places are known, to say anything
LEAST_SPREAD = 1e-6  # of a number that changes at all
CLEAR = 0.3  # correlation of a place with an action

Floats = NDArray[np.float32]


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


def check_declared_frames(game: Game, report: Report) -> bool:
    """Check that the table of actions is one renumbering for each seat; say whether it is."""
    table = game.action_frames
    if table is None:
        return True
    wanted = (len(game.seats), game.action_count)
    whole = isinstance(table, np.ndarray) and table.shape == wanted and table.dtype.kind in "iu"
    if not report.expect("frames", whole, f"action_frames is no table of whole numbers {wanted}"):
        return False
    every = np.arange(game.action_count)
    ordered = bool((np.sort(table, axis=1) == every).all())
    report.expect(
        "frames", ordered, "action_frames has an action twice for some seat, or leaves one"
    )
    report.expect(
        "frames",
        bool((table[0] == every).all()),
        "action_frames renumbers the first seat's actions",
    )
    return ordered


class Frames:
    """Keeps some of the positions of all games, and judges them at the end."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.game = bench, bench.game
        self.one_in = ONE_IN_SHORT if self.game.max_actions <= LONG_GAME else ONE_IN_LONG
        self.choices = bench.dice("frames", 0)
        halves = [(seat, half) for seat in range(len(self.game.seats)) for half in range(2)]
        self.planes: dict[tuple[int, int], list[Floats]] = {each: [] for each in halves}
        self.masks: dict[tuple[int, int], list[NDArray[np.bool_]]] = {each: [] for each in halves}

    def look(self, position: Position, seat: int, mask: NDArray[np.bool_], number: int) -> None:
        """Perhaps keep what the seat to act sees and may do; games go by turns to two halves."""
        kept = self.planes[seat, number % 2]
        if len(kept) >= MOST_SAMPLES // 2 or self.choices.below(self.one_in) != 0:
            return
        planes = self.bench.encode(self.bench.hide(position, seat), seat)
        kept.append(planes.reshape(len(self.game.plane_names), -1))
        self.masks[seat, number % 2].append(self.game.seat_mask(seat, mask))

    def check(self) -> None:
        """Compare the places that tell of each action between the seats."""
        if min(map(len, self.planes.values())) < FEWEST_SAMPLES:
            return
        seats = range(len(self.game.seats))
        places = [self.places(seat) for seat in seats]
        for seat in seats[1:]:
            both = (places[0] >= 0) & (places[seat] >= 0)
            if both.sum() < FEWEST_ACTIONS:
                continue
            same = float((places[0] == places[seat])[both].mean())
            name = self.game.seats[seat]
            self.bench.report.expect(
                "frames",
                same > 0.5 or self.names_seat(seat),
                f"the planes of {name} and its actions disagree: only {same:.0%} of {both.sum()} "
                f"actions belong to the place that they have for {self.game.seats[0]}; "
                "turn the actions with action_frames, or add a plane that tells the seat",
            )

    def places(self, seat: int) -> NDArray[np.int64]:
        """Return for each action the place that tells most of it, -1 where that is not clear."""
        first, second = (
            best_places(np.array(self.planes[seat, half]), np.array(self.masks[seat, half]))
            for half in range(2)
        )
        return np.where(first == second, first, -1)

    def names_seat(self, seat: int) -> bool:
        """Say whether a plane is one number for a seat, always, and another for the first seat."""
        levels = []
        for each in (0, seat):
            planes = np.concatenate([np.array(self.planes[each, half]) for half in range(2)])
            low, high = planes.min(axis=(0, 2)), planes.max(axis=(0, 2))
            levels.append(np.where(low == high, low, np.nan))
        return bool((np.isfinite(levels[0] - levels[1]) & (levels[0] != levels[1])).any())


def best_places(planes: Floats, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the place whose planes [sample, plane, place] go best with each action, or -1."""
    samples, kinds, count = planes.shape
    times = masks.sum(axis=0)
    judged = np.flatnonzero((times >= FEWEST_TIMES) & (times <= samples - FEWEST_TIMES))
    found = np.full(masks.shape[1], -1, dtype=np.int64)
    if not len(judged):
        return found
    values, marks = standardised(planes.reshape(samples, -1)), standardised(masks[:, judged])
    likeness = np.abs(marks.T @ values / samples).reshape(len(judged), kinds, count).max(axis=1)
    best = likeness.argmax(axis=1)
    clear = likeness[np.arange(len(judged)), best] >= CLEAR
    found[judged[clear]] = best[clear]
    return found


def standardised(values: NDArray[np.generic]) -> Floats:
    """Return columns with mean 0 and spread 1; those that never change become zeros."""
    numbers: Floats = values.astype(np.float32)
    numbers -= numbers.mean(axis=0)
    spread = numbers.std(axis=0)
    numbers /= np.where(spread > LEAST_SPREAD, spread, np.inf)
    return numbers
