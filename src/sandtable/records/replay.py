"""Playing a record again from its dice, and checking every action and the result on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sandtable.dice import Dice
from sandtable.errors import BrokenRecord, IllegalAction, SandtableError
from sandtable.records.lines import one_line
from sandtable.records.record import Record
from sandtable.registry import make_game
from sandtable.session import Session, ends_turn
from sandtable.specs import parse_spec
from sandtable.types import EarlierRules, Game, Outcome, State

__all__ = ["RecordedGame", "Step", "Turn", "check", "replay", "start_of", "turns"]


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
    game = RecordedGame(record)
    after = game.session.state
    for number, action in enumerate(record.actions, start=1):
        before = after
        seat = game.session.turn
        game.play(number, action)
        after = game.session.state
        yield Step(number, before, seat, action, after)
    game.check_end()


def check(record: Record) -> None:
    """Play a record again without showing it; raise BrokenRecord if it does not hold."""
    game = RecordedGame(record)
    for number, action in enumerate(record.actions, start=1):
        game.play(number, action)
    game.check_end()


def start_of(record: Record) -> State:
    """Return the state in which a recorded game began."""
    return RecordedGame(record).session.state


def turns(steps: Iterable[Step]) -> Iterator[Turn]:
    """Put the steps of a game together to turns; of a broken record also the last sound steps."""
    number = 1
    gathered: list[Step] = []
    try:
        for step in steps:
            gathered.append(step)
            if ends_turn(step.before.game, step.seat, step.action, step.after.turn):
                yield Turn(number, tuple(gathered))
                number += 1
                gathered = []
    except BrokenRecord:
        if gathered:
            yield Turn(number, tuple(gathered))
        raise
    if gathered:
        yield Turn(number, tuple(gathered))


def game_with(spec_text: str, options: Mapping[str, str]) -> Game:
    """Return the game of a spec string with some more options."""
    spec = parse_spec(spec_text)
    return make_game(str(replace(spec, options={**spec.options, **options})))


class RecordedGame:
    """A recorded game set up again, with its own dice."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.earlier = EarlierRules()
        self.game = self.find_game()
        self.start = None if record.start is None else self.earlier.line(record.start)
        try:
            dice = Dice(record.seed, "game", record.number)
        except (OverflowError, ValueError) as problem:
            raise self.broken(f"there are no dice of this seed and number: {problem}") from None
        try:
            start = None if self.start is None else self.game.parse(self.start)
        except SandtableError as problem:
            raise self.broken(f"its start cannot be read: {problem}") from None
        self.session = Session(self.game, dice, start)

    def broken(self, problem: str) -> BrokenRecord:
        """Return the error that names this game and what is wrong with it."""
        return BrokenRecord(f"game {self.record.identity}: {one_line(problem)}")

    def find_game(self) -> Game:
        """Return the game of the record if it is still played by the rules of then."""
        record = self.record
        try:
            game = make_game(record.game)
            if record.version in game.earlier_rules:
                self.earlier = game.earlier_rules[record.version]
                game = game_with(record.game, self.earlier.options)
                return self.with_as_many_seats(game)
        except BrokenRecord:
            raise
        except SandtableError as problem:
            raise self.broken(str(problem)) from None
        if record.version != game.version:
            raise self.broken(
                f"it was played under version {record.version} of the rules of {record.game}; "
                f"version {game.version} is installed"
            )
        return self.with_as_many_seats(game)

    def with_as_many_seats(self, game: Game) -> Game:
        """Return a game if it has as many seats as the record."""
        if len(self.record.seats) != len(game.seats):
            seats = len(self.record.seats)
            raise self.broken(f"{game.name} has {len(game.seats)} seats, not {seats}")
        return game

    def play(self, number: int, action: int) -> None:
        """Play the action of this number, from 1, if the rules allow it."""
        try:
            self.session.play(action)
        except IllegalAction as problem:
            place = f"action {number} of {len(self.record.actions)}"
            raise self.broken(f"{place}: {problem}") from None

    def check_end(self) -> None:
        """Compare the last position and the outcome with what the record states."""
        final = self.game.notation.position_line(self.session.position)
        stated_final = self.earlier.line(self.record.final)
        if final != stated_final:
            raise self.broken(
                f"it ends in {final} after {len(self.record.actions)} actions, "
                f"but 'final' is {stated_final}"
            )
        stated = self.record.outcome
        if stated is None:
            return  # broken off: nothing is claimed
        if stated.forfeited_by is not None:
            self.check_forfeit(stated)
            return
        outcome = self.session.outcome
        if outcome is None:
            if stated == Outcome.agreed_draw(self.game):
                return  # believed like a forfeit, at its one price
            raise self.broken(
                f"it has an outcome ({outcome_text(stated)}), but is not over in {final}"
            )
        if outcome != stated:
            raise self.broken(
                f"the outcome is {outcome_text(outcome)}, but stated as {outcome_text(stated)}"
            )

    def check_forfeit(self, stated: Outcome) -> None:
        """A forfeit is believed, but not its price: the lowest score, the highest for others."""
        seat = stated.forfeited_by
        if seat is None or seat not in range(len(self.game.seats)):
            raise self.broken(
                f"seat {seat} is stated to forfeit; {self.game.name} has no such seat"
            )
        right = Outcome.forfeit(self.game, seat, stated.reason)
        if stated.scores != right.scores:
            raise self.broken(
                f"the outcome is {outcome_text(right)}, but stated as {outcome_text(stated)}"
            )


def outcome_text(outcome: Outcome) -> str:
    """Write an outcome in a few words."""
    return f"{', '.join(f'{score + 0:g}' for score in outcome.scores)} ({outcome.reason})"
