"""The tutorial's game: the page shows its files, which keep the contract; a network learns it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from example_plugin import copy_package, installed_here
from sandtable import make_agent, make_game, play_game
from sandtable.cli.new import template_files
from sandtable.learning.run import Control

TESTS = Path(__file__).parent
PACKAGE = TESTS / "sandtable-connect-four"
PAGE = TESTS.parent / "docs" / "methods" / "connect-four.md"
AS_GENERATED = {"pyproject.toml", "README.md", "src/sandtable_connect_four/__init__.py"}
MOST_LINES_OF_RULES = 150


def files_of_package() -> set[str]:
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.suffix in (".py", ".md", ".toml")
    }


def test_the_page_shows_the_files_of_the_package():
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    for title, block in blocks:
        assert block == (TESTS / title).read_text(encoding="utf-8"), title
    shown = {title.removeprefix("sandtable-connect-four/") for title, _ in blocks}
    assert shown | AS_GENERATED == files_of_package()


def test_the_package_has_the_files_that_new_game_writes():
    import sandtable

    templates = Path(sandtable.__file__).parent / "templates" / "game"
    names = {
        place.replace("PACKAGE", "sandtable_connect_four").removesuffix(".template")
        for place, _ in template_files(templates)
    }
    assert files_of_package() == names
    rules = PACKAGE / "src" / "sandtable_connect_four" / "rules.py"
    assert len(rules.read_text(encoding="utf-8").splitlines()) <= MOST_LINES_OF_RULES


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("connect-four")
    copy_package(folder, PACKAGE)
    with installed_here(folder):
        yield


@pytest.mark.usefixtures("installed")
def test_its_own_tests_pass():
    words = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(PACKAGE)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, str(PACKAGE / "tests")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.usefixtures("installed")
def test_a_network_learns_it_and_plays(tmp_path):
    pytest.importorskip("torch", reason="learning needs torch")
    from sandtable.learning.selfplay.recipe import SelfPlayConfig, export, train

    config = SelfPlayConfig(
        game="connect-four", network="perceptron", width=16, blocks=1, games=16, generation=8,
        rows=8, simulations=4, batch=32,
    )  # fmt: skip
    train(config, tmp_path / "run", Control(device="cpu", jobs=2))
    export(tmp_path / "run")
    specs = [f"network:weights={tmp_path / 'run' / 'network.onnx'},simulations=8", "random"]
    agents = [make_agent(spec) for spec in specs]
    played = play_game(make_game("connect-four"), agents, specs=specs, seed=0, number=0)
    assert played.record.outcome.forfeited_by is None
