"""How the networks of a generation are compared, and which of them survive.

The report tried three ways (section 3.3): (a) games against random players with dice of each one's
own, judged by the end position, with what parents scored kept; (b) copies against their parent at
one table; (c) games against random players with equal dice for all of a generation, which it stayed
with.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.games.gravwell.agents.neuro_evolution.brain import Brain
from sandtable.games.gravwell.agents.neuro_evolution.networks import program_of
from sandtable.games.gravwell.layout import GATE, ROUNDS
from sandtable.games.gravwell.learning.neuro_evolution.config import (
    FAMILY,
    NeuroEvolutionConfig,
)
from sandtable.games.gravwell.learning.neuro_evolution.games import (
    ENEMIES,
    FACTS,
    LEAD,
    OWN,
    Q_LEARNER,
    RANDOM,
    TREE,
    WON,
    Judges,
    Judging,
    collected_rounds,
    dealt_games,
    drawn_opponents,
    judged_at_one_table,
    keys_of,
    tables_to_play_by,
)
from sandtable.games.gravwell.learning.neuro_evolution.population import Evolution, stacked

__all__ = [
    "Verdict",
    "best_of",
    "games_of",
    "judge_generation",
    "scores_of",
    "seated",
    "survivors",
]

SEATED = {"random": RANDOM, "decision-tree": TREE, "q-learning": Q_LEARNER}


def seated(config: NeuroEvolutionConfig, opponents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the opponents with the rivals in place of random ones."""
    return np.where(opponents == RANDOM, SEATED[config.rivals], opponents)


def games_of(config: NeuroEvolutionConfig, state: Evolution, member: str = "") -> Judging:
    """Return the games that judge the next generation, or one ``member`` of it with its own dice.

    Rounds are taken from whole games that one of the parents plays, another one each time.
    """
    seed, done = config.seed, state.counters["generations"]
    name = f"neuro-evolution {done}{member}"
    count = state.counters["judging"] + config.more_each * done
    others, known = stacked(state.memories), len(state.memories)
    whole = config.rounds == ROUNDS
    needed = count if whole else -(-count // 3)  # a game seldom has fewer than three rounds
    games = Judging(
        starts=dealt_games(seed, f"{name} deal", needed, config.inert),
        rounds=config.rounds,
        opponents=seated(
            config, drawn_opponents(seed, f"{name} opponents", needed, config.stronger, known)
        ),
        others=others,
        keys=keys_of(seed, f"{name} dice"),
        learned=tables_to_play_by(config.rivals == "q-learning"),
    )
    if whole:
        return games
    found = collected_rounds(program_of(state.parents[done % len(state.parents)]), games)
    order = np.random.Generator(np.random.PCG64([seed, done])).permutation(len(found))
    starts = found[order[:count]]
    opponents = seated(
        config, drawn_opponents(seed, f"{name} foes", len(starts), config.stronger, known)
    )
    keys = keys_of(seed, f"{name} rounds")
    return dataclasses.replace(games, starts=starts, opponents=opponents, keys=keys)


def scores_of(
    config: NeuroEvolutionConfig, sums: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Return the score of every network from what came out of its games.

    Published: games won, and the mean end position over the board's length to break ties.
    """
    if config.score == "position":
        return np.asarray(sums[:, OWN] / count)
    if config.win_tiles == 0:
        return np.asarray(sums[:, WON] + sums[:, OWN] / count / GATE)
    return np.asarray((sums[:, LEAD] + config.win_tiles * sums[:, WON]) / count)


def best_of(scores: NDArray[np.float64], count: int) -> list[int]:
    """Return who has the highest scores, of equal ones the last (copies come after parents)."""
    ranked = sorted(range(len(scores)), key=lambda number: (scores[number], number))
    return ranked[::-1][:count]


def survivors(config: NeuroEvolutionConfig, scores: NDArray[np.float64], dice: Dice) -> list[int]:
    """Return who survives, the fittest first.

    Truncation takes the best. A tournament is a share of all, drawn at random, of which the best
    one stays. In proportional selection each is drawn with a chance in proportion to its score.
    """
    count = config.parents
    if config.selection == "truncation":
        return best_of(scores, count)
    if config.selection == "tournament":
        left = list(range(len(scores)))
        order = [left.pop(dice.below(len(left))) for _ in range(len(scores))]
        chosen = [max(order[first::count], key=lambda each: scores[each]) for first in range(count)]
    else:
        weights = np.asarray(scores - min(0.0, float(scores.min())) + 1e-9)
        chosen = []
        for _ in range(count):
            point = dice.uniform() * weights.sum()
            number = min(int(np.searchsorted(weights.cumsum(), point, "right")), len(weights) - 1)
            chosen.append(number)
            weights[number] = 0.0
    return sorted(chosen, key=lambda each: (-scores[each], -each))


@dataclass(frozen=True)
class Verdict:
    """Which members of a generation were judged to the end, and how."""

    members: list[Brain]
    scores: NDArray[np.float64]
    won: NDArray[np.float64]  # share of the games
    games: int  # that judged each
    best: list[int]  # who survives, the fittest first


def with_equal_dice(
    config: NeuroEvolutionConfig, state: Evolution, judges: Judges, copies: list[Brain], dice: Dice
) -> Verdict | None:
    """Let parents and copies play the same games (c), the copies maybe screened before."""
    games = games_of(config, state)
    total = len(games.starts)
    looked = min(config.screening, total)
    members = state.parents + copies
    sums = np.zeros((len(members), FACTS))
    if looked:
        found = judges.judge([program_of(each) for each in members], games, 0, looked)
        if found is None:
            return None
        best = best_of(scores_of(config, found[len(state.parents) :], looked), config.screened)
        kept = [*range(len(state.parents)), *sorted(len(state.parents) + each for each in best)]
        members, sums = [members[each] for each in kept], found[kept]
    found = judges.judge([program_of(each) for each in members], games, looked, total)
    if found is None:
        return None
    sums = sums + found
    scores = scores_of(config, sums, total)
    return Verdict(members, scores, sums[:, WON] / total, total, survivors(config, scores, dice))


def with_own_dice(
    config: NeuroEvolutionConfig, state: Evolution, judges: Judges, copies: list[Brain], dice: Dice
) -> Verdict | None:
    """Let every copy play games of its own, and keep what the parents scored (a)."""
    members, known = state.parents + copies, len(state.scores)
    sums, total = np.zeros((len(members), FACTS)), 0
    for number in range(known, len(members)):
        games = games_of(config, state, f" member {number}")
        total = len(games.starts)
        found = judges.judge([program_of(members[number])], games, 0, total)
        if found is None:
            return None
        sums[number] = found[0]
    scores = scores_of(config, sums, total)
    scores[:known] = state.scores
    return Verdict(members, scores, sums[:, WON] / total, total, survivors(config, scores, dice))


def against_parents(
    config: NeuroEvolutionConfig, state: Evolution, judges: Judges, copies: list[Brain], dice: Dice
) -> Verdict | None:
    """Let every parent play against its copies; the best at each table stays (b)."""
    members: list[Brain] = []
    scores, won, best = [], [], []
    total = 0
    for number, parent in enumerate(state.parents):
        if judges.must_stop():
            return None
        family = [parent, *copies[number :: len(state.parents)]]
        games = games_of(config, state, f" family {number}")
        total = len(games.starts)
        others = np.tile(np.arange(ENEMIES), (total, 1))
        table = dataclasses.replace(games, opponents=others, others=stacked(family[1:]))
        sums = judged_at_one_table([program_of(parent)], table, 0, total)
        found = scores_of(config, sums, total)
        best.append(FAMILY * number + best_of(found, 1)[0])
        members += family
        scores.append(found)
        won.append(sums[:, WON] / total)
    together = np.concatenate(scores)
    best.sort(key=lambda each: -together[each])
    return Verdict(members, together, np.concatenate(won), total, best)


def judge_generation(
    config: NeuroEvolutionConfig, state: Evolution, judges: Judges, copies: list[Brain], dice: Dice
) -> Verdict | None:
    """Compare parents and copies in the way of the configuration; None when told to stop."""
    ways = {"seeded": with_equal_dice, "random": with_own_dice, "parents": against_parents}
    return ways[config.competition](config, state, judges, copies, dice)
