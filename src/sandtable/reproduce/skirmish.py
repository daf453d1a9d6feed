"""The published tables of Skirmish, played again, and the same match-ups on generated levels."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from importlib.resources import files
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.chunks import MatchPlan, Player, make_plan
from sandtable.arena.loop import hook
from sandtable.errors import SandtableError
from sandtable.registry import agent_names, make_agent
from sandtable.reproduce.running import Report, Settings
from sandtable.reproduce.wins import GamesWon, Wins, WinsRow
from sandtable.specs import Spec, parse_spec

__all__ = ["reproduce"]

SEATS = ("first", "second")
SETS = ("seen", "unseen")
LEVELS, QUICK_LEVELS = 100, 8  # generated ones
REPEATS, QUICK_REPEATS = 20, 2  # of the published games, for agents that throw dice
SEEDS_APART = 1_000_000  # between the generated levels of one seed and of the next
PREPARING = Lock()  # kernels are put together by one thread at a time, and compiled once
NOTES = (
    "10 and 4 games prove little: one game more or less is chance for every agent that throws "
    "dice or was trained with them. The simple opponent's row is the exception. Both sides are "
    "deterministic, so it must come out exactly, and more games on these levels cannot be had.",
    "The opponent plays with the published accounting and may pass although it has moves; so may "
    "the simple opponent. An empty board counts as won by the second player, as published.",
    "Generated levels are new to every agent. Each is played from both sides against every "
    "budget of the opponent, and the intervals take a level as one draw.",
)


@dataclass(frozen=True)
class Meeting:
    """Games of one agent against one opponent on one level, in one seat."""

    part: str  # seen, unseen or generated
    level: str
    seat: int  # of the agent
    budget: int  # of the opponent
    games: int


@dataclass
class Tally:
    """The games of one row as they come in."""

    meetings: list[Meeting]
    won: dict[Meeting, NDArray[np.bool_]] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything has been played."""
        return len(self.won) == len(self.meetings)

    def games_won(self, part: str, budget: int) -> NDArray[np.float64]:
        """Return which games were won [meeting, repeat]."""
        rows = [
            self.won[each] for each in self.meetings if (each.part, each.budget) == (part, budget)
        ]
        return np.array(rows, dtype=np.float64)


def reproduce(settings: Settings, report: Report) -> Wins:
    """Play every row whose agent is installed against the constant opponent."""
    table = published_table()
    rows: list[WinsRow] = []
    problems: list[str] = []
    complete = True
    for row in table["rows"]:
        obstacle, problem = obstacle_of(row["spec"])
        if row.get("slow") and settings.quick and not obstacle:
            obstacle = "not in --quick"  # a network at every leaf: minutes a game, not moments
        problems += [f"{row['label']}: {problem}"] if problem else []
        answer = published_row(row, obstacle or "broken off")
        if not obstacle and complete:
            tally = Tally(meetings_of(row, table, settings))
            with report(row["label"], sum(each.games for each in tally.meetings)) as progress:
                play_meetings(tally, row, table, settings, progress)
            complete = tally.complete
            if complete:
                answer = answered(answer, tally, table["opponent_budgets"], row.get("draws", False))
        rows.append(answer)
    return Wins(
        game="skirmish",
        title=table["title"],
        source=table["source"],
        seed=settings.seed,
        rows=tuple(rows),
        complete=complete,
        notes=(*problems, *NOTES),
        budgets=tuple(table["opponent_budgets"]),
    )


def obstacle_of(spec: str) -> tuple[str, str]:
    """Return why an agent cannot play, in a few words and in full; nothing if it can."""
    if parse_spec(spec).name not in agent_names("skirmish"):
        return "no agent yet", ""
    try:
        close = hook(make_agent(spec), "close")
    except SandtableError as problem:  # one broken agent must not keep the others from playing
        return "cannot play", str(problem)
    close()
    return "", ""


def published_table() -> dict[str, Any]:
    """Read the published figures and how they were come by."""
    text = (files(__package__) / "published" / "skirmish.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def meetings_of(row: dict[str, Any], table: dict[str, Any], settings: Settings) -> list[Meeting]:
    """List what one row plays; ``--games`` is shared out over the budgets and the sides."""
    budgets = table["opponent_budgets"]
    published_games = sum(len(table[f"{part}_levels"]) for part in SETS) * 2 * len(budgets)
    levels, repeats = (QUICK_LEVELS, QUICK_REPEATS) if settings.quick else (LEVELS, REPEATS)
    if settings.games:
        levels = max(2, settings.games // (2 * len(budgets)))
        repeats = max(1, settings.games // published_games)
    first = settings.seed * SEEDS_APART
    chosen = {
        "seen": table["seen_levels"],
        "unseen": table["unseen_levels"],
        "generated": [f"random-{number}" for number in range(first, first + levels)],
    }
    return [
        Meeting(part, level, seat, budget, repeats if row.get("draws") and part in SETS else 1)
        for part, names in chosen.items()
        for budget in budgets
        for level in names
        for seat in range(2)
    ]


def plan_of(
    meeting: Meeting, row: dict[str, Any], table: dict[str, Any], settings: Settings
) -> MatchPlan:
    """Seat the agent and its opponent; those with the published accounting may pass freely."""
    opponent = parse_spec(table["opponent"])
    opponent = replace(opponent, options={**opponent.options, "budget": str(meeting.budget)})
    specs = [parse_spec(row["spec"]), opponent]
    if meeting.seat == 1:
        specs.reverse()
    passing = [seat for seat, spec in zip(SEATS, specs, strict=True) if passes(spec)]
    who = "both" if len(passing) == 2 else passing[0]
    game = f"skirmish:level={meeting.level},passes={who},{table['options']}"
    return make_plan(game, [str(spec) for spec in specs], meeting.games, settings.seed)


def passes(spec: Spec) -> bool:
    """Say whether an agent passes of its own will, as the published program does."""
    return spec.options.get("ordering") == "published"


def play_meetings(
    tally: Tally,
    row: dict[str, Any],
    table: dict[str, Any],
    settings: Settings,
    progress: Callable[[int], None],
) -> None:
    """Play all meetings, ``jobs`` of them side by side; Ctrl-C leaves the rest unplayed."""

    def play(meeting: Meeting) -> tuple[Meeting, NDArray[np.bool_]]:
        with PREPARING:
            player = Player(plan_of(meeting, row, table, settings))
            player.warm_up()
        try:
            chunks = [player.play(number, 1, False) for number in range(meeting.games)]
        finally:
            player.close()
        return meeting, np.array([chunk.scores[0, meeting.seat] > 0 for chunk in chunks])

    with ThreadPoolExecutor(settings.jobs) as pool:
        running = {pool.submit(play, meeting) for meeting in tally.meetings}
        try:
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    meeting, won = future.result()
                    tally.won[meeting] = won
                    progress(meeting.games)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def published_row(row: dict[str, Any], note: str) -> WinsRow:
    """Return a row with nothing of ours in it yet."""
    published = {part: tuple(row[part]) for part in SETS}
    return WinsRow(row["agent"], row["label"], row["spec"], published, note=note)


def answered(row: WinsRow, tally: Tally, budgets: Sequence[int], draws: bool) -> WinsRow:
    """Put what was played beside the published row; with dice, also all repeated games."""
    first = {
        part: tuple(int(tally.games_won(part, budget)[:, 0].sum()) for budget in budgets)
        for part in SETS
    }
    repeated = None
    if draws:
        repeated = {
            part: tuple(GamesWon.of_games(tally.games_won(part, budget)) for budget in budgets)
            for part in SETS
        }
    by_level = np.stack(  # [budget, level] share of both sides' games
        [tally.games_won("generated", each).reshape(-1, 2).mean(axis=1) for each in budgets]
    )
    return replace(row, ours=first, repeated=repeated, by_level=by_level, note="")
