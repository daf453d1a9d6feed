"""Studies: what a paper says about its own method, tried by changing one thing at a time.

A study has variants (one option, one size, one part left out), each measured by itself and kept in
a file of its own as soon as it is finished: ``FOLDER/GAME/STUDY/VARIANT.json``. So a study can be
stopped, gone on with, and measured on several machines by copying files together.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sandtable.arena.play.plan import make_plan
from sandtable.arena.statistics.intervals import Estimate
from sandtable.errors import DAMAGED, SandtableError, suggestion
from sandtable.learning.checkpoints import write_whole
from sandtable.registry import load, registered
from sandtable.reproduce.run import Report, Settings, play_row_match

__all__ = [
    "AGREES",
    "CANNOT_BE_TOLD",
    "CONTRADICTS",
    "NOT_MEASURED",
    "Finding",
    "Measured",
    "Measurement",
    "Study",
    "StudyResult",
    "Variant",
    "read_study",
    "run_study",
    "score_against",
    "studies_of",
]

GROUP = "sandtable.studies"  # entry points: a game's name -> its studies
AGREES, CONTRADICTS = "agrees", "contradicts"
CANNOT_BE_TOLD, NOT_MEASURED = "cannot be told", "not measured"
FORMAT, FORMAT_VERSION = "sandtable-study", 1


@dataclass(frozen=True)
class Measurement:
    """One figure: what it is of, how large, between which ends, and from how many things.

    ``at`` is its place on a curve (games trained, turns played); a study whose figures all have one
    is drawn as curves, one for each variant and quantity.

    >>> Measurement("score", 6.3, 6.1, 6.5, count=2000).counted
    'games'
    """

    quantity: str
    value: float
    low: float | None = None  # None: a figure without an interval, such as a time
    high: float | None = None
    count: int = 0
    counted: str = "games"
    at: float | None = None
    no_interval: str = ""  # why there is none, where one is wanted

    @property
    def reason(self) -> str:
        """Why there is no interval; nothing: there is one, or none is wanted."""
        return self.no_interval

    @classmethod
    def of(cls, quantity: str, estimate: Estimate, at: float | None = None) -> Measurement:
        """Make a figure of an estimate of games.

        >>> Measurement.of("score", Estimate(0.5, 0.1, 0.4, 0.6, 100)).count
        100
        """
        low, high = (None if math.isnan(end) else end for end in (estimate.low, estimate.high))
        return cls(
            quantity, estimate.mean, low, high, estimate.count, at=at, no_interval=estimate.reason
        )


Measured = Mapping[str, Sequence[Measurement]]  # the figures of each variant, by its name


@dataclass(frozen=True)
class Finding:
    """What a study found: one word, and a sentence with the figures that say so.

    >>> Finding(AGREES, "both score the same").verdict
    'agrees'
    """

    verdict: str
    words: str


@dataclass(frozen=True)
class Variant:
    """One way of doing it, and how its figures are come by."""

    name: str
    title: str
    measure: Callable[[Settings, Report], Sequence[Measurement]]
    curve: str = ""  # the curve its figures are points of; its title: they are one by themselves


@dataclass(frozen=True)
class Study:
    """One question that a paper raises, and the variants that answer it."""

    name: str
    title: str
    source: str  # which paper, which section
    claim: str  # what the paper says, in our words
    variants: tuple[Variant, ...]
    judge: Callable[[Measured], Finding]  # called with the variants that are measured, if all are
    horizontal: str = ""  # what a curve goes over
    logarithmic: bool = False
    minutes: float = 1.0  # about how long all variants take on one core
    published: tuple[Measurement, ...] = ()


@dataclass(frozen=True)
class StudyResult:
    """What is known of a study so far."""

    study: Study
    game: str
    measured: dict[str, tuple[Measurement, ...]]
    commands: dict[str, str]

    @property
    def finding(self) -> Finding:
        """Return what was found; nothing before every variant is measured."""
        missing = [each.name for each in self.study.variants if each.name not in self.measured]
        if missing:
            return Finding(NOT_MEASURED, f"not measured yet: {', '.join(missing)}")
        return self.study.judge(self.measured)


def studies_of(game: str) -> tuple[Study, ...]:
    """Return the studies of a game.

    >>> isinstance(studies_of("lucid"), tuple)
    True
    """
    return tuple(load(GROUP, "studies", game)) if game in registered(GROUP) else ()


def wanted_studies(game: str, names: Sequence[str]) -> list[Study]:
    """Return the studies that were asked for; ``all`` are all.

    >>> wanted_studies("lucid", ["all"]) == list(studies_of("lucid"))
    True
    """
    known = {study.name: study for study in studies_of(game)}
    if list(names) == ["all"]:
        return list(known.values())
    if not known:
        raise SandtableError(f"there are no studies of '{game}'")
    for name in names:
        if name not in known:
            raise SandtableError(
                f"there is no study '{name}' of {game} (there are {', '.join(known)})."
                + suggestion(name, known)
            )
    return [known[name] for name in names]


def variant_file(folder: Path, game: str, study: Study, variant: str) -> Path:
    """Return where the figures of a variant are kept.

    >>> study = Study("depth", "Depth", "a paper", "deeper is better", (), lambda measured: None)
    >>> variant_file(Path("kept"), "lucid", study, "two").as_posix()
    'kept/lucid/depth/two.json'
    """
    return folder / game / study.name / f"{variant}.json"


def read_study(game: str, study: Study, folder: Path) -> StudyResult:
    """Read what is kept of a study; a variant without a file is one not measured yet."""
    measured, commands = {}, {}
    for variant in study.variants:
        path = variant_file(folder, game, study, variant.name)
        try:
            data = json.loads(path.read_text("utf-8"))
            if data["format_version"] != FORMAT_VERSION:
                raise SandtableError(f"{path} was written by another version of sandtable")
            measured[variant.name] = tuple(Measurement(**each) for each in data["figures"])
            commands[variant.name] = data["command"]
        except FileNotFoundError:
            continue
        except OSError as problem:
            raise SandtableError(f"cannot read {path}: {problem.strerror}") from problem
        except DAMAGED as problem:
            raise SandtableError(
                f"{path} is not a file of a study ({problem}); remove it to measure it again"
            ) from problem
    return StudyResult(study, game, measured, commands)


def run_study(
    game: str,
    study: Study,
    folder: Path,
    settings: Settings,
    report: Report,
    variants: Sequence[str] = (),
) -> StudyResult:
    """Measure the variants that are not kept yet, keeping each when it is finished."""
    names = [variant.name for variant in study.variants]
    for name in variants:
        if name not in names:
            raise SandtableError(
                f"there is no variant '{name}' in {study.name} (there are {', '.join(names)})."
                + suggestion(name, names)
            )
    for variant in study.variants:
        path = variant_file(folder, game, study, variant.name)
        if (variants and variant.name not in variants) or path.exists():
            continue
        began = time.perf_counter()
        figures = variant.measure(settings, report)
        keep(path, game, study, variant, figures, settings, time.perf_counter() - began)
    return read_study(game, study, folder)


def keep(
    path: Path,
    game: str,
    study: Study,
    variant: Variant,
    figures: Sequence[Measurement],
    settings: Settings,
    seconds: float,
) -> None:
    """Write the figures of a variant, with the command that makes them again."""
    words = ["sandtable reproduce", game, f"--study {study.name}", f"--variant {variant.name}"]
    words += ["--quick"] if settings.quick else []
    words += [f"--games {settings.games}"] if settings.games else []
    words += [f"--seed {settings.seed}"] if settings.seed else []
    data: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "command": " ".join(words),
        "seconds": round(seconds, 1),
        "figures": [rounded(asdict(figure)) for figure in figures],
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(data, indent=1) + "\n").encode())
    except OSError as problem:
        raise SandtableError(f"cannot write {path}: {problem.strerror}") from problem


def rounded(figure: dict[str, Any]) -> dict[str, Any]:
    """Return a figure with the digits that mean something, and without what it does not have.

    >>> rounded({"value": 0.123456789, "at": None})
    {'value': 0.123457}
    """
    return {
        key: round(value, 6) if isinstance(value, float) else value
        for key, value in figure.items()
        if value not in (None, "")
    }


def score_against(
    game: str,
    agents: Sequence[str],
    settings: Settings,
    report: Report,
    *,
    games: int,
    quick: int,
    seat: int = 0,
    label: str = "",
    share: bool = False,
) -> Estimate:
    """Play one match and return a seat's score, freed of luck where that is known, or its share.

    >>> from contextlib import nullcontext
    >>> quiet = lambda label, games: nullcontext(lambda count: None)
    >>> asked = Settings(games=20)
    >>> score_against("lucid", ["random"] * 2, asked, quiet, games=9, quick=3).count
    20
    """
    number = settings.games or (quick if settings.quick else games)
    plan = make_plan(game, list(agents), number, settings.seed)
    result = play_row_match(plan, label or agents[seat], settings, report)
    if not result.complete:
        raise KeyboardInterrupt  # what is finished stays in the journal of the match
    standing = result.seats[seat]
    if share:
        if standing.wins is None:
            raise SandtableError(f"{game} has no winners, so there is no share of games won")
        return standing.wins
    return standing.adjusted or standing.score
