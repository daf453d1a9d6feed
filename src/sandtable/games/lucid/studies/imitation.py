"""Studies of how the imitation agents relax demands and look positions up (report, 3.4 and 3.7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.games.lucid.placements.demands import BOTTLENECKS, FIXED, RANDOM
from sandtable.games.lucid.studies.measuring import (
    REPORT,
    SCORE,
    blue_score,
    gain,
    watched_games,
)
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

IMITATIONS = {number: f"lucid/imitation-{number}:mirror=no" for number in (1, 2, 3, 4)}

# --- the order in which demands are relaxed ------------------------------------------------------

TAKEN_OFF = "units taken off a turn"
WATCHED_GAMES = 200
RELAXED = {  # the agents that make demands, and how many games each gets
    "constraint": ("lucid/constraint-blue", 150),  # whose plan can always be met, as it turns out
    "imitation-2": (IMITATIONS[2], 500),
    "imitation-3": (IMITATIONS[3], 1500),
    "imitation-4": (IMITATIONS[4], 1500),
}
ORDERS = {
    FIXED: "in the published order",
    RANDOM: "in a drawn order",
    BOTTLENECKS: "at the bottlenecks",
}


def measure_relaxation(
    agent: str, relaxation: str, games: int, settings: Settings, report: Report
) -> Sequence[Measurement]:
    """Measure the score, and how much is taken off the demands of a turn."""
    spec = f"{agent}{',' if ':' in agent else ':'}relaxation={relaxation}"
    score = blue_score(spec, settings, report, games)
    watched = watched_games(spec, min(WATCHED_GAMES, games), settings, report)
    relaxed = [float(np.mean(game.relaxed)) for game in watched if game.relaxed]
    return [score, Measurement.of(TAKEN_OFF, estimate_mean(np.array(relaxed)))]


def judge_relaxation(measured: Measured) -> Finding:
    """Say what the two proposals change."""
    words, drawn = [], []
    for name in RELAXED:
        before, *others = (measured[f"{name}-{order}"] for order in ORDERS)
        gains = [gain(before, other, 2 * len(RELAXED)) for other in others]
        off = [figures[1].value for figures in (before, *others)]
        words.append(
            f"{name}: drawn order {gains[0]}, bottlenecks {gains[1]}, units taken off a turn "
            f"{off[0]:.2f}, {off[1]:.2f}, {off[2]:.2f}"
        )
        drawn.append(gains[0])
    changed = any(each.low > 0 or each.high < 0 for each in drawn)
    told = all(each.high - each.low < 1 for each in drawn)
    verdict = CONTRADICTS if changed else AGREES if told else CANNOT_BE_TOLD
    return Finding(verdict, "Changes of the score: " + "; ".join(words) + ".")


RELAXATION = Study(
    "relaxation",
    "Imitation and constraint agents: the order in which demands are relaxed",
    f"{REPORT}, section 3.4",
    "the fixed order is a weakness of method: sorting by bottlenecks would spare needless "
    "relaxation, and drawing the order removes a bias that probably matters little in the end",
    tuple(
        Variant(
            f"{name}-{order}",
            f"{name}, {title}",
            partial(measure_relaxation, agent, order, games),
        )
        for name, (agent, games) in RELAXED.items()
        for order, title in ORDERS.items()
    ),
    judge_relaxation,
    minutes=7.0,
)


# --- the weights of the distance -----------------------------------------------------------------

DISTANCES = {
    "published": ("every part weighs 1", ""),
    "no-turns": ("turns left do not count", "turns_weight=0"),
    "half-turns": ("turns left count half", "turns_weight=0.5"),
    "double-turns": ("turns left count twice", "turns_weight=2"),
    "no-defender": ("who defends does not count", "defender_weight=0"),
    "triple-defender": ("who defends counts three times", "defender_weight=3"),
    "north": ("rows 4 and 5 count twice", "node_weights=11122"),
    "far-north": ("rows 4 and 5 count four times", "node_weights=11144"),
    "south": ("rows 1 and 2 count twice", "node_weights=22111"),
    "middle": ("columns B to D count twice", "node_weights=" + "12221" * 5),
}
WEIGHTED = {"imitation-1": (IMITATIONS[1], 2000), "imitation-4": (IMITATIONS[4], 1000)}


def measure_score(
    agent: str, games: int, settings: Settings, report: Report
) -> Sequence[Measurement]:
    """Measure the score."""
    return [blue_score(agent, settings, report, games)]


def judge_distances(measured: Measured) -> Finding:
    """Say whether other weights help."""
    comparisons = len(WEIGHTED) * (len(DISTANCES) - 1)
    gains = {
        f"{name}, {title}": gain(
            measured[f"{name}-published"], measured[f"{name}-{key}"], comparisons
        )
        for name in WEIGHTED
        for key, (title, _) in DISTANCES.items()
        if key != "published"
    }
    better = [f"{name} {each}" for name, each in gains.items() if each.low > 0]
    worse = [f"{name} {each}" for name, each in gains.items() if each.high < 0]
    parts = [f"better: {'; '.join(better) or 'none'}", f"worse: {'; '.join(worse) or 'none'}"]
    words = f"Of {comparisons} changes, all intervals taken together, {', '.join(parts)}."
    return Finding(CONTRADICTS if better else AGREES, words)


DISTANCE_WEIGHTS = Study(
    "distance-weights",
    "Imitation agents 1 and 4: other weights in the distance",
    f"{REPORT}, section 3.7",
    "weights of nodes, of the rounds left and of the defender's status could be tuned, but first "
    "trials brought nothing",
    tuple(
        Variant(
            f"{name}-{key}",
            f"{name}: {title}",
            partial(measure_score, ",".join(filter(None, (agent, options))), games),
        )
        for name, (agent, games) in WEIGHTED.items()
        for key, (title, options) in DISTANCES.items()
    ),
    judge_distances,
    minutes=6.0,
)


# --- how close the matches are -------------------------------------------------------------------

DISTANCE = "distance of the match"
LOOKED_UP = {1: 3000, 2: 500, 3: 1500, 4: 1500}  # games of each agent
FAR = 5.0  # a match with more differences than this is not called a close one
HALF_TIME = 18
BINS = (0, 2, 3, 4, 5, 6, 8, 10, 14)  # of the mean distance of a game


def measure_distances(number: int, settings: Settings, report: Report) -> Sequence[Measurement]:
    """Measure the distance of the match in every turn of the game."""
    by_turn: dict[int, list[float]] = defaultdict(list)
    for game in watched_games(IMITATIONS[number], LOOKED_UP[number], settings, report):
        for turn, distance in game.distances:
            by_turn[turn].append(distance)
    return [
        replace(
            Measurement.of(DISTANCE, estimate_mean(np.array(distances)), float(turn)),
            counted="turns",
        )
        for turn, distances in sorted(by_turn.items())
        if len(distances) > 1
    ]


def judge_distances_by_turn(measured: Measured) -> Finding:
    """Say when the matches stop being close."""
    words, late = [], []
    for number in IMITATIONS:
        figures = measured[f"imitation-{number}"]
        far = [int(each.at or 0) for each in figures if each.value > FAR]
        half = min(figures, key=lambda each: abs((each.at or 0) - HALF_TIME))
        words.append(
            f"agent {number}: {f'above {FAR:g} from turn {min(far)} on' if far else 'never far'}, "
            f"{half.value:.1f} in turn {HALF_TIME}, {figures[-1].value:.1f} in the last"
        )
        late.append(half.value)
    verdict = AGREES if min(late) > FAR else CONTRADICTS if max(late) < FAR else CANNOT_BE_TOLD
    return Finding(
        verdict, "Mean distance of the nearest expert position, " + "; ".join(words) + "."
    )


MATCH_DISTANCE = Study(
    "match-distance",
    "Imitation agents: how close the nearest expert position is, by turn",
    f"{REPORT}, section 3.7",
    "very soon a player finds itself in positions without a close match in the database",
    tuple(
        Variant(
            f"imitation-{number}",
            f"Imitation agent {number}",
            partial(measure_distances, number),
        )
        for number in IMITATIONS
    ),
    judge_distances_by_turn,
    horizontal="turn of the game",
    minutes=4.0,
)


def measure_scores_by_distance(
    number: int, settings: Settings, report: Report
) -> Sequence[Measurement]:
    """Measure the score of games by the mean distance of their matches."""
    by_bin: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for game in watched_games(IMITATIONS[number], LOOKED_UP[number], settings, report):
        if game.distances:
            mean = float(np.mean([distance for _, distance in game.distances]))
            by_bin[int(np.searchsorted(BINS, mean, side="right"))].append((mean, game.score))
    figures = []
    for _, pairs in sorted(by_bin.items()):
        if len(pairs) < 2:
            continue
        at = float(np.mean([mean for mean, _ in pairs]))
        figures.append(
            Measurement.of(SCORE, estimate_mean(np.array([score for _, score in pairs])), at)
        )
    return figures


def judge_scores_by_distance(measured: Measured) -> Finding:
    """Say whether games with close matches score higher."""
    words, gains = [], []
    for number in IMITATIONS:
        figures = [each for each in measured[f"imitation-{number}"] if each.count >= 10]
        if len(figures) < 2:
            return Finding(CANNOT_BE_TOLD, f"agent {number} has too few games to compare.")
        near, far = figures[0], figures[-1]
        gains.append(gain([far], [near], len(IMITATIONS)))
        words.append(
            f"agent {number}: {near.value:.1f} at a mean distance of {near.at:.1f}, "
            f"{far.value:.1f} at {far.at:.1f}, {gains[-1]}"
        )
    low = all(each.low > 0 for each in gains)
    verdict = AGREES if low else CONTRADICTS if all(e.high < 0 for e in gains) else CANNOT_BE_TOLD
    note = " Games with many losses are far from any expert's too, so not all of it is the match."
    return Finding(verdict, "; ".join(words) + "." + note)


SCORE_BY_DISTANCE = Study(
    "score-by-distance",
    "Imitation agents: score of a game by the mean distance of its matches",
    f"{REPORT}, section 3.7",
    "the results are disappointing because no close match is found",
    tuple(
        Variant(
            f"imitation-{number}",
            f"Imitation agent {number}",
            partial(measure_scores_by_distance, number),
        )
        for number in IMITATIONS
    ),
    judge_scores_by_distance,
    horizontal="mean distance of the matches of a game",
    minutes=4.0,
)

STUDIES = (RELAXATION, DISTANCE_WEIGHTS, MATCH_DISTANCE, SCORE_BY_DISTANCE)
