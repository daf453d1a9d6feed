"""What is kept of a game of a suite: how the measured player did, and what it asked and answered.

A fact is one game. The facts of a run stand in its file of results, so that rows of several runs
can be put on one page, and a player that was measured before is not measured again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from sandtable.arena.ladder import deal_shares
from sandtable.arena.play.plan import Chunk, MatchPlan
from sandtable.dice import Dice
from sandtable.records.record import Record
from sandtable.records.transcripts import Exchange, decisions_of
from sandtable.registry import make_game
from sandtable.session import Session

__all__ = ["Asked", "DealFacts", "GameFacts", "deal_points", "facts_of_chunk"]

LETTERS_OF_A_TOKEN = 4  # about so many, where an endpoint does not count
DIGITS = 10


@dataclass(frozen=True)
class Asked:
    """What a language model was asked in a game, and what came back.

    >>> Asked(requests=3, decisions=2).rethinks
    1
    """

    requests: int = 0  # questions, also those that were answered from a file of kept answers
    decisions: int = 0  # of which each is one question and its rethinks
    unreadable: int = 0  # answers in which no action could be found
    illegal: int = 0  # answers that named an action which the rules do not allow
    failed: int = 0  # questions to which no answer came
    prompt_tokens: int = 0
    answer_tokens: int = 0  # with those of the reasoning
    reasoning_tokens: int = 0
    guessed: int = 0  # questions whose tokens the endpoint did not count

    @property
    def rethinks(self) -> int:
        """How many questions were asked because the answer before could not be played."""
        return self.requests - self.decisions


@dataclass(frozen=True)
class GameFacts:
    """One game, seen from the player that is measured.

    >>> GameFacts.from_data(GameFacts(score=1.0, luck=(0.5,)).as_data()).luck
    (0.5,)
    """

    score: float  # mean over its seats, if it holds several
    luck: tuple[float, ...] = ()  # the terms of the game's luck
    decisions: int = 0  # turns that it had
    forfeit: str = ""  # its reason, if it is this player's
    asked: Asked = Asked()

    def as_data(self) -> dict[str, Any]:
        """Return them as plain data, what is not there left out."""
        data: dict[str, Any] = {"score": round(self.score, DIGITS), "decisions": self.decisions}
        if self.luck:
            data["luck"] = [round(each, DIGITS) for each in self.luck]
        if self.forfeit:
            data["forfeit"] = self.forfeit
        if self.asked.requests:
            data["asked"] = {name: count for name, count in asdict(self.asked).items() if count}
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> GameFacts:
        """Read them."""
        known = {each.name for each in fields(Asked)}
        asked = {str(key): int(value) for key, value in data.get("asked", {}).items()}
        return cls(
            score=float(data["score"]),
            luck=tuple(float(each) for each in data.get("luck", ())),
            decisions=int(data.get("decisions", 0)),
            forfeit=str(data.get("forfeit", "")),
            asked=Asked(**{key: value for key, value in asked.items() if key in known}),
        )


@dataclass(frozen=True)
class DealFacts:
    """All games of one deal: the same board and dice, the player in one seat after the other.

    >>> DealFacts("random", 0, 1.0, (GameFacts(1.0), GameFacts(0.5))).score
    0.75
    """

    opponent: str
    deal: int
    points: float  # the share of the deal that the player won, from 0 to 1
    games: tuple[GameFacts, ...]

    @property
    def score(self) -> float:
        """The mean score of the player."""
        return math.fsum(each.score for each in self.games) / len(self.games)

    def as_data(self) -> dict[str, Any]:
        """Return them as plain data."""
        return {
            "opponent": self.opponent,
            "deal": self.deal,
            "points": round(self.points, DIGITS),
            "games": [each.as_data() for each in self.games],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> DealFacts:
        """Read them."""
        games = tuple(GameFacts.from_data(each) for each in data["games"])
        return cls(str(data["opponent"]), int(data["deal"]), float(data["points"]), games)


def deal_points(plan: MatchPlan, scores: Sequence[Sequence[float]]) -> float:
    """Return what share of a deal the first agent of a plan won: half, if all agents are the same.

    >>> from sandtable.arena.play.plan import make_plan
    >>> plan = make_plan("skirmish", ["random", "skirmish/greedy"], 1, 0, rotate=True)
    >>> deal_points(plan, [[-1.0, 1.0], [0.0, 0.0]])
    0.25
    """
    if len(set(plan.agents)) == 1:
        return 0.5
    found = deal_shares(make_game(plan.game), np.array(scores, dtype=np.float64), plan.orders)
    return float(found[0])


def facts_of_chunk(plan: MatchPlan, chunk: Chunk) -> dict[int, GameFacts]:
    """Return the facts of the games of a chunk, by the number of the game in its plan.

    The chunk comes with the records of its games.
    """
    forfeits = {number: (seat, reason) for number, seat, reason in chunk.forfeits}
    found = {}
    for index, record in enumerate(chunk.records):
        number = chunk.first + index
        seated = plan.seated(number % len(plan.orders))
        seats = [seat for seat, agent in enumerate(seated) if agent == plan.agents[0]]
        seat, reason = forfeits.get(number, (-1, ""))
        found[number] = GameFacts(
            score=float(np.mean([chunk.scores[index, each] for each in seats])),
            luck=tuple(float(each) for each in chunk.luck[index]),
            decisions=turns_of(record, seats),
            forfeit=reason.partition(" forfeits: ")[2] or reason if seat in seats else "",
            asked=asked_in(record, seats),
        )
    return found


def turns_of(record: Record, seats: Sequence[int]) -> int:
    """Return how many turns some seats had in a game, by playing its actions once more."""
    game = make_game(record.game)
    session = Session(game, Dice(record.seed, "game", record.number))
    ending, count, before = game.turn_ending_actions, 0, None
    for action in record.actions:
        mover = session.turn
        if mover != before and mover in seats:
            count += 1
        session.play(action)
        before = None if ending is None or action in ending else mover
    return count


def asked_in(record: Record, seats: Sequence[int]) -> Asked:
    """Count what the transcript of a game says about some seats."""
    told = [each for each in decisions_of(record.annotations) if each.seat in seats]
    exchanges = [each for decision in told for each in decision.exchanges]
    kinds = [each.kind for each in exchanges if each.problem]
    counted = [tokens_of(each) for each in exchanges]
    return Asked(
        requests=len(exchanges),
        decisions=len(told),
        unreadable=kinds.count("unreadable"),
        illegal=kinds.count("illegal"),
        failed=kinds.count("endpoint"),
        prompt_tokens=sum(prompt for prompt, _ in counted),
        answer_tokens=sum(answer for _, answer in counted),
        reasoning_tokens=sum(each.reasoning_tokens or 0 for each in exchanges),
        guessed=sum(not is_counted(each) for each in exchanges),
    )


def is_counted(exchange: Exchange) -> bool:
    """Say whether the endpoint told the tokens of an exchange; of no answer there are none."""
    told = exchange.prompt_tokens is not None and exchange.answer_tokens is not None
    return told or exchange.kind == "endpoint"


def tokens_of(exchange: Exchange) -> tuple[int, int]:
    """Return the tokens of a question and its answer; where nobody counted them, about so many."""
    if exchange.kind == "endpoint":
        return exchange.prompt_tokens or 0, exchange.answer_tokens or 0
    read = sum(len(text) for _, text in exchange.prompt) // LETTERS_OF_A_TOKEN
    written = (len(exchange.answer) + len(exchange.reasoning)) // LETTERS_OF_A_TOKEN
    prompt, answer = exchange.prompt_tokens, exchange.answer_tokens
    return read if prompt is None else prompt, written if answer is None else answer
