"""``sandtable series``: a person against AxesRed, as the human expert of the papers played.

The expert's 20 games averaged 9.47. A series is a file of records; a game that was broken off is
gone on with where it stood, and the mean is given raw and freed of luck, beside the expert's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import complete_agent
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.records.record import Record
    from sandtable.types import State

__all__ = ["command", "luckless_score", "series_lines"]

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

PERSON, OPPONENT = "human", "lucid/axes-red"
GAMES = 20
FILE = typer.Argument(..., metavar="FILE", help="The file of the series (.jsonl).")
BLUE = typer.Option(PERSON, "--agent", help="Who plays Blue.", autocompletion=complete_agent)
LENGTH = typer.Option(GAMES, "--games", "-n", min=1, help="How many games the series has.")


@command.callback()
def series() -> None:
    """Play a series of Operation Lucid against AxesRed, and see it beside the human expert's.

    The expert of the papers averaged 9.47 in 20 games. Quit whenever you like: the same command
    goes on with the game that was broken off.

    Examples:

      sandtable series play mine.jsonl

      sandtable series show mine.jsonl

      sandtable series play trial.jsonl --agent lucid/champion-blue
    """


@command.command()
def play(
    path: Path = FILE,
    agent: str = BLUE,
    games: int = LENGTH,
    seed: int | None = typer.Option(
        None, "--seed", "-s", help="Of a new series. Default: a fresh one."
    ),
) -> None:
    """Play the games that are missing, one after the other, until you quit."""
    from sandtable.cli.play import SEED_BITS
    from sandtable.games.lucid.learning.expert_database import write_games

    records = known_records(path, agent)
    if seed is not None and records and records[0].seed != seed:
        raise SandtableError(f"{path} is a series of the seed {records[0].seed}, not {seed}")
    if not records and seed is None:
        import secrets

        seed = secrets.randbits(SEED_BITS)
    chosen = records[0].seed if records else seed or 0
    while (number := next_number(records, games)) is not None:
        begun = next((each for each in records if each.number == number), None)
        record = play_one(agent, chosen, number, begun)
        records = sorted(
            [*(each for each in records if each.number != number), record],
            key=lambda each: each.number,
        )
        write_games(path, records)
        if record.outcome is None:
            typer.echo(f"Broken off; to go on: sandtable series play {path}")
            return
        typer.echo("\n".join(series_lines(records, games)))
        if next_number(records, games) is not None and not wants_more(agent):
            return
    if records:
        typer.echo(f"The series is complete: {path}")


@command.command()
def show(
    path: str = typer.Argument(..., help="A file of records, or an archive with your games."),
    agent: str = BLUE,
    games: int = LENGTH,
) -> None:
    """Show the scores of a series, or of all your games against AxesRed in an archive."""
    from contextlib import closing

    from sandtable.records.store import open_store

    with closing(open_store(path, create=False)) as store:
        found = [finding.record for finding in store.scan() if finding.record is not None]
    records = [record for record in found if record.seats == (agent, OPPONENT)]
    finished = [record for record in records if record.outcome is not None]
    if not finished:
        raise SandtableError(f"{path} holds no finished game of {agent} against {OPPONENT}")
    for place, record in enumerate(finished, start=1):
        typer.echo(f"game {place:2}: {blue_score(record):2g}, {luckless_score(record):5.2f} freed")
    typer.echo("\n".join(series_lines(records, games)))


def known_records(path: Path, agent: str) -> list[Record]:
    """Return the games of a series, which may not have begun; refuse files of other games."""
    from sandtable.records.files import RecordFile

    if not path.name.endswith(".jsonl"):
        raise SandtableError(f"a series is a file that ends in .jsonl, unlike '{path.name}'")
    if not path.exists():
        return []
    records = []
    for finding in RecordFile(path, create=False).scan():
        if finding.record is None:
            raise finding.problem or SandtableError(f"{finding.where}: unreadable")
        records.append(finding.record)
    for record in records:
        if record.seats != (agent, OPPONENT) or record.seed != records[0].seed:
            raise SandtableError(
                f"{path} holds game {record.identity} of {' and '.join(record.seats)}, not one of "
                f"this series of {agent}; name another file, or the player with --agent"
            )
    return records


def next_number(records: Sequence[Record], games: int) -> int | None:
    """Return the first game that is not finished; None: the series is complete."""
    finished = {record.number for record in records if record.outcome is not None}
    return next((number for number in range(games) if number not in finished), None)


def wants_more(agent: str) -> bool:
    """Ask a person whether the next game shall begin; programs want all of them."""
    if not agent.startswith(PERSON):
        return True
    try:
        return input("Enter: the next game, q: enough for today > ").strip().lower() != "q"
    except (EOFError, KeyboardInterrupt):
        typer.echo()
        return False


# --- one game ------------------------------------------------------------------------------------


def play_one(agent: str, seed: int, number: int, begun: Record | None) -> Record:
    """Play one game of a series, or go on with one; return its record, broken off or not."""
    from sandtable.agents.continued import Continued
    from sandtable.arena.play.game_loop import play_game
    from sandtable.cli.play import interrupt_breaks_off
    from sandtable.cli.screen import Screen, result_line
    from sandtable.registry import check_seats, make_agent, make_game

    game = make_game("lucid")
    specs = check_seats(game, [agent, OPPONENT])
    played = [] if begun is None else list(begun.actions)
    agents = [Continued(make_agent(spec), played) for spec in specs]
    known, seen = len(played), 0
    person = agent.startswith(PERSON)
    screen = Screen(game, [0] if person else [], delay=0.0, quiet=not person)
    typer.secho(f"Game {number + 1}" + (", where it was broken off" if begun else ""), bold=True)

    def watch(before: State, seat: int, actions: list[int], after: State) -> None:
        nonlocal seen
        seen += len(actions)
        shown = screen.skip_turn if seen <= known else screen.show_turn
        shown(before, seat, actions, after)  # what was shown before is not shown again

    with interrupt_breaks_off():
        ended = play_game(
            game,
            agents,
            specs=specs,
            seed=seed,
            number=number,
            watcher=watch,
        )
    if ended.record.outcome is not None:
        screen.show_end(ended.record.final)
        typer.echo(result_line(game, ended.record.outcome))
    return ended.record


# --- scores --------------------------------------------------------------------------------------


def blue_score(record: Record) -> float:
    """Return Blue's score in a finished game."""
    assert record.outcome is not None
    return float(record.outcome.scores[0])


def luckless_score(record: Record) -> float:
    """Return Blue's score less what the dice gave, which has mean zero whoever plays."""
    from sandtable.arena.series import luck_free_score
    from sandtable.games.lucid.screen import LUCK_WEIGHTS

    return luck_free_score(record, 0, LUCK_WEIGHTS)


def series_lines(records: Sequence[Record], games: int = GAMES) -> list[str]:
    """Say how a series stands: means with intervals, and the expert's beside them."""
    import numpy as np

    from sandtable.arena.statistics.intervals import estimate_mean
    from sandtable.games.lucid.screen import EXPERT
    from sandtable.reproduce.comparison import Figure, verdict

    finished = [record for record in records if record.outcome is not None]
    raw = estimate_mean(np.array([blue_score(record) for record in finished]))
    freed = estimate_mean(np.array([luckless_score(record) for record in finished]))
    shown = [
        f"{each.mean:.2f}" + ("" if np.isnan(each.low) else f" ({each.low:.2f} to {each.high:.2f})")
        for each in (raw, freed)
    ]
    mean, low, high = EXPERT
    expert = Figure(mean, low, high, GAMES)
    lines = [
        f"{len(finished)} of {games} games: mean {shown[0]}, freed of luck {shown[1]}",
        f"the human expert of the papers: {mean:.2f} ({low:.2f} to {high:.2f}), 20 games",
    ]
    if not np.isnan(freed.low):
        words = {"agrees": "which could be chance", "higher": "above the expert"}
        found = verdict(expert, Figure.of(freed))
        lines.append(f"difference {freed.mean - mean:+.2f}: {words.get(found, 'below the expert')}")
    return lines
