"""The site builds strictly and without a network; its pages keep their shape, its links lead on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from sandtable.errors import DISTRIBUTION
from sandtable.registry import AGENTS, agent_names, game_names, registered

pytest.importorskip("mkdocs")
pytest.importorskip("material")
pytest.importorskip("mkdocstrings")

ROOT = Path(__file__).parents[2]
GAME_HEADINGS = [
    "Rules in short",
    "What makes it hard",
    "Options and variants",
    "Notation",
    "Views and hidden information",
    "Planes and Batch",
    "Agents",
    "Published figures beside ours",
    "Links",
]
LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site once, as ``make docs`` does."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
    settings = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(
        [*command, str(folder)], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Links(HTMLParser):
    """Collects what a page loads, where it leads, and the places in it that can be led to."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.targets: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.places.add(given["id"])
        if tag == "a" and given.get("href"):
            self.targets.append(given["href"])
        wanted = given.get(LOADED.get(tag, ""))
        if wanted and given.get("rel") != "canonical":
            self.loaded.append(wanted)


def test_nothing_is_loaded_from_elsewhere_and_every_link_leads_somewhere(site):
    pages = {}
    for path in site.rglob("*.html"):
        pages[path.resolve()] = links = Links()
        links.feed(path.read_text(encoding="utf-8"))
    assert len(pages) > 60
    for path, links in pages.items():
        outside = [target for target in links.loaded if re.match(r"(https?:)?//", target)]
        assert not outside, f"{path} loads {outside}"
        for target in links.targets + links.loaded:
            if re.match(r"[a-z]+:|/", target) or path.name == "404.html":
                continue
            way, _, place = target.partition("#")
            there = (path.parent / unquote(way)).resolve() if way else path
            assert there.exists(), f"{path} leads to {target}"
            if place and there in pages and not place.startswith("__"):
                assert unquote(place) in pages[there].places, f"{path} leads to {target}"
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert not re.search(r"url\(['\"]?https?:", styles)


def test_every_agent_and_every_public_name_is_in_the_reference(site):
    agents = (site / "reference" / "agents.html").read_text(encoding="utf-8")
    ours = [name for name in agent_names() if registered(AGENTS)[name].dist.name == DISTRIBUTION]
    assert len(ours) > 20
    for name in ours:
        assert f">{name}<a" in agents, name
    contract = (site / "reference" / "contract.html").read_text(encoding="utf-8")
    for name in ("Game", "Rules", "State", "Outcome"):
        assert f'id="sandtable.types.{name}"' in contract
    for name in ("Agent", "Analysis", "CompiledPolicy", "Explanation"):
        assert f'id="sandtable.agent.{name}"' in contract
    assert "the highest score wins" in contract.lower()  # a comment behind a field


def test_every_recipe_is_listed():
    page = (ROOT / "docs" / "reference" / "recipes.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)) == set(
        registered("sandtable.recipes")
    )


def test_saved_results_are_shown_with_the_games(site):
    page = (site / "games" / "lucid" / "index.html").read_text(encoding="utf-8")
    saved = (ROOT / "results" / "lucid.md").read_text(encoding="utf-8")
    row = next(line for line in saved.splitlines() if line.startswith("| OneAxisBlue |"))
    for cell in row.strip("| ").split(" | "):
        assert f">{cell}</td>" in page


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_a_page_with_the_same_headings(game):
    text = (ROOT / "docs" / "games" / game / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == GAME_HEADINGS


TUTORIAL = "connect-four"  # goes through several methods, step by step
METHODS = [path for path in ROOT.glob("docs/methods/*.md") if path.stem not in ("index", TUTORIAL)]


@pytest.mark.parametrize("path", METHODS, ids=lambda path: path.stem)
def test_every_method_says_what_it_is_and_what_it_reaches(path):
    headings = re.findall(r"^## (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "The idea"
    assert "Results" in headings
    listed = (ROOT / "docs" / "methods" / "index.md").read_text(encoding="utf-8")
    assert f"]({path.name})" in listed
