"""What the tests of external agents share."""

from __future__ import annotations

import pytest

from agents.programs import write_program
from sandtable.agents.external.agent import External
from sandtable.registry import make_game


@pytest.fixture(scope="module")
def lucid():
    return make_game("lucid")


@pytest.fixture
def external(tmp_path):
    """Return a maker of agents from the source of a program; closes them at the end."""
    made = []

    def make(body: str, **options: float) -> External:
        made.append(External(write_program(tmp_path, body), **{"seconds": 5.0, **options}))
        return made[-1]

    yield make
    for agent in made:
        agent.close()
