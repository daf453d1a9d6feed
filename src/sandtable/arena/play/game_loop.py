"""One game between agents in Python: the loop that never lets an agent break the arena."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, adopted, offers
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame
from sandtable.records.record import Record
from sandtable.types import OVER, Game, Outcome, Position, State, rule_broken

__all__ = ["PlayedGame", "StopGame", "play_game"]

Watcher = Callable[[State, int, list[int], State], None]  # before, seat, actions, after


@dataclass(frozen=True)
class PlayedGame:
    """A finished or broken-off game with what the statistics need."""

    record: Record
    luck: NDArray[np.float64]  # [terms of game.luck]
    measures: NDArray[np.float64]  # [seat, measure]; not a number if the game was not finished


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Stop Python code that takes too long; only a main thread can be interrupted that way."""
    main = threading.current_thread() is threading.main_thread()
    if not seconds or not main or not hasattr(signal, "setitimer"):
        yield
        return

    def too_late(number: int, frame: Any) -> None:
        raise Forfeit(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def hook(agent: Agent, name: str) -> Callable[..., Any]:
    """Return an optional method of an agent, or one that does nothing."""
    found: Callable[..., Any] = getattr(agent, name, None) or (lambda *arguments: None)
    return found


@contextmanager
def blaming(seat: int, culprit: list[int]) -> Iterator[None]:
    """Turn whatever an agent's code raises into a forfeit of its seat."""
    try:
        yield
    except (StopGame, KeyboardInterrupt):
        raise
    except Forfeit:
        culprit.append(seat)
        raise
    except Exception as problem:
        culprit.append(seat)
        raise Forfeit(f"{type(problem).__name__}: {problem}".splitlines()[0]) from problem


class Table:
    """The pieces of one game in progress; agents only ever get views of it."""

    def __init__(self, game: Game, agents: Sequence[Agent], seed: int, number: int) -> None:
        self.game = game
        self.agents = agents
        self.dice = Dice(seed, "game", number)
        self.agent_dice = [Dice(seed, f"agent {seat}", number) for seat in range(len(agents))]
        self.luck = np.zeros(len(game.luck))
        self.actions: list[int] = []
        self.seconds = [0.0] * len(agents)
        self.mask = np.zeros(game.action_count, dtype=np.bool_)
        self.watching = [seat for seat, agent in enumerate(agents) if offers(agent, "watch")]
        self.culprit: list[int] = []
        self.position: Position = game.empty_position()

    def set_up(self, start: State | None) -> None:
        """Write the starting position and greet the agents."""
        if start is None:
            self.game.rules.start(self.position, self.dice.array)
        else:
            self.position[:] = start.position
        for seat, agent in enumerate(self.agents):
            with blaming(seat, self.culprit):
                hook(agent, "begin")(self.game, seat, self.agent_dice[seat])

    def view(self, seat: int) -> State:
        """Return what a seat may know of the position now."""
        position = np.array(self.position)
        self.game.rules.hide(position, seat)
        return State(self.game, position, seat)

    def ask(self, seat: int, move_time: float | None) -> list[int]:
        """Let an agent choose; check nothing but that it answered with numbers."""
        view = self.view(seat)
        began = time.perf_counter()
        with blaming(seat, self.culprit), time_limit(move_time):
            answer = self.agents[seat].choose(view, self.agent_dice[seat])
        self.seconds[seat] += time.perf_counter() - began
        with blaming(seat, self.culprit):
            if isinstance(answer, (int, np.integer)):
                return [int(answer)]
            chosen = [int(action) for action in answer]
            if not chosen:
                raise Forfeit("it answered with no action")
            return chosen

    def play(self, seat: int, action: int) -> None:
        """Play one action if the rules allow it; the seat forfeits otherwise."""
        rules = self.game.rules
        with blaming(seat, self.culprit):
            if int(rules.turn(self.position)) != seat:
                raise Forfeit("it answered with actions after the end of its turn")
            rules.legal(self.position, self.mask)
            if not 0 <= action < len(self.mask) or not self.mask[action]:
                known = 0 <= action < len(self.mask)
                name = self.game.notation.action_name(action) if known else str(action)
                if self.game.hidden:  # everybody reads the outcome, so it tells nothing more
                    raise Forfeit(f"illegal action {name}")
                broken = rule_broken(self.game, self.position, action) if known else ""
                why = f" ({broken})" if broken else ""
                line = self.game.notation.position_line(self.position)
                raise Forfeit(f"illegal action {name}{why} in {line}")
        told = self.told(action)
        if rules.apply_with_luck is not None:
            rules.apply_with_luck(self.position, action, self.dice.array, self.luck)
        else:
            rules.apply(self.position, action, self.dice.array)
        self.actions.append(action)
        for watcher, shown in told:
            with blaming(watcher, self.culprit):
                hook(self.agents[watcher], "watch")(self.view(watcher), shown)

    def told(self, action: int) -> list[tuple[int, int | None]]:
        """Return for each watching seat what it learns of an action about to be played."""
        seen = self.game.action_visible_to
        return [
            (seat, action if seen is None or seen(self.position, action, seat) else None)
            for seat in self.watching
        ]

    def forfeit_outcome(self, seat: int, problem: Forfeit) -> Outcome:
        """The seat gets its lowest score and the others their highest."""
        scores = tuple(
            low if other == seat else high
            for other, (low, high) in enumerate(self.game.score_bounds)
        )
        reason = f"{self.game.seats[seat]} forfeits: {problem}"
        return Outcome(scores, reason, forfeited_by=seat)


def measured(game: Game, position: Position, finished: bool) -> NDArray[np.float64]:
    """Return the measures [seat, measure] of a game; only a finished one has any."""
    values = np.full((len(game.seats), len(game.measures)), np.nan)
    if finished and game.rules.measure is not None:
        game.rules.measure(position, values)
    return values


def play_game(
    game: Game,
    agents: Sequence[Agent],
    *,
    specs: Sequence[str],
    seed: int,
    number: int,
    move_time: float | None = None,
    start: State | None = None,
    watcher: Watcher | None = None,
) -> PlayedGame:
    """Play one game; the same seed and number give the same game whoever runs it.

    An agent that throws, takes longer than ``move_time`` seconds or answers nonsense forfeits. A
    StopGame from an agent or the watcher breaks the game off: the record then has no outcome.
    """
    agents = [adopted(agent) for agent in agents]
    table = Table(game, agents, seed, number)
    try:
        table.set_up(start)
        while (seat := int(game.rules.turn(table.position))) != OVER:
            chosen = table.ask(seat, move_time)
            before = State(game, table.position) if watcher else None
            for action in chosen:
                table.play(seat, action)
            if watcher and before:
                watcher(before, seat, chosen, State(game, table.position))
        outcome = State(game, table.position).outcome
    except Forfeit as problem:
        outcome = table.forfeit_outcome(table.culprit[-1], problem)
    except StopGame:
        outcome = None
    for agent in agents:
        try:
            hook(agent, "finish")(outcome)
        except SandtableError:
            continue  # the game is over; a farewell cannot change it
    record = Record(
        game=game.spec,
        version=game.version,
        seats=tuple(specs),
        seed=seed,
        number=number,
        actions=tuple(table.actions),
        outcome=outcome,
        final=game.notation.position_line(table.position),
        start=start.line if start else None,
        seconds=tuple(round(seconds, 6) for seconds in table.seconds),
    )
    finished = outcome is not None and outcome.forfeited_by is None
    return PlayedGame(record, table.luck, measured(game, table.position, finished))
