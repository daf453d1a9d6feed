"""What guests share: none of them takes everything, and nothing of the operator's."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from fastapi import HTTPException

from sandtable.server.connections import Refused
from sandtable.server.jobs import Jobs
from sandtable.server.reading import MOST_DOWNLOADS, Desk
from sandtable.server.reviews import MOST_OF_ADDRESS, Reviews
from server.running import settings_in


def record(number):
    return SimpleNamespace(identity=f"a-{number}", seats=("human", "random"))


def test_of_one_address_one_game_is_judged_at_a_time_and_others_have_their_turn(tmp_path):
    judged, gate = [], asyncio.Event()

    class Slow(Reviews):
        async def judge(self, job, game, seat):
            judged.append(game.identity)
            await gate.wait()

    async def ask() -> None:
        jobs = Jobs(settings_in(tmp_path))
        reviews = Slow(SimpleNamespace(pool=SimpleNamespace(most=9), jobs=jobs))
        mine = [reviews.begin(record(number), 0, "192.0.2.1") for number in range(MOST_OF_ADDRESS)]
        assert reviews.begin(record(0), 0, "192.0.2.1") is mine[0]  # once for all
        with pytest.raises(Refused, match="of your games are being judged"):
            reviews.begin(record(50), 0, "192.0.2.1")
        other = reviews.begin(record(60), 0, "192.0.2.2")
        await asyncio.sleep(0.01)
        assert judged == ["a-0", "a-60"]  # three places, and one of them is free
        gate.set()
        await asyncio.gather(*(each.task for each in (*mine, other)))
        assert {each.status for each in mine} == {"done"}
        assert len(judged) == MOST_OF_ADDRESS + 1
        await asyncio.sleep(0)
        assert not reviews.asked and not reviews.turns
        reviews.begin(record(70), 0, "192.0.2.1")
        await jobs.close()

    asyncio.run(ask())


def test_of_many_downloads_that_are_asked_for_at_once_few_are_granted(tmp_path):
    async def ask() -> None:
        desk = Desk(settings_in(tmp_path))
        granted, refused = [], 0
        for _ in range(50):  # none of them has been read from yet
            try:
                granted.append(desk.download(iter(["a", "b"])))
            except HTTPException as problem:
                assert problem.status_code == 429
                refused += 1
        assert (len(granted), refused) == (MOST_DOWNLOADS, 50 - MOST_DOWNLOADS)
        assert list(granted.pop()) == ["ab"]
        granted.append(desk.download(iter(["c"])))  # one was through
        granted.clear()  # nobody reads these: whoever asked has gone
        assert list(desk.download(iter(["d"]))) == ["d"]
        await desk.close()

    asyncio.run(ask())
