"""Puzzles in the browser: chosen, answered by taps, hinted, and counted; at every size."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.driving import AXE
from sandtable.puzzles.puzzle import bundled_puzzles

GAMES = ("gravwell", "lucid", "skirmish", "stratego")
SIZES = ((1366, 657), (1280, 900), (390, 844), (844, 390))
SMALL_TEXT = """() => [...document.querySelectorAll('main *')].filter((each) => {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    const box = each.getBoundingClientRect()
    if (!own || !box.width || each.closest('.unseen')) return false
    const size = parseFloat(getComputedStyle(each).fontSize)
    const svg = each.ownerSVGElement
    const scale = svg ? svg.getScreenCTM().a : 1
    return size * scale < 10
}).map((each) => each.outerHTML.slice(0, 120))"""


def answer(person, move):
    """Tap a move as in a game: two places, or a button."""
    if person.find(f"[data-action='{move['text']}']").count() == 0 and move["from"]:
        person.click(f"[data-place='{move['from']}']")
        if move["to"] != move["from"]:
            person.click(f"[data-place='{move['to']}']")
            return
    person.click(f"[data-action='{move['text']}']")


@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_is_answered_wrongly_then_rightly_and_counted(person, server, game):
    puzzle = bundled_puzzles(game)[0]
    moves = {each["text"]: each for each in server.get(f"/api/puzzles/{game}/1")["legal"]}
    solver = person()
    solver.open("/puzzles")
    solver.click(f"[data-puzzles={game}]")
    expect(solver.find("[data-testid=task]")).to_contain_text("to move")
    expect(solver.find("[data-testid=solved]")).to_contain_text("0 of ")
    solver.click("[data-do=hint]")
    expect(solver.find("[data-testid=why]")).not_to_be_empty()
    verdict = solver.find("[data-testid=verdict]")
    answer(solver, moves[puzzle.second])
    expect(verdict).to_have_attribute("data-right", "false")
    expect(verdict).to_contain_text("Not the best: yours ")
    answer(solver, moves[puzzle.best])
    expect(verdict).to_have_attribute("data-right", "true")
    expect(verdict).to_contain_text("better than the next")
    if moves[puzzle.best]["from"]:
        solver.find("[data-hint], .hinted").first.wait_for()  # drawn as hints are
    expect(solver.find("[data-testid=solved]")).to_contain_text("1 of ")
    solver.click("[data-do=next]")
    expect(solver.find("[data-puzzle='2']")).to_be_visible()
    solver.open("/puzzles")
    expect(solver.find(f"[data-puzzles={game}]")).to_contain_text("1 of ")
    solver.click(f"[data-puzzles={game}]")
    expect(solver.find("[data-puzzle='2']")).to_be_visible()  # the first that is not solved


def test_the_solution_is_shown_when_asked_for(person):
    solver = person()
    solver.open("/puzzles/skirmish/3")
    solver.click("[data-do=solution]")
    verdict = solver.find("[data-testid=verdict]")
    expect(verdict).to_contain_text("The best move: ")
    assert verdict.locator("tbody tr").count() > 1
    expect(solver.find("[data-testid=solved]")).to_contain_text("0 of ")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_size_shows_board_and_buttons_without_small_text(person, width, height):
    solver = person()
    solver.page.set_viewport_size({"width": width, "height": height})
    for path in ("/puzzles", *(f"/puzzles/{game}/1" for game in GAMES)):
        solver.open(path)
        solver.find("[data-puzzles], [data-testid=task]").first.wait_for()
        assert solver.page.evaluate("document.documentElement.scrollWidth") <= width, path
        if path != "/puzzles":
            solver.find("[data-place], [data-action]").first.wait_for()
            for button in ("[data-do=hint]", "[data-do=next]"):
                box = solver.find(button).bounding_box()
                assert box["y"] + box["height"] <= height, (path, button)
            assert solver.page.evaluate(SMALL_TEXT) == [], path  # the list has small pictures
        if AXE.is_file():
            assert solver.axe() == [], path


def test_an_address_that_leads_nowhere_says_so(person):
    lost = person()
    lost.open("/puzzles/chess")
    expect(lost.find("h1")).to_have_text("There are no puzzles of this game")
    lost.open("/puzzles/lucid/99999")
    expect(lost.find("h1")).to_have_text("There is no such puzzle")
