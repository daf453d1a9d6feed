"""``sandtable puzzle``: one puzzle after the other in the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandtable.cli import options
from sandtable.cli.common import new_command
from sandtable.cli.text import counted, terminal_width, wrapped
from sandtable.errors import DAMAGED, SandtableError, StopGame, UnreadableAction, suggestion

if TYPE_CHECKING:
    from sandtable.agents.human.agent import Terminal
    from sandtable.puzzles.puzzle import Puzzle

command = new_command()

COMMANDS = ("hint", "moves", "solution", "next", "board", "help", "quit")
HELP = """\
Type your move as you would in a game. Or:
  hint       where the best move begins
  moves      all legal moves
  solution   the best move, and what the others are worth
  next       another puzzle
  board      draw the position again
  quit       stop (also Ctrl-D)"""
SHOWN = 5  # moves of a solution


@command.command()
def puzzle(
    game: options.GameArgument,
    number: Annotated[
        int | None, typer.Argument(min=1, help="Which one; left out: one you have not solved.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Puzzles of your own (sandtable puzzles mine).")
    ] = None,
) -> None:
    """Find the one best move of a position; the answer says how much better it is.

    Examples:

      sandtable puzzle skirmish

      sandtable puzzle lucid 12
    """
    from sandtable.agents.human.agent import Terminal
    from sandtable.registry import make_game

    name = make_game(game).name
    found = puzzles_of(name, file)
    if number is not None and number > len(found):
        raise SandtableError(f"{name} has {counted(len(found), 'puzzle')}, not number {number}")
    solved = SolvedPuzzles()
    terminal = Terminal()
    place: int | None = next_place(found, solved, -1) if number is None else number - 1
    try:
        while place is not None:
            ask(terminal, found, place, solved)
            place = next_place(found, solved, place)
        terminal.say("You have solved them all.")
    except StopGame:
        pass
    terminal.say(f"Solved: {sum(each.identity in solved for each in found)} of {len(found)}.")


def puzzles_of(name: str, file: Path | None) -> list[Puzzle]:
    """Return the puzzles to ask: those of a file, or those that come with the game."""
    from sandtable.puzzles.puzzle import bundled_puzzles, read_puzzles
    from sandtable.registry import make_game

    found = list(bundled_puzzles(name)) if file is None else read_puzzles(file)
    others = [each.game for each in found if make_game(each.game).name != name]
    if others:
        raise SandtableError(f"{file} holds puzzles of {others[0]}, not of {name}")
    if not found:
        raise SandtableError(
            f"{name} comes without puzzles; 'sandtable puzzles mine {name} --out FILE' finds some, "
            f"and 'sandtable puzzle {name} --file FILE' asks them"
        )
    return found


def next_place(found: list[Puzzle], solved: SolvedPuzzles, place: int) -> int | None:
    """Return the next puzzle that is not solved, after a place and then from the beginning."""
    order = [*range(place + 1, len(found)), *range(place + 1)]
    return next((each for each in order if found[each].identity not in solved), None)


def ask(terminal: Terminal, found: list[Puzzle], place: int, solved: SolvedPuzzles) -> None:
    """Ask one puzzle until it is solved or passed over; StopGame: the person has enough."""
    from sandtable.agents.human.colours import painted
    from sandtable.puzzles.answers import answered, hint_words, task_words

    puzzle = found[place]
    state = puzzle.state
    names = state.legal_names

    def draw() -> None:
        text = str(state)
        drawn = painted(state.game, text) if terminal.interactive_colour else text
        terminal.say(f"\nPuzzle {place + 1} of {len(found)}, {state.game.title}\n\n{drawn}\n")
        # By the name that stands in the drawing too.
        say(terminal, task_words(puzzle, state.game.seats[state.turn].capitalize()))

    def words(before: str, start: str) -> list[str]:
        known = () if before.strip() else (*names, *COMMANDS)
        return [each for each in known if each.startswith(start)]

    draw()
    while True:
        line = terminal.read("your move> ", words).strip()
        first = line.lower()
        if first in ("quit", "exit"):
            raise StopGame("quit")
        if first == "next":
            return
        if first in ("help", "?"):
            terminal.say(HELP)
        elif first == "board":
            draw()
        elif first == "hint":
            say(terminal, hint_words(puzzle))
        elif first == "moves":
            say(terminal, " ".join(names))
        elif first == "solution":
            say_solution(terminal, puzzle)
        elif first:
            move, complaint = move_in(puzzle, line, names)
            if complaint:
                say(terminal, complaint)
                continue
            answer = answered(puzzle, move)
            say(terminal, answer.text)
            if answer.right:
                solved.add(puzzle.identity)
                say_solution(terminal, puzzle)
                return


def move_in(puzzle: Puzzle, line: str, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the move that somebody typed, or what is wrong with it."""
    from sandtable.registry import make_game

    game = make_game(puzzle.game)
    try:
        actions = game.parse_actions(line)
    except UnreadableAction as problem:
        return "", f"{problem}.{suggestion(line, [*names, *COMMANDS])}"
    allowed = len(puzzle.actions(game.notation.action_name(actions[0])))
    name = game.notation.action_name(actions[0])
    if name not in names:
        return "", f"{name} is not legal here; 'moves' lists what is."
    if len(actions) > allowed or tuple(actions) != puzzle.actions(name)[: len(actions)]:
        return "", "One move only."
    return name, ""


def say_solution(terminal: Terminal, puzzle: Puzzle) -> None:
    """Tell the best moves with their values, and who judged them."""
    from sandtable.puzzles.answers import margin_words, value_words

    ranked = sorted(puzzle.values, key=lambda move: -puzzle.values[move])
    listed = ", ".join(
        f"{move} {value_words(puzzle, puzzle.values[move])}" for move in ranked[:SHOWN]
    )
    say(terminal, f"The moves and what they are worth: {listed}.")
    first = puzzle.judgements[0]
    say(
        terminal,
        f"Margin {margin_words(puzzle)}, judged by {first.by}; each move was tried "
        f"{counted(first.samples, 'time')}.",
    )


def say(terminal: Terminal, text: str) -> None:
    """Say a sentence that wraps between words."""
    terminal.say(wrapped(text, terminal_width()))


class SolvedPuzzles:
    """The puzzles somebody has solved, kept with what Sandtable remembers."""

    def __init__(self) -> None:
        from sandtable.arena.play.journal import runs_folder

        self.path = runs_folder().parent / "puzzles.json"
        self.identities: set[str] = set()
        try:
            kept = json.loads(self.path.read_text("utf-8"))
            self.identities = {str(each) for each in kept["solved"]}
        except (OSError, *DAMAGED):
            pass  # nothing yet, or nothing that can be read

    def __contains__(self, identity: object) -> bool:
        return identity in self.identities

    def add(self, identity: str) -> None:
        """Remember that a puzzle was solved; where nothing can be written it is forgotten."""
        from sandtable.files import make_folder, write_whole

        self.identities.add(identity)
        try:
            make_folder(self.path.parent)
            write_whole(self.path, json.dumps({"solved": sorted(self.identities)}).encode())
        except SandtableError:
            pass
