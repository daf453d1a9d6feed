"""Studies of the champion: with how many players it wins, and what its parts are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandtable.games.gravwell.studies.oracle import STUDY as ORACLE
from sandtable.games.gravwell.studies.shares import (
    SHARE,
    TRUE,
    match_variant,
    more_is,
    more_than_their_part,
    told,
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
    score_against,
)

__all__ = ["STUDIES"]

CHAMPION = "gravwell/champion"
FIRST = f"{CHAMPION}:weights=first"
RANDOM = "random"
TREE = "gravwell/decision-tree"
GAMES, QUICK = 2000, 20

Measure = Callable[[Settings, Report], Sequence[Measurement]]


def shares_with(agent: str, tables: Sequence[tuple[int, str]]) -> Measure:
    """Return a measure of the games an agent wins: so many players, all others the same agent."""

    def measure(settings: Settings, report: Report) -> Sequence[Measurement]:
        found = []
        for players, others in tables:
            estimate = score_against(
                f"{TRUE}:players={players}",
                [agent, *[others] * (players - 1)],
                settings,
                report,
                games=GAMES,
                quick=QUICK,
                share=True,
            )
            found.append(Measurement.of(f"{SHARE} by {players} against {others}", estimate))
        return found

    return measure


def champion_with(players: int) -> Variant:
    """Return the champion with so many players, against random ones, trees and the first one."""
    tables = [(players, others) for others in (RANDOM, TREE, FIRST)]
    return Variant(f"players-{players}", f"{players} players", shares_with(CHAMPION, tables))


def left_out(name: str, title: str, options: str = "") -> Variant:
    """Return the champion without a part, with two and with four players."""
    tables = [(players, RANDOM) for players in (2, 4)]
    return Variant(name, title, shares_with(f"{CHAMPION}{options}", tables))


def first_part(name: str, title: str, options: str = "") -> Variant:
    """Return the first champion with a part left out, under both rules of tractors."""
    return match_variant(name, title, [f"{FIRST}{options}", *[RANDOM] * 3], GAMES)


def seats_won(measured: Measured) -> Finding:
    """Say whether the champion wins more than its part with every number of players."""
    shares = [(figure, int(name[-1])) for name, each in measured.items() for figure in each]
    words = "; ".join(f"{name}: {', '.join(map(told, each))}" for name, each in measured.items())
    others = "random players, trees and the first champion"
    return Finding(more_than_their_part(shares), f"Against {others}, {words}.")


def every_part_helps(measured: Measured) -> Finding:
    """Say which parts are worth something with four players: without them clearly less is won."""
    whole = measured["whole"][1]
    groups: dict[str, list[str]] = {"less": [], "more": [], "unclear": []}
    for name, figures in measured.items():
        part = figures[1]
        if name != "whole":
            group = "more" if clearly_below(whole, part) else "unclear"
            group = "less" if clearly_below(part, whole) else group
            groups[group].append(f"{name}: {told(part)}")
    less, more, unclear = ("; ".join(each) for each in groups.values())
    words = f"With four players whole: {told(whole)}; clearly less {less or 'none'}"
    words += f"; clearly more {more}" if more else ""
    words += f"; not told apart {unclear}." if unclear else "."
    return Finding(CONTRADICTS if more else CANNOT_BE_TOLD if unclear else AGREES, words)


def clearly_below(one: Measurement, other: Measurement) -> bool:
    """Say whether the interval of a figure lies below that of another; without one it does not."""
    return one.high is not None and other.low is not None and one.high < other.low


STUDIES: tuple[Study, ...] = (
    Study(
        "champion-players",
        "The champion with 2, 3 and 4 players",
        "ours",
        "it wins more than its part with any number of players, also against the first champion",
        tuple(champion_with(players) for players in (2, 3, 4)),
        seats_won,
        minutes=15,
    ),
    Study(
        "champion-without",
        "What is lost without a part of the champion",
        "ours",
        "every part is worth something",
        (
            left_out("whole", "all parts"),
            left_out("no-draft", "any stack", ":without=draft"),
            left_out("no-stop", "never stopping", ":without=stop"),
            left_out("no-habits", "others always taken to play at random", ":randomness=1"),
            left_out("no-look", "one guess of what the others play", ":samples=1"),
        ),
        every_part_helps,
        minutes=12,
    ),
    ORACLE,
    Study(
        "champion-parts",
        "What the parts of the first champion are worth",
        "ours",
        "every part is worth something",
        (
            first_part("whole", "200 deals for a card"),
            first_part("samples-50", "50 deals", ",samples=50"),
            first_part("samples-8", "8 deals", ",samples=8"),
            first_part("no-draft", "any stack", ",without=draft"),
            first_part("no-stop", "never stopping", ",without=stop"),
            first_part("neither", "neither", ",without=draft+stop"),
            first_part("all-habits", "others never play at random", ",randomness=0"),
        ),
        more_is("whole", "no-draft", 1),
        minutes=14,
    ),
)
