"""The games the champion of Gravwell learns from.

Champions play each other; in a share of the games some seats are taken by players who act at
random. Agents of other schools occur only where ``schools`` says so. What a champion saw at the
start of every round, after each of its picks and before every turn is kept, with a target made of
what came of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import copy_cells, kernel
from sandtable.dice import below, uniform
from sandtable.errors import SandtableError
from sandtable.games.gravwell import layout
from sandtable.games.gravwell.agents.champion.features import (
    BEFORE_THE_DEAL,
    MOMENTS,
    MOST_ACTIVE,
    describe,
    describe_fully,
    moment_of_turn,
)
from sandtable.games.gravwell.agents.champion.network import (
    GAINS,
    gain_of,
    sum_up,
    value_of,
)
from sandtable.games.gravwell.agents.champion.search import think
from sandtable.games.gravwell.agents.champion.turns import SECOND_ROW, VALUE_ROW, Search, new_search
from sandtable.games.gravwell.cards import CARDS
from sandtable.games.gravwell.learning.champion.schools import (
    SCHOOLS,
    Schools,
    action_of_school,
)
from sandtable.games.gravwell.rules.drafting import holds, stacks_taken
from sandtable.games.gravwell.rules.kernels import apply, hide, legal, score, start
from sandtable.learning.config import RunConfig, config_field

__all__ = ["GravwellChampionConfig", "Samples", "new_samples", "play_generation"]

RIVALS_RANDOMNESS = 0.3  # with which fixed champions think
NO_SCHOOL = -1
MOST_SEEN = layout.ROUNDS * MOMENTS * layout.MOST_PLAYERS  # in one game


@dataclass(frozen=True)
class GravwellChampionConfig(RunConfig):
    """What can be chosen about a run."""

    seed: int = config_field(0, "everything follows from it", least=0)
    games: int = config_field(60_000, "games in all; the learning rate falls over them", least=1)
    generation: int = config_field(500, "games before the networks are fitted to them", least=1)
    samples: int = config_field(8, "deals a champion imagines for a card while it learns", least=1)
    randomness: float = config_field(
        0.3, "how often it takes another to play at random", least=0, most=1
    )
    exploration: float = config_field(0.03, "chance of a random action", least=0, most=1)
    trace: float = config_field(
        0.9, "how much a target is the next one, not the value there", least=0, most=1
    )
    random_games: float = config_field(
        0.3, "share of games with random players in some seats", least=0, most=1
    )
    inert: float = config_field(
        0.2, "share of games in which tractors move nothing", least=0, most=1
    )
    two_players: float = config_field(0.15, "share of games for two", least=0, most=1)
    three_players: float = config_field(0.15, "share of games for three", least=0, most=1)
    passes: int = config_field(1, "times a view is fitted", least=1)
    start: str = config_field("", "weights to begin with: bundled ones or a file; empty: random")
    rivals: str = config_field(
        "", "weights of fixed champions in all seats but one, to train a response; empty: none"
    )
    schools: float = config_field(
        0.0,
        "share of games against decision trees, Q-learning and neuro-evolution",
        least=0,
        most=1,
    )
    batch: int = config_field(256, "views a step of fitting", least=1)
    learning_rate: float = config_field(
        0.001, "of Adam at the beginning; falls to a twentieth", above=0
    )

    def check(self) -> None:
        """Refuse more games for few players than there are games."""
        if self.two_players + self.three_players > 1:
            raise SandtableError("--two-players and --three-players are together at most 1")

    @property
    def generations(self) -> int:
        """How many rounds of play and fitting there are."""
        return -(-self.games // self.generation)

    @property
    def play(self) -> Play:
        """What the games need to know of it."""
        return Play(
            self.samples,
            self.randomness,
            self.exploration,
            self.trace,
            self.random_games,
            self.inert,
            self.two_players,
            self.three_players,
            bool(self.rivals),
            self.schools,
        )


class Play(NamedTuple):
    """The part of the configuration that kernels read."""

    samples: int
    randomness: float
    exploration: float
    trace: float
    random_games: float
    inert: float
    two_players: float
    three_players: float
    against_rivals: bool
    schools: float


class Samples(NamedTuple):
    """Views of champions, in the order in which they were seen."""

    active: NDArray[np.uint16]  # [view, present] features
    counts: NDArray[np.int16]  # [view] how many are present
    plain: NDArray[np.int16]  # [view] how many of them the habits look at: the first ones
    seats: NDArray[np.int8]  # [view] whose it is
    values: NDArray[np.float32]  # [view] how likely the network says it wins
    targets: NDArray[np.float32]  # [view] how likely it should have said
    held: NDArray[np.int64]  # [view] the hand, a bit for each card
    gains: NDArray[np.int8]  # [view, card] see gain_of
    chosen: NDArray[np.int8]  # [view] the card played, or NOTHING where there was no choice


def new_samples(games: int) -> Samples:
    """Make room for all that can be seen in so many games."""
    room = games * MOST_SEEN
    return Samples(
        np.empty((room, MOST_ACTIVE), dtype=np.uint16),
        np.empty(room, dtype=np.int16),
        np.empty(room, dtype=np.int16),
        np.empty(room, dtype=np.int8),
        np.empty(room, dtype=np.float32),
        np.empty(room, dtype=np.float32),
        np.empty(room, dtype=np.int64),
        np.empty((room, CARDS), dtype=np.int8),
        np.empty(room, dtype=np.int8),
    )


@kernel
def random_action(view: NDArray[np.int16], dice: NDArray[np.uint64]) -> int:
    """Draw a legal action."""
    mask = np.empty(layout.ACTIONS, dtype=np.bool_)
    skipped = below(dice, legal(view, mask))
    for action in range(layout.ACTIONS):
        if mask[action]:
            if skipped == 0:
                return action
            skipped -= 1
    return layout.NOTHING


@kernel
def note(
    samples: Samples,
    row: int,
    view: NDArray[np.int16],
    seat: int,
    moment: int,
    search: Search,
    parameters: NDArray[np.float32],
) -> None:
    """Keep what a seat sees, without a choice so far."""
    count = describe_fully(view, seat, moment, samples.active[row])
    samples.plain[row] = describe(view, seat, moment, samples.active[row])
    samples.counts[row], samples.seats[row], samples.chosen[row] = count, seat, layout.NOTHING
    sums = search.sums
    sum_up(parameters, samples.active[row], count, sums, VALUE_ROW)
    samples.values[row] = value_of(parameters, sums, VALUE_ROW, SECOND_ROW)


@kernel
def note_choice(samples: Samples, row: int, view: NDArray[np.int16], seat: int, card: int) -> None:
    """Add the card that was played, the hand it came from and what the others would have gained."""
    samples.chosen[row], samples.held[row] = card, 0
    for other in range(CARDS):
        samples.held[row] |= holds(view, seat, other) << other
        samples.gains[row, other] = gain_of(view, seat, other)


@kernel
def action_of_other(
    school: int,
    view: NDArray[np.int16],
    seat: int,
    play: Play,
    rivals: NDArray[np.float32],
    schools: Schools,
    search: Search,
    dice: NDArray[np.uint64],
) -> int:
    """Return what somebody does who does not learn: by a school, as a rival, or at random."""
    if school != NO_SCHOOL:
        return action_of_school(school, view, dice, schools)
    if play.against_rivals:
        return think(search, rivals, view, view, seat, play.samples, RIVALS_RANDOMNESS, dice)
    return random_action(view, dice)


@kernel
def play_game(
    position: NDArray[np.int16],
    learners: NDArray[np.bool_],
    taught: NDArray[np.int64],
    play: Play,
    parameters: NDArray[np.float32],
    rivals: NDArray[np.float32],
    schools: Schools,
    search: Search,
    dice: NDArray[np.uint64],
    samples: Samples,
    first: int,
    stops: NDArray[np.float64],
) -> int:
    """Play a game to its end and keep what the learners see; return the number of views kept.

    ``taught`` says by which school somebody else plays, if by any.
    ``stops`` [turn, gain, 2] counts how often a learner was asked to stop, and how often it did.
    """
    start(position, dice)
    view = np.empty(layout.POSITION_SIZE, dtype=np.int16)
    latest = np.zeros(layout.MOST_PLAYERS, dtype=np.int64)  # row of each view before the turn
    row, new_round = first, True
    while position[layout.MOVER] != layout.OVER:
        phase, seat, round_number = (
            position[layout.PHASE],
            layout.as_int64(position[layout.MOVER]),
            position[layout.ROUND],
        )
        new_turn = phase == layout.PLAYING and seat == 0
        if new_round or new_turn:
            moment = moment_of_turn(position[layout.TURN]) if new_turn else BEFORE_THE_DEAL
            for learner in range(layout.as_int64(position[layout.PLAYERS])):
                if learners[learner]:
                    copy_cells(position, view)
                    hide(view, learner)
                    note(samples, row, view, learner, moment, search, parameters)
                    latest[learner] = row
                    row += 1
        copy_cells(position, view)
        hide(view, seat)
        if not learners[seat]:
            action = action_of_other(taught[seat], view, seat, play, rivals, schools, search, dice)
        else:
            action = think(
                search, parameters, view, view, seat, play.samples, play.randomness, dice
            )
            if phase == layout.STOPPING:
                gain = gain_of(view, seat, layout.as_int64(view[layout.CURRENT]))
                stops[view[layout.TURN], gain, 0] += 1.0
                stops[view[layout.TURN], gain, 1] += action == layout.STOP
            if uniform(dice) < play.exploration:
                action = random_action(view, dice)
            if phase == layout.PLAYING and view[layout.TURN] < layout.TURNS - 1:
                note_choice(samples, latest[seat], view, seat, action)
        apply(position, action, dice)
        if phase == layout.DRAFTING and learners[seat]:
            copy_cells(position, view)
            hide(view, seat)
            note(samples, row, view, seat, stacks_taken(view, seat), search, parameters)
            row += 1
        new_round = position[layout.ROUND] != round_number
    return row - first


@kernel
def set_targets(
    samples: Samples, first: int, count: int, scores: NDArray[np.float64], trace: float
) -> None:
    """Write the targets of a game: the result, carried back and mixed with the values met."""
    running = np.empty(layout.MOST_PLAYERS, dtype=np.float64)
    copy_cells(scores, running)
    for row in range(first + count - 1, first - 1, -1):
        seat = samples.seats[row]
        samples.targets[row] = running[seat]
        running[seat] = trace * running[seat] + (1.0 - trace) * samples.values[row]


@kernel
def set_table(
    position: NDArray[np.int16],
    learners: NDArray[np.bool_],
    taught: NDArray[np.int64],
    play: Play,
    dice: NDArray[np.uint64],
) -> bool:
    """Draw what kind of game is played and by whom; return whether others than learners play."""
    kind = uniform(dice)
    players = 4
    if kind < play.two_players:
        players = 2
    elif kind < play.two_players + play.three_players:
        players = 3
    position[layout.PLAYERS] = players
    position[layout.TRACTORS] = layout.INERT if uniform(dice) < play.inert else layout.WORKING
    mixed = play.against_rivals or uniform(dice) < play.random_games
    for seat in range(players):
        learners[seat] = not mixed or (not play.against_rivals and below(dice, 5) < 2)
    learners[below(dice, players)] = True
    taught[:] = NO_SCHOOL
    if play.schools > 0 and uniform(dice) < play.schools:
        mixed = True
        own = below(dice, players)
        for seat in range(players):
            learners[seat] = seat == own
            taught[seat] = below(dice, SCHOOLS)
    return bool(mixed)


@kernel
def play_generation(
    first: int,
    count: int,
    key: np.uint64,
    play: Play,
    parameters: NDArray[np.float32],
    rivals: NDArray[np.float32],
    schools: Schools,
    samples: Samples,
    kept: int,
    stops: NDArray[np.float64],
    totals: NDArray[np.float64],
) -> int:
    """Play games number first, first + 1, ...; return how many views are kept by then.

    ``totals`` adds up: learners in games with others, their wins, all games, their rounds.
    """
    search = new_search()
    position = np.zeros(layout.POSITION_SIZE, dtype=np.int16)
    learners = np.zeros(layout.MOST_PLAYERS, dtype=np.bool_)
    taught = np.zeros(layout.MOST_PLAYERS, dtype=np.int64)
    dice = np.zeros(4, dtype=np.uint64)
    scores = np.zeros(layout.MOST_PLAYERS)
    for number in range(first, first + count):
        dice[0], dice[1], dice[2] = key, number, 0
        mixed = set_table(position, learners, taught, play, dice)
        seen = play_game(
            position,
            learners,
            taught,
            play,
            parameters,
            rivals,
            schools,
            search,
            dice,
            samples,
            kept,
            stops,
        )
        score(position, scores)
        set_targets(samples, kept, seen, scores, play.trace)
        kept += seen
        for seat in range(position[layout.PLAYERS]):
            if mixed and learners[seat]:
                totals[0] += 1.0
                totals[1] += scores[seat]
        totals[2] += 1.0
        totals[3] += position[layout.ROUND] + 1.0
    return kept


def new_stops() -> NDArray[np.float64]:
    """Return counts of Emergency Stops [turn, gain, 2]: nobody was asked so far."""
    return np.zeros((layout.TURNS, GAINS, 2))
