"""The first page: opponents by level, the games of whoever uses the browser, and their rating."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.driving import Person
from sandtable.server.settings import Settings


def test_a_newcomer_meets_an_easy_opponent_and_finds_the_game_again(person):
    newcomer: Person = person()
    newcomer.open("/")
    assert newcomer.find("[data-testid=your-games]").count() == 0
    newcomer.click("[data-game=skirmish]")
    expect(newcomer.find("[data-level=easy]")).to_be_checked()
    assert newcomer.find("input[data-level]").count() >= 6  # levels, and a friend
    expect(newcomer.find("[data-testid=side] option").first).to_have_text("Blue")  # not First
    expect(newcomer.find("[data-do=guided]")).to_have_attribute("href", "/learn/skirmish")
    expect(newcomer.find("[data-testid=seat-1]")).to_be_hidden()  # programs are behind More
    assert newcomer.axe() == []
    newcomer.click("[data-do=start]")
    newcomer.my_turn()
    newcomer.move()
    newcomer.page.close()  # a closed tab loses nothing
    newcomer.page = newcomer.context.new_page()
    newcomer.open("/")
    games = newcomer.find("[data-testid=your-games]")
    expect(games).to_contain_text("Skirmish")
    expect(games).to_contain_text("against Easy")
    expect(games).to_contain_text("Your turn")
    assert newcomer.axe() == []
    newcomer.click("[data-testid=your-games] a")
    assert newcomer.my_turn()
    assert newcomer.ply >= 1


def test_results_and_a_rating_from_games_against_levels(person, server):
    player: Person = person()
    for level in ("champion", "beginner"):
        player.open("/")
        player.click("[data-game=skirmish]")
        player.find(f"[data-level={level}]").check(force=True)
        player.click("[data-do=start]")
        player.my_turn()
        resign(player)
    player.open("/")
    results = player.find("[data-testid=your-results]")
    expect(results).to_contain_text("against Champion")
    expect(results).to_contain_text("You gave up")
    player.click("[data-game=skirmish]")
    expect(player.find("[data-level=beginner]")).to_be_checked()  # the one last chosen
    assert isinstance(server.settings, Settings)


def test_somebody_joins_from_the_first_page_and_is_asked_for_a_name(person):
    host, guest = person(), person(phone=True)
    host.open("/")
    host.click("[data-game=skirmish]")
    host.find("input[autocomplete=nickname]").fill("Ann")
    host.find("[data-level=person]").check(force=True)
    host.find("[data-testid=listed]").check()
    host.click("[data-do=start]")
    host.my_turn()
    guest.open("/")
    guest.click("[data-do=join]")
    guest.find("[data-testid=guest-name]").fill("Ben")
    assert guest.axe() == []
    guest.find("button").filter(has_text="That is me").click()
    expect(host.find("main")).to_contain_text("Ben")
    expect(guest.find("[data-testid=guest-name]")).to_have_count(0)
    guest.open("/")
    expect(guest.find("[data-testid=your-games]")).to_contain_text("Waiting for Ann")
    assert guest.find("[data-do=join]").count() == 0


def resign(player: Person) -> None:
    """Give the game up, as a person does."""
    player.page.on("dialog", lambda dialog: dialog.accept())
    player.find("button").filter(has_text="Resign").first.click()
    again = player.find("button").filter(has_text="Yes")
    if again.count():
        again.first.click()
    player.find("[data-turn=over]").wait_for()
