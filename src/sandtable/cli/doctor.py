"""``sandtable doctor``: is everything there that is needed, and what is missing of the rest?

One function for each thing to look at returns its findings; EXAMINATIONS at the end names them.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires, version
from pathlib import Path

import typer

from sandtable.cli.common import EXIT_ERROR, new_command, place_name, write_json
from sandtable.cli.text import terminal_width, wrapped
from sandtable.errors import DISTRIBUTION, MissingExtra, install_command

command = new_command()

FINE, MISSING, WARNING, BROKEN = "fine", "missing", "warning", "broken"
COLOURS = {MISSING: "yellow", WARNING: "yellow", BROKEN: "red"}
LEAST_PYTHON = (3, 11)
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?([^;]*)(?:;.*extra == ['\"]([^'\"]+))?")
GROUPS = (
    "sandtable.games",
    "sandtable.agents",
    "sandtable.game_families",
    "sandtable.recipes",
    "sandtable.search_hints",
    "sandtable.screens",
    "sandtable.reproductions",
    "sandtable.commands",
)


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    part: str
    state: str  # FINE, MISSING (it is optional), WARNING or BROKEN (and needed)
    text: str
    cure: str = ""


@command.command()
def doctor(
    json: Path | None = typer.Option(None, "--json", help="Write the findings to this file."),
) -> None:
    """Report versions, extras, caches, GPU and plug-ins, and how to mend what is wrong.

    The exit code is 1 if something that is needed is broken; extras that are not installed are
    only listed, with the command that installs them.

    Examples:

      sandtable doctor

      sandtable doctor --json doctor.json
    """
    from rich.console import Console

    if json:
        write_json(json, None)
    terminal = Console(stderr=True)
    findings: list[Finding] = []
    for name, examine in EXAMINATIONS.items():
        with terminal.status(f"looking at {name} ..."):
            findings += examine()
    show(findings)
    if json:
        write_json(json, {"findings": [asdict(finding) for finding in findings]})
        typer.echo(f"Findings: {json}")
    broken = [finding.part for finding in findings if finding.state == BROKEN]
    if broken:
        typer.echo(f"broken although needed: {', '.join(broken)}", err=True)
        raise typer.Exit(EXIT_ERROR)


def show(findings: list[Finding]) -> None:
    """Print the findings, one line each, with the cure under what is not fine."""
    width = max(len(finding.part) for finding in findings)
    for finding in findings:
        state = typer.style(f"{finding.state:8}", fg=COLOURS.get(finding.state, "green"))
        start = " " * (8 + 1 + width + 2)
        text = f"{finding.part:{width}}  {finding.text}"
        if sys.stdout.isatty():  # the state has no width of its own while it is coloured
            room = terminal_width() - 9
            text = wrapped(text, room, start[9:]).replace("\n", f"\n{' ' * 9}")
        typer.echo(f"{state} {text}")
        if finding.cure:
            typer.echo(f"{start}-> {finding.cure}")


def installed(name: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def requirements() -> dict[str, list[str]]:
    """Return the packages that Sandtable asks for, by extra; those it always needs under ''."""
    packages: dict[str, list[str]] = {}
    for line in requires(DISTRIBUTION) or []:
        match = REQUIREMENT.match(line)
        if match and match[1] != DISTRIBUTION:
            packages.setdefault(match[3] or "", []).append(match[1])
    return packages


def versions() -> Iterator[Finding]:
    """Sandtable, Python, the machine, and the packages that nothing works without."""
    ours = installed(DISTRIBUTION)
    yield Finding("sandtable", FINE, ours or "not installed, run from its sources")
    old = sys.version_info[:2] < LEAST_PYTHON
    yield Finding(
        "python",
        BROKEN if old else FINE,
        f"{platform.python_version()} at {sys.executable}",
        "install Python 3.11 or newer" if old else "",
    )
    yield Finding("system", FINE, platform.platform())
    for name in requirements().get("", []):
        present = installed(name)
        cure = "" if present else f"pip install {name}"
        yield Finding(name, FINE if present else BROKEN, present or "not installed", cure)


def extras() -> Iterator[Finding]:
    """Which extras are there, and how to get the others."""
    for extra, names in sorted(requirements().items()):
        if extra in ("", "all", "dev"):
            continue
        packages = {name: installed(name) for name in names}
        absent = [name for name, present in packages.items() if present is None]
        text = ", ".join(f"{name} {present}" for name, present in packages.items() if present)
        if absent:
            text = f"without {', '.join(absent)}" + (f"; there are {text}" if text else "")
        cure = install_command(extra) if absent else ""
        yield Finding(f"extra {extra}", MISSING if absent else FINE, text, cure)


def kernels() -> Iterator[Finding]:
    """Threads, the cache of compiled kernels, and whether something can be compiled at all."""
    from sandtable.compiled import cache_home
    from sandtable.dice import Dice

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("threads", FINE, f"{cores} of {os.cpu_count()} cores may be used")
    home = cache_home()
    sizes = [path.stat().st_size for path in home.rglob("*") if path.is_file()]
    text = f"{home}: {sum(sizes) / 1e6:.1f} MB in {len(sizes):,} files"
    wanted = os.environ.get("SANDTABLE_CACHE")
    if not os.access(home, os.W_OK):
        cure = "set SANDTABLE_CACHE to a folder that can be written"
        yield Finding("cache", WARNING, f"{text}; cannot be written, so every start compiles", cure)
    elif wanted and home.parent != Path(wanted):
        cure = "let SANDTABLE_CACHE name a folder that can be written"
        yield Finding("cache", WARNING, f"{text}, for {wanted} cannot be written", cure)
    else:
        yield Finding("cache", FINE, text)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        cure = "unset NUMBA_DISABLE_JIT"
        yield Finding("compiler", WARNING, "switched off: all is a hundred times slower", cure)
        return
    try:
        Dice(0).below(6)
        yield Finding("compiler", FINE, "kernels compile and run")
    except Exception as problem:
        cure = "reinstall numba and llvmlite for this Python"
        yield Finding("compiler", BROKEN, f"kernels do not run: {first_line(problem)}", cure)


def graphics() -> Iterator[Finding]:
    """What torch sees to train on."""
    if installed("torch") is None:
        text = "not looked for: torch is not installed"
        yield Finding("GPU", MISSING, text, install_command("learn"))
        return
    try:
        import torch

        if torch.cuda.is_available():
            devices = range(torch.cuda.device_count())
            yield Finding("GPU", FINE, ", ".join(map(torch.cuda.get_device_name, devices)))
        else:
            yield Finding("GPU", FINE, "none; training runs on the processor")
    except Exception as problem:
        cure = "reinstall torch"
        yield Finding("GPU", WARNING, f"torch cannot be imported: {first_line(problem)}", cure)


def places() -> Iterator[Finding]:
    """The browser client and the archive."""
    static = Path(__file__).parent.parent / "server" / "static"
    built = (static / "index.html").is_file()
    cure = "" if built else "make client (needs Node 20 or newer), or install a wheel"
    text = "built" if built else "not built: 'sandtable serve' has no pages"
    yield Finding("browser client", FINE if built else MISSING, text, cure)
    archive = os.environ.get("SANDTABLE_ARCHIVE")
    if not archive:
        yield Finding("archive", FINE, "none is usual; SANDTABLE_ARCHIVE or --archive names one")
        return
    if "://" in archive:
        yield Finding("archive", FINE, place_name(archive))
        return
    path = Path(archive)
    folder = path if path.exists() else path.parent
    size = f"{path.stat().st_size / 1e6:.1f} MB" if path.exists() else "not there yet"
    if folder.exists() and os.access(folder, os.W_OK):
        yield Finding("archive", FINE, f"{path}: {size}")
    else:
        cure = "let SANDTABLE_ARCHIVE name a file that can be written"
        yield Finding("archive", BROKEN, f"{path}: {size}; cannot be written", cure)


def plug_ins() -> Iterator[Finding]:
    """Everything that an entry point names is loaded; what comes with Sandtable has to work."""
    for group in GROUPS:
        kind = group.rpartition(".")[2].replace("_", " ")
        loaded = 0
        for point in sorted(entry_points(group=group)):
            finding = problem_of(kind, point)
            loaded += finding is None
            if finding:
                yield finding
        yield Finding(kind, FINE, f"{loaded} can be loaded")


def problem_of(kind: str, point: EntryPoint) -> Finding | None:
    """Load what an entry point names; return what is wrong with it, or None."""
    ours = point.value.startswith("sandtable.")
    try:
        point.load()
    except MissingExtra as problem:
        return Finding(f"{kind}: {point.name}", MISSING, str(problem))
    except ImportError as problem:
        if ours and (problem.name or "").partition(".")[0] != "sandtable":
            return Finding(f"{kind}: {point.name}", MISSING, f"needs {problem.name}")
        return broken_point(kind, point, problem, ours)
    except Exception as problem:
        return broken_point(kind, point, problem, ours)
    return None


def broken_point(kind: str, point: EntryPoint, problem: Exception, ours: bool) -> Finding:
    """Return the finding about an entry point that cannot be loaded."""
    owner = point.dist.name if point.dist else "an unknown package"
    return Finding(
        f"{kind}: {point.name}",
        BROKEN if ours else WARNING,
        f"{point.value} of {owner} cannot be loaded: {first_line(problem)}",
        f"pip install --force-reinstall {owner}, or uninstall it",
    )


def first_line(problem: Exception) -> str:
    """Return an error in one line.

    >>> first_line(ValueError("no luck"))
    'ValueError: no luck'
    """
    return f"{type(problem).__name__}: {str(problem).strip().partition(chr(10))[0]}"


EXAMINATIONS: dict[str, Callable[[], Iterator[Finding]]] = {
    "versions": versions,
    "extras": extras,
    "kernels": kernels,
    "graphics": graphics,
    "places": places,
    "plug-ins": plug_ins,
}
