"""``sandtable archive``: what games are kept, search, and moving them between files and servers."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import (
    EXIT_STOPPED,
    complete_agent,
    complete_game,
    new_command,
    place_name,
)
from sandtable.cli.options import ReportOption
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.records.archive import Archive
    from sandtable.records.queries import ExperimentFacts, Played, Wanted
    from sandtable.records.record import Record
    from sandtable.reports.pages import Sheet

__all__ = ["stats_sheet"]

command = new_command()

GAMES_AT_A_TIME = 2000
NO_DICE = "without dice games may be copies of each other (`sandtable ratings` tells them apart)"
SAME = "several experiments threw the same dice (`sandtable ratings` allows for that)"

ARCHIVE = typer.Argument(
    ...,
    envvar="SANDTABLE_ARCHIVE",
    help="A database file, or postgresql://USER:PASSWORD@HOST/DATABASE.",
)
GAME = typer.Option(None, "--game", "-g", help="Of this game.", autocompletion=complete_game)
AGENT = typer.Option(
    [], "--agent", "-a", help="In which this agent plays; again: and this.",
    autocompletion=complete_agent,
)  # fmt: skip
EXPERIMENT = typer.Option(None, "--experiment", "-e", help="Of this experiment.")
SEED = typer.Option(None, "--seed", "-s", help="Of this seed.")
REASON = typer.Option(None, "--reason", help="That ended for a reason with these words in it.")
FORFEITED = typer.Option(None, "--forfeited/--not-forfeited", help="Forfeited ones, or others.")
FINISHED = typer.Option(None, "--finished/--broken-off", help="Finished ones, or others.")
SHORTEST = typer.Option(None, "--shortest", min=0, help="Of at least so many actions.")
LONGEST = typer.Option(None, "--longest", min=0, help="Of at most so many actions.")


@command.callback()
def archive() -> None:
    """Look into an archive of games, search it, and move games in and out.

    An archive is a database file, or a PostgreSQL server that several machines share; `match`,
    `tournament` and `sprt` fill it with --archive. The variable SANDTABLE_ARCHIVE names the usual
    one.

    Examples:

      sandtable archive list games.db --game lucid

      sandtable archive search games.db --agent lucid/axes-red --forfeited

      sandtable archive export games.db games.parquet --game skirmish

      sandtable archive import postgresql://me@server/games games.db more.jsonl

      sandtable archive stats games.db
    """


def opened(place: str) -> Archive:
    """Open an archive that is there."""
    from sandtable.records.archive import Archive

    if place.lower().endswith((".jsonl", ".parquet")):
        raise SandtableError(
            f"{place} is no archive; 'sandtable archive import ARCHIVE {place}' puts its games "
            "into one"
        )
    return Archive.open(place, create=False)


@command.command("list")
def list_experiments(
    place: str = ARCHIVE,
    game: str | None = GAME,
    agent: list[str] = AGENT,
    seed: int | None = SEED,
) -> None:
    """List the experiments: games of the same rules, agents and seed."""
    from rich.console import Console

    from sandtable.cli.tables import terminal_table
    from sandtable.records.queries import Wanted
    from sandtable.reports.pages import Line, Sheet

    store = opened(place)
    facts = store.experiments(Wanted(game=game, agents=tuple(agent), seed=seed))
    store.close()
    lines = []
    for each in facts:
        pieces = each.games - each.finished
        count = f"{each.games:,}" + (f" ({pieces:,} broken off)" if pieces else "")
        agents, since = " - ".join(each.agents), (each.added or "")[:10]
        cells = (each.experiment, each.game, agents, str(each.seed), count, f"{each.forfeited:,}")
        lines.append(Line((*cells, since)))
    headings = ("experiment", "game", "agents", "seed", "games", "forfeited", "since")
    words = frozenset({"experiment", "game", "agents", "since"})
    console = Console()
    if facts:
        console.print(terminal_table(Sheet(headings, tuple(lines), words)))
    total = sum(each.games for each in facts)
    console.print(
        f"{counted(total, 'game')} of {counted(len(facts), 'experiment')}", highlight=False
    )


@command.command()
def search(
    place: str = ARCHIVE,
    game: str | None = GAME,
    agent: list[str] = AGENT,
    experiment: str | None = EXPERIMENT,
    seed: int | None = SEED,
    reason: str | None = REASON,
    forfeited: bool | None = FORFEITED,
    finished: bool | None = FINISHED,
    shortest: int | None = SHORTEST,
    longest: int | None = LONGEST,
    limit: int = typer.Option(20, "--limit", "-n", min=1, help="Show so many."),
) -> None:
    """Find games, one a line: id, agents, scores, actions and why it was over.

    `sandtable replay ID --archive ARCHIVE` shows one of them.
    """
    from itertools import islice

    from sandtable.records.queries import Wanted

    wanted = Wanted(
        game, tuple(agent), experiment, seed, reason, forfeited, finished, shortest, longest
    )
    store = opened(place)
    for record in islice(store.look_up(wanted), limit):
        typer.echo(line_of(record))
    found = sum(each.games for each in store.experiments(wanted))
    store.close()
    more = f" (the first {limit:,} of them)" if found > limit else ""
    typer.echo(f"{counted(found, 'game')}{more}")


def line_of(record: Record) -> str:
    """Return a game in one line."""
    outcome = record.outcome
    scores = " ".join(f"{score + 0:g}" for score in outcome.scores) if outcome else "-"
    why = outcome.reason if outcome else "broken off"
    agents = " - ".join(record.seats)
    return f"{record.identity}  {agents}  {scores}  {len(record.actions)} actions  {why}"


@command.command()
def export(
    place: str = ARCHIVE,
    out: str = typer.Argument(..., help="A .jsonl or .parquet file, or another archive."),
    game: str | None = GAME,
    agent: list[str] = AGENT,
    experiment: str | None = EXPERIMENT,
    seed: int | None = SEED,
) -> None:
    """Copy games out: as JSON lines, as Parquet (extra 'parquet'), or into another archive."""
    from sandtable.records.queries import Wanted

    wanted = Wanted(game, tuple(agent), experiment, seed)
    store = opened(place)
    total = sum(each.games for each in store.experiments(wanted))
    try:
        copy(store.look_up(wanted), total, out)
    finally:
        store.close()


@command.command("import")
def import_games(
    place: str = ARCHIVE,
    sources: list[str] = typer.Argument(..., help="Files (.jsonl, .parquet) or archives."),
) -> None:
    """Add the games of files or of other archives; each game is stored once.

    After Ctrl-C or an error what has been added stays; the same command adds the rest.
    """
    for source in sources:
        records, total = read(source)
        copy(records, total, place)


def read(source: str) -> tuple[Iterator[Record], int | None]:
    """Return the games of a file or archive, and how many they are if that is quickly known."""
    from sandtable.records.parquet import PARQUET_ENDING, read_parquet
    from sandtable.records.store import open_store

    if source.lower().endswith(PARQUET_ENDING):
        return read_parquet(Path(source)), None
    store = open_store(source, create=False)
    return store.records(), store.count()


def copy(records: Iterator[Record], total: int | None, out: str) -> None:
    """Write games to a place of any kind, with a bar, and say how many were new."""
    from sandtable.cli.progress import games_progress
    from sandtable.records.parquet import PARQUET_ENDING, write_parquet
    from sandtable.records.store import open_store

    label = f"to {place_name(out)}"
    with games_progress(label, total or 0, "games", waiting=label) as progress:
        passing = counting(records, progress)
        if out.lower().endswith(PARQUET_ENDING):
            games = write_parquet(Path(out), passing)
            typer.echo(f"{counted(games, 'game')} written to {out}")
            return
        store = open_store(out)
        games = new = 0
        try:
            for page in pages(passing):
                new += store.add(page)
                games += len(page)
        except KeyboardInterrupt:
            typer.echo(f"stopped after {counted(games, 'game')}; they are kept", err=True)
            raise typer.Exit(EXIT_STOPPED) from None
        finally:
            store.close()
    known = f", {games - new:,} were there already" if games > new else ""
    typer.echo(f"{counted(new, 'game')} added to {place_name(out)}{known}")


def counting(records: Iterable[Record], progress: Callable[[int], None]) -> Iterator[Record]:
    """Pass games on and count them."""
    for record in records:
        yield record
        progress(1)


def pages(records: Iterator[Record]) -> Iterator[list[Record]]:
    """Return games in lists, each of which is one transaction."""
    from itertools import islice

    while page := list(islice(records, GAMES_AT_A_TIME)):
        yield page


@command.command()
def stats(
    place: str = ARCHIVE,
    game: str | None = GAME,
    agent: list[str] = AGENT,
    report: ReportOption = [],  # noqa: B006 - typer makes a list for every call
) -> None:
    """Tell how the agents did, seat by seat, over all experiments together.

    Means with 95% intervals over games that may share seeds and dice: a first look, and no
    substitute for a match.
    """
    from rich.console import Console

    from sandtable.cli.reports import check_reports, terminal_table, write_report
    from sandtable.records.queries import Wanted
    from sandtable.reports.pages import Page, Section

    check_reports(report)
    store = opened(place)
    wanted: Wanted = Wanted(game=game, agents=tuple(agent))
    facts = store.experiments(wanted)
    sheet, reasons = stats_sheet(facts, store.played(wanted))
    store.close()
    console = Console()
    if facts:
        console.print(terminal_table(sheet))
    for path in report:
        write_report(path, Page("Kept games", f"sandtable archive stats {place_name(place)}",
                                (Section("Agents, seat by seat", sheets=(sheet,)),)))  # fmt: skip
    for line in reasons:
        write(line)
    games, finished = sum(each.games for each in facts), sum(each.finished for each in facts)
    forfeited = sum(each.forfeited for each in facts)
    console.print(
        f"{counted(games, 'game')} of {counted(len(facts), 'experiment')}; {finished:,} finished, "
        f"{games - finished:,} broken off, {forfeited:,} forfeited",
        highlight=False,
    )


@dataclass
class Sums:
    """What has been counted of one agent in one seat of one game."""

    scores: array[float] = field(default_factory=lambda: array("d"))
    forfeits: int = 0
    actions: int = 0
    seconds: float = 0.0
    timed: int = 0  # games whose thinking time was measured
    experiments: dict[str, set[str]] = field(default_factory=dict)  # by their seeds

    @property
    def shares_dice(self) -> bool:
        """Whether several experiments threw the same dice, so that games go together."""
        return any(len(each) > 1 for each in self.experiments.values())


def has_dice(game: str) -> bool:
    """Say whether a game is known to have dice; of one that is not installed nothing is known."""
    from sandtable.registry import make_game

    try:
        return make_game(game).chance
    except SandtableError:
        return False


def stats_sheet(
    facts: Iterable[ExperimentFacts], played: Iterable[Played]
) -> tuple[Sheet, list[str]]:
    """Count games by game, agent and seat, and say why some figures have no interval."""
    import numpy as np

    from sandtable.arena.statistics.intervals import (
        Estimate,
        estimate_mean,
        reason_lines,
        without_interval,
    )
    from sandtable.cli.reports import interval_text
    from sandtable.reports.pages import Line, Sheet

    experiments = {each.experiment: each for each in facts}
    sums: dict[tuple[str, str, int], Sums] = {}
    for one in played:
        experiment = experiments[one.experiment]
        for seat, agent in enumerate(experiment.agents):
            each = sums.setdefault((experiment.game, agent, seat), Sums())
            each.scores.append(one.scores[seat])
            each.experiments.setdefault(experiment.seed, set()).add(one.experiment)
            each.forfeits += one.forfeited_by == seat
            each.actions += one.action_count
            if one.seconds:
                each.seconds += one.seconds[seat]
                each.timed += 1
    lines = []
    means: list[tuple[str, Estimate]] = []
    for (game, agent, seat), each in sorted(sums.items()):
        estimate = estimate_mean(np.array(each.scores))
        if not has_dice(game):
            # Only who reads all actions knows which of these games are copies of each other.
            estimate = without_interval(estimate.mean, estimate.deviation, estimate.count, NO_DICE)
        elif each.shares_dice:
            estimate = without_interval(estimate.mean, estimate.deviation, estimate.count, SAME)
        means.append((f"{agent} in seat {seat + 1} of {game}", estimate))
        cells = (
            game,
            agent,
            str(seat + 1),
            f"{len(each.scores):,}",
            f"{estimate.mean:.3f}",
            interval_text(estimate),
            f"{each.forfeits:,}",
            f"{each.actions / len(each.scores):.1f}",
            f"{each.seconds / each.timed:.3f}" if each.timed else "-",
        )
        lines.append(Line(cells))
    numbers = ("games", "mean score", "95% interval", "forfeits", "actions", "seconds")
    words = frozenset({"game", "agent"})
    sheet = Sheet(("game", "agent", "seat", *numbers), tuple(lines), words)
    return sheet, reason_lines(means)
