"""Trying set-ups in games: many are drawn as people make them, and the better half goes on.

Every game is one line of a file, so a trial that is broken off goes on where it was. What is left
in the end is written with its games and points, for ``stratego/champion:setups=FILE`` to draw from.
The points of the best are flattered, since they were chosen by them: judge the whole list on fresh
games.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sandtable.arena.play.game_loop import play_game
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.files import check_writable, make_folder_of
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.setups import SETUP_SQUARES
from sandtable.games.stratego.agents.people_setups import draw_as_people
from sandtable.games.stratego.setups import Setup
from sandtable.learning.selfplay.opponents import check_program
from sandtable.registry import check_seats, make_agent, make_game

__all__ = ["OPPONENTS", "Trial", "candidate", "stages"]

OPPONENTS = (
    "stratego/hunter",
    "stratego/chaser",
    "stratego/rusher",
    "stratego/besieger",
    "stratego/policy",
)
FEWEST_LEFT = 12
STAGE_GAMES = 2 * len(OPPONENTS)  # in the first stage: with each, in both seats
BEGINNING = b'{"agent": '  # of every line of the file


def candidate(seed: int, number: int) -> str:
    """Return the rows of a set-up as people make them.

    >>> len(candidate(0, 1).replace("/", ""))
    40
    """
    ranks = np.zeros(SETUP_SQUARES, dtype=np.int64)
    draw_as_people(ranks, Dice(seed, "candidate", number).array)
    return str(Setup(layout.CLASSIC, tuple(int(rank) for rank in ranks)))


def stages(count: int) -> list[tuple[int, int]]:
    """Return how many set-ups a stage plays, and how many games each of them has had after it.

    The better half goes on, with twice as many games, while a dozen is left.

    >>> stages(40)
    [(40, 10), (20, 20), (12, 40)]
    """
    found, games = [(count, STAGE_GAMES)], STAGE_GAMES
    while found[-1][0] > FEWEST_LEFT:
        games *= 2
        found.append((max(FEWEST_LEFT, round(found[-1][0] / 2)), games))
    return found


@dataclass(frozen=True)
class Trial:
    """A trial of an agent's set-ups, kept in a file."""

    path: Path
    agent: str = "stratego/champion"
    count: int = 40
    seed: int = 0

    def known(self) -> dict[tuple[str, int], float]:
        """Return the points of the games that have been played: by set-up and number.

        A file may hold other trials too, of another agent or seed; their games count for nothing.
        """
        if not self.path.exists():
            return {}
        try:
            games = [json.loads(line) for line in whole_lines(self.path).splitlines()]
            return {
                (each["setup"], each["game"]): float(each["points"])
                for each in games
                if (each["agent"], each["seed"]) == (self.agent, self.seed)
            }
        except OSError as problem:
            raise SandtableError(f"cannot read {self.path}: {problem.strerror}") from problem
        except (ValueError, KeyError, TypeError) as problem:
            raise SandtableError(f"{self.path} holds no games of a trial: {problem}") from problem

    def check(self) -> None:
        """Refuse people, and a program that cannot play both seats, before anything is written."""
        game = make_game("stratego:setup=choose")
        check_seats(game, [self.agent, self.agent])
        check_program(game, self.agent, layout.RED)

    def run(self, progress: Callable[[int], Any]) -> list[dict[str, Any]]:
        """Play what is missing; return the set-ups that are left, the best first."""
        self.check()
        known = self.known()
        make_folder_of(self.path)
        check_writable(self.path)
        left = [candidate(self.seed, number) for number in range(self.count)]
        played = 0
        with self.path.open("a", encoding="utf-8", newline="\n") as file, agents_made():
            if self.path.stat().st_size:
                file.truncate(len(whole_lines(self.path).encode()))
            for count, games in stages(self.count):
                left = best_of(left, known, played)[:count]
                played = games
                for setup, number in missing(left, games, known):
                    points = self.play(setup, number)
                    known[setup, number] = points
                    file.write(self.line(setup, number, points))
                    file.flush()
                    progress(1)
        return [
            {"setup": setup, "games": played, "points": points_of(setup, known, played)}
            for setup in best_of(left, known, played)
        ]

    def line(self, setup: str, number: int, points: float) -> str:
        """Return a game as its line of the file."""
        game = {"agent": self.agent, "seed": self.seed, "setup": setup, "game": number}
        return json.dumps({**game, "points": points}) + "\n"

    def games(self) -> int:
        """Return how many games a whole trial has."""
        before, total = 0, 0
        for count, games in stages(self.count):
            total += count * (games - before)
            before = games
        return total

    def play(self, setup: str, number: int) -> float:
        """Play one game behind a set-up; return 1 for won, a half for drawn.

        A forfeit says nothing about a set-up: it ends the trial, and what is finished stays.
        """
        opponent, seat = OPPONENTS[number % len(OPPONENTS)], number // len(OPPONENTS) % 2
        own, other = ("red", "blue") if seat == layout.RED else ("blue", "red")
        game = make_game(f"stratego:{own}={setup},{other}=choose")
        specs = [self.agent, opponent] if seat == layout.RED else [opponent, self.agent]
        agents = [agent_called(spec) for spec in specs]
        deal = hash_of(setup) + number
        played = play_game(game, agents, specs=specs, seed=self.seed, number=deal)
        outcome = played.record.outcome
        if outcome is None or outcome.forfeited_by is not None:
            why = outcome.reason if outcome else "it was broken off"
            raise SandtableError(f"game {number + 1} behind {setup} cannot count: {why}")
        return 0.5 + 0.5 * float(outcome.scores[seat])


AGENTS: dict[str, Any] = {}


def agent_called(spec: str) -> Any:
    """Return an agent, made once."""
    if spec not in AGENTS:
        AGENTS[spec] = make_agent(spec)
    return AGENTS[spec]


@contextmanager
def agents_made() -> Iterator[None]:
    """Let the agents go that were made within: they may be programs, or hold large networks."""
    try:
        yield
    finally:
        while AGENTS:
            AGENTS.popitem()[1].close()


def hash_of(setup: str) -> int:
    """Return a number of a set-up that is the same in every process.

    >>> hash_of("B7")  # 66 * 31 + 55, and room for the numbers of its games
    2101000
    """
    number = 0
    for letter in setup:
        number = (number * 31 + ord(letter)) % (1 << 30)
    return number * 1000


def missing(
    setups: Sequence[str], games: int, known: dict[tuple[str, int], float]
) -> Iterator[tuple[str, int]]:
    """Yield the games that a stage has yet to play: one of each set-up, then the next of each."""
    for number in range(games):
        for setup in setups:
            if (setup, number) not in known:
                yield setup, number


def whole_lines(path: Path) -> str:
    """Return the text of a file without a last line that was broken off.

    Raises ValueError if that line is not of a trial: nobody's other file is to be cut.
    """
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if not data[end:].startswith(BEGINNING[: len(data) - end]):
        raise ValueError("its last line is not of a game")
    return data[:end].decode("utf-8")


def points_of(setup: str, known: dict[tuple[str, int], float], games: int) -> float:
    """Return what a set-up has won in its first games."""
    return sum(known[setup, number] for number in range(games))


def best_of(setups: Sequence[str], known: dict[tuple[str, int], float], games: int) -> list[str]:
    """Return set-ups by the points of their first games, the best first; equal ones keep order.

    Games of a later stage, known from a trial that was broken off, do not count: all of a stage
    are compared by as many.

    >>> best_of(["a", "b"], {("a", 0): 0.0, ("b", 0): 0.5, ("a", 1): 1.0}, 1)
    ['b', 'a']
    """
    return sorted(setups, key=lambda setup: -points_of(setup, known, games))
