"""NashConv by OpenSpiel's exact sums: known policies, and a network that learns Kuhn poker."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="the sums are OpenSpiel's")

from sandtable.adapters.openspiel.nash import nash_conv, tabular_policy
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import make_game
from sandtable.types import State

KUHN = "openspiel.kuhn_poker"
# Share of bets by card (from the lowest) in an equilibrium with no bluff of the first player.
EQUILIBRIUM = {"": (0, 0, 0), "p": (1 / 3, 0, 1), "b": (0, 1 / 3, 1), "pb": (0, 1 / 3, 1)}


def in_equilibrium(view: State) -> np.ndarray:
    planes = view.planes(view.turn).reshape(-1)  # seat, card, then pass or bet of each ply
    card = int(np.flatnonzero(planes[2:5])[0])
    history = "".join("pb"[int(np.flatnonzero(pair)[0])]
                      for pair in planes[5:].reshape(3, 2) if pair.any())  # fmt: skip
    bet = EQUILIBRIUM[history][card]
    return np.array([1 - bet, bet])


def test_known_policies_have_their_known_distance() -> None:
    game = make_game(KUHN)
    assert nash_conv(game, lambda view: np.ones(2)) == pytest.approx(11 / 12)
    assert nash_conv(game, in_equilibrium) == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(SandtableError, match="and skirmish is none"):
        tabular_policy(make_game("skirmish"), lambda view: view.mask)


def test_a_network_learns_to_mix(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the learner needs torch")
    from sandtable.agents.network import Network
    from sandtable.learning.run import Control
    from sandtable.learning.selfplay.recipe import SelfPlayConfig, export, train

    config = SelfPlayConfig(
        game=KUHN, network="perceptron", width=32, blocks=1, generation=128, games=128 * 30,
        rows=64, groups=1, simulations=4, batch=64, passes=4.0,
    )  # fmt: skip
    assert train(config, tmp_path, Control(device="cpu"))
    export(tmp_path)
    agent = Network(weights=tmp_path / "network.onnx")
    found = nash_conv(make_game(KUHN), lambda view: agent.thought(view, Dice(0))[0])
    assert found < 0.6  # playing anything: 0.92
