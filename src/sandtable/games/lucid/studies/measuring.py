"""What the studies of Operation Lucid measure: scores against AxesRed, times, single decisions."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from sandtable.agent import Agent
from sandtable.arena.play.game_loop import play_game
from sandtable.arena.statistics.intervals import LEVEL
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.lucid import rules
from sandtable.games.lucid.agents.constraint import ConstraintBlue, PlannedMove
from sandtable.games.lucid.agents.imitation import ImitatedMove, Imitation
from sandtable.games.lucid.learning.expert_database import unseen_seed
from sandtable.registry import make_agent, make_game
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import Measurement, score_against
from sandtable.types import State

__all__ = [
    "AXES_RED",
    "QUICK_GAMES",
    "REPORT",
    "SCORE",
    "Gain",
    "WatchedGame",
    "blue_score",
    "gain",
    "game_seconds",
    "watched_games",
]

AXES_RED = "lucid/axes-red"
SCORE = "score"
REPORT = "report of 2003"
QUICK_GAMES = 20
TIMED_GAMES = 20
MARGIN = NormalDist().inv_cdf(0.5 + LEVEL / 2)  # of a 95% interval, in standard errors


def blue_score(
    agent: str, settings: Settings, report: Report, games: int, at: float | None = None
) -> Measurement:
    """Measure the score of a Blue against AxesRed, freed of luck.

    >>> from contextlib import nullcontext
    >>> quiet = lambda label, games: nullcontext(lambda count: None)
    >>> blue_score("lucid/simple-blue", Settings(games=50), quiet, games=9).count
    50
    """
    fresh = replace(settings, seed=unseen_seed(settings.seed))
    seats = [agent, AXES_RED]
    estimate = score_against("lucid", seats, fresh, report, games=games, quick=QUICK_GAMES)
    return Measurement.of(SCORE, estimate, at)


def game_seconds(agent: str, settings: Settings) -> Measurement:
    """Measure how long a game takes on one core, after one to warm up.

    >>> game_seconds("lucid/simple-blue", Settings(games=2)).quantity
    'seconds a game'
    """
    games = min(TIMED_GAMES, settings.games or TIMED_GAMES)
    players = [make_agent(agent), make_agent(AXES_RED)]
    lucid, specs = make_game("lucid"), [agent, AXES_RED]
    began = 0.0
    for number in range(games + 1):
        play_game(lucid, players, specs=specs, seed=unseen_seed(settings.seed), number=number)
        began = began or time.perf_counter()
    return Measurement("seconds a game", (time.perf_counter() - began) / games, count=games)


# --- single decisions ----------------------------------------------------------------------------


@dataclass(frozen=True)
class WatchedGame:
    """A game with the decisions of Blue, each with the number of its turn, 1 to 36."""

    decisions: tuple[tuple[int, ImitatedMove | PlannedMove], ...]
    score: float

    @property
    def distances(self) -> list[tuple[int, float]]:
        """Return the distance of the match in every turn in which one was looked up."""
        pairs = ((turn, move) for turn, move in self.decisions)
        return [(turn, move.distance) for turn, move in pairs if isinstance(move, ImitatedMove)]

    @property
    def relaxed(self) -> list[int]:
        """Return how many units were taken off the demands of every turn that made some."""
        generated = (move.generated for _, move in self.decisions)
        return [each.relaxed for each in generated if each is not None]


class Watched(Agent):
    """An agent whose decisions are kept."""

    def __init__(self, agent: Imitation | ConstraintBlue) -> None:
        self.agent = agent
        self.decisions: list[tuple[int, ImitatedMove | PlannedMove]] = []

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Choose as the agent does, and keep how it came about."""
        move = self.agent.decide(view.position, dice)
        self.decisions.append((int(view.position[rules.PLAYED]) + 1, move))
        return list(move.actions)


def watched_games(
    spec: str, games: int, settings: Settings, report: Report
) -> Iterator[WatchedGame]:
    """Play games of such an agent against AxesRed in this process, with Blue's decisions.

    >>> from contextlib import nullcontext
    >>> quiet = lambda label, games: nullcontext(lambda count: None)
    >>> [game] = watched_games("lucid/imitation-1", 9, Settings(games=1), quiet)
    >>> game.distances[0][1] >= 0
    True
    """
    agent = make_agent(spec)
    if not isinstance(agent, Imitation | ConstraintBlue):
        raise TypeError(f"{spec} does not keep how it decides")
    number = settings.games or (QUICK_GAMES if settings.quick else games)
    opponent, lucid, seed = make_agent(AXES_RED), make_game("lucid"), unseen_seed(settings.seed)
    with report(spec, number) as progress:
        for game in range(number):
            watched = Watched(agent)
            seats, specs = [watched, opponent], [spec, AXES_RED]
            played = play_game(lucid, seats, specs=specs, seed=seed, number=game)
            outcome = played.record.outcome
            if outcome is None or outcome.forfeited_by is not None:
                raise SandtableError(f"{spec} did not finish game {game}: {outcome}")
            yield WatchedGame(tuple(watched.decisions), float(outcome.scores[rules.BLUE_SEAT]))
            progress(1)


# --- differences ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gain:
    """By how much one figure is above another of other games, with its interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Write it with its interval.

        >>> str(Gain(0.25, -0.1, 0.6))
        '+0.25 (-0.10 to +0.60)'
        """
        return f"{self.mean:+.2f} ({self.low:+.2f} to {self.high:+.2f})"


def gain(before: Sequence[Measurement], after: Sequence[Measurement], comparisons: int = 1) -> Gain:
    """Return by how much the first figure of the second is above that of the first.

    With several comparisons the interval is so much wider that all of them hold together
    (Bonferroni).

    >>> one, other = Measurement("score", 5, 4.9, 5.1, 100), Measurement("score", 6, 5.9, 6.1, 100)
    >>> str(gain([one], [other]))
    '+1.00 (+0.86 to +1.14)'
    """
    wider = NormalDist().inv_cdf(1 - (1 - LEVEL) / 2 / comparisons) / MARGIN
    (less, more), (other_less, other_more) = (margins_of(each[0]) for each in (after, before))
    mean = after[0].value - before[0].value
    below, above = math.hypot(less, other_more), math.hypot(more, other_less)
    return Gain(mean, mean - wider * below, mean + wider * above)


def margins_of(figure: Measurement) -> tuple[float, float]:
    """Return how far a figure's interval reaches below and above it.

    >>> margins_of(Measurement("score", 5, 4, 7, 100))
    (1, 2)
    """
    if figure.low is None or figure.high is None:
        return math.nan, math.nan
    return figure.value - figure.low, figure.high - figure.value
