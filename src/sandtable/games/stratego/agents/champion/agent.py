"""The champion of Stratego: a network that has learned by playing itself, and players it met.

It sees what has happened in a game beside what stands on the board (``history``). Two networks of
an earlier run, which see the board alone, can play too: ``weights=fitting`` takes the one that fits
how the rules say that the other side sets up; both players know that. See
docs/games/stratego/champion.md for how they were trained and what their parts are worth.

In the classic game it draws set-ups and takes the one it likes best. Its network says of a game
that has not begun how it will end, so it also says what its own set-up is worth: the flag alone in
a corner less than the flag behind bombs. As it draws anew for every game, nobody can know
beforehand where its flag is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, Candidate
from sandtable.dice import Dice, below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.history import History
from sandtable.games.stratego.agents.champion.network import ChampionNetwork, NetworkOutput
from sandtable.games.stratego.agents.champion.people_beliefs import corrected
from sandtable.games.stratego.agents.champion.search import (
    believed,
    look_ahead,
    play_likeliest,
)
from sandtable.games.stratego.agents.champion.setups import (
    SETUP_SQUARES,
    draw_setup,
    write_given_setup,
)
from sandtable.games.stratego.agents.champion.tested_setups import TestedSetups, read_tested_setups
from sandtable.games.stratego.agents.classic_board import check_large_board, set_up, weights_file
from sandtable.games.stratego.agents.people_setups import draw_as_people
from sandtable.games.stratego.agents.square_codes import MOVES, TURNED_ACTIONS
from sandtable.games.stratego.drawing.text import pieces_on
from sandtable.games.stratego.setups import is_file
from sandtable.types import Game, State

__all__ = ["Champion", "ChampionNetwork", "NetworkOutput"]

SCHOOLED = "champion-schooled"
FITTING = "fitting"  # the option: take the one of these two that fits
FOR_RANDOM, FOR_BUILT = "champion", "champion-built"
DRAWN_SETUPS = 64  # to choose from; with more of them they would be ever more alike
SETUPS = ("valued", "people")
MOST_CANDIDATES = 8
ANALYSIS_SAMPLES = 8  # positions drawn from beliefs to look ahead in


class Champion(Agent):
    """Plays the move its network likes best; in the classic game it sets up by itself.

    ``weights`` is a bundled network, a file or fitting; with a ``temperature`` above 0 moves are
    drawn; ``mirror`` asks about the mirrored board too. With ``samples`` the best ``width`` moves
    not farther than ``margin`` below the best are looked ahead, and ``trust`` weighs the outcome.

    >>> Champion(samples=8, width=4).samples
    8

    Raises ValueError for options out of range, SandtableError for weights that cannot be read.
    """

    meanings: ClassVar[Mapping[str, str]] = {
        "weights": "a bundled network by its name, a file, or fitting: which of the first two fits",
        "setups": "its own: valued (the network's favourite of 64), people, or a file of a trial",
        "temperature": "draw moves by their shares; 0: play the likeliest",
        "cut": "never draw a move with less than this share of the likeliest one's",
        "mirror": "ask about the mirrored board too",
        "samples": "guesses in which the best moves are looked ahead; 0: none",
        "width": "moves that are looked ahead",
        "margin": "how far below the best a move may lie to be looked ahead",
        "trust": "how much the look ahead counts against the network",
    }

    adviser_rank = 2

    def __init__(
        self,
        weights: str = SCHOOLED,
        setups: str = "valued",
        temperature: float = 0.0,
        cut: float = 0.0,
        mirror: bool = True,
        samples: int = 0,
        width: int = 6,
        margin: float = 4.0,
        trust: float = 16.0,
    ) -> None:
        if not 0.0 <= temperature <= 100.0:
            raise ValueError(f"the temperature is from 0 (the best move) to 100, got {temperature}")
        if setups not in SETUPS and not is_file(setups):
            raise ValueError(f"setups is {', '.join(SETUPS)} or a file of a trial, got '{setups}'")
        if not 0.0 <= cut <= 1.0:
            raise ValueError(f"cut is from 0 (any move may be drawn) to 1, got {cut}")
        if not 0 <= samples <= 1000:
            raise ValueError(f"samples is from 0 (no look ahead) to 1000, got {samples}")
        if not 1 <= width <= MOVES:
            raise ValueError(f"the width is at least one move, got {width}")
        if not 0.0 <= margin <= 1000.0:
            raise ValueError(f"the margin is from 0 (the best move alone) to 1000, got {margin}")
        if not 0.0 <= trust <= 1000.0:
            raise ValueError(f"trust is from 0 (in the network alone) to 1000, got {trust}")
        self.tested: TestedSetups | None = (
            None if setups in SETUPS else read_tested_setups(Path(setups))
        )
        self.setups, self.temperature, self.cut, self.mirror = setups, temperature, cut, mirror
        self.samples, self.width, self.margin, self.trust = samples, width, margin, trust
        self.weights, self.networks = weights, dict[str, ChampionNetwork]()
        self.network(FOR_RANDOM if weights == FITTING else weights)  # so that errors come now
        self.value = 0.0  # what it thought of its game at its last move, from -1 to 1
        self.history = History()

    def network(self, weights: str) -> ChampionNetwork:
        """Return the network of a name or file; it is read once."""
        if weights not in self.networks:
            self.networks[weights] = ChampionNetwork(weights_file(weights, "champion"))
        return self.networks[weights]

    def network_for(self, view: State) -> ChampionNetwork:
        """Return the network that plays: it depends on how the other side has set up."""
        if self.weights != FITTING:
            return self.network(self.weights)
        random = view.game.initial_cells[layout.ORIGIN + 1 - view.turn] == layout.RANDOM
        return self.network(FOR_RANDOM if random else FOR_BUILT)

    def weight_files(self) -> list[Path]:
        """Return the files it plays with, whichever of them fits."""
        names = (FOR_RANDOM, FOR_BUILT) if self.weights == FITTING else (self.weights,)
        return [weights_file(name, "champion") for name in names]

    @staticmethod
    def suits(game: Game) -> None:
        """Refuse other games, and boards of another size."""
        check_large_board("stratego/champion", game)

    def begin(self, game: Game, seat: int, dice: Dice) -> None:
        """Refuse what it cannot play; forget the game before."""
        self.suits(game)
        self.history = History()

    def watch(self, view: State, action: int | None) -> None:
        """Remember what happens."""
        self.history.watch(np.array(view.position), action)

    def choose(self, view: State, dice: Dice) -> int | list[int]:
        """Set up, or move."""
        position = np.array(view.position)
        if layout.setting_up(position):
            return self.choose_setup(view, dice)
        moves, logits, beliefs = self.candidates(view)
        if self.samples:
            moves, logits = self.looked_ahead(view, moves, logits, beliefs, dice)
        if self.temperature == 0.0:
            return int(moves[logits.argmax()])
        return int(moves[drawn(logits / self.temperature, dice, self.cut)])

    def analyse(self, view: State, dice: Dice) -> Analysis:
        """Return the moves it likes best, what follows them, and what it believes of pieces."""
        if layout.setting_up(np.array(view.position)):
            return Analysis(self.scale, None)
        moves, logits, beliefs = self.candidates(view)
        value = 0.5 + 0.5 * self.value
        shares = np.exp((logits - logits.max()).astype(np.float64))
        shares /= shares.sum()
        best = np.argsort(-shares, kind="stable")[:MOST_CANDIDATES]
        gains = self.values_after(view, moves[best], beliefs, ANALYSIS_SAMPLES, dice)
        # What counts is how far moves differ from the favourite, which is worth what the view is.
        chances = np.clip(value + 0.5 * (gains - gains[0]), 0.0, 1.0)
        candidates = tuple(
            Candidate((int(moves[index]),), float(chance), float(shares[index]))
            for index, chance in zip(best, chances, strict=True)
        )
        ranks = rank_chances(view, self.rank_beliefs(view, beliefs))
        return Analysis(self.scale, value, candidates, ranks)

    @staticmethod
    def has_opinion(view: State) -> bool:
        """It has none while sides are set up."""
        return not layout.setting_up(np.array(view.position))

    def turn_values(
        self, view: State, turns: Sequence[Sequence[int]], dice: Dice
    ) -> Sequence[float] | None:
        """Look ahead from moves over what it believes; its favourite is worth what the view is."""
        if not self.has_opinion(view):
            return None
        moves, logits, beliefs = self.candidates(view)
        value = 0.5 + 0.5 * self.value
        asked = np.array([moves[logits.argmax()], *(turn[0] for turn in turns)], dtype=np.int64)
        gains = self.values_after(view, asked, beliefs, ANALYSIS_SAMPLES, dice)
        chances = np.clip(value + 0.5 * (gains[1:] - gains[0]), 0.0, 1.0)
        return [float(chance) for chance in chances]

    def value_of(self, view: State, dice: Dice) -> float | None:
        """Return the chance of the mover by the network alone; None while sides are set up."""
        if layout.setting_up(np.array(view.position)):
            return None
        self.candidates(view)
        return 0.5 + 0.5 * self.value

    def choose_setup(self, view: State, dice: Dice) -> list[int]:
        """Return a set-up: in the classic game the best of some, otherwise one with a name."""
        position = np.array(view.position)
        if position[layout.DECIDED + view.turn] != 0 or position[layout.VARIANT] != layout.CLASSIC:
            return set_up(position, dice)
        if self.setups == "valued":
            setups = np.empty((DRAWN_SETUPS, SETUP_SQUARES), dtype=np.int64)
            for ranks in setups:
                draw_setup(ranks, dice.array)
            best = setups[self.worth(view, setups, dice).argmax()]
        elif self.setups == "people":
            best = np.empty(SETUP_SQUARES, dtype=np.int64)
            draw_as_people(best, dice.array)
        else:
            assert self.tested is not None
            best = self.tested.draw(dice)
        base = layout.setup_base(position)
        return [base + int(rank) for rank in best] + [base + layout.DONE]

    def worth(self, view: State, setups: NDArray[np.int64], dice: Dice) -> NDArray[np.float32]:
        """Return what the game is worth with each of these set-ups [n, 40], from -1 to 1.

        A board looks the same from both sides, so all are looked at as Red's.
        """
        game, rules = view.game, view.game.rules
        planes = np.empty((len(setups), *game.plane_shape), dtype=np.float32)
        for ranks, view_planes in zip(setups, planes, strict=True):
            position = game.empty_position()
            position[layout.ORIGIN : layout.ORIGIN + 2] = (
                layout.RANDOM
            )  # what the other one has is hidden below
            write_given_setup(position, layout.RED, ranks)
            rules.start(position, dice.array)
            rules.hide(position, layout.RED)
            rules.encode(position, layout.RED, view_planes)
        weights = FOR_BUILT if self.weights == FITTING else self.weights
        values: NDArray[np.float32] = self.network(weights).both_ways(planes).values
        return values

    def candidates(
        self, view: State
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Return the legal moves, how much the network likes each (logits), and its beliefs."""
        network = self.network_for(view)
        think = network.both_ways if self.mirror else network
        output = think(self.planes_of(view, network)[None])
        self.value = float(output.values[0])
        moves = np.flatnonzero(view.mask)
        turned = TURNED_ACTIONS[moves] if view.turn == layout.BLUE else moves
        return moves, output.moves[0, turned], output.beliefs[0]

    def planes_of(self, view: State, network: ChampionNetwork) -> NDArray[np.float32]:
        """Return what a network sees of a view, with the history if it wants that."""
        planes = view.planes()
        if not network.history:
            return planes
        history = self.history.planes(np.array(view.position), view.turn)
        return np.concatenate([planes, history])

    def rank_beliefs(self, view: State, beliefs: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return chances [rank - 1, square] of its beliefs, corrected where people set up.

        A network that has trained behind people's set-ups knows them already.
        """
        chances = believed(beliefs, view.turn)
        cells = view.game.initial_cells
        chosen = cells[layout.ORIGIN + 1 - view.turn] != layout.RANDOM
        classic = cells[layout.VARIANT] == layout.CLASSIC
        if self.network_for(view).people or not (chosen and classic):
            return chances
        return corrected(chances, np.array(view.position), view.turn)

    def looked_ahead(
        self,
        view: State,
        moves: NDArray[np.int64],
        logits: NDArray[np.float32],
        beliefs: NDArray[np.float32],
        dice: Dice,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the moves that were looked at, and how much they are liked after that."""
        best = np.argsort(-logits, kind="stable")[: self.width]
        best = best[logits[best] >= logits[best[0]] - self.margin]
        moves, logits = moves[best], logits[best]
        if len(moves) == 1:
            return moves, logits
        values = self.values_after(view, moves, beliefs, self.samples, dice)
        return moves, logits + np.float32(self.trust) * values.astype(np.float32)

    def values_after(
        self,
        view: State,
        moves: NDArray[np.int64],
        beliefs: NDArray[np.float32],
        samples: int,
        dice: Dice,
    ) -> NDArray[np.float64]:
        """Return what its game is worth after each of these moves and the answer: means."""
        seat, position = view.turn, np.array(view.position)
        rows, network = samples * len(moves), self.network_for(view)
        after = np.empty((rows, len(position)), dtype=np.int16)
        planes = np.empty((rows, *view.game.plane_shape), dtype=np.float32)
        values = np.empty(rows)
        chances = self.rank_beliefs(view, beliefs)
        look_ahead(position, seat, chances, moves, dice.array, after, planes, values)
        going = np.isnan(values)
        if going.any():
            logits = np.zeros((rows, MOVES), dtype=np.float32)
            logits[going] = network(planes[going]).moves
            play_likeliest(after, seat, 1 - seat, logits, dice.array, planes, values)
        going = np.isnan(values)
        if going.any():
            values[going] = network(planes[going]).values
        means: NDArray[np.float64] = values.reshape(samples, len(moves)).mean(axis=0)
        return means


def drawn(logits: NDArray[np.float32], dice: Dice, cut: float = 0.0) -> int:
    """Draw one of these, the likelier the higher its logit; those below the cut never."""
    chances = np.exp((logits - logits.max()).astype(np.float64))
    chances[chances < cut] = 0.0
    place = below(dice.array, 1 << 30) / float(1 << 30) * chances.sum()
    return int(min(np.searchsorted(np.cumsum(chances), place, side="right"), len(logits) - 1))


def rank_chances(view: State, chances: NDArray[np.float32]) -> dict[str, dict[str, float]]:
    """Return how likely each rank is for every piece that the mover does not know."""
    side = view.game.board_shape[0]
    beliefs = {}
    for piece in pieces_on(view.position).values():
        if piece.rank == layout.UNKNOWN:
            likely = chances[:, piece.square]
            ranks = {
                layout.RANK_LETTERS[layout.SPY + index]: float(likely[index])
                for index in range(layout.RANKS - 1)
            }
            beliefs[layout.square_name(piece.square, side)] = ranks
    return beliefs
