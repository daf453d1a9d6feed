"""The published matches of Gravwell, played again, with inert tractors and with the true rule."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.match import MatchResult
from sandtable.arena.play.plan import make_plan
from sandtable.arena.statistics.equal_players import (
    chance_of_equal,
    games_until_equal,
    typical_games,
)
from sandtable.arena.statistics.intervals import estimate_grouped_share, win_shares
from sandtable.errors import SandtableError
from sandtable.games.gravwell.layout import GATE
from sandtable.games.gravwell.published_shares import (
    INERT,
    ROUNDING,
    TRUE,
    EqualPlayers,
    SharesRow,
    WonShares,
)
from sandtable.registry import agent_names, make_agent
from sandtable.reproduce.comparison import Figure
from sandtable.reproduce.run import Report, Settings, play_row_match, wanted_rows
from sandtable.specs import parse_spec

__all__ = ["reproduce"]

GAMES, QUICK_GAMES = 10_000, 500
SLOW_GAMES, QUICK_SLOW_GAMES = 2_000, 20  # of agents that search
EXPERIMENTS, QUICK_EXPERIMENTS = 6, 1
EXPERIMENT_GAMES = 20_000  # enough for 30 trials of 660 games
EQUAL = "equal-players"  # the name of that row
REARMOST = "rearmost"  # who won after six rounds in the authors' program
NOTES = (
    "The authors' program computed the direction of a ship to itself when a tractor was played, so "
    "tractors did nothing in all published games. The first table is played so; the second has "
    "the rule that their report describes.",
    "The published four-way shares do not come from the winners by the rules. They fit a version "
    "of the program in which the rearmost ship won after six rounds and the two random players "
    "had changed names. So there are three rows: the match as the report names it; with the random "
    "player that stops in the last seat, beside what the authors' program gives by true winners; "
    "and the same games judged the wrong way round, beside the published shares.",
    "What is left of the difference to the authors' program is in the agents: their Q-learner went "
    "on learning, and their network is not known. With a random player without stop in its place, "
    "which plays no worse, the shares were 38.1, 29.9, 17.5 and 14.6 (10,000 games, seed 0).",
    "Tables 2 to 5 are from one run of 2,000 games each, while the player went on learning: "
    "differences below 3 points between two such runs are chance. Ours are matches of tables that "
    "were learned before.",
    "Seats are alike in this game: cards are chosen in secret, and who drafts first is decided by "
    "the places of the ships. So the agents keep their seats.",
)


def reproduce(settings: Settings, report: Report) -> WonShares:
    """Play every wanted match whose agents are installed, under both tractor rules."""
    table = json.loads((files(__package__) / "published.json").read_text("utf-8"))
    names = wanted_rows(settings, [*(row["row"] for row in table["rows"]), EQUAL])
    rows: list[SharesRow] = []
    equal: list[EqualPlayers] = []
    problems: list[str] = []
    complete = True
    for tractor in (INERT, TRUE):
        for row in table["rows"]:
            if row["row"] not in names:
                continue
            obstacle, problem = obstacle_of(row["agents"])
            problems += [f"{row['label']}: {problem}"] if problem and tractor == INERT else []
            result = None
            if not obstacle and complete:
                result = play_row(row, tractor, settings, report)
                complete = result.complete
            rows.append(answered(row, tractor, result, obstacle or "broken off"))
        if EQUAL in names and complete:
            equal += equal_players(table["equal_players"], tractor, settings, report)
    return WonShares(
        game="gravwell",
        title=table["title"],
        source=table["source"],
        seed=settings.seed,
        rows=tuple(rows),
        complete=complete,
        notes=(*problems, *NOTES),
        equal=tuple(equal),
    )


def obstacle_of(agents: Sequence[str]) -> tuple[str, str]:
    """Return why one of the agents cannot play, in a few words and in full; nothing if all can."""
    installed = agent_names("gravwell")
    for spec in agents:
        if parse_spec(spec).name not in installed:
            return "no agent yet", ""
        try:
            make_agent(spec).close()
        except SandtableError as problem:  # one broken agent must not keep the others from playing
            return "cannot play", str(problem)
    return "", ""


def play_row(row: dict[str, Any], tractor: str, settings: Settings, report: Report) -> MatchResult:
    """Play one match under one rule."""
    usual, quick = (SLOW_GAMES, QUICK_SLOW_GAMES) if row.get("slow") else (GAMES, QUICK_GAMES)
    games = settings.games or (quick if settings.quick else max(usual, row.get("games", 0)))
    plan = make_plan(game_spec(4, tractor), row["agents"], games, settings.seed)
    label = f"{row['label']}, tractor {tractor}"
    return play_row_match(plan, label, settings, report, every_game=row.get("judge") == REARMOST)


def game_spec(players: int, tractor: str) -> str:
    """Return the spec string of the game."""
    return f"gravwell:players={players},tractor={tractor}"


def answered(
    row: dict[str, Any], tractor: str, result: MatchResult | None, waits: str
) -> SharesRow:
    """Put one published match beside ours."""
    published = row.get("published", {"games": 1, "shares": []})
    ours: tuple[Figure, ...] = ()
    positions: tuple[Figure, ...] = ()
    if result is not None and result.complete:
        ours = tuple(Figure.of(seat.wins) for seat in result.seats if seat.wins)
        if row.get("judge") == REARMOST:
            ours = tuple(
                Figure.of(estimate_grouped_share(shares))
                for shares in rearmost_shares(result.measured[:, :, 0]).T
            )
        positions = tuple(Figure.of(seat.measures[0]) for seat in result.seats)
    return SharesRow(
        row=row["row"],
        label=row["label"],
        short=row["short"],
        agents=tuple(row["agents"]),
        tractor=tractor,
        published=tuple(
            published_figure(share, published["games"]) for share in published["shares"]
        ),
        below=row.get("below"),
        program=program_figures(row, tractor),
        ours=ours,
        positions=positions,
        note="" if ours else waits,
    )


def rearmost_shares(tiles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return who had won [game, seat] if, without a ship in the gate, the rearmost one did.

    ``tiles`` [game, seat] are the end positions; equal ones share the win.

    >>> rearmost_shares(np.array([[54.0, 3.0], [20.0, 10.0]])).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    gate = (tiles == GATE).any(axis=1, keepdims=True)
    best = np.where(gate, tiles.max(axis=1, keepdims=True), tiles.min(axis=1, keepdims=True))
    winners = tiles == best
    shares: NDArray[np.float64] = winners / winners.sum(axis=1, keepdims=True)
    return shares


def published_figure(share: float, games: int) -> Figure:
    """Return a published share with the interval of its games, and how far it is rounded."""
    rounded = math.isclose(share, round(share, 2), abs_tol=1e-9)
    rounding = ROUNDING if rounded else 0.0
    return replace(Figure.of_share(share, games), rounding=rounding)


def program_figures(row: dict[str, Any], tractor: str) -> tuple[Figure | float, ...]:
    """Return what the authors' program gives, run again."""
    if tractor in row.get("program", {}):
        share, low, high = row["program"][tractor]
        return (Figure(share, low, high, games=0),)
    return tuple(row.get("program_shares", {}).get(tractor, ()))


def equal_by_wins(
    table: dict[str, Any], players: int, tractor: str, wins: NDArray[np.float64]
) -> EqualPlayers:
    """Ask the same of games won, which the report gave up: 320 were too few even with 10%."""
    leeway, tried = table["wins"]["leeway"], table["wins"]["failed_with"]
    passed = chance_of_equal(wins, tried, leeway)
    found = games_until_equal(wins, leeway, table["trials"])
    typical = typical_games(wins, leeway, table["trials"])
    return EqualPlayers(
        players, tractor, tried, (found.games,), typical, "games won", leeway, passed.mean
    )


def equal_players(
    table: dict[str, Any], tractor: str, settings: Settings, report: Report
) -> list[EqualPlayers]:
    """Find out how many games equal players need to look equal, for each number of players."""
    results = []
    experiments = QUICK_EXPERIMENTS if settings.quick or settings.games else EXPERIMENTS
    for players, published in table["published"].items():
        games = experiments * EXPERIMENT_GAMES
        agents = ["random"] * int(players)
        plan = make_plan(game_spec(int(players), tractor), agents, games, settings.seed)
        label = f"{players} equal players, tractor {tractor}"
        result = play_row_match(plan, label, settings, report, every_game=True)
        if not result.complete:
            break
        tiles = result.measured[:, :, 0]
        each = [tiles[first::experiments] for first in range(experiments)]
        leeway, trials = table["leeway"], table["trials"]
        firsts = tuple(games_until_equal(values, leeway, trials).games for values in each)
        typical = typical_games(tiles, leeway, trials)
        results.append(EqualPlayers(int(players), tractor, published, firsts, typical))
        results.append(equal_by_wins(table, int(players), tractor, win_shares(result.scores)))
    return results
