"""A game that this client has no code for: its drawing can be played on, and can do no harm."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.driving import Person
from server.running import Process, wait_until

SOURCE = '''
"""Skirmish under another name, drawn by its own screen and by nothing of the client."""
import dataclasses

from sandtable.games.skirmish.game import skirmish
from sandtable.games.skirmish.drawing.text import units_on
from sandtable.games.skirmish.levels import square_name
from sandtable.games.skirmish.screen import SkirmishScreen
from sandtable.screens import BoardScreen, FormOption, Preset


def drawn(max_turns: int = 0):
    """Drawn: a game from elsewhere."""
    game = skirmish(max_turns=max_turns)
    options = {"max_turns": max_turns} if max_turns else {}
    return dataclasses.replace(game, name="drawn", title="Drawn", options=options)


class DrawnScreen(BoardScreen):
    """Squares with letters, and things that a drawing should not have."""

    options = (FormOption("max_turns", "Most turns", "a draw after so many", "0", None, 0, 99),)
    presets = (Preset("drawn:max_turns=3", "Short"),)
    seat_colours = ("#7a55a8", "yellow")
    questions = {"count": "Count the units"}

    def board(self, position, viewer):
        units = units_on(position)
        squares = []
        for square in range(64):
            x, y = 20 * (square % 8), 20 * (square // 8)
            unit = units.get(square)
            letter = "" if unit is None else "abcdefgh"[unit.kind]
            name = square_name(square)
            squares.append(
                f'<g data-place="{name}" transform="translate({x} {y})" onclick="window.harm = 1">'
                f"<title>{name} {letter or 'empty'}</title>"
                f'<rect width="20" height="20" fill="#eee" stroke="#999"/>'
                f'<text x="6" y="14" font-size="12">{letter}</text></g>'
            )
        harm = (
            "<script>window.harm = 1; top.harm = 1</script>"
            '<image href="http://127.0.0.1:9/harm.png" width="5" height="5" onerror="harm()"/>'
            '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="/"/></foreignObject>'
        )
        head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 160" onload="harm = 1">'
        return {"game": "drawn", "svg": head + harm + "".join(squares) + "</svg>", "text": "map"}

    def action(self, view, action):
        return SkirmishScreen.action(self, view, action)

    def answer_question(self, name, state, question, dice):
        return {"text": f"{len(units_on(state.position))} units stand there"}

    @classmethod
    def routes(cls, server):
        from fastapi import APIRouter

        router = APIRouter()

        @router.get("/drawn/words")
        async def words() -> dict[str, str]:
            return {"words": "of the game itself"}

        return router


class BrokenScreen(BoardScreen):
    """Its routes cannot be made."""

    @classmethod
    def routes(cls, server):
        raise RuntimeError("broken")
'''
POINTS = """
[sandtable.games]
drawn = drawn_game:drawn
broken = drawn_game:drawn
[sandtable.screens]
drawn = drawn_game:DrawnScreen
broken = drawn_game:BrokenScreen
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plug-in")
    (folder / "drawn_game.py").write_text(SOURCE, encoding="utf-8")
    described = folder / "drawn_game-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: drawn-game\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(POINTS)
    found = Process(folder, folder, mode=())
    yield found
    found.stop()


def test_a_game_from_elsewhere_is_played_by_touching_its_drawing(person, server):
    first = person()
    first.start("drawn", seat_1="agent:random")
    assert first.find("[data-place]").count() == 64
    expect(first.find("[data-place=a1]")).to_have_accessible_name("a1 empty")
    assert first.find("[data-action]").count() == 0  # every move has its places
    first.move()  # two places, one after the other
    first.my_turn()
    source = first.any_of("[data-movable]")
    source.focus()
    first.page.keyboard.press("Enter")
    target = first.any_of("[data-target]")
    target.focus()
    first.act(lambda: first.page.keyboard.press("Enter"))
    first.my_turn()
    spot = first.find("[data-spot][data-movable]").first
    first.act(spot.click, spot.click)  # building stays where it is: the same place twice
    first.over()
    assert first.page.evaluate("window.harm") is None
    assert first.find("main script, main foreignObject, main iframe, main [onclick]").count() == 0
    colour = first.find("li.seat-0 .chip").evaluate(
        "chip => getComputedStyle(chip).backgroundColor"
    )
    assert colour == "rgb(122, 85, 168)"


def test_a_game_from_elsewhere_answers_its_own_questions_and_has_its_own_routes(person, server):
    assert server.get("/api/drawn/words") == {"words": "of the game itself"}
    room = server.room("drawn:max_turns=2", "random", "random")["room"]
    wait_until(lambda: server.get(f"/api/rooms/{room}")["archive"] is not None)
    place = server.get(f"/api/rooms/{room}")["archive"]
    wait_until(lambda: server.http.get(f"/api/archive/{place}").status_code == 200)
    reader: Person = person()
    reader.open(f"/replay/{place}")
    reader.click("[data-do=question-count]")
    reader.find("pre:has-text('units stand there')").wait_for()
