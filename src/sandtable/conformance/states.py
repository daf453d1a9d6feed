"""Checks that the objects made from the kernels, State and Batch, play the same games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sandtable.batch import Batch
from sandtable.conformance.report import Report
from sandtable.dice import Dice
from sandtable.errors import IllegalAction
from sandtable.types import Game, Position, State

__all__ = ["check_batch", "check_state"]

ROWS = 8  # games played side by side
PLANES_EVERY = 16  # steps after which observations are compared

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
