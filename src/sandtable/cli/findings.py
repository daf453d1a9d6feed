"""What ``sandtable doctor`` looks at: one function for each thing, each returns its findings."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires, version
from pathlib import Path

__all__ = ["BROKEN", "EXAMINATIONS", "FINE", "MISSING", "WARNING", "Finding"]

FINE, MISSING, WARNING, BROKEN = "fine", "missing", "warning", "broken"
LEAST_PYTHON = (3, 11)
REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?([^;]*)(?:;.*extra == ['\"]([^'\"]+))?")
GROUPS = ("sandtable.games", "sandtable.agents", "sandtable.recipes", "sandtable.search_hints")


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    part: str
    state: str  # FINE, MISSING (it is optional), WARNING or BROKEN (and needed)
    text: str
    cure: str = ""


def installed(name: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def needed() -> dict[str, list[str]]:
    """Return the packages that Sandtable asks for, by extra; those it always needs under ''."""
    found: dict[str, list[str]] = {}
    for line in requires("sandtable") or []:
        match = REQUIREMENT.match(line)
        if match and match[1] != "sandtable":
            found.setdefault(match[3] or "", []).append(match[1])
    return found


def versions() -> Iterator[Finding]:
    """Sandtable, Python, the machine, and the packages that nothing works without."""
    python = platform.python_version()
    yield Finding(
        "sandtable", FINE, installed("sandtable") or "not installed, run from its sources"
    )
    old = sys.version_info[:2] < LEAST_PYTHON
    yield Finding(
        "python",
        BROKEN if old else FINE,
        f"{python} at {sys.executable}",
        "install Python 3.11 or newer" if old else "",
    )
    yield Finding("system", FINE, platform.platform())
    for name in needed().get("", []):
        found = installed(name)
        cure = "" if found else f"pip install {name}"
        yield Finding(name, FINE if found else BROKEN, found or "not installed", cure)


def extras() -> Iterator[Finding]:
    """Which extras are there, and how to get the others."""
    for extra, names in sorted(needed().items()):
        if extra in ("", "all", "dev"):
            continue
        found = {name: installed(name) for name in names}
        absent = [name for name, has in found.items() if has is None]
        text = ", ".join(f"{name} {has}" for name, has in found.items() if has)
        if absent:
            text = f"without {', '.join(absent)}" + (f"; there are {text}" if text else "")
        cure = f"pip install 'sandtable[{extra}]'" if absent else ""
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
        yield Finding("GPU", MISSING, "not looked for: torch is not installed",
                      "pip install 'sandtable[learn]'")  # fmt: skip
        return
    try:
        import torch

        if torch.cuda.is_available():
            names = [torch.cuda.get_device_name(each) for each in range(torch.cuda.device_count())]
            yield Finding("GPU", FINE, ", ".join(names))
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
    from sandtable.cli.common import place_name

    if "://" in archive:
        yield Finding("archive", FINE, place_name(archive))
        return
    path = Path(archive)
    folder = path if path.exists() else path.parent
    good = folder.exists() and os.access(folder, os.W_OK)
    size = f"{path.stat().st_size / 1e6:.1f} MB" if path.exists() else "not there yet"
    cure = "" if good else "let SANDTABLE_ARCHIVE name a file that can be written"
    yield Finding("archive", FINE if good else BROKEN,
                  f"{path}: {size}{'' if good else '; cannot be written'}", cure)  # fmt: skip


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
    from sandtable.errors import MissingExtra

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
    """Return an error in one line."""
    return f"{type(problem).__name__}: {str(problem).strip().partition(chr(10))[0]}"


EXAMINATIONS = {
    "versions": versions,
    "extras": extras,
    "kernels": kernels,
    "graphics": graphics,
    "places": places,
    "plug-ins": plug_ins,
}
