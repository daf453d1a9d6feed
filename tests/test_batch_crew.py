"""Threads that share the rows of a batch: each part once, problems reported, none left behind."""

import gc
import threading
import time

import pytest

from sandtable.batch_crew import Crew


def members() -> int:
    return sum(thread.name == "batch" for thread in threading.enumerate())


def test_every_part_runs_once_and_the_call_waits_for_all():
    crew, ran = Crew(3), []
    for _ in range(50):
        crew.run([(ran.append, (number,)) for number in range(4)])
        assert len(ran) % 4 == 0
    assert sorted(ran) == sorted(list(range(4)) * 50)
    crew.run([(ran.append, ("fewer parts",)), (ran.append, ("than threads",))])
    assert set(ran[-2:]) == {"fewer parts", "than threads"}


def fail(word: str) -> None:
    raise ValueError(word)


@pytest.mark.parametrize("broken", [0, 1])
def test_what_a_part_raises_arrives_after_the_others_have_ended(broken):
    crew, ended = Crew(1), []

    def slow() -> None:
        time.sleep(0.02)
        ended.append(True)

    parts = [(slow, ()), (slow, ())]
    parts[broken] = (fail, ("this part",))
    with pytest.raises(ValueError, match="this part"):
        crew.run(parts)
    assert ended == [True]
    crew.run([(slow, ()), (slow, ())])  # and the crew is as good as before
    assert len(ended) == 3


def test_threads_end_with_their_crew():
    crew = Crew(2)
    assert members() >= 2
    del crew
    gc.collect()  # of other tests' batches too
    for _ in range(500):
        if members() == 0:
            return
        time.sleep(0.01)
    raise AssertionError("threads outlive their crew")
