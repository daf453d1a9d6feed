"""Looking back in a real browser: mistakes, links, notes, the archive, series, moving now."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from sandtable.arena.play.game_loop import play_game
from sandtable.records.lines import record_to_line
from sandtable.records.transcripts import transcript_data
from sandtable.registry import make_agent, make_game
from server.running import running, wait_until

SIZES = ((1366, 657), (1280, 900), (390, 844), (844, 390))
SMALLEST_TEXT = """() => [...document.querySelectorAll('body *')].filter((each) =>
  [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) &&
  each.getClientRects().length && !each.closest('svg') &&
  parseFloat(getComputedStyle(each).fontSize) < 10).map((each) => each.outerHTML.slice(0, 80))"""


def record_of(spec: str, *agents: str, seed: int = 3, number: int = 0, names=None):
    game, made = make_game(spec), [make_agent(agent) for agent in agents]
    return play_game(game, made, specs=names or agents, seed=seed, number=number).record


@pytest.fixture(scope="module")
def games(server):
    """A game of a person, and a match of two games."""
    mine = record_of("skirmish:max_turns=6", "random", "random", names=("human", "random"))
    match = [
        record_of("skirmish:max_turns=3", "random", "random", seed=77, number=each)
        for each in range(2)
    ]
    lines = "\n".join(record_to_line(record) for record in (mine, *match))
    server.post("/api/archive", {"lines": lines})
    return mine, match


def test_mistakes_are_shown_on_the_board_in_words_and_tried_again(person, games):
    reader = person()
    mine, _ = games
    reader.open(f"/replay/{mine.identity}?mistakes")
    expect(reader.find("[data-mistake]").first).to_contain_text("of the chance to win")
    expect(reader.find("[data-testid=mistakes]")).to_contain_text("6 of 6 turns judged")
    expect(reader.find("[data-testid=mistakes] [role=status]")).to_have_count(0)
    expect(reader.find("[data-testid=given-away]")).to_contain_text("a turn")
    ply = reader.find("[data-mistake]").first.get_attribute("data-mistake")
    reader.click("[data-mistake]")
    expect(reader.find("[data-testid=ply]")).to_have_text(f"{ply} / {len(mine.actions)}")
    expect(reader.find("[data-testid=better]")).to_contain_text("Better:")
    marks = reader.find("[data-hint]")
    expect(marks.first).to_be_attached()
    reader.click("[data-do=keep-better]")
    expect(reader.find("[data-note]")).to_have_count(1)
    for width, height in SIZES:
        reader.page.set_viewport_size({"width": width, "height": height})
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
        steps = reader.find("[aria-label=Steps]").bounding_box()
        assert steps["y"] + steps["height"] <= height, (width, height)
        assert reader.page.evaluate(SMALLEST_TEXT) == []
    assert reader.axe() == []
    reader.click("[data-do=try-again]")
    assert reader.my_turn()
    assert "/room/" in reader.page.url


def test_what_a_model_said_stands_beside_its_move(person, server):
    played = record_of("skirmish:max_turns=2", "random", "random", seed=78)
    exchanges = [
        {"prompt": [["system", "The rules."], ["user", "Your move?"]], "answer": "MOVE: nowhere",
         "problem": "'nowhere' is no action", "kind": "unreadable", "seconds": 1.0},
        {"prompt": [["system", "The rules."], ["user", "Your move?"], ["user", "Once more."]],
         "answer": "I attack. <b>Now</b>", "reasoning": "Red is weak.", "answer_tokens": 12},
    ]  # fmt: skip
    told = {"ply": 1, "seat": 1, "actions": 1, "model": "small", "exchanges": exchanges}
    talked = replace(played, annotations={"transcript": transcript_data([told])})
    server.post("/api/archive", {"lines": record_to_line(talked)})
    reader = person()
    reader.open(f"/replay/{talked.identity}")
    panel = reader.find("[data-testid=transcript]")
    expect(panel).to_contain_text("Nothing was said")
    reader.open(f"/replay/{talked.identity}?ply=2")
    expect(panel).to_contain_text("small, Red")
    expect(panel).to_contain_text("I attack. <b>Now</b>")  # as it was written, not as a page
    expect(panel).to_contain_text("It could not be played: 'nowhere' is no action")
    expect(panel.get_by_text("Red is weak.")).to_be_hidden()
    panel.get_by_text("What it thought").click()
    expect(panel.get_by_text("Red is weak.")).to_be_visible()
    panel.get_by_text("What it was asked").last.click()
    expect(panel.get_by_text("Once more.")).to_be_visible()
    reader.page.set_viewport_size({"width": 390, "height": 844})
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert reader.axe() == []


def test_an_address_is_the_link_to_a_position_and_notes_stay(person, games):
    reader = person()
    mine, _ = games
    reader.open(f"/replay/{mine.identity}")
    reader.find("[aria-label='Position after so many actions']").fill("2")
    reader.page.wait_for_url(re.compile(r"ply=2$"))
    reader.find("[data-testid=note-text]").fill("Here I should have waited.")
    name = make_game(mine.game).notation.action_name(mine.actions[2])
    reader.find("[data-testid=note-moves]").fill(name)
    reader.click("[data-do=keep-note]")
    expect(reader.find("[data-note]:has-text('waited')")).to_have_count(1)
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.click("[data-do=copy-link]")
    expect(reader.find("[data-do=copy-link]")).to_have_text("Copied")
    link = reader.page.evaluate("navigator.clipboard.readText()")
    assert link.endswith(f"/replay/{mine.identity}?ply=2")
    friend = person()
    friend.open(f"/replay/{mine.identity}?ply=2")
    expect(friend.find("[data-testid=ply]")).to_have_text(f"2 / {len(mine.actions)}")
    friend.click("[data-note]:has-text('waited')")
    expect(friend.find("[data-note]:has-text('waited')")).to_contain_text("Variation")


def test_the_archive_has_a_row_for_a_match_and_knows_my_games(person, games):
    reader = person()
    mine, match = games
    reader.open("/archive?game=skirmish")
    row = reader.find(f"tr:has([data-do=unfold]:has-text('match of {len(match)} games'))")
    row.first.wait_for()
    row.locator("[data-do=unfold]").first.click()
    expect(reader.find(f"a[href='/replay/{match[1].identity}']")).to_be_visible()
    reader.find("[data-testid=who]").select_option("people")
    expect(reader.find(f"a[href='/replay/{mine.identity}']")).to_be_visible()
    expect(reader.find("[data-do=unfold]")).to_have_count(0)
    reader.find("[data-testid=mine]").check()
    expect(reader.find("[role=status].faint")).to_have_text("0 games")
    kept = [{"room": "A" * 12, "seat": 0, "archive": mine.identity}]
    reader.page.evaluate("(kept) => localStorage.setItem('sandtable.games', kept)", _json(kept))
    reader.open("/archive?mine")
    expect(reader.find("tbody tr")).to_have_count(1)
    assert reader.axe() == []


def _json(data: object) -> str:
    import json

    return json.dumps(data)


def test_a_series_goes_on_after_the_tab_was_closed(person, server):
    player = person()
    player.open("/")
    player.click("[data-game=lucid]")
    player.click("[data-series=expert]")
    expect(player.find("[data-testid=series-progress]")).to_have_text("0 of 20 games played")
    expect(player.find("[data-testid=series-beside]")).to_contain_text("9.47")
    for width, height in SIZES:
        player.page.set_viewport_size({"width": width, "height": height})
        assert player.page.evaluate("document.documentElement.scrollWidth") <= width
        assert player.page.evaluate(SMALLEST_TEXT) == []
    assert player.axe() == []
    player.click("[data-do=next-of-series]")
    player.my_turn()
    room = player.page.url.split("/room/")[1].split("#")[0]
    player.open("/series/lucid/expert")  # another tab, another day
    player.click("[data-do=continue-series]")
    player.my_turn()
    assert room in player.page.url
    player.click("[data-do=resign]")
    player.click("[data-do=resign-now]")
    wait_until(lambda: server.get(f"/api/rooms/{room}")["archive"] is not None)
    place = server.get(f"/api/rooms/{room}")["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{place}").status_code == 200)
    player.click("[data-do=to-series]")
    expect(player.find("[data-testid=series-progress]")).to_have_text("1 of 20 games played")
    expect(player.find("[data-testid=series-mean]")).to_contain_text("fewer than 20 observations")


def test_a_program_moves_now_when_it_is_told(person, server):
    player = person()
    links = server.room("skirmish", None, "mcts:seconds=60")
    player.open(links["seats"][0]["link"])
    player.find("[data-turn=yours], [data-turn=others]").first.wait_for()
    if player.find("[data-turn=yours]").count():
        player.move()
    for _ in range(60):  # it may still be being compiled when it is told for the first time
        if player.find("[data-turn=yours]").count():
            break
        if player.find("[data-do=move-now]").count():
            player.click("[data-do=move-now]")
        player.page.wait_for_timeout(500)
    expect(player.find("[data-turn=yours]")).to_have_count(1)
    expect(player.find("[data-do=move-now]")).to_have_count(0)


def test_training_runs_tell_their_state_and_weights_can_be_met(browser, tmp_path):
    from browser.driving import Person
    from sandtable.games.skirmish.agents.champion.agent import BUNDLED
    from sandtable.learning.state import RunMark

    weights = tmp_path / "weights"
    weights.mkdir()
    (weights / "mine.bin").write_bytes(Path(BUNDLED).read_bytes())
    with running(tmp_path, weights=weights) as server:
        folder = server.settings.runs / "first"
        folder.mkdir(parents=True)
        (folder / "metrics.jsonl").write_text('{"game": 0, "loss": 2}\n{"game": 1, "loss": 1}\n')
        mark = RunMark(folder, "game", 8)
        learner = Person(browser, server.host)
        learner.open("/training")
        expect(learner.find("[data-testid=run-state]")).to_contain_text("running, 2 of 8 games")
        mark.end("failed", "the disk is full")
        expect(learner.find("[data-testid=run-state]")).to_contain_text("failed, 2 of 8 games")
        expect(learner.find("[data-testid=run-state]")).to_contain_text("the disk is full")
        assert learner.axe() == []
        learner.click("[data-weights='mine.bin']")
        learner.my_turn()
        expect(learner.page.get_by_text("champion").first).to_be_visible()
        learner.close()
