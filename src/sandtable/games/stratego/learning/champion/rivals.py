"""Who plays against Stratego's champion in training: older selves, networks, scripted players.

A player that only meets itself learns to beat players like itself. The move network of the 2015
paper comes from another school: it imitates Monte Carlo, and attacks far more. The scripted players
are of other schools again, and strangers mix the weights of two of them anew every few rounds, so
that no school can be learned by heart.

The searcher is stratego/value itself with fewer samples: the kernels of its search, one memory for
every game in which it is to move. All searches go on side by side until each has named the boards
it wants to know; these are valued together on the device, and the searches go on. The few that are
not done after some such runs play the move that is best so far.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from llvmlite import ir  # comes with Numba, which is built on it
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray
from torch import Tensor

from sandtable.compiled import copy_cells, kernel
from sandtable.games.stratego.agents.policy.agent import likeliest
from sandtable.games.stratego.agents.policy.progress import no_target_distances
from sandtable.games.stratego.agents.schools.acting import School, act
from sandtable.games.stratego.agents.schools.agent import SCHOOLS
from sandtable.games.stratego.agents.square_codes import MOVES, TURNED_ACTIONS, write_codes
from sandtable.games.stratego.agents.value.agent import Value
from sandtable.games.stratego.agents.value.search import Search, prepare, run, supply
from sandtable.games.stratego.layout import RED, SQUARES, as_int64
from sandtable.games.stratego.learning import networks
from sandtable.games.stratego.learning.champion.config import ChampionConfig
from sandtable.games.stratego.rules.kernels import guess, hide

__all__ = ["Opponent", "Opponents", "Player", "Rival", "Scripted", "Searchers"]

HASTE = 8.0  # of stratego/policy
HEAT = 0.3  # how far chance changes the logits, so that the same board is played in several ways
SEARCHER_SAMPLES = 4  # the agent has 16; in training there are more games instead
RUNS = 6  # of a search; six in seven need no more, and all would wait for the last
HIGHEST_KEY = 1 << 62
# Names in a log, beside those of the schools.
PAST, RIVAL, SEARCHER, STRANGER = "past", "rival", "searcher", "stranger"
STRANGER_ROUNDS = 25  # after so many rounds the strangers are others; a game takes about ten
STRETCH = 0.4  # standard deviation of the logarithm by which their weights are stretched
RANK_FIELDS = ("chasers", "probers")  # of a school: ranks, not weights


# --- the move network ----------------------------------------------------------------------------


@kernel
def write_all_codes(
    positions: NDArray[np.int16], seats: NDArray[np.int64], codes: NDArray[np.uint8]
) -> None:
    """Write what the movers [n] see into codes [n, 100]."""
    for row in range(len(positions)):
        write_codes(positions[row], seats[row], False, codes[row])


@kernel
def choose_all(
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    logits: NDArray[np.float32],
    haste: float,
    target_distances: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> None:
    """Write the likeliest legal moves [n], as the movers see their boards."""
    for row in range(len(positions)):
        action = likeliest(
            positions[row], seats[row], logits[row : row + 1], haste, target_distances
        )
        actions[row] = action if seats[row] == RED else TURNED_ACTIONS[action]


class Workers:
    """Threads that share loops over rows, which run without Python's lock."""

    def __init__(self, threads: int) -> None:
        self.threads, self.pool = threads, ThreadPoolExecutor(threads)

    def share(self, rows: int, part: Callable[[int, int, int], Any]) -> None:
        """Call ``part`` for each thread: its number, its first row, and the one after its last."""
        ends = [rows * number // self.threads for number in range(self.threads + 1)]
        bounds = [(number, *pair) for number, pair in enumerate(pairwise(ends))]
        for future in [self.pool.submit(part, *rows_of_one) for rows_of_one in bounds]:
            future.result()


class Rival:
    """The move network, on the device; what is left to the processor is shared by threads."""

    def __init__(self, weights: str, device: torch.device, threads: int = 1) -> None:
        self.device = device
        network = networks.read_network("policy", weights)
        assert isinstance(network, networks.MoveNetwork)
        self.network = network.to(device).eval()
        self.table = networks.code_table(device)
        self.target_distances = [no_target_distances() for _ in range(threads)]
        self.workers = Workers(threads)

    def choose(
        self,
        positions: NDArray[np.int16],
        seats: NDArray[np.int64],
        rows: NDArray[np.int64],
        dice: torch.Generator,
    ) -> NDArray[np.int64]:
        """Return a move for every position [n, POSITION_SIZE], as its mover sees the board."""
        codes = np.empty((len(positions), SQUARES), dtype=np.uint8)
        write_all_codes(positions, seats, codes)
        with torch.no_grad():
            logits = networks.answers(self.network, codes, self.table)
            chance = torch.rand(len(codes), MOVES, generator=dice, device=self.device)
            logits -= HEAT * torch.log(-torch.log(chance.clamp_(1e-10, 1.0)) + 1e-20)
        actions = np.empty(len(positions), dtype=np.int64)
        self.take_likeliest(positions, seats, logits.cpu().numpy(), actions)
        return actions

    def take_likeliest(
        self,
        positions: NDArray[np.int16],
        seats: NDArray[np.int64],
        logits: NDArray[np.float32],
        actions: NDArray[np.int64],
    ) -> None:
        """Write the moves of all rows, every thread those of its own part."""

        def part(number: int, first: int, end: int) -> None:
            rows = slice(first, end)
            given = positions[rows], seats[rows], logits[rows]
            choose_all(*given, HASTE, self.target_distances[number], actions[rows])

        self.workers.share(len(positions), part)


# --- the searcher ---------------------------------------------------------------------------------


def build_borrowed(typing: Any, array: Any) -> Any:
    """Return an array as one that somebody else keeps in memory.

    Numba counts who uses an array, in a number that all its slices share. Threads that search side
    by side in slices of the same arrays would have to wait for each other at every count.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        copy = arrayobj.make_array(signature.return_type)(context, builder, arguments[0])
        copy.meminfo = copy.parent = ir.Constant(ir.IntType(8).as_pointer(), None)
        return copy._getvalue()

    return array(array), build


borrowed: Any = intrinsic(build_borrowed)


@kernel
def one_of(searches: Search, place: int) -> Search:
    """Return the memory of one search out of those of many, whose arrays have one more axis."""
    return Search(
        borrowed(searches.samples)[place],
        borrowed(searches.positions)[place],
        borrowed(searches.moves)[place],
        borrowed(searches.bounds)[place],
        borrowed(searches.means)[place],
        borrowed(searches.keys)[place],
        borrowed(searches.values)[place],
        borrowed(searches.known)[place],
        borrowed(searches.wanted)[place],
        borrowed(searches.entries)[place],
        borrowed(searches.codes)[place],
        borrowed(searches.nodes)[place],
        borrowed(searches.controls)[place],
        borrowed(searches.target_distances)[place],
        borrowed(searches.nudges)[place],
    )


@kernel
def begin_some(
    searches: Search,
    first: int,
    end: int,
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    dice: NDArray[np.uint64],
    depth: int,
    attacks: int,
) -> None:
    """Draw samples for some searches from what the movers [n] see, and run each once."""
    for place in range(first, end):
        search, seat = one_of(searches, place), as_int64(seats[place])
        samples = search.samples
        for number in range(len(samples)):
            copy_cells(positions[place], samples[number])
            hide(samples[number], seat)
            guess(samples[number], seat, dice[place])
        prepare(search, seat, len(samples), depth, attacks, as_int64(0))
        run(search)


@kernel
def go_on_with_some(
    searches: Search,
    first: int,
    end: int,
    places: NDArray[np.int64],
    values: NDArray[np.float32],
) -> None:
    """Give some searches the values they want, those from ``places`` [n + 1] on, and run them."""
    for place in range(first, end):
        if places[place + 1] > places[place]:
            search = one_of(searches, place)
            supply(search, values[places[place] : places[place + 1]])
            run(search)


@kernel
def collect(searches: Search, places: NDArray[np.int64], codes: NDArray[np.uint8]) -> None:
    """Write all boards that are wanted, one search behind the other."""
    for place in range(len(places) - 1):
        for board in range(places[place + 1] - places[place]):
            copy_cells(searches.wanted[place, board], codes[places[place] + board])


class Searchers:
    """Value players side by side, their network on the device."""

    def __init__(
        self, weights: str, device: torch.device, rows: int, threads: int = 1, runs: int = RUNS
    ) -> None:
        self.agent, self.rows, self.runs = (
            Value(weights=weights, samples=SEARCHER_SAMPLES),
            rows,
            runs,
        )
        network = networks.read_network("value", weights)
        assert isinstance(network, networks.ValueNetwork)
        self.device, self.network = device, network.to(device).eval()
        self.table = networks.code_table(device)
        self.workers = Workers(threads)

    @cached_property
    def searches(self) -> Search:
        """The memories, more than a megabyte each, once the rival is to move."""
        fields: list[Any] = [np.stack([field] * self.rows) for field in self.agent.search]
        return Search(*fields)

    def choose(
        self,
        positions: NDArray[np.int16],
        seats: NDArray[np.int64],
        rows: NDArray[np.int64],
        dice: torch.Generator,
    ) -> NDArray[np.int64]:
        """Return a move for every position [n, POSITION_SIZE], as its mover sees the board."""
        count = len(positions)
        keys = torch.randint(HIGHEST_KEY, (count,), generator=dice, device=self.device)
        streams = np.zeros((count, 4), dtype=np.uint64)
        streams[:, 0] = keys.cpu().numpy()
        plies = self.agent.depth, self.agent.attacks
        controls = self.searches.controls[:count, 0]  # made here: threads would each make their own
        self.share(count, begin_some, positions, seats, streams, *plies)
        for _ in range(1, self.runs):
            if not controls["wanted"].any():
                break
            places = np.concatenate([[0], np.cumsum(controls["wanted"])])
            codes = np.empty((places[-1], SQUARES), dtype=np.uint8)
            collect(self.searches, places, codes)
            values = networks.answers(self.network, codes, self.table).cpu().numpy()
            self.share(count, go_on_with_some, places, values)
        chosen = self.searches.moves[np.arange(count), 0, controls["choice"]].astype(np.int64)
        actions: NDArray[np.int64] = np.where(seats == RED, chosen, TURNED_ACTIONS[chosen])
        return actions

    def share(self, count: int, loop: Any, *arguments: Any) -> None:
        """Run a loop over the first searches, every thread its own part of them."""
        searches = self.searches
        self.workers.share(count, lambda _, first, end: loop(searches, first, end, *arguments))


# --- the scripted players ------------------------------------------------------------------------


@kernel
def act_all(
    positions: NDArray[np.int16],
    seats: NDArray[np.int64],
    streams: NDArray[np.uint64],
    weights: NDArray[np.float64],
    moves: NDArray[np.int64],
) -> None:
    """Write the moves [n] of schools with these weights [n, 13], as the movers see their boards."""
    view = np.empty_like(positions[0])
    memory, actions = np.zeros(1, dtype=np.int64), np.zeros(SQUARES, dtype=np.int16)
    for row in range(len(positions)):
        copy_cells(positions[row], view)
        hide(view, seats[row])
        act(view, streams[row], memory, school_of(weights[row]), actions)
        action = as_int64(actions[0])
        moves[row] = action if seats[row] == RED else TURNED_ACTIONS[action]


@kernel
def school_of(weights: NDArray[np.float64]) -> School:
    """Return a school with these weights, in the order of its fields."""
    return School(
        weights[0],
        weights[1],
        weights[2],
        weights[3],
        weights[4],
        weights[5],
        weights[6],
        weights[7],
        weights[8],
        weights[9],
        weights[10],
        weights[11],
        weights[12],
    )


class Scripted:
    """A scripted player in many games, or with ``weights`` [row, 13] another one in each row."""

    def __init__(self, weights: NDArray[np.float64], threads: int = 1) -> None:
        self.weights, self.workers = weights, Workers(threads)

    def choose(
        self,
        positions: NDArray[np.int16],
        seats: NDArray[np.int64],
        rows: NDArray[np.int64],
        dice: torch.Generator,
    ) -> NDArray[np.int64]:
        """Return a move for every position [n, POSITION_SIZE], as its mover sees the board."""
        count = len(positions)
        keys = torch.randint(HIGHEST_KEY, (count,), generator=dice, device=dice.device)
        streams = np.zeros((count, 4), dtype=np.uint64)
        streams[:, 0] = keys.cpu().numpy()
        moves = np.empty(count, dtype=np.int64)
        weights = self.weights[rows]

        def part(_: int, first: int, end: int) -> None:
            some = slice(first, end)
            if first < end:
                act_all(positions[some], seats[some], streams[some], weights[some], moves[some])

        self.workers.share(count, part)
        return moves


def strangers(rows: int, seed: int, number: int) -> NDArray[np.float64]:
    """Return the weights [rows, 13] of scripted players that nobody has met, for some rounds.

    Each is a mixture of two schools, all that it cares for stretched or shrunk by chance.
    """
    dice = np.random.default_rng([seed, number // STRANGER_ROUNDS, rows])
    known = np.array([player.school for player in SCHOOLS.values()], dtype=np.float64)
    first, second = known[dice.integers(len(known), size=(2, rows))]
    share = dice.random((rows, 1))
    mixed = share * first + (1.0 - share) * second
    cares = np.array([field not in RANK_FIELDS for field in School._fields])
    stretched = np.exp(STRETCH * dice.standard_normal(mixed.shape))
    weights: NDArray[np.float64] = np.where(cares, mixed * stretched, np.round(mixed))
    return weights


# --- who plays against the learner ----------------------------------------------------------------


Player: TypeAlias = Rival | Searchers | Scripted


class Opponent(NamedTuple):
    """Somebody who plays one side of some games of a round, instead of the learner."""

    name: str
    seats: NDArray[np.int64]  # by row: the seat it has, or -1 where it does not play
    where: Tensor  # the same on the device
    rival: Player | None  # none: an older self


class Opponents:
    """All who ever play in a run; in a round each kind has rows of its own."""

    def __init__(self, config: ChampionConfig, device: torch.device, threads: int) -> None:
        self.config, self.device = config, device
        stages = [config, *(config.in_round(stage.first_round) for stage in config.stages)]
        most: dict[str, int] = {}
        for rows in map(opponent_rows, stages):
            for name, count in rows.items():
                most[name] = max(most.get(name, 0), count)
        self.players: dict[str, Player | None] = {
            name: self.make_player(name, count, threads) for name, count in most.items() if count
        }

    def make_player(self, name: str, rows: int, threads: int) -> Player | None:
        """Return who plays under a name in so many rows."""
        if name == PAST:
            return None
        if name == RIVAL:
            return Rival(self.config.rival, self.device, threads)
        if name == SEARCHER:
            return Searchers(self.config.searcher, self.device, rows, threads)
        everywhere = self.config.rows
        if name == STRANGER:
            return Scripted(strangers(everywhere, self.config.seed, 0), threads)
        school = SCHOOLS[f"stratego/{name}"].school
        return Scripted(np.tile(np.array(school, dtype=np.float64), (everywhere, 1)), threads)

    def in_round(self, number: int) -> list[Opponent]:
        """Return who plays in a round, and where."""
        rows, first, opponents = np.arange(self.config.rows), 0, []
        unknown = self.players.get(STRANGER)
        if isinstance(unknown, Scripted):
            unknown.weights = strangers(self.config.rows, self.config.seed, number)
        for name, count in opponent_rows(self.config.in_round(number)).items():
            if count:
                seats = np.where((rows >= first) & (rows < first + count), rows % 2, -1)
                where = torch.from_numpy(seats).to(self.device)
                opponents.append(Opponent(name, seats, where, self.players[name]))
            first += count
        return opponents


def opponent_rows(config: ChampionConfig) -> dict[str, int]:
    """Return in how many rows each of the others plays."""
    shares = {PAST: config.past_share, RIVAL: config.rival_share, SEARCHER: config.searcher_share}
    each = config.school_share / len(SCHOOLS)
    shares |= {name.split("/")[1]: each for name in SCHOOLS}
    shares[STRANGER] = config.stranger_share
    return {name: round(config.rows * share) for name, share in shares.items()}
