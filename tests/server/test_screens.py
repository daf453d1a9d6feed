"""Screens of games: what the base class does for a game that says nothing itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sandtable import screens
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import check_seats, game_names, make_game
from sandtable.screens import BoardScreen, FormOption, choices, screen_class, screen_of
from sandtable.server.summaries import seat_colours


def test_a_game_without_a_screen_is_shown_as_it_draws_itself():
    game = make_game("skirmish")
    screen = BoardScreen(game)
    state = game.start(Dice(1))
    board = screen.board(state.position, None)
    assert board["game"] == "skirmish"
    assert board["svg"].startswith("<svg")
    action = state.legal[0]
    told = screen.action(state.position, action)
    assert told == {"kind": "play", "from": None, "to": None, "label": state.legal_names[0]}
    assert screen.forbidden_moves(state.position) == []
    after = state.play(action, Dice(1))
    events = screen.events(state.position, 0, action, after.position, None)
    assert all({"kind", "text"} <= set(event) for event in events)


def test_the_default_shows_spectators_nothing_of_a_game_that_hides_something():
    for name in ("skirmish", "stratego"):
        game = make_game(name)
        seen = BoardScreen(game).public(game.start(Dice(1)).position)
        assert (seen is None) == game.hidden


@pytest.mark.parametrize("name", [name for name in game_names() if "/" not in name])
def test_every_game_has_a_screen_that_fits_it(name):
    game = make_game(name)
    screen = screen_of(game)
    assert isinstance(screen, BoardScreen)
    assert len(seat_colours(game)) == len(game.seats)
    for preset in screen.presets:
        assert make_game(preset.spec).name == name
        agents = ["random" if who == "you" else who for who in preset.seats]
        assert not agents or check_seats(game, agents)
    keys = [preset.title if preset.seats else preset.spec for preset in screen.presets]
    assert len(set(keys)) == len(keys)  # the form tells them apart by these
    for option in screen.options:
        assert set(option.as_data()) == {
            *("name", "title", "meaning", "default", "choices", "least", "most")
        }
        for choice in option.choices or ():
            if choice.value not in ("", option.default):
                assert make_game(f"{name}:{option.name}={choice.value}").name == name
    state = game.start(Dice(2))
    with pytest.raises(SandtableError, match="does not answer the question 'weather'"):
        screen.answer_question("weather", state, {}, Dice(1))
    assert screen.rules_text().startswith("# ")


def test_whatever_is_no_screen_is_refused(monkeypatch):
    monkeypatch.setattr(screens, "registered", lambda group: {"skirmish": None})
    monkeypatch.setattr(screens, "load", lambda group, kind, name: object)
    with pytest.raises(SandtableError, match="not a subclass of BoardScreen"):
        screen_class("skirmish")


def test_colours_that_are_none_are_replaced(monkeypatch):
    class Odd(BoardScreen):
        seat_colours = ("red; background: url(x)", "#12ab9f")

    monkeypatch.setattr("sandtable.server.summaries.screen_class", lambda name: Odd)
    assert seat_colours(make_game("skirmish")) == ["#12ab9f", "blue"]


def test_a_form_offers_what_an_option_says():
    option = FormOption("size", "Size", "of the board", "small", choices(("small", "Small")))
    assert option.as_data()["choices"] == [{"value": "small", "title": "Small"}]


def test_screens_need_nothing_of_the_server():
    """A screen is also used where the extra for the web is not installed."""
    names = ["lucid", "skirmish", "stratego", "gravwell"]
    modules = ", ".join(f"sandtable.games.{name}.screen" for name in names)
    code = f"import sys, {modules}; sys.exit('fastapi' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
