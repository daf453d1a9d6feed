"""The published table of Operation Lucid, played again."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from sandtable.agent import offers
from sandtable.arena.play.match import MatchResult
from sandtable.arena.play.plan import make_plan
from sandtable.registry import agent_factory, agent_names
from sandtable.reproduce.comparison import ComparedMeans, Comparison, Figure
from sandtable.reproduce.run import Report, Settings, play_row_match, wanted_rows

__all__ = ["reproduce"]

GAMES = 100_000
QUICK_GAMES = 10_000
GAMES_IN_PYTHON = 1000  # of agents that do not play inside kernels; as many as published
QUICK_GAMES_IN_PYTHON = 20
NOTES = (
    "The published deviations are not those of raw scores (about 2.8 for SimpleBlue and 3.6 for "
    "OneAxisBlue here): the authors reported scores freed of noise. Ours freed of luck are given "
    "beside the raw ones.",
    "The human expert played 20 games; 20 x 9.47 is not a whole number, so that mean too is not "
    "one of raw scores.",
    "The report leaves open whether AxesRed tests reinforcements from west and east together or "
    "each on their own. Here they are tested together; tested separately OneAxisBlue scores 5.53 "
    "(200,000 games), outside the published interval, and SimpleBlue the same either way.",
    "The imitation agents learn from another expert than the published ones did, 20 games of "
    "lucid/champion-blue, since the human's are not public; the semantic agent from 300 other "
    "games of it. They, and the constraint agent, also choose with another evaluator. Their means "
    "are not expected to agree.",
)


def games_of(agent: str, settings: Settings) -> int:
    """Return how many games a row gets if nobody says."""
    compiled = offers(agent_factory(agent), "policy")
    if settings.quick:
        return QUICK_GAMES if compiled else QUICK_GAMES_IN_PYTHON
    return GAMES if compiled else GAMES_IN_PYTHON


def reproduce(settings: Settings, report: Report) -> ComparedMeans:
    """Play every row whose agent is installed against the published opponent."""
    table = json.loads((files(__package__) / "published.json").read_text("utf-8"))
    installed = set(agent_names("lucid"))
    rows: list[Comparison] = []
    complete = True
    names = wanted_rows(settings, [row["agent"] for row in table["rows"] if row.get("agent")])
    published_rows = [
        row for row in table["rows"] if not settings.rows or row.get("agent") in names
    ]
    for row in published_rows:
        playable = row.get("agent") in installed
        result = None
        if playable and complete:
            games = settings.games or games_of(row["agent"], settings)
            plan = make_plan("lucid", [row["agent"], table["opponent"]], games, settings.seed)
            result = play_row_match(plan, row["label"], settings, report)
            complete = result.complete
        rows.append(compare(row, table["games"], result, playable))
    return ComparedMeans(
        game="lucid",
        title=table["title"],
        source=table["source"],
        seed=settings.seed,
        rows=tuple(rows),
        complete=complete,
        notes=NOTES,
    )


def compare(
    row: dict[str, Any], published_games: int, result: MatchResult | None, playable: bool
) -> Comparison:
    """Put one published row beside ours."""
    published = Figure(
        row["mean"],
        row["low"],
        row["high"],
        row.get("games", published_games),
        row["sd"],
        row.get("seconds_per_game"),
    )
    agent = row.get("agent")
    if result is None:
        waits = "broken off" if playable else "no agent yet" if agent else "a person"
        return Comparison(row["label"], agent, published, note=waits)
    blue = result.seats[0]
    played = result.games - result.resumed
    seconds = result.jobs * result.seconds / played if played else None  # of one worker
    adjusted = Figure.of(blue.adjusted) if blue.adjusted else None
    return Comparison(row["label"], agent, published, Figure.of(blue.score, seconds), adjusted)
