"""Games of one network on many levels side by side: one call of the network serves all that wait.

Played one after the other, most of the time of deep minimax goes into small calls of the network.
The moves are those of ``skirmish/dsl`` with the same values. Values themselves may differ in the
last digits, since sums of a larger call are added up in another order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sandtable.agent import Agent
from sandtable.arena.play.plan import MatchPlan
from sandtable.dice import Dice
from sandtable.games.skirmish.agents.dsl.agent import DeepSearch, Evaluate, run_searches
from sandtable.registry import make_agent, make_game
from sandtable.types import OVER, State

__all__ = ["play_side_by_side"]

BOARDS = 64  # games at a time
LEAVES = 64  # of one search in a call of the network


@dataclass
class Board:
    """A game under way between the network and its opponent."""

    number: int  # of its plan
    seat: int  # of the network
    state: State
    opponent: Agent

    def play(self, action: int) -> None:
        """Play a move; nothing is drawn in Skirmish after its start."""
        self.state = self.state.play(action, Dice(0))

    def answer(self) -> None:
        """Let the opponent move as long as it is its turn."""
        while self.state.turn == 1 - self.seat:
            view = self.state.view(self.state.turn)
            chosen = self.opponent.choose(view, Dice(0))
            assert isinstance(chosen, (int, np.integer))
            self.play(int(chosen))


def play_side_by_side(
    plans: Sequence[MatchPlan],
    seats: Sequence[int],
    budget: int,
    evaluate: Evaluate,
    leaves: int = LEAVES,
) -> Iterator[tuple[int, bool]]:
    """Play the first game of each plan, with the network in this seat of it.

    Yields the number of a plan and whether the network has won, as soon as a game is over. The
    agent that a plan has in the seat of the network is not asked; the other one has to be
    deterministic.

    >>> from sandtable.arena.play.plan import make_plan
    >>> game = "skirmish:level=1,max_turns=1,passes=second"
    >>> plan = make_plan(game, ["random", "alphabeta:budget=9,ordering=published"], 1, 0)
    >>> list(play_side_by_side([plan], [0], 9, lambda planes: planes.sum((1, 2, 3))))
    [(0, False)]
    """
    coming = iter(range(len(plans)))
    searches: list[DeepSearch] = []
    boards: list[Board] = []
    while True:
        while len(boards) < BOARDS and (number := next(coming, None)) is not None:
            boards.append(new_board(plans[number], number, seats[number]))
        if not boards:
            return
        for board in boards:
            board.answer()
        for board in [each for each in boards if each.state.turn == OVER]:
            boards.remove(board)
            board.opponent.close()
            outcome = board.state.outcome
            assert outcome is not None
            yield board.number, bool(outcome.scores[board.seat] > 0)
        while len(searches) < len(boards):
            searches.append(DeepSearch(budget, leaves))
        waiting = searches[: len(boards)]
        for board, search in zip(boards, waiting, strict=True):
            search.begin(np.array(board.state.view(board.seat).position))
        run_searches(waiting, evaluate)
        for board, search in zip(boards, waiting, strict=True):
            board.play(search.choice)


def new_board(plan: MatchPlan, number: int, seat: int) -> Board:
    """Set up the first game of a plan."""
    game = make_game(plan.game)
    opponent = make_agent(plan.agents[1 - seat])
    opponent.begin(game, 1 - seat, Dice(plan.seed))
    return Board(number, seat, game.start(Dice(plan.seed)), opponent)
