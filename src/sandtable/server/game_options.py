"""The options of our games in the words of a form; other games offer a field for their spec."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandtable.games.stratego.names import SEAT_NAMES
from sandtable.games.stratego.options import OPTIONS

__all__ = ["options_of"]


@dataclass(frozen=True)
class FormOption:
    """One option: what it is called, what it means, and what can be chosen."""

    name: str
    title: str
    meaning: str
    default: str
    choices: tuple[tuple[str, str], ...] | None = None  # value, title; None: a number or text
    least: int | None = None
    most: int | None = None

    def as_data(self) -> dict[str, Any]:
        """Return it as it is told."""
        choices = self.choices
        return {
            "name": self.name,
            "title": self.title,
            "meaning": self.meaning,
            "default": self.default,
            "choices": None
            if choices is None
            else [{"value": value, "title": title} for value, title in choices],
            "least": self.least,
            "most": self.most,
        }


YES_NO = (("true", "Yes"), ("false", "No"))

SKIRMISH = (
    FormOption("level", "Level", "1 to 7, random- and a seed, or rows", "1"),
    FormOption(
        "start",
        "Start",
        "what stands on the map at the beginning",
        "full",
        (("full", "Towns and workers"), ("town-only", "Towns only"), ("random", "Drawn by dice")),
    ),
    FormOption(
        "both_empty",
        "Empty board",
        "what it means when nobody is left",
        "draw",
        (("draw", "A draw"), ("second", "Second wins")),
    ),
    FormOption("max_turns", "Most turns", "a draw after so many; 0: no limit", "0", None, 0, 1000),
    FormOption(
        "passes",
        "Passing",
        "who may pass although it has moves",
        "none",
        (("none", "Nobody"), ("first", "First"), ("second", "Second"), ("both", "Both")),
    ),
)

ORIGINS = (("random", "Random"), ("choose", "Chosen in play"), ("named", "Any with a name"))

STRATEGO = (
    FormOption(
        "variant",
        "Variant",
        "board and pieces",
        "classic",
        tuple((word, word.capitalize()) for word in OPTIONS["variant"].words),
    ),
    FormOption("setup", "Set-ups", "where both sides' come from", "random", ORIGINS),
    *(
        FormOption(
            seat.lower(),
            f"{seat}'s set-up",
            "instead, for one side",
            "",
            (("", "As both"), *ORIGINS),
        )
        for seat in SEAT_NAMES
    ),
    FormOption("long_scouts", "Long scouts", "scouts move any distance", "true", YES_NO),
    FormOption(
        "two_squares",
        "Two squares",
        "how often in a row a piece may go between two squares; 0: no limit",
        "3",
        None,
        0,
        OPTIONS["two_squares"].high,
    ),
    FormOption("more_squares", "No endless chases", "they are forbidden", "true", YES_NO),
    FormOption(
        "no_attack",
        "Quiet moves",
        "a draw after so many without attack; 0: never",
        "200",
        None,
        0,
        OPTIONS["no_attack"].high,
    ),
    FormOption(
        "max_plies",
        "Most moves",
        "a draw after so many",
        "4000",
        None,
        1,
        OPTIONS["max_plies"].high,
    ),
)

GRAVWELL = (
    FormOption(
        "players", "Players", "two to four", "4", (("2", "Two"), ("3", "Three"), ("4", "Four"))
    ),
    FormOption(
        "tractor",
        "Tractors",
        "whether tractor cards pull",
        "true",
        (("true", "Working"), ("inert", "Inert")),
    ),
)

BY_GAME = {"skirmish": SKIRMISH, "stratego": STRATEGO, "gravwell": GRAVWELL}


def options_of(game: str) -> list[dict[str, Any]]:
    """Return the options of a game as data."""
    return [option.as_data() for option in BY_GAME.get(game, ())]
