from __future__ import annotations

import pytest

from server.running import running


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("server")) as found:
        yield found
