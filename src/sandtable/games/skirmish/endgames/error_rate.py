"""How often an agent gives away a won or drawn endgame in one move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sandtable.arena.statistics.intervals import Estimate, estimate_share
from sandtable.dice import Dice
from sandtable.errors import StopGame
from sandtable.games.skirmish.endgames.suite import LEVELS, EndgameQuestion
from sandtable.games.skirmish.levels import SIDE_NAMES
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import State

__all__ = ["Answers", "answer", "by_chance", "some_questions", "table_lines"]


@dataclass(frozen=True)
class Answers:
    """Questions that were put to an agent, and which it got wrong."""

    agent: str
    questions: Sequence[EndgameQuestion]
    wrong: Sequence[bool]

    def share(self, chosen: Callable[[EndgameQuestion], bool] = lambda question: True) -> Estimate:
        """Estimate the share of wrong moves among the chosen questions."""
        pairs = zip(self.questions, self.wrong, strict=True)
        results = [wrong for question, wrong in pairs if chosen(question)]
        return estimate_share(sum(results) / max(len(results), 1), len(results))


def some_questions(questions: Sequence[EndgameQuestion], each_side: int) -> list[EndgameQuestion]:
    """Return the first questions for each side; 0 takes all.

    >>> from sandtable.games.skirmish.endgames.suite import read_suite
    >>> len(some_questions(read_suite(), 3))
    6
    """
    if not each_side:
        return list(questions)
    chosen = [[q for q in questions if q.seat == seat][:each_side] for seat in range(2)]
    return [question for side in chosen for question in side]


def answer(
    agent: str,
    questions: Sequence[EndgameQuestion],
    seed: int,
    progress: Callable[[int], None] = lambda questions: None,
) -> Answers:
    """Put questions to an agent, each as a game of its own; Ctrl-C leaves those that were answered.

    >>> from sandtable.games.skirmish.endgames.suite import read_suite
    >>> len(answer("random", read_suite()[:20], seed=0).wrong)
    20
    """
    game = make_game("skirmish")
    check_seats(game, [agent, agent])
    player = make_agent(agent)
    player.check()
    wrong: list[bool] = []
    try:
        for number, question in enumerate(questions):
            state = State(game, game.notation.parse_position(question.position))
            player.begin(game, state.turn, Dice(seed, "endgames begin", number))
            chosen = player.choose(state.view(state.turn), Dice(seed, "endgames", number))
            player.finish(None)
            action = int(np.ravel(chosen)[0])
            wrong.append(game.notation.action_name(action) not in question.right)
            progress(1)
    except (KeyboardInterrupt, StopGame):
        pass
    finally:
        player.close()
    return Answers(agent, questions[: len(wrong)], wrong)


def by_chance(questions: Sequence[EndgameQuestion]) -> float:
    """Return the share of wrong moves among all legal ones, which is what chance gets wrong."""
    return float(np.mean([1 - len(question.right) / question.moves for question in questions]))


def shown(estimate: Estimate) -> str:
    """Write a share with its interval in percent.

    >>> shown(estimate_share(0.125, 400))
    '12.5% (9.5 to 16.0)'
    """
    low, high = estimate.limits  # exact ones, however few are wrong
    return f"{100 * estimate.mean:.1f}% ({100 * low:.1f} to {100 * high:.1f})"


def table_lines(answers: Answers) -> list[str]:
    """Write the shares of wrong moves: of all, by side, by map, by level of difficulty."""
    if not answers.questions:
        return ["no question was answered"]
    groups: list[tuple[str, Callable[[EndgameQuestion], bool]]] = [("all", lambda question: True)]
    groups += [(name, by_seat(seat)) for seat, name in enumerate(SIDE_NAMES)]
    names = dict.fromkeys(question.map for question in answers.questions)
    groups += [(name, by_map(name)) for name in names]
    groups += [(f"see {name}", by_level(level)) for level, name in enumerate(LEVELS)]
    lines = [f"{'positions':28} {'number':>6}  wrong (95% interval)     by chance"]
    for name, chosen in groups:
        questions = [question for question in answers.questions if chosen(question)]
        if questions:
            share = shown(answers.share(chosen))
            lines.append(
                f"{name:28} {len(questions):6}  {share:24} {100 * by_chance(questions):.1f}%"
            )
    return lines


def by_seat(seat: int) -> Callable[[EndgameQuestion], bool]:
    """Choose the questions of a side."""
    return lambda question: question.seat == seat


def by_map(name: str) -> Callable[[EndgameQuestion], bool]:
    """Choose the questions of a map."""
    return lambda question: question.map == name


def by_level(level: int) -> Callable[[EndgameQuestion], bool]:
    """Choose the questions of a level of difficulty."""
    return lambda question: question.level == level
