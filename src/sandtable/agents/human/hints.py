"""Hints for a person: what another agent would play from here."""

from __future__ import annotations

from contextlib import suppress

from sandtable.agent import Agent, offers
from sandtable.agents.human.turn import TurnInProgress
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import agent_factory, agent_names, check_seat, make_agent
from sandtable.specs import parse_spec
from sandtable.types import Game, State

__all__ = ["Adviser", "usual_adviser"]

GENERAL_JUDGE = "ismcts"  # plays any game, and values what it looks at
NEVER_ASKED = ("human", "external", "model")  # without a name of their own they know nothing


class Adviser:
    """Agents that are asked for hints, each made once a game so that it can follow a plan."""

    def __init__(self, game: Game, seat: int, default: str | None) -> None:
        self._game = game
        self._seat = seat
        self._default = default
        self._agents: dict[str, Agent] = {}

    def turn(self, view: State, spec: str | None, dice: Dice) -> tuple[str, list[int]]:
        """Return the agent that was asked and the actions to the end of the turn it would play."""
        name = self.name(spec)
        self._agent(name)  # what is wrong with the name is told as it is
        turn = TurnInProgress(view)
        try:
            agent = self.ready(name, dice)
            while not turn.closed and len(turn.actions) < self._game.max_actions:
                answer = agent.choose(turn.view, dice)
                for action in [answer] if isinstance(answer, int) else answer:
                    if not turn.closed:
                        turn.add(int(action))
        except Exception as problem:  # an adviser's trouble must not cost the person the game
            raise SandtableError(f"'{name}' has no hint: {problem}") from problem
        return name, turn.actions

    def name(self, spec: str | None) -> str:
        """Return the agent that a hint is asked of."""
        best = usual_adviser(self._game, self._seat)
        return spec or self._default or best or self._first_that_can_play()

    def judge(self) -> str:
        """Return the agent that is asked about moves: one that values them."""
        if self._default:
            return self._default
        best = usual_adviser(self._game, self._seat)
        if best is None or not offers(agent_factory(best), "analyse"):
            return GENERAL_JUDGE
        return best

    def ready(self, name: str, dice: Dice) -> Agent:
        """Return an agent that has been told about this game."""
        agent = self._agent(name)
        if name not in self._agents:
            agent.begin(self._game, self._seat, dice)
            self._agents[name] = agent
        return agent

    def close(self) -> None:
        """Let the agents go."""
        for agent in self._agents.values():
            with suppress(Exception):
                agent.close()
        self._agents.clear()

    def _agent(self, text: str) -> Agent:
        if text in self._agents:
            return self._agents[text]
        spec = parse_spec(text)
        if spec.name == "human":
            raise SandtableError("a hint comes from another agent, not from 'human'")
        check_seat(self._game, self._game.seats[self._seat], spec)
        return make_agent(text)

    def _first_that_can_play(self) -> str:
        """Prefer the agents of this game to those that play any game."""
        names = sorted(agent_names(self._game.name), key=lambda name: "/" not in name)
        for name in names:
            if name in NEVER_ASKED:
                continue
            with suppress(SandtableError):
                check_seat(self._game, self._game.seats[self._seat], parse_spec(name))
                make_agent(name)
                return name
        raise SandtableError("no agent is installed that could give a hint; name one: hint SPEC")


def usual_adviser(game: Game, seat: int) -> str | None:
    """Return the agent with the highest ``adviser_rank`` that can take a seat, or None."""
    ranks: dict[str, int] = {}
    for name in agent_names(game.name):
        with suppress(SandtableError):  # it cannot be loaded, or plays something else
            rank = getattr(agent_factory(name), "adviser_rank", 0)  # a factory may be a function
            if rank > 0:
                check_seat(game, game.seats[seat], parse_spec(name))
                ranks[name] = rank
    return max(ranks, key=lambda name: ranks[name], default=None)
