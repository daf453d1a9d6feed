"""The agent that is a person at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import ClassVar, TextIO

from sandtable.agent import Agent
from sandtable.agents.human.colours import painted, wants_colour
from sandtable.agents.human.hints import Adviser
from sandtable.agents.human.judgement import judged, not_possible
from sandtable.agents.human.rules_text import rules_text
from sandtable.agents.human.turn import TurnInProgress, compact, split_words
from sandtable.agents.human.width import terminal_width, wrapped
from sandtable.dice import Dice
from sandtable.errors import Forfeit, SandtableError, StopGame
from sandtable.registry import agent_names
from sandtable.types import Game, Outcome, State

__all__ = ["RESIGNED", "Completer", "Human", "Terminal"]

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
  hint [AGENT]      what an agent would play; the up arrow then types it for you
  why MOVE          whether a move is legal, and what the adviser expects of it
  rules             how the game is played
  board             draw the position
  position          write the position in one line
  help              this
  resign            give the game up (it asks first)
  quit              break the game off (or Ctrl-D); 'play --resume' goes on
The tab key completes moves and commands; arrow keys bring earlier lines back."""

RESIGNED = "resigned"  # the reason of a game that a person gives up
WIDEST_TEXT = 100  # columns; longer lines are hard to read

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

    @property
    def interactive_colour(self) -> bool:
        """Whether what is written may be in colour."""
        return self._sink is None and wants_colour(sys.stdout)

    def say(self, text: str) -> None:
        """Write lines as they are: drawings, lists."""
        print(text, file=self._sink or sys.stdout, flush=True)

    def tell(self, text: str) -> None:
        """Write a sentence; where a person reads it, it wraps between words."""
        read = self._sink is None and sys.stdout.isatty()
        self.say(wrapped(text, terminal_width(), "  ") if read else text)

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

    meanings: ClassVar[Mapping[str, str]] = {
        "hints": "the agent that 'hint' and 'why' ask; left out: the game's best adviser",
    }

    def __init__(self, hints: str | None = None) -> None:
        self.terminal = Terminal()
        self._hints = hints
        self._adviser: Adviser | None = None
        self._commands: dict[str, Command] = {
            "moves": self._moves,
            "undo": self._undo,
            "hint": self._hint,
            "why": self._why,
            "rules": self._rules,
            "board": self._board,
            "position": self._position,
            "help": self._help,
            "resign": self._resign,
            "quit": self._quit,
        }

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Greet the person."""
        self._adviser = Adviser(game, seat, self._hints)
        self.terminal.say(
            f"You play {game.seats[seat]}. 'help' lists the commands, 'rules' says how to play."
        )

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Show the view and read lines until the turn is closed."""
        seat = view.turn if view.seat is None else view.seat
        if self._adviser is None:
            self.begin(view.game, seat, dice)
        self.terminal.say(f"\n{self._drawn(view)}")
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
                self.terminal.tell(str(problem))
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
            self.terminal.tell(complaint)
        elif turn.actions and not turn.closed:
            self._say_progress(turn)

    def _say_progress(self, turn: TurnInProgress) -> None:
        ending = closing_name(turn.view.game)
        closes = f" ('{ending}' ends the turn)" if ending else ""
        self.terminal.tell(f"So far: {turn.text or 'nothing'}{closes}")

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
            self.terminal.tell(f"No legal move begins like '{rest}'.")
            return
        width = max(len(name) for name in names) + 1
        columns = max(terminal_width() // width, 1)
        for first in range(0, len(names), columns):
            row = names[first : first + columns]
            self.terminal.say("".join(name.ljust(width) for name in row).rstrip())

    def _undo(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        if rest and rest != "all" and not rest.isdecimal():
            self.terminal.tell(f"undo takes a number or 'all', got '{rest}'.")
            return
        taken_back = turn.undo(len(turn.actions) if rest == "all" else int(rest or 1))
        if not taken_back:
            self.terminal.say("There is nothing to take back in this turn.")
            return
        self.terminal.tell(f"Taken back: {taken_back}")
        self._say_progress(turn)

    def _hint(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        assert self._adviser is not None  # begin has made it
        self.terminal.say(f"{self._adviser.name(rest or None)} thinks ...")
        name, actions = self._adviser.turn(turn.view, rest or None, dice)
        text = compact(turn.view.game, actions)
        self.terminal.remember(text)
        self.terminal.tell(f"{name} would play: {text}")

    def _why(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        assert self._adviser is not None
        if not rest:
            self.terminal.say("why needs a move: why MOVE")
            return
        complaint = not_possible(turn, rest)
        if complaint:
            self.terminal.tell(complaint)
            return
        name = self._adviser.judge()
        self.terminal.say(f"{name} thinks ...")
        try:
            agent = self._adviser.ready(name, dice)
            self.terminal.tell(judged(turn, rest, name, agent, dice))
        except SandtableError:
            raise
        except Exception as problem:  # an adviser's trouble must not cost the person the game
            raise SandtableError(f"'{name}' cannot tell: {problem}") from problem

    def _rules(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        width = min(terminal_width(), WIDEST_TEXT)
        game = turn.view.game
        self.terminal.say(rules_text(game, width) or f"{game.title} comes without written rules.")

    def _drawn(self, view: State) -> str:
        return painted(view.game, str(view)) if self.terminal.interactive_colour else str(view)

    def _board(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        self.terminal.say(self._drawn(turn.view))

    def _position(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        self.terminal.say(turn.view.line)

    def _help(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        self.terminal.say(HELP.format(example=example_turn(turn.view)))

    def _resign(self, turn: TurnInProgress, rest: str, dice: Dice) -> None:
        answer = self.terminal.read("Give the game up? yes or no> ", lambda before, start: [])
        if answer.strip().lower() in ("y", "yes"):
            raise Forfeit(RESIGNED)
        self.terminal.say("The game goes on.")

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
