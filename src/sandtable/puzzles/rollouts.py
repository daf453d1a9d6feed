"""What moves are worth: games played on by agents, inside one kernel (sandtable.compiled).

Every sample is a position that the view allows. All moves are tried in it with the same dice, so
that luck which has nothing to do with the move falls out of their differences.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import CompiledPolicy
from sandtable.arena.play.compiled_games import (
    BROKEN,
    MOST_SEATS,
    SeatedPolicies,
    begin_agents,
    playing_on,
    policies,
)
from sandtable.compiled import copy_cells, placeholder, specialise
from sandtable.dice import Dice, uniform
from sandtable.errors import SandtableError
from sandtable.puzzles.judge import Judge
from sandtable.registry import check_seat, make_agent
from sandtable.specs import parse_spec
from sandtable.types import OVER, Game, Rules, State

__all__ = ["PolicyJudge"]

# What the templates below are specialised with.
turn = apply = score = guess = random_action = placeholder
play_on = worth = placeholder

NO_ACTION = -1
MOST_STEPS = 100_000  # of one game: more than any has
STREAMS = 3  # of dice besides those of agents: guesses, slips, and the game's own


def slip_by_lot(
    position: NDArray[np.int16],
    game_dice: NDArray[np.uint64],
    slip_dice: NDArray[np.uint64],
    slips: float,
) -> bool:
    """Play anything now and then, in so many of all decisions; say whether it was done."""
    if slips <= 0.0 or uniform(slip_dice) >= slips:
        return False
    apply(position, random_action(position, slip_dice), game_dice)
    return True


def worth_of_end(
    position: NDArray[np.int16], seat: int, wins: bool, scores: NDArray[np.float64]
) -> float:
    """Return the score of a seat, or with ``wins`` its share of the win; ``scores`` is scratch."""
    score(position, scores)
    if not wins:
        return float(scores[seat])
    best, winners = scores.max(), 0
    for each in scores:
        if each == best:
            winners += 1
    return 1.0 / winners if scores[seat] == best else 0.0


def roll_out(
    view: NDArray[np.int16],
    moves: NDArray[np.int64],
    keys: NDArray[np.uint64],
    order: NDArray[np.int64],
    memories: NDArray[np.int64],
    constants: tuple[Any, ...],
    slips: float,
    wins: bool,
    results: NDArray[np.float64],
) -> bool:
    """Fill ``results`` [sample, move] with what the games are worth; False: an agent gave no move.

    Moves are rows of actions, filled up with NO_ACTION; keys are those of guesses, slips, the game
    and the seats. With ``wins`` a game is worth its share of the win, otherwise its score.
    """
    seat = np.int64(turn(view))
    world, position, seen = np.empty_like(view), np.empty_like(view), np.empty_like(view)
    scores, luck = np.zeros(len(order)), np.zeros(0)
    played, chosen = np.empty(MOST_STEPS, dtype=np.int16), np.empty(MOST_STEPS, dtype=np.int16)
    memory = np.empty((MOST_SEATS, memories.shape[1]), dtype=np.int64)
    dice = np.empty((1 + MOST_SEATS, 4), dtype=np.uint64)
    other_dice = np.zeros((2, 4), dtype=np.uint64)
    guess_dice, slip_dice = other_dice[0], other_dice[1]
    for sample in range(len(results)):
        guess_dice[0], guess_dice[1], guess_dice[2] = keys[0], sample, 0
        copy_cells(view, world)
        guess(world, seat, guess_dice)
        for index in range(len(moves)):
            slip_dice[0], slip_dice[1], slip_dice[2] = keys[1], sample, 0
            begin_agents(dice, keys[2:], order, sample, memory, memories)
            copy_cells(world, position)
            for action in moves[index]:
                if action != NO_ACTION and turn(position) != OVER:
                    apply(position, action, dice[0])
            length = play_on(
                position,
                order,
                dice,
                memory,
                constants,
                luck,
                played,
                seen,
                chosen,
                slip_dice,
                slips,
            )
            if length == BROKEN:
                return False
            results[sample, index] = worth(position, seat, wins, scores)
    return True


@functools.cache
def runner(game_name: str, rules: Rules, acts: tuple[Any, ...]) -> Any:
    """Compile the templates for a game and its agents."""
    names = ("turn", "apply", "score", "guess", "random_action")
    given = {name: getattr(rules, name) for name in names}
    slipping = specialise(slip_by_lot, game_name, **given)
    given["play_on"] = playing_on(game_name, rules, acts, slipping=slipping)
    given["worth"] = specialise(worth_of_end, game_name, **given)
    return specialise(roll_out, game_name, **given)


class PolicyJudge(Judge):
    """Values moves by how games end that agents play on, with their compiled policies.

    ``agents`` are specs by seat, "" standing for all others. ``slips`` is the share of decisions
    that are drawn at random, so that games without dice differ too.

    >>> from sandtable.registry import make_game
    >>> judge = PolicyJudge(make_game("skirmish"), {"": "skirmish/greedy"}, slips=0.1)
    >>> judge.name
    'skirmish/greedy, 10% of moves at random'
    """

    def __init__(self, game: Game, agents: Mapping[str, str], slips: float = 0.0) -> None:
        self.game, self.slips = game, slips
        specs = [agents.get(seat) or agents[""] for seat in game.seats]
        for seat, spec in zip(game.seats, specs, strict=True):
            check_seat(game, seat, parse_spec(spec))
        different = list(dict.fromkeys(specs))
        found = policies(game, [make_agent(spec) for spec in specs])
        if found is None:
            raise SandtableError(
                f"{' and '.join(different)}: judges of puzzles are agents that act inside kernels"
            )
        self.policies: list[CompiledPolicy] = found
        drawn = f", {slips:.0%} of moves at random" if slips else ""
        self.name = " against ".join(different) + drawn

    def results(
        self, view: State, moves: Sequence[tuple[int, ...]], samples: int, dice: Dice
    ) -> NDArray[np.float64]:
        """Return what games are worth [sample, move] to the seat that is to move."""
        game = self.game
        padded = np.full((len(moves), max(map(len, moves))), NO_ACTION, dtype=np.int64)
        for row, move in zip(padded, moves, strict=True):
            row[: len(move)] = move
        keys = np.array(
            [dice.below(1 << 31) for _ in range(STREAMS + len(game.seats))], dtype=np.uint64
        )
        results = np.zeros((samples, len(moves)))
        seated = SeatedPolicies.of(self.policies)
        filled = runner(game.name, game.rules, seated.acts)(
            np.array(view.position),
            padded,
            keys,
            np.arange(len(game.seats)),
            seated.memories,
            seated.constants,
            self.slips,
            game.has_winner,
            results,
        )
        if not filled:
            raise SandtableError(f"{self.name}: an agent gave no move in {game.spec}")
        return results
