"""The champions of Operation Lucid: learned values, climbing, and a look one turn ahead.

turn_plan.py is a turn in the making, search.py climbs to good ones, lookahead.py chooses among
them. See docs/games/lucid/td.md for the idea, the training
and what each part is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Analysis, Candidate, CompiledPolicy
from sandtable.agents.scripted import Scripted
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats, suggestion
from sandtable.games.lucid.agents.champion.lookahead import (
    AXES_RED_ANSWERS,
    BEST_ANSWERS,
    MODEL_OF_BLUE,
    MODEL_OF_RED,
    choose_ahead,
    new_lookahead,
    value_ahead,
)
from sandtable.games.lucid.agents.champion.search import choose_turn, new_climb
from sandtable.games.lucid.agents.champion.turn_plan import write_movelets, write_position
from sandtable.games.lucid.agents.evaluator.network import learnt_against, load_weights, path_of
from sandtable.games.lucid.agents.published_board import PublishedBoardAgent
from sandtable.games.lucid.rules import BLUE_SEAT, END, DiceState
from sandtable.types import Game, Position, State

__all__ = ["ChampionBlue", "ChampionRed"]

MOST_MARGIN = 1000
MOST_ACTIONS = 64  # of a turn
QUICK_TRIES = 4  # beginnings of a climb, where only the value is asked for
AXES_RED, BEST = "axes-red", "best"  # what can be expected of the opponent; or weights
BLUE = "blue"
CHAMPIONS = "champions"  # the weights of both
USUAL = "usual"  # what the weights were trained for


class Options(NamedTuple):
    """The options of the agent, as its kernel takes them."""

    tries: int
    candidates: int  # 0: without looking ahead
    reply_tries: int
    margin: float  # in units
    expects: int  # how the opponent is taken to answer
    weights: NDArray[np.float32]
    model: NDArray[np.float32]  # of the opponent; the own weights if it has none


@kernel
def act(
    view: NDArray[np.int16],
    dice: DiceState,
    memory: NDArray[np.int64],
    constants: Options,
    actions: NDArray[np.int16],
) -> int:
    """Choose a turn and write its movelets."""
    weights, tries = constants.weights, constants.tries
    if constants.candidates > 0:
        look = new_lookahead(weights, constants.candidates, constants.model)
        reply_tries, margin, expects = constants.reply_tries, constants.margin, constants.expects
        choose_ahead(look, view, dice, tries, reply_tries, margin, expects)
        plan = look.climb.plan
    else:
        climb = new_climb()
        choose_turn(climb, weights, view, dice, tries)
        plan = climb.plan
    count = write_movelets(plan, view, actions)
    actions[count] = END
    return count + 1


class ChampionOfEitherSide(PublishedBoardAgent, Scripted):
    """What both champions have in common; values are Blue's units in the goal at the end."""

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "bundled values by their name, or a file",
        "tries": "beginnings from which it climbs to a good turn",
        "candidates": "turns it looks at one turn further; 0: none",
        "reply_tries": "beginnings for the turn that follows",
        "margin": "units by which a turn may look worse and still be looked at further",
        "expects": "how the opponent answers: best, axes-red, weights, or usual (what they learnt)",
    }

    scale = "score"
    adviser_rank = 2

    def __init__(
        self,
        weights: str,
        tries: int,
        candidates: int,
        reply_tries: int,
        margin: float,
        expects: str,
    ) -> None:
        if min(tries, reply_tries) < 1 or candidates < 0 or not 0 <= margin <= MOST_MARGIN:
            raise ValueError(
                "tries and reply_tries are at least 1, candidates and margin at least 0; "
                f"got {tries}, {reply_tries}, {candidates} and {margin}"
            )
        self.path, own = path_of(weights), load_weights(weights)
        code, model = self.answers(expects, own)
        self.options = Options(tries, candidates, reply_tries, float(margin), code, own, model)

    def answers(self, expects: str, own: NDArray[np.float32]) -> tuple[int, NDArray[np.float32]]:
        """Return how the opponent is taken to answer, and the network it answers with."""
        self.model_path: Path | None = None
        blue = BLUE in self.seats
        if expects == USUAL:
            expects = AXES_RED if blue and learnt_against(self.path) == AXES_RED else BEST
        if expects == BEST:
            return BEST_ANSWERS, own
        if expects == AXES_RED and blue:
            return AXES_RED_ANSWERS, own
        try:
            self.model_path = path_of(expects)
        except SandtableError as problem:
            hint = suggestion(expects, (AXES_RED, BEST, USUAL))
            raise ValueError(
                f"expects is {AXES_RED}, {BEST}, {USUAL} or weights; {problem}{hint}"
            ) from problem
        return MODEL_OF_RED if blue else MODEL_OF_BLUE, load_weights(expects)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path] if self.model_path is None else [self.path, self.model_path]

    def policy(self, game: Game) -> CompiledPolicy:
        """Return the kernel; its constants are the options and the weights."""
        if game.name != "lucid":
            raise WrongSeats(f"the champions of lucid play lucid, not {game.name}")
        return CompiledPolicy(act, constants=self.options)

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Return its turn and others that it thought of, all valued one turn further."""
        options, position = self.options, np.array(view.position)
        tries, reply_tries, expects = options.tries, options.reply_tries, options.expects
        look = new_lookahead(options.weights, max(options.candidates, 1), options.model)
        score = choose_ahead(
            look, position, dice.array, tries, reply_tries, options.margin, expects
        )
        own = 1.0 if view.turn == BLUE_SEAT else -1.0
        chosen = turn_of(look.climb.plan, position)
        values = {chosen: own * float(score)}
        for plan in look.plans:
            turn = turn_of(plan, position)
            if plan.any() and turn not in values:
                look.after[:] = position
                write_position(plan, look.after)
                values[turn] = own * float(value_ahead(look, dice.array, reply_tries, expects))
        others = sorted((turn for turn in values if turn != chosen), key=lambda turn: -values[turn])
        candidates = tuple(Candidate(turn, values[turn]) for turn in (chosen, *others))
        return Analysis(self.scale, own * float(score), candidates)

    def turn_values(
        self, view: State, turns: Sequence[Sequence[int]], dice: Dice
    ) -> Sequence[float]:
        """Value turns one turn further, all with the same throws."""
        options, own = self.options, 1.0 if view.turn == BLUE_SEAT else -1.0
        look = new_lookahead(options.weights, max(options.candidates, 1), options.model)
        throws = dice.array.copy()
        values = []
        for turn in turns:
            look.after[:] = view.position
            for action in turn:
                if action != END:
                    view.game.rules.apply(look.after, action, throws)
            dice.array[:] = throws
            worth = value_ahead(look, dice.array, options.reply_tries, options.expects)
            values.append(own * float(worth))
        return values

    def value_of(self, view: State, dice: Dice) -> float:
        """Return the value of the best turn that is found, without looking further."""
        position = np.array(view.position)
        score = choose_turn(new_climb(), self.options.weights, position, dice.array, QUICK_TRIES)
        return float(score) if view.turn == BLUE_SEAT else -float(score)


def turn_of(plan: NDArray[np.int64], position: Position) -> tuple[int, ...]:
    """Return the actions of a plan."""
    actions = np.empty(MOST_ACTIONS, dtype=np.int16)
    count = write_movelets(plan.copy(), position.copy(), actions)
    return (*(int(action) for action in actions[:count]), END)


class ChampionBlue(ChampionOfEitherSide):
    """Blue; learned values, hill climbing over whole turns, and a look one turn ahead."""

    seats = (BLUE,)

    def __init__(
        self,
        weights: str = CHAMPIONS,
        tries: int = 16,
        candidates: int = 8,
        reply_tries: int = 2,
        margin: float = 1.0,
        expects: str = USUAL,
    ) -> None:
        super().__init__(weights, tries, candidates, reply_tries, margin, expects)


class ChampionRed(ChampionOfEitherSide):
    """Red; learned values, hill climbing over whole turns, and a look one turn ahead."""

    seats = ("red",)

    def __init__(
        self,
        weights: str = CHAMPIONS,
        tries: int = 16,
        candidates: int = 8,
        reply_tries: int = 2,
        margin: float = 1.0,
        expects: str = USUAL,
    ) -> None:
        super().__init__(weights, tries, candidates, reply_tries, margin, expects)
