"""``sandtable scenarios``: list, show, check and write scenarios of Operation Lucid."""

from __future__ import annotations

from pathlib import Path

import typer

from sandtable.cli.common import new_command, write_text
from sandtable.errors import SandtableError

command = new_command()

SOURCE = typer.Argument(..., metavar="FILE|NAME", help="A TOML file, or a bundled scenario.")


@command.callback()
def scenarios() -> None:
    """List, show, check and write scenarios of Operation Lucid.

    Examples:

      sandtable scenarios list

      sandtable scenarios write river --out mine.toml

      sandtable scenarios check mine.toml

      sandtable play lucid:scenario=mine.toml human montecarlo
    """


@command.command(name="list")
def list_scenarios() -> None:
    """List the scenarios that come with the game.

    Example: `sandtable scenarios list`
    """
    from sandtable.games.lucid.scenarios.files import bundled_names, bundled_scenario

    for name in bundled_names():
        scenario = bundled_scenario(name)
        blue, red = scenario.units
        title = scenario.title or "The published game"
        typer.echo(
            f"{name:<10} {title}: {scenario.columns} x {scenario.rows}, Blue {blue}, Red {red}, "
            f"{scenario.turns} turns"
        )


@command.command()
def show(source: str = SOURCE) -> None:
    """Draw the start of a scenario and tell its spec.

    Example: `sandtable scenarios show river`
    """
    from sandtable.dice import Dice
    from sandtable.registry import make_game

    game = make_game(spec_of(source))
    typer.echo(f"{game.title}\n{game.spec}\n\n{game.start(Dice(0))}")


@command.command()
def check(source: str = SOURCE) -> None:
    """Check that a scenario can be played; every mistake is one line.

    Example: `sandtable scenarios check mine.toml`
    """
    from sandtable.games.lucid.scenarios.files import scenario_values
    from sandtable.games.lucid.scenarios.parse import scenario_problems

    scenario, problems = scenario_problems(scenario_values(source))
    for problem in problems:
        typer.echo(f"{source}: {problem}", err=True)
    if scenario is None:
        count = f"{len(problems)} mistake{'s' * (len(problems) > 1)}"
        raise SandtableError(f"{source} cannot be played: {count}")
    typer.echo(f"{source} can be played.")


@command.command()
def write(
    source: str = SOURCE,
    out: Path | None = typer.Option(None, "--out", "-o", help="Write it into this file."),
) -> None:
    """Write a scenario as a file that says everything, to begin another one with.

    Example: `sandtable scenarios write river --out mine.toml`
    """
    from sandtable.games.lucid.scenarios.files import format_scenario, scenario_values
    from sandtable.games.lucid.scenarios.parse import read_scenario

    text = format_scenario(read_scenario(scenario_values(source), source))
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    typer.echo(f"Written: {out}")


def spec_of(source: str) -> str:
    """Return the spec of a scenario by its name or file.

    >>> spec_of("river")
    'lucid:scenario=river'
    """
    from sandtable.specs import Spec

    return str(Spec("lucid", None, {"scenario": source}))
