"""The page of a game: its words, and how it fills every window."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

SIZES = {
    "notebook": (1366, 657),
    "screen": (1280, 900),
    "phone": (390, 844),
    "phone sideways": (844, 390),
}
ROOMS = {
    "lucid": ("lucid", None, "lucid/axes-red"),
    "skirmish": ("skirmish", None, "skirmish/greedy"),
    "stratego": ("stratego:variant=mini", None, "random"),
    "gravwell": ("gravwell:players=2", None, "random"),
}
LEAST_TEXT = 9.9  # pixels

SMALL_TEXT = """(least) => {
    const found = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
        const parent = texts.currentNode.parentElement
        if (!texts.currentNode.textContent.trim() || !parent.getClientRects().length) continue
        let size = parseFloat(getComputedStyle(parent).fontSize)
        const matrix = parent.closest('svg') && parent.getScreenCTM && parent.getScreenCTM()
        if (matrix) size *= Math.hypot(matrix.a, matrix.b)
        if (size < least) found.push(`${texts.currentNode.textContent.trim()}: ${size}`)
    }
    return found
}"""


def room(server, game):
    return server.room(*ROOMS[game])["seats"][0]["link"]


def lies_in_sight(person, selector):
    box = person.find(selector).first.bounding_box()
    size = person.page.viewport_size
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"] + 0.5


@pytest.mark.parametrize("size", SIZES)
def test_the_board_fills_the_window_and_its_buttons_are_in_sight(person, server, size):
    player = person()
    width, height = SIZES[size]
    player.page.set_viewport_size({"width": width, "height": height})
    for game in ROOMS:
        player.open(room(server, game))
        if not player.my_turn():
            continue
        player.page.wait_for_timeout(150)  # what was drawn is measured
        assert player.page.evaluate("document.documentElement.scrollWidth") <= width, game
        assert lies_in_sight(player, "[data-do=resign]"), game
        if game == "lucid":
            assert lies_in_sight(player, "[data-action=end]")
        if game != "gravwell":
            board = player.find("svg[role=group]").bounding_box()
            room_for_it = min(width, height - 56) * (0.85 if "phone" in size else 0.93)
            assert min(board["width"], board["height"]) >= min(room_for_it, 0.42 * height)
            assert board["y"] >= 0 and board["y"] + board["height"] <= height
        assert player.page.evaluate(SMALL_TEXT, LEAST_TEXT) == [], game
        above = player.find("[aria-label='Other players']").bounding_box()
        below = player.find("[aria-label='Player below']").bounding_box()
        assert above["y"] < below["y"]


def test_a_phone_has_a_menu_of_all_pages(person):
    walker = person(phone=True)
    walker.open("/archive")
    expect(walker.find("nav")).to_be_hidden()
    walker.find("text=Menu").tap()
    expect(walker.find("nav")).to_be_visible()
    walker.find("nav").get_by_text("Arena").tap()
    expect(walker.find("h1")).to_contain_text("Arena")
    expect(walker.find("nav")).to_be_hidden()


@pytest.mark.parametrize("size", ["phone", "phone sideways"])
def test_what_is_to_be_pressed_is_in_sight_on_a_phone(person, server, size):
    walker = person(phone=True)
    width, height = SIZES[size]
    walker.page.set_viewport_size({"width": width, "height": height})
    walker.open(server.room("stratego:setup=choose", None, "random")["seats"][0]["link"])
    walker.my_turn()
    assert lies_in_sight(walker, "[data-do=ready]")
    walker.find("text=Menu").tap()
    for link in walker.find("nav a").all():
        box = link.bounding_box()
        assert box["y"] + box["height"] <= height


def test_words_are_those_of_the_player(person, server):
    player = person()
    player.open(room(server, "skirmish"))
    player.my_turn()
    expect(player.find("[data-testid=status]")).to_contain_text("Your turn")
    expect(player.find("[data-testid=progress]")).to_have_text("move 1")
    expect(player.page).to_have_title("Your turn: Skirmish")
    assert re.search(r"\b(First|Second)\b", player.find("main").inner_text()) is None
    player.move()
    player.my_turn()
    moves = player.find("[aria-label=Moves] li")
    expect(moves.nth(0)).to_contain_text("Blue")
    assert moves.nth(0).inner_text().startswith("1")
    assert moves.nth(1).inner_text().startswith("2")
    player.click("[data-do=resign]")
    player.click("[data-do=resign-now]")
    expect(player.find("[data-testid=outcome] h2")).to_have_text("You resigned; greedy wins")
    watcher = person()
    watcher.open(player.page.url)
    expect(watcher.find("[data-testid=outcome] h2")).to_have_text("Blue resigned; greedy wins")


def test_a_turn_of_many_movelets_is_one_row_and_the_end_tells_of_luck(person, server):
    links = server.room("lucid", "lucid/one-axis-blue", "lucid/axes-red")
    watcher = person()
    watcher.open(f"/room/{links['room']}")
    watcher.find("[data-turn=over]").wait_for()
    banner = watcher.find("[data-testid=outcome]")
    expect(banner.locator("h2")).to_have_text(re.compile(r"one-axis-blue scored \d+"))
    expect(watcher.find("[data-testid=ending]")).to_contain_text("were to be expected (luck-free)")
    numbers = watcher.find("[aria-label=Moves] .number").all_inner_texts()
    rows = [int(number) for number in numbers if number]
    assert rows == sorted(set(rows)) and rows[-1] <= 36
    watcher.click("[data-do=see-board]")
    assert banner.bounding_box()["height"] < 160


def test_the_first_move_after_setting_up_is_the_first(person, server):
    links = server.room("stratego:variant=mini,setup=choose", None, "random")
    red = person()
    red.open(links["seats"][0]["link"])
    red.my_turn()
    expect(red.find("[data-testid=progress]")).to_have_text("setting up")
    red.act(lambda: red.click("[data-do=ready]"))
    red.my_turn()
    expect(red.find("[data-testid=progress]")).to_have_text("move 1")
    red.move()
    red.my_turn()
    rows = red.find("[aria-label=Moves] li").all_inner_texts()
    assert any(re.match(r"1\s+Red: \w\d-\w\d", row) for row in rows), rows
