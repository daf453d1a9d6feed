"""Threads that share the rows of a batch: each row once, problems reported, none left behind."""

import gc
import threading
import time

import numpy as np
import pytest

from sandtable.batch.crew import Crew
from sandtable.batch.loops import ALONE, AWAKE, BEGIN, EVERYBODY, FINISHED, join_template, new_rows
from sandtable.batch.signals import ASLEEP, STRIDE, WORD, look, pause, swap
from sandtable.compiled import kernel, specialise
from sandtable.registry import make_game

# Among the actions: fail in this row; end when the last row has begun; tell that it has begun.
BROKEN, ENDS_SECOND, TELLS, BEGUN = -1, -2, -3, -4
LONG = (
    1_000_000  # rounds of the delay: some milliseconds, a hundred times what a caller stays awake
)


@kernel
def count_rows(rows, task, low, high):
    """Count how often each row is done, after a delay that its action tells."""
    for row in range(low, high):
        if rows.actions[row] == BROKEN:
            raise ValueError("this row")
        if rows.actions[row] == ENDS_SECOND:
            while look(rows.actions, len(rows.actions) - 1) != BEGUN:
                pause()
        if rows.actions[row] == TELLS:
            swap(rows.actions, row, BEGUN)
            for _ in range(LONG):
                rows.scores[row, 0] = (rows.scores[row, 0] + 0.1) % 1.0
        for _ in range(rows.actions[row]):
            rows.scores[row, 0] = (rows.scores[row, 0] + 0.1) % 1.0
        rows.counts[row] += 1


class Counted:
    """A crew whose rows only count how often they are done."""

    def __init__(self, size: int, threads: int) -> None:
        self.rows = new_rows(make_game("lucid"), size, 0, observe=False, frames=None)
        self.crew = Crew(specialise(join_template, "counting", work=count_rows), self.rows, threads)

    def words(self) -> list[int]:
        return list(self.crew._signals[STRIDE + WORD :: STRIDE])


def members() -> int:
    return sum(thread.name == "batch" for thread in threading.enumerate())


def wait_until(true) -> None:
    for _ in range(500):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it does not happen")


@pytest.mark.parametrize(("size", "threads"), [(100, 1), (100, 2), (37, 4), (3, 3)])
def test_every_row_is_done_once_by_threads_awake_or_asleep(size, threads):
    counted = Counted(size, threads)
    for done in range(1, 300):
        who = (EVERYBODY, AWAKE, ALONE, EVERYBODY)[done % 4]
        assert counted.crew.run(BEGIN, who) == FINISHED
        assert (counted.rows.counts == done).all()
        if done % 50 == 0:
            time.sleep(0.002)


@pytest.mark.parametrize("broken", [0, 99])
def test_what_a_thread_raises_arrives_and_the_crew_is_as_good_as_before(broken):
    counted = Counted(100, 2)
    counted.rows.actions[:] = 2_000
    counted.rows.actions[broken] = BROKEN
    for _ in range(5):
        with pytest.raises(ValueError, match="this row"):
            counted.crew.run(BEGIN, EVERYBODY)
    counted.rows.actions[:] = 0
    counted.rows.counts[:] = 0
    counted.crew.run(BEGIN, EVERYBODY)
    counted.crew.run(BEGIN, EVERYBODY)
    assert (counted.rows.counts == 2).all()


class Interrupted(threading.Event):
    """An event during whose first wait somebody presses Ctrl-C."""

    pressed = False

    def wait(self, timeout=None):
        if not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt
        return super().wait(timeout)


def test_after_an_interruption_the_call_ends_when_no_thread_writes_any_more():
    counted = Counted(2, 2)
    (member,) = counted.crew._members
    interrupted = member.ended = Interrupted()
    runs = 0
    while (
        not interrupted.pressed and runs < 100
    ):  # a busy machine may hold the caller up at the end
        runs += 1
        counted.rows.actions[:] = ENDS_SECOND, TELLS  # so the other thread is the slower one
        try:
            counted.crew.run(BEGIN, EVERYBODY)
        except KeyboardInterrupt:
            assert interrupted.pressed
        assert (counted.rows.counts == runs).all()
    assert interrupted.pressed
    counted.rows.actions[:] = 0
    counted.crew.run(BEGIN, EVERYBODY)
    assert (counted.rows.counts == runs + 1).all()


def test_a_thread_sleeps_while_nobody_steps_and_ends_with_its_crew():
    counted = Counted(64, 3)
    counted.crew.run(BEGIN, EVERYBODY)
    wait_until(lambda: counted.words() == [ASLEEP, ASLEEP])
    counted.crew.run(BEGIN, AWAKE)  # for light work nobody is woken
    assert counted.words() == [ASLEEP, ASLEEP]
    assert np.array_equal(counted.rows.counts, [2] * 64)
    assert members() >= 2
    counted = None
    gc.collect()  # of other tests' batches too
    wait_until(lambda: members() == 0)
