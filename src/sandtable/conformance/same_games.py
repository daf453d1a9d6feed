"""Checks that whatever is made of the kernels plays the same games: State, Batch, and luck."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sandtable.batch import Batch
from sandtable.conformance.bench import Bench, Fenced, copied
from sandtable.conformance.report import Report
from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.types import Game, Position, State

__all__ = ["Luck", "check_batch", "check_state"]

ROWS = 8  # games played side by side
PLANES_EVERY = 16  # steps after which observations are compared

MOST_DEVIATIONS = 5.0  # of a sum from zero; one honest term in two million goes beyond
CLOSE = 1e-9

Finished = tuple[int, list[int], Position]  # number, actions, final position


def check_state(
    game: Game, report: Report, seed: int, number: int, actions: list[int], final: Position
) -> None:
    """Play a game again with State, long after it was first played."""
    report.at(number, None, None)
    dice = Dice(seed, "game", number)
    state = game.start(dice)
    half = state.play(actions[: len(actions) // 2 + 1], dice)
    check_unchangeable(half, report)
    rest = actions[len(actions) // 2 + 1 :]
    end = half.play(rest, dice) if rest else half
    report.expect(
        "apply",
        np.array_equal(end.position, final),
        "the same actions and dice lead elsewhere when the game is played again",
    )
    report.expect("state", end.outcome is not None, "the final state has no outcome")
    try:
        end.play(actions[-1])
    except IllegalAction:
        return
    report.expect("state", False, "an action can be played after the end")


def check_unchangeable(state: State, report: Report) -> None:
    """Check that the position of a state cannot be written, nor its seat changed."""
    before = state.line

    def write_position() -> None:
        state.position[0] = 7

    def change_seat() -> None:
        state.seat = 1

    for name, change in (("position", write_position), ("seat", change_seat)):
        try:
            change()
        except (ValueError, AttributeError):
            continue
        report.expect("state", False, f"the {name} of a state can be changed")
    report.expect("state", state.line == before, "a state has changed")


def check_batch(game: Game, report: Report, seed: int, finished: Sequence[Finished]) -> None:
    """Play some of the games again in a batch."""
    report.at(None, None, None)
    numbers = [number for number, _, _ in finished]
    rows = 1
    while rows < min(len(numbers), ROWS) and numbers[rows] == numbers[0] + rows:
        rows += 1
    batch = Batch(game, rows, seed=seed, first=numbers[0])
    games = [actions for _, actions, _ in finished[:rows]]
    for step in range(max(len(actions) for actions in games)):
        if step % PLANES_EVERY == 0:
            check_rows(game, report, batch)
        batch.step(
            [
                game.seat_action(int(turn), actions[step]) if step < len(actions) else -1
                for turn, actions in zip(batch.turns, games, strict=True)
            ]
        )
    for row, (number, _, final) in enumerate(finished[:rows]):
        report.at(number, None, None)
        outcome = State(game, final).outcome
        same = np.array_equal(batch.positions[row], final) and bool(batch.over[row])
        report.expect("batch", same, "a batch ends in another position")
        scores = () if outcome is None else outcome.scores
        report.expect("batch", tuple(batch.scores[row]) == scores, "a batch gives other scores")


def check_rows(game: Game, report: Report, batch: Batch) -> None:
    """Compare what a batch shows with what single states show."""
    for row in np.flatnonzero(~batch.over):
        state = State(game, batch.positions[row])
        same = (
            batch.turns[row] == state.turn
            and np.array_equal(batch.masks[row], game.seat_mask(state.turn, state.mask))
            and np.array_equal(batch.observations[row], state.planes())
        )
        report.expect("batch", same, "a batch shows another turn, mask or observation")


class Luck:
    """Adds up the terms of all throws and judges their mean.

    Each term adds what a throw gave beyond its mean, so whatever the players do the sum over all
    throws is about as large as the root of the sum of squares.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._luck = Fenced((len(bench.game.luck),), np.float64, -7.5)
        self._sums = np.zeros(len(bench.game.luck))
        self._squares = np.zeros(len(bench.game.luck))

    def check(
        self, position: Position, action: int, dice: Dice, after: Position, dice_after: Dice
    ) -> None:
        """Play an action again, with luck; ``dice`` stand where apply found them."""
        apply_with_luck = self.bench.rules.apply_with_luck
        if apply_with_luck is None or not self.bench.game.luck:
            return
        again, other = copied(dice), position.copy()
        self._luck.array[:] = 0.0
        apply_with_luck(other, action, dice.array, self._luck.array)
        same = np.array_equal(other, after) and np.array_equal(dice.array, dice_after.array)
        self.bench.report.expect("luck", same, "apply_with_luck does something else than apply")
        given = self._luck.array.copy()
        self._sums += given
        self._squares += given**2
        if given.any():
            other[:] = position
            self._luck.array[:] = 1.0
            apply_with_luck(other, action, again.array, self._luck.array)
            added = np.allclose(self._luck.array - 1.0, given, atol=CLOSE)
            self.bench.report.expect("luck", added, "luck is not added to what was there before")

    def check_means(self) -> None:
        """Judge the mean of every term over all throws."""
        self.bench.report.expect("luck", self._luck.intact(), "luck is written beside its array")
        for name, total, squares in zip(
            self.bench.game.luck, self._sums, self._squares, strict=True
        ):
            if squares > 0:
                deviations = total / np.sqrt(squares)
                self.bench.report.expect(
                    "luck",
                    bool(abs(deviations) < MOST_DEVIATIONS),
                    f"'{name}' is {deviations:+.1f} standard deviations from mean zero",
                )
