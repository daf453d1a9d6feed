"""Every example of the documents: run, or excused with a reason and then at least read.

Examples with prompts (``>>>``) are run by tests/test_docs.py, the files of the example package by
tests/test_plugins.py. Here are all others: commands and plain blocks of Python. On most pages the
number of games is cut down; the tutorial is run as it stands, and must print what it shows.
"""

from __future__ import annotations

import importlib
import inspect
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from documents.blocks import (
    PAGES,
    ROOT,
    WITHOUT_EXCUSE,
    Block,
    blocks_of,
    commands_of,
    reason_not_to_run,
)
from sandtable import registry
from sandtable.cli.main import COMMANDS, PLUGGED_IN, LazyCommands, application, run
from sandtable.specs import parse_spec

EXAMPLE = ROOT / "tests" / "example_package"
BLOCKS = {page: blocks_of(page) for page in PAGES}
WITH_CODE = [page for page, blocks in BLOCKS.items() if blocks]
THIRD_PARTIES = (  # of tests/test_third_parties.py and tests/test_connect_four.py
    "sandtable-nim/",
    "sandtable-nim-perfect/",
    "sandtable-connect-four/",
)
FEW_GAMES = "20"  # in place of thousands
PLAYS = ("match", "tournament")
SPECS = ("game", "agents", "agent", "first", "second", "other", "against")  # parameters that are


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Keep some games under every name that the documents use for a file of them."""
    from sandtable.arena.play.game_loop import play_game
    from sandtable.records.store import open_store

    folder = tmp_path_factory.mktemp("kept")
    game, specs = registry.make_game("lucid"), ["random", "lucid/axes-red"]
    agents = [registry.make_agent(spec) for spec in specs]
    games = [
        play_game(game, agents, specs=specs, seed=0, number=number).record for number in range(20)
    ]
    for name in ("games.jsonl", "games.db", "one.jsonl", "another.jsonl"):
        store = open_store(str(folder / name))
        store.add(games)
        store.close()
    return folder


@pytest.fixture
def desk(kept, tmp_path, monkeypatch):
    """Stand in a folder of one's own with these games."""
    for path in kept.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page(page, desk, monkeypatch, capsys):
    name = page.relative_to(ROOT).as_posix()
    if name == "docs/tutorial.md":  # a newcomer has no games yet
        for path in desk.iterdir():
            path.unlink()
    names: dict[str, object] = {"__name__": __name__}  # a module that is there, as classes want
    for block in BLOCKS[page]:
        if block.reason or block.is_doctest:
            continue
        if block.title:
            write_file(block, desk)
        elif block.language == "python":
            code = compile(block.text, block.where, "exec")
            exec(code, names)
        else:
            run_commands(block, name, monkeypatch, capsys)


def write_file(block: Block, desk: Path) -> None:
    """A block with a title is a file: of the example package, of the page, or of other packages.

    Those of other packages name them in the title; tests/test_third_parties.py installs them.
    """
    known = EXAMPLE / block.title
    if block.page not in WITHOUT_EXCUSE and not block.title.startswith(THIRD_PARTIES):
        assert known.read_text(encoding="utf-8") == block.text, block.where
    (desk / block.title).parent.mkdir(parents=True, exist_ok=True)
    (desk / block.title).write_text(block.text, encoding="utf-8")


def run_commands(block: Block, page: str, monkeypatch, capsys) -> None:
    """Run the commands of a block, or read those that have an excuse."""
    for command in commands_of(block):
        words = shlex.split(command.text)
        if reason_not_to_run(command, page):
            if words[0] == "sandtable":
                read(words[1:], command.where)
            continue
        if command.text == "pip install --editable .":
            install(monkeypatch)
            continue
        assert words[0] == "sandtable", f"{command.where}: {words[0]} needs a reason not to be run"
        words = words[1:] if page in WITHOUT_EXCUSE else with_few_games(words[1:])
        if "human" in words:
            monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
        code, printed, told = call(words, monkeypatch, capsys)
        assert code in (0, None), f"{command.where}: {command.text}\n{printed}{told}"
        if command.printed is not None:
            assert fits(command.printed, printed), f"{command.where}: {command.text}\n{printed}"


def call(words: list[str], monkeypatch, capsys) -> tuple[object, str, str]:
    """Run a command line in this process; return its exit code, its output and its errors."""
    monkeypatch.setattr(sys, "argv", ["sandtable", *words])
    with pytest.raises(SystemExit) as ended:
        run()
    captured = capsys.readouterr()
    return ended.value.code, captured.out, captured.err


def with_few_games(words: list[str]) -> list[str]:
    """Cut the number of games down to what a test has time for."""
    options = ("--games", "--deals", "-n")
    for option in options:
        if option in words:
            place = words.index(option) + 1
            return [
                *words[:place],
                str(min(int(words[place]), int(FEW_GAMES))),
                *words[place + 1 :],
            ]
    return [*words, "-n", FEW_GAMES] if words[0] in PLAYS else words


def fits(shown: str, printed: str) -> bool:
    """Say whether what was printed is what a page shows; three dots stand for anything."""
    parts = re.split(r"(\.\.\.)", shown)
    pattern = "".join(
        ".*?" if part == "..." else r"\s*".join(map(re.escape, part.split())) + r"\s*"
        for part in parts
    )
    return re.fullmatch(r"\s*" + pattern + r"\s*", printed, re.DOTALL) is not None


def install(monkeypatch) -> None:
    """Install the package in this folder as pip does, but beside everything else."""
    options = "--quiet --no-deps --no-index --no-build-isolation --disable-pip-version-check"
    command = [sys.executable, "-m", "pip", "install", *options.split(), "--target", "installed"]
    done = subprocess.run([*command, "."], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    monkeypatch.syspath_prepend("installed")
    importlib.invalidate_caches()
    registry.registered.cache_clear()
    monkeypatch.setenv("PYTHONPATH", str(Path("installed").resolve()))


@pytest.fixture(autouse=True)
def names_as_before():
    """Forget what a page has installed."""
    yield
    registry.registered.cache_clear()


def read(words: list[str], where: str) -> None:
    """Read a command with its options as the command line does, without doing anything."""
    import typer

    if words[0].startswith("--"):
        return
    known = (*COMMANDS, *registry.registered(PLUGGED_IN))
    assert words[0] in known, f"{where}: there is no command {words[0]}"
    group = typer.main.get_command(application)
    assert isinstance(group, LazyCommands)
    command, rest = group.get_command(None, words[0]), words[1:]
    while hasattr(command, "get_command"):
        command, rest = command.get_command(None, rest[0]), rest[1:]
        assert command is not None, f"{where}: {words} names no command"
    context = command.make_context(words[0], list(rest))
    if words[0] in ("match", "tournament", "sprt", "play"):
        given = [value for name, value in context.params.items() if name in SPECS and value]
        for value in given:
            for spec in [value] if isinstance(value, str) else value:
                check_spec(spec, where)


def check_spec(text: str, where: str) -> None:
    """A spec must name something that is there, and options that it has."""
    spec = parse_spec(text)
    if re.match(r"(hexapawn|kuhn|nim|mine|connect-four|external|openspiel)\b", spec.name):
        return
    kind = "game" if spec.name in registry.game_names() else "agent"
    factory = registry.load(f"sandtable.{kind}s", kind, spec.name)
    unknown = set(spec.options) - set(inspect.signature(factory).parameters)
    assert not unknown, f"{where}: {text} has options that {spec.name} does not know: {unknown}"


def test_there_are_examples_and_few_of_them_are_excused():
    every = [block for blocks in BLOCKS.values() for block in blocks]
    excused = [block for block in every if block.reason]
    assert len(every) > 60
    assert len(excused) <= 10, [f"{block.where}: {block.reason}" for block in excused]


def test_what_is_shown_is_compared_with_what_is_printed():
    assert fits("a b\n...\nd\n", "a  b\nc\nc\nd\n")
    assert not fits("a b\n...\ne\n", "a  b\nc\nd\n")
    assert fits("2 games in ... s\n", "2 games in 0.17 s\n")
