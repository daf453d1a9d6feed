"""Who sits in the seats that do not learn: the network itself, old selves, or named agents.

In a game without secrets every seat learns from its own search, but for a share of games in which
somebody of the pool plays the others. With secrets one seat learns at a time and the others play as
the network does, without a search: what the learner sees of them is then what it has to expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, offers
from sandtable.agents.treesearch.rows import NOBODY
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.registry import check_seat, make_agent
from sandtable.specs import parse_spec
from sandtable.types import Game, State

__all__ = [
    "ITSELF",
    "AgentsAtTables",
    "Opponents",
    "check_beside",
    "check_program",
    "named_opponents",
    "seats_beside",
]

PERSON = "human"
ITSELF = 0  # the network as it is; then come old selves, then named agents


def named_opponents(text: str) -> list[str]:
    """Return the agents of an option, which stand between spaces.

    >>> named_opponents("random  montecarlo:samples=10,seconds=0")
    ['random', 'montecarlo:samples=10,seconds=0']
    """
    return text.split()


def check_beside(game: Game, spec: str, seat: int) -> None:
    """Refuse an agent that cannot take all seats but one.

    >>> from sandtable.registry import make_game
    >>> check_beside(make_game("lucid"), "lucid/axes-red", 0)
    """
    for other, name in enumerate(game.seats):
        if other != seat:
            check_seat(game, name, parse_spec(spec))


def check_program(game: Game, spec: str, seat: int) -> None:
    """Refuse a person, and a program that cannot play in a seat, before anything is done.

    What it plays with is opened here, since a run may come to that only after an hour.

    >>> from sandtable.registry import make_game
    >>> check_program(make_game("lucid"), "human", 0)
    Traceback (most recent call last):
    ...
    sandtable.errors.SandtableError: 'human' is somebody else every time; name a program
    """
    if parse_spec(spec).name == PERSON:
        raise SandtableError(f"'{spec}' is somebody else every time; name a program")
    agent = make_agent(spec)
    try:
        agent.check()
        if agent.weight_files():
            agent.begin(game, seat, Dice(0, "self-play check"))
    finally:
        agent.close()


def seats_beside(game: Game, spec: str) -> list[int]:
    """Return the seats beside which an agent can take all others; there must be one.

    >>> from sandtable.registry import make_game
    >>> seats_beside(make_game("lucid"), "lucid/axes-red")
    [0]
    """
    if len(game.seats) < 2:
        raise WrongSeats(f"{game.name} has one seat, so nobody can be an opponent: '{spec}'")
    agent, refused = make_agent(spec), ""
    if offers(agent, "watch"):
        raise SandtableError(f"'{spec}' watches its games, and a learner shows them to nobody")
    found = []
    for learner in range(len(game.seats)):
        try:
            check_beside(game, spec, learner)
        except WrongSeats as problem:
            refused = str(problem)
            continue
        found.append(learner)
    if not found:
        raise WrongSeats(f"'{spec}' cannot be an opponent: {refused}")
    check_program(game, spec, next(seat for seat in range(len(game.seats)) if seat != found[0]))
    return found


@dataclass
class Opponents:
    """The pool of a round, and which of them a game is played with."""

    game: Game
    old_selves: Sequence[Any] = ()  # networks
    specs: Sequence[str] = ()
    share: float = 0.0  # of games with somebody of the pool
    beside: list[list[int]] = field(init=False)  # [spec] seats that can learn

    def __post_init__(self) -> None:
        self.beside = [seats_beside(self.game, spec) for spec in self.specs]

    def seating(self, seed: int, number: int) -> tuple[int, int]:
        """Return which seat learns in a game (NOBODY: all do), and who plays the others."""
        dice, seats = Dice(seed, "self-play seating", number), len(self.game.seats)
        learner, wanted = dice.below(seats), dice.uniform() < self.share
        choices = len(self.specs) + bool(self.old_selves)
        if not wanted or not choices:
            return (learner if self.game.hidden else NOBODY), ITSELF
        chosen = dice.below(choices)
        if chosen == len(self.specs):
            return learner, 1 + dice.below(len(self.old_selves))
        allowed = self.beside[chosen]
        return allowed[dice.below(len(allowed))], 1 + len(self.old_selves) + chosen

    def network_of(self, player: int) -> Any | None:
        """Return the network of an old self, or None."""
        return self.old_selves[player - 1] if 1 <= player <= len(self.old_selves) else None

    def spec_of(self, player: int) -> str | None:
        """Return the spec of a named agent, or None."""
        place = player - 1 - len(self.old_selves)
        return self.specs[place] if place >= 0 else None


class AgentsAtTables:
    """Named agents that play games side by side: each row has its own."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.agents: dict[tuple[int, int, str], Agent] = {}
        self.dice: dict[tuple[int, int], Dice] = {}  # by row and seat
        self.planned: dict[int, list[int]] = {}  # by row: the rest of a turn
        self.specs: dict[int, str] = {}  # by row

    def begin(self, row: int, spec: str | None, learner: int, seed: int, number: int) -> None:
        """Seat an agent everywhere but in the seat that learns; None: nobody sits in this row."""
        self.planned.pop(row, None)
        self.specs.pop(row, None)
        if spec is None:
            return
        self.specs[row] = spec
        for seat in range(len(self.game.seats)):
            if seat == learner:
                continue
            if (row, seat, spec) not in self.agents:
                self.agents[row, seat, spec] = make_agent(spec)
            dice = self.dice[row, seat] = Dice(seed, f"self-play opponent {seat}", number)
            self.agents[row, seat, spec].begin(self.game, seat, dice)

    def choose(self, row: int, seat: int, view: NDArray[np.int16], mask: NDArray[np.bool_]) -> int:
        """Return what the agent of a row plays."""
        planned, spec = self.planned.get(row), self.specs[row]
        if not planned:
            state = State(self.game, np.array(view))
            answer = self.agents[row, seat, spec].choose(state, self.dice[row, seat])
            one = isinstance(answer, (int, np.integer))
            planned = [int(answer)] if one else [int(each) for each in answer]  # type: ignore[arg-type,union-attr]
        action, self.planned[row] = planned[0], planned[1:]
        if not (0 <= action < len(mask) and mask[action]):
            raise SandtableError(f"the opponent '{spec}' answered with an illegal action: {action}")
        return action
