"""What a run has measured, as a file, and what has become slower since another run."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sandtable.benchmarking.timing import Timing
from sandtable.errors import DAMAGED, DISTRIBUTION, SandtableError
from sandtable.files import write_whole

__all__ = [
    "Change",
    "Figure",
    "Ratio",
    "Run",
    "changes",
    "figure_text",
    "number",
    "read_run",
    "tables",
    "this_machine",
    "write_page",
]

OURS = "sandtable"
LEAST_CHANGE = 0.1  # smaller differences are never called a change
NOISES = 3.0  # nor are those within so many spreads of both runs together
LEAST_SHARE = 0.9  # of a core that must have been there for the clock on the wall to count
FORMAT = 1  # of the file

BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


@dataclass(frozen=True)
class Figure:
    """One thing that was measured."""

    game: str  # of ours, also for a yardstick beside it
    name: str
    unit: str
    timing: Timing
    source: str = OURS  # or whose it is: OpenSpiel, pgx, plain Python
    per_core: bool = True  # by processor time; otherwise the clock on the wall counts
    planes: bool = False  # every step also makes what a network reads

    @property
    def waited(self) -> bool:
        """Say whether it had to share its core, so that its clock on the wall tells nothing."""
        return self.timing.wall < LEAST_SHARE * self.timing.rate

    @property
    def value(self) -> float:
        """The number to show."""
        return self.timing.rate if self.per_core else self.timing.wall


@dataclass(frozen=True)
class Ratio:
    """How many times faster one of our figures is than a yardstick of the same run."""

    game: str
    ours: str
    yardstick: str
    times: float
    low: float  # with both figures at their less favourable quartile
    high: float


@dataclass(frozen=True)
class Change:
    """A figure of two runs."""

    game: str
    name: str
    before: float  # both as multiples of the random draws of their run
    now: float
    noise: float  # a smaller share is no change

    @property
    def share(self) -> float:
        """How much faster (above 0) or slower it has become."""
        return self.now / self.before - 1


@dataclass
class Run:
    """All figures of a run, and where they were taken."""

    machine: dict[str, str]
    command: str
    batch: int  # games side by side
    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # what could not be measured, and why

    def ratios(self) -> list[Ratio]:
        """Set our figures beside every yardstick of the same game that does the same work."""
        return [
            ratio(ours, yardstick)
            for yardstick in self.figures
            for ours in self.figures
            if yardstick.source != OURS and ours.source == OURS and alike(ours, yardstick)
            if ours.per_core or not yardstick.waited
        ]

    def as_data(self) -> dict[str, Any]:
        """Return what is written to a file."""
        return {
            "format": FORMAT,
            "machine": self.machine,
            "command": self.command,
            "batch": self.batch,
            "notes": self.notes,
            "figures": [asdict(figure) for figure in self.figures],
            "ratios": [asdict(each) for each in self.ratios()],
        }


def alike(one: Figure, other: Figure) -> bool:
    """Say whether two figures count the same thing, with planes or without."""
    return (one.game, one.unit, one.planes) == (other.game, other.unit, other.planes)


def ratio(ours: Figure, yardstick: Figure) -> Ratio:
    """Compare processor time with processor time, or clock with clock."""
    own = ours.value
    other = yardstick.timing.rate if ours.per_core else yardstick.timing.wall
    apart = ours.timing.spread + yardstick.timing.spread
    return Ratio(
        game=ours.game,
        ours=ours.name,
        yardstick=f"{yardstick.source}: {yardstick.name}",
        times=own / other,
        low=own / other / (1 + apart),
        high=own / other * (1 + apart),
    )


def changes(before: Run, now: Run) -> list[Change]:
    """Return our figures that both runs hold and that differ by more than noise.

    Each is measured in random draws of its own run, so that a slower machine is no change.
    """
    known = {(each.game, each.name): each.timing for each in before.figures if each.source == OURS}
    found = []
    for each in now.figures:
        old = known.get((each.game, each.name))
        if each.source != OURS or old is None or old.relative <= 0:
            continue
        noise = max(LEAST_CHANGE, NOISES * (old.relative_spread + each.timing.relative_spread))
        change = Change(each.game, each.name, old.relative, each.timing.relative, noise)
        if each.per_core and abs(change.share) > noise:
            found.append(change)
    return sorted(found, key=lambda change: change.share)


def this_machine() -> dict[str, str]:
    """Say where a run was made."""
    packages = {}
    for name in (OURS, "numba", "numpy", "onnxruntime", "open_spiel", "pgx", "jax"):
        try:
            packages[name] = version(DISTRIBUTION if name == OURS else name)
        except PackageNotFoundError:
            continue
    return {
        "processor": processor_name(),
        "cores": str(os.cpu_count() or 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **packages,
    }


def processor_name() -> str:
    """Return the processor's name for itself, where it has one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def read_run(path: Path) -> Run:
    """Read the file of a run, or say in one line what is wrong with it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise SandtableError(f"{path} was written by another version of 'sandtable bench'")
        figures = [
            Figure(**{**each, "timing": Timing(**each["timing"])}) for each in data["figures"]
        ]
        return Run(data["machine"], data["command"], data["batch"], figures, data["notes"])
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from None
    except DAMAGED as problem:
        raise SandtableError(f"{path} is not a file of 'sandtable bench --json'") from problem


def figure_text(figure: Figure) -> str:
    """Return the number of a figure with its unit."""
    clock = "" if figure.per_core else " (clock)"
    return f"{number(figure.value)} {figure.unit}{clock}"


def number(value: float) -> str:
    """Return a number with three digits that count, or all before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def tables(run: Run) -> str:
    """Return the ratios first, then every figure."""
    machine = run.machine
    lines = [
        f"`{run.command}` on {machine.get('processor', '?')}, {machine.get('cores', '?')} cores, "
        f"Python {machine.get('python', '?')}; batches of {run.batch}.",
        "",
        "| game | ours | yardstick | times as fast | between |",
        "|---|---|---|---:|---|",
    ]
    for each in run.ratios():
        between = f"{number(each.low)} and {number(each.high)}"
        cells = (each.game, each.ours, each.yardstick, number(each.times), between)
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| game | measured | whose | rate | spread |", "|---|---|---|---:|---:|"]
    for figure in run.figures:
        spread = f"{100 * figure.timing.spread:.0f}%"
        cells = (figure.game, figure.name, figure.source, figure_text(figure), spread)
        lines.append(f"| {' | '.join(cells)} |")
    if any(figure.waited for figure in run.figures):
        lines += ["", "The machine was busy: some ratios by the clock on the wall are left out."]
    lines += ["", *run.notes]
    return "\n".join(lines).rstrip() + "\n"


def write_page(path: Path, run: Run | None) -> None:
    """Put the tables between the marks of a page; without a run only see whether it has them."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise SandtableError(f"cannot read {path}: {problem.strerror}") from None
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SandtableError(
            f"{path} has no lines '{BEGIN}' and '{END}' for figures to stand between"
        )
    if run is not None:
        write_whole(path, f"{before}{BEGIN}\n\n{tables(run)}\n{END}{after}".encode())
