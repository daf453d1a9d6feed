"""Playing a record again from its dice, and checking every action and the result on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from sandtable.dice import Dice
from sandtable.errors import BrokenRecord, SandtableError
from sandtable.records.lines import one_line
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.types import OVER, Game, Outcome, Position, State, illegal_action_line

__all__ = ["Step", "Turn", "check", "replay", "start_of", "turns"]


@dataclass(frozen=True)
class Step:
    """One action of a game, with what it changed."""

    number: int  # of the action in the game, from 1
    before: State
    seat: int
    action: int
    after: State


@dataclass(frozen=True)
class Turn:
    """The actions with which a seat made up one turn; the last turn may be unfinished."""

    number: int  # from 1
    steps: tuple[Step, ...]

    @property
    def seat(self) -> int:
        """Whose turn it was."""
        return self.steps[0].seat

    @property
    def words(self) -> str:
        """The actions as text."""
        notation = self.steps[0].before.game.notation
        return " ".join(notation.action_name(step.action) for step in self.steps)

    @property
    def after(self) -> State:
        """The state in which the turn ended."""
        return self.steps[-1].after


def replay(record: Record) -> Iterator[Step]:
    """Play a record again step by step; raise BrokenRecord where it does not hold.

    The result is checked after the last step, so a record is sound only if the iteration ends.
    """
    table = Table(record)
    after = State(table.game, table.position)
    for number, action in enumerate(record.actions, start=1):
        before = after
        seat = table.play(number, action)
        after = State(table.game, table.position)
        yield Step(number, before, seat, action, after)
    table.check_end()


def check(record: Record) -> None:
    """Play a record again without showing it; raise BrokenRecord if it does not hold."""
    table = Table(record)
    for number, action in enumerate(record.actions, start=1):
        table.play(number, action)
    table.check_end()


def start_of(record: Record) -> State:
    """Return the state in which a recorded game began."""
    table = Table(record)
    return State(table.game, table.position)


def turns(steps: Iterable[Step]) -> Iterator[Turn]:
    """Put the steps of a game together to turns; of a broken record also the last sound steps."""
    number = 1
    gathered: list[Step] = []
    try:
        for step in steps:
            gathered.append(step)
            if closes_turn(step):
                yield Turn(number, tuple(gathered))
                number += 1
                gathered = []
    except BrokenRecord:
        if gathered:
            yield Turn(number, tuple(gathered))
        raise
    if gathered:
        yield Turn(number, tuple(gathered))


def closes_turn(step: Step) -> bool:
    """Say whether a turn is over with this step."""
    closing = step.before.game.turn_ending_actions
    return closing is None or step.action in closing or step.after.turn != step.seat


class Table:
    """A recorded game set up again: its position and its dice."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.game = self.find_game()
        try:
            self.dice = Dice(record.seed, "game", record.number)
        except (OverflowError, ValueError) as problem:
            raise self.broken(f"there are no dice of this seed and number: {problem}") from None
        self.mask = np.zeros(self.game.action_count, dtype=np.bool_)
        self.position: Position = self.game.empty_position()
        if record.start is None:
            self.game.rules.start(self.position, self.dice.array)
            return
        try:
            self.position[:] = self.game.notation.parse_position(record.start)
        except SandtableError as problem:
            raise self.broken(f"its start cannot be read: {problem}") from None

    def broken(self, problem: str) -> BrokenRecord:
        """Return the error that names this game and what is wrong with it."""
        return BrokenRecord(f"game {self.record.identity}: {one_line(problem)}")

    def find_game(self) -> Game:
        """Return the game of the record if its rules are the same as then."""
        record = self.record
        try:
            game = make_game(record.game)
        except SandtableError as problem:
            raise self.broken(str(problem)) from None
        if record.version != game.version:
            raise self.broken(
                f"it was played under version {record.version} of the rules of {record.game}; "
                f"version {game.version} is installed"
            )
        if len(record.seats) != len(game.seats):
            raise self.broken(f"{game.name} has {len(game.seats)} seats, not {len(record.seats)}")
        return game

    def play(self, number: int, action: int) -> int:
        """Play one action if the rules allow it; return whose it was."""
        rules = self.game.rules
        seat = int(rules.turn(self.position))
        if seat != OVER:
            rules.legal(self.position, self.mask)
        if seat == OVER or not 0 <= action < len(self.mask) or not self.mask[action]:
            line = illegal_action_line(self.game, self.position, action, seat == OVER)
            raise self.broken(f"action {number} of {len(self.record.actions)}: {line}")
        rules.apply(self.position, action, self.dice.array)
        return seat

    def check_end(self) -> None:
        """Compare the last position and the outcome with what the record states."""
        final = self.game.notation.position_line(self.position)
        if final != self.record.final:
            raise self.broken(
                f"it ends in {final} after {len(self.record.actions)} actions, "
                f"but 'final' is {self.record.final}"
            )
        stated = self.record.outcome
        if stated is None:
            return  # broken off: nothing is claimed
        if stated.forfeited_by is not None:
            self.check_forfeit(stated)
            return
        outcome = State(self.game, self.position).outcome
        if outcome is None:
            raise self.broken(f"it has an outcome ({told(stated)}), but is not over in {final}")
        if outcome != stated:
            raise self.broken(f"the outcome is {told(outcome)}, but stated as {told(stated)}")

    def check_forfeit(self, stated: Outcome) -> None:
        """A forfeit is believed, but not its price: the lowest score, the highest for others."""
        seat = stated.forfeited_by
        if seat not in range(len(self.game.seats)):
            raise self.broken(
                f"seat {seat} is stated to forfeit; {self.game.name} has no such seat"
            )
        scores = tuple(
            low if other == seat else high
            for other, (low, high) in enumerate(self.game.score_bounds)
        )
        if stated.scores != scores:
            right = Outcome(scores, stated.reason)
            raise self.broken(f"the outcome is {told(right)}, but stated as {told(stated)}")


def told(outcome: Outcome) -> str:
    """Write an outcome in a few words."""
    return f"{', '.join(f'{score:g}' for score in outcome.scores)} ({outcome.reason})"
