"""``sandtable check``: does a game or an agent keep the contract?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_ERROR, complete_agent, complete_game, new_command
from sandtable.cli.text import counted
from sandtable.errors import SandtableError, UnknownName, suggestion

if TYPE_CHECKING:
    from sandtable.conformance import Report

command = new_command()

PEOPLE = "human"  # the one agent of which nothing can be expected
PLAYING = "Playing (compiling the rules first, if they are new) ..."


def complete_name(incomplete: str) -> list[str]:
    """Complete the name of a game or an agent in the shell."""
    return complete_game(incomplete) + complete_agent(incomplete)


@command.command()
def check(
    name: str = typer.Argument(..., help="A game or an agent.", autocompletion=complete_name),
    game: str | None = typer.Option(
        None, "--game", help="The game an agent plays.", autocompletion=complete_game,
        show_default="its own game, or every installed one",
    ),
    games: int | None = typer.Option(
        None, "--games", "-n", min=1, help="How many games are played.",
        show_default="20 for a game, 5 for each seat of an agent",
    ),
    seed: int = typer.Option(0, "--seed", "-s", help="Another seed plays other games."),
) -> None:  # fmt: skip
    """Check that a game or an agent does what the contract promises.

    Plays random games and looks at everything that is declared or promised; see the pages on
    adding games and agents. The exit code is 1 if something is broken.

    Examples:

      sandtable check lucid

      sandtable check lucid/axes-red --games 20

      sandtable check external:./bot --game lucid
    """
    from sandtable.arena.play.interrupts import remembered_interrupts

    with remembered_interrupts():  # a compiler that is stopped has an error of its own
        reports = run_checks(name, game, games, seed)
    for report in reports:
        show(report, seed)
    if any(report.problems for report in reports):
        raise typer.Exit(EXIT_ERROR)


def run_checks(name: str, game: str | None, games: int | None, seed: int) -> list[Report]:
    """Find out what the name means, and check it."""
    from sandtable.conformance import check_agent, check_game
    from sandtable.registry import FILE, agent_game, agent_names, game_names, is_game, make_game
    from sandtable.specs import parse_spec

    plain_name = parse_spec(name).name
    if is_game(plain_name) and game is None:
        typer.echo(PLAYING, err=True)
        return [check_game(make_game(name), games or 20, seed)]
    if plain_name not in (FILE, *agent_names()):
        known = [*game_names(), *agent_names()]
        raise UnknownName(
            f"there is no game or agent '{plain_name}'.{suggestion(plain_name, known)} "
            "'sandtable games' and 'sandtable agents' list them all."
        )
    if plain_name == PEOPLE:
        raise SandtableError("people promise nothing; 'sandtable check' is for programs")
    typer.echo(PLAYING, err=True)
    own_game = agent_game(plain_name)
    wanted = [game or own_game] if game or own_game else loadable_games()
    return [check_agent(name, each, games or 5, seed) for each in wanted if each]


def loadable_games() -> list[str]:
    """Return the installed games, without those that cannot be loaded."""
    from sandtable.registry import game_names, make_game

    found = []
    for name in game_names():
        try:
            make_game(name)
        except SandtableError as problem:  # a broken plug-in must not stop the others
            typer.echo(f"warning: {problem}", err=True)
            continue
        found.append(name)
    return found


def show(report: Report, seed: int) -> None:
    """Print what was checked, how often, and the verdict."""
    typer.echo(
        f"{report.subject}: {counted(report.games, 'game')} with seed {seed}, "
        f"{report.actions:,} actions, "
        f"{report.checked.total():,} checks"
    )
    for check_name, promise in report.promises.items():
        times = report.checked[check_name]
        verdict = "BROKEN" if report.found[check_name] else "ok" if times else "-"
        typer.echo(f"  {verdict:<7}{check_name:<18}{times:>8,}  {promise}")
    if report.problems:
        typer.echo(f"{report.subject} breaks the contract:")
        for line in report.lines():
            typer.echo(f"  {line}")
    else:
        typer.echo(f"{report.subject} keeps the contract.")
