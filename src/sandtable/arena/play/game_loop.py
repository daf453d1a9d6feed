"""One game between agents in Python: the loop that never lets an agent break the arena."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, adopted, offers
from sandtable.dice import Dice
from sandtable.errors import Forfeit, IllegalAction, SandtableError, StopGame, failure_line
from sandtable.records.record import Record
from sandtable.records.transcripts import KEY as TRANSCRIPT
from sandtable.records.transcripts import transcript_data
from sandtable.session import Session
from sandtable.system.alarms import may_break_in
from sandtable.types import OVER, Game, Outcome, State

__all__ = ["TRACE", "PlayedGame", "StopGame", "play_game", "time_limit"]

TRACE = "traceback"  # the annotation of a record that says where an agent crashed
LONGEST_TRACE = 20_000  # characters
TRACE_VARIABLE = "SANDTABLE_TRACEBACK"  # set by --traceback, also for worker processes
SHOWN_TRACES: set[str] = set()  # by what they end in
RINGING = 0.25  # seconds from one alarm to the next, once the time is over

Watcher = Callable[[State, int, list[int], State], None]  # before, seat, actions, after


@dataclass(frozen=True)
class PlayedGame:
    """A finished or broken-off game with what the statistics need."""

    record: Record
    luck: NDArray[np.float64]  # [terms of game.luck]
    measures: NDArray[np.float64]  # [seat, measure]; not a number if the game was not finished


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Stop Python code that takes too long; only a main thread can be interrupted that way.

    Where the system has no such clock (Windows), what comes too late is refused when it comes.
    """
    main = threading.current_thread() is threading.main_thread()
    if not seconds or not main:
        yield
        return
    if not hasattr(signal, "setitimer"):
        deadline = time.monotonic() + seconds
        yield
        if time.monotonic() > deadline:
            raise Forfeit(f"no answer within {seconds:g} s")
        return

    def too_late(number: int, frame: Any) -> None:
        if may_break_in():  # otherwise the next alarm does
            raise Forfeit(f"no answer within {seconds:g} s")

    def unheard(problem: sys.UnraisableHookArgs) -> None:
        if not isinstance(problem.exc_value, Forfeit):  # the next alarm raises it once more
            show_unheard(problem)

    # What an alarm raises is lost in a callback (a compiler has many), and some code catches
    # everything; so it rings again and again. It may ring while it is being switched off, too.
    show_unheard, before = sys.unraisablehook, signal.signal(signal.SIGALRM, too_late)
    sys.unraisablehook = unheard
    signal.setitimer(signal.ITIMER_REAL, seconds, RINGING)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = show_unheard


def show_trace(problem: BaseException) -> None:
    """With ``--traceback`` print the whole trace of a crash, each one once."""
    if not os.environ.get(TRACE_VARIABLE):
        return
    line = failure_line(problem)
    if line not in SHOWN_TRACES:
        SHOWN_TRACES.add(line)
        print("".join(traceback.format_exception(problem)), file=sys.stderr, end="", flush=True)


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
        show_trace(problem)
        raise Forfeit(failure_line(problem)) from problem


def raised_by(problem: Forfeit) -> dict[str, str]:
    """Return what a record keeps of a crash: the whole trace, for whoever wrote the agent."""
    if problem.__cause__ is None:
        return {}
    lines = traceback.format_exception(problem.__cause__)
    return {TRACE: "".join(lines)[-LONGEST_TRACE:]}


class GameLoop:
    """The agents of one game around the game itself, of which they only ever get views."""

    def __init__(
        self, game: Game, agents: Sequence[Agent], seed: int, number: int, start: State | None
    ) -> None:
        self.game = game
        self.agents = agents
        self.agent_dice = [Dice(seed, f"agent {seat}", number) for seat in range(len(agents))]
        self.seconds = [0.0] * len(agents)
        self.culprit: list[int] = []
        self.transcript: list[dict[str, Any]] = []
        self.session = Session(
            game,
            Dice(seed, "game", number),
            start,
            observers=[seat for seat, agent in enumerate(agents) if offers(agent, "watch")],
            count_luck=True,
        )

    def greet(self) -> None:
        """Tell the agents that a game begins."""
        for seat, agent in enumerate(self.agents):
            with blaming(seat, self.culprit):
                agent.begin(self.game, seat, self.agent_dice[seat])

    def ask(self, seat: int, move_time: float | None) -> list[int]:
        """Let an agent choose; check nothing but that it answered with numbers."""
        view = self.session.view(seat)
        began = time.perf_counter()
        try:
            with blaming(seat, self.culprit), time_limit(move_time):
                answer = self.agents[seat].choose(view, self.agent_dice[seat])
        finally:
            self.hear(seat, time.perf_counter() - began)
        with blaming(seat, self.culprit):
            if isinstance(answer, (int, np.integer)):
                return [int(answer)]
            chosen = [int(action) for action in answer]
            if not chosen:
                raise Forfeit("it answered with no action")
            return chosen

    def hear(self, seat: int, seconds: float) -> None:
        """Keep what an agent said about its decision, and how long that took.

        Who keeps a transcript says itself how long: answers that were kept took their time then.
        """
        told: Sequence[Mapping[str, Any]] = ()
        if offers(self.agents[seat], "transcript"):
            with blaming(seat, self.culprit):
                told = list(self.agents[seat].transcript())
        entries = [{"ply": self.session.ply, "seat": seat, **each} for each in told]
        self.transcript += entries
        timed = [float(each["seconds"]) for each in entries if "seconds" in each]
        self.seconds[seat] += sum(timed) if timed else seconds

    def play_turn(self, seat: int, actions: Sequence[int]) -> None:
        """Play what an agent chose when it was its seat's turn."""
        for place, action in enumerate(actions):
            with blaming(seat, self.culprit):
                if place > 0 and self.session.turn != seat:
                    raise Forfeit("it answered with actions after the end of its turn")
                self.play(action)
            for watcher, shown in zip(self.session.observers, self.session.announced, strict=True):
                with blaming(watcher, self.culprit):
                    self.agents[watcher].watch(self.session.view(watcher), shown)

    def play(self, action: int) -> None:
        """Play one action if the rules allow it; the seat to act forfeits otherwise."""
        try:
            self.session.play(action)
        except IllegalAction as problem:
            if self.game.hidden:  # everybody reads the outcome, so it tells nothing more
                raise Forfeit(f"{problem.name} is not legal") from None
            raise Forfeit(str(problem)) from None


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

    >>> from sandtable.registry import make_agent, make_game
    >>> specs = ["random", "lucid/axes-red"]
    >>> agents = [make_agent(spec) for spec in specs]
    >>> played = play_game(make_game("lucid"), agents, specs=specs, seed=1, number=0)
    >>> played.record.seats
    ('random', 'lucid/axes-red')
    """
    agents = [adopted(agent) for agent in agents]
    loop = GameLoop(game, agents, seed, number, start)
    session = loop.session
    annotations: dict[str, Any] = {}
    try:
        loop.greet()
        while (seat := session.turn) != OVER:
            chosen = loop.ask(seat, move_time)
            before = session.state if watcher else None
            loop.play_turn(seat, chosen)
            if watcher and before:
                watcher(before, seat, chosen, session.state)
        outcome = session.outcome
    except Forfeit as problem:
        culprit = loop.culprit[-1]
        outcome = Outcome.forfeit(game, culprit, f"{game.seats[culprit]} forfeits: {problem}")
        annotations = dict(raised_by(problem))
    except StopGame:
        outcome = None
    if loop.transcript:
        annotations[TRANSCRIPT] = transcript_data(loop.transcript)
    for agent in agents:
        try:
            agent.finish(outcome)
        except SandtableError:
            continue  # the game is over; a farewell cannot change it
    record = Record(
        game=game.spec,
        version=game.version,
        seats=tuple(specs),
        seed=seed,
        number=number,
        actions=tuple(session.actions),
        outcome=outcome,
        final=game.notation.position_line(session.position),
        start=start.line if start else None,
        seconds=tuple(round(seconds, 6) for seconds in loop.seconds),
        annotations=annotations,
    )
    finished = outcome is not None and outcome.forfeited_by is None
    measures = session.measures if finished else np.full_like(session.measures, np.nan)
    return PlayedGame(record, session.luck, measures)
