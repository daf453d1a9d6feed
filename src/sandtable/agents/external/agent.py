"""The agent that is a program of its own, in any language: JSON lines over its standard input
and output, with a clock. ``docs/external-agents.md`` is the protocol.

Whatever the program does wrong (no such file, crash, hang, nonsense) ends in a Forfeit with its
reason. It is then killed with all it started, and started anew for the next game.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any, ClassVar

from sandtable.agent import Agent
from sandtable.agents.external.program import Conversation, Program, shortened
from sandtable.dice import Dice
from sandtable.errors import Forfeit, UnreadableAction, UnreadableSpec
from sandtable.system import POSIX
from sandtable.system.alarms import undisturbed
from sandtable.types import Game, Outcome, State

__all__ = ["PROTOCOL", "External"]

PROTOCOL = 1
SECONDS_TO_QUIT = 1.0
SEEDS = 2**31  # fits the signed 32-bit numbers of most languages
EXIT_PRIORITY = 10  # any number: programs are stopped before worker processes are waited for


class External(Agent):
    """Any game; a program of your own in any language, talking JSON lines, with a clock."""

    meanings: ClassVar[Mapping[str, str]] = {
        "command": "the program with its arguments, in quotes if there are spaces or commas",
        "seconds": "time for an answer; later is a forfeit",
        "start_seconds": "time to start and to say that it is ready",
    }

    def __init__(self, command: str, seconds: float = 10.0, start_seconds: float = 20.0) -> None:
        self._words = shlex.split(command if POSIX else command.replace("\\", "\\\\"))  # paths
        if not self._words:
            raise ValueError("the command is empty")
        for name, value in (("seconds", seconds), ("start_seconds", start_seconds)):
            if not (value > 0 and math.isfinite(value)):
                raise ValueError(f"{name} is more than 0, got {value:g}")
        self.seconds = seconds
        self.start_seconds = start_seconds
        self._program: Conversation | None = None
        self._game: Game | None = None
        self._watching = False

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Start the program if it does not run, and tell it about the game."""
        self._game = None
        self._watching = False
        message = begin_message(game, seat, dice.below(SEEDS))
        if self._program is None or not self._program.usable:
            self._start()
        answer = self._ask(message, self.start_seconds)
        if answer.get("ready") is not True:
            self._stop()
            raise Forfeit(f'it answered begin without "ready": true: {as_text(answer)}')
        self._watching = answer.get("watch") is True
        self._game = game

    def choose(self, view: State, dice: Dice) -> list[int]:
        """Ask the program for its action or its whole turn."""
        if self._game is None:
            self.begin(view.game, view.turn if view.seat is None else view.seat, dice)
        message = {
            "type": "choose",
            **view_fields(view),
            "legal": list(view.legal_names),
            "legal_numbers": list(view.legal),
            "seconds": self.seconds,
        }
        answer = self._ask(message, self.seconds)
        try:
            return actions_of(answer, view.game)
        except Forfeit:
            self._stop()
            raise

    def check(self) -> None:
        """Find out before the first game whether the program can be started at all."""
        try:
            self._start()
        except Forfeit as problem:
            raise UnreadableSpec(f"external: {problem}") from problem

    def watch(self, view: State, action: int | None) -> None:
        """Tell the program what was played, if it asked for that and may know it."""
        if self._watching and self._program is not None:
            name = None if action is None else view.game.notation.action_name(action)
            played = {"action": name, "action_number": action}
            self._program.send(encoded({"type": "watch", **played, **view_fields(view)}))

    def finish(self, outcome: Outcome | None) -> None:
        """Tell the program how the game ended; None: it was broken off."""
        if self._game is not None and self._program is not None:
            self._program.send(encoded({"type": "finish", "outcome": outcome_fields(outcome)}))
        self._game = None

    def close(self) -> None:
        """Send the program home."""
        self._stop(encoded({"type": "quit"}), SECONDS_TO_QUIT)

    def _start(self) -> None:
        self._stop()
        try:
            self._program = self._launched()
        except OSError as problem:
            raise Forfeit(start_problem(self._words[0], problem)) from problem
        # Runs when this agent is forgotten and when the process ends, worker processes included.
        self._finalizer = Finalize(self, self._program.stop, exitpriority=EXIT_PRIORITY)

    def _launched(self) -> Conversation:
        """Start the program; what is reached in another way does that here."""
        return Program(self._words)

    def _stop(self, farewell: bytes = b"", grace: float = 0.0) -> None:
        with undisturbed():  # a clock outside that rings again would leave what the program started
            program, self._program, self._game = self._program, None, None
            if program is not None:
                self._finalizer.cancel()
                program.stop(farewell, grace)

    def _ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self._program is None:
            raise Forfeit("its program does not run any more")
        try:
            return decoded(self._program.ask(encoded(message), seconds))
        except BaseException:
            # Also when a clock outside breaks in: a late answer must never meet another question.
            self._stop()
            raise


def begin_message(game: Game, seat: int, seed: int) -> dict[str, Any]:
    """Return what a program is told before a game."""
    name = game.notation.action_name
    return {
        "type": "begin",
        "protocol": PROTOCOL,
        "game": game.spec,
        "name": game.name,
        "version": game.version,
        "options": dict(game.options),
        "seats": list(game.seats),
        "seat": seat,
        "seat_name": game.seats[seat],
        "closing": None
        if game.turn_ending_actions is None
        else [name(each) for each in sorted(game.turn_ending_actions)],
        "seed": seed,
    }


def view_fields(view: State) -> dict[str, Any]:
    """Return a view as text and as numbers."""
    return {"view": view.line, "position": view.position.tolist()}


def outcome_fields(outcome: Outcome | None) -> dict[str, Any] | None:
    """Return an outcome as JSON has it."""
    if outcome is None:
        return None
    forfeited_by = outcome.forfeited_by
    return {"scores": outcome.scores, "reason": outcome.reason, "forfeited_by": forfeited_by}


def encoded(message: dict[str, Any]) -> bytes:
    """Write a message as one line."""
    return json.dumps(message, default=str).encode()


def decoded(line: bytes) -> dict[str, Any]:
    """Read an answer, which is a JSON object and nothing else."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        said = shortened(line.decode(errors="replace"))
        raise Forfeit(f"its answer is not JSON: {said or 'an empty line'}") from None
    if not isinstance(answer, dict):
        raise Forfeit(f"its answer is not a JSON object: {as_text(answer)}")
    return answer


def as_text(answer: Any) -> str:
    """Quote an answer in one short line."""
    return shortened(json.dumps(answer))


def actions_of(answer: dict[str, Any], game: Game) -> list[int]:
    """Return the actions of an answer, given as names or numbers."""
    words = answer["actions"] if "actions" in answer else [answer.get("action")]
    if not isinstance(words, Sequence) or isinstance(words, str):
        raise Forfeit(f'"actions" is not a list: {as_text(words)}')
    if not words or words == [None]:
        raise Forfeit(f"it answered with no action: {as_text(answer)}")
    if len(words) > game.max_actions:
        raise Forfeit(f"it answered with {len(words)} actions; no game is that long")
    return [action_of(word, game) for word in words]


def action_of(word: Any, game: Game) -> int:
    """Return the number of one action; whether it is legal is for the arena to judge."""
    if isinstance(word, str):
        try:
            return game.notation.parse_action(word)
        except UnreadableAction as problem:
            raise Forfeit(f"unknown action: {shortened(str(problem))}") from problem
    if isinstance(word, int) and not isinstance(word, bool) and 0 <= word < game.action_count:
        return word
    raise Forfeit(f"unknown action: {as_text(word)}")


def start_problem(program: str, problem: OSError) -> str:
    """Say why a program cannot be started, and what to do about it."""
    cannot = f"cannot start '{program}'"
    if isinstance(problem, FileNotFoundError):
        if "/" not in program and Path(program).exists():
            return f"{cannot}: it is not on the path; write ./{program} for the file in this folder"
        return f"{cannot}: there is no such program, or its first line names none"
    if isinstance(problem, PermissionError):
        return f"{cannot}: it is not executable (chmod +x {program})"
    return f"{cannot}: {problem.strerror or problem}"
