"""Whole games in a real browser, of every game, to their end."""

from __future__ import annotations

from playwright.sync_api import expect

RANKS = {"T": "10", "S": "spy", "B": "bomb", "F": "flag", ".": "empty"}


def play_lucid(person):
    """Move a unit or two a turn, take one back, and end the turn."""
    undone = False
    while person.my_turn():
        for _ in range(person.dice.choice((1, 1, 2))):
            if person.find("[data-movable]").count():
                person.move()
        if not undone and person.find("[data-do=undo]").count():
            person.act(lambda: person.click("[data-do=undo]"))
            undone = True
        person.act(lambda: person.click("[data-action=end]"))


def test_lucid_to_its_end_with_undo_and_rematch(person):
    blue = person()
    blue.start("lucid", seat_1="agent:lucid/axes-red")
    expect(blue.page.get_by_text("axes-red").first).to_be_visible()
    blue.click("[data-do=hint]")
    expect(blue.find("[data-testid=hint]")).to_contain_text("end the turn")
    expect(blue.find("[data-testid=hint] [aria-label='Candidate moves'] li")).not_to_have_count(0)
    blue.move("c1", "c2")
    expect(blue.find("[data-testid=hint]")).to_have_count(0)  # it was for the position before
    expect(blue.find("[data-place=c2]")).to_have_accessible_name("c2: 1 Blue, 1 moved in this turn")
    play_lucid(blue)
    blue.over()
    room = blue.page.url
    blue.click("[data-do=rematch]")
    blue.click("[data-do=next-game]")
    blue.my_turn()
    assert blue.page.url != room
    blue.click("[data-do=resign]")
    blue.click("[data-do=resign-now]")
    blue.over()


def test_skirmish_to_its_end_with_building_and_takeback(person):
    first = person()
    first.open("/")
    first.click("[data-game=skirmish]")
    first.click("summary")
    first.find("label").filter(has_text="Most turns").locator("input").fill("6")
    first.find("[data-testid=seat-1]").select_option("agent:skirmish/greedy")
    first.click("[data-do=start]")
    first.my_turn()
    first.move()
    first.my_turn()
    first.click("[data-do=takeback]")
    first.find("[data-ply='0']").wait_for()
    first.act(
        lambda: first.any_of("[data-spot]").click(), lambda: first.click("[data-action$='+']")
    )
    while first.my_turn():
        if first.find("[data-movable]").count():
            first.move()
        else:
            first.act(lambda: first.click("[data-action=pass]"))
    first.over()


def test_stratego_to_its_end_with_a_set_up_and_a_reload_in_between(person, server):
    red = person()
    rows = server.get("/api/setups/random", params={"variant": "mini"})["rows"]
    saved = {"variant": "mini", "name": "the-usual", "rows": rows}
    assert server.http.put("/api/setups", json=saved).status_code == 200
    links = server.room("stratego:variant=mini,setup=choose,max_plies=16", None, "random")
    red.open(links["seats"][0]["link"])
    red.my_turn()
    assert "#" not in red.page.url  # the token does not stay in the address
    red.find("select").select_option("the-usual")
    for place, letter in enumerate("".join(rows)):
        label = red.find(f"[data-place='{place}']").get_attribute("aria-label")
        assert f": {RANKS.get(letter, letter)};" in label
    before = red.find("[data-place='0']").get_attribute("aria-label")
    red.click("[data-place='0']")
    red.click("[data-place='11']")
    assert red.find("[data-place='11']").get_attribute("aria-label").split(": ")[1] in before
    red.act(lambda: red.click("[data-do=ready]"))
    red.my_turn()
    red.move()
    red.my_turn()
    seen = red.find("[data-place=a1]").get_attribute("aria-label")
    ply = red.ply
    red.page.reload()
    red.my_turn()
    assert (red.ply, red.find("[data-place=a1]").get_attribute("aria-label")) == (ply, seen)
    red.click("text=1 is the highest rank")
    assert red.find("[aria-label='9']").count()  # the scouts, which were 2
    while red.my_turn():
        red.move()
    red.over()


def test_gravwell_to_its_end_with_draft_cards_and_stops(person):
    first = person()
    first.start("gravwell", "gravwell:players=2", seat_1="agent:gravwell/decision-tree")
    stops = 0
    while first.my_turn():
        question = first.find("[aria-label='Emergency Stop question'] button")
        if question.count():
            stops += 1
            first.act(lambda: first.any_of("[aria-label='Emergency Stop question'] button").click())
        else:
            first.act(lambda: first.any_of("button.choice").click())
    assert stops
    first.over()
