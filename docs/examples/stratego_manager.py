#!/usr/bin/env python3
"""Let programs of the University Computer Club's contest of 2012 play Stratego as ``external:``.

Those programs talk with the contest's manager in plain lines: four rows of a set-up, then moves
such as ``3 6 UP`` (column, row, direction, and for scouts how far). This program is the manager
for one of them, and an agent of Sandtable (see external-agents.md), in nothing but standard
Python. Try it::

    sandtable play stratego:setup=choose,two_squares=0,more_squares=false \\
        'external:"docs/examples/stratego_manager.py ./bot"' stratego/champion

The contest has Red at the top, Sandtable at the bottom, so the board is turned around: ``a1`` is
column 9 of row 0. Ranks count the other way too: its 1 is our 10, its 9 our scout.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from typing import Any

SIDE = 10
COLUMNS = "abcdefghij"
THEIRS = dict(zip("T98765432SBF", "123456789sBF", strict=True))  # ranks, by our letters
OURS = {theirs: ours for ours, theirs in THEIRS.items()}
ARMY = dict(zip("123456789sBF", (1, 1, 2, 3, 4, 4, 4, 5, 8, 1, 6, 1), strict=True))
STEPS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
MOVE = re.compile(r"([a-j])(10|[1-9])-([a-j])(10|[1-9])")
CONTENT = re.compile(r"([rb][?S2-9TBF])!?'?|([0-9]+)|(~)")  # a piece, empty squares, a lake
LONGEST_LINE = 200
SECONDS_TO_QUIT = 1.0

Square = tuple[int, int]  # column and row as the contest counts them


class Problem(Exception):
    """Why the program cannot go on."""


class Program:
    """The contest's program, started for one game."""

    def __init__(self, words: list[str]) -> None:
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the program)
        try:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.complaints,
                text=True,
                errors="replace",
            )
        except OSError as problem:
            raise Problem(f"cannot start {words[0]}: {problem.strerror}") from problem
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout

    def tell(self, line: str) -> None:
        """Send a line; if the program has ended, the next question finds out why."""
        with suppress(OSError, ValueError):
            self.input.write(line + "\n")
            self.input.flush()

    def answer(self) -> str:
        """Wait for a line; the clock is kept by whoever asks this program."""
        line = self.output.readline(LONGEST_LINE)
        if not line:
            raise Problem(self.last_words())
        return line.strip()

    def last_words(self) -> str:
        """Say how it ended, with the last line of its standard error."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(SECONDS_TO_QUIT)
        code = self.process.poll()
        how = "the program closed its output" if code is None else f"the program ended with {code}"
        self.complaints.seek(0)
        lines = self.complaints.read().decode(errors="replace").strip().splitlines()
        return f"{how}: {lines[-1]}" if lines else how

    def stop(self) -> None:
        """Say farewell, and make sure that it goes."""
        self.tell("QUIT")
        with suppress(OSError):
            self.input.close()
        try:
            self.process.wait(SECONDS_TO_QUIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()
        self.complaints.close()


class View:
    """What the seat knows: pieces by square, such as ``r9`` or ``b?``, and what is lost."""

    def __init__(self, line: str) -> None:
        rows, self.turn, _, losses = line.split()[:4]
        self.pieces: dict[Square, str] = {}
        for y, row in enumerate(reversed(rows.split("/"))):
            x = SIDE - 1
            for piece, empty, lake in CONTENT.findall(row):
                if piece or lake:
                    self.pieces[x, y] = piece or lake
                x -= int(empty or 1)
        self.losses = {
            side: Counter("" if lost == "-" else lost)
            for side, lost in zip("rb", losses.split("/"), strict=True)
        }

    def drawing(self, side: str) -> str:
        """Draw the board as the contest does for one side."""
        lines = []
        for y in range(SIDE):
            cells = [self.pieces.get((x, y), "") for x in range(SIDE)]
            lines.append("".join(drawn(cell, side) for cell in cells))
        return "\n".join(lines)


def drawn(cell: str, side: str) -> str:
    """Return the letter of a square: only own pieces show their rank."""
    if not cell:
        return "."
    if cell == "~":
        return "+"
    return THEIRS[cell[1]] if cell[0] == side else "#"


def square_name(square: Square) -> str:
    """Return our name of a square."""
    return f"{COLUMNS[SIDE - 1 - square[0]]}{square[1] + 1}"


def squares_of(action: str) -> tuple[Square, Square] | None:
    """Return the two ends of one of our moves; None for what belongs to a set-up."""
    match = MOVE.fullmatch(action)
    if not match:
        return None
    ends = [(SIDE - 1 - COLUMNS.index(match[k]), int(match[k + 1]) - 1) for k in (1, 3)]
    return ends[0], ends[1]


def read_move(line: str) -> str:
    """Return our name of a move of the program."""
    words = line.split()
    if words == ["SURRENDER"]:
        raise Problem("it surrenders")
    wrong = Problem(f"not a move such as 3 6 UP: {line or 'an empty line'}")
    if len(words) not in (3, 4) or words[2] not in STEPS:
        raise wrong
    try:
        x, y, distance = int(words[0]), int(words[1]), int(words[3]) if words[3:] else 1
    except ValueError:
        raise wrong from None
    across, down = STEPS[words[2]]
    ends = (x, y), (x + distance * across, y + distance * down)
    if distance < 1 or any(not 0 <= number < SIDE for end in ends for number in end):
        raise Problem(f"a move that leaves the board: {line}")
    return "-".join(square_name(end) for end in ends)


def written_move(source: Square, target: Square) -> str:
    """Return a move in the contest's words; only long ones say how far."""
    across, down = target[0] - source[0], target[1] - source[1]
    distance = abs(across) + abs(down)
    step = (across // distance, down // distance)
    direction = next(name for name, known in STEPS.items() if known == step)
    return f"{source[0]} {source[1]} {direction}" + (f" {distance}" if distance > 1 else "")


def result(before: View, after: View, source: Square, target: Square) -> str:
    """Say what came of a move, with both ranks if there was a fight."""
    if target not in before.pieces:
        return "OK"
    if after.turn.endswith("#flag"):
        return "VICTORY_FLAG"
    sides = before.pieces[source][0], before.pieces[target][0]
    lost = ["".join(after.losses[side] - before.losses[side]) for side in sides]
    # Whoever is left of the two stands on the square of the fight.
    ranks = [THEIRS[rank or after.pieces[target][1]] for rank in lost]
    word = "BOTHDIE" if all(lost) else "KILLS" if lost[1] else "DIES"
    return f"{word} {ranks[0]} {ranks[1]}"


class Manager:
    """The manager of one program, and what it knows of the game that is played."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.program: Program | None = None
        self.side = ""
        self.set_up: list[str] = []
        self.said = ""
        self.view: View | None = None

    def begin(self, message: dict[str, Any]) -> dict[str, Any]:
        """Start the program for this game and take its set-up."""
        self.finish()
        self.view = None
        colour, options = message["seat_name"], message["options"]
        try:
            if message["name"] != "stratego" or options.get("variant", "classic") != "classic":
                raise Problem("this program manages Stratego on the large board")
            if options.get(colour, options.get("setup")) != "choose":
                raise Problem("the program sets up itself: give the game the option setup=choose")
            self.side = colour[0]
            self.program = Program(self.words)
            self.program.tell(f"{colour.upper()} sandtable {SIDE} {SIDE}")
            self.set_up = self.read_set_up(self.program)
        except Problem as problem:
            self.finish()
            return {"ready": False, "reason": str(problem)}
        return {"ready": True, "name": self.words[-1], "watch": True}

    def read_set_up(self, program: Program) -> list[str]:
        """Return the set-up as our actions: front row first, left to right for the player."""
        rows = [program.answer() for _ in range(4)]
        pieces = "".join(rows)
        if any(len(row) != SIDE for row in rows) or Counter(pieces) != ARMY:
            raise Problem(f"not a set-up of all 40 pieces: {' '.join(rows)}")
        seen = reversed(pieces) if self.side == "r" else pieces  # Red looks down from the top
        return [*(OURS[piece] for piece in seen), "done"]

    def choose(self, message: dict[str, Any]) -> dict[str, Any]:
        """Answer with the whole set-up, later with the program's move."""
        self.view = view = View(message["view"])
        if view.turn.startswith("setup"):
            return {"actions": self.set_up}
        if self.program is None:
            raise Problem("the program does not run")
        if not self.said and self.side == "r":
            self.program.tell("START")
        self.program.tell(view.drawing(self.side))
        self.said = self.program.answer()
        action = read_move(self.said)
        if action not in message["legal"]:
            raise Problem(f"an illegal move: {self.said} ({action})")
        return {"action": action}

    def watch(self, message: dict[str, Any]) -> None:
        """Tell the program of every move, its own included, and what came of it."""
        before, self.view = self.view, View(message["view"])
        ends = squares_of(message["action"] or "")
        if ends and before and self.program:
            own = before.pieces[ends[0]][0] == self.side
            move = self.said if own else written_move(*ends)
            self.program.tell(f"{move} {result(before, self.view, *ends)}")

    def finish(self) -> None:
        """Send the program home; the next game starts it anew."""
        program, self.program, self.said = self.program, None, ""
        if program:
            program.stop()


def main() -> None:
    """Answer line after line until the input ends."""
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} PROGRAM [ARGUMENT ...]")
    manager = Manager(sys.argv[1:])
    try:
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "begin":
                print(json.dumps(manager.begin(message)), flush=True)
            elif message["type"] == "choose":
                print(json.dumps(manager.choose(message)), flush=True)
            elif message["type"] == "watch":
                manager.watch(message)
            elif message["type"] == "finish":
                manager.finish()
            elif message["type"] == "quit":
                break
    except Problem as problem:
        sys.exit(str(problem))
    finally:
        manager.finish()


if __name__ == "__main__":
    main()
