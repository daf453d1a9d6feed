"""The command, what it writes, and what it refuses; and the way from kernels to a module."""

from __future__ import annotations

import json
import re

import pytest

from pages.exporting import answers, exported, needs_scripts
from sandtable.errors import SandtableError
from sandtable.pages import export
from sandtable.pages.compiler import constants_digest, policies_of
from sandtable.pages.entries import Entry
from sandtable.pages.export import PageOptions, Programs, page_of
from sandtable.pages.webassembly import data_end, sections_of, webassembly
from sandtable.registry import make_agent, make_game
from sandtable.screens import screen_class

LAST_MOVE = "8/8/8/3t4/3S4/8/8/8 f 9 5,9 -"
MOST_BYTES = 120_000  # of the compressed page


def facts_in(page):
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script id="facts"[^>]*>(.*?)</script>', text)[1])


def test_command_writes_one_small_file_that_asks_for_nothing(sandtable, tmp_path):
    needs_scripts()
    code, out, errors = sandtable("page", "skirmish", "-o", tmp_path / "class")
    page = tmp_path / "class" / "index.html"
    text = page.read_text(encoding="utf-8")
    assert (code, errors) == (0, "")
    size, packed = map(int, re.search(r": (\d+) kB, (\d+) kB compressed", out).groups())
    assert out.startswith(str(page)) and size == round(len(text.encode()) / 1000)
    assert packed * 1000 < MOST_BYTES
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=[\"'](?!data:)", text)
    assert str(tmp_path) not in text and str(export.__file__) not in text
    facts = facts_in(page)
    assert [each["title"] for each in facts["starts"]] == [f"Level {n}" for n in range(1, 8)]
    assert (facts["level"], facts["seat"]) == ("easy", 0)
    assert facts["levels"][-1]["programs"][0]["entry"] == "choose_0"


def test_options_choose_level_seat_position_and_title(sandtable, tmp_path):
    needs_scripts()
    page = tmp_path / "end.html"
    options = ["--level", "champion", "--seat", "second", "-p", LAST_MOVE, "--title", "</script>A"]
    code, _, errors = sandtable("page", "skirmish", *options, "--out", page)
    facts = facts_in(page)
    assert (code, errors) == (0, "")
    assert (facts["level"], facts["seat"], facts["title"]) == ("champion", 1, "</script>A")
    told = answers(page, [["start", 0]])[0]["value"]
    assert told["position"] == make_game("skirmish").parse(LAST_MOVE).position.tolist()


def test_game_with_options_is_the_only_start(tmp_path):
    needs_scripts()
    facts = facts_in(exported(tmp_path, "skirmish:level=3,max_turns=50"))
    assert [each["title"] for each in facts["starts"]] == ["skirmish:level=3,max_turns=50"]
    assert [
        each["title"] for each in facts_in(exported(tmp_path, "skirmish:level=3"))["starts"]
    ] == ["Level 3"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["stratego"], "stratego cannot be played without a server: .*games that can: skirmish"),
        (["skirmsh"], "skirmsh.*skirmish"),
        (["skirmish", "--level", "godlike"], "there is no level 'godlike'"),
        (["skirmish", "--seat", "blue"], "has no seat 'blue'; its seats: first, second"),
        (["skirmish", "-p", "8/8 f 1 -"], "a level|rows|8"),
        (["skirmish", "-p", "8/8/8/8/3S4/8/8/8 - 9 5 -"], "nothing is left to play"),
        (["skirmish", "-o", "/dev/null/page.html"], "/dev/null"),
        (["skirmish:level=99"], "level '99'"),
    ],
)
def test_mistakes_get_one_line(sandtable, words, complaint):
    needs_scripts()
    code, out, errors = sandtable("page", *words)
    assert (code, out) == (1, "")
    assert errors.startswith("error: ") and errors.count("\n") == 1
    assert re.search(complaint, errors)


def test_scripts_that_are_not_built_are_one_line(sandtable, tmp_path, monkeypatch):
    monkeypatch.setattr(screen_class("skirmish"), "page_scripts", tmp_path)
    code, _, errors = sandtable("page", "skirmish", "-o", tmp_path / "page.html")
    assert code == 1
    assert "not built (skirmish-page.js, skirmish-page.css, skirmish-engine.js)" in errors
    assert not (tmp_path / "page.html").exists()


def test_programs_in_python_cannot_play_on_a_page(monkeypatch, tmp_path):
    needs_scripts()
    game = make_game("skirmish")
    with pytest.raises(SandtableError, match="'skirmish/champion:seconds=1' plays with Python"):
        policies_of(game, ["skirmish/champion:seconds=1"])
    ladder = export.ladder_of(game)
    mixed = [
        *ladder.levels[:1],
        type(ladder.levels[0])("deep", "Deep", {"": "skirmish/champion:seconds=1"}),
    ]
    monkeypatch.setattr(export, "ladder_of", lambda _: type(ladder)(tuple(mixed)))
    assert [level.name for level in Programs.of(game).levels] == ["beginner"]
    with pytest.raises(SandtableError, match=r"'deep' of skirmish cannot play.*beginner"):
        page_of(game, PageOptions(level="deep"))
    monkeypatch.setattr(export, "ladder_of", lambda _: type(ladder)(tuple(mixed[1:])))
    with pytest.raises(SandtableError, match="no level of skirmish can play"):
        Programs.of(game)


def test_programs_that_differ_in_numbers_share_an_entry():
    programs = Programs.of(make_game("skirmish"))
    assert len(programs.groups) == 1 and len(programs.groups[0]) > 3
    budgets = {
        constants_digest(make_agent(spec).policy(programs.game).constants)
        for spec in programs.groups[0]
    }
    assert len(budgets) == len(programs.groups[0])


# --- the module ----------------------------------------------------------------------------------

KERNEL = """
@.const.pickledata.0a = internal constant [6 x i8] c"/home/"
@data = constant [4 x i32] [i32 7, i32 8, i32 9, i32 10]
{declared}
define i32 @"kernel one"(ptr %result, ptr %problem, i32 %which) {{
  %place = getelementptr i32, ptr @data, i32 %which
  %value = load i32, ptr %place
  store i32 %value, ptr %result
  store ptr @.const.pickledata.0a, ptr %problem
  {calls}
  ret i32 0
}}
"""


def module_of(declared="", calls=""):
    text = KERNEL.format(declared=declared, calls=calls)
    return webassembly([Entry("look", "kernel one", ("i32",), text)])


def test_module_exports_its_entries_and_keeps_no_paths():
    module = module_of()
    sections = dict(sections_of(module))
    assert module.startswith(b"\0asm") and sections[7][:6] == b"\x01\x04look"
    assert b"/home/" not in module and "linking" not in sections
    assert data_end(module) >= 16


def test_kernel_that_wants_what_no_page_has_is_refused():
    with pytest.raises(SandtableError, match="the kernels call launch, which a page does not have"):
        module_of("declare void @launch()", "call void @launch()")
