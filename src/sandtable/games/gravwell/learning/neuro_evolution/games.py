"""The games in which networks of Gravwell's neuro-evolution are judged, inside kernels.

All networks of a generation meet the same opponents with the same dice. To keep them the same for
long, every turn of every game has dice of its own: whatever a network did in one turn, in the next
ones the same cards come and the opponents throw the same. At the end is who judges: this process,
or several, with the same results.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, stream_key, uniform
from sandtable.errors import SandtableError
from sandtable.games.gravwell.agents.decision_tree.described import (
    act_with_fewer_groups as act_by_tree,
)
from sandtable.games.gravwell.agents.neuro_evolution.agent import act
from sandtable.games.gravwell.agents.neuro_evolution.networks import Program
from sandtable.games.gravwell.agents.q_learning.agent import Learned, learned_from
from sandtable.games.gravwell.agents.q_learning.agent import act as act_by_tables
from sandtable.games.gravwell.agents.q_learning.tables import load_tables
from sandtable.games.gravwell.agents.random_no_stop import act as act_at_random
from sandtable.games.gravwell.game import gravwell
from sandtable.games.gravwell.layout import (
    MOST_PLAYERS,
    MOVER,
    OVER,
    PLAYERS,
    POSITION_SIZE,
    ROUND,
    ROUNDS,
    SHIPS,
    TURN,
    TURNS,
    as_int64,
)
from sandtable.games.gravwell.rules.kernels import apply, hide, score, start

__all__ = [
    "ENEMIES",
    "FACTS",
    "LEAD",
    "OWN",
    "Q_LEARNER",
    "RANDOM",
    "TREE",
    "WON",
    "Judges",
    "Judging",
    "collected_rounds",
    "dealt_games",
    "drawn_opponents",
    "judged",
    "judged_at_one_table",
    "keys_of",
    "tables_to_play_by",
]

WON, OWN, LEAD, FACTS = range(4)  # share of the win, end position, lead over the best enemy
# Opponents that have no networks; others are named by their number.
RANDOM, TREE, Q_LEARNER = -1, -2, -3
STREAMS = 1 + MOST_PLAYERS  # of dice: the game's, then the seats'
ENEMIES = MOST_PLAYERS - 1

SECONDS_BETWEEN_LOOKS = 0.2  # at whether to stop
Programs: TypeAlias = Sequence[Program]
Sums: TypeAlias = NDArray[np.float64]  # [network, FACTS]


@kernel
def play_round(
    position: NDArray[np.int16],
    game: int,
    program: Program,
    others: Program,
    opponents: NDArray[np.int64],
    learned: Learned,
    dice: NDArray[np.uint64],
) -> None:
    """Play to the end of the round or of the game; the judged networks sit in the first seat."""
    view, actions = np.empty(POSITION_SIZE, np.int16), np.empty(1, np.int16)
    memory, constants = np.empty(0, np.int64), np.empty(0)  # of those that need none
    this_round, turn = position[ROUND], -1
    while position[MOVER] != OVER and position[ROUND] == this_round:
        if position[TURN] != turn:
            turn = position[TURN]
            for stream in range(STREAMS):
                dice[stream, 1] = (game * ROUNDS + this_round) * TURNS + turn
                dice[stream, 2] = 0
        seat = as_int64(position[MOVER])
        opponent = opponents[seat - 1] if seat > 0 else 0
        copy_cells(position, view)
        if opponent == RANDOM:  # it looks at its own hand only, so nothing need be hidden
            act_at_random(view, dice[1 + seat], memory, constants, actions)
        else:
            hide(view, seat)
            if opponent == TREE:
                act_by_tree(view, dice[1 + seat], memory, constants, actions)
            elif opponent == Q_LEARNER:
                act_by_tables(view, dice[1 + seat], memory, learned, actions)
            else:
                brain = Program(others.cells[opponent], others.weights[opponent])
                if seat == 0:
                    brain = program
                act(view, dice[1 + seat], memory, brain, actions)
        apply(position, as_int64(actions[0]), dice[0])


@kernel
def play_games(
    program: Program,
    others: Program,
    opponents: NDArray[np.int64],
    learned: Learned,
    starts: NDArray[np.int16],
    rounds: int,
    keys: NDArray[np.uint64],
    first: int,
    last: int,
    sums: NDArray[np.float64],
    kept: NDArray[np.int16],
) -> int:
    """Play some of the games for so many rounds or to their ends, and sum up what came out.

    ``sums`` [seat, fact] gets it. The positions in which rounds begin are kept while there is
    room; return how many.
    """
    position, scores = np.empty(POSITION_SIZE, np.int16), np.zeros(MOST_PLAYERS)
    dice = np.zeros((STREAMS, 4), np.uint64)
    for stream in range(STREAMS):
        dice[stream, 0] = keys[stream]
    count = 0
    for game in range(first, last):
        copy_cells(starts[game], position)
        for _ in range(rounds):
            if position[MOVER] == OVER:
                break
            if count < len(kept):
                copy_cells(position, kept[count])
                count += 1
            play_round(position, game, program, others, opponents[game], learned, dice)
        score(position, scores)
        for seat in range(position[PLAYERS]):
            best = 0
            for other in range(position[PLAYERS]):
                if other != seat:
                    best = max(best, position[SHIPS + other])
            sums[seat, WON] += scores[seat]
            sums[seat, OWN] += position[SHIPS + seat]
            sums[seat, LEAD] += position[SHIPS + seat] - best
    return count


@kernel
def deal(blank: NDArray[np.int16], dice: NDArray[np.uint64], starts: NDArray[np.int16]) -> None:
    """Write the starting positions of games."""
    for game in range(len(starts)):
        copy_cells(blank, starts[game])
        start(starts[game], dice)


@kernel
def draw_opponents(
    opponents: NDArray[np.int64], dice: NDArray[np.uint64], stronger: float, networks: int
) -> None:
    """Draw the opponents of every game: random ones, or now and then stronger ones among them."""
    for game in range(len(opponents)):
        mixed = uniform(dice) < stronger
        for enemy in range(ENEMIES):
            kind = below(dice, 3) if mixed else 0
            opponents[game, enemy] = RANDOM
            if kind == 1 or (kind == 2 and networks == 0):
                opponents[game, enemy] = TREE
            elif kind == 2:
                opponents[game, enemy] = below(dice, networks)


@dataclass(frozen=True)
class Judging:
    """The games that judge all networks of a generation."""

    starts: NDArray[np.int16]  # [game, cell]
    rounds: int  # that are played of each
    opponents: NDArray[np.int64]  # [game, enemy] RANDOM, TREE, or one of others
    others: Program  # [opponent, ...]
    keys: NDArray[np.uint64]  # [STREAMS] of the dice
    learned: Learned  # what Q-learners among the opponents play by


def judged(program: Program, games: Judging, first: int, last: int) -> NDArray[np.float64]:
    """Return the sums of what came out [FACTS] when networks played the games first to last."""
    sums, _ = played(program, games, first, last, 0)
    return np.asarray(sums[0])


def judged_at_one_table(
    programs: Programs, games: Judging, first: int, last: int
) -> NDArray[np.float64]:
    """Return the same of all seats [seat, FACTS]: the first against the others, who are numbered.

    The first of the programs sits in the first seat; ``games.others`` are the rest.
    """
    return played(programs[0], games, first, last, 0)[0]


def collected_rounds(program: Program, games: Judging) -> NDArray[np.int16]:
    """Return the positions [position, cell] in which the rounds of whole games begin."""
    count = len(games.starts)
    whole = replace(games, rounds=ROUNDS)
    return played(program, whole, 0, count, count * ROUNDS)[1]


def played(
    program: Program, games: Judging, first: int, last: int, room: int
) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    """Play games; return the sums of what came out, and positions in which rounds begin."""
    sums, kept = np.zeros((MOST_PLAYERS, FACTS)), np.empty((room, POSITION_SIZE), dtype=np.int16)
    count = play_games(
        program,
        games.others,
        games.opponents,
        games.learned,
        games.starts,
        games.rounds,
        games.keys,
        first,
        last,
        sums,
        kept,
    )
    return sums, kept[:count]


def stream(seed: int, purpose: str) -> NDArray[np.uint64]:
    """Return the dice of a purpose."""
    return np.array([stream_key(seed, purpose), 0, 0, 0], dtype=np.uint64)


def keys_of(seed: int, purpose: str) -> NDArray[np.uint64]:
    """Return the keys of the dice of games: the games' own, then those of the seats."""
    keys = [stream_key(seed, f"{purpose} {number}") for number in range(STREAMS)]
    return np.array(keys, dtype=np.uint64)


def dealt_games(seed: int, purpose: str, count: int, inert: float) -> NDArray[np.int16]:
    """Return the starts of games [game, cell], of which a share has inert tractors.

    These are spread evenly, so that any part of the games has about the same share.
    """
    starts = np.empty((count, POSITION_SIZE), dtype=np.int16)
    steps = np.floor(np.arange(count + 1) * inert + 1e-9)
    is_inert = np.diff(steps) > 0
    for word, chosen in (("inert", is_inert), ("true", ~is_inert)):
        part = np.empty((int(chosen.sum()), POSITION_SIZE), dtype=np.int16)
        deal(gravwell(tractor=word).empty_position(), stream(seed, f"{purpose} {word}"), part)
        starts[chosen] = part
    return starts


def drawn_opponents(
    seed: int, purpose: str, count: int, stronger: float, networks: int
) -> NDArray[np.int64]:
    """Return the opponents of games [game, enemy]; ``networks`` is how many have a number."""
    opponents = np.empty((count, ENEMIES), dtype=np.int64)
    draw_opponents(opponents, stream(seed, purpose), stronger, networks)
    return opponents


def tables_to_play_by(rivals: bool) -> Learned:
    """Return the published Q-learner's tables, or empty ones where there is no such opponent."""
    if rivals:
        tables = load_tables("published")
        return learned_from(tables, tables.temperature)
    nothing = np.zeros(1, dtype=np.float32)
    return Learned(nothing, nothing, 0, False, 0, 0.0)


# --- who judges ----------------------------------------------------------------------------------


def start_worker() -> None:
    """Prepare a worker process; Ctrl-C is the business of the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def judge_some(programs: Programs, games: Judging, first: int, last: int) -> Sums:
    """Judge one network after the other."""
    return np.array([judged(program, games, first, last) for program in programs]).reshape(
        -1, FACTS
    )


class Judges:
    """Judges networks in one or more processes, until told to stop."""

    def __init__(self, jobs: int, must_stop: Callable[[], bool]) -> None:
        self.jobs = jobs
        self.must_stop = must_stop
        self.pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Judges:
        if self.jobs > 1:
            context = multiprocessing.get_context("spawn")
            self.pool = ProcessPoolExecutor(self.jobs, context, initializer=start_worker)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.pool:
            for process in list((self.pool._processes or {}).values()):
                process.terminate()
            self.pool.shutdown(wait=True, cancel_futures=True)

    def judge(self, programs: Programs, games: Judging, first: int, last: int) -> Sums | None:
        """Return what came out for every network in games first to last, or None when stopped."""
        if self.pool is None:
            return self.judge_here(programs, games, first, last)
        size = -(-len(programs) // self.jobs)
        parts = [programs[begin : begin + size] for begin in range(0, len(programs), size)]
        try:
            waiting = [self.pool.submit(judge_some, part, games, first, last) for part in parts]
            if not self.finished(waiting):
                return None
            return np.concatenate([each.result() for each in waiting])
        except BrokenProcessPool as problem:
            raise SandtableError(
                "a worker process died (killed, or out of memory); the same command goes on"
            ) from problem

    def judge_here(self, programs: Programs, games: Judging, first: int, last: int) -> Sums | None:
        """Judge in this process."""
        sums = np.empty((len(programs), FACTS))
        for number, program in enumerate(programs):
            if self.must_stop():
                return None
            sums[number] = judged(program, games, first, last)
        return sums

    def finished(self, waiting: list[Future[Sums]]) -> bool:
        """Wait for the workers; say no when told to stop before they are done."""
        while wait(waiting, SECONDS_BETWEEN_LOOKS).not_done:
            if self.must_stop():
                return False
        return True
