"""The agent that is a person at a terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TextIO

from sandtable.agent import Agent
from sandtable.agents.human.hints import Adviser
from sandtable.agents.human.turn import TurnInProgress, compact, split_words
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame
from sandtable.registry import agent_names
from sandtable.types import Game, Outcome, State

__all__ = ["Completer", "Human", "Terminal"]

try:
    import readline
except ImportError:  # not every Python is built with it; typing works all the same
    line_editor: ModuleType | None = None
else:
    line_editor = readline

Completer = Callable[[str, str], list[str]]  # (line before the word, word so far) -> words

HELP = """\
Type moves, one or many at once; a count repeats a move: {example}
  moves [START]     the legal moves now, or those that begin like START
  undo [N | all]    take back the last move of this turn, the last N, or all
  hint [AGENT]      what an agent would play from here; the up arrow then types it for you
  board             draw the position
  position          write the position in one line
  help              this
  resign            give the game up
  quit              break the game off (also Ctrl-D and Ctrl-C); what was played is kept
The tab key completes moves and commands; the arrow keys bring earlier lines back."""

Command = Callable[[TurnInProgress, str, Dice], None]  # turn, the rest of the line, dice


class Terminal:
    """Standard input and output, or the two streams given."""

    def __init__(self, source: TextIO | None = None, sink: TextIO | None = None) -> None:
        self._source = source
        self._sink = sink

    @property
    def interactive(self) -> bool:
        """Whether a person sits at both ends."""
        return self._source is None and sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, text: str) -> None:
        """Write lines of text."""
        print(text, file=self._sink or sys.stdout, flush=True)

    def read(self, prompt: str, completer: Completer) -> str:
        """Return the next line; StopGame at the end of the input or at Ctrl-C."""
        try:
            if self.interactive:
                with completing(completer):
                    return input(prompt)
            return self._read_plain(prompt)
        except UnicodeDecodeError:
            self.say("\nThat line is not text in the terminal's encoding.")
            return ""
        except (EOFError, KeyboardInterrupt):
            self.say("")
            raise StopGame("quit") from None
        except (
            BaseException
        ):  # a clock or a signal: what is written next starts on a line of its own
            self.say("")
            raise

    def _read_plain(self, prompt: str) -> str:
        print(prompt, end="", file=self._sink or sys.stdout, flush=True)
        line = (self._source or sys.stdin).readline()
        if not line:
            raise EOFError
        self.say(line.rstrip("\n"))  # nobody echoes a pipe, and the transcript wants the answers
        return line

    def remember(self, line: str) -> None:
        """Put a line into the history, where the arrow keys find it."""
        if line_editor is not None and self.interactive:
            line_editor.add_history(line)


@contextmanager
def completing(completer: Completer) -> Iterator[None]:
    """Let the tab key complete words while inside; leave the line editor as it was found."""
    if line_editor is None:
        yield
        return
    found: list[str] = []

    def next_word(start: str, index: int) -> str | None:
        if index == 0:
            found.clear()
            with suppress(Exception):  # a line half typed may mean anything; tab must never hurt
                found.extend(
                    completer(line_editor.get_line_buffer()[: line_editor.get_begidx()], start)
                )
        return found[index] if index < len(found) else None

    before = line_editor.get_completer(), line_editor.get_completer_delims()
    line_editor.set_completer(next_word)
    line_editor.set_completer_delims(" \t\n,")
    libedit = "libedit" in (line_editor.__doc__ or "")
    line_editor.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
    try:
        yield
    finally:
        line_editor.set_completer(before[0])
        line_editor.set_completer_delims(before[1])


class Human(Agent):
    """Any game; you, at the terminal (type 'help' there)."""

    def __init__(self, hints: str | None = None) -> None:
        self.terminal = Terminal()
        self._hints = hints
        self._adviser: Adviser | None = None
        self._commands: dict[str, Command] = {
            "moves": self._moves,
            "undo": self._undo,
            "hint": self._hint,
            "board": self._board,
            "position": self._position,
            "help": self._help,
            "resign": self._resign,
            "quit": self._quit,
        }

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Greet the person."""
        self._adviser = Adviser(game, seat, self._hints)
        self.terminal.say(f"You play {game.seats[seat]}. 'help' lists the commands.")

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Show the view and read lines until the turn is closed."""
        seat = view.turn if view.seat is None else view.seat
        if self._adviser is None:
            self.begin(view.game, seat, dice)
        self.terminal.say(f"\n{view}")
        turn = TurnInProgress(view)

        def completions(before: str, start: str) -> list[str]:
            return self._completions(turn, before, start)

        while not turn.closed:
            moved = f" ({len(turn.actions)} moved)" if turn.actions else ""
            line = self.terminal.read(f"{view.game.seats[seat]}{moved}> ", completions)
            try:
                self._obey(turn, line, dice)
            except Forfeit:
                raise
            except SandtableError as problem:
                self.terminal.say(str(problem))
        return turn.actions

    def finish(self, outcome: Outcome | None) -> None:
        """Let the agents go that gave hints."""
        if self._adviser is not None:
            self._adviser.close()
            self._adviser = None

    def _obey(self, turn: TurnInProgress, line: str, dice: Dice) -> None:
        first, _, rest = line.strip().partition(" ")
        name = "help" if first == "?" else first.lower()
        if name in self._commands and name not in turn.view.legal_names:
            self._commands[name](turn, rest.strip(), dice)
            return
        complaint = turn.take(split_words(line), self._commands)
        if complaint:
            self.terminal.say(complaint)
        elif turn.actions and not turn.closed:
            self._say_progress(turn)

    def _say_progress(self, turn: TurnInProgress) -> None:
        ending = closing_name(turn.view.game)
        closes = f" ('{ending}' ends the turn)" if ending else ""
        self.terminal.say(f"So far: {turn.text or 'nothing'}{closes}")

    def _completions(self, turn: TurnInProgress, before: str, start: str) -> list[str]:
        words = split_words(before)
        if words[:1] == ["hint"]:
            names = agent_names(turn.view.game.name)
            return [name for name in names if name.startswith(start) and name != "human"]
        if words[:1] == ["moves"]:
            return turn.completions("", start, ())
        return turn.completions(before, start, self._commands)

    def _moves(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        names = [name for name in turn.view.legal_names if name.startswith(rest.lower())]
        if not names:
            self.terminal.say(f"No legal move begins like '{rest}'.")
            return
        width = max(len(name) for name in names) + 1
        columns = max(shutil.get_terminal_size().columns // width, 1)
        for first in range(0, len(names), columns):
            row = names[first : first + columns]
            self.terminal.say("".join(name.ljust(width) for name in row).rstrip())

    def _undo(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        if rest and rest != "all" and not rest.isdecimal():
            self.terminal.say(f"undo takes a number or 'all', got '{rest}'.")
            return
        taken_back = turn.undo(len(turn.actions) if rest == "all" else int(rest or 1))
        if not taken_back:
            self.terminal.say("There is nothing to take back in this turn.")
            return
        self.terminal.say(f"Taken back: {taken_back}")
        self._say_progress(turn)

    def _hint(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        assert self._adviser is not None  # begin has made it
        name, actions = self._adviser.turn(turn.view, rest or None, dice)
        text = compact(turn.view.game, actions)
        self.terminal.remember(text)
        self.terminal.say(f"{name} would play: {text}")

    def _board(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        self.terminal.say(str(turn.view))

    def _position(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        self.terminal.say(turn.view.line)

    def _help(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        self.terminal.say(HELP.format(example=example_turn(turn.view)))

    def _resign(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        raise Forfeit("resigned")

    def _quit(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        raise StopGame("quit")


def closing_name(game: Game) -> str | None:
    """Return the name of the action that ends a turn, if there is exactly one such action."""
    if game.turn_ending_actions is None or len(game.turn_ending_actions) != 1:
        return None
    return game.notation.action_name(next(iter(game.turn_ending_actions)))


def example_turn(view: State) -> str:
    """Return a turn a person could type here, to show how."""
    ending = closing_name(view.game)
    name = view.legal_names[0]
    return f"{name}*2 {ending}" if ending and name != ending else name
