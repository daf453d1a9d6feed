"""``sandtable label``: files of expert games, from which agents learn, and their labels.

Imports that cost time are made where they are needed, so that lists of commands come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_agent
from sandtable.errors import SandtableError
from sandtable.games.lucid.commands.editor import LabelEditor
from sandtable.games.lucid.commands.words import (
    agreement_lines,
    game_lines,
    summary_lines,
    turn_lines,
)

if TYPE_CHECKING:
    from sandtable.games.lucid.agents.expert.games import ExpertGame
    from sandtable.records.record import Record

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

DATABASE = typer.Argument(..., metavar="FILE", help="The file of expert games (.jsonl).")
SEAT = typer.Option("blue", "--seat", help="Whose play is worth learning: blue or red.")
RULES = typer.Option("ours", "--rules", help="The set of rules: ours or literal.")


@command.callback()
def label() -> None:
    """Make files of expert games of Operation Lucid, and see and correct their labels.

    A file holds whole games; each move of a force group of Blue's is labelled with its categories,
    first by rules. Agents and networks learn from any such file.

    Examples:

      sandtable label record expert.jsonl --agent lucid/one-axis-blue --games 3

      sandtable label show expert.jsonl

      sandtable label show expert.jsonl --game 2 --turn 5

      sandtable label import games.jsonl expert.jsonl

      sandtable label correct expert.jsonl --sample 60 --blind

      sandtable label compare expert.jsonl --rules literal
    """


@command.command()
def record(
    path: Path = DATABASE,
    agent: str = typer.Option(..., "--agent", help="The expert.", autocompletion=complete_agent),
    opponent: str = typer.Option(
        "lucid/axes-red", "--opponent", help="Its opponent.", autocompletion=complete_agent
    ),
    games: int = typer.Option(20, "--games", "-n", min=1, help="How many games."),
    seat: str = SEAT,
    seed: int = typer.Option(0, "--seed", "-s", help="Same seed, same games."),
) -> None:
    """Let an agent play games as the expert, label them by the rules, and add them to the file."""
    from sandtable.cli.progress import games_progress
    from sandtable.games.lucid.learning.expert_database import record_games
    from sandtable.registry import make_game

    number = make_game("lucid").seat_number(seat)
    known = known_games(path)
    recorded = []
    stopped = False
    with games_progress(f"{agent} - {opponent}", games) as progress:
        try:
            for played in record_games(agent, opponent, number, range(games), seed):
                recorded.append(played)
                progress(1)
        except KeyboardInterrupt:
            stopped = True
    add_games(path, known, recorded)
    if stopped:
        raise typer.Exit(EXIT_STOPPED)


@command.command(name="import")
def import_(
    source: str = typer.Argument(..., help="Records of games: a .jsonl file or an archive."),
    path: Path = DATABASE,
    seat: str = SEAT,
) -> None:
    """Add recorded games, for example those a person played, and label them by the rules."""
    from contextlib import closing

    from sandtable.games.lucid.learning.expert_database import importable
    from sandtable.records.store import open_store
    from sandtable.registry import make_game

    number = make_game("lucid").seat_number(seat)
    known = known_games(path)
    with closing(open_store(source, create=False)) as store:
        taken, left_out = importable(store, number)
    for line in left_out:
        typer.echo(f"left out: {line}", err=True)
    if not taken:
        raise SandtableError(f"{source} holds no games to learn from")
    add_games(path, known, taken)


@command.command()
def show(
    path: Path = DATABASE,
    game: str | None = typer.Option(None, "--game", "-g", help="A game: its place or its id."),
    turn: int | None = typer.Option(None, "--turn", "-t", help="A turn of that game."),
) -> None:
    """Count the labels of a file, or show those of a game or turn."""
    games = read_games(path)
    if game is None:
        if turn is not None:
            raise SandtableError("name the game of that turn with --game")
        lines = summary_lines(path, games)
    elif turn is None:
        lines = game_lines(chosen_game(games, game)[1])
    else:
        lines = turn_lines(chosen_game(games, game)[1], turn)
    typer.echo("\n".join(lines))


@command.command(name="set")
def set_(
    path: Path = DATABASE,
    game: str = typer.Argument(..., help="The game: its place in the file, or its id."),
    turn: int = typer.Argument(..., help="The number of the turn."),
    group: str = typer.Argument(..., help="The nodes of the force group, in quotes."),
    labels: list[str] | None = typer.Argument(None, help="Its categories; none: no category."),
) -> None:
    """Correct the labels of one move of a force group."""
    from sandtable.games.lucid.agents.expert.games import corrected
    from sandtable.games.lucid.learning.expert_database import write_games

    games = read_games(path)
    place, chosen = chosen_game(games, game)
    words = " ".join(labels or []).replace(",", " ").split()
    records = [expert.record for expert in games]
    records[place] = corrected(chosen.record, turn, group, words)
    write_games(path, records)
    typer.echo(f"game {chosen.record.identity}, turn {turn}, {group}: {', '.join(words) or 'none'}")


@command.command()
def rules(
    path: Path = DATABASE,
    everything: bool = typer.Option(
        False, "--all", help="Also where a person has corrected the labels."
    ),
    rule_set: str = RULES,
) -> None:
    """Label all games by the rules once more, except what a person has corrected."""
    from sandtable.games.lucid.learning.expert_database import relabelled, write_games

    check_rule_set(rule_set)
    games = read_games(path)
    records = [
        relabelled(game.record, keep_corrected=not everything, rule_set=rule_set) for game in games
    ]
    changed = sum(new != game.record for new, game in zip(records, games, strict=True))
    write_games(path, records)
    typer.echo(f"{changed} of {len(games)} games have other labels now")


@command.command()
def correct(
    path: Path = DATABASE,
    game: str | None = typer.Option(None, "--game", "-g", help="Begin there: its place or id."),
    turn: int = typer.Option(1, "--turn", "-t", help="Begin at this turn."),
    sample: int | None = typer.Option(None, "--sample", min=1, help="Only so many, drawn evenly."),
    seed: int = typer.Option(0, "--seed", "-s", help="Same seed, same sample."),
    blind: bool = typer.Option(False, "--blind", help="Do not show the labels there are."),
) -> None:
    """Go through the moves of the expert in the terminal and correct their labels.

    Every correction is written to the file at once.
    """
    games = read_games(path)
    place = 0 if game is None else chosen_game(games, game)[0]
    LabelEditor(path, games, sample, seed, blind).run(place, turn)


@command.command()
def compare(
    path: Path = DATABASE,
    other: Path | None = typer.Argument(None, help="Another file with the same games."),
    rule_set: str = RULES,
    by_person: bool = typer.Option(
        False, "--by-person", help="Of two files only the moves that a person labelled in both."
    ),
) -> None:
    """Measure how far the rules agree with a person's labels, or two files with each other."""
    from sandtable.games.lucid.learning.label_agreement import by_rules_and_person, by_two_files

    check_rule_set(rule_set)
    games = read_games(path)
    if other is None:
        found = by_rules_and_person(games, rule_set)
        names = (f"the rules ({rule_set})", "a person")
    else:
        found = by_two_files(games, read_games(other), by_person)
        names = (str(path), str(other))
    typer.echo("\n".join(agreement_lines(found, names)))


def check_rule_set(name: str) -> None:
    """Refuse a set of rules that there is not."""
    from sandtable.errors import suggestion
    from sandtable.games.lucid.agents.categories import RULE_SETS

    if name not in RULE_SETS:
        hint = suggestion(name, RULE_SETS)
        raise SandtableError(f"--rules is one of {', '.join(RULE_SETS)}, got '{name}'.{hint}")


# --- files ---------------------------------------------------------------------------------------


def add_games(path: Path, known: list[Record], new: list[Record]) -> None:
    """Write a file of games with new ones behind those it has, and say how many were new."""
    from sandtable.games.lucid.learning.expert_database import write_games

    identities = {record.identity for record in known}
    records = known + [record for record in new if record.identity not in identities]
    write_games(path, records)
    added = len(records) - len(known)
    typer.echo(f"{added} of {len(new)} games are new in {path}, which has {len(records)} now")


def known_games(path: Path) -> list[Record]:
    """Return the records of a file that may not be there yet."""
    from sandtable.games.lucid.agents.expert.games import read_expert_games

    if not path.name.endswith(".jsonl"):
        raise SandtableError(f"a file of expert games ends in .jsonl, unlike '{path.name}'")
    return [game.record for game in read_expert_games(path)] if path.exists() else []


def read_games(path: Path) -> list[ExpertGame]:
    """Return the games of a file."""
    from sandtable.games.lucid.agents.expert.games import read_expert_games

    return read_expert_games(path)


def chosen_game(games: list[ExpertGame], name: str) -> tuple[int, ExpertGame]:
    """Return the place (from 0) and the game that a person means by its place (from 1) or id."""
    identities = [game.record.identity for game in games]
    if name in identities:
        place = identities.index(name)
    elif name.isascii() and name.isdigit() and 1 <= int(name) <= len(games):
        place = int(name) - 1
    else:
        raise SandtableError(
            f"there is no game '{name}'; there are 1 to {len(games)}, or ids such as "
            f"{identities[0]}"
        )
    return place, games[place]
