"""``sandtable benchmark``: how strong models and other agents are, on a suite fixed for all."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli import options
from sandtable.cli.common import EXIT_STOPPED, new_command, write_json
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError
from sandtable.files import check_writable

if TYPE_CHECKING:
    from sandtable.arena.play.run import RunOptions
    from sandtable.arena.suites.figures import PlayerFigures, Prices
    from sandtable.arena.suites.measuring import Prepared, Row
    from sandtable.arena.suites.suite import Entry, Suite

command = new_command()

SuiteName = Annotated[
    str | None, typer.Option("--suite", help="Another suite than the one for models.")
]
GamesOption = Annotated[
    list[str], typer.Option("--games", "-g", help="Only this game of the suite; may be repeated.")
]
PriceOption = Annotated[
    list[str],
    typer.Option(
        "--price",
        metavar="[MODEL=]PROMPT/ANSWER",
        help="What a million tokens cost, for all models or for one: 0.15/0.60.",
    ),
]
WithOption = Annotated[
    list[Path],
    typer.Option("--with", help="Also show the players of these results (--json); repeatable."),
]
AnswersOption = Annotated[
    Path | None,
    typer.Option("--answers", help="Keep every answer of models in this file, and use it again."),
]
ANSWERS_VARIABLE = "SANDTABLE_MODEL_ANSWERS"


@command.callback()
def benchmark() -> None:
    """Measure how well language models play, on a suite that is fixed for all.

    This is about strength. How fast games and searches run is measured by: sandtable bench

    Example: sandtable benchmark models random level:medium --quick
    """


@command.command()
def models(
    players: Annotated[
        list[str] | None,
        options.agents_argument("Models, or any agents that play every seat.", "SPEC..."),
    ] = None,
    suite: SuiteName = None,
    games: GamesOption = [],  # noqa: B006 - typer makes a list for every call
    quick: Annotated[
        bool, typer.Option("--quick", help="So few games that it only shows whether all works.")
    ] = False,
    price: PriceOption = [],  # noqa: B006
    jobs: options.JobsOption = None,
    answers: AnswersOption = None,
    json: options.JsonOption = None,
    report: options.ReportOption = [],  # noqa: B006
    other: WithOption = [],  # noqa: B006
    archive: options.ArchiveOption = None,
    fresh: options.FreshOption = False,
) -> None:
    """Measure how well language models, or any agents, play the games of a fixed suite.

    Everybody meets the same opponents, from random to champion, on the same boards with the same
    dice, from every seat. Boards and dice follow from the name of the suite; no text has them.
    Told are ratings, scores, scores without luck, unreadable and illegal answers, rethinks,
    forfeits, tokens and costs, with intervals where one can be trusted.

    After Ctrl-C or a kill the same command goes on from there, to the same bytes; the results are
    the same for any number of jobs. Speed is measured by: sandtable bench

    Examples:

      sandtable benchmark models model:qwen3,url=http://localhost:11434/v1 --quick

      sandtable benchmark models model:a,url=http://localhost:8080/v1 random --answers a.jsonl --json a.json --report a.html

      sandtable benchmark models model:b --with a.json --price b=0.15/0.60 --jobs 8 --report both.html
    """  # noqa: E501
    from sandtable.arena.play.run import RunOptions
    from sandtable.arena.suites.measuring import collected, prepared, rows_in_file
    from sandtable.cli.reports import check_reports

    chosen = chosen_suite(suite, games, quick)
    others = [row for path in other for row in rows_in_file(path, chosen)]
    wanted = list(dict.fromkeys(players or ()))
    if not wanted and not others:
        raise SandtableError("name a player, for example model:NAME,url=..., or results (--with)")
    work = [prepared(chosen, player) for player in wanted]
    names = [*(each.player for each in work), *(row.player for row in others)]
    prices = prices_of(price, names)
    if json:
        write_json(json, None)
    check_reports(report)
    if answers:
        check_writable(answers.expanduser())  # or every game would be forfeited for it
    journals: list[Path] = []
    how = RunOptions(jobs=jobs, archive=archive, resume=True, fresh=fresh)
    with answers_kept_in(answers):
        own, complete = played(chosen, work, others, how, journals)
    found = figures(chosen, collected(own, others), prices)
    if complete:
        words = command_words(wanted, suite, games, quick, price, other)
        write_results(chosen, found, prices, json, report, words)
    show(chosen, found)
    for line in warnings_of(found):
        write(f"warning: {line}", err=True)
    conclude(complete, json, report, journals)


def conclude(
    complete: bool, json: Path | None, report: Sequence[Path], journals: Sequence[Path]
) -> None:
    """Say which files there are; end what is whole, and leave what was stopped to go on."""
    for path in (*([json] if json else []), *report):
        kind = "Results" if path == json else "Report"
        typer.echo(f"{kind}: {path}" if complete else f"not written, not finished: {path}")
    if not complete:
        typer.echo("stopped; the same command goes on from here", err=True)
        raise typer.Exit(EXIT_STOPPED)
    for journal in journals:
        journal.unlink(missing_ok=True)


@command.command()
def suites() -> None:
    """List the suites, their games, and what it takes to be measured.

    Example: sandtable benchmark suites
    """
    from sandtable.arena.suites.suite import suite_named, suite_names

    for name in suite_names():
        found = suite_named(name)
        typer.echo(f"{name} ({found.digest})")
        for entry in found.entries:
            rated = "" if entry.measured_ratings() else "; opponents not measured yet"
            typer.echo(
                f"  {entry.game}: {', '.join(entry.opponents)}; {counted(entry.games, 'game')} a "
                f"player, about {counted(entry.decisions, 'decision')} each{rated}"
            )
        typer.echo(
            f"  together {counted(found.games, 'game')}, for a model about "
            f"{counted(found.decisions, 'request')}"
        )


@command.command()
def opponents(
    game: options.GameArgument,
    suite: SuiteName = None,
    deals: Annotated[int, options.games_option("Deals of each pairing.", "--deals")] = 100,
    jobs: options.JobsOption = None,
    json: options.JsonOption = None,
    keep: Annotated[
        bool, typer.Option("--write", help="Keep the figures beside the game, for ratings.")
    ] = False,
    fresh: options.FreshOption = False,
) -> None:
    """Measure how strong the opponents of a suite are: each plays the one below it.

    Ratings of players are told against these figures. The deals are others than those of players.

    Example: sandtable benchmark opponents skirmish --deals 200 --write
    """
    from sandtable.arena.play.run import RunOptions
    from sandtable.arena.suites.measuring import measure
    from sandtable.arena.suites.opponents import measured_data, opponent_work, step_of
    from sandtable.cli.progress import games_progress

    chosen = chosen_suite(suite, [game], quick=False)
    [entry] = chosen.entries
    if json:
        write_json(json, None)
    pairings = opponent_work(chosen.name, entry, deals)
    how = RunOptions(jobs=jobs, resume=True, fresh=fresh)
    journals: list[Path] = []
    complete = True
    label = f"opponents of {entry.name}"
    with games_progress(label, sum(each.games for each in pairings)) as progress:
        for each in pairings:
            complete = complete and measure(each, how, journals, progress)
    steps = [step_of(chosen.name, entry, each) for each in pairings]
    steps = [step for step in steps if step[2].count]
    words = f"sandtable benchmark opponents {game} --deals {deals}"
    data = measured_data(entry, steps, words)
    print_steps(data)
    if not complete:
        typer.echo("stopped; the same command goes on from here", err=True)
        raise typer.Exit(EXIT_STOPPED)
    if json:
        write_json(json, data)
    if keep:
        keep_beside(entry, data)
    for journal in journals:
        journal.unlink(missing_ok=True)


@contextmanager
def answers_kept_in(file: Path | None) -> Iterator[None]:
    """Let models of this process and of its workers keep their answers in a file, for a while."""
    before = os.environ.get(ANSWERS_VARIABLE)
    if file:
        os.environ[ANSWERS_VARIABLE] = str(file.expanduser().resolve())
    try:
        yield
    finally:
        if file and before is not None:
            os.environ[ANSWERS_VARIABLE] = before
        elif file:
            del os.environ[ANSWERS_VARIABLE]


def chosen_suite(name: str | None, games: Sequence[str], quick: bool) -> Suite:
    """Return what is to be played."""
    from sandtable.arena.suites.suite import SUITE, suite_named

    found = suite_named(name or SUITE)
    found = found.only(games) if games else found
    return found.shortened() if quick else found


def played(
    suite: Suite,
    work: Sequence[Prepared],
    others: Sequence[Row],
    how: RunOptions,
    journals: list[Path],
) -> tuple[list[Row], bool]:
    """Play what no earlier result has; return the rows, and whether all was finished."""
    from sandtable.arena.suites.measuring import measure
    from sandtable.cli.progress import games_progress

    known = {(row.player, row.program): row for row in others}
    rows: list[Row] = []
    for number, each in enumerate(work, start=1):
        found = known.get((each.player, each.program))
        if found is not None:
            typer.echo(f"{each.player}: known from earlier results", err=True)
            rows.append(found)
            continue
        label = f"{number} of {len(work)}: {each.player}"
        with games_progress(label, each.games) as progress:
            complete = measure(each, how, journals, progress)
        rows.append(each.row(suite))
        if not complete:
            return rows, False
    return rows, True


def figures(suite: Suite, rows: Sequence[Row], prices: dict[str, Prices]) -> list[PlayerFigures]:
    """Return the figures of all players."""
    from sandtable.arena.suites.figures import figures_of

    return figures_of(suite, rows, prices)


def prices_of(texts: Sequence[str], players: Sequence[str]) -> dict[str, Prices]:
    """Read prices; one with a name is for the model of that name, one without for all models."""
    from sandtable.arena.suites.figures import Prices
    from sandtable.specs import parse_spec

    specs = {player: parse_spec(player) for player in players}
    models = {player: spec.argument or spec.options.get("name", "")
              for player, spec in specs.items() if spec.name == "model"}  # fmt: skip
    found: dict[str, Prices] = {}
    for text in sorted(texts, key=lambda each: "=" in each):  # those for all come first
        name, _, numbers = text.rpartition("=")
        if name and name not in models.values():
            raise SandtableError(f"--price {text}: no player is the model '{name}'")
        try:
            prompt, answer = (float(each) for each in numbers.split("/"))
        except ValueError:
            raise SandtableError(
                f"--price {text}: write what a million tokens of prompts and of answers cost, "
                "for example 0.15/0.60 or NAME=0.15/0.60"
            ) from None
        if not (0 <= prompt < float("inf") and 0 <= answer < float("inf")):
            raise SandtableError(f"--price {text}: a price is 0 or more")
        found |= {player: Prices(prompt, answer) for player, model in models.items()
                  if name in ("", model)}  # fmt: skip
    return found


def command_words(
    players: Sequence[str],
    suite: str | None,
    games: Sequence[str],
    quick: bool,
    prices: Sequence[str],
    others: Sequence[Path],
) -> str:
    """Return the command as far as it decides the results, for pages."""
    words = ["sandtable", "benchmark", "models", *players]
    words += ["--suite", suite] if suite else []
    words += [word for game in games for word in ("--games", game)]
    words += ["--quick"] if quick else []
    words += [word for each in prices for word in ("--price", each)]
    words += [word for each in others for word in ("--with", str(each))]
    return shlex.join(words)


def write_results(
    suite: Suite,
    found: Sequence[PlayerFigures],
    prices: dict[str, Prices],
    json: Path | None,
    report: Sequence[Path],
    words: str,
) -> None:
    """Write what was asked for."""
    from sandtable.arena.suites.page import benchmark_page
    from sandtable.arena.suites.results import results_data
    from sandtable.cli.reports import write_report

    if json:
        write_json(json, results_data(suite, found, prices))
    for path in report:
        write_report(path, benchmark_page(suite, found, words))


def show(suite: Suite, found: Sequence[PlayerFigures]) -> None:
    """Print the figures of all games together, and of each."""
    from rich.console import Console

    from sandtable.arena.suites.page import game_sheet, overall_sheet, reasons_of, title_of
    from sandtable.cli.reports import terminal_table

    console = Console()
    sheet = overall_sheet(found)
    console.print(terminal_table(sheet, title_of(suite)))
    for entry in suite.entries:
        console.print("", terminal_table(game_sheet(entry, found), entry.name), sep="\n")
    for line in reasons_of(found):
        write(f"note: {line}")


def warnings_of(found: Sequence[PlayerFigures]) -> list[str]:
    """Say whose games were lost because nobody answered, which says nothing about strength."""
    silent = [
        (each.row.player, sum(game.asked.failed for deals in each.row.deals.values()
                              for deal in deals for game in deal.games))
        for each in found
    ]  # fmt: skip
    return [
        f"{player}: {counted(count, 'game')} forfeited because no answer came; with --answers the "
        "same command asks for nothing but what is missing"
        for player, count in silent
        if count
    ]


def print_steps(data: dict[str, object]) -> None:
    """Print what opponents did against the ones below, and the ratings that follow."""
    from sandtable.arena.ladder import share_text

    ratings = data["ratings"]
    assert isinstance(ratings, dict)
    for name, rating in ratings.items():
        typer.echo(f"{name}: {rating:.0f}")
    steps = data["steps"]
    assert isinstance(steps, list)
    for step in steps:
        points = step["points"]
        share = share_text({"share": points["mean"], **points})
        typer.echo(f"{step['upper']} against {step['lower']}: {share}, "
                   f"{counted(step['deals'], 'deal')}")  # fmt: skip


def keep_beside(entry: Entry, data: dict[str, object]) -> None:
    """Write the figures to where ratings are told from."""
    from sandtable.agents.level.ladder import file_beside, read_beside
    from sandtable.arena.suites.suite import MEASURED_NAME

    path = file_beside(entry.name, MEASURED_NAME)
    if path is None:
        raise SandtableError(f"{entry.name} comes from no folder; use --json")
    known = read_beside(entry.name, MEASURED_NAME) or {}
    write_json(path, {**known, entry.suite: data})
    typer.echo(f"Kept in {path}")
