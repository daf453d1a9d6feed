"""Learning a game in the browser: rules, words about pieces, a guide, hints, and why not."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from browser.driving import AXE

GAMES = ("lucid", "skirmish", "stratego", "gravwell")


@pytest.mark.parametrize("game", GAMES)
def test_a_guided_first_game_with_the_rules_beside_it(person, game):
    novice = person()
    novice.open(f"/learn/{game}")
    assert novice.my_turn()
    guide = novice.find("[data-testid=guide]")
    expect(guide).to_have_attribute("data-step", "0")
    novice.click("[data-do=guide-next]")
    novice.find("[data-hint], .hinted").first.wait_for()
    if game == "gravwell":
        novice.act(lambda: novice.click("button.hinted"))
    else:
        novice.click("[data-movable]")
        expect(guide).to_have_attribute("data-step", "2")
        novice.act(lambda: novice.any_of("[data-target]").click())
    novice.my_turn()
    expect(guide).to_have_attribute("data-step", re.compile("[2-4]"))
    novice.click("[data-do=rules]")
    rules = novice.find("[data-testid=rules]")
    expect(rules.locator("h3", has_text="Course of play")).to_be_visible()
    assert rules.locator("svg").count() > 3  # the board and the signs
    expect(novice.find("[data-testid=legend] dt").first).to_be_visible()
    assert "planes" not in rules.inner_text()
    if AXE.is_file():
        assert novice.axe() == []
    novice.click("[data-do=close-rules]")
    novice.click("[data-do=guide-end]")
    expect(guide).to_have_count(0)


def test_resting_on_a_piece_or_pressing_it_long_tells_what_it_can_do(person, server):
    link = server.room("stratego:variant=mini", None, "random")["seats"][0]["link"]
    reader = person()
    reader.open(link)
    reader.my_turn()
    flag = reader.find("[data-place][aria-label*='Red flag']")
    flag.hover()
    expect(reader.find("[data-testid=tip]")).to_contain_text("Whoever takes it wins the game")
    walker = person(phone=True)
    walker.open(link)
    walker.my_turn()
    place = walker.find("[data-movable]").first
    box = place.bounding_box()
    spot = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch = walker.context.new_cdp_session(walker.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [spot]})
    expect(walker.find("[data-testid=tip]")).to_contain_text("Red")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    walker.page.wait_for_timeout(100)
    assert walker.find("[aria-pressed=true][data-place]").count() == 0  # nothing was taken up


def test_a_hint_is_drawn_told_in_words_and_played_by_a_click(person, server):
    player = person()
    player.open(server.room("skirmish", None, "random")["seats"][0]["link"])
    player.my_turn()
    player.click("[data-do=hint]")
    hint = player.find("[data-testid=hint]")
    expect(hint).to_contain_text(re.compile("Move the|Build a barracks|Take the"))
    expect(player.find("svg [data-hint]")).to_have_count(1)
    player.act(lambda: player.click("[data-do=play-hint]"))
    player.my_turn()
    expect(hint).to_have_count(0)
    assert player.ply == 2


def test_an_illegal_tap_is_answered_with_the_rule(person, server):
    player = person()
    player.open(server.room("skirmish", None, "random")["seats"][0]["link"])
    player.my_turn()
    town = player.find('[data-place][aria-label*="Blue\'s town"]')
    town.click()
    why = player.find("[data-testid=why]")
    expect(why).to_have_text("A town never moves.")
    assert player.find(".shaken").count() == 1
    player.click("[data-movable]")
    player.find("[data-place=a8]").click()
    expect(why).to_have_text("A worker goes one step, in any direction.")
    player.move()
    expect(why).to_have_count(0)


def test_the_stop_question_says_where_the_card_would_take_you(person, server):
    pilot = person()
    pilot.open(server.room("gravwell:players=2", None, "random")["seats"][0]["link"])
    question = pilot.find("[aria-label='Emergency Stop question']")
    while pilot.my_turn():
        if question.count():
            expect(question).to_contain_text(
                re.compile(
                    r"(takes you from tile \d+ to|leaves you on) tile \d+|pulls all other ships"
                )
            )
            return
        pilot.act(lambda: pilot.any_of("button.choice").click())
    pytest.fail("nobody was asked")
