"""The benchmark of the server counts everybody who wanted to play, and fails on errors."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FINE = {
    "games_at_a_time": 200,
    "players_in": 200,
    "spectators": 1000,
    "spectators_in": 1000,
    "errors": 0,
    "reasons": {},
    "share_within_250_ms": 0.995,
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"players_in": 113}, "113 of 200 players"),
        ({"spectators_in": 999}, "999 of 1000 spectators"),
        ({"errors": 87, "reasons": {"player: 403": 87}}, "403"),
        ({"share_within_250_ms": 0.98}, "99%"),
    ],
)
def test_whoever_is_refused_makes_it_fail(monkeypatch, change, words):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    found = importlib.import_module("web").problems_of(FINE | change)
    assert found == [] if words is None else words in found[0]
