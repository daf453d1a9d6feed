"""The published table of Operation Lucid, played again."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from sandtable.agent import offers
from sandtable.arena.play.match import MatchResult
from sandtable.arena.play.plan import make_plan
from sandtable.games.lucid.learning.expert_database import unseen_seed
from sandtable.registry import agent_factory, agent_names
from sandtable.reproduce.comparison import ComparedMeans, Comparison, Figure
from sandtable.reproduce.run import Report, Settings, play_row_match, wanted_rows
from sandtable.specs import parse_spec

__all__ = ["reproduce"]

GAMES = 100_000
QUICK_GAMES = 10_000
TOLERANCE = 0.5  # units by which means may differ that are said to agree
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
    "lucid/champion-blue, since the human's are not public, and so does the semantic agent; ours "
    "of the semantic agents from 300 other games of it. They, and the constraint agent, also "
    "choose with another evaluator. Their means are not expected to agree.",
    "The published imitation agents look positions up as they were played; ours, in rows of "
    "their own, mirrored as well. The report counts 632 entries from 20 games. That cannot be "
    "Blue's turns alone, of which 20 games have about 360: the bundled games have 654 entries "
    "mirrored, and about 700 with the turns of both sides.",
    "Rows of agents that learnt from expert games are played with dice that no expert game had "
    "(the seed is raised by two): game 3 of a seed has the same dice whoever plays it, and who "
    "imitates the expert with the expert's own dice repeats the game.",
    "The semantic agent as published ranks categories by the networks' outputs, lets units that no "
    "category claims stay, and learns from 20 games in which every move has a label. The networks "
    "come from one training (seed 0); how much another seed changes is the study semantic-seeds.",
    "The paper of 2001 gives no deviations and no intervals. Those of its rows are the report's "
    "deviations over the same numbers of games; the figure of its lookup agent is that of the "
    "report's second one, at a tenth of its time.",
)


def games_of(agent: str, settings: Settings) -> int:
    """Return how many games a row gets if nobody says."""
    compiled = offers(agent_factory(parse_spec(agent).name), "policy")
    if settings.quick:
        return QUICK_GAMES if compiled else QUICK_GAMES_IN_PYTHON
    return GAMES if compiled else GAMES_IN_PYTHON


def seed_of(agent: str, settings: Settings) -> int:
    """Return the seed of a row: agents that learnt from games get dice they have not met there."""
    compiled = offers(agent_factory(parse_spec(agent).name), "policy")
    return settings.seed if compiled else unseen_seed(settings.seed)


def row_name(row: dict[str, Any]) -> str:
    """Return by what a row is asked for: its agent, or a name where that has several options.

    >>> row_name({"agent": "lucid/semantic"})
    'lucid/semantic'
    """
    return str(row.get("name") or row.get("agent", ""))


def reproduce(settings: Settings, report: Report) -> ComparedMeans:
    """Play every row whose agent is installed against the published opponent."""
    table = json.loads((files(__package__) / "published.json").read_text("utf-8"))
    installed = set(agent_names("lucid"))
    rows: list[Comparison] = []
    known: dict[str, MatchResult] = {}  # an agent with figures in both papers plays once
    complete = True
    names = wanted_rows(settings, [row_name(row) for row in table["rows"] if row.get("agent")])
    published_rows = [row for row in table["rows"] if not settings.rows or row_name(row) in names]
    for row in published_rows:
        playable = bool(row.get("agent")) and parse_spec(row["agent"]).name in installed
        result = None
        if playable and row["agent"] in known:
            result = known[row["agent"]]
        elif playable and complete:
            games = settings.games or games_of(row["agent"], settings)
            seed = seed_of(row["agent"], settings)
            plan = make_plan("lucid", [row["agent"], table["opponent"]], games, seed)
            result = play_row_match(plan, row["label"], settings, report)
            known[row["agent"]] = result
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
    published = None
    if "mean" in row:  # otherwise an agent of ours, for which no figure was published
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
        return Comparison(row["label"], agent, published, note=waits, tolerance=TOLERANCE)
    blue = result.seats[0]
    played = result.games - result.resumed
    seconds = result.jobs * result.seconds / played if played else None  # of one worker
    adjusted = Figure.of(blue.adjusted) if blue.adjusted else None
    ours = Figure.of(blue.score, seconds)
    return Comparison(row["label"], agent, published, ours, adjusted, tolerance=TOLERANCE)
