"""A class in the browser: three people, a round robin, and every size of window."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from browser.driving import AXE, Person
from browser.test_room import LEAST_TEXT, SIZES, SMALL_TEXT
from server.running import running

ROWS = "[data-testid=standings] tbody tr"


@pytest.fixture
def people(browser, tmp_path):
    """Three people with browsers of their own, on a server of their own."""
    with running(tmp_path) as server:
        found = [Person(browser, server.host) for _ in range(3)]
        yield found
        for each in found:
            each.close()


def make_class(host: Person) -> None:
    """Fill in the form of a tournament."""
    host.open("/class")
    host.find("[data-testid=class-title]").fill("4b <i>")
    host.find("[data-testid=class-game]").select_option("skirmish")
    host.click("[data-do=make-class]:enabled")
    host.find("[data-do=start-round]").wait_for()


def enter(person: Person, name: str) -> None:
    person.find("[data-testid=class-name]").fill(name)
    person.click("[data-do=enter]")
    expect(person.find("[data-testid=waiting]")).to_contain_text(f"You play as {name}")


def play_round(people: list[Person], host: Person, number: int) -> None:
    """Start a round; of those who play the one with the first seat gives up."""
    host.click("[data-do=start-round]:enabled")
    ready = []
    for each in people:
        expect(each.find("[data-testid=round]")).to_contain_text(f"Round {number} of 3")
        each.find("[data-do=play], :text('You have a bye')").first.wait_for()
        if each.find("[data-do=play]").count():
            ready.append(each)
    assert len(ready) == 2
    for each in ready:
        each.click("[data-do=play]")
        each.find("[data-turn=yours], [data-turn=others]").wait_for()
    loser = next(each for each in ready if each.find("[data-turn=yours]").count())
    loser.click("[data-do=resign]")
    loser.click("[data-do=resign-now]")
    for each in ready:
        each.over()
        each.click("[data-do=to-class]")


def look_at(person: Person, size: tuple[int, int]) -> list[str]:
    """Return what is wrong with the page in a window of this size."""
    width, height = size
    person.page.set_viewport_size({"width": width, "height": height})
    wide = person.page.evaluate("document.documentElement.scrollWidth")
    wrong = [] if wide <= width else [f"it is {wide} pixels wide in {width}"]
    wrong += person.page.evaluate(SMALL_TEXT, LEAST_TEXT)
    return wrong + (person.axe() if AXE.is_file() else [])


def test_three_people_play_a_round_robin_and_see_the_standings(people):
    host, *guests = people
    make_class(host)
    for guest in guests:  # the link that everybody gets
        guest.open("/class")
    enter(host, "Ann")
    enter(guests[0], "Ben")
    guests[1].find("[data-testid=class-name]").fill("Ben")  # there is one already
    guests[1].click("[data-do=enter]")
    expect(guests[1].find("[data-testid=waiting]")).to_contain_text("You play as Ben (2)")
    expect(guests[0].find("h1")).to_have_text("4b <i>")
    assert guests[0].find("[data-do=start-round], [data-do=absent]").count() == 0
    expect(host.find(ROWS)).to_have_count(3)
    for number in (1, 2, 3):
        if number == 2:  # somebody's name changes between two rounds
            guests[0].click("[data-do=rename]")
            guests[0].find("form[aria-label='Your name'] input").fill("Bob")
            guests[0].find("button").filter(has_text="That is me").click()
            expect(host.find("[data-testid=standings]")).to_contain_text("Bob")
        play_round(people, host, number)
        expect(host.find("[data-testid=round]")).to_contain_text(
            "The tournament is over" if number == 3 else f"Round {number} of 3"
        )
    for each in people:
        expect(each.find("[data-testid=round]")).to_contain_text("The tournament is over")
        points = [row.locator("td").nth(1).inner_text() for row in each.find(ROWS).all()]
        assert sum(float(point) for point in points) == 6  # three games and three byes
        assert points == sorted(points, reverse=True)
    wrong = {}
    for size in SIZES.values():
        for each in (host, guests[0]):
            wrong[size, each is host] = look_at(each, size)
    assert {key: found for key, found in wrong.items() if found} == {}


def test_a_host_replaces_who_does_not_come_in_every_window(people):
    host, guest, absent = people
    make_class(host)
    absent.open("/class")
    guest.open("/class")
    enter(guest, "Ann")
    enter(absent, "Ben")
    wrong = {"form": look_at(host, SIZES["phone"])}
    host.click("[data-do=start-round]:enabled")
    guest.click("[data-do=play]")
    guest.find("[data-turn]").wait_for()
    host.click("[data-do=absent]")
    for name, size in SIZES.items():
        wrong[name] = look_at(host, size)
    assert {key: found for key, found in wrong.items() if found} == {}
    host.find("button").filter(has_text="A program plays for Ben").click()
    expect(host.find("[data-round='1']")).to_contain_text("a program stands in")
    expect(guest.find("[aria-label='Other players']")).to_contain_text("Easy")
    expect(absent.find("[data-testid=waiting]")).to_be_visible()


def test_two_people_agree_on_a_draw_and_clocks_wait_for_both(person, server):
    links = server.room("skirmish", None, None, clock={"minutes": 10.0})
    first, second = person(), person(phone=True)
    first.open(links["seats"][0]["link"])
    first.find("[data-testid=guest-name]").fill("Ann")
    first.find("button").filter(has_text="That is me").click()
    expect(first.find("[data-testid=clocks]")).to_contain_text("The clocks start when everybody")
    first.page.wait_for_timeout(1200)
    below = first.find("[aria-label='Player below'] [aria-label='time left']")
    expect(below).to_have_text("10:00")
    second.open(links["seats"][1]["link"])
    expect(first.find("[data-testid=clocks]")).to_have_count(0)
    expect(below).to_have_text(re.compile("9:5"))
    second.find("[data-testid=guest-name]").fill("Ben")
    second.find("button").filter(has_text="That is me").tap()
    first.click("[data-do=offer-draw]")
    expect(second.find("[data-testid=draw]")).to_have_text("Ann offers a draw.")
    second.find("[data-do=decline-draw]").tap()
    expect(first.find("[data-testid=draw]")).to_have_text("Ben declines the draw and plays on.")
    second.find("[data-do=offer-draw]").tap()
    assert second.axe() == []
    first.click("[data-do=accept-draw]")
    for each in (first, second):
        expect(each.find("[data-testid=outcome] h2")).to_have_text("A draw")
