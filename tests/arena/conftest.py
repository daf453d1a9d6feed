"""What the tests of the arena share."""

from __future__ import annotations

import pytest

from arena.race import register


@pytest.fixture
def with_race(monkeypatch):
    """Let the little race be found by its name."""
    register(monkeypatch)
