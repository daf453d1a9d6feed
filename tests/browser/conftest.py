from __future__ import annotations

import pytest

pytest.importorskip("playwright")
pytest.importorskip("fastapi")

from browser.driving import STATIC, Person, chromium, started
from server.running import running


@pytest.fixture(scope="package")
def browser():
    if chromium() is None:
        pytest.skip("no Chromium on this machine; 'make tools' installs it")
    if not (STATIC / "index.html").is_file():
        pytest.skip("the client is not built; 'make client' builds it")
    with started() as found:
        yield found


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    with running(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def person(browser, server):
    """Make people; their pages must not have complained when the test is over."""
    people = []

    def make(**more):
        people.append(Person(browser, server.host, **more))
        return people[-1]

    yield make
    for each in people:
        each.close()
