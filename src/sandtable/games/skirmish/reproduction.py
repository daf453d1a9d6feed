"""The published tables of Skirmish, played again, and the same match-ups on generated levels."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.kept_games import KeptGames
from sandtable.arena.play.plan import MatchPlan, make_plan
from sandtable.errors import SandtableError
from sandtable.games.skirmish.generator import judged_levels
from sandtable.games.skirmish.level_matches import LevelMatch, Tally, play_level_matches
from sandtable.registry import agent_names, make_agent
from sandtable.reproduce.games_won import GamesWon, Wins, WinsRow
from sandtable.reproduce.run import Report, Settings, wanted_rows
from sandtable.specs import Spec, parse_spec

__all__ = ["reproduce"]

SEATS = ("first", "second")
SETS = ("seen", "unseen")
LEVELS, QUICK_LEVELS = 100, 8  # generated ones
REPEATS, QUICK_REPEATS = 20, 2  # of the published games, for agents that throw dice
NOTES = (
    "10 and 4 games prove little: one game more or less is chance for every agent that throws "
    "dice or was trained with them. The simple opponent's row is the exception. Both sides are "
    "deterministic, so it must come out exactly, and more games on these levels cannot be had.",
    "The opponent plays with the published accounting and may pass although it has moves; so may "
    "the simple opponent. An empty board counts as won by the second player, as published.",
    "The DSL rows are trained as the thesis says and no more: preset `thesis`, one run each, "
    "with the layout of the author's network and the same meaning of an empty board in "
    "training and play. Those called ours are not the thesis's: preset `improved` has other "
    "hyper-parameters and watches games of the simple and of the constant opponent, its "
    "yardstick here, before its own; its self-play row is from an earlier state of that "
    "preset, and not to be compared with it.",
    "No agent has trained on a generated level that it is judged on, whatever the seed: "
    "training has a range of levels to itself. Each is played from both sides against every "
    "budget of the opponent, and the intervals take a level as one draw. The champion and the "
    "agents with a network at every leaf are slow: they play each level once from either "
    "side, the budget of the opponent going round, and their lead over the simple opponent is "
    "in the same games. The duel is against the simple opponent itself with the agent's own "
    "budget, on the same levels from both sides.",
    "DSL 5000 and DSL self-play 5000 were trained with 80 and 72 of the 100 games, and play the "
    "published levels alone.",
    "The champion is ours; nothing is published about it.",
)


def reproduce(settings: Settings, report: Report, *, kept_only: bool = False) -> Wins:
    """Play every wanted row whose agent is installed against the constant opponent.

    With ``kept_only`` nothing is played: a row that is not kept to its last game stays empty.
    """
    table = published_table()
    names = wanted_rows(settings, [row["agent"] for row in table["rows"]])
    wanted = [row for row in table["rows"] if row["agent"] in names]
    kept = KeptGames(settings.kept)
    answers: dict[str, WinsRow] = {}
    problems: list[str] = []
    complete = True
    for number, row in enumerate(sorted(wanted, key=slowness), start=1):
        obstacle, problem = obstacle_of(row["spec"])
        if slowness(row) and settings.quick and not settings.rows and not obstacle:
            obstacle = "not in --quick"
        problems += [f"{row['label']}: {problem}"] if problem else []
        if kept_only and not obstacle and games_missing(row, table, settings, kept):
            obstacle = "not played yet"
        answer = published_row(row, obstacle or "broken off")
        if not obstacle and complete:
            label = f"{row['label']} (row {number} of {len(wanted)})"
            tally = Tally(level_matches_of(row, table, settings))
            play_row(tally, row, table, settings, kept, bar(report, label))
            complete = tally.complete
            if complete:
                answer = answered(answer, row, tally, table["opponent_budgets"])
        answers[row["agent"]] = answer
    return Wins(
        game="skirmish",
        title=table["title"],
        source=table["source"],
        seed=settings.seed,
        rows=tuple(answers[row["agent"]] for row in wanted),
        complete=complete,
        notes=(*problems, *NOTES),
        budgets=tuple(table["opponent_budgets"]),
    )


def games_missing(
    row: dict[str, Any], table: dict[str, Any], settings: Settings, kept: KeptGames
) -> int:
    """Return how many games of a row are not kept from before."""
    plans = [
        plan_of(match, row, table, settings) for match in level_matches_of(row, table, settings)
    ]
    return sum(max(0, plan.games - len(kept.find(plan))) for plan in plans)


def slowness(row: dict[str, Any]) -> int:
    """Return which rows are played later, and not in a hurry: 1 seconds a game, 2 far more."""
    return int(row.get("slow", 0))


def obstacle_of(spec: str) -> tuple[str, str]:
    """Return why an agent cannot play, in a few words and in full; nothing if it can."""
    if parse_spec(spec).name not in agent_names("skirmish"):
        return "no agent yet", ""
    try:
        agent = make_agent(spec)
    except SandtableError as problem:  # one broken agent must not keep the others from playing
        return "cannot play", str(problem)
    agent.close()
    return "", ""


def published_table() -> dict[str, Any]:
    """Read the published figures and how they were come by."""
    text = (files(__package__) / "published.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def level_matches_of(
    row: dict[str, Any], table: dict[str, Any], settings: Settings
) -> list[LevelMatch]:
    """List what one row plays; ``--games`` is shared out over the budgets and the sides."""
    budgets = table["opponent_budgets"]
    published_games = sum(len(table[f"{part}_levels"]) for part in SETS) * 2 * len(budgets)
    levels, repeats = (QUICK_LEVELS, QUICK_REPEATS) if settings.quick else (LEVELS, REPEATS)
    if settings.games:
        levels = max(2, settings.games // (2 * len(budgets)))
        repeats = max(1, settings.games // published_games)
    generated = [f"random-{number}" for number in judged_levels(settings.seed, levels)]
    if row.get("published_levels_alone"):
        generated = []
    chosen = [
        ("seen", table["seen_levels"], budgets),
        ("unseen", table["unseen_levels"], budgets),
        ("generated", generated, budgets),
        ("duel", generated, [row["rival_budget"]] if "rival_budget" in row else []),
    ]
    return [
        LevelMatch(part, level, seat, budget, repeats if row.get("draws") and part in SETS else 1)
        for part, names, against in chosen
        for place, budget in enumerate(against)
        for number, level in enumerate(names)
        for seat in range(2)
        if part != "generated" or not slowness(row) or its_turn(place, number, seat, len(budgets))
    ]


def its_turn(place: int, number: int, seat: int, budgets: int) -> bool:
    """Say which budget of the opponent a slow agent meets on a level in a seat: they go round."""
    return place == (number + seat * budgets // 2) % budgets


def plan_of(
    match: LevelMatch, row: dict[str, Any], table: dict[str, Any], settings: Settings
) -> MatchPlan:
    """Seat the agent and its opponent; those with the published accounting may pass freely."""
    opponent = parse_spec(table["rival" if match.part == "duel" else "opponent"])
    opponent = replace(opponent, options={**opponent.options, "budget": str(match.budget)})
    specs = [parse_spec(row["spec"]), opponent]
    if match.seat == 1:
        specs.reverse()
    passing = [seat for seat, spec in zip(SEATS, specs, strict=True) if passes(spec)]
    who = "both" if len(passing) == 2 else passing[0]
    game = f"skirmish:level={match.level},passes={who},{table['options']}"
    return make_plan(game, [str(spec) for spec in specs], match.games, settings.seed)


def passes(spec: Spec) -> bool:
    """Say whether an agent passes of its own will, as the published program does."""
    return spec.options.get("ordering") == "published"


Bar = Callable[[int], AbstractContextManager[Callable[[int], None]]]


def bar(report: Report, label: str) -> Bar:
    """Return what shows the progress of one row, given the number of games to come."""
    return lambda games: report(label, games)


def play_row(
    tally: Tally,
    row: dict[str, Any],
    table: dict[str, Any],
    settings: Settings,
    kept: KeptGames,
    shown: Bar,
) -> None:
    """Play the games of a row that are not kept from before."""
    plans = {match: plan_of(match, row, table, settings) for match in tally.matches}
    for match, plan in plans.items():
        found = kept.find(plan)
        if len(found) == plan.games:
            tally.won[match] = np.array(found) > 0
    if tally.complete:
        return
    with shown(sum(each.games for each in tally.waiting)) as progress:

        def keep(match: LevelMatch, won: Sequence[bool]) -> None:
            kept.add(plans[match], 0, [float(each) for each in won])
            progress(match.games)

        play_level_matches(tally, plans, settings, keep)


def published_row(row: dict[str, Any], note: str) -> WinsRow:
    """Return a row with nothing of ours in it yet."""
    published = {part: tuple(row[part]) for part in SETS} if "seen" in row else None
    trained = "weights" in row
    return WinsRow(row["agent"], row["label"], row["spec"], published, note=note, trained=trained)


def answered(answer: WinsRow, row: dict[str, Any], tally: Tally, budgets: Sequence[int]) -> WinsRow:
    """Put what was played beside the published row; with dice, also all repeated games."""
    first = {
        part: tuple(int(tally.games_won(part, budget)[:, 0].sum()) for budget in budgets)
        for part in SETS
    }
    repeated = None
    if row.get("draws"):
        repeated = {
            part: tuple(GamesWon.of_games(tally.games_won(part, budget)) for budget in budgets)
            for part in SETS
        }
    by_level = None if row.get("published_levels_alone") else games_by_level(tally, budgets)
    duel = None
    if "rival_budget" in row:
        duel = tally.games_won("duel", row["rival_budget"]).reshape(-1, 2).mean(axis=1)
    return replace(answer, ours=first, repeated=repeated, by_level=by_level, duel=duel, note="")


def games_by_level(tally: Tally, budgets: Sequence[int]) -> NDArray[np.float64]:
    """Return the games won on generated levels [budget, level, seat]; nan was not played."""
    found = {each.level for each in tally.won if each.part == "generated"}
    levels = sorted(found, key=lambda level: (len(level), level))  # the same order in every row
    games = np.full((len(budgets), len(levels), len(SEATS)), np.nan)
    for each, won in tally.won.items():
        if each.part == "generated":
            games[budgets.index(each.budget), levels.index(each.level), each.seat] = won[0]
    return games
