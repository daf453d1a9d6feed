"""What each rule of Operation Lucid is worth: one of them changed, everything else as published.

The report says what the rules stand for (2.2). Scenarios let one of them be changed; the same
generic agent plays both sides on every board, so that no agent knows the published rules best.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from sandtable.games.lucid.studies.measuring import REPORT, SCORE, gain
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

PLAYER = "montecarlo:samples=4"
GAMES, QUICK_GAMES = 120, 4
CHANGES = {  # name: the options of the game, and what is different
    "published": ("lucid", "the published game"),
    "no-supply": ("lucid:supply=off", "Blue needs no supply"),
    "supply-3": ("lucid:penalty=3", "a combat without supply costs Blue 3, not 1"),
    "defender-0": ("lucid:defender=0", "the defender has no advantage"),
    "defender-2": ("lucid:defender=2", "the defender has 2 more, not 1"),
    "alternate": ("lucid:right_to_move=alternate", "the sides move in turn"),
    "blue-60": ("lucid:right_to_move=60", "Blue moves 6 times in 10"),
}
EASIER, HARDER = ("no-supply", "defender-0"), ("supply-3", "defender-2")  # for Blue, who attacks


def measure(spec: str, settings: Settings, report: Report) -> Sequence[Measurement]:
    """Measure Blue's score in one variant of the game."""
    seats = [PLAYER, PLAYER]
    estimate = score_against(
        spec, seats, settings, report, games=GAMES, quick=QUICK_GAMES, label=spec
    )
    return [Measurement.of(SCORE, estimate)]


def judge(measured: Measured) -> Finding:
    """Say whether supply and defence weigh on the attacker, and what the order of moves does."""
    gains = {
        name: gain(measured["published"], measured[name], len(CHANGES) - 1)
        for name in CHANGES
        if name != "published"
    }
    told = "; ".join(f"{CHANGES[name][1]}: {change}" for name, change in gains.items())
    wrong = [name for name in EASIER if gains[name].high < 0]
    wrong += [name for name in HARDER if gains[name].low > 0]
    right = [name for name in EASIER if gains[name].low > 0]
    verdict = CONTRADICTS if wrong else AGREES if len(right) == len(EASIER) else CANNOT_BE_TOLD
    return Finding(verdict, f"Blue's score beside the published rules: {told}.")


STUDIES = (
    Study(
        "rule-changes",
        "What each rule is worth to Blue, between two players that know any rules",
        f"{REPORT}, section 2.2",
        "defending a place is an advantage, and an invader without supply is weaker; "
        "the drawn order of moves stands for the uncertainty of manoeuvre",
        tuple(
            Variant(name, title, partial(measure, spec)) for name, (spec, title) in CHANGES.items()
        ),
        judge,
        minutes=12.0,
    ),
)
