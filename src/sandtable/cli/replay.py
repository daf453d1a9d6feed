"""``sandtable replay``: recorded games turn by turn, and whether they are sound."""

from __future__ import annotations

import difflib
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_ERROR, new_command, write_text
from sandtable.cli.said import Said, said_lines
from sandtable.cli.text import write
from sandtable.errors import BrokenRecord, SandtableError, suggestion

if TYPE_CHECKING:
    from sandtable.records.record import Record
    from sandtable.records.replay import Turn
    from sandtable.records.store import Store
    from sandtable.types import State

__all__ = ["Show", "Wanted", "check_all", "choose_game", "open_source"]

command = new_command()

IDS_SHOWN = 3
KEYS = "Enter or n: next turn, p: back, NUMBER: that turn, m: moves as text, q: quit"


@command.command()
def replay(
    source: str | None = typer.Argument(
        None,
        metavar="FILE|ID",
        show_default=False,
        help="A file of records (.jsonl or an archive), or the id of a game in the archive.",
    ),
    archive: str | None = typer.Option(
        None, "--archive", envvar="SANDTABLE_ARCHIVE", help="Where to look for an id."
    ),
    number: int | None = typer.Option(None, "--number", "-n", help="Which game: its number."),
    identity: str | None = typer.Option(None, "--id", help="Which game: its id."),
    check: bool = typer.Option(False, "--check", help="Only check that every game is sound."),
    turn: int | None = typer.Option(
        None, "--turn", "-t", min=0, help="Show this turn (0: the start); begin there if you step."
    ),
    seat: str | None = typer.Option(None, "--seat", help="Show only what this seat may know."),
    delay: float | None = typer.Option(
        None, "--delay", min=0.0, help="Go on by itself, after so many seconds a turn."
    ),
    svg: Path | None = typer.Option(
        None, "--svg", metavar="FOLDER", help="Draw every turn into a file in this folder."
    ),
    said: Said = typer.Option(
        Said.ANSWERS,
        "--said",
        help="What language models said about their moves; all: also prompts and thoughts.",
    ),
) -> None:
    """Play recorded games again and check every move, the dice and the result.

    In a terminal you step through the game turn by turn; in a pipe all of it is printed.

    Examples:

      sandtable replay games.jsonl

      sandtable replay games.db --number 17 --turn 5

      sandtable replay 31146386e5-17 --archive games.db --svg pictures

      sandtable replay games.jsonl --check
    """
    from contextlib import closing

    with closing(open_source(source, archive)) as wanted:
        if check:
            if not (number is None and turn is None and svg is None and wanted.identity is None):
                raise SandtableError("--check looks at all games of a file; name only the file")
            if not check_all(wanted.store, wanted.path):
                raise typer.Exit(EXIT_ERROR)
            return
        record = choose_game(wanted, number, identity)
    show = Show(record, seat, said)
    show.run(turn=turn, delay=delay, folder=svg)


@dataclass(frozen=True)
class Wanted:
    """A store of games that is open, and which game of it was asked for, if one was."""

    path: str
    store: Store
    identity: str | None = None

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()


def open_source(source: str | None, archive: str | None) -> Wanted:
    """Find out whether a person means a file or the id of a game in the archive, and open it."""
    from sandtable.records.store import open_store

    if source is None:
        if archive is None:
            raise SandtableError("name a file of records, or the id of a game and its --archive")
        return Wanted(archive, open_store(archive, create=False))
    if Path(source).exists():
        return Wanted(source, open_store(source, create=False))
    if "/" in source or "." in source:
        folder = Path(source).parent
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        raise SandtableError(f"there is no file {source}.{suggestion(Path(source).name, names)}")
    if archive is None:
        raise SandtableError(
            f"there is no file '{source}'; if it is the id of a game, name its archive with "
            "--archive FILE or the variable SANDTABLE_ARCHIVE"
        )
    return Wanted(archive, open_store(archive, create=False), source)


def choose_game(wanted: Wanted, number: int | None, identity: str | None) -> Record:
    """Return the game that a person means; if there are several, the first, and say so."""
    identity = wanted.identity or identity
    if identity is not None:
        return game_by_id(wanted, identity)
    if number is not None:
        return game_by_id(wanted, id_by_number(wanted, number))
    record = next(iter(wanted.store.records()), None)
    if record is None:
        raise SandtableError(f"{wanted.path} holds no games")
    count = wanted.store.count()
    if count > 1:
        write(
            f"{wanted.path} holds {count:,} games; this is the first, number {record.number}. "
            "Choose with --number N or --id ID.",
            err=True,
        )
    return record


def game_by_id(wanted: Wanted, identity: str) -> Record:
    """Return the game of an id, or name the nearest ids there are."""
    from sandtable.records.lines import one_line

    record = wanted.store.get(identity)
    if record is None:
        nearest = " or ".join(nearest_ids(identity, wanted.store.identities()))
        hint = f" Did you mean {nearest}?" if nearest else ""
        raise SandtableError(f"{wanted.path} holds no game '{one_line(identity)}'.{hint}")
    return record


def id_by_number(wanted: Wanted, number: int) -> str:
    """Return the id of the only game with a number."""
    every = list(wanted.store.identities())
    found = [identity for identity in every if identity.endswith(f"-{number}")]
    if not found:
        numbers = sorted(int(identity.rpartition("-")[2]) for identity in every)
        there = f"the numbers there are {numbers[0]} to {numbers[-1]}" if numbers else "it is empty"
        raise SandtableError(f"{wanted.path} holds no game with the number {number}; {there}")
    if len(found) > 1:
        some = ", ".join(found[:IDS_SHOWN]) + (", ..." if len(found) > IDS_SHOWN else "")
        raise SandtableError(
            f"{wanted.path} holds {len(found)} games with the number {number}; choose one with "
            f"--id: {some}"
        )
    return found[0]


def nearest_ids(wanted: str, identities: Iterable[str]) -> list[str]:
    """Return the ids nearest to one that is not there: of the likeliest experiment first."""
    numbers: dict[str, list[int]] = {}
    for identity in identities:
        experiment, _, number = identity.rpartition("-")
        numbers.setdefault(experiment, []).append(int(number))
    experiment, _, digits = wanted.rpartition("-")
    near = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
    names = difflib.get_close_matches(experiment or wanted, numbers, n=IDS_SHOWN, cutoff=0.5)
    return [f"{name}-{min(numbers[name], key=lambda each: abs(each - near))}" for name in names]


def check_all(store: Store, path: str) -> bool:
    """Play all games of a store again; print how many are sound and what is wrong with others."""
    from sandtable.cli.progress import games_progress
    from sandtable.records.replay import check

    problems: list[str] = []
    count = 0
    with games_progress(f"checking {path}", store.count()) as progress:
        for finding in store.scan():
            count += 1
            progress(1)
            try:
                if finding.record is None:
                    problems.append(str(finding.problem))
                else:
                    check(finding.record)
            except BrokenRecord as problem:
                problems.append(f"{finding.where}: {problem}")
    for line in problems:
        typer.echo(f"broken: {line}", err=True)
    sound = count - len(problems)
    typer.echo(f"{sound:,} of {count:,} games in {path} are sound")
    return not problems


class Show:
    """A game that is shown turn by turn, whole or as one seat saw it.

    A record that breaks somewhere is shown up to there; then its problem is raised.
    """

    def __init__(self, record: Record, seat: str | None, said: Said = Said.ANSWERS) -> None:
        from sandtable.records import replay

        self.record, self.how_much = record, said
        self.start = replay.start_of(record)
        self.game = self.start.game
        self.viewer = None if seat is None else self.game.seat_number(seat)
        self.turns: list[Turn] = []
        self.problem: BrokenRecord | None = None
        try:
            self.turns.extend(replay.turns(replay.replay(record)))
        except BrokenRecord as problem:
            self.problem = problem

    def run(self, *, turn: int | None, delay: float | None, folder: Path | None) -> None:
        """Show the game in the way that was asked for."""
        if turn is not None and turn > len(self.turns):
            raise self.problem or SandtableError(f"this game has turns 0 to {len(self.turns)}")
        every = range(len(self.turns) + 1)
        if folder is not None:
            self.draw(every if turn is None else [turn], folder)
        else:
            self.print_players()
            if delay is None and sys.stdin.isatty() and sys.stdout.isatty():
                self.step_through(turn or 0)
            elif delay is None:
                self.print_turns(every if turn is None else [turn], 0.0)
            else:
                self.print_turns(every[turn or 0 :], delay)
        if self.problem:
            raise self.problem

    def visible(self, state: State) -> State:
        """Return a state as far as it may be shown."""
        return state if self.viewer is None else state.view(self.viewer)

    def state(self, turn: int) -> State:
        """Return what is seen after a turn; after turn 0, the start."""
        return self.visible(self.turns[turn - 1].after if turn else self.start)

    def print_players(self) -> None:
        """Say who played what, and which game this is."""
        from sandtable.records.lines import one_line

        record = self.record
        seated = ", ".join(
            f"{seat} {one_line(spec)}"
            for seat, spec in zip(self.game.seats, record.seats, strict=True)
        )
        typer.secho(f"{self.game.title}: {seated}", bold=True)
        given = "" if record.start is None else ", from a given position"
        typer.echo(f"Game {record.identity}: seed {record.seed}, number {record.number}{given}.\n")

    def print_turns(self, numbers: Iterable[int], delay: float) -> None:
        """Print turns one after the other."""
        for number in numbers:
            self.print_turn(number)
            time.sleep(delay)

    def print_turn(self, number: int) -> None:
        """Print what was played in a turn, what the dice did, and the position after it."""
        from sandtable.agents.human.turn import compact

        if number:
            turn = self.turns[number - 1]
            typer.secho(f"{number}. {self.game.seats[turn.seat]}: ", bold=True, nl=False)
            actions = [step.action for step in turn.steps]
            typer.echo(compact(self.game, actions) if self.may_see(turn) else "(hidden)")
            for line in self.said(turn):
                typer.echo(f"   {line}")
            for line in self.events(turn):
                typer.echo(f"   {line}")
        typer.echo(f"{self.state(number)}\n")
        if number == len(self.turns):
            for line in self.said(None):
                typer.echo(f"   {line}")
        for line in self.notes(number):
            write(line, indent="      ")
        if number == len(self.turns) and not self.problem:
            typer.echo(self.result())

    def notes(self, number: int) -> list[str]:
        """Return what was noted of the positions in a turn; to a seat nothing is told."""
        from sandtable.agents.human.turn import compact
        from sandtable.records.notes import notes_of

        if self.viewer is not None:
            return []
        steps = self.turns[number - 1].steps if number else ()
        plies = range(steps[0].number, steps[-1].number + 1) if steps else range(1)
        lines = []
        for note in notes_of(self.record.annotations):
            if note.ply in plies:
                words = " ".join(note.text.split())
                better = f" [{compact(self.game, note.actions)}]" if note.actions else ""
                lines.append(f"Note: {words}{better}")
        return lines

    def said(self, turn: Turn | None) -> list[str]:
        """Return what was said before the moves of a turn, or None: before it was given up.

        A seat is told what was said for itself: the others' words hold what they alone knew.
        """
        from sandtable.records.transcripts import decisions_of

        every = [
            each
            for each in decisions_of(self.record.annotations)
            if self.viewer in (None, each.seat)
        ]
        if turn is None:
            given_up = [each for each in every if not each.actions]
            return said_lines(given_up, self.how_much)
        plies = range(turn.steps[0].number - 1, turn.steps[-1].number)
        made = [each for each in every if each.actions and each.ply in plies]
        return said_lines(made, self.how_much)

    def may_see(self, turn: Turn) -> bool:
        """Say whether the actions of a turn may be shown: an action can tell what is hidden."""
        viewer, visible_to = self.viewer, self.game.action_visible_to
        if not self.game.hidden or viewer is None or viewer == turn.seat:
            return True
        return visible_to is not None and all(
            visible_to(step.before.position, step.action, viewer) for step in turn.steps
        )

    def events(self, turn: Turn) -> list[str]:
        """Tell what the dice did in a turn."""
        lines: list[str] = []
        for step in turn.steps:
            before, after = self.visible(step.before).position, self.visible(step.after).position
            lines += self.game.drawing.events(before, step.action, after)
        return lines

    def result(self) -> str:
        """Say how the game ended."""
        from sandtable.cli.screen import result_line
        from sandtable.records.lines import one_line

        outcome = self.record.outcome
        if outcome is None:
            return "The game was broken off here."
        return result_line(self.game, replace(outcome, reason=one_line(outcome.reason)))

    def step_through(self, number: int) -> None:
        """Let a person go through the game."""
        typer.echo(f"{KEYS}.\n")
        self.print_turn(number)
        while True:
            try:
                answer = input(f"turn {number} of {len(self.turns)} > ").strip().lower()
            except (EOFError, KeyboardInterrupt):
                typer.echo()
                return
            if answer in ("q", "quit"):
                return
            if answer == "m":
                self.print_moves(number)
                continue
            chosen = self.turn_meant(answer, number)
            if chosen is not None:
                number = chosen
                self.print_turn(number)

    def turn_meant(self, answer: str, number: int) -> int | None:
        """Return the turn to go to; None, with a line that says why, to stay."""
        steps = {"": 1, "n": 1, "next": 1, "p": -1, "back": -1}
        if answer in steps:
            chosen = number + steps[answer]
        elif answer.isascii() and answer.isdigit() and len(answer) < 10:
            chosen = int(answer)
        else:
            typer.echo(f"{KEYS}.")
            return None
        if 0 <= chosen <= len(self.turns):
            return chosen
        if self.problem and chosen > len(self.turns):
            typer.echo(f"The record is broken here: {self.problem}")
        else:
            typer.echo(f"There are turns 0 (the start) to {len(self.turns)}; q quits.")
        return None

    def print_moves(self, number: int) -> None:
        """Print the actions of a turn in full, and the position, as other commands take them."""
        if number and self.may_see(self.turns[number - 1]):
            typer.echo(f"moves: {self.turns[number - 1].words}")
        typer.echo(f"position: {self.state(number).line}")

    def draw(self, numbers: Iterable[int], folder: Path) -> None:
        """Draw turns into files of a folder."""
        count = 0
        for number in numbers:
            picture = self.game.drawing.svg(self.state(number).position)
            write_text(folder / f"turn-{number:03}.svg", picture)
            count += 1
        typer.echo(f"{count} {'picture' if count == 1 else 'pictures'} in {folder}")
