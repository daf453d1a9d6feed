"""The games of Stratego's champion against itself and others, and what every move was worth.

Thousands of games go on side by side; a round plays some moves in each. Seats alternate, so what
follows for a player from its move comes two moves later: rewards and values are put together along
every second move.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sandtable.batch import Batch
from sandtable.compiled import kernel
from sandtable.dice import below
from sandtable.games.stratego import layout
from sandtable.games.stratego.agents.champion.history import (
    HISTORY_CELLS,
    SWITCHED_OFF,
    remember_all,
)
from sandtable.games.stratego.agents.champion.setups import (
    SETUP_SQUARES,
    draw_setup,
    write_given_setup,
)
from sandtable.games.stratego.agents.people_setups import draw_as_people, draw_trap
from sandtable.games.stratego.agents.square_codes import TURNED_ACTIONS
from sandtable.games.stratego.game import stratego
from sandtable.games.stratego.learning.champion.config import ChampionConfig
from sandtable.games.stratego.learning.champion.network import (
    MOVES,
    ChampionModel,
    StrategoPlanes,
    kept_cells,
)
from sandtable.games.stratego.learning.champion.rivals import Opponent, Opponents, Player, Workers
from sandtable.games.stratego.rules.kernels import start
from sandtable.types import Game

__all__ = ["Played", "SelfPlay", "advantages", "training_game", "worth_of_armies"]

AHEAD = 2  # moves played beyond a round, to see what follows from its last ones
# What a piece is worth in the reward for material: spy, 2 to 10, bomb, flag (its loss is the end).
WORTH = np.array([0, 2, 1, 3, 1, 1.5, 2, 3, 4.5, 6, 8, 1.5, 0])
WORTH /= (layout.PIECE_COUNTS[layout.CLASSIC] * WORTH).sum()
GATHER, LAST_BYTE = np.uint64(0x0102040810204080), np.uint64(56)  # bits of eight bytes into one


# Random set-ups (flag on the back row, all else anywhere) are what a game begins with by default,
# and a player that has seen no others is helpless before a flag behind bombs.
EIGHTHS = 8  # of all set-ups: one has a name, three look thought about, four are random
NAMED_EIGHTHS, BUILT_EIGHTHS = 1, 3
# With ``people_setups``: one has a name, one looks thought about, one is random, two are traps.
TRAP_EIGHTHS, PEOPLE_EIGHTHS = 2, 3
LOOSE_EIGHTHS, LOOSE_LIMIT = 2, 1000  # of all games with ``loose_rules``: two squares for so long
FORGETFUL = 9  # every ninth row has no history, as whoever is asked about a position has none


class Played(NamedTuple):
    """The moves of a round [step, row], and what is known after them."""

    positions: Tensor  # int16 [step, row, KEPT_CELLS] and histories, see kept_cells
    seats: Tensor  # int8, of the mover
    masks: Tensor  # uint8 [step, row, bytes] a bit for each legal move
    actions: Tensor  # int64, on the board as the mover sees it
    chances: Tensor  # log of the chance of the move
    values: Tensor  # what the mover expected
    own: Tensor  # bool: the learner moved, not an older self or a rival
    advantages: Tensor
    returns: Tensor


@kernel
def worth_of_armies(positions: NDArray[np.int16], shares: NDArray[np.float32]) -> None:
    """Write the worth of both armies [n, 2], each as a share of the whole one at the beginning."""
    for row in range(len(positions)):
        for seat in range(2):
            total = 0.0
            for rank in range(layout.RANKS):
                total += positions[row, layout.ALIVE + seat * layout.RANKS + rank] * WORTH[rank]
            shares[row, seat] = total


@kernel
def pack(words: NDArray[np.uint64], packed: NDArray[np.uint8]) -> None:
    """Turn words of eight marks, a byte each, into bytes with a bit each, the first one lowest."""
    for row in range(len(words)):
        for word in range(words.shape[1]):
            packed[row, word] = (words[row, word] * GATHER) >> LAST_BYTE


def unpack(packed: Tensor) -> Tensor:
    """Return the marks [n, 8 * bytes] of packed bytes [n, bytes]."""
    bits = torch.arange(8, dtype=torch.uint8, device=packed.device)
    marks: Tensor = (packed[:, :, None] >> bits) & 1
    return marks.flatten(1).bool()


# --- how games begin ------------------------------------------------------------------------------


@kernel
def start_varied(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Begin a game with set-ups of all three kinds, each side for itself."""
    ranks = np.empty(SETUP_SQUARES, dtype=np.int64)
    for seat in range(2):
        kind = below(dice, EIGHTHS)
        position[layout.ORIGIN + seat] = layout.RANDOM
        if kind < NAMED_EIGHTHS:
            position[layout.ORIGIN + seat] = layout.ANY_NAMED
        elif kind < NAMED_EIGHTHS + BUILT_EIGHTHS:
            draw_setup(ranks, dice)
            write_given_setup(position, seat, ranks)
    start(position, dice)


@kernel
def start_as_people(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Begin a game with set-ups mostly as people make them, each side for itself."""
    ranks = np.empty(SETUP_SQUARES, dtype=np.int64)
    for seat in range(2):
        kind = below(dice, EIGHTHS)
        position[layout.ORIGIN + seat] = layout.RANDOM
        if kind < TRAP_EIGHTHS:
            draw_trap(ranks, dice)
            write_given_setup(position, seat, ranks)
        elif kind < TRAP_EIGHTHS + PEOPLE_EIGHTHS:
            draw_as_people(ranks, dice)
            write_given_setup(position, seat, ranks)
        elif kind < EIGHTHS - 2:
            draw_setup(ranks, dice)
            write_given_setup(position, seat, ranks)
        elif kind < EIGHTHS - 1:
            position[layout.ORIGIN + seat] = layout.ANY_NAMED
    start(position, dice)


@kernel
def start_loosely(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Begin a game with set-ups mostly as people make them, some without rules of repetition.

    Where nothing forbids an endless dance a player has to leave it by itself.
    """
    if below(dice, EIGHTHS) < LOOSE_EIGHTHS:
        position[layout.TWO_SQUARES] = LOOSE_LIMIT
        position[layout.MORE_SQUARES] = 0
    start_as_people(position, dice)


@kernel
def start_any_variant(position: NDArray[np.int16], dice: NDArray[np.uint64]) -> None:
    """Begin a game as above, or every eighth time one of barrage or duel."""
    if below(dice, EIGHTHS) > 0:
        start_loosely(position, dice)
        return
    position[layout.VARIANT] = layout.BARRAGE if below(dice, 2) == 0 else layout.DUEL
    for seat in range(2):
        named = below(dice, 2) == 0
        position[layout.ORIGIN + seat] = layout.ANY_NAMED if named else layout.RANDOM
    start(position, dice)


def training_game(
    long_scouts: bool,
    varied: bool,
    people: bool = False,
    loose: bool = False,
    variants: bool = False,
) -> Game:
    """Return classic Stratego, with random set-ups alone or with all kinds of them."""
    game = stratego(long_scouts=long_scouts)
    if not varied:
        return game
    begin = start_varied
    if people:
        begin = start_loosely if loose else start_as_people
    if variants:
        begin = start_any_variant
    return dataclasses.replace(game, rules=dataclasses.replace(game.rules, start=begin))


# --- the games ------------------------------------------------------------------------------------


class SelfPlay:
    """The games, between two networks that may be the same; ``number`` is the round to come."""

    def __init__(
        self, config: ChampionConfig, device: torch.device, threads: int, number: int = 0
    ) -> None:
        self.config, self.device, self.threads = config, device, threads
        self.varied = config.in_round(number).varied_setups
        self.batch = self.make_batch()
        self.planes = StrategoPlanes(self.batch.game.empty_position(), device)
        self.turned = torch.from_numpy(TURNED_ACTIONS).to(device)
        self.opponents = Opponents(config, device, threads)
        self.worth = np.zeros((2, config.rows, 2), dtype=np.float32)  # before and after a move
        self.packed = np.zeros(self.batch.words.shape, dtype=np.uint8)
        self.histories = np.zeros((config.rows, HISTORY_CELLS), dtype=np.int16)
        self.histories[::FORGETFUL, SWITCHED_OFF] = 1
        self.workers = Workers(threads)
        self.results = np.zeros(3)  # wins of Red, draws and wins of Blue since they were reported
        self.against = {name: np.zeros(2) for name in self.opponents.players}  # points, games

    def make_batch(self) -> Batch:
        """Return games that begin as those of this round do."""
        config = self.config
        kinds = self.varied, config.people_setups, config.loose_rules, config.other_variants
        game = training_game(config.long_scouts, *kinds)
        return Batch(
            game,
            config.rows,
            config.seed,
            threads=self.threads,
            auto_reset=True,
            observe=False,
            frame="board",
        )

    def begin_round(self, number: int) -> list[Opponent]:
        """Let games begin anew as they do in this round; return the others who play in it."""
        if self.varied != self.config.in_round(number).varied_setups:
            self.varied = not self.varied
            saved, self.batch = self.batch.saved(), self.make_batch()
            self.batch.restore(saved)  # the games that go on
        return self.opponents.in_round(number)

    def state(self) -> tuple[Tensor, Tensor, Tensor]:
        """Return positions, seats to move and packed legal moves."""
        pack(self.batch.words, self.packed)
        histories = self.histories if self.config.history else None
        positions = kept_cells(self.batch.positions, histories)
        arrays = (positions, self.batch.turns.astype(np.int8), self.packed)
        on_device = [torch.from_numpy(array).to(self.device, copy=True) for array in arrays]
        return on_device[0], on_device[1], on_device[2]

    def turned_masks(self, packed: Tensor, seats: Tensor) -> Tensor:
        """Return the legal moves [n, MOVES] as the movers see the board."""
        masks = unpack(packed)[:, :MOVES]
        return torch.where((seats == layout.RED)[:, None], masks, masks[:, self.turned])

    def play(self, model: ChampionModel, past: ChampionModel, number: int) -> Played:
        """Play a round of this number, and the two moves beyond it."""
        opponents = self.begin_round(number)
        config, batch = self.config, self.batch
        dice = torch.Generator(self.device)
        dice.manual_seed(config.seed * 1_000_003 + number)
        kept: list[tuple[Tensor, ...]] = []
        rewards = np.zeros((config.steps + AHEAD, config.rows, 2), dtype=np.float32)
        ended = np.zeros((config.steps + AHEAD, config.rows), dtype=np.bool_)
        for step in range(config.steps + AHEAD):
            positions, seats, masks = self.state()
            worth_of_armies(batch.positions, self.worth[0])
            own = torch.ones(config.rows, dtype=torch.bool, device=self.device)
            resting = torch.zeros(config.rows, dtype=torch.bool, device=self.device)
            for opponent in opponents:
                if opponent.rival is None:
                    own &= opponent.where != seats
                else:
                    resting |= opponent.where == seats
            actions, chances, values = self.choose(
                model, past, positions, seats, masks, own, resting, dice
            )
            for opponent in opponents:
                if opponent.rival is not None:
                    own &= self.rival_moves(opponent.rival, opponent.where == seats, actions, dice)
            kept.append((positions, seats, masks, actions, chances, values, own))
            real = torch.where(seats == layout.RED, actions, self.turned[actions])
            played = real.cpu().numpy()
            batch.step(played)
            self.remember(played)
            ended[step] = batch.over
            rewards[step] = self.rewards(config.material_in(number))
            self.count_results(opponents)
        return self.judged(kept, rewards, ended, config.in_round(number).trace)

    def choose(
        self,
        model: ChampionModel,
        past: ChampionModel,
        positions: Tensor,
        seats: Tensor,
        masks: Tensor,
        own: Tensor,
        resting: Tensor,
        dice: torch.Generator,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Draw a move in every row; also return the logs of their chances, and the values.

        In resting rows somebody else moves, so the networks are not asked there.
        """
        logits = torch.zeros((len(own), MOVES), device=self.device)
        values = torch.zeros(len(own), device=self.device)
        for network, asked in ((model, own & ~resting), (past, ~own)):
            rows = asked.nonzero().squeeze(1)
            if len(rows):
                planes = self.planes(positions[rows], seats[rows])
                logits[rows], values[rows] = network_output(
                    network, planes, self.config.sixteen_bits
                )
        logits = logits.masked_fill(~self.turned_masks(masks, seats), -torch.inf)
        noise = torch.rand(logits.shape, generator=dice, device=self.device).clamp_(1e-10, 1.0)
        actions = (logits - torch.log(-torch.log(noise) + 1e-20)).argmax(1)
        chances = torch.log_softmax(logits, 1).gather(1, actions[:, None]).squeeze(1)
        return actions, chances, values

    def rival_moves(
        self, rival: Player, others: Tensor, actions: Tensor, dice: torch.Generator
    ) -> Tensor:
        """Let a rival move where it is its turn; return where it is not."""
        rows = others.nonzero().squeeze(1)
        if len(rows):
            where = rows.cpu().numpy()
            batch = self.batch
            chosen = rival.choose(batch.positions[where], batch.turns[where], where, dice)
            actions[rows] = torch.from_numpy(chosen).to(self.device)
        return ~others

    def remember(self, played: NDArray[np.int64]) -> None:
        """Take what was played into the histories of the games."""
        if not self.config.history:
            return
        batch, histories = self.batch, self.histories

        def part(_: int, first: int, end: int) -> None:
            some = slice(first, end)
            remember_all(histories[some], batch.positions[some], played[some], batch.over[some])

        self.workers.share(len(played), part)
        histories[::FORGETFUL, SWITCHED_OFF] = 1

    def remembered(self) -> dict[str, NDArray[np.int16]]:
        """Return what a checkpoint needs of the histories."""
        return {"histories": self.histories.copy()} if self.config.history else {}

    def remember_again(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go back to the histories of a checkpoint."""
        if self.config.history:
            self.histories[:] = arrays["histories"]

    def rewards(self, material: float) -> NDArray[np.float32]:
        """Return what the last move brought both seats [row, 2]: material, or the end of a game."""
        batch = self.batch
        worth_of_armies(batch.positions, self.worth[1])
        change = self.worth[1] - self.worth[0]
        made: NDArray[np.float32] = np.float32(material) * (change - change[:, ::-1])
        over = batch.over
        if over.any():
            scores = batch.scores[over].astype(np.float32)
            drawn = scores[:, 0] == 0
            made[over] = np.where(drawn[:, None], self.config.draw, scores)
        return made

    def count_results(self, opponents: list[Opponent]) -> None:
        """Count the games that ended with the last move, and how the learner did in them."""
        over = self.batch.over
        scores = self.batch.scores
        red = scores[over, 0]
        self.results += [(red > 0).sum(), (red == 0).sum(), (red < 0).sum()]
        for opponent in opponents:
            rows = np.flatnonzero(over & (opponent.seats >= 0))
            if len(rows):
                own = scores[rows, 1 - opponent.seats[rows]]
                self.against[opponent.name] += [((own + 1) / 2).sum(), len(rows)]

    def judged(
        self,
        kept: list[tuple[Tensor, ...]],
        rewards: NDArray[np.float32],
        ended: NDArray[np.bool_],
        trace: float,
    ) -> Played:
        """Put together what was played, without the moves beyond the round."""
        columns = [torch.stack(column) for column in zip(*kept, strict=True)]
        seats, values, steps = columns[1], columns[5], self.config.steps
        gains = advantages(
            torch.from_numpy(rewards).to(self.device),
            torch.from_numpy(ended).to(self.device),
            seats,
            values,
            self.config.horizon,
            trace,
        )
        parts = [column[:steps] for column in columns]
        return Played._make([*parts, gains, gains + values[:steps]])


def network_output(
    model: ChampionModel, planes: Tensor, sixteen_bits: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the logits of all moves and the values, in 32 bits."""
    half = planes.is_cuda or sixteen_bits
    with torch.no_grad(), torch.autocast(planes.device.type, torch.bfloat16, half):
        planes = planes.contiguous(memory_format=torch.channels_last)
        logits, values, _ = model(planes)
    return logits.float(), values.float()


def advantages(
    rewards: Tensor, ended: Tensor, seats: Tensor, values: Tensor, horizon: float, trace: float
) -> Tensor:
    """Return how much better every move of a round was than its player had expected.

    ``rewards`` [step, row, seat] and ``ended`` [step, row] tell what each move led to; the mover
    moves again two steps later, unless the game ends at its own move or at the answer.
    """
    steps = len(values) - AHEAD
    gains = torch.zeros_like(values)
    for step in range(steps - 1, -1, -1):
        mover = seats[step].long()[:, None]
        reward = rewards[step].gather(1, mover).squeeze(1)
        answer = rewards[step + 1].gather(1, mover).squeeze(1)
        goes_on = ~ended[step]
        reward = reward + goes_on * answer
        goes_on = goes_on & ~ended[step + 1]
        later = goes_on * horizon
        surprise = reward + later * values[step + AHEAD] - values[step]
        gains[step] = surprise + later * trace * gains[step + AHEAD]
    return gains[:steps]
