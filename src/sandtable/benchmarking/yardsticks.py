"""Games of others as yardsticks: which stand beside a game of ours, and how they are timed.

All loops give what a batch of ours gives: the observation of the seat to act and its legal actions
before every step. Nothing is kept from step to step that a learner would not keep.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.ours import STEPS
from sandtable.benchmarking.timing import Effort, measured
from sandtable.types import Game

__all__ = ["Yardsticks", "openspiel_figures", "pgx_figure", "yardsticks_for"]

OPENSPIEL, PGX = "OpenSpiel", "pgx"
OPENSPIEL_STEPS = 100  # in one piece of work
PGX_STEPS = 20  # of all games in one call


@dataclass(frozen=True)
class Yardsticks:
    """Games of other packages that are nearest to a kind of game."""

    openspiel: tuple[str, ...]  # names that OpenSpiel loads
    pgx: tuple[str, ...]


# Hidden pieces on a board: dark chess hides them on 64 squares; pgx has no such game, and two of
# its chess games on smaller boards favour it.
HIDDEN_PIECES = Yardsticks(("dark_chess",), ("animal_shogi", "gardner_chess"))

# Hidden hands of several players: hanabi is nearest in size; goofspiel is played at once but far
# smaller, as are the poker games of pgx; its sparrow mahjong has three hidden hands.
HIDDEN_HANDS = Yardsticks(
    ("hanabi(players=4)", "goofspiel(players=4,num_cards=6,imp_info=True,points_order=random)"),
    ("sparrow_mahjong", "leduc_holdem"),
)

DICE = Yardsticks(("backgammon",), ("backgammon",))

# Nothing hidden and no dice: breakthrough has a board of 64 squares and hundreds of actions, chess
# the kinds of pieces; connect four is smaller.
OPEN = Yardsticks(("breakthrough", "chess"), ("connect_four", "gardner_chess"))


def yardsticks_for(game: Game) -> Yardsticks:
    """Return the games of others that are most like this one, by what it hides and throws."""
    if game.hidden:
        return HIDDEN_HANDS if len(game.seats) > 2 else HIDDEN_PIECES
    return DICE if game.chance else OPEN


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
        Figure(game, f"{short}, {loop}", STEPS, measured(work, effort), OPENSPIEL, planes=planes)
        for loop, planes, work in loops
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
        while steps < OPENSPIEL_STEPS:
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
        while steps < OPENSPIEL_STEPS:
            if moment.last():
                moment = environment.reset()
                continue
            legal, seat = moment.observations["legal_actions"], moment.current_player()
            acting = range(len(legal)) if seat < 0 else [seat]
            moment = environment.step([dice.choice(legal[each]) for each in acting])
            steps += len(acting)
        return float(steps)

    return work


def pgx_figure(game: str, name: str, size: int, effort: Effort) -> Figure:
    """Measure one game of pgx as a yardstick: random games that begin anew when they are over.

    The state that is carried from step to step holds observations and masks, as ours do.
    """
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    with jax.default_device(jax.devices("cpu")[0]):
        environment = pgx.make(name)
        step = jax.vmap(auto_reset(environment.step, environment.init))

        def one(carried: Any, _: None) -> tuple[Any, None]:
            state, key = carried
            key, choosing, playing = jax.random.split(key, 3)
            chances = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
            actions = jax.random.categorical(choosing, chances, axis=1)
            return (step(state, actions, jax.random.split(playing, size)), key), None

        run = jax.jit(lambda carried: jax.lax.scan(one, carried, None, length=PGX_STEPS)[0])
        first = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.PRNGKey(0), size))
        carried = (first, jax.random.PRNGKey(1))
        finished: Any = jax.block_until_ready

        def work() -> float:
            nonlocal carried
            carried = finished(run(carried))
            return float(PGX_STEPS * size)

        timing = measured(work, effort)
        return Figure(game, f"{name}, batch of {size}", STEPS, timing, PGX, planes=True)
