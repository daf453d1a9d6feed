"""What agents make of a position: values, candidates, beliefs, each game in its file.

An agent tells it itself (``thoughts``, see agents/explanations.py), or its numbers are read here
from the search and the network it plays with. Nothing but a view is looked at.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sandtable.agents.explanations import Thinks
from sandtable.errors import SandtableError
from sandtable.registry import agent_factory, agent_names, check_seat, make_agent
from sandtable.server.judges.judge import Judge, TellingJudge
from sandtable.specs import parse_spec
from sandtable.types import Game

__all__ = ["Judge", "judge_named", "judges", "usual_adviser"]

# Agent: the module here, and the class that judges as the agent does.
OWN = {
    "lucid/champion-blue": ("lucid", "ChampionJudge"),
    "lucid/champion-red": ("lucid", "ChampionJudge"),
    "skirmish/champion": ("skirmish", "ChampionJudge"),
    "skirmish/dsl": ("skirmish", "DeepStateJudge"),
    "stratego/champion": ("stratego", "ChampionJudge"),
    "stratego/value": ("stratego", "ValueJudge"),
    "gravwell/champion": ("gravwell", "ChampionJudge"),
}


def judges(name: str) -> bool:
    """Say whether the agent of this name has values of its own."""
    return name in OWN or hasattr(agent_factory(name), "thoughts")


def judge_named(game: Game, text: str) -> Judge:
    """Return what values the positions of a game as an agent does."""
    spec = parse_spec(text)
    if not judges(spec.name):
        raise SandtableError(f"'{spec.name}' has no values of its own; ask for random playouts")
    if not any(can_take(game, seat, text) for seat in game.seats):
        check_seat(game, game.seats[0], spec)  # which says why not
    agent = make_agent(text)
    getattr(agent, "check", lambda: None)()
    if isinstance(agent, Thinks):
        return TellingJudge(agent)
    module, name = OWN[spec.name]
    make: Any = getattr(import_module(f"{__name__}.{module}"), name)
    found: Judge = make(agent)
    return found


def can_take(game: Game, seat: str, text: str) -> bool:
    """Say whether an agent can play a seat."""
    try:
        check_seat(game, seat, parse_spec(text))
    except SandtableError:
        return False
    return True


def usual_adviser(game: Game, seat: int) -> str | None:
    """Return the best agent we know for hints, or None where none of ours can play."""
    names = [name for name in OWN if name in agent_names(game.name)]
    return next((name for name in names if can_take(game, game.seats[seat], name)), None)
