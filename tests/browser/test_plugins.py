"""A game of somebody else's package in the browser, without a line of the client about it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.driving import Person
from example_plugin import installed_here
from server.running import running


@pytest.fixture(scope="module")
def host(example_package, tmp_path_factory):
    with installed_here(example_package), running(tmp_path_factory.mktemp("server")) as found:
        yield found.host


def test_pawns_are_moved_by_clicking_on_the_drawing(browser, host):
    white = Person(browser, host)
    white.start("hexapawn", "hexapawn:columns=4,rows=4", seat_1="agent:hexapawn/machine")
    white.move("b1", "b2")
    while white.my_turn():
        white.move()
    white.over()
    expect(white.find("[data-place=a1]")).to_be_visible()
    white.close()
