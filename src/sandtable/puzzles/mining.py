"""Mining: games of strong agents are searched for decisions that have one clearly best answer.

Game number i depends on the seed and on i alone, so a search that was stopped goes on with the
game of the last puzzle it found, and finds the same as one that was not stopped.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from sandtable.agent import Agent
from sandtable.dice import Dice
from sandtable.puzzles.judge import Found, Judge, compared, find_best
from sandtable.puzzles.plan import PuzzlePlan, asked_moves, judges_of, task_of
from sandtable.puzzles.puzzle import Puzzle, closing_action, position_text
from sandtable.registry import make_agent, make_game
from sandtable.session import Session
from sandtable.types import OVER, Game, State

__all__ = ["Miner"]

GAME, PLAYER, CHOICE, JUDGING = "puzzle game", "puzzle player", "puzzle choice", "puzzle judging"
SECOND_SHARE = 0.5  # of the margin wanted, that the second judge must find at least
QUICK_SAMPLES = 8  # of a first look at one order of a turn


@dataclass
class Miner:
    """Finds puzzles of one game, one after the other.

    ``looked`` is told after every game how many were searched.
    """

    game: Game  # as asked for
    plan: PuzzlePlan
    seed: int = 0
    known: set[str] = field(default_factory=set)  # identities of puzzles that are there already
    looked: Callable[[int], None] = lambda games: None

    def __post_init__(self) -> None:
        own = self.game.spec == self.game.name and self.plan.games
        self.games = [make_game(spec) for spec in (self.plan.games if own else (self.game.spec,))]
        self.judges: dict[str, tuple[Judge, Judge]] = {}
        self.agents: dict[tuple[str, str], Agent] = {}
        self.stopped = threading.Event()

    def agent(self, spec: str, use: str) -> Agent:
        """Return an agent for a seat or another use, made once."""
        if (spec, use) not in self.agents:
            self.agents[spec, use] = make_agent(spec)
            self.agents[spec, use].check()
        return self.agents[spec, use]

    def close(self) -> None:
        """Let all agents go."""
        for agent in self.agents.values():
            agent.close()
        self.agents.clear()

    def puzzles(self, first: int = 0, jobs: int = 1) -> Iterator[Puzzle]:
        """Search game after game, from number ``first`` on, without an end.

        Several games may be searched side by side; what is found comes in the order of the games.
        """
        for number, found in enumerate(self.searched(first, jobs), start=first):
            for puzzle in found:
                if puzzle.identity not in self.known:
                    self.known.add(puzzle.identity)
                    yield puzzle
            self.looked(number + 1)

    def searched(self, first: int, jobs: int) -> Iterator[Iterable[Puzzle]]:
        """Return what the games have, one after the other; kernels let threads work together."""
        if jobs == 1:
            yield from map(self.puzzles_of, itertools.count(first))
            return
        own = threading.local()  # agents are not shared
        miners: list[Miner] = []

        def search(number: int) -> list[Puzzle]:
            if not hasattr(own, "miner"):
                own.miner = Miner(self.game, self.plan, self.seed)
                own.miner.stopped = self.stopped
                miners.append(own.miner)
            return list(own.miner.puzzles_of(number))

        with ThreadPoolExecutor(jobs) as pool:
            numbers = itertools.count(first)
            waiting = deque(pool.submit(search, next(numbers)) for _ in range(2 * jobs))
            try:
                while True:
                    yield waiting.popleft().result()
                    waiting.append(pool.submit(search, next(numbers)))
            finally:
                self.stopped.set()
                pool.shutdown(cancel_futures=True)
                for miner in miners:
                    miner.close()

    def puzzles_of(self, number: int) -> Iterator[Puzzle]:
        """Search one game."""
        game = self.games[number % len(self.games)]
        last, count = -self.plan.apart, 0
        for ply, view, closes in self.decisions(game, number):
            if ply - last < self.plan.apart:
                continue
            puzzle = self.judged(view, closes, number, ply)
            if puzzle is not None:
                last, count = ply, count + 1
                yield puzzle
            if count == self.plan.most_of_a_game or self.stopped.is_set():
                return

    # --- the game that is searched --------------------------------------------------------------

    def decisions(self, game: Game, number: int) -> Iterator[tuple[int, State, bool]]:
        """Play a game and return decisions worth a look: ply, view, and whether the turn closes."""
        plan, choice = self.plan, Dice(self.seed, CHOICE, number)
        ending = closing_action(game)
        agents = [
            self.agent(plan.players.get(name) or plan.players[""], name) for name in game.seats
        ]
        dice = [Dice(self.seed, f"{PLAYER} {seat}", number) for seat in range(len(agents))]
        for seat, agent in enumerate(agents):
            agent.begin(game, seat, dice[seat])
        session = Session(game, Dice(self.seed, GAME, number), observers=range(len(agents)))
        begun, done = session.view(session.turn), list[int]()  # the turn that is open
        while session.turn != OVER:
            seat, view = session.turn, session.view(session.turn)
            if not done:
                begun = view
            answer = agents[seat].choose(view, dice[seat])
            actions = [int(each) for each in np.atleast_1d(answer)]
            look = choice.uniform() < plan.share and plan.asks(view)
            slip = choice.uniform() < plan.slips and ending is None
            if look and ending is None and len(view.legal) > 1:
                yield session.ply, view, False
            elif look and actions[-1] == ending and len(done) + len(actions) > 1:
                left_out = self.worth_asking(begun, done + actions, choice)
                if left_out is not None:
                    yield session.ply, left_out, True
            if slip:
                actions = [view.legal[choice.below(len(view.legal))]]
            done = [] if ending is None or actions[-1] == ending else done + actions
            for action in actions:
                session.play(action)
                for other, agent in enumerate(agents):
                    agent.watch(session.view(other), session.announced[other])

    def worth_asking(self, view: State, actions: Sequence[int], choice: Dice) -> State | None:
        """Return the view after all actions of a turn but the one that matters most, or None.

        The order of a turn's actions is free as far as the rules let it be; what is left out must
        still be possible at the end.
        """
        judge, _ = self.judges_for(view.game)
        ending = actions[-1]
        most, found, best = 0.0, None, ending
        for action in dict.fromkeys(actions[:-1]):
            others = list(actions[:-1])
            others.remove(action)
            state = played_as_far_as_legal(view, others)
            if state is None or action not in state.legal or self.plan.obvious(state, action):
                continue
            gain = gain_of(judge, state, action, ending, QUICK_SAMPLES, choice)
            if gain > max(most, self.plan.margin):
                most, found, best = gain, state, action
        if found is None:
            return None
        gain = gain_of(judge, found, best, ending, 5 * QUICK_SAMPLES, choice)  # it was the luckiest
        return found if gain >= self.plan.margin else None

    # --- the judges -----------------------------------------------------------------------------

    def judges_for(self, game: Game) -> tuple[Judge, Judge]:
        """Return both judges, made once for a game."""
        if game.spec not in self.judges:
            self.judges[game.spec] = judges_of(self.plan, game)
        return self.judges[game.spec]

    def judged(self, view: State, closes: bool, number: int, ply: int) -> Puzzle | None:
        """Return a decision as a puzzle if both judges find one move clearly better."""
        plan, game = self.plan, view.game
        dice = Dice(self.seed, f"{JUDGING} {number}", ply)
        if plan.screen is not None and not self.promising(plan.screen, view, dice):
            return None
        first, second = self.judges_for(game)
        moves = asked_moves(view, closes)
        found = find_best(first, view, moves, plan.margin, plan.samples, dice, plan.first_samples)
        if found is None or plan.obvious(view, moves[found.best][0]):
            return None
        agreed = confirmed(second, view, moves, found, plan, dice)
        return None if agreed is None else self.puzzle_of(view, closes, found, agreed, number, ply)

    def promising(self, screen: str, view: State, dice: Dice) -> bool:
        """Say whether the plan's quick judge sees one move ahead of the others."""
        agent = self.agent(screen, "")
        agent.begin(view.game, view.turn, dice)
        analysis = agent.analyse(view, dice)
        candidates = () if analysis is None else analysis.candidates
        values = sorted(each.value for each in candidates if each.value is not None)
        return len(values) > 1 and values[-1] - values[-2] >= self.plan.screen_margin

    def puzzle_of(
        self, view: State, closes: bool, found: Found, agreed: Found, number: int, ply: int
    ) -> Puzzle:
        """Put what was found together."""
        game, plan = view.game, self.plan
        names = [game.notation.action_name(move[0]) for move in asked_moves(view, closes)]
        players = [plan.players.get(seat) or plan.players[""] for seat in game.seats]
        return Puzzle(
            game=game.spec,
            version=game.version,
            position=position_text(view),
            seat=view.turn,
            closes=closes,
            task=task_of(plan, view, closes),
            unit="chance" if game.has_winner else "score",
            best=names[found.best],
            second=names[found.second],
            values=dict(zip(names, found.values, strict=True)),
            judgements=(found.judgement, agreed.judgement),
            source={"agents": players, "seed": self.seed, "game": number, "ply": ply},
        )


def confirmed(
    judge: Judge,
    view: State,
    moves: list[tuple[int, ...]],
    found: Found,
    plan: PuzzlePlan,
    dice: Dice,
) -> Found | None:
    """Ask the second judge about the same move; None: it does not agree."""
    tried = [found.best, *found.rivals]
    means = np.array([found.values[move] for move in tried])
    narrowed = [moves[move] for move in tried]
    wanted, samples = SECOND_SHARE * plan.margin, plan.second_samples
    return compared(judge, view, narrowed, 0, means, wanted, samples, dice)


def gain_of(
    judge: Judge, state: State, action: int, ending: int, samples: int, dice: Dice
) -> float:
    """Return how much better it is to give an order than to end the turn without it."""
    results = judge.results(state, [(action, ending), (ending,)], samples, dice)
    return float((results[:, 0] - results[:, 1]).mean())


def played_as_far_as_legal(view: State, actions: Sequence[int]) -> State | None:
    """Return the view after some actions of its seat, in any order that is legal; None: none is.

    They are taken in the order given, and what is not yet legal is tried again after the others.
    """
    state, waiting = view, list(actions)
    while waiting:
        ready = next((action for action in waiting if state.mask[action]), None)
        if ready is None:
            return None
        waiting.remove(ready)
        state = state.play(ready, Dice(0))
    return state
