"""The cache of compiled kernels: quick when nothing has changed, and never with an old answer."""

import ast
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sandtable
from sandtable.compiled import DAYS_UNUSED_FOLDERS_ARE_KEPT, cache_home, drop_unused_folders

CALLEE = """
from sandtable.compiled import {decorator}

FACTOR = {factor}

@{decorator}
def base():
    return {base} * FACTOR
"""
CALLER = """
from sandtable.compiled import kernel
from toy.beside import base as beside
from toy.part import base as part
from toy.rules.callee import base as elsewhere
from other.callee import base as outside

@kernel
def answer():
    return 1000 * beside() + 100 * part() + 10 * elsewhere() + outside()
"""
CALLEES = {"toy.beside": "kernel", "toy.part": "inlined", "toy.rules.callee": "kernel",
           "other.callee": "kernel"}  # fmt: skip
ASK = """
from toy.agents.caller import answer
result = answer()
stats = answer.stats
print(result, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def run(code: str, folder: Path, **environment: str) -> str:
    """Run Python in a process of its own that sees the folder and keeps its kernels in it."""
    added = {
        "PYTHONPATH": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",  # Python's own cache looks at whole seconds only
        "SANDTABLE_CACHE": str(folder / "cache"),
        **environment,
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **added},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def write(folder: Path, module: str, text: str) -> None:
    """Write a module, and what makes packages of the folders around it."""
    path = folder.joinpath(*module.split(".")).with_suffix(".py")
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in [path.parent, *path.parent.parents]:
        if folder in package.parents:
            (package / "__init__.py").touch()
    path.write_text(text)


def write_callee(folder: Path, module: str, base: int = 1, factor: int = 1) -> None:
    """Write a function that answers with the product of a number and a constant."""
    write(folder, module, CALLEE.format(decorator=CALLEES[module], base=base, factor=factor))


def write_package(folder: Path) -> None:
    """Write a kernel and those it calls: beside it, as a part of it, in other folders."""
    for module in CALLEES:
        write_callee(folder, module)
    write(folder, "toy.agents.caller", CALLER)


def test_an_edit_is_seen_by_a_cached_caller_in_another_file(tmp_path):
    write_package(tmp_path)
    assert run(ASK, tmp_path) == "1111 0 1"  # compiled
    assert run(ASK, tmp_path) == "1111 1 0"  # from the cache
    write_callee(tmp_path, "toy.beside", base=2)
    assert run(ASK, tmp_path) == "2111 0 1"
    write_callee(tmp_path, "toy.beside", base=2, factor=3)  # a constant, which is compiled in
    assert run(ASK, tmp_path) == "6111 0 1"
    write_callee(tmp_path, "toy.part", base=2)
    assert run(ASK, tmp_path) == "6211 0 1"
    write_callee(tmp_path, "toy.rules.callee", base=2)
    assert run(ASK, tmp_path) == "6221 0 1"
    write_callee(tmp_path, "other.callee", base=2)
    assert run(ASK, tmp_path) == "6222 0 1"
    write_package(tmp_path)  # as it was: what was compiled first
    assert run(ASK, tmp_path).startswith("1111 ")


TEMPLATE = """
import sys
from sandtable.compiled import kernel, specialise

@kernel
def add(number):
    return number + 1

@kernel
def double(number):
    return number * 2

def change(number):
    raise RuntimeError

def twice(number):
    return change(change(number))

one, two = specialise(twice, "one", change=add), specialise(twice, "two", change=double)
print(one(5), two(5), *(sum(each.stats.cache_hits.values()) for each in (one, two)))
"""


def test_a_template_made_for_two_games_does_not_collide(tmp_path):
    (tmp_path / "templates.py").write_text(TEMPLATE)
    assert run("import templates", tmp_path) == "7 20 0 0"
    assert run("import templates", tmp_path) == "7 20 1 1"


def home(monkeypatch, **environment: str) -> Path:
    """Return the home of kernels in a process that has such an environment."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", None)
    return cache_home.__wrapped__()


def test_a_home_that_cannot_be_written_falls_back(tmp_path, monkeypatch):
    """A file stands where the folder should be, which stops even the superuser."""
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    spare = tmp_path / "spare"
    spare.mkdir()
    fallen_back = spare / f"sandtable-{os.getuid()}" / "kernels"
    homes = {"SANDTABLE_CACHE": str(in_the_way / "cache"), "TMPDIR": str(spare)}
    assert home(monkeypatch, **homes) == fallen_back
    homes = {"SANDTABLE_CACHE": "", "XDG_CACHE_HOME": str(in_the_way), "TMPDIR": str(spare)}
    assert home(monkeypatch, **homes) == fallen_back
    write_package(tmp_path)
    assert run(ASK, tmp_path, **homes) == "1111 0 1"
    assert run(ASK, tmp_path, **homes) == "1111 1 0"


def test_the_home_follows_the_environment(tmp_path, monkeypatch):
    chosen = str(tmp_path / "cache")
    assert home(monkeypatch, SANDTABLE_CACHE=chosen) == tmp_path / "cache" / "kernels"
    homes = {"SANDTABLE_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    assert home(monkeypatch, **homes) == tmp_path / "xdg" / "sandtable" / "kernels"


def test_folders_nobody_uses_are_dropped(tmp_path):
    (tmp_path / "new").mkdir()
    old = tmp_path / "old"
    old.mkdir()
    long_ago = time.time() - (DAYS_UNUSED_FOLDERS_ARE_KEPT + 1) * 24 * 3600
    os.utime(old, (long_ago, long_ago))
    drop_unused_folders(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    drop_unused_folders(tmp_path / "not there")


PLAY = """
from sandtable.batch import Batch
from sandtable.dice import Dice
from sandtable.registry import make_agent, make_game

game = make_game("lucid")
dice = Dice(1)
state = game.start(dice)
agents = [make_agent("lucid/one-axis-blue"), make_agent("lucid/axes-red")]
for seat, agent in enumerate(agents):
    agent.begin(game, seat, Dice(1, f"agent {seat}"))
for _ in range(12):
    state = state.play(agents[state.turn].choose(state, Dice(2)), dice)
    print(state.line, float(state.planes().sum()))
batch = Batch(game, 2, seed=1, auto_reset=True)
for _ in range(15):
    batch.step(batch.random_actions())
print(batch.positions.tolist())
"""


def test_without_compilation_the_same_code_gives_the_same_games(tmp_path):
    home = os.environ.get("SANDTABLE_CACHE", "")  # the compiled run takes what others compiled
    compiled = run(PLAY, tmp_path, SANDTABLE_CACHE=home)
    assert compiled.count("\n") == 12
    assert run(PLAY, tmp_path, SANDTABLE_CACHE=home, NUMBA_DISABLE_JIT="1") == compiled


def names_in_kernels(tree):
    """Return the names that kernels use, and the modules of which they take constants."""
    compiled = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and {getattr(each, "id", "") for each in node.decorator_list} & {"kernel", "inlined"}
    ]
    inside = [node for function in compiled for node in ast.walk(function)]
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    modules = {
        node.value.id
        for node in inside
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.attr.isupper()
    }
    return names, modules


def test_games_give_constants_to_kernels_only_from_files_that_are_watched():
    package = Path(sandtable.__file__).parent
    mark = "sandtable.compiled"
    watched = [path for path in package.glob("games/**/*.py") if mark in path.read_text("utf-8")]
    assert watched
    looked_at = 0
    for path in watched:
        tree = ast.parse(path.read_text("utf-8"))
        names, modules = names_in_kernels(tree)
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom):
                continue
            home = package.parent / str(node.module).replace(".", "/")
            known = {each.asname or each.name: each.name for each in node.names}
            constants = [own for own, name in known.items() if name.isupper() and own in names]
            sources = [home.with_suffix(".py")] if constants else []
            sources += [home / f"{name}.py" for own, name in known.items() if own in modules]
            for source in sources:
                if source.is_relative_to(package / "games") and source.exists():
                    looked_at += 1
                    assert mark in source.read_text("utf-8"), f"{path.name} takes from {source}"
    assert looked_at > 100
