"""Every page is checked by axe in light and dark, and fits a phone."""

from __future__ import annotations

import gzip

import pytest

from browser.driving import AXE, STATIC
from server.running import wait_until

MOST_BYTES = 300_000  # of the compressed client
ROOMS = (
    ("lucid", None, "lucid/axes-red"),
    ("skirmish", None, "random"),
    ("stratego:variant=mini", None, "random"),
    ("gravwell:players=3", None, "random", "random"),
)


PLAIN = {  # what is there when a page is ready
    "/": "[data-game]",
    "/puzzles": "[data-puzzles]",
    "/puzzles/lucid/1": "[data-testid=task]",
    "/class": "[data-do=make-class]",
    "/archive": "tbody tr",
    "/arena": "[data-testid=player-1]",
    "/training": "h2",
    "/series/lucid/expert": "[data-testid=series-beside]",
    "/label": "fieldset",
    "/setups": "[data-place]",
    "/levels": "[data-do=start]",
    "/scenarios": "[data-do=start]",
}

BOARDS = ("[data-turn=yours], [data-turn=others]", "[data-testid=ply]")  # of rooms and replays


@pytest.fixture(scope="module")
def pages(server):
    """The address of every page with something on it, and what tells that it is ready."""
    room = server.room("skirmish:max_turns=3", "random", "random")["room"]
    found = dict(PLAIN)
    for game, *agents in ROOMS:
        links = server.room(game, *agents)
        found[links["seats"][0]["link"]] = BOARDS[0]
    wait_until(lambda: server.get(f"/api/rooms/{room}")["archive"] is not None)
    archive = server.get(f"/api/rooms/{room}")["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{archive}").status_code == 200)
    return found | {f"/room/{room}": "[data-testid=outcome]", f"/replay/{archive}": BOARDS[1]}


def loaded(person, path, ready):
    person.open(path)
    person.find(ready).first.wait_for()
    if path == "/":
        person.click("[data-game=stratego]")
        person.find("[data-do=start]").wait_for()


def test_axe_finds_nothing(person, pages):
    if not AXE.is_file():
        pytest.skip("axe-core is not here; 'make client' installs it")
    reader = person()
    wrong = {}
    for path, ready in pages.items():
        loaded(reader, path, ready)
        wrong[path] = reader.axe()
    assert {path: found for path, found in wrong.items() if found} == {}


def test_every_page_fits_a_phone_in_the_dark_and_a_tap_moves(person, pages):
    walker = person(phone=True, dark=True)
    wrong = {}
    for path, ready in pages.items():
        loaded(walker, path, ready)
        width = walker.page.evaluate("document.documentElement.scrollWidth")
        wrong[path] = [] if width <= 360 else [f"it is {width} pixels wide"]
        wrong[path] += walker.axe() if AXE.is_file() else []
    assert {path: found for path, found in wrong.items() if found} == {}
    walker.open(next(path for path, ready in pages.items() if "yours" in ready))  # Lucid
    if walker.my_turn():
        tap = [walker.find(f"[data-place={name}]").tap for name in ("c1", "c2")]
        walker.act(*tap)


def test_the_client_is_small():
    if not STATIC.is_dir():
        pytest.skip("the client is not built")
    sizes = [len(gzip.compress(each.read_bytes())) for each in STATIC.rglob("*") if each.is_file()]
    assert sum(sizes) < MOST_BYTES
