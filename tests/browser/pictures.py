"""Renews the screenshots under docs/images: ``PYTHONPATH=tests python -m browser.pictures``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser

from browser.driving import ROOT, Person, started
from server.running import Running, running, wait_until

IMAGES = ROOT / "docs" / "images"


def shot(person: Person, name: str) -> None:
    """Keep what is on the screen, after everything has stopped moving."""
    person.page.evaluate("scrollTo(0, 0)")
    person.page.wait_for_timeout(600)
    person.page.screenshot(path=IMAGES / f"{name}.png")
    print(name)


def archived(server: Running, game: str, *agents: str) -> str:
    """Let agents play a game and return where it is kept."""
    room = server.room(game, *agents)["room"]
    wait_until(lambda: server.get(f"/api/rooms/{room}")["archive"] is not None)
    game = server.get(f"/api/rooms/{room}")["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{game}").status_code == 200)
    return str(game)


def branch(server: Running, game: str, agents: tuple[str, str], ply: int) -> str:
    """Take the first seat of a game between two agents in its middle; return the link."""
    start = {"archive": archived(server, game, *agents), "ply": ply}
    return str(server.room(game, None, agents[1], start=start)["seats"][0]["link"])


def lucid(person: Person, server: Running) -> None:
    """March north until there is a battle."""
    person.start("lucid", seat_1="agent:lucid/axes-red")
    while person.my_turn() and person.find(".burst").count() < 2:
        for row in (4, 3, 2, 1):
            for column in "cdb":
                step(person, f"{column}{row}", f"{column}{row + 1}")
        if person.find(".burst").count() < 2:
            person.act(lambda: person.click("[data-action=end]"))
    shot(person, "lucid")


def step(person: Person, source: str, target: str) -> None:
    """Take one unit a node further, if it can go."""
    here = person.find(f"[data-place={source}][data-movable]")
    if here.count():
        here.click()
        there = person.find(f"[data-place={target}][data-target]")
        if there.count():
            person.act(there.click)
        else:
            person.page.keyboard.press("Escape")


def skirmish(person: Person, server: Running) -> None:
    agents = ("skirmish/greedy", "skirmish/greedy")
    person.open(branch(server, "skirmish:level=3", agents, 70))
    person.my_turn()
    person.find("[data-movable]").last.click()
    shot(person, "skirmish")


def stratego(person: Person, server: Running) -> None:
    person.open(branch(server, "stratego:max_plies=300", ("random", "random"), 240))
    person.my_turn()
    person.find("[data-movable]").first.click()
    shot(person, "stratego")
    person.page.emulate_media(color_scheme="dark")
    shot(person, "stratego-dark")
    person.page.emulate_media(color_scheme="light")
    person.open("/setups")
    person.find("[data-place='0']").click()
    shot(person, "setups")


def gravwell(person: Person, server: Running) -> None:
    tree = "agent:gravwell/decision-tree"
    person.start("gravwell", "gravwell", seat_1=tree, seat_2=tree, seat_3=tree)
    while person.my_turn():
        if person.find("[aria-label='Emergency Stop question']").count():
            break
        person.act(person.any_of("button.choice").click)
    shot(person, "gravwell")


def others(person: Person, server: Running) -> None:
    person.open("/")
    person.click("[data-game=lucid]")
    person.find("[data-do=start]").wait_for()
    shot(person, "home")
    game = archived(server, "lucid", "lucid/one-axis-blue", "lucid/axes-red")
    person.open(f"/replay/{game}?ply=58")
    person.click("[data-do=curve]")
    person.find("figure svg .line").first.wait_for()
    person.click("[data-do=candidates]")
    person.find("[aria-label='Candidate moves']").wait_for()
    person.find("h3:has-text('Force groups')").wait_for()
    shot(person, "replay")
    person.open("/label")
    person.find("fieldset").first.wait_for()
    person.click("[data-do=next-turn]")
    shot(person, "label")
    person.open("/arena")
    person.find("select").first.select_option("gravwell")
    person.find("[data-testid=player-1]").wait_for()
    person.find("[data-testid=player-0]").fill("gravwell/decision-tree")
    person.find("[data-testid=player-1]").fill("gravwell/random-no-stop")
    person.click("[data-do=match]")
    person.find("[data-testid=match][data-status=done]").wait_for()
    shot(person, "arena")


def phone(browser: Browser, server: Running) -> None:
    person = Person(browser, server.host, phone=True)
    person.open(branch(server, "skirmish:level=3", ("skirmish/greedy", "skirmish/greedy"), 70))
    person.my_turn()
    person.find("[data-movable]").first.tap()
    shot(person, "phone")
    person.close()


def main() -> None:
    """Make all of them."""
    IMAGES.mkdir(exist_ok=True)
    makers: tuple[Callable[[Person, Running], None], ...] = (
        lucid, skirmish, stratego, gravwell, others,
    )  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as server,
        started() as browser,
    ):
        for make in makers:
            person = Person(browser, server.host)
            make(person, server)
            person.close()
        phone(browser, server)


if __name__ == "__main__":
    main()
