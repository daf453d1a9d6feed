"""What the evaluator is worth: scores over its training, with the published figures marked.

The report's evaluator was trained in self-play for a number of games that it does not give. Here
the agents that choose with one play with evaluators of more and more games of temporal
differences, and with none, by lot.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from importlib.resources import files

from sandtable.games.lucid.studies.measuring import REPORT, SCORE, blue_score, gain
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

__all__ = ["STUDIES"]

TRAINED_GAMES = {  # bundled weights by name: how many games of self-play made them
    "td-100": 100,
    "td-1000": 1_000,
    "td-3000": 3_000,
    "td-10000": 10_000,
    "td-20000": 20_000,
    "td-50000": 50_000,
    "td": 168_000,
}
BY_LOT = "by-lot"
CLAIM = (
    "the evaluator, trained by temporal differences in self-play, is a fairly good one with "
    "considerable room for improvement (3.4)"
)


def measure(
    agent: str, at: float | None, games: int, settings: Settings, report: Report
) -> Sequence[Measurement]:
    """Measure one point."""
    return [blue_score(agent, settings, report, games, at)]


def with_weights(agent: str, weights: str) -> str:
    """Return an agent's spec with these weights of the evaluator.

    >>> with_weights("lucid/imitation-2:mirror=no", "none")
    'lucid/imitation-2:mirror=no,weights=none'
    """
    return f"{agent}{',' if ':' in agent else ':'}weights={weights}"


def study(name: str, label: str, agent: str, games: int, minutes: float) -> Study:
    """Return the curve of one agent of table 5.1."""
    rows = json.loads((files("sandtable.games.lucid") / "published.json").read_text("utf-8"))
    row = next(row for row in rows["rows"] if row["label"] == label)
    published = Measurement(SCORE, row["mean"], row["low"], row["high"], rows["games"])
    lot = partial(measure, with_weights(agent, "none"), None, games)
    variants = [Variant(BY_LOT, "without an evaluator: a random choice", lot)]
    for weights, trained in TRAINED_GAMES.items():
        point = partial(measure, with_weights(agent, weights), float(trained), games)
        title = f"{trained:,} games of temporal differences"
        variants.append(Variant(weights, title, point, curve="by the evaluator"))
    return Study(
        f"evaluator-{name}",
        f"{label}: score over the evaluator's training",
        f"{REPORT}, table 5.1 and section 3.4",
        CLAIM,
        tuple(variants),
        partial(judge, published),
        horizontal="games of training",
        logarithmic=True,
        minutes=minutes,
        published=(published,),
    )


def judge(published: Measurement, measured: Measured) -> Finding:
    """Say whether more training helps, and where the published figure lies on the curve."""
    trained = [(games, measured[weights]) for weights, games in TRAINED_GAMES.items()]
    least, most = trained[0][1], trained[-1][1]
    helps = gain(least, most)
    below = [games for games, figures in trained if figures[0].value < published.value]
    above = [games for games, figures in trained if figures[0].value >= published.value]
    lot = measured[BY_LOT][0].value
    if below and above:
        place = (
            f"the published {published.value:.2f} lies between the evaluators of {max(below):,} "
            f"and {min(above):,} games"
        )
    elif above:
        place = (
            f"the published {published.value:.2f} lies below every one of them"
            + (", and below the random choice" if lot > published.value else "")
            + ": the evaluator does not explain it, the expert's games do"
        )
    else:
        place = f"the published {published.value:.2f} lies above all of them"
    words = (
        f"From {trained[0][0]:,} to {trained[-1][0]:,} games of training the score rises by "
        f"{helps}; by lot it is {lot:.2f}; {place}."
    )
    verdict = AGREES if helps.low > 0 else CONTRADICTS if helps.high < 0 else CANNOT_BE_TOLD
    return Finding(verdict, words)


STUDIES = (
    study("constraint", "ConstraintNNBlue", "lucid/constraint-blue", 500, 16.0),
    study("imitation-2", "Imitation Agent 2", "lucid/imitation-2:mirror=no", 600, 8.0),
    study("imitation-3", "Imitation Agent 3", "lucid/imitation-3:mirror=no", 2000, 5.0),
    study("imitation-4", "Imitation Agent 4", "lucid/imitation-4:mirror=no", 2000, 5.0),
)
