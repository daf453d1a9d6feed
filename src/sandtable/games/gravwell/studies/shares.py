"""Shares of games won as the figures of studies, and what follows from comparing two of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Variant,
    score_against,
)

__all__ = [
    "INERT",
    "SHARE",
    "TRUE",
    "match_variant",
    "more_is",
    "more_than_their_part",
    "shares_of",
    "told",
]

SHARE = "games won"
INERT, TRUE = "gravwell:tractor=inert", "gravwell"
RULES = ((INERT, "tractors inert"), (TRUE, "true rule"))
GAMES, QUICK = 10_000, 200


def shares_of(
    agents: Sequence[str], settings: Settings, report: Report, games: int = GAMES
) -> list[Measurement]:
    """Return the share of games the first agent wins, under both rules of tractors."""
    return [
        Measurement.of(
            f"{SHARE}, {words}",
            score_against(game, agents, settings, report, games=games, quick=QUICK, share=True),
        )
        for game, words in RULES
    ]


def match_variant(name: str, title: str, agents: Sequence[str], games: int = GAMES) -> Variant:
    """Return a variant that is one match, under both rules.

    >>> match_variant("random", "at random", ["random"] * 4).name
    'random'
    """

    def measure(settings: Settings, report: Report) -> list[Measurement]:
        return shares_of(agents, settings, report, games)

    return Variant(name, title, measure)


def told(figure: Measurement) -> str:
    """Write a share with its interval.

    >>> told(Measurement("x", 0.5, 0.4, 0.6, 100))
    '50.0% (40.0 to 60.0)'
    """
    ends = (
        ""
        if figure.low is None or figure.high is None
        else (f" ({100 * figure.low:.1f} to {100 * figure.high:.1f})")
    )
    return f"{100 * figure.value:.1f}%{ends}"


def more_is(
    first: str, second: str, agreeing: int, place: int = 0
) -> Callable[[Measured], Finding]:
    """Return a judge of whether one variant wins more than another.

    ``agreeing`` is what the paper says: 1 that the first wins more, -1 less, 0 about as much (then
    intervals that overlap agree). ``place`` is the number of the figure that is compared.

    >>> half, third = Measurement("x", 0.5, 0.4, 0.6, 9), Measurement("x", 0.3, 0.2, 0.35, 9)
    >>> more_is("a", "b", 1)({"a": (half,), "b": (third,)}).verdict
    'agrees'
    """

    def judge(measured: Measured) -> Finding:
        one, two = measured[first][place], measured[second][place]
        found = 0
        if one.low is not None and two.high is not None and one.low > two.high:
            found = 1
        elif one.high is not None and two.low is not None and one.high < two.low:
            found = -1
        verdict = AGREES if found == agreeing else CONTRADICTS if found else CANNOT_BE_TOLD
        return Finding(verdict, f"{first}: {told(one)}; {second}: {told(two)} of games won.")

    return judge


def more_than_their_part(shares: Sequence[tuple[Measurement, int]]) -> str:
    """Return whether shares of games, each at a table of so many players, are all above even.

    A share that is too near to all games for an interval says nothing here.

    >>> high, wide = Measurement("x", 0.6, 0.55, 0.65, 9), Measurement("x", 0.6, 0.45, 0.75, 9)
    >>> more_than_their_part([(high, 2), (high, 4)]), more_than_their_part([(high, 2), (wide, 2)])
    ('agrees', 'cannot be told')
    """
    if any(figure.high is not None and figure.high * players < 1 for figure, players in shares):
        return CONTRADICTS
    if all(figure.low is not None and figure.low * players > 1 for figure, players in shares):
        return AGREES
    return CANNOT_BE_TOLD
