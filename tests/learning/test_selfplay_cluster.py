"""Self-play on a cluster whose workers die: the games are those of one machine.

The cluster is a stand-in that keeps Ray's promises in this process; tests/arena/test_kills.py has
one of real nodes.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the learner needs torch")

from sandtable.errors import SandtableError  # noqa: E402
from sandtable.learning.selfplay import cluster  # noqa: E402
from sandtable.learning.selfplay.games import Decisions, PlaySettings, SelfPlay  # noqa: E402
from sandtable.learning.selfplay.network import new_network  # noqa: E402
from sandtable.learning.selfplay.opponents import Opponents  # noqa: E402
from sandtable.registry import make_game  # noqa: E402

GAME, SHAPE = "gravwell:players=2", ("perceptron", 8, 1)
SETTINGS = PlaySettings(6, 2, 1.25, 0.25, 400, threads=1, groups=3)


class Dead(Exception):
    """Ray's word for a worker that is no more."""


class Failed(Dead):
    """Ray's word for an error inside a worker."""


class StandIn:
    """What a cluster promises: calls are made when their results are asked for."""

    exceptions = SimpleNamespace(RayError=Dead, RayTaskError=Failed)

    def __init__(self, deaths: int, processors: int = 2) -> None:
        self.deaths, self.processors, self.workers, self.killed = deaths, processors, 0, 0

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.processors}

    def remote(self, **options: Any) -> Any:
        return lambda kind: SimpleNamespace(remote=lambda *given: self.worker(kind(*given)))

    def worker(self, inside: Any) -> Any:
        self.workers += 1

        def play(*given: Any) -> Any:
            if self.deaths:
                self.deaths -= 1
                raise Dead
            return inside.play(*given)

        return SimpleNamespace(
            introduce=SimpleNamespace(remote=lambda: inside.introduce),
            play=SimpleNamespace(remote=lambda *given: lambda: play(*given)),
        )

    def put(self, value: Any) -> Any:
        return value

    def wait(self, promises: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return promises[:1], promises[1:]

    def get(self, promise: Any) -> Any:
        return promise()

    def kill(self, worker: Any, no_restart: bool) -> None:
        self.killed += 1

    def shutdown(self) -> None:
        pass


@pytest.fixture
def on_cluster(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setattr(cluster, "check_address", lambda address: None)

    def play(ray: StandIn) -> Any:
        monkeypatch.setattr(cluster, "connect", lambda address: ray)
        return cluster.ClusterPlay("127.0.0.1:1", GAME, SETTINGS, SHAPE, ())

    return play


def test_games_of_workers_that_die_are_played_again(on_cluster: Any) -> None:
    game = make_game(GAME)
    torch.manual_seed(1)
    network, old = new_network(game, *SHAPE).eval(), new_network(game, *SHAPE).eval()
    pool = Opponents(game, [old], ["random"], 0.5)
    here = SelfPlay(game, SETTINGS, torch.device("cpu")).play(network, 7, 0, 6, lambda: False, pool)
    ray = StandIn(deaths=2)
    there = on_cluster(ray).play(network, 7, 0, 6, lambda: False, pool)
    assert here is not None and there is not None
    assert ray.killed == 2 and ray.workers == 4  # the dead are replaced
    assert np.array_equal(here[1], there[1])
    names = Decisions.names()
    assert all(np.array_equal(getattr(here[0], name), getattr(there[0], name)) for name in names)


def test_games_that_kill_every_worker_are_told(on_cluster: Any) -> None:
    network = new_network(make_game(GAME), *SHAPE)
    with pytest.raises(SandtableError, match="5 workers died at the games from 0 on"):
        on_cluster(StandIn(deaths=99, processors=1)).play(network, 7, 0, 6, lambda: False)


def test_another_program_is_refused(on_cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    playing = on_cluster(StandIn(deaths=0))
    playing.digest = "another"
    network = new_network(make_game(GAME), *SHAPE)
    with pytest.raises(SandtableError, match="has other versions of Sandtable"):
        playing.play(network, 7, 0, 6, lambda: False)
