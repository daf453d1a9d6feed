"""A page without a server in a real browser, opened from a folder."""

from __future__ import annotations

import pytest

from browser.driving import AT_ONCE, AXE, PATIENCE, expect
from pages.exporting import exported, needs_scripts

NEXT_TO_THE_TOWN = "8/8/8/3t4/3S4/8/8/3T4 f 9 5,9,9 -"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    needs_scripts()
    return exported(tmp_path_factory.mktemp("page"), level="champion").as_uri()


@pytest.fixture
def visit(browser):
    """Open pages; when the test is over nothing may have gone wrong or been asked of anybody."""
    contexts, problems = [], []

    def go(address, *, phone=False, script=AT_ONCE, complaints=True):
        size = {"width": 360, "height": 740} if phone else {"width": 1280, "height": 800}
        context = browser.new_context(viewport=size, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        context.add_init_script(script)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console", lambda one: one.type == "error" and complaints and problems.append(one.text)
        )
        page.on(
            "request",
            lambda one: one.url.startswith(("file:", "blob:", "data:")) or problems.append(one.url),
        )
        page.goto(address)
        page.locator("[data-turn=yours]").wait_for()
        return page

    yield go
    for context in contexts:
        context.close()
    assert problems == []


def at(page, ply):
    page.locator(f"[data-ply='{ply}'][data-turn=yours]").wait_for()


def test_moves_are_played_taken_back_and_answered(file, visit):
    page = visit(file)
    page.locator("[data-place=d2]").click()
    page.locator("[data-place=c3]").click()
    at(page, 2)
    assert "Blue: d2-c3" in page.locator(".log").inner_text()
    page.locator("[data-do=take-back]").click()
    at(page, 0)
    page.locator("[data-do=level]").select_option("beginner")
    page.locator("[data-do=hint]").click()
    page.locator("[data-do=play-hint]").click()
    at(page, 2)
    page.locator("[data-do=start]").select_option(label="Level 3")
    at(page, 0)
    page.locator("[data-do=seat]").select_option(label="Red")
    at(page, 1)  # the program has begun
    assert page.locator("[data-testid=status]").inner_text().startswith("Your turn")


def test_what_cannot_be_done_is_explained_and_the_rules_can_be_read(file, visit):
    page = visit(file)
    page.locator("[data-place=e2]").click()
    expect(page.locator("[data-testid=why]")).to_have_text("A town never moves.")
    page.locator("[data-do=rules]").click()
    expect(page.locator("[data-testid=rules]")).to_contain_text("towns raise")


def test_end_of_a_game_stands_over_the_board(tmp_path, visit):
    needs_scripts()
    page = visit(exported(tmp_path, position=NEXT_TO_THE_TOWN).as_uri())
    page.locator("[data-place=d4]").click()
    page.locator("[data-place=d5]").click()
    outcome = page.locator("[data-testid=outcome]")
    expect(outcome).to_contain_text("You won")
    expect(outcome).to_contain_text("Red has no units left")
    outcome.locator("[data-do=again]").click()
    at(page, 0)


@pytest.mark.parametrize("forbidden", ["script", "policy"])
def test_without_workers_it_plays_all_the_same(tmp_path, visit, forbidden):
    needs_scripts()
    page, script = exported(tmp_path), AT_ONCE
    if forbidden == "script":
        script += "; delete window.Worker"
    else:
        policy = '<meta http-equiv="Content-Security-Policy" content="worker-src \'none\'">'
        page.write_text(page.read_text("utf-8").replace("<head>", f"<head>{policy}"), "utf-8")
    opened = visit(page.as_uri(), script=script, complaints=forbidden != "policy")
    opened.locator("[data-do=hint]").click()
    opened.locator("[data-do=play-hint]").click()
    at(opened, 2)


@pytest.mark.parametrize("phone", [False, True])
def test_page_is_accessible_and_fits(file, visit, phone):
    if not AXE.is_file():
        pytest.skip("axe is not installed; 'make tools' installs it")
    page = visit(file, phone=phone)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then((one) => one.violations)")
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
