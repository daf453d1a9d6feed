"""``why MOVE``: whether a move is legal, and what an adviser expects of it beside the best."""

from __future__ import annotations

from sandtable.agent import Agent, Analysis, Candidate
from sandtable.agents.human.turn import TurnInProgress, compact, split_words
from sandtable.dice import Dice
from sandtable.types import State

__all__ = ["judged", "not_possible"]

SCALES = {"chance": "chance to win {:.0%}", "score": "expects {:.2f} points", "own": "value {:.2f}"}
SHOWN = 3  # better moves


def not_possible(turn: TurnInProgress, words: str) -> str | None:
    """Return why a move cannot be made in this turn; None: it can."""
    return TurnInProgress(turn.view).take(split_words(words)) or None


def judged(turn: TurnInProgress, words: str, name: str, agent: Agent, dice: Dice) -> str:
    """Return in some lines what an agent makes of a possible move in this turn."""
    trial = TurnInProgress(turn.view)
    trial.take(split_words(words))
    analysis = agent.analyse(turn.view, dice)
    move = compact(turn.view.game, trial.actions)
    if analysis is None or not analysis.candidates:
        return f"{move} is legal; {name} gives no reasons for its moves."
    wanted = tuple(trial.actions)
    found = next(
        (
            (place, each)
            for place, each in enumerate(analysis.candidates, start=1)
            if each.actions[: len(wanted)] == wanted or wanted[: len(each.actions)] == each.actions
        ),
        None,
    )
    count = len(analysis.candidates)
    if found is None:
        first = f"{move}: not among the {count} moves that {name} thought about."
    else:
        place, candidate = found
        first = f"{move}: number {place} of the {count} moves that {name} thought about"
        told = words_of(analysis, candidate)
        first += f" ({told})." if told else "."
    better = analysis.candidates[: SHOWN if found is None else min(found[0] - 1, SHOWN)]
    lines = [line_of(turn.view, analysis, each) for each in better]
    return "\n".join([first, *(["It likes better:"] if lines else []), *lines])


def words_of(analysis: Analysis, candidate: Candidate) -> str:
    """Return what an agent expects of a move, in words."""
    told = []
    if candidate.value is not None:
        told.append(SCALES[analysis.scale].format(candidate.value))
    if candidate.share is not None:
        told.append(f"played in {candidate.share:.0%} of cases")
    return ", ".join(told)


def line_of(view: State, analysis: Analysis, candidate: Candidate) -> str:
    """Return one better move with what is expected of it."""
    told = words_of(analysis, candidate)
    return f"  {compact(view.game, candidate.actions)}" + (f" ({told})" if told else "")
