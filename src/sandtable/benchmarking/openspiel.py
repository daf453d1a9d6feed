"""OpenSpiel's games stepped from Python: bare states, and its environments for learners.

Both loops give what a batch of ours gives: the observation of the seat to act and its legal actions
before every step. Nothing is kept from step to step that a learner would not keep.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.ours import STEPS
from sandtable.benchmarking.timing import Effort, measured

__all__ = ["openspiel_figures"]

SOURCE = "OpenSpiel"
AT_ONCE = 100  # steps in one piece of work


def openspiel_figures(game: str, name: str, effort: Effort) -> list[Figure]:
    """Measure one of OpenSpiel's games as a yardstick for one of ours."""
    import pyspiel
    from open_spiel.python.rl_environment import Environment

    theirs = pyspiel.load_game(name)
    in_turn = pyspiel.convert_to_turn_based(theirs) if simultaneous(theirs) else theirs
    short = name.partition("(")[0]
    loops = [
        ("actions alone", False, bare(in_turn, False)),
        ("with tensors", True, bare(in_turn, True)),
        ("environment", True, stepped(Environment(theirs))),
    ]
    return [
        Figure(game, f"{short}, {what}", STEPS, measured(work, effort), SOURCE, planes=planes)
        for what, planes, work in loops
    ]


def simultaneous(theirs: Any) -> bool:
    """Say whether several act at once in a game of theirs."""
    import pyspiel

    return bool(theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS)


def bare(theirs: Any, observe: bool) -> Callable[[], float]:
    """Return the work of stepping states: chance is drawn, finished games begin anew."""
    dice = random.Random(0)
    state = theirs.new_initial_state()

    def work() -> float:
        nonlocal state
        steps = 0
        while steps < AT_ONCE:
            if state.is_terminal():
                state.returns()
                state = theirs.new_initial_state()
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(dice.choices(outcomes, chances)[0])
            else:
                if observe:
                    state.observation_tensor()
                    state.legal_actions_mask()
                state.apply_action(dice.choice(state.legal_actions()))
                steps += 1
        return float(steps)

    return work


def stepped(environment: Any) -> Callable[[], float]:
    """Return the work of stepping an environment for learners."""
    dice = random.Random(0)
    moment = environment.reset()

    def work() -> float:
        nonlocal moment
        steps = 0
        while steps < AT_ONCE:
            if moment.last():
                moment = environment.reset()
                continue
            legal, seat = moment.observations["legal_actions"], moment.current_player()
            acting = range(len(legal)) if seat < 0 else [seat]
            moment = environment.step([dice.choice(legal[each]) for each in acting])
            steps += len(acting)
        return float(steps)

    return work
