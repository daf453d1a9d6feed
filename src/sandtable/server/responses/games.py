"""What the server answers about itself, its games and the agents that play them."""

from __future__ import annotations

from sandtable.server.client_messages import Strict

__all__ = ["About", "AgentInfo", "GameFacts", "GameInfo", "LevelInfo", "Rules"]


class About(Strict):
    """What a server is."""

    version: str
    key_needed: bool
    external_allowed: bool
    addresses: list[str]  # under which other machines reach it, the best first


class GamePreset(Strict):
    """A game with options that a menu offers, and who sits where in it ('you', or an agent)."""

    spec: str
    title: str
    seats: list[str]


class OptionChoice(Strict):
    """One of the values of an option."""

    value: str
    title: str


class GameOption(Strict):
    """An option of a game in a form; without choices it is a number or text."""

    name: str
    title: str
    meaning: str
    default: str
    choices: list[OptionChoice] | None
    least: int | None
    most: int | None


class GameQuestion(Strict):
    """What a game itself answers about a position."""

    name: str
    title: str


class GameSeries(Strict):
    """Games against the same opponent, whose mean stands beside somebody else's."""

    name: str
    title: str
    spec: str
    seats: list[str]
    games: int
    about: str
    beside: float | None
    beside_low: float | None
    beside_high: float | None
    beside_name: str


class GameInfo(Strict):
    """A game that can be played."""

    name: str
    title: str
    summary: str
    hidden: bool
    chance: bool
    winners: bool
    presets: list[GamePreset]
    options: list[GameOption]
    questions: list[GameQuestion]
    series: list[GameSeries]
    seat_colours: list[str]


class LevelInfo(Strict):
    """An opponent: what it is called, who plays in each seat, and its rating where measured."""

    name: str
    title: str
    about: list[str]
    rating: float | None


class GameFacts(Strict):
    """A game with its options, and its opponents, the weakest first."""

    spec: str
    name: str
    title: str
    seats: list[str]
    titles: list[str]  # what people call the seats
    hidden: bool
    chance: bool
    winners: bool
    seat_colours: list[str]
    levels: list[LevelInfo]


class Rules(Strict):
    """The rules of a game as Markdown."""

    text: str


class AgentInfo(Strict):
    """An agent, and the seats it can take; with values it can judge positions."""

    name: str
    summary: str
    seats: list[str]
    explains: bool
    values: bool
    weights: list[str]  # files of the server that it can play with, as weights=@NAME
