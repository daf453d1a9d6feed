"""``sandtable play``: one game in the terminal, between people and agents as you like."""

from __future__ import annotations

import typer

from sandtable.cli.common import EXIT_FORFEIT, complete_agent, complete_game, new_command

command = new_command()


@command.command()
def play(
    game: str = typer.Argument(
        ..., help="The game, for example lucid.", autocompletion=complete_game
    ),
    agents: list[str] = typer.Argument(
        ...,
        help="One agent for each seat, in seat order; 'human' is you.",
        autocompletion=complete_agent,
    ),
    seed: int | None = typer.Option(
        None, "--seed", "-s", help="Same seed, same dice. Default: a fresh one, which is shown."
    ),
    record: str | None = typer.Option(
        None,
        "--record",
        help="Keep the game, also when it is broken off: a .jsonl file, or a database file.",
    ),
    position: str | None = typer.Option(
        None, "--position", help="Start from this position, one line of text in quotes."
    ),
    move_time: float = typer.Option(
        60.0,
        "--move-time",
        min=0.0,
        help="Seconds a program may think (people have no clock); 0: no limit.",
    ),
    delay: float = typer.Option(
        0.0, "--delay", min=0.0, help="Seconds to wait after each turn of a program."
    ),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Show the result only."),
) -> None:
    """Play one game in the terminal, against an agent or between agents.

    Your game can be recorded and repeated. Exit code 3: an agent forfeited, or you resigned.

    Examples:

      sandtable play lucid human lucid/axes-red

      sandtable play lucid human:hints=lucid/one-axis-blue lucid/axes-red --record games.jsonl

      sandtable play lucid external:./bot lucid/axes-red --delay 0.5
    """
    from sandtable.cli.playing import Table

    table = Table.prepare(game, agents, seed=seed, record=record, position=position)
    outcome = table.play(move_time=move_time or None, delay=delay, quiet=quiet)
    if outcome is not None and outcome.forfeited_by is not None:
        raise typer.Exit(EXIT_FORFEIT)
