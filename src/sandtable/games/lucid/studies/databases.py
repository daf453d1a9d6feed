"""What more expert games are worth: score and time over the size of the database (report, 3.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from sandtable.games.lucid.learning.expert_database import record_games, write_games
from sandtable.games.lucid.learning.semantic import recipe as semantic
from sandtable.games.lucid.rules import BLUE_SEAT
from sandtable.games.lucid.studies.measuring import (
    AXES_RED,
    REPORT,
    blue_score,
    gain,
    game_seconds,
)
from sandtable.games.lucid.studies.semantic_trainings import LITERAL
from sandtable.learning.run import Control
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)

__all__ = ["STUDIES", "expert_games"]

EXPERT = (
    "lucid/champion-blue:weights=expert-blue"  # as in the bundled games, which are the first 20
)
SIZES = (10, 20, 40, 80, 300)
PUBLISHED_SIZE, DOUBLED = 20, 40
SEMANTIC_EXAMPLES = 500_000
MARGINAL = 0.5  # an improvement of less than this many units is called marginal
GREATLY = 1.5  # a game that takes so many times as long takes greatly longer
AGENTS = {
    "imitation-1": ("Imitation agent 1", 1500),
    "imitation-2": ("Imitation agent 2", 300),
    "imitation-3": ("Imitation agent 3", 1000),
    "imitation-4": ("Imitation agent 4", 1000),
    "semantic": ("Semantic agent", 1000),
}


@contextmanager
def expert_games(size: int, report: Report) -> Iterator[Path]:
    """Record so many games of the expert into a file that is removed afterwards."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"expert-{size}.jsonl"
        with report(f"{size} expert games", size) as progress:
            records = []
            for record in record_games(EXPERT, AXES_RED, BLUE_SEAT, range(size), seed=0):
                records.append(record)
                progress(1)
        write_games(path, records)
        yield path


def measure(
    agent: str, size: int, games: int, settings: Settings, report: Report
) -> Sequence[Measurement]:
    """Measure score and time of an agent that learnt from so many games."""
    with expert_games(size, report) as database:
        if agent == "semantic":
            folder = database.parent / "networks"
            examples = SEMANTIC_EXAMPLES // 100 if settings.quick else SEMANTIC_EXAMPLES
            config = replace(semantic.PUBLISHED, database=str(database), examples=examples)
            semantic.train(config, folder, Control())
            semantic.export(folder)
            spec = f'{LITERAL},weights="{folder / semantic.WEIGHTS_FILE}"'
        else:
            spec = f'lucid/{agent}:database="{database}",mirror=no'
        score = blue_score(spec, settings, report, games, float(size))
        return [score, game_seconds(spec, settings)]


def judge(measured: Measured) -> Finding:
    """Say what doubling the database brings and costs."""
    words, gains, factors = [], [], []
    for agent in AGENTS:
        single, double = (measured[f"{agent}-{size}"] for size in (PUBLISHED_SIZE, DOUBLED))
        gains.append(gain(single, double, len(AGENTS)))
        factors.append(double[1].value / single[1].value)
        most = gain(single, measured[f"{agent}-{SIZES[-1]}"], len(AGENTS))
        words.append(f"{agent} {gains[-1]} and {factors[-1]:.2f} times the time, with 300 {most}")
    marginal = all(each.high < MARGINAL for each in gains)
    large = any(each.low > MARGINAL for each in gains)
    slower = max(factors) >= GREATLY
    verdict = CANNOT_BE_TOLD
    if large or not slower:
        verdict = CONTRADICTS
    elif marginal:
        verdict = AGREES
    size = "marginal" if marginal else "not only marginal" if large else "small"
    gist = (
        f"The improvement is {size} ({MARGINAL:g} units as the limit), "
        f"the time {'grows greatly' if slower else 'hardly grows'}."
    )
    return Finding(verdict, f"From 20 to 40 games: {'; '.join(words)}. {gist}")


STUDIES = (
    Study(
        "database-size",
        "Imitation and semantic agents: score over the number of expert games",
        f"{REPORT}, section 3.7",
        "doubling the database brought only a marginal improvement and greatly increased the time",
        tuple(
            Variant(
                f"{agent}-{size}",
                f"{title}, {size} games",
                partial(measure, agent, size, games),
                curve=title,
            )
            for agent, (title, games) in AGENTS.items()
            for size in SIZES
        ),
        judge,
        horizontal="expert games",
        logarithmic=True,
        minutes=10.0,
    ),
)
