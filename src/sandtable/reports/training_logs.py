"""What training runs have logged, as curves: of any runs, and of those kept with results.

A log has a JSON object in every line. Logs that belong to published rows are kept in the folder
``training`` of the results, named after the game and the row: ``GAME-ROW.jsonl``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sandtable.errors import DAMAGED, SandtableError
from sandtable.reports.curves import Curve, CurvePlot, CurvePoint
from sandtable.reports.pages import Section

__all__ = ["Log", "curve_of", "logged_metrics", "read_log", "training_section"]

Log: TypeAlias = Sequence[Mapping[str, Any]]

METRICS = "metrics.jsonl"  # in the folder of a run, a line for every unit
MOST_POINTS = 200  # of a curve; longer ones are averaged, which also makes them readable
FOLDER = "training"
SMOOTHED = 25  # points of a curve in a report: what goes up and down by luck is averaged
# What reports show of a log, where it is there, and what the axis is called.
SHOWN = {"loss": "loss", "win_rate": "share won", "score": "score", "accuracy": "accuracy"}


def read_log(run: Path) -> list[dict[str, Any]]:
    """Read the lines of a log; a last line that is being written is left out."""
    path = run / METRICS if run.is_dir() else run
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise SandtableError(
            f"{run} is no folder of a training run: {path.name}: {problem.strerror}"
        ) from problem
    except ValueError as problem:
        raise SandtableError(f"{path} is no log of a training run: it is no text") from problem
    lines = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            lines.append(dict(json.loads(line)))
        except DAMAGED:
            if number < text.count("\n"):
                raise SandtableError(f"{path}, line {number} is no line of a log") from None
    return lines


def is_number(value: object) -> bool:
    """Say whether a logged value can be drawn.

    >>> is_number(1.5), is_number(True), is_number("words")
    (True, False, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def logged_metrics(logs: Sequence[Log]) -> list[str]:
    """Return what can be drawn of some logs, in the order in which it was first logged.

    >>> logged_metrics([[{"game": 0, "opponent": "copy", "loss": 0.5}]])
    ['game', 'loss']
    """
    return list(
        dict.fromkeys(
            name for log in logs for line in log for name, value in line.items() if is_number(value)
        )
    )


def curve_of(
    name: str, log: Log, metric: str, over: str | None = None, most_points: int = MOST_POINTS
) -> Curve:
    """Return the curve of one run; a long one is averaged over equal stretches.

    >>> [point.mean for point in curve_of("a", [{"loss": 3.0}, {"loss": 1.0}], "loss").points]
    [3.0, 1.0]
    """
    found = [
        (float(line[over]) if over else float(number), float(line[metric]))
        for number, line in enumerate(log)
        if is_number(line.get(metric)) and (over is None or is_number(line.get(over)))
    ]
    stretch = max(1, math.ceil(len(found) / most_points))
    points = []
    for first in range(0, len(found), stretch):
        places, values = zip(*found[first : first + stretch], strict=True)
        points.append(CurvePoint(places[-1], sum(values) / len(values)))
    return Curve(name, tuple(points))


def training_section(results: Path, game: str) -> Section | None:
    """Return how the rows of a game were trained, as far as logs are kept with the results."""
    logs = {
        path.stem.removeprefix(f"{game}-"): read_log(path)
        for path in sorted((results / FOLDER).glob(f"{game}-*.jsonl"))
    }
    plots = []
    for metric, axis in SHOWN.items():
        curves = [curve_of(name, log, metric, most_points=SMOOTHED) for name, log in logs.items()]
        drawn = tuple(curve for curve in curves if len(curve.points) > 1)
        if drawn:
            plots.append(CurvePlot(f"Training: {axis}", "lines of the log", axis, drawn))
    if not plots:
        return None
    kept = ", ".join(f"{name} ({len(log):,} lines)" for name, log in logs.items())
    return Section(
        f"How rows of {game} were trained",
        plots=tuple(plots),
        notes=(f"Logs of {kept}; every point is the mean of a {SMOOTHED}th of a log.",),
    )
