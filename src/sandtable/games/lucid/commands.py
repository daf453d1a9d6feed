"""``sandtable label``: files of expert games, from which agents learn, and their labels.

Imports that cost time are made where they are needed, so that lists of commands come at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_STOPPED, complete_agent
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    from sandtable.games.lucid.agents.expert.games import ExpertGame, ExpertTurn, LabelledGroup
    from sandtable.records.record import Record

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

DATABASE = typer.Argument(..., metavar="FILE", help="The file of expert games (.jsonl).")
SEAT = typer.Option("blue", "--seat", help="Whose play is worth learning: blue or red.")
KEYS = (
    "Enter: next move, p: back, q: quit; '2 approach attack': these are the labels of group 2, "
    "'2 +attack -approach': add and remove, '2 none': no category"
)


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

      sandtable label correct expert.jsonl
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
) -> None:
    """Label all games by the rules once more, except what a person has corrected."""
    from sandtable.games.lucid.learning.expert_database import relabelled, write_games

    games = read_games(path)
    records = [relabelled(game.record, keep_corrected=not everything) for game in games]
    changed = sum(new != game.record for new, game in zip(records, games, strict=True))
    write_games(path, records)
    typer.echo(f"{changed} of {len(games)} games have other labels now")


@command.command()
def correct(
    path: Path = DATABASE,
    game: str | None = typer.Option(None, "--game", "-g", help="Begin there: its place or id."),
    turn: int = typer.Option(1, "--turn", "-t", help="Begin at this turn."),
) -> None:
    """Go through the moves of the expert in the terminal and correct their labels.

    Every correction is written to the file at once.
    """
    games = read_games(path)
    place = 0 if game is None else chosen_game(games, game)[0]
    LabelEditor(path, games).run(place, turn)


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


# --- labels in words -----------------------------------------------------------------------------


def summary_lines(path: Path, games: Sequence[ExpertGame]) -> list[str]:
    """Say what is in a file: its games, and how often each category comes up."""
    from sandtable.games.lucid.learning.expert_database import counts

    scores = [game.record.outcome.scores[game.seat] for game in games if game.record.outcome]
    turns = sum(turn.seat == game.seat for game in games for turn in game.turns)
    experts = sorted({game.record.seats[game.seat] for game in games})
    lines = [
        f"{path}: {len(games)} games by {', '.join(experts)}, mean score "
        f"{sum(scores) / len(scores):.2f}",
        f"{turns} turns of the experts, {2 * turns} entries with left-right mirroring",
    ]
    return lines + [f"  {name:22} {count:6}" for name, count in counts(games).items()]


def game_lines(game: ExpertGame) -> list[str]:
    """List the labels of a game, turn by turn."""
    lines = [f"Game {game.record.identity}: {', '.join(game.record.seats)}"]
    for turn in game.turns:
        for group in turn.groups:
            lines.append(f"turn {turn.number:2}  {group_line(group)}")
    return lines


def group_line(group: LabelledGroup) -> str:
    """Write a group with its labels."""
    marked = "  (corrected)" if group.by_person else ""
    return f"{group.group.key:30} {', '.join(group.names) or 'none'}{marked}"


def turn_lines(game: ExpertGame, number: int) -> list[str]:
    """Draw a turn: the position, the move, and the groups with their labels."""
    from sandtable.agents.human.turn import compact
    from sandtable.registry import make_game

    turn = next((turn for turn in game.turns if turn.number == number), None)
    if turn is None:
        raise SandtableError(f"game {game.record.identity} has no turn {number}")
    rules = make_game("lucid")
    seat = rules.seats[turn.seat]
    lines = [f"Game {game.record.identity}, turn {turn.number}", ""]
    lines += [rules.drawing.text(turn.before), ""]
    lines.append(f"{seat}: {compact(rules, turn.actions) or 'nobody moves'}")
    for place, group in enumerate(turn.groups, start=1):
        lines.append(f"  {place}. {group_line(group)}")
    return lines


# --- correcting in the terminal ------------------------------------------------------------------


class LabelEditor:
    """A person who goes through the moves of a file; each correction is kept at once."""

    def __init__(self, path: Path, games: Sequence[ExpertGame]) -> None:
        from sandtable.games.lucid.rules import BLUE_SEAT

        self.path = path
        self.games = list(games)
        self.stops = [
            (place, turn.number)
            for place, game in enumerate(self.games)
            for turn in game.turns
            if turn.seat == BLUE_SEAT and turn.groups
        ]
        if not self.stops:
            raise SandtableError(f"{path} has no labels: its experts play Red")

    def run(self, place: int, number: int) -> None:
        """Go through the moves until the person has had enough."""
        from sandtable.games.lucid.agents.categories import CATEGORIES

        typer.echo(f"Categories: {', '.join(CATEGORIES)}.\n{KEYS}.\n")
        after = [index for index, stop in enumerate(self.stops) if stop >= (place, number)]
        index = after[0] if after else len(self.stops) - 1
        self.show(index)
        while True:
            try:
                answer = input(f"move {index + 1} of {len(self.stops)} > ").strip()
            except (EOFError, KeyboardInterrupt):
                typer.echo()
                return
            if answer.lower() in ("q", "quit"):
                return
            step = {"": 1, "n": 1, "p": -1}.get(answer.lower())
            if step is None:
                self.edit(index, answer)
            elif 0 <= index + step < len(self.stops):
                index += step
                self.show(index)
            else:
                typer.echo("There are no more moves; q quits.")

    def turn(self, index: int) -> ExpertTurn:
        """Return a turn with its labels as they are now."""
        place, number = self.stops[index]
        return next(turn for turn in self.games[place].turns if turn.number == number)

    def show(self, index: int) -> None:
        """Draw a turn."""
        place, number = self.stops[index]
        typer.echo("\n".join(turn_lines(self.games[place], number)))

    def edit(self, index: int, answer: str) -> None:
        """Correct the labels of a group as the person says, or say what was wrong."""
        from sandtable.games.lucid.agents.expert.games import corrected, expert_game
        from sandtable.games.lucid.learning.expert_database import write_games

        place, number = self.stops[index]
        groups = self.turn(index).groups
        first, *words = answer.replace(",", " ").split()
        if not (first.isdigit() and 1 <= int(first) <= len(groups)) or not words:
            typer.echo(f"{KEYS}. Groups here: 1 to {len(groups)}.")
            return
        group = groups[int(first) - 1]
        try:
            labels = edited_labels(group.labels, words)
            record = corrected(self.games[place].record, number, group.group.key, labels)
        except SandtableError as problem:
            typer.echo(str(problem))
            return
        self.games[place] = expert_game(record)
        write_games(self.path, [game.record for game in self.games])
        typer.echo(f"  {first}. {group_line(self.turn(index).groups[int(first) - 1])}")


def edited_labels(before: frozenset[str], words: Sequence[str]) -> set[str]:
    """Return the labels a person means: named ones, or those before with some added or removed.

    >>> edited_labels(frozenset({"approach"}), ["+attack", "-approach"])
    {'attack'}
    """
    if list(words) == ["none"]:
        return set()
    if not all(word[0] in "+-" for word in words):
        return set(words)
    labels = set(before)
    for word in words:
        if word[0] == "+":
            labels.add(word[1:])
        else:
            labels.discard(word[1:])
    return labels
