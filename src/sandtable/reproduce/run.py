"""How a reproduction is run, for whichever game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from sandtable.arena.play.match import MatchResult, play_match
from sandtable.arena.play.plan import MatchPlan
from sandtable.arena.play.run import RunOptions
from sandtable.errors import SandtableError, suggestion
from sandtable.registry import game_names, load, registered
from sandtable.reproduce.reproduction import Reproduction

__all__ = [
    "Report",
    "Settings",
    "play_row_match",
    "reproducible_games",
    "run_reproduction",
    "wanted_rows",
]

# A label and a number of games -> a context in which games are counted as they are finished.
Report = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]

GROUP = "sandtable.reproductions"  # entry points: a game's name -> reproduce(settings, report)


@dataclass(frozen=True)
class Settings:
    """What a person can choose about a reproduction."""

    quick: bool = False  # a fraction of the games, for a first look
    games: int | None = None  # a number of games for each row instead of the usual
    seed: int = 0
    jobs: int | None = 1  # None: one, or on a cluster all its processors
    cluster: str | None = None  # address of a Ray cluster
    rows: tuple[str, ...] = ()  # the agents whose rows are played; () all of them
    kept: Path | None = None  # where games are kept, so that a broken-off run goes on there
    journals: list[Path] | None = None  # of rows that are played, to be removed at the end

    @property
    def run_options(self) -> RunOptions:
        """Where the games are played, which has no influence on their results."""
        return RunOptions(jobs=self.jobs, cluster=self.cluster)


def play_row_match(
    plan: MatchPlan, label: str, settings: Settings, report: Report, *, every_game: bool = False
) -> MatchResult:
    """Play a row that is one match; ``every_game`` keeps the single games of a long one too.

    >>> from contextlib import nullcontext
    >>> from sandtable.arena.play.plan import make_plan
    >>> plan = make_plan("lucid", ["random", "lucid/axes-red"], games=2, seed=0)
    >>> quiet = lambda label, games: nullcontext(lambda count: None)
    >>> play_row_match(plan, "a row", Settings(), quiet).games
    2
    """
    with report(label, plan.games) as progress:
        return play_match(
            plan,
            jobs=settings.jobs,
            cluster=settings.cluster,
            progress=progress,
            journals=settings.journals,
            every_game=every_game,
        )


def wanted_rows(settings: Settings, names: Sequence[str]) -> set[str]:
    """Return the rows that were asked for out of all there are.

    >>> sorted(wanted_rows(Settings(rows=("b",)), ["a", "b"]))
    ['b']
    """
    for row in settings.rows:
        if row not in names:
            raise SandtableError(
                f"there is no row '{row}' (there are {', '.join(names)})." + suggestion(row, names)
            )
    return set(settings.rows or names)


def reproducible_games() -> list[str]:
    """Return the installed games that have published tables.

    >>> "lucid" in reproducible_games()
    True
    """
    return [name for name in game_names() if name in registered(GROUP)]


def run_reproduction(game: str, settings: Settings, report: Report) -> Reproduction:
    """Play the published match-ups of one game."""
    if game not in registered(GROUP):
        known = ", ".join(reproducible_games())
        raise SandtableError(
            f"there are no published tables for '{game}' (there are for: {known})."
            + suggestion(game, reproducible_games())
        )
    result: Reproduction = load(GROUP, "reproduction", game)(settings, report)
    return result
