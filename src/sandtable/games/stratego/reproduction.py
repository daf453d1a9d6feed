"""The published table of Stratego, played again under the paper's rules and under all rules."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.arena.play.game_loop import play_game
from sandtable.arena.play.kept_games import KeptGames
from sandtable.arena.play.match import open_run
from sandtable.arena.play.plan import Chunk, MatchPlan, PlanPlayer, make_plan
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.stratego.published_matches import MatchRow, MatchTable, ThinkingTime
from sandtable.registry import agent_names, make_agent, make_game
from sandtable.reproduce.run import Report, Settings, wanted_rows
from sandtable.specs import parse_spec
from sandtable.types import State

__all__ = ["reproduce"]

GAMES, QUICK_GAMES = 1000, 8
SEATS = 2
LEAST_KEPT = 100  # games of a row that is shown before all of its games are played
WEIGHTS = {path.name: path for path in Path(__file__).parent.glob("agents/*/weights/*.onnx")}
TIMED, QUICK_TIMED = 60, 12  # positions on which the time for a move is measured
TIMED_IN_A_GAME = 30  # of them, at most, out of one game of the baseline against itself
NOTES = (
    "Set-ups are drawn at random with the flag on the back row, as in the paper; both sides of "
    "a deal play both set-ups.",
    "The paper knows no draws: under its rules only 10,000 moves are one here. Under the others a "
    "game without an attack for 200 moves is drawn too, and so are 4,000 moves; two squares and "
    "endless chases are limited.",
    "Rows of version 1 were played by its reading of the two rules against repetition, which the "
    "option repetition=version-1 still plays; they will be played anew, by version 2, with the "
    "next champion.",
    "Strategy 1 and strategy 2 are as literal as the paper's text allows: networks of the presets "
    "`published` (padded boards, linear layers over all squares, no mirrored boards, games that "
    "end as in the paper), the likeliest legal move, minimax without anything against draws. How "
    "deep the search goes and how it deals with hidden ranks the paper does not tell.",
    "What is called ours has other networks and means against draws. The closed loop (strategy 2 "
    "trained on positions it meets itself, the paper's future work), strategy 2 with an evaluation "
    "made by hand, strategy 2 that follows moves of strategy 1 (stratego/value:follow=8) and the "
    "champion are ours as well; nothing is published about them.",
)


def reproduce(settings: Settings, report: Report, *, kept_only: bool = False) -> MatchTable:
    """Play every wanted match whose agents are installed, under the rules it is for.

    With ``kept_only`` nothing is played: rows have the games that are kept, if there are enough.
    """
    table = published_table()
    agents = {row["agent"]: row for row in table["agents"]}
    names = wanted_rows(settings, list(dict.fromkeys(match["agent"] for match in table["matches"])))
    obstacles = {name: obstacle_of(row) for name, row in agents.items()}
    kept = KeptGames(settings.kept)
    rows: list[MatchRow] = []
    complete = True
    for rules in table["rules"]:
        for match in table["matches"]:
            if match["agent"] not in names or rules["rules"] not in rules_of_match(match, table):
                continue
            pair = [agents[match[side]] for side in ("agent", "opponent")]
            row = published_row(match, pair, rules["rules"], table["games"])
            waits = why_not(pair, obstacles, settings)
            if settings.quick and not settings.rows and rules is not table["rules"][0]:
                waits = waits or "not in --quick"
            if not waits:
                playing_on = report if complete and not kept_only else None
                games = settings.games or match.get("games", GAMES)
                games = QUICK_GAMES if settings.quick and not settings.games else games
                plan = row_plan(pair, rules["game"], games, settings.seed)
                scores = play_row(row, plan, settings, kept, playing_on)
                if kept_only and not scores:
                    scores = scores_so_far(plan, kept)
                row = replace(row, scores=scores)
                broken_off = not scores and not kept_only
                waits = "" if scores else "broken off" if broken_off else "not played yet"
                complete = complete and not broken_off
            rows.append(replace(row, note=waits))
    playing = [agents[name] for name in agents if any(row.agent == name for row in rows)]
    playing = [row for row in playing if not why_not([row], obstacles, settings)]
    return MatchTable(
        game="stratego",
        title=table["title"],
        source=table["source"],
        seed=settings.seed,
        rows=tuple(rows),
        complete=complete,
        notes=(*problems_of(obstacles), *NOTES),
        rule_titles={rules["rules"]: rules["title"] for rules in table["rules"]},
        times=thinking_times(playing, table["rules"][0]["game"], settings) if complete else (),
    )


def published_table() -> dict[str, Any]:
    """Read the published figures and how they were come by."""
    text = (files(__package__) / "published.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def rules_of_match(match: dict[str, Any], table: dict[str, Any]) -> list[str]:
    """Return the sets of rules under which a match is played: those it names, or all."""
    every = [rules["rules"] for rules in table["rules"]]
    return str(match["rules"]).split() if "rules" in match else every


def row_plan(pair: Sequence[dict[str, Any]], game: str, games: int, seed: int) -> MatchPlan:
    """Return the plan of a row: both agents play both sides of every deal."""
    return make_plan(game, [str(row["spec"]) for row in pair], games, seed, rotate=True)


def obstacle_of(row: dict[str, Any]) -> tuple[str, str]:
    """Return why an agent cannot play, in a few words and in full; nothing if it can."""
    if parse_spec(row["spec"]).name not in agent_names("stratego"):
        return "no agent yet", ""
    if not all(name in WEIGHTS for name in weights_of(row)):
        return "no weights yet", ""
    try:
        make_agent(row["spec"]).close()
    except SandtableError as problem:  # one broken agent must not keep the others from playing
        return "cannot play", str(problem)
    return "", ""


def weights_of(row: dict[str, Any]) -> list[str]:
    """Return the files of weights an agent plays with."""
    return str(row.get("weights", "")).split()


def problems_of(obstacles: dict[str, tuple[str, str]]) -> list[str]:
    """Return in full why agents cannot play that are installed."""
    return [f"{agent}: {problem}" for agent, (_, problem) in obstacles.items() if problem]


def why_not(
    pair: Sequence[dict[str, Any]], obstacles: dict[str, tuple[str, str]], settings: Settings
) -> str:
    """Return in a few words why a match is not played; nothing if it is."""
    for row in pair:
        if obstacles[row["agent"]][0]:
            return obstacles[row["agent"]][0]
    if settings.quick and not settings.rows and any(row.get("slow") for row in pair):
        return "not in --quick"
    return ""


def published_row(
    match: dict[str, Any], pair: Sequence[dict[str, Any]], rules: str, games: int
) -> MatchRow:
    """Return a match with nothing of ours in it yet; what was published is about the paper's."""
    label = f"{pair[0]['label']} - {pair[1]['label']}"
    published = match.get("won") if rules == "paper" else None
    return MatchRow(match["agent"], match["opponent"], label, rules, published, games)


def play_row(
    row: MatchRow,
    plan: MatchPlan,
    settings: Settings,
    kept: KeptGames,
    report: Report | None,
) -> tuple[float, ...]:
    """Play the games of a match that are not kept from before; without a report, play none.

    Return the scores of all games, or nothing if some are missing.
    """
    scores = kept.find(plan)
    if len(scores) < plan.games and report is not None:
        with report(f"{row.label}, {row.rules} rules", plan.games) as progress:
            if scores:
                progress(len(scores))

            def keep(chunk: Chunk) -> None:
                if kept.has(plan, chunk.first):
                    return  # it is in the journal of a run that was stopped too
                kept.add(plan, chunk.first, scores_of_first(plan, chunk))
                progress(len(chunk.scores))

            play_rest(plan, settings, len(scores), keep)
        scores = kept.find(plan)
    return tuple(scores) if len(scores) == plan.games else ()


def scores_so_far(plan: MatchPlan, kept: KeptGames) -> tuple[float, ...]:
    """Return the scores of whole deals that are kept of a match, or nothing if they are few."""
    scores = kept.find(plan)
    whole = len(scores) // SEATS * SEATS
    return tuple(scores[:whole]) if whole >= LEAST_KEPT else ()


def play_rest(plan: MatchPlan, settings: Settings, first: int, keep: Any) -> None:
    """Play the games of a match from one on; Ctrl-C leaves the rest."""
    try:
        player = PlanPlayer(plan)
        if player.policies is None and settings.cluster is None:
            rehearse(player)
        with open_run([plan], settings.run_options, settings.journals, [first]) as run:
            for _, chunk in run.chunks():
                keep(chunk)
    except KeyboardInterrupt:
        return


def rehearse(player: PlanPlayer) -> None:
    """Let every agent move once: what has to be compiled is then there for all processes."""
    state = player.game.start(Dice(0))
    for agent in player.agents:
        dice = Dice(0, "rehearsal")
        agent.begin(player.game, state.turn, dice)
        agent.choose(state.view(state.turn), dice)


def scores_of_first(plan: MatchPlan, chunk: Chunk) -> list[float]:
    """Return the scores of the first agent of a plan, wherever it sat."""
    seats = [order.index(0) for order in plan.orders]
    places = [seats[(chunk.first + game) % len(seats)] for game in range(len(chunk.scores))]
    return [float(chunk.scores[game, seat]) + 0.0 for game, seat in enumerate(places)]  # no -0.0


def thinking_times(
    agents: Sequence[dict[str, Any]], game: str, settings: Settings
) -> tuple[ThinkingTime, ...]:
    """Measure how long the agents think about the same positions."""
    views = some_views(game, QUICK_TIMED if settings.quick else TIMED, settings.seed)
    times = []
    for row in agents:
        agent, dice = make_agent(row["spec"]), Dice(settings.seed, "thinking")
        agent.begin(views[0].game, views[0].turn, dice)
        agent.choose(views[0], dice)  # compiles or loads what is needed
        took = []
        for view in views:
            began = time.process_time()
            agent.choose(view, dice)
            took.append(1000 * (time.process_time() - began))
        agent.close()
        mean, slowest = float(np.mean(took)), float(np.max(took))
        label, published = row["label"], row.get("milliseconds")
        times.append(ThinkingTime(row["agent"], label, published, mean, slowest, len(views)))
    return tuple(times)


def some_views(game: str, count: int, seed: int) -> list[State]:
    """Return what the mover saw at all stages of games of the baseline against itself."""
    made = make_game(game)
    specs = ["stratego/baseline"] * len(made.seats)
    states: list[State] = []
    for number in range(-(-count // TIMED_IN_A_GAME)):
        agents = [make_agent(spec) for spec in specs]

        def watch(before: State, *others: Any) -> None:
            states.append(before)

        play_game(made, agents, specs=specs, seed=seed, number=number, watcher=watch)
    chosen = [states[round(place)] for place in np.linspace(0, len(states) - 1, count)]
    return [state.view(state.turn) for state in chosen]
