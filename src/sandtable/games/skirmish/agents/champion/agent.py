"""The champion of Skirmish: a selective search with a small network trained by self-play.

See docs/games/skirmish/champion.md for the idea and what each part of it is worth.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, CompiledPolicy
from sandtable.compiled import kernel
from sandtable.dice import Dice
from sandtable.errors import WrongSeats, suggestion
from sandtable.games.skirmish.agents.champion import tree
from sandtable.games.skirmish.agents.champion.evaluation import BUNDLED, load_weights, network_of
from sandtable.games.skirmish.agents.champion.order import BUNDLED_ORDER, load_order
from sandtable.games.skirmish.agents.champion.search import search_root
from sandtable.games.skirmish.agents.move_values import valued_moves
from sandtable.types import Game, State

__all__ = ["Champion"]

USUAL_BUDGET = 5000
MOST_BUDGET = 5000  # states for a position that is analysed
MOVE_BUDGET = 600  # and for what comes after each of its moves
ENDLESS = 1 << 62  # states, where the clock ends the search
SEARCHES = {"today": tree.ALL_SWITCHES, "first": tree.FORMER_SWITCHES}


class Options(NamedTuple):
    """The options of the agent, as its kernel takes them."""

    budget: int
    switches: int
    parameters: NDArray[np.float32]  # of the network
    scores: NDArray[np.float32]  # of the order of moves


@kernel
def act(
    view: NDArray[np.int16],
    dice: NDArray[np.uint64],
    memory: NDArray[np.int64],
    constants: Options,
    actions: NDArray[np.int16],
) -> int:
    """Search the view to the end of the budget and write the one action that came out."""
    network = network_of(constants.parameters)
    search = tree.new_search(constants.budget, constants.switches, constants.scores)
    search_root(search, network, dice, view, constants.budget)
    actions[0] = search.numbers[tree.CHOICE]
    return 1


def switches_without(names: str, switches: int = tree.ALL_SWITCHES) -> int:
    """Return the parts of a search that are on when those named (``a+b``) are off.

    >>> switches_without("table+futility") == tree.ALL_SWITCHES - tree.TABLE - tree.FUTILITY
    True
    """
    for name in filter(None, names.split("+")):
        if name not in tree.SWITCH_NAMES:
            known = ", ".join(tree.SWITCH_NAMES)
            raise ValueError(
                f"without is one or more (a+b) of {known}, got '{name}'."
                + suggestion(name, tree.SWITCH_NAMES)
            )
        switches &= ~tree.SWITCH_NAMES[name]
    return switches


class Champion(Agent):
    """Selective alpha-beta over a budget of states with a network trained by self-play.

    ``budget`` states, or ``seconds``, are spent on a move; ``weights`` is a file, empty for the
    bundled one; ``without`` names parts of the search that are off, and ``search`` is ``today`` or
    ``first``, the one before the latest parts. A ValueError tells what is out of range.
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "budget": "positions looked at; left out: 5000, or no limit with seconds",
        "seconds": "time for a move; 0: no limit",
        "weights": "a file; empty: the bundled network",
        "without": "parts of the search that are off, joined by +",
        "search": "today, or first: as it was before the latest parts",
    }

    adviser_rank = 2

    def __init__(
        self,
        budget: int | None = None,
        seconds: float = 0.0,
        weights: str = "",
        without: str = "",
        search: str = "today",
    ) -> None:
        if budget is not None and budget < 1:
            raise ValueError(f"the budget is at least one state, got {budget}")
        if not 0 <= seconds <= threading.TIMEOUT_MAX:
            raise ValueError(f"seconds is 0 (no limit) or more, got {seconds}")
        self.budget = budget or (ENDLESS if seconds else USUAL_BUDGET)
        self.seconds = seconds
        if search not in SEARCHES:
            raise ValueError(
                f"search is {' or '.join(SEARCHES)}, got '{search}'." + suggestion(search, SEARCHES)
            )
        self.switches = switches_without(without, SEARCHES[search])
        self.path = Path(weights).expanduser() if weights else BUNDLED
        self.parameters, self.scores = load_weights(self.path), load_order()
        self.search: tree.Search | None = None  # the one that goes on
        self.states = 0  # positions the last search produced
        self.depth = 0  # plies its last finished iteration looked ahead
        self.value = 0.0  # what it thinks of its game, from -1 to 1, or beyond for a sure result

    def weight_files(self) -> list[Path]:
        """Return the files it plays with."""
        return [self.path, BUNDLED_ORDER] if self.switches & tree.ORDER else [self.path]

    def policy(self, game: Game) -> CompiledPolicy | None:
        """Return the search as a kernel; none with a time limit, since kernels have no clock."""
        check_game(game)
        if self.seconds:
            return None
        options = Options(self.budget, self.switches, self.parameters, self.scores)
        return CompiledPolicy(act, constants=options)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse other games."""
        check_game(game)

    def choose(self, view: State, dice: Dice) -> int:
        """Search to the end of the budget or of the time."""
        check_game(view.game)
        search = self.search = tree.new_search(self.budget, self.switches, self.scores)
        clock = threading.Timer(self.seconds, search.numbers.__setitem__, (tree.STOP, 1))
        if self.seconds:
            clock.start()  # the search gives way to other threads and looks at STOP
        try:
            position, network = np.array(view.position), network_of(self.parameters)
            self.value = search_root(search, network, dice.array, position, self.budget)
        finally:
            clock.cancel()
            self.search = None
        self.states, self.depth = (
            int(search.numbers[tree.STATES]),
            int(search.numbers[tree.REACHED]),
        )
        return int(search.numbers[tree.CHOICE])

    def hurry(self) -> None:
        """End the search that goes on with the best move so far."""
        search = self.search
        if search is not None:
            search.numbers[tree.STOP] = 1

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Search the position, and with less what comes after every move."""
        seat = view.turn

        def value_after(state: State) -> float:
            chance = self.searched_chance(state, MOVE_BUDGET, dice)
            return chance if state.turn == seat else 1.0 - chance

        candidates = valued_moves(view, dice, value_after, self.scale)
        return Analysis(self.scale, self.value_of(view, dice), candidates)

    def turn_values(
        self, view: State, turns: Sequence[Sequence[int]], dice: Dice
    ) -> Sequence[float]:
        """Search what comes after each move as it does before its own."""
        seat = view.turn
        values = []
        for turn in turns:
            after = view.play(turn, dice)
            if after.outcome is not None:
                values.append(0.5 + 0.5 * after.outcome.scores[seat])
                continue
            chance = self.searched_chance(after, self.budget, dice)
            values.append(chance if after.turn == seat else 1.0 - chance)
        return values

    def value_of(self, view: State, dice: Dice) -> float:
        """Return the chance of the side to move."""
        return self.searched_chance(view, MOST_BUDGET, dice)

    def searched_chance(self, state: State, budget: int, dice: Dice) -> float:
        """Return the chance of the side to move after a search."""
        budget = min(self.budget, budget)
        search = tree.new_search(budget, self.switches, self.scores)
        network = network_of(self.parameters)
        value = search_root(search, network, dice.array, np.array(state.position), budget)
        return float(np.clip(0.5 + 0.5 * value, 0.0, 1.0))


def check_game(game: Game) -> None:
    """Refuse other games."""
    if game.name != "skirmish":
        raise WrongSeats(f"'skirmish/champion' plays skirmish, not {game.name}")
