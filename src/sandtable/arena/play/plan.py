"""The work of a match, cut into runs of consecutive games that can be played anywhere."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, CompiledPolicy, adopted
from sandtable.arena.play.compiled_games import PlayedGames, play_games, policies
from sandtable.arena.play.game_loop import play_game
from sandtable.dice import check_seed
from sandtable.errors import WrongSeats
from sandtable.records.record import Record
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import Game, Outcome

__all__ = [
    "AgentPool",
    "Chunk",
    "Interrupted",
    "MatchPlan",
    "PlanPlayer",
    "Results",
    "make_plan",
    "rotations",
]

# The agents of a worker: by spec string, and how many of the same sit in a game before it.
AgentPool = dict[tuple[str, int], Agent]


@dataclass(frozen=True)
class MatchPlan:
    """What is to be played. Game i of it depends on nothing but the plan and i.

    With ``rotate`` every deal is played in all rotations of the agents over the seats, one after
    the other and with the same dice: game i is rotation i % rotations of deal i // rotations.

    >>> MatchPlan("lucid", ("a", "b"), games=4, seed=0, rotate=True).seated(1)
    ('b', 'a')
    """

    game: str  # spec strings of the game and of the agents in seat order
    agents: tuple[str, ...]
    games: int  # of all rotations together
    seed: int
    move_time: float | None = None  # seconds an agent may think before it forfeits
    rotate: bool = False

    @functools.cached_property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """Which agent sits in each seat, for every rotation (only the first if none are played)."""
        return rotations(self.agents) if self.rotate else (tuple(range(len(self.agents))),)

    def seated(self, rotation: int) -> tuple[str, ...]:
        """Return the agents in seat order in one of the rotations."""
        return tuple(self.agents[agent] for agent in self.orders[rotation])


def rotations(agents: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Return who sits in each seat when all move on by no seat, by one seat, and so on.

    Where the same agent holds several seats some rotations can be alike; each is returned once.

    >>> rotations(("a", "b", "c"))
    ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    >>> rotations(("a", "a"))
    ((0, 1),)
    """
    count = len(agents)
    found: dict[tuple[str, ...], tuple[int, ...]] = {}
    for shift in range(count):
        order = tuple((seat - shift) % count for seat in range(count))
        found.setdefault(tuple(agents[agent] for agent in order), order)
    return tuple(found.values())


def make_plan(
    game: str,
    agents: Sequence[str],
    games: int,
    seed: int,
    move_time: float | None = None,
    rotate: bool = False,
) -> MatchPlan:
    """Check names and seats, and return the plan in its canonical form.

    With ``rotate`` the number of games is rounded up to whole deals.

    >>> make_plan("skirmish", ["random", "skirmish/greedy"], games=3, seed=0, rotate=True).games
    4
    """
    made = make_game(game)
    specs = tuple(check_seats(made, list(agents)))
    plan = MatchPlan(made.spec, specs, games, check_seed(seed), move_time, rotate)
    for rotation in range(1, len(plan.orders)):
        try:
            check_seats(made, list(plan.seated(rotation)))
        except WrongSeats as problem:
            raise WrongSeats(
                f"every agent must be able to take every seat to rotate them: {problem}; "
                "leave --rotate out"
            ) from None
    return replace(plan, games=-(-games // len(plan.orders)) * len(plan.orders))


@dataclass(frozen=True)
class Chunk:
    """The results of consecutive games."""

    first: int
    scores: NDArray[np.float64]  # [game, seat]
    luck: NDArray[np.float64]  # [game, term]
    measures: NDArray[np.float64]  # [game, seat, measure]; not numbers where one was forfeited
    forfeits: list[tuple[int, int, str]] = field(default_factory=list)  # number, seat, reason
    records: list[Record] = field(default_factory=list)
    seconds: float = 0.0

    def part(self, count: int) -> Chunk:
        """Return the first games alone."""
        return replace(
            self,
            scores=self.scores[:count],
            luck=self.luck[:count],
            measures=self.measures[:count],
            forfeits=[each for each in self.forfeits if each[0] < self.first + count],
            records=self.records[:count],
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a chunk; the games that were finished by then come along."""

    def __init__(self, finished: Chunk) -> None:
        super().__init__()
        self.finished = finished


class PlanPlayer:
    """Plays the games of a plan in this process; made once per worker.

    With a ``pool`` it shares its agents with the players of other plans in the same thread.
    """

    def __init__(self, plan: MatchPlan, pool: AgentPool | None = None) -> None:
        self.plan = plan
        self.game = make_game(plan.game)
        self.agents: list[Agent] = agents_for(plan, {} if pool is None else pool)
        self.policies: list[CompiledPolicy] | None = policies(self.game, self.agents)

    def warm_up(self) -> None:
        """Check the agents, and compile or load what is needed, before the clock starts."""
        for agent in self.agents:
            agent.check()
        if self.policies is not None:
            play_games(self.game, self.policies, self.plan.seed, 0, 0, keep=False)
        else:
            self.game.start().view(0)

    @property
    def games_per_deal(self) -> int:
        """How many games must be played in one go: kernels play whole deals."""
        return len(self.plan.orders) if self.policies is not None else 1

    def play(self, first: int, count: int, keep_records: bool) -> Chunk:
        """Play games first, first + 1, ..., a multiple of ``games_per_deal``."""
        if self.policies is not None:
            return self._play_compiled(self.policies, first, count, keep_records)
        return self._play_in_python(first, count, keep_records)

    def _play_compiled(
        self, acting: list[CompiledPolicy], first: int, count: int, keep_records: bool
    ) -> Chunk:
        seed, several = self.plan.seed, len(self.plan.orders)
        deal, deals = first // several, count // several
        chunk = self._empty_chunk(first, count)
        records: list[list[Record]] = []
        for rotation, order in enumerate(self.plan.orders):
            played = play_games(self.game, acting, seed, deal, deals, keep_records, order)
            chunk.scores[rotation::several] = played.scores
            chunk.luck[rotation::several] = played.luck
            chunk.measures[rotation::several] = played.measures
            if keep_records:
                records.append(compiled_records(self.game, self.plan, rotation, deal, played))
        chunk.records.extend(record for deal in zip(*records, strict=True) for record in deal)
        return chunk

    def _empty_chunk(self, first: int, count: int) -> Chunk:
        seats = len(self.agents)
        return Chunk(
            first,
            scores=np.zeros((count, seats)),
            luck=np.zeros((count, len(self.game.luck))),
            measures=np.zeros((count, seats, len(self.game.measures))),
        )

    def _play_in_python(self, first: int, count: int, keep_records: bool) -> Chunk:
        chunk = self._empty_chunk(first, count)
        finished = 0
        try:
            for index in range(count):
                self._play_one(chunk, index, keep_records)
                finished = index + 1
        except KeyboardInterrupt:
            if finished == 0:
                raise
            raise Interrupted(chunk.part(finished)) from None
        return chunk

    def _play_one(self, chunk: Chunk, index: int, keep_records: bool) -> None:
        number = chunk.first + index
        deal, rotation = divmod(number, len(self.plan.orders))
        played = play_game(
            self.game,
            [self.agents[agent] for agent in self.plan.orders[rotation]],
            specs=self.plan.seated(rotation),
            seed=self.plan.seed,
            number=deal,
            move_time=self.plan.move_time,
        )
        outcome = played.record.outcome
        if outcome is None:  # somebody at a keyboard broke the game off
            raise KeyboardInterrupt
        chunk.scores[index] = outcome.scores
        chunk.luck[index] = played.luck
        chunk.measures[index] = played.measures
        if outcome.forfeited_by is not None:
            chunk.forfeits.append((number, outcome.forfeited_by, outcome.reason))
        if keep_records:
            chunk.records.append(played.record)

    def close(self) -> None:
        """Let the agents end what they have running."""
        for agent in self.agents:
            agent.close()


def agents_for(plan: MatchPlan, pool: AgentPool) -> list[Agent]:
    """Make the agents of a plan, or take those that are in the pool already."""
    found = []
    for seat, spec in enumerate(plan.agents):
        key = spec, plan.agents[:seat].count(spec)
        if key not in pool:
            pool[key] = adopted(make_agent(spec))
        found.append(pool[key])
    return found


def compiled_records(
    game: Game, plan: MatchPlan, rotation: int, first: int, played: PlayedGames
) -> list[Record]:
    """Make records of games that were played inside a kernel."""
    assert played.actions is not None
    assert played.finals is not None
    records = []
    for index, length in enumerate(played.lengths):
        final = played.finals[index]
        scores = tuple(float(score) for score in played.scores[index])
        records.append(
            Record(
                game=plan.game,
                version=game.version,
                seats=plan.seated(rotation),
                seed=plan.seed,
                number=first + index,
                actions=tuple(played.actions[index, :length].tolist()),
                outcome=Outcome(scores, game.notation.reason(final)),
                final=game.notation.position_line(final),
            )
        )
    return records


class Results:
    """Collects chunks, in whatever order they come, into arrays in the order of the games.

    Only whole deals of ``games_per_deal`` games count.
    """

    def __init__(self, game: Game, games_per_deal: int = 1) -> None:
        self.game = game
        self.games_per_deal = games_per_deal
        self.chunks: dict[int, Chunk] = {}
        self.scores = np.zeros((0, len(game.seats)))
        self.luck = np.zeros((0, len(game.luck)))
        self.measures = np.zeros((0, len(game.seats), len(game.measures)))
        self.forfeits: list[tuple[int, int, str]] = []
        self.received = 0  # games, of whole deals or not

    @property
    def games(self) -> int:
        """How many games of whole deals there are, up to the first gap."""
        return len(self.scores)

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk; its records are in an archive by now, and large."""
        self.chunks[chunk.first] = replace(chunk, records=[])
        self.received += len(chunk.scores)

    def close(self) -> None:
        """Join the chunks from game 0 up to the first gap, which only a broken-off match has."""
        joined: list[Chunk] = []
        expected = 0
        for first in sorted(self.chunks):
            if first != expected:
                break
            joined.append(self.chunks[first])
            expected += len(self.chunks[first].scores)
        if joined:
            whole = expected - expected % self.games_per_deal
            self.scores = np.concatenate([chunk.scores for chunk in joined])[:whole]
            self.luck = np.concatenate([chunk.luck for chunk in joined])[:whole]
            self.measures = np.concatenate([chunk.measures for chunk in joined])[:whole]
            forfeits = [each for chunk in joined for each in chunk.forfeits]
            self.forfeits = [each for each in forfeits if each[0] < whole]
