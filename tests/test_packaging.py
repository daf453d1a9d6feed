"""Wheel and source archive: complete, the same by both ways, and enough for a clean environment."""

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from sandtable.errors import DISTRIBUTION

ROOT = Path(__file__).parent.parent
CONSUMER = """
from sandtable import State, make_game

state: State = make_game("lucid").start()
seat: int = state.turn
wrong: str = state.turn
"""


def build(kind: str, source: Path, folder: Path) -> Path:
    """Build a wheel or a source archive; return the one file that was made."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    day = os.environ | {"SOURCE_DATE_EPOCH": "1794960000"}
    done = subprocess.run(command, cwd=source, env=day, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = folder.iterdir()
    return made


def client_is_built() -> bool:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    return hook.up_to_date(ROOT / "web", ROOT / hook.STATIC)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[Path, Path]:
    if not client_is_built():
        pytest.skip("the client is not built from these sources; 'make client' builds it")
    wheel = build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))
    return wheel, build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def clean(built, tmp_path_factory) -> Path:
    """Install the wheel into an environment that sees others' packages but not our sources."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", *options]
    subprocess.run([*command, str(built[0])], check=True, capture_output=True)
    standard = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    others = [
        path
        for path in sys.path
        if Path(path).is_dir()
        and path not in standard
        and not path.endswith("lib-dynload")
        and not Path(path).is_relative_to(ROOT / "src")
        and not Path(path).is_relative_to(ROOT / "tests")
        and Path(path) != ROOT
    ]
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "others.pth").write_text("\n".join(others) + "\n", encoding="utf-8")
    return folder


def in_clean(clean: Path, *words: str, **settings: str) -> str:
    """Run something of the clean environment away from the sources, with a cache of its own."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    variables |= {"SANDTABLE_CACHE": str(clean / "cache"), "COLUMNS": "200"} | settings
    done = subprocess.run(
        [str(clean / "bin" / words[0]), *words[1:]],
        cwd=clean, env=variables, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


# Where the distribution is asked for: by an installer, in a list of requirements, in its metadata.
MENTIONS = re.compile(
    r"""pip\ install\ (?!--editable)(?:-\S+\ )*'?(sandtable[\w-]*)      # a command line
    |["'](sandtable[\w-]*)\\?\[[\w,]+\\?\]["']          # an extra
    |dependencies\ =\ \[\\?["'](sandtable[\w-]*)         # a package that builds upon ours
    |(?:version|distribution|requires)\(["'](sandtable[\w-]*)""",
    re.VERBOSE,
)
WRITTEN_IN = {".py", ".md", ".ipynb", ".toml", ".yml", ".sh", ".ts", ".svelte", ".template"}


def test_the_distribution_has_one_name_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    places = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "pyproject.toml")]
    for folder in ("src", "docs", "tests", "scripts", "web/src"):
        places += [path for path in (ROOT / folder).rglob("*") if path.suffix in WRITTEN_IN]
    names = [
        (next(filter(None, match.groups())), path.relative_to(ROOT).as_posix())
        for path in places
        for match in MENTIONS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert len(names) > 20
    assert [(name, path) for name, path in names if name != DISTRIBUTION] == []


def test_the_distribution_is_installed_once():
    """Two, after a change of its name, would name every entry point twice."""
    points = entry_points(group="sandtable.games", name="lucid")
    assert [point.dist.name for point in points] == [DISTRIBUTION]


def test_the_wheel_holds_all_that_the_package_needs(built):
    names = set(contents(built[0]))
    package = ROOT / "src" / "sandtable"
    wanted = [
        path.relative_to(package.parent).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    kinds = {Path(name).suffix for name in wanted}
    assert {".py", ".onnx", ".safetensors", ".json", ".md", ".html", ".js", ".template"} <= kinds
    assert "sandtable/py.typed" in names
    assert set(wanted) <= names
    described = f"{DISTRIBUTION.replace('-', '_')}-"
    stray = [name for name in names if not name.startswith(("sandtable/", described))]
    assert stray == []


def test_the_wheel_holds_the_built_client_and_not_its_sources(built):
    names = contents(built[0])
    assert any(name.startswith("sandtable/server/static/assets/") for name in names)
    assert not any("node_modules" in name or name.endswith(".svelte") for name in names)
    page = names["sandtable/server/static/index.html"].decode()
    assert "<script>" not in page  # the content policy allows no inline scripts


def test_the_source_archive_holds_what_git_keeps(built):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("these sources are no clone")
    kept = {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in kept - names if not name.startswith(".ci/")} == set()


def test_the_source_archive_builds_the_same_wheel(built, tmp_path):
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path / "sources", filter="data")
    (source,) = (tmp_path / "sources").iterdir()
    again = build("wheel", source, tmp_path / "wheel")
    assert contents(again) == contents(built[0])
    assert again.read_bytes() == built[0].read_bytes()  # whoever builds it, and where


def test_the_installed_wheel_works_by_itself(clean):
    where = in_clean(clean, "python", "-c", "import sandtable; print(sandtable.__file__)")
    assert Path(where.strip()).is_relative_to(clean)
    assert "Usage" in in_clean(clean, "sandtable", "--help")
    games = in_clean(clean, "sandtable", "games")
    for title in ("Operation Lucid", "Skirmish", "Stratego", "Gravwell"):
        assert title in games
    dice = "from sandtable.dice import below; print(below.stats.cache_path)"
    assert str(clean / "cache") in in_clean(clean, "python", "-c", dice)
    # The same sources are compiled in all other tests, so here they are played as they stand.
    match = ("sandtable", "match", "lucid", "lucid/simple-blue", "lucid/axes-red", "--games", "20")
    assert "20 games" in in_clean(clean, *match, NUMBA_DISABLE_JIT="1")


def test_its_types_are_seen_by_others(clean):
    (clean / "consumer.py").write_text(CONSUMER, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable"]
    options = [str(clean / "bin" / "python"), "--cache-dir", str(clean / "types"), "consumer.py"]
    done = subprocess.run([*command, *options], cwd=clean, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    (told,) = [line for line in done.stdout.splitlines() if "error" in line and ".py:" in line]
    assert (
        'consumer.py:6: error: Incompatible types in assignment (expression has type "int"' in told
    )
