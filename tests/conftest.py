"""What all tests share."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def journals_elsewhere(tmp_path_factory):
    """Keep the journals of stopped runs out of the home folder, also those of subprocesses."""
    before = os.environ.get("SANDTABLE_STATE")
    os.environ["SANDTABLE_STATE"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["SANDTABLE_STATE"]
    else:
        os.environ["SANDTABLE_STATE"] = before
