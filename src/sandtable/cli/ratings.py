"""``sandtable ratings``: who is how strong, from games that were kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import complete_game, new_command, write_json
from sandtable.cli.options import JsonOption, ReportOption
from sandtable.cli.text import counted
from sandtable.errors import SandtableError, suggestion

if TYPE_CHECKING:
    from sandtable.arena.statistics.archived_ratings import Ratings
    from sandtable.arena.statistics.intervals import SupportsReason
    from sandtable.records.record import Record
    from sandtable.reports.pages import Page, Sheet

command = new_command()


@command.command()
def ratings(
    paths: list[str] = typer.Argument(..., help="Archives, or files of records (.jsonl)."),
    game: str | None = typer.Option(
        None, "--game", help="Only this game.", autocompletion=complete_game
    ),
    json: JsonOption = None,
    report: ReportOption = [],  # noqa: B006 - typer makes a list for every call
) -> None:
    """Rate all agents (and people) from the games in archives or files of records.

    Games with the same dice count as one observation of the intervals, and in a game without dice
    those on the same level. Agents can only be compared with those that games connect them with.

    Examples:

      sandtable ratings games.db

      sandtable ratings one.jsonl another.jsonl --game skirmish --json ratings.json
    """
    from rich.console import Console

    from sandtable.arena.statistics.archived_ratings import collect, rate
    from sandtable.cli.reports import check_reports, terminal_table, write_report

    if json:
        write_json(json, None)
    check_reports(report)
    found = collect(all_records(paths))
    if game and game not in found:
        known = ", ".join(found) or "none at all"
        raise SandtableError(
            f"there are no finished games of '{game}' (there are of: {known})."
            + suggestion(game, found)
        )
    names = [game] if game else sorted(found)
    rated = [each for each in (rate(name, found[name]) for name in names) if each]
    if not rated:
        raise SandtableError(
            "there is nothing to rate: ratings need finished games of a game that has winners, "
            "between at least two different agents"
        )
    console = Console()
    for each in rated:
        console.print(terminal_table(sheet_of(each, wide=False), title_of(each)))
        for line in notes_of(each):
            console.print(line, highlight=False)
    if json:
        data = [each.as_data() for each in rated]
        write_json(json, data[0] if len(data) == 1 else data)
    for path in report:
        write_report(path, page_of(rated, paths))
    for path in (*([json] if json else []), *report):
        typer.echo(f"Results: {path}")


def all_records(paths: list[str]) -> Iterator[Record]:
    """Read all games one by one; a game that is in several places counts once."""
    from sandtable.cli.progress import games_progress
    from sandtable.records.store import open_store

    seen: set[str] = set()
    for path in paths:
        store = open_store(path, create=False)
        try:
            with games_progress(f"reading {path}", store.count()) as progress:
                for record in store.records():
                    progress(1)
                    if len(paths) == 1:  # no place holds a game twice
                        yield record
                    elif record.identity not in seen:
                        seen.add(record.identity)
                        yield record
        finally:
            store.close()


def title_of(rated: Ratings) -> str:
    """Say what the ratings are based on."""
    played = counted(rated.games, "game")
    return f"{rated.game}: {played}, {counted(rated.observations, 'observation')}"


def sheet_of(rated: Ratings, wide: bool) -> Sheet:
    """Return the ratings as a table."""
    from sandtable.arena.tournaments.page import rating_text, share_text
    from sandtable.reports.pages import Line, Sheet

    show = share_text(wide)
    lines = [
        Line((str(place), each.agent, rating_text(each.rating, wide), show(each.wins),
              f"{each.rating.games:,}"))
        for place, each in enumerate(rated.agents, start=1)
    ]  # fmt: skip
    headings = ("#", "agent", "rating", "won", "games")
    caption = "± half the 95% interval; won: of the games of each seat"
    return Sheet(headings, tuple(lines), frozenset({"agent"}), caption=caption)


def notes_of(rated: Ratings) -> list[str]:
    """Say what the ratings do not."""
    from sandtable.arena.statistics.intervals import reason_lines

    figures: list[tuple[str, SupportsReason | None]] = []
    for each in rated.agents:
        figures += [(f"{each.agent}'s rating", each.rating), (f"{each.agent}'s share", each.wins)]
    notes = reason_lines(figures)
    if len(rated.parts) > 1:
        parts = "; ".join(", ".join(part) for part in rated.parts)
        notes.append(f"no games connect these parts, so compare only within each: {parts}")
    if rated.forfeits:
        notes.append(f"{rated.forfeits:,} of the games were forfeited, and count as lost")
    return notes


def page_of(rated: list[Ratings], paths: list[str]) -> Page:
    """Return a report."""
    from sandtable.arena.tournaments.page import rating_mark
    from sandtable.reports.pages import Page, Section
    from sandtable.reports.plots import IntervalPlot, PlotRow

    sections = []
    for each in rated:
        rows = tuple(PlotRow(one.agent, (rating_mark(one.rating),)) for one in each.agents)
        sections.append(
            Section(
                title_of(each),
                sheets=(sheet_of(each, wide=True),),
                plots=(IntervalPlot(f"Ratings in {each.game}", "Elo, 95% intervals", rows),),
                notes=tuple(notes_of(each)),
                explanation="Ratings are those of Plackett and Luce on the scale of Elo, with mean "
                "zero. Games with the same dice (without dice: on the same level) are one "
                "observation of the 95% intervals.",
            )
        )
    words = " ".join(["sandtable", *sys.argv[1:]])
    return Page("Ratings", words, tuple(sections), (f"From {', '.join(paths)}.",))
