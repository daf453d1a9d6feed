"""Studies of hidden ranks: how much a player gives away, and how well its ranks can be guessed.

Every agent plays the baseline. What it gives away is counted move by move. To guess its ranks, a
table is learned in half of its games: how often pieces of a rank have moved and how far they have
come, compared with what uniform guessing expects. The other half is judged, and there the
champion's beliefs stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.arena.play.game_loop import play_game
from sandtable.arena.statistics.intervals import estimate_mean
from sandtable.games.stratego import layout
from sandtable.games.stratego.studies.secrets import hidden_pieces, secret_bits, uniform_chances
from sandtable.registry import make_agent, make_game
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import (
    AGREES,
    CANNOT_BE_TOLD,
    CONTRADICTS,
    Finding,
    Measured,
    Measurement,
    Study,
    Variant,
)
from sandtable.types import OVER, Position, State

__all__ = ["INFORMATION_STUDIES"]

PAPER = "Smith, Learning to Play Stratego with Convolutional Neural Networks, 2015, section 5.1"
# by the rules under which the kept figures were measured
GAME = "stratego:long_scouts=false,repetition=version-1"
OPPONENT = "stratego/baseline"
GAMES, QUICK_GAMES = 40, 4
FIRST_CHAMPION = "stratego/champion:weights=fitting"  # whose figures are kept
EVERY = 10  # moves between two looks at what is hidden
MOST_MOVES = 4  # of a piece that are told apart: 0, 1, 2, 3, 4 or more
AGENTS = {
    "random": ("random", "random"),
    "baseline": ("baseline", "stratego/baseline"),
    "policy": ("strategy 1, ours", "stratego/policy"),
    "value": ("strategy 2, ours", "stratego/value"),
    "pieces": ("strategy 2, pieces counted by hand", "stratego/value:evaluation=pieces"),
    "champion": ("champion", FIRST_CHAMPION),
}
PER_MOVE, QUIET, ATTACK, TAKEN = (
    "bits given away per move",
    "bits per quiet move",
    "bits per own attack",
    "bits lost per attack of the other",
)
UNIFORM, TABLE, BELIEF = (
    "bits to name a rank, uniform",
    "bits to name a rank, by a table of its moves",
    "bits to name a rank, by the champion's beliefs",
)
HIT_UNIFORM, HIT_TABLE = "ranks named (%), uniform", "ranks named (%), by the table"


@dataclass
class Watched:
    """One game of an agent, seen from behind both sides."""

    given: dict[str, list[float]] = field(default_factory=dict)  # bits by kind of move
    seen: list[tuple[int, int, NDArray[np.float64]]] = field(default_factory=list)
    believed: list[float] = field(default_factory=list)  # bits by the champion's beliefs


def watch(spec: str, number: int, settings: Settings, beliefs: bool, *, looks: bool) -> Watched:
    """Play one game of an agent against the baseline, with the seats changed in every second."""
    game, seat = make_game(GAME), number % 2
    specs = [spec, OPPONENT] if seat == layout.RED else [OPPONENT, spec]
    agents = [make_agent(each) for each in specs]
    reader = make_agent(FIRST_CHAMPION) if beliefs else None
    found = Watched()
    moved: dict[int, int] = {}  # moves of the agent's pieces, by the square they are on

    def look(before: State, mover: int, chosen: Any, after: State) -> None:
        action = int(np.ravel(chosen)[0])  # a whole turn is one move here
        position, later = np.array(before.position), np.array(after.position)
        start, end = (int(each) for each in layout.ENDS[0, action])
        fight = bool(position[layout.BOARD + end])
        lost = secret_bits(position, seat) - secret_bits(later, seat)
        kind = (ATTACK if fight else QUIET) if mover == seat else TAKEN
        if kind != TAKEN or fight:
            found.given.setdefault(kind, []).append(lost)
        if mover == seat:
            moved[end] = moved.pop(start, 0) + 1
        if not layout.owned_by(int(later[layout.BOARD + end]), seat):
            moved.pop(end, None)
        if looks and after.turn == 1 - seat and position[layout.PLIES] // 2 % EVERY == 0:
            found.seen += features(later, seat, moved)
            if reader is not None:
                found.believed += belief_bits(reader, game, after, seat)

    play_game(game, agents, specs=specs, seed=settings.seed, number=number, watcher=look)
    return found


def features(
    position: Position, seat: int, moved: dict[int, int]
) -> list[tuple[int, int, NDArray[np.float64]]]:
    """Return for each hidden piece its rank, a number for how it has behaved, and chances."""
    uniform = uniform_chances(position, seat)
    found = []
    for piece in hidden_pieces(position, seat):
        row = piece.square // layout.SIDE
        forward = layout.SIDE - 1 - row if seat == layout.RED else row
        moves = min(moved.get(piece.square, 0), MOST_MOVES)
        found.append((piece.rank, moves * layout.SIDE + forward, uniform[piece.square]))
    return found


def belief_bits(reader: object, game: object, state: State, seat: int) -> list[float]:
    """Return how many bits the true ranks are worth to the champion's beliefs."""
    from sandtable.games.stratego.agents.champion.agent import Champion
    from sandtable.games.stratego.agents.champion.search import believed

    assert isinstance(reader, Champion)
    if state.turn == OVER:
        return []
    view = state.view(1 - seat)
    chances = believed(reader.candidates(view)[2], 1 - seat)
    uniform = uniform_chances(state.position, seat)
    found = []
    for piece in hidden_pieces(state.position, seat):
        possible = chances[:, piece.square] * (uniform[piece.square][layout.SPY :] > 0)
        share = possible[piece.rank - layout.SPY] / max(float(possible.sum()), 1e-9)
        found.append(-float(np.log2(max(float(share), 1e-6))))
    return found


def number_of_games(settings: Settings) -> int:
    """Return how many games an agent plays."""
    return settings.games or (QUICK_GAMES if settings.quick else GAMES)


def measure_secrets(spec: str, settings: Settings, report: Report) -> list[Measurement]:
    """Count what an agent gives away; a game is one observation."""
    count = number_of_games(settings)
    games = []
    with report(f"{spec} - {OPPONENT}", count) as progress:
        for number in range(count):
            games.append(watch(spec, number, settings, False, looks=False).given)
            progress(1)
    own = [game.get(QUIET, []) + game.get(ATTACK, []) for game in games]
    found = [mean_of_games(PER_MOVE, own)]
    return found + [
        mean_of_games(kind, [game.get(kind, []) for game in games])
        for kind in (QUIET, ATTACK, TAKEN)
    ]


def mean_of_games(quantity: str, values: Sequence[Sequence[float]]) -> Measurement:
    """Return a mean over all moves, with the interval of the means of games."""
    means = [float(np.mean(each)) for each in values if each]
    if not means:
        return Measurement(quantity, 0.0)
    return Measurement.of(quantity, estimate_mean(np.array(means)))


def measure_ranks(spec: str, settings: Settings, report: Report) -> list[Measurement]:
    """Guess an agent's ranks uniformly, by a table and by beliefs, in games not learned from."""
    count = number_of_games(settings)
    games = []
    with report(f"ranks of {spec}", count) as progress:
        for number in range(count):
            judged = number >= count // 2
            games.append(watch(spec, number, settings, judged, looks=True))
            progress(1)
    ratios = learn_table([game.seen for game in games[: count // 2]])
    uniform, table, hits, table_hits = [], [], [], []
    for game in games[count // 2 :]:
        if not game.seen:
            continue
        plain = [(rank, chances) for rank, _, chances in game.seen]
        read = [(rank, by_table(chances, ratios[kind])) for rank, kind, chances in game.seen]
        uniform.append(mean_bits(plain))
        table.append(mean_bits(read))
        hits.append(mean_hits(plain))
        table_hits.append(mean_hits(read))
    believed = [float(np.mean(game.believed)) for game in games if game.believed]
    return [
        Measurement.of(quantity, estimate_mean(np.array(values)))
        for quantity, values in (
            (UNIFORM, uniform),
            (TABLE, table),
            (BELIEF, believed),
            (HIT_UNIFORM, hits),
            (HIT_TABLE, table_hits),
        )
        if values
    ]


def learn_table(
    games: Sequence[Sequence[tuple[int, int, NDArray[np.float64]]]],
) -> NDArray[np.float64]:
    """Return by how much each rank [kind of behaviour, rank] is likelier than uniform has it."""
    kinds = (MOST_MOVES + 1) * layout.SIDE
    seen = np.ones((kinds, layout.RANKS))  # one of each, so that nothing is impossible
    expected = np.ones((kinds, layout.RANKS))
    for game in games:
        for rank, kind, chances in game:
            seen[kind, rank] += 1.0
            expected[kind] += chances
    ratios: NDArray[np.float64] = seen / expected
    return ratios


def by_table(chances: NDArray[np.float64], ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return chances that take into account how a piece has behaved."""
    weighed = chances * ratios
    found: NDArray[np.float64] = weighed / weighed.sum()
    return found


def mean_bits(guesses: Sequence[tuple[int, NDArray[np.float64]]]) -> float:
    """Return how many bits it takes on average to name the true rank."""
    return float(np.mean([-np.log2(max(chances[rank], 1e-6)) for rank, chances in guesses]))


def mean_hits(guesses: Sequence[tuple[int, NDArray[np.float64]]]) -> float:
    """Return in how many per cent the likeliest rank is the true one; equal ones share a hit."""
    hits = []
    for rank, chances in guesses:
        best = np.isclose(chances, chances.max())
        hits.append(100.0 * best[rank] / best.sum())
    return float(np.mean(hits))


def judge_secrets(measured: Measured) -> Finding:
    """Say who gives most away; the paper has no figure."""
    found = {name: figures[0] for name, figures in measured.items()}
    words = ", ".join(f"{name} {each.value:.2f}" for name, each in found.items())
    return Finding(
        CANNOT_BE_TOLD, f"Bits given away per move: {words}. The paper measures nothing."
    )


def judge_ranks(measured: Measured) -> Finding:
    """Say for whom guessing by behaviour beats uniform guessing."""
    words, gains = [], []
    for name, figures in measured.items():
        named = {each.quantity: each.value for each in figures}
        gains.append(named[UNIFORM] - named[TABLE])
        belief = f", by beliefs {named[BELIEF]:.2f}" if BELIEF in named else ""
        words.append(f"{name} {named[UNIFORM]:.2f} to {named[TABLE]:.2f}{belief}")
    verdict = AGREES if max(gains) > 0 else CONTRADICTS
    return Finding(verdict, f"Bits to name a rank, uniform and by a table: {'; '.join(words)}.")


INFORMATION_STUDIES = (
    Study(
        "secrets",
        "Stratego: what a player gives away",
        PAPER,
        "a network that does not see what the opponent knows cannot bluff",
        tuple(
            Variant(name, title, partial(measure_secrets, spec))
            for name, (title, spec) in AGENTS.items()
        ),
        judge_secrets,
        minutes=15,
    ),
    Study(
        "ranks",
        "Stratego: how well hidden ranks can be guessed",
        PAPER,
        "deeper inferences about ranks than the planes hold are possible",
        tuple(
            Variant(name, title, partial(measure_ranks, spec))
            for name, (title, spec) in AGENTS.items()
        ),
        judge_ranks,
        minutes=20,
    ),
)
