"""Agents that crash, hang or answer nonsense lose their game and break nothing else."""

from __future__ import annotations

import contextlib
import re
import time
import weakref

import numpy as np
import pytest

from sandtable.arena.play.game_loop import play_game
from sandtable.errors import StopGame
from sandtable.games.lucid.rules import END
from sandtable.registry import make_agent, make_game


class Agent:
    """An agent made of one function."""

    def __init__(self, choose):
        self.choose = lambda view, dice: choose(view)


def crash(view):
    raise ZeroDivisionError("oh no\nsecond line")


def hang(view):
    while True:
        time.sleep(0.01)


def play(blue, **settings):
    agents = [blue, make_agent("lucid/axes-red")]
    specs = ["test", "lucid/axes-red"]
    return play_game(make_game("lucid"), agents, specs=specs, seed=1, number=0, **settings).record


@pytest.mark.parametrize(
    ("choose", "reason"),
    [
        (crash, "blue forfeits: ZeroDivisionError: oh no"),
        (lambda view: 7, r"blue forfeits: 'b1-a1' is not legal in r2,.* b \d+ 0 -"),
        (lambda view: 1000, "blue forfeits: action 1000 is not legal in"),
        (lambda view: -1, "blue forfeits: action -1 is not legal in"),
        (lambda view: [], "blue forfeits: it answered with no action"),
        (lambda view: [END, END], "blue forfeits: .*(after the end of its turn|not legal)"),
        (lambda view: "north", "blue forfeits: ValueError"),
        (lambda view: None, "blue forfeits: TypeError"),
    ],
)
def test_bad_agents_forfeit_with_their_reason(choose, reason):
    record = play(Agent(choose))
    assert record.outcome.forfeited_by == 0
    assert record.outcome.scores == (0.0, 0.0)  # the lowest score of Blue, the highest of Red
    assert re.match(reason, record.outcome.reason)


def test_an_agent_that_hangs_is_stopped():
    began = time.monotonic()
    record = play(Agent(hang), move_time=0.2)
    assert time.monotonic() - began < 5
    assert record.outcome.reason == "blue forfeits: no answer within 0.2 s"


def test_an_agent_that_catches_everything_is_stopped(capfd):
    """Alarms that are lost, in a callback or by an agent that catches them, come again."""

    def hear_nothing(view):
        passing = Agent(hang)
        with contextlib.suppress(Exception):
            hang(view)
        watched = weakref.ref(passing, hang)  # what a callback raises is only printed
        del passing
        hang(watched)

    began = time.monotonic()
    record = play(Agent(hear_nothing), move_time=0.2)
    assert time.monotonic() - began > 0.6  # three alarms: caught, lost in a callback, and heard
    assert record.outcome.reason == "blue forfeits: no answer within 0.2 s"
    assert "ignored" not in capfd.readouterr().err


def test_the_forfeits_of_red_give_blue_everything():
    agents = [make_agent("lucid/simple-blue"), Agent(crash)]
    record = play_game(make_game("lucid"), agents, specs=["a", "b"], seed=1, number=0).record
    assert record.outcome.forfeited_by == 1
    assert record.outcome.scores == (15.0, -15.0)


def test_agents_cannot_change_what_they_see():
    def cheat(view):
        view.position[0] = 3
        return END

    assert "read-only" in play(Agent(cheat)).outcome.reason


def test_a_stopped_game_keeps_its_actions():
    turns = 0

    def stop_later(view):
        nonlocal turns
        turns += 1
        if turns == 3:
            raise StopGame
        return END

    record = play(Agent(stop_later))
    assert record.outcome is None
    assert record.actions.count(END) >= 2


def test_watchers_see_views_after_every_action():
    class Watcher(Agent):
        def __init__(self):
            super().__init__(lambda view: END)
            self.seen = []

        def watch(self, view, action):
            assert view.seat == 0
            self.seen.append(action)

    watcher = Watcher()
    assert tuple(watcher.seen) == () != play(watcher).actions == tuple(watcher.seen)


def test_no_dice_are_left_in_what_agents_get():
    """Two games that differ only in dice still to come show the agent exactly the same."""
    game = make_game("lucid")
    views = []

    def note(view):
        views.append(view)
        raise StopGame

    numbers = [number for number in range(20) if first_mover(number) == 0][:4]
    for number in numbers:
        play_game(game, [Agent(note), Agent(note)], specs=["a", "b"], seed=1, number=number)
    assert len(views) == 4
    assert all(np.array_equal(view.position, views[0].position) for view in views)


def first_mover(number):
    from sandtable.dice import Dice

    return make_game("lucid").start(Dice(1, "game", number)).turn
