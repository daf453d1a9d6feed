"""``sandtable endgames``: solve small endgames of Skirmish, prove the tables, and ask agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_agent, new_command, write_json
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.games.skirmish.endgames.maps import EndgameMap

command = new_command()

SLOTS_BITS = 26  # of the largest table: 640 MB of memory
FOLDER = typer.Argument(..., metavar="FOLDER", help="The folder of the tables.")
MAP = typer.Option("all", "--map", "-m", help="pillars, ring, or all.")


@command.callback()
def endgames() -> None:
    """Solve small endgames of Skirmish exactly, prove the tables, and see what agents get wrong.

    Examples:

      sandtable endgames build tables

      sandtable endgames check tables

      sandtable endgames error-rate skirmish/champion --positions 500
    """


def chosen_maps(name: str) -> list[EndgameMap]:
    """Return one map, or all of them."""
    from sandtable.games.skirmish.endgames.maps import MAPS, map_named

    return list(MAPS.values()) if name == "all" else [map_named(name)]


@command.command()
def build(
    folder: Path = FOLDER,
    name: str = MAP,
    bits: int = typer.Option(
        SLOTS_BITS,
        "--bits",
        min=10,
        max=30,
        help="Room for 7/8 of 2^BITS positions; 10 bytes each.",
    ),
) -> None:
    """Solve all endgames of the maps and write one table each (minutes, and 430 MB in all).

    Example: `sandtable endgames build tables --map pillars`
    """
    from sandtable.cli.progress import games_progress
    from sandtable.games.skirmish.endgames.files import table_path, write_table
    from sandtable.games.skirmish.endgames.maps import unit_codes
    from sandtable.games.skirmish.endgames.solve import solve

    maps = chosen_maps(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SandtableError(f"cannot make {folder}: {problem.strerror}") from problem
    for endgame_map in maps:
        units = len(unit_codes(endgame_map))
        try:
            with games_progress(f"solving {endgame_map.name}", units, "units") as progress:
                table = solve(endgame_map, 1 << bits, progress=progress)
        except KeyboardInterrupt:
            typer.echo(f"stopped while solving {endgame_map.name}; whole tables are kept", err=True)
            raise typer.Exit(EXIT_STOPPED) from None
        path = table_path(folder, endgame_map.name)
        write_table(table, path)
        typer.echo(
            f"{endgame_map.name}: {int(table.size[0]):,} positions solved, written to {path}"
        )


@command.command()
def check(folder: Path = FOLDER, name: str = MAP) -> None:
    """Prove tables: each value against those after all moves, by the rules' own kernel.

    Example: `sandtable endgames check tables`
    """
    from sandtable.cli.progress import games_progress
    from sandtable.games.skirmish.endgames.check import check_table
    from sandtable.games.skirmish.endgames.files import read_table, table_path

    for endgame_map in chosen_maps(name):
        table = read_table(table_path(folder, endgame_map.name))
        try:
            with games_progress(
                f"checking {endgame_map.name}", len(table.keys), "slots"
            ) as progress:
                counts = check_table(table, endgame_map, progress=progress)
        except KeyboardInterrupt:
            typer.echo(f"stopped while checking {endgame_map.name}", err=True)
            raise typer.Exit(EXIT_STOPPED) from None
        typer.echo(
            f"{endgame_map.name}: {counts.positions:,} positions with {counts.moves:,} moves, all "
            f"proved; the side to move wins {counts.wins:,}, draws {counts.draws:,}, loses "
            f"{counts.losses:,}; longest win {counts.deepest} half-turns; a wrong move is possible "
            f"in {counts.choices:,}"
        )


@command.command()
def draw(
    folder: Path = FOLDER,
    out: Path = typer.Option(..., "--out", "-o", help="The file of questions (.jsonl.gz)."),
    each: int = typer.Option(
        450, "--each", min=1, help="Positions of each map, side and level of difficulty."
    ),
    seed: int = typer.Option(0, "--seed", "-s", min=0, help="Of the draw."),
    name: str = MAP,
) -> None:
    """Draw the positions in which agents are asked, with their right moves.

    Example: `sandtable endgames draw tables --out questions.jsonl.gz`
    """
    from sandtable.cli.progress import games_progress
    from sandtable.files import check_writable, make_folder_of
    from sandtable.games.skirmish.endgames.files import read_table, table_path
    from sandtable.games.skirmish.endgames.suite import (
        LEVELS,
        draw_questions,
        mixed,
        write_suite,
    )

    make_folder_of(out)
    check_writable(out)
    questions, wanted = [], 2 * each * len(LEVELS)
    for endgame_map in chosen_maps(name):
        table = read_table(table_path(folder, endgame_map.name))
        label = f"drawing from {endgame_map.name}"
        try:
            with games_progress(label, wanted, "positions") as progress:
                questions += draw_questions(table, endgame_map, each, seed, progress)
        except KeyboardInterrupt:
            typer.echo(f"stopped while {label}; nothing is written", err=True)
            raise typer.Exit(EXIT_STOPPED) from None
    write_suite(mixed(questions, seed), out)
    typer.echo(f"{len(questions):,} questions written to {out}")


@command.command("error-rate")
def error_rate(
    agent: str = typer.Argument(..., help="Who is asked.", autocompletion=complete_agent),
    positions: int = typer.Option(
        0, "--positions", "-n", min=0, help="So many for each side; 0: all there are."
    ),
    seed: int = typer.Option(0, "--seed", "-s", min=0, help="Of agents that throw dice."),
    questions: Path | None = typer.Option(
        None, "--questions", help="Other questions than the bundled ones."
    ),
    out: Path | None = typer.Option(None, "--json", help="Write the answers into this file."),
) -> None:
    """Ask an agent for a move in solved positions, and count how often it gives the result away.

    Examples:

      sandtable endgames error-rate skirmish/champion

      sandtable endgames error-rate alphabeta:budget=1000 --positions 500
    """
    from sandtable.cli.progress import games_progress
    from sandtable.games.skirmish.endgames.error_rate import answer, some_questions, table_lines
    from sandtable.games.skirmish.endgames.suite import BUNDLED, read_suite

    if out is not None:
        write_json(out, None)
    asked = some_questions(read_suite(questions or BUNDLED), positions)
    with games_progress(agent, len(asked), "positions") as progress:
        answers = answer(agent, asked, seed, progress)
    typer.echo("\n".join(table_lines(answers)))
    if out is not None:
        answered = zip(answers.questions, answers.wrong, strict=True)
        rows = [{"position": each.position, "wrong": wrong} for each, wrong in answered]
        write_json(out, {"agent": agent, "seed": seed, "answers": rows})
    if len(answers.wrong) < len(asked):
        typer.echo(f"stopped after {len(answers.wrong)} of {len(asked)} positions", err=True)
        raise typer.Exit(EXIT_STOPPED)
