"""Games in a notebook: pictures of states and records, and the widget that steps through a game."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sandtable import Dice, make_agent, make_game
from sandtable.arena.play.game_loop import play_game
from sandtable.errors import MissingExtra, SandtableError
from sandtable.notebook import Replay


@pytest.fixture(scope="module")
def record():
    """A short game with hidden ranks."""
    game = make_game("stratego:variant=mini,max_plies=30")
    agents = [make_agent("random"), make_agent("random")]
    return play_game(game, agents, specs=["random", "random"], seed=1, number=0).record


def test_a_record_draws_its_last_position(record):
    state = make_game(record.game).parse(record.final)
    assert record._repr_svg_() == state._repr_svg_()


def test_a_replay_has_the_start_and_every_turn(record):
    frames = Replay(record).frames
    assert len(frames) == 1 + len(record.actions)
    assert frames[0].caption == "Stratego: red random, blue random"
    assert frames[1].caption.startswith("1. red: ")
    assert frames[-1].caption.endswith(f"({record.outcome.reason})")
    assert frames[-1].svg == record._repr_svg_()


def test_a_seat_is_shown_no_more_than_it_may_know(record):
    game = make_game(record.game)
    start = game.start(Dice(record.seed, "game", record.number))
    frames = Replay(record, seat="blue").frames
    assert frames[0].svg == start.view(1)._repr_svg_()
    assert frames[0].svg != start._repr_svg_()
    assert Replay(record, seat=1).frames == frames
    with pytest.raises(SandtableError, match="has no seat 'green'"):
        Replay(record, seat="green")


def test_secret_plays_are_not_told():
    game = make_game("gravwell:players=2")
    agents = [make_agent("random"), make_agent("random")]
    played = play_game(game, agents, specs=["random", "random"], seed=1, number=0).record
    own = [frame.caption for frame in Replay(played, seat="first", most=1000).frames]
    whole = [frame.caption for frame in Replay(played, most=1000).frames]
    hidden = [index for index, caption in enumerate(own) if caption.endswith("(hidden)")]
    assert hidden
    assert all(whole[index].split(": ")[0].endswith("second") for index in hidden)


def test_long_games_are_thinned_out_evenly(record):
    every = Replay(record).frames
    some = Replay(record, most=10).frames
    assert len(some) <= 10
    assert (some[0], some[1], some[-1]) == (every[0], every[4], every[-1])


def test_states_can_be_shown_without_a_record():
    state = make_game("lucid").start(Dice(1))
    replay = Replay([state, state.play("a1-a2")])
    assert len(replay.frames) == 2
    assert replay._repr_svg_() == state.play("a1-a2")._repr_svg_()
    with pytest.raises(SandtableError, match="at least one state"):
        Replay([])


def test_the_widget_gets_all_pictures(record):
    pytest.importorskip("anywidget")
    replay = Replay(record, seconds=0.25)
    widget = replay.widget()
    assert widget.pictures == [frame.svg for frame in replay.frames]
    assert widget.captions[0] == replay.frames[0].caption
    assert (widget.shown, widget.milliseconds) == (0, 250)
    shown = replay._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in shown
    assert shown["text/plain"] == repr(replay)


def test_without_the_library_there_is_a_picture(record, monkeypatch):
    from sandtable.notebook import replay as module

    module.widget_class.cache_clear()
    monkeypatch.setitem(sys.modules, "anywidget", None)
    replay = Replay(record)
    assert replay._repr_mimebundle_() is None
    assert replay._repr_svg_().startswith("<svg")
    with pytest.raises(MissingExtra, match=r"pip install 'sandtable-games\[notebook\]'"):
        replay.widget()


# What the browser's side of a widget gets, as anywidget hands it over.
PAGE = """<!doctype html><meta charset="utf-8"><body><div id="widget"></div><script type="module">
const data = DATA, heard = {};
const model = {
  get: (name) => data[name],
  set: (name, value) => { data[name] = value; },
  save_changes: () => {},
  on: (event, act) => { heard[event] = act; },
  off: (event) => { delete heard[event]; },
};
SOURCE
const made = { render };
window.clear = made.render({ model, el: document.getElementById("widget") });
window.data = data;
</script>"""


def test_the_widget_in_a_browser(record):
    driving = pytest.importorskip("browser.driving")
    if driving.chromium() is None:
        pytest.skip("there is no Chromium on this machine")
    frames = Replay(record, most=4).frames
    data = {
        "pictures": [frame.svg for frame in frames],
        "captions": [frame.caption for frame in frames],
        "milliseconds": 20,
        "shown": 0,
    }
    from sandtable.notebook import replay as module

    source = (Path(module.__file__).parent / "replay.js").read_text(encoding="utf-8")
    source = source.replace("export default", "//")
    with driving.started() as browser:
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        page.set_content(PAGE.replace("DATA", json.dumps(data)).replace("SOURCE", source))
        picture, words = page.locator("img"), page.locator("p")
        back, play, forth = (page.get_by_role("button").nth(place) for place in range(3))
        driving.expect(words).to_have_text(frames[0].caption)
        assert back.is_disabled()
        forth.click()
        driving.expect(words).to_have_text(frames[1].caption)
        assert (
            page.evaluate("document.images[0].decode().then(() => document.images[0].width)") > 100
        )
        assert picture.get_attribute("alt") == frames[1].caption
        back.click()
        driving.expect(words).to_have_text(frames[0].caption)
        play.click()  # goes on by itself, to the end
        driving.expect(words).to_have_text(frames[-1].caption)
        driving.expect(play).to_have_attribute("aria-label", "play")
        assert forth.is_disabled()
        page.get_by_role("slider").fill("1")
        driving.expect(words).to_have_text(frames[1].caption)
        assert page.evaluate("data.shown") == 1
        assert not problems
