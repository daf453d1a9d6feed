"""Two browsers against each other, by keyboard and by dragging, and a server that goes away."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from browser.driving import Person
from server.running import running

EDGES = ("Other players", "Player below")


def by_keyboard(person):
    """Go to a piece with the arrows, take it up with Enter, and put it down one step on."""
    piece = person.find("[data-movable]").first
    piece.focus()
    keys = person.page.keyboard
    keys.press("Enter")
    targets = person.find("[data-target]").evaluate_all(
        "each => each.map((one) => one.dataset.place)"
    )
    here = piece.get_attribute("data-place")
    column, row = ord(targets[0][0]) - ord(here[0]), int(targets[0][1]) - int(here[1])

    def walk():
        for key, steps in (("ArrowRight", column), ("ArrowUp", row)):
            for _ in range(abs(steps)):
                keys.press(key if steps > 0 else opposite(key))
        keys.press("Enter")

    person.act(walk)


def opposite(key):
    return {"ArrowRight": "ArrowLeft", "ArrowUp": "ArrowDown"}[key]


def by_dragging(person):
    """Drag a piece onto a place it can go to."""
    piece = person.find("[data-movable]").first
    piece.click()
    target = person.find("[data-target]").first.get_attribute("data-place")
    piece.click()  # put it down again
    person.act(lambda: piece.drag_to(person.find(f"[data-place='{target}']")))


def test_two_people_play_each_other_by_invitation_over_a_restart(browser, tmp_path):
    with running(tmp_path) as server:
        first, second = Person(browser, server.host), Person(browser, server.host)
        first.open("/")
        first.click("[data-game=skirmish]")
        first.click("summary")
        first.find("label").filter(has_text="Most turns").locator("input").fill("4")
        first.find("[data-testid=seat-1]").select_option("person")
        first.find("label").filter(has_text="Clock").locator("input").check()
        first.click("[data-do=start]")
        first.my_turn()
        second.open(first.find("[data-testid=invite-second]").input_value())
        second.find("[data-turn=others]").wait_for()
        clocks = [first.find(f"[aria-label='{where}'] [aria-label='time left']") for where in EDGES]
        expect(clocks[0]).to_have_text("10:00")  # only who is to act loses time
        expect(clocks[1]).to_contain_text("9:5")
        by_keyboard(first)
        second.my_turn()
        expect(second.find("#announcer")).to_contain_text("Your turn")
        by_dragging(second)
        port = server.settings.port
        moves = first.ply
    first.find("[data-connection=lost]").wait_for()
    expect(first.find("[role=alert]")).to_contain_text("connection is broken")
    with running(tmp_path, port=port):
        for each in (first, second):
            each.find("[data-connection=open]").wait_for()
        assert first.ply == moves or first.ply == moves + 1
        while first.my_turn():
            first.move()
            if second.my_turn():
                second.move()
        for each in (first, second):
            each.over()
        first.click("[data-do=rematch]")
        second.find("text=Accept the rematch").click()
        second.click("[data-do=next-game]")
        first.click("[data-do=next-game]")
        first.my_turn()
        second.find("[data-turn=others]").wait_for()
        first.close()
        second.close()


def test_somebody_without_a_token_only_watches_and_the_owner_sets_the_pace(person, server):
    links = server.room("lucid", "lucid/simple-blue", "lucid/axes-red", pace=1.0, listed=True)
    owner, other = person(), person()
    owner.open(f"/room/{links['room']}#owner={links['owner']}")
    owner.find("[data-turn=others]").wait_for()
    other.open("/")
    other.click(f"a[href='/room/{links['room']}']")
    other.find("[data-turn=others]").wait_for()
    expect(other.find("text=You are watching.")).to_be_visible()
    assert other.find("[data-do=resign], [data-do=pause], [data-movable]").count() == 0
    slider = owner.find("[aria-label='Seconds between moves']")
    slider.focus()
    owner.page.keyboard.press("Home")
    other.over()


def far_apart(player, column):
    """Play a step forward in a column two or more away from another."""
    steps = [
        each
        for each in player.now["legal"]
        if each["kind"] == "move" and abs(ord(each["from"][0]) - ord(column)) > 1
    ]
    steps.sort(key=lambda each: each["to"][0] != each["from"][0])
    player.play(steps[0]["action"])
    return steps[0]["from"], steps[0]["to"]


def test_a_move_that_would_repeat_too_often_says_why_it_cannot_be_made(person, server):
    links = server.room("stratego:variant=mini", None, None)
    red = person()
    red.open(links["seats"][0]["link"])
    with server.joined(links["room"], links["seats"][1]["token"]) as blue:
        red.my_turn()
        red.click("[data-movable]")
        here = red.find("[data-place][aria-pressed=true]").get_attribute("data-place")
        there = f"{here[0]}{int(here[1]) + 1}"
        red.act(lambda: red.click(f"[data-place={there}]"))
        blue.until(lambda message: bool(message.get("now", {}).get("legal")))
        start, end = far_apart(blue, here[0])
        for source, target in ((there, here), (here, there)):
            red.my_turn()
            red.move(source, target)
            blue.until(lambda message: bool(message.get("now", {}).get("legal")))
            blue.play(blue.legal(f"{end}-{start}"))
            start, end = end, start
        red.my_turn()
        red.click(f"[data-place={there}]")
        barred = red.find("[data-barred]")
        expect(barred).to_have_attribute("data-place", here)
        expect(barred).to_have_accessible_name(re.compile("not allowed, two-squares rule"))
        ply = red.ply
        barred.click()
        expect(red.find("[role=alert]")).to_contain_text(
            f"Two-squares rule: it has gone between {there} and {here} in 3 moves in a row"
        )
        assert red.ply == ply


def test_a_wrong_link_says_so(person):
    lost = person()
    lost.open("/room/abcdefghijkl")
    expect(lost.find("h1")).to_have_text("This game is not here")
    lost.open("/nowhere")
    expect(lost.find("h1")).to_have_text("There is no such page")
