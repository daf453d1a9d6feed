"""The network of Stratego's champion: moves, the value of the game, and what hidden pieces are.

Its input are the richer planes of the game, made from positions on the device that learns: a
position is a twentieth of its planes, so it is positions that are kept and moved about. The numbers
are those of the kernel ``games.stratego.planes.encode``, which a test compares.

Residual blocks over the 10 by 10 board, every one with a look at the whole board (the mean of its
channels), since armies are counted and not only seen. There is no normalisation: the second
convolution of a block begins at zero, so that at first the blocks are not there at all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sandtable.errors import SandtableError
from sandtable.games.stratego import layout, planes
from sandtable.games.stratego.agents.champion import history as remembered
from sandtable.games.stratego.agents.champion.agent import ChampionNetwork
from sandtable.games.stratego.learning.networks import WAY_OF_MOVE, WAYS
from sandtable.learning.checkpoints import make_folder, write_whole
from sandtable.learning.graphs import Graph, checked_difference, onnx_library

__all__ = [
    "KEPT_CELLS",
    "ChampionModel",
    "StrategoPlanes",
    "export_onnx",
    "grown",
    "input_planes",
    "kept_cells",
    "move_places",
    "new_model",
    "read_champion",
]

PLANES = len(planes.PLANE_NAMES)
HISTORY_PLANES = len(remembered.HISTORY_PLANE_NAMES)
# All that planes are made of: the beginning of a position, and last its limit of two squares.
LIMIT_CELL = layout.TRAIL
KEPT_CELLS = LIMIT_CELL + 1
SIDE, SQUARES, RANKS = layout.SIDE, layout.SQUARES, layout.RANKS
BELIEFS = RANKS - 1  # channels of the ranks a hidden piece may have
VALUE_CHANNELS, VALUE_HIDDEN = 8, 64
MOVES = layout.first_setup_action(SIDE)
ARRAYS_IN_BLOCK, ARRAYS_BESIDE_BLOCKS = 6, 12  # weights and biases in a file


def kept_cells(
    positions: NDArray[np.int16], histories: NDArray[np.int16] | None = None
) -> NDArray[np.int16]:
    """Return those cells [n, KEPT_CELLS] of positions that planes are made of, then histories.

    >>> kept_cells(np.zeros((2, layout.POSITION_SIZE), dtype=np.int16)).shape == (2, KEPT_CELLS)
    True
    """
    behind = 0 if histories is None else histories.shape[1]
    kept = np.empty((len(positions), KEPT_CELLS + behind), dtype=np.int16)
    kept[:, :LIMIT_CELL] = positions[:, :LIMIT_CELL]
    kept[:, LIMIT_CELL] = positions[:, layout.TWO_SQUARES]
    if histories is not None:
        kept[:, KEPT_CELLS:] = histories
    return kept


class StrategoPlanes:
    """Makes planes on the large board; the options of the game count, so they are given here."""

    def __init__(self, blank: NDArray[np.int16], device: torch.device) -> None:
        self.device = device
        self.no_attack = int(blank[layout.NO_ATTACK])
        self.lakes = torch.zeros(SQUARES, device=device)
        self.lakes[list(layout.LAKES)] = 1.0
        ranks = torch.arange(RANKS, device=device)
        self.movable = ((ranks >= layout.SPY) & (ranks <= layout.MARSHAL)).float()
        self.fixed = ((ranks == layout.BOMB) | (ranks == layout.FLAG)).float()
        self.most = torch.from_numpy(remembered.MOST).to(device)
        self.memory = float(remembered.MEMORY)

    def __call__(self, kept: Tensor, seats: Tensor) -> Tensor:
        """Return [n, planes, 10, 10] for positions [n, KEPT_CELLS] seen by seats [n].

        With a history behind its cells a position has the planes of that too.
        """
        made = self.of_positions(kept[:, :KEPT_CELLS], seats)
        if kept.shape[1] > KEPT_CELLS:
            made = torch.cat([made, self.of_histories(kept, seats)], 1)
        turned = torch.where((seats == layout.RED)[:, None, None], made, made.flip(2))
        return turned.reshape(len(kept), made.shape[1], SIDE, SIDE)

    def of_positions(self, positions: Tensor, seats: Tensor) -> Tensor:
        """Return [n, planes, square] as the board is."""
        cells = positions[:, :SQUARES].int()
        seats = seats.int()
        own = self.owned(cells, seats)
        other = self.owned(cells, 1 - seats)
        secret = (cells & layout.KNOWN) == 0
        moved = ((cells & layout.MOVED) != 0).float()
        output = torch.zeros((len(cells), PLANES, SQUARES), device=self.device)
        ranks = torch.nn.functional.one_hot((cells & layout.RANK_BITS).long(), 16)[..., :RANKS]
        shown = ranks.float() * (own.float() - (other & ~secret).float())[..., None]
        guessed = self.chances(positions, seats, other & secret, moved)
        marked = (other & secret).float()[..., None]
        output[:, : RANKS - 1] = (shown - guessed * marked)[..., 1:].transpose(1, 2)
        sign = own.float() - other.float()
        output[:, planes.MOVED_PLANE] = moved * sign
        output[:, planes.SECRET] = secret.float() * sign
        output[:, planes.BARRED] = self.lakes
        self.last_moves(positions, seats, output)
        if self.no_attack > 0:
            output[:, planes.QUIET_SHARE] = positions[:, layout.QUIET, None] / self.no_attack
        return output

    def of_histories(self, kept: Tensor, seats: Tensor) -> Tensor:
        """Return [n, planes, square] of what led to positions, as the board is."""
        cells, history = kept[:, :SQUARES].int(), kept[:, KEPT_CELLS:]
        output = torch.zeros((len(kept), HISTORY_PLANES, SQUARES), device=self.device)
        sign = self.owned(cells, seats.int()).float() - self.owned(cells, 1 - seats.int()).float()
        counts = history[:, : remembered.PLIES].view(-1, remembered.FACTS, SQUARES).float()
        shares = torch.clamp(counts / self.most[:, None], max=1.0)
        last = counts[:, remembered.LAST]
        age = history[:, remembered.PLIES, None].float() - last
        lately = self.memory / (self.memory + age)
        shares[:, remembered.LAST] = torch.where(last > 0, lately, torch.zeros_like(lately))
        output[:, : remembered.FACTS] = shares * sign[:, None]
        moves = history[:, remembered.RECENT :].long()
        recent = output[:, remembered.FACTS :]
        there = (moves > 0).float()[..., None]
        recent.scatter_(2, (moves // SQUARES)[..., None], -there)
        recent.scatter_(2, (moves % SQUARES)[..., None], there)
        return output

    def owned(self, cells: Tensor, seats: Tensor) -> Tensor:
        """Say which squares hold a piece of the seat."""
        return (cells & (layout.OWNED << seats)[:, None]) != 0

    def chances(self, positions: Tensor, seats: Tensor, hidden: Tensor, moved: Tensor) -> Tensor:
        """Return the chance of each rank [n, square, rank] on the squares of hidden pieces."""
        first = layout.HIDDEN + (1 - seats.long()) * RANKS
        places = first[:, None] + torch.arange(RANKS, device=self.device)
        counts = positions.gather(1, places).float()
        fixed = (counts * self.fixed).sum(1)
        pieces = hidden.float().sum(1)
        unmoved = (hidden.float() * (1.0 - moved)).sum(1)
        movable = counts * self.movable / torch.clamp(pieces - fixed, min=1)[:, None]
        share = 1.0 / torch.clamp(unmoved, min=1)
        still = movable * (1.0 - fixed * share)[:, None] + counts * self.fixed * share[:, None]
        return torch.where((moved > 0)[..., None], movable[:, None], still[:, None])

    def last_moves(self, positions: Tensor, seats: Tensor, output: Tensor) -> None:
        """Write both last moves, as a share of the two-squares limit; without one there is none."""
        limit = positions[:, LIMIT_CELL].float()
        rows = torch.arange(len(positions), device=self.device)
        for who, plane in ((seats, planes.OWN_LAST), (1 - seats, planes.OTHER_LAST)):
            shuttle = positions[rows, layout.SHUTTLE + who.long()].float()
            share = torch.clamp(shuttle / limit, max=1.0)
            left = positions[rows, layout.LAST_FROM + who.long()].long()
            reached = positions[rows, layout.LAST_TO + who.long()].long()
            moved = (shuttle > 0) & (limit > 0)
            output[rows[moved], plane, left[moved]] = -share[moved]
            output[rows[moved], plane, reached[moved]] = share[moved]


def hidden_ranks(positions: Tensor, seats: Tensor) -> Tensor:
    """Return what a learner of beliefs shall tell [n, square]: a rank from 0 on, or -1.

    The squares are turned as the planes are; only pieces that the seat does not know count.
    """
    cells = positions[:, :SQUARES].int()
    other = (cells & (layout.OWNED << (1 - seats.int()))[:, None]) != 0
    wanted = other & ((cells & layout.KNOWN) == 0)
    ranks = torch.where(wanted, (cells & layout.RANK_BITS).long() - layout.SPY, -1)
    return torch.where((seats == layout.RED)[:, None], ranks, ranks.flip(1))


def move_places() -> NDArray[np.int64]:
    """Return for every move its place among the outputs [way, square]."""
    squares, ways = np.divmod(WAY_OF_MOVE, WAYS)
    places: NDArray[np.int64] = ways * SQUARES + squares
    return places


class Block(nn.Module):
    """Two convolutions, a look at the whole board between them, and the way round."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.overall = nn.Linear(channels, channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.overall.weight)
        nn.init.zeros_(self.overall.bias)
        nn.init.zeros_(self.second.weight)
        nn.init.zeros_(self.second.bias)  # type: ignore[arg-type]

    def forward(self, given: Tensor) -> Tensor:
        """Return what the block makes of a batch."""
        inside = torch.relu(self.first(given))
        inside = torch.relu(inside + self.overall(inside.mean((2, 3)))[:, :, None, None])
        added: Tensor = torch.relu(given + self.second(inside))
        return added


class ChampionModel(nn.Module):
    """Planes [n, planes, 10, 10] to logits of moves, values and logits of hidden ranks."""

    def __init__(self, channels: int, blocks: int, given: int = PLANES) -> None:
        super().__init__()
        self.stem = nn.Conv2d(given, channels, 3, padding=1)
        self.blocks = nn.Sequential(*(Block(channels) for _ in range(blocks)))
        self.ways = nn.Conv2d(channels, WAYS, 1)
        self.beliefs = nn.Conv2d(channels, BELIEFS, 1)
        self.value_squares = nn.Conv2d(channels, VALUE_CHANNELS, 1)
        self.value_hidden = nn.Linear(VALUE_CHANNELS * SQUARES, VALUE_HIDDEN)
        self.value = nn.Linear(VALUE_HIDDEN, 1)
        nn.init.normal_(self.ways.weight, std=0.01)  # at first every move is about as likely
        nn.init.zeros_(self.value.weight)
        self.places: Tensor
        self.register_buffer("places", torch.from_numpy(move_places()), persistent=False)

    def forward(self, given: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return moves [n, move], values [n] and beliefs [n, rank, square]."""
        inside = self.blocks(torch.relu(self.stem(given)))
        # Not by brackets: their gradient sorts all places on a GPU, and that takes very long.
        moves = self.ways(inside).flatten(1).float().index_select(1, self.places)
        hidden = torch.relu(self.value_squares(inside)).flatten(1)
        value = torch.tanh(self.value(torch.relu(self.value_hidden(hidden)))).squeeze(1)
        return moves, value, self.beliefs(inside).flatten(2)


def input_planes(history: bool) -> int:
    """Return how many planes a network sees.

    >>> input_planes(False), input_planes(True)
    (18, 40)
    """
    return PLANES + HISTORY_PLANES * history


def new_model(channels: int, blocks: int, seed: int, history: bool = False) -> ChampionModel:
    """Return a network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ChampionModel(channels, blocks, input_planes(history))


def read_champion(
    path: Path, channels: int, blocks: int, seed: int = 0, history: bool = False
) -> ChampionModel:
    """Return the network of a file that ``export_onnx`` has written, to be trained on.

    A smaller one is grown, and so is one that sees no history. Raises SandtableError if the file
    holds a larger network.
    """
    ChampionNetwork(path)  # which refuses what is damaged
    onnx = onnx_library("reading weights")
    kept = [onnx.numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer]
    weights = [values for values in kept if values.dtype != np.int64]  # shapes and places are not
    size = len(weights[0]), (len(weights) - ARRAYS_BESIDE_BLOCKS) // ARRAYS_IN_BLOCK
    if size[0] > channels or size[1] > blocks:
        raise SandtableError(
            f"{path} holds a larger network than {blocks} blocks of {channels} channels"
        )
    seen = weights[0].shape[1] > PLANES
    if seen and not history:
        raise SandtableError(f"{path} holds a network that sees the history: give --history too")
    model = new_model(*size, seed, seen)
    wanted = [parameter for layer in written_layers(model) for parameter in layer.parameters()]
    with torch.no_grad():
        for parameter, values in zip(wanted, weights, strict=True):
            parameter.copy_(torch.from_numpy(values.astype(np.float32)))
    if size == (channels, blocks) and seen == history:
        return model
    return grown(model, channels, blocks, seed, history)


def grown(
    model: ChampionModel, channels: int, blocks: int, seed: int, history: bool = False
) -> ChampionModel:
    """Return a larger network that says the same: what is new counts for nothing at first.

    New channels see the old ones by random weights, but nothing old sees them; what a new block
    adds is zero. Raises ValueError if the network would have to shrink.
    """
    larger = new_model(channels, blocks, seed, history)
    old, new = dict(model.named_parameters()), dict(larger.named_parameters())
    if any(
        name not in new or any(map(int.__gt__, old[name].shape, new[name].shape)) for name in old
    ):
        raise ValueError(f"the network does not fit into {blocks} blocks of {channels} channels")
    with torch.no_grad():
        for name, weight in old.items():
            into = new[name]
            outputs = len(weight)
            if weight.dim() > 1 and weight.shape[1] != into.shape[1]:
                into[:outputs, weight.shape[1] :] = 0.0
            into[tuple(map(slice, weight.shape))] = weight
    return larger


def written_layers(model: ChampionModel) -> list[nn.Module]:
    """Return the layers in the order in which a file holds them."""
    blocks: list[nn.Module] = []
    for block in model.blocks:
        assert isinstance(block, Block)
        blocks += [block.first, block.overall, block.second]
    return [
        model.stem,
        *blocks,
        model.ways,
        model.value_squares,
        model.value_hidden,
        model.value,
        model.beliefs,
    ]


def add_convolution(graph: Graph, given: str, layer: nn.Conv2d) -> str:
    """Write a convolution that keeps the size of the board as a node of ONNX."""
    assert layer.bias is not None
    return graph.convolution(given, layer.weight, layer.bias, int(layer.padding[0]))


def add_linear(graph: Graph, given: str, layer: nn.Linear) -> str:
    """Write a fully connected layer as a node of ONNX."""
    return graph.linear(given, layer.weight, layer.bias)


def add_block(graph: Graph, given: str, block: Block) -> str:
    """Write a block as nodes of ONNX."""
    inside = graph.relu(add_convolution(graph, given, block.first))
    overall = add_linear(graph, graph.board_mean(inside), block.overall)
    inside = graph.relu(graph.node("Add", [inside, graph.over_board(overall)]))
    return graph.relu(graph.node("Add", [given, add_convolution(graph, inside, block.second)]))


def graph_of(model: ChampionModel) -> Graph:
    """Write the whole network as nodes of ONNX."""
    graph = Graph()
    inside = graph.relu(add_convolution(graph, "planes", model.stem))
    for block in model.blocks:
        assert isinstance(block, Block)
        inside = add_block(graph, inside, block)
    ways = graph.node("Flatten", [add_convolution(graph, inside, model.ways)])
    places = graph.integers(model.places.cpu().numpy())
    graph.node("Gather", [ways, places], name="moves", axis=1)
    squares = graph.relu(add_convolution(graph, inside, model.value_squares))
    hidden = graph.relu(add_linear(graph, graph.node("Flatten", [squares]), model.value_hidden))
    graph.flat(graph.node("Tanh", [add_linear(graph, hidden, model.value)]), "values")
    shape = graph.integers(np.array([0, BELIEFS, SQUARES]))
    beliefs = add_convolution(graph, inside, model.beliefs)
    graph.node("Reshape", [beliefs, shape], name="beliefs")
    return graph


def export_onnx(model: ChampionModel, path: Path, notes: dict[str, str]) -> float:
    """Write a network for playing; return how far the file is from it, as a share."""
    outputs = {"moves": [MOVES], "values": [], "beliefs": [BELIEFS, SQUARES]}
    seen = model.stem.in_channels
    data = graph_of(model).file({"planes": [seen, SIDE, SIDE]}, outputs, notes)
    make_folder(path.parent)
    write_whole(path, data)
    examples = np.random.default_rng(0).random((64, seen, SIDE, SIDE), dtype=np.float32)
    model.eval()
    with torch.no_grad():
        device = next(model.parameters()).device
        expected = model(torch.from_numpy(examples).to(device))[0].cpu().numpy()
    return checked_difference(path, ChampionNetwork(path)(examples).moves, expected)
