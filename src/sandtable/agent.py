"""The contract of players: Agent, what it can say about a position, and acting inside kernels.

Only ``choose`` must be written. Everything else has a default that does nothing, so whoever plays,
asks or shows an agent calls the methods without looking first whether they are there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sandtable.dice import Dice
from sandtable.specs import Spec
from sandtable.types import Game, Outcome, State

__all__ = [
    "Adopted",
    "Agent",
    "Analysis",
    "Candidate",
    "CompiledPolicy",
    "Explanation",
    "Scale",
    "adopted",
    "offers",
]

# What values mean: the chance to win (a draw is half of it), the final score, or something else.
Scale: TypeAlias = Literal["chance", "score", "own"]


NO_CONSTANTS = np.zeros(0)  # of a policy that has none


@dataclass(frozen=True, eq=False)
class CompiledPolicy:
    """An agent's way of acting as a kernel, so that whole games run without Python in the loop.

    ``act(view, dice, memory, constants, actions) -> count`` writes the actions of a turn (or only
    the next one) and returns how many; it may use up the view, its own copy. ``memory`` is
    an int64 array kept through a game; it starts as given here. ``constants`` are what never
    changes, such as options and weights: an array, or a NamedTuple of arrays and plain numbers.

    >>> CompiledPolicy(print, memory=(3, 0)).constants
    array([], dtype=float64)
    """

    act: Callable[..., Any]
    memory: tuple[int, ...] = (0,)
    constants: Any = field(default_factory=lambda: NO_CONSTANTS)


@dataclass(frozen=True)
class Candidate:
    """A move, or a whole turn, that an agent thought about.

    >>> Candidate((3, 5), value=0.6).share is None
    True
    """

    actions: tuple[int, ...]
    value: float | None = None  # to the seat that is to move
    share: float | None = None  # how likely the agent would play it, if it draws its moves


@dataclass(frozen=True)
class Analysis:
    """What an agent makes of a view of the seat that is to move.

    >>> Analysis("chance", 0.6, (Candidate((3,), 0.6), Candidate((5,), 0.4))).candidates[0].value
    0.6
    """

    scale: Scale
    value: float | None  # of the view to that seat; None: it has no opinion
    candidates: tuple[Candidate, ...] = ()  # the best first
    beliefs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # place: {what: how}


@dataclass(frozen=True)
class Explanation:
    """A move with its reasons, in words and as a picture.

    >>> Explanation((3,), "It is the only move.", "<svg/>").text
    'It is the only move.'
    """

    actions: tuple[int, ...]  # the whole turn
    text: str  # several lines, for the terminal
    svg: str  # a whole document


class Agent(ABC):
    """Turns a view into an action, or into the actions of a whole turn.

    >>> class First(Agent):
    ...     def choose(self, view, dice):
    ...         return view.legal[0]
    >>> First().policy(None) is None
    True
    """

    seats: ClassVar[tuple[str, ...]] = ()  # the names of the only seats it plays; empty: any
    scale: ClassVar[Scale] = "chance"  # what its values mean, if it has any
    values_waiting: ClassVar[bool] = False  # whether value_of also values views of who waits
    meanings: ClassVar[Mapping[str, str]] = {}  # of its options, in a few words each
    adviser_rank: ClassVar[int] = 0  # of all with more than 0 the highest gives a game's hints

    @staticmethod
    def suits(game: Game) -> None:
        """Raise WrongSeats for a game this agent is not made for."""

    @staticmethod
    def check_spec(game: Game, spec: Spec) -> None:
        """Raise a SandtableError for a spec that means nothing in this game."""

    def check(self) -> None:
        """Raise a SandtableError if the agent cannot be used at all."""

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Get ready for a game in this seat."""

    @abstractmethod
    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Return the action to play in this view; only these dice may be thrown."""

    def watch(self, view: State, action: int | None) -> None:
        """Look at the view after an action of any seat; None is one the seat may not know."""

    def finish(self, outcome: Outcome | None) -> None:
        """Hear how the game ended; None: it was broken off."""

    def close(self) -> None:
        """Let go of whatever is held: no more games come."""

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the way to act inside kernels, for agents that can."""
        return None

    def weight_files(self) -> Sequence[Path]:
        """Return the files of weights it plays with, bundled ones too."""
        return ()

    def analyse(self, view: State, dice: Dice) -> Analysis | None:
        """Return what it makes of a view of the seat that is to move; None: it cannot tell."""
        return None

    def chances(self, view: State) -> NDArray[np.float64] | None:
        """Return how likely it plays each action [action] in a view of the seat that is to move.

        Only for agents that need nothing but the view for it, and that know the chances exactly;
        None: it cannot tell.
        """
        return None

    def value_of(self, view: State, dice: Dice) -> float | None:
        """Return the value of a view to its seat, which is to move; None: no opinion.

        Agents for which that is quicker than ``analyse`` have it as a method of their own.
        """
        analysis = self.analyse(view, dice)
        return None if analysis is None else analysis.value

    def turn_values(
        self, view: State, turns: Sequence[Sequence[int]], dice: Dice
    ) -> Sequence[float] | None:
        """Return what each of these turns is worth to the seat that is to move; None: no opinion.

        Agents whose ``analyse`` does not list every turn have it, so that any can be compared.
        What the dice and the others will do is averaged over; nothing but the view is known.
        """
        return None

    @staticmethod
    def has_opinion(view: State) -> bool:
        """Say whether it has values for such a view at all, without thinking about it."""
        return True

    def hurry(self) -> None:
        """End the search that ``choose`` is in, with what it has; another thread calls this."""

    def explain(self, view: State, dice: Dice) -> Explanation | None:
        """Choose as ``choose`` does with this view and these dice, and say why."""
        return None

    def transcript(self) -> Sequence[Mapping[str, Any]]:
        """Return what was said about its decisions since this was asked last, for the record.

        Each is data that JSON can write: ``actions`` (how many it answered), ``seconds``,
        ``model``, and ``exchanges``, a list with ``prompt`` (pairs of role and text), ``answer``
        and more (see ``sandtable.records.transcripts``). No seat gets to read it in the game.
        """
        return ()

    def show_text(self) -> str | None:
        """Return what the agent is made of (a table, formulas), for the terminal."""
        return None

    def show_svg(self) -> str | None:
        """Return a picture of what the agent is made of, as a whole SVG document."""
        return None


def offers(agent: object, method: str) -> bool:
    """Say whether an agent, or its class, has a method of its own instead of the default.

    >>> offers(Agent, "analyse")
    False
    """
    own = getattr(agent, method, None)
    return own is not None and getattr(own, "__func__", own) is not getattr(Agent, method)


class Adopted(Agent):
    """An object that chooses, as an Agent: what it lacks is filled in. Also for wrappers."""

    def __init__(self, chooser: Any) -> None:
        self.chooser = chooser
        for method in ("check", "begin", "watch", "finish", "close", "policy", "weight_files"):
            self._take(method)
        told = ("analyse", "chances", "value_of", "turn_values", "has_opinion", "hurry")
        for method in (*told, "explain", "transcript", "show_text", "show_svg"):
            self._take(method)
        for fact in ("seats", "scale", "values_waiting"):
            self._take(fact)

    def _take(self, name: str) -> None:
        if hasattr(self.chooser, name):
            setattr(self, name, getattr(self.chooser, name))

    def choose(self, view: State, dice: Dice) -> int | Sequence[int]:
        """Let the object choose."""
        chosen: int | Sequence[int] = self.chooser.choose(view, dice)
        return chosen


def adopted(agent: Any) -> Agent:
    """Return an agent as an Agent; any object that can choose becomes one.

    >>> class Bare:
    ...     def choose(self, view, dice):
    ...         return view.legal[0]
    >>> adopted(Bare()).finish(None)
    """
    return agent if isinstance(agent, Agent) else Adopted(agent)
