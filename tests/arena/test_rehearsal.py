"""A move that does not count: nobody loses a game to what has to be compiled or loaded first."""

from __future__ import annotations

import signal
import time
from contextlib import suppress

import pytest

from sandtable.arena.play import plan as chunks
from sandtable.arena.play import rehearsal
from sandtable.arena.play.interrupts import remembered_interrupts
from sandtable.arena.play.plan import make_plan
from sandtable.arena.play.rehearsal import first_move_time
from sandtable.arena.play.run import RunOptions, play_plans
from sandtable.arena.play.tasks import PlayerCache, Task
from sandtable.registry import make_agent

MOVE_TIME = 1.0
AGENTS = ["race/bold", "random"]


class Compiling:
    """Is slow when it first thinks, and notes all that happens to it."""

    def __init__(self, slow=0.0, failing=False):
        self.slow, self.failing = slow, failing
        self.seen = []

    def begin(self, game, seat, dice):
        self.seen.append(f"begin {seat}")

    def choose(self, view, dice):
        assert view.seat is not None  # a view, and not the position
        if "choose" not in self.seen:
            time.sleep(self.slow)
            if self.failing:
                self.seen.append("choose")
                raise ZeroDivisionError
        self.seen.append("choose")
        return 0

    def finish(self, outcome):
        self.seen.append("finish" if outcome else "broken off")


def played(monkeypatch, agent, move_time=MOVE_TIME):
    """Play four games with an agent, two in each seat."""
    monkeypatch.setattr(
        chunks, "make_agent", lambda spec: agent if spec == "race/bold" else make_agent(spec)
    )
    plan = make_plan("race:seats=2", AGENTS, 4, seed=1, move_time=move_time, rotate=True)
    found = [chunk for _, chunk in play_plans([plan], RunOptions())]
    return [score for chunk in found for score in chunk.scores.tolist()], [
        each for chunk in found for each in chunk.forfeits
    ]


def test_what_is_slow_only_once_costs_no_game(with_race, monkeypatch):
    slow, without_clock = Compiling(slow=1.5 * MOVE_TIME), Compiling()
    scores, forfeits = played(monkeypatch, slow)
    assert forfeits == []
    assert slow.seen[:3] == ["begin 0", "choose", "broken off"]
    assert slow.seen[3:6] == ["begin 1", "choose", "broken off"]
    assert slow.seen.count("broken off") == 2  # once for each seat, whatever is played then
    assert (scores, forfeits) == played(monkeypatch, without_clock, move_time=None)
    assert without_clock.seen == slow.seen[6:]  # no clock, no rehearsal


def test_a_failure_has_no_consequences(with_race, monkeypatch):
    failing = Compiling(failing=True)
    assert played(monkeypatch, failing)[1] == []
    assert failing.seen.count("broken off") == 1  # in its first seat it had failed


def test_the_time_for_the_first_move():
    assert first_move_time(60.0) == 180.0
    assert first_move_time(0.1) == 60.0


def test_people_and_compiled_agents_do_not_rehearse(with_race, monkeypatch):
    monkeypatch.setattr(rehearsal, "play_game", lambda *all, **more: pytest.fail("rehearsed"))
    plan = make_plan("race:seats=2", AGENTS, 4, seed=1, move_time=MOVE_TIME)
    players = PlayerCache([plan])
    assert players.player(0).policies is not None
    players.play(Task(0, 0, 4), keep_records=False)
    rehearsal.rehearse(players.player(0).game, "human", make_agent("random"), 0, MOVE_TIME)


def test_ctrl_c_that_was_swallowed_still_counts():
    swallowing = suppress(KeyboardInterrupt)  # as the compiler does, which raises its own error
    with pytest.raises(KeyboardInterrupt), remembered_interrupts(), swallowing:
        signal.raise_signal(signal.SIGINT)
    with remembered_interrupts():
        pass
