"""Replay and analysis, labels, set-ups, levels, matches: the other pages in a real browser."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from server.running import wait_until


@pytest.fixture(scope="module")
def archived(server):
    """Finished games, one of Lucid and one of Stratego."""
    found = {}
    for game, *agents in (
        ("lucid", "lucid/one-axis-blue", "lucid/axes-red"),
        ("stratego:variant=mini,max_plies=30", "random", "random"),
    ):
        room = server.room(game, *agents)["room"]
        wait_until(lambda room=room: server.get(f"/api/rooms/{room}")["archive"] is not None)
        place = server.get(f"/api/rooms/{room}")["archive"]
        wait_until(lambda at=place: server.http.get(f"/api/archive/{at}").status_code == 200)
        found[game.partition(":")[0]] = place
    return found


def test_replay_steps_through_a_game_judges_it_and_branches_off(person, server, archived):
    blues = next(
        ply for ply in range(60, 120) if "lucid/champion-blue" in asked(server, archived, ply)
    )
    reader = person()
    reader.open("/archive")
    reader.click(f"a[href='/replay/{archived['lucid']}']")
    total = int(reader.find("[data-testid=ply]").inner_text().split("/")[1])
    reader.page.keyboard.press("ArrowRight")
    expect(reader.find("[data-testid=ply]")).to_have_text(f"1 / {total}")
    reader.find("[aria-label='Position after so many actions']").fill(f"{blues}")
    expect(reader.find("[data-testid=ply]")).to_have_text(f"{blues} / {total}")
    expect(reader.find("[data-testid=adviser]")).to_have_value("lucid/champion-blue")
    reader.find("[data-testid=adviser]").select_option("")  # random playouts
    reader.click("[data-do=curve]")
    reader.find("figcaption:has-text('by random playouts')").wait_for()
    reader.find("[data-testid=adviser]").select_option("lucid/champion-blue")
    reader.click("[data-do=curve]")
    reader.find("figcaption:has-text('by lucid/champion-blue')").wait_for()
    expect(reader.find("figure svg .line").first).to_be_visible()
    reader.click("[data-do=candidates]")
    expect(reader.find("[aria-label='Candidate moves'] li").first).to_contain_text("end")
    expect(reader.find("[data-testid=value]")).to_contain_text("in the end")
    expect(reader.find("h3:has-text('Force groups')")).to_be_visible()
    expect(reader.find("[data-testid=analysis] .tag").first).to_contain_text("%")
    reader.click("[data-do=end]")
    expect(reader.find("[data-testid=ply]")).to_have_text(f"{total} / {total}")
    with reader.page.expect_download() as waiting:
        reader.click("text=Download")
    record = json.loads(waiting.value.path().read_text(encoding="utf-8"))
    assert len(record["actions"].split()) == total
    reader.find("[aria-label='Position after so many actions']").fill("0")
    reader.click("[data-do=branch]")
    reader.more()
    reader.find("[data-testid=seat-0]").select_option("you")
    reader.find("[data-testid=seat-1]").select_option("agent:lucid/axes-red")
    reader.click("[data-do=start]")
    assert reader.my_turn()
    assert "/room/" in reader.page.url
    reader.act(lambda: reader.click("[data-action=end]"))  # and the game goes on


def asked(server, archived, ply):
    """Who can be asked about a position of the game of Lucid; whose turn it is, dice decide."""
    found = server.get(f"/api/archive/{archived['lucid']}/advisers?ply={ply}")
    return [each["spec"] for each in found["advisers"]]


def test_a_replay_can_be_seen_as_one_side_saw_it(person, archived):
    reader = person()
    reader.open(f"/replay/{archived['stratego']}")
    unknown = reader.find("[data-place][aria-label*='unknown piece']")
    reader.find("[data-testid=ply]").wait_for()
    assert unknown.count() == 0
    reader.find("label").filter(has_text="Seen by").locator("select").select_option("1")
    unknown.first.wait_for()
    assert all("Red" in each for each in unknown.evaluate_all("e => e.map((o) => o.ariaLabel)"))


def test_labels_are_corrected_and_kept_and_networks_trained_from_them(person):
    expert = person()
    expert.open("/label")
    box = expert.find("fieldset[data-group] [data-label=outflank]").first
    before = box.is_checked()
    box.click()
    expect(expert.find("[data-testid=said]")).to_have_text("Saved.")
    expert.page.reload()
    expect(expert.find("fieldset[data-group] [data-label=outflank]").first).to_be_checked(
        checked=not before
    )
    expect(expert.find("legend:has-text('corrected')").first).to_be_visible()
    expert.click("[data-do=next-turn]")
    expect(expert.find("text=2 of ")).to_be_visible()
    expert.find("[data-testid=examples]").fill("200")
    expert.click("[data-do=retrain]")
    expect(expert.find("[data-testid=training]")).to_have_text(re.compile("of 24|done"))
    with expert.context.expect_page() as waiting:
        expert.find("[data-do=curves]").click(modifiers=["Control"])
    curves = waiting.value
    expect(curves.locator("[data-run^=semantic]")).to_have_count(1)  # also while it runs
    expect(expert.find("[data-testid=training]")).to_have_text("done")
    expect(expert.find("[aria-label='Accuracy of the new networks'] tbody tr")).to_have_count(12)
    expect(curves.locator("figcaption:has-text('accuracy')")).to_be_visible()
    expect(curves.locator("li:has-text('24 lines')")).to_be_visible()


def test_set_ups_are_edited_named_and_forgotten_without_a_game(person):
    planner = person()
    planner.open("/setups")
    planner.click("text=barrage")
    planner.click("[data-place='0']")
    planner.click("[data-place='7']")
    planner.find("[data-testid=setup-name]").fill("my own")
    planner.click("text=Save")
    expect(planner.find("[role=status]:has-text('Saved')")).to_be_visible()
    planner.page.reload()
    planner.click("text=barrage")
    planner.click("button:has-text('my own')")
    planner.click("[aria-label='Delete my own']")
    expect(planner.find("button:has-text('my own')")).to_have_count(0)


def test_levels_are_painted_and_judged(person):
    painter = person()
    painter.open("/levels")
    expect(painter.find("text=This level can be played.")).to_be_visible()
    painter.click("[data-place=a8]")
    expect(painter.find("label:has-text('As text') input")).to_have_value(
        "x7/x3t3/1x5x/5x2/3xxx2/x7/4T3/8"
    )
    painter.click("text=Clear")
    expect(painter.find(".problem")).to_contain_text("town")


def test_scenarios_are_painted_judged_saved_and_played(person):
    painter = person()
    painter.open("/scenarios")
    verdict = painter.find("[data-testid=scenario-verdict]")
    expect(verdict).to_contain_text("can be played")
    painter.find("[data-testid=bundled]").select_option("river")
    expect(painter.find("[data-place=g6]")).to_be_visible()
    painter.find("label:has-text('Columns') input").fill("8")
    painter.find("label:has-text('Columns') input").blur()
    painter.click("[data-place=h1]")
    expect(painter.find("[data-place=h1]")).to_have_attribute("aria-label", re.compile("1 Blue"))
    painter.click("text=Close a road")
    painter.click("[data-place=a1-a2]")
    painter.find("label:has-text('Turns') input").fill("0")
    painter.find("label:has-text('Turns') input").blur()
    expect(verdict).to_contain_text("turns is a number from 1 to 200, got 0")
    painter.find("label:has-text('Turns') input").fill("25")
    painter.find("label:has-text('Turns') input").blur()
    expect(verdict).to_contain_text("can be played")
    with painter.page.expect_download() as download:
        painter.click("[data-do=save]")
    saved = Path(download.value.path()).read_text()
    assert 'closed_roads = ["a1-a2"]' in saved and "turns = 25" in saved
    painter.more()
    painter.find("[data-testid=seat-1]").select_option("agent:random")
    painter.click("[data-do=start]")
    painter.find("[data-turn=yours], [data-turn=others]").first.wait_for()
    expect(painter.find("[data-place=h6]")).to_be_visible()


def test_a_match_and_a_tournament_run_and_show_their_intervals(person):
    judge = person()
    judge.open("/arena")
    judge.find("select").first.select_option("skirmish")
    judge.find("#agents-1 option[value='skirmish/greedy']").wait_for(state="attached")
    judge.find("[data-testid=player-0]").fill("skirmish/greedy")
    judge.find("[data-testid=player-1]").fill("random")
    judge.find("[data-testid=games]").fill("30")
    judge.click("[data-do=match]")
    judge.find("[data-testid=match][data-status=done]").wait_for()
    expect(judge.find("[data-testid=played]")).to_contain_text("30 of 30 games")
    assert "[" in judge.find("[data-testid=match] tbody td").first.inner_text()
    judge.click("[data-do=kind]")
    judge.find("[data-testid=field]").fill("skirmish/greedy\nrandom")
    judge.find("[data-testid=games]").fill("10")
    judge.click("[data-do=match]")
    expect(judge.find("[data-testid=played]")).to_contain_text("20 of 20 games")
    expect(judge.find("[aria-label='Cross table'] tbody tr")).to_have_count(2)


def test_the_first_page_is_small_and_loads_games_only_as_it_shows_them(person):
    visitor = person()
    loaded = {}
    visitor.page.on("response", lambda answer: loaded.setdefault(answer.url, answer))
    visitor.open("/training")
    visitor.find("h1").first.wait_for()
    visitor.page.wait_for_load_state("networkidle")
    assert not any("/parts-" in url for url in loaded)  # no board is shown there
    loaded.clear()
    visitor.open("/")
    expect(visitor.find(".picture svg")).to_have_count(4)
    visitor.page.wait_for_load_state("networkidle")
    files = [answer.body() for url, answer in loaded.items() if "/api/" not in url]
    assert sum(len(gzip.compress(file)) for file in files) < 100_000
