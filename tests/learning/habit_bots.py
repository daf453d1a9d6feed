"""Agents with known habits, to be exploited: those of the documents, and some that are awkward."""

from __future__ import annotations

from pathlib import Path

from sandtable.agent import Agent
from sandtable.registry import loaded_file

HERE = Path(__file__)
EXAMPLES = HERE.parents[2] / "docs" / "examples" / "poker_bots.py"
AWKWARD = ("Silent", "Remembering", "Hasty", "Start")


def spec_of(name: str, **options: object) -> str:
    """Return the spec string of one of the agents."""
    told = "".join(f",{key}={value}" for key, value in options.items())
    return f"file:{HERE if name in AWKWARD else EXAMPLES}:{name}{told}"


def example(name: str) -> type[Agent]:
    """Return the class of an agent of the documents."""
    found: type[Agent] = getattr(loaded_file(EXAMPLES, EXAMPLES.stat().st_mtime_ns), name)
    return found


class Start(Agent):
    """Plays the first legal action, and throws no dice."""

    def choose(self, view, dice):
        return view.legal[0]


class Silent(Agent):
    """Plays the second action three times out of four, and does not tell."""

    def choose(self, view, dice):
        return view.legal[0] if dice.below(4) == 0 else view.legal[-1]


class Remembering(Start):
    """Looks at everything, so a view does not tell what it does."""

    def watch(self, view, action):
        self.seen = action


class Hasty(Start):
    """Answers with two actions at once."""

    def choose(self, view, dice):
        return [view.legal[0], view.legal[0]]
