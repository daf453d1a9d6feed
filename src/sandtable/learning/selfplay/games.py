"""Games of a network against itself, many side by side, each move found by a guided search.

Rows of games stand in groups. A group is played by one thread, searches and network alike; how
many threads there are has no influence on what happens in it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sandtable.agents.treesearch.guided import guided_search_of
from sandtable.agents.treesearch.rows import NOBODY, GamesPlayed, GuidedRows, new_games, new_rows
from sandtable.agents.treesearch.tree import (
    clear_if_crowded,
    memory_words,
    prepare,
    tree_words,
)
from sandtable.dice import Dice
from sandtable.learning.selfplay.averaged import Examples, results_of
from sandtable.learning.selfplay.known import KnownAnswers
from sandtable.learning.selfplay.network import Answers, GameNetwork, answering
from sandtable.learning.selfplay.opponents import AgentsAtTables, Opponents
from sandtable.types import OVER, Game

__all__ = ["MOST_ACTIONS", "Decisions", "PlaySettings", "SelfPlay"]

MOST_ACTIONS = 64  # of a decision that are remembered, those with the greatest shares
NOISE_SHAPE = 10.0  # noise over n actions is drawn with parameters of this over n
STRAYS = 2.0  # actions of a seat, or of a game, that only explore, at most, on average
EARLY = 0.25  # part of a longest game in which they may come, where nothing is secret


@dataclass(frozen=True)
class PlaySettings:
    """How a network plays against itself."""

    rows: int  # games side by side
    simulations: int
    exploration: float
    noise: float  # share of the priors at the root that is drawn; of actions, where secrets are
    drawn_plies: int  # actions of a game that are drawn by their shares; then the best is played
    threads: int
    groups: int = 1  # of rows; as many threads can be of use
    step: float = 1.0  # how far the policy moves by what is gained, where secrets are
    magnet: float = 0.0  # the part by which it is drawn towards equal shares there


@dataclass
class Decisions(Examples):
    """What was seen, what the search made of it, and how it ended, one row for each decision."""

    planes: NDArray[np.float16]  # [decision, plane, height, width]
    actions: NDArray[np.int16]  # [decision, MOST_ACTIONS] as the seat sees the board; -1: none
    shares: NDArray[np.float16]  # [decision, MOST_ACTIONS]
    values: NDArray[np.float16]  # [decision, seat from the mover on] the results
    searched: NDArray[np.float16]  # [decision] what the search expected for the mover


Kept = list[list[tuple[Any, ...]]]  # of every game: planes, actions, shares, seat, value, strayed


def one_thread() -> None:
    """Let torch compute in the thread that calls it alone."""
    torch.set_num_threads(1)


class SelfPlay:
    """Plays whole games with a network; what it has room for is made once."""

    def __init__(self, game: Game, settings: PlaySettings, device: torch.device) -> None:
        self.game, self.settings, self.device = game, settings, device
        parts = np.array_split(np.arange(settings.rows), min(settings.groups, settings.rows))
        self.groups = [GroupOfGames(game, settings, len(part)) for part in parts]
        self.pool = (
            ThreadPoolExecutor(settings.threads, initializer=one_thread)
            if settings.threads > 1 and len(parts) > 1
            else None
        )

    def play(
        self,
        network: GameNetwork,
        seed: int,
        first: int,
        games: int,
        stopping: Callable[[], bool],
        opponents: Opponents | None = None,
    ) -> tuple[Decisions, NDArray[np.float64]] | None:
        """Play games of consecutive numbers; return their decisions and scores, or None: stopped.

        The decisions come in the order of the games, whatever the number of threads.
        """
        if games < self.settings.rows:
            raise ValueError(f"{games} games cannot fill {self.settings.rows} rows")
        others = copy.copy(Opponents(self.game) if opponents is None else opponents)
        others.old_selves = [answering(each, self.device) for each in others.old_selves]
        answers = answering(network, self.device)
        tasks = []
        for group, part in zip(
            self.groups, np.array_split(np.arange(games), len(self.groups)), strict=True
        ):
            tasks.append((group, first + int(part[0]), len(part)))

        def played(task: tuple[GroupOfGames, int, int]) -> Any:
            group, start, count = task
            return group.play(answers, seed, start, count, stopping, others)

        threads = torch.get_num_threads()
        one_thread()
        try:
            parts = list(map(played, tasks) if self.pool is None else self.pool.map(played, tasks))
        finally:
            torch.set_num_threads(threads)
        if any(part is None for part in parts):
            return None
        decisions = [self.decisions(kept, scores) for kept, scores in parts]
        return Decisions.joined(decisions), np.concatenate([scores for _, scores in parts])

    def close(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()

    def change(self, **settings: Any) -> None:
        """Play with other settings from now on, of those that need no other room."""
        self.settings = replace(self.settings, **settings)
        for group in self.groups:
            group.settings = self.settings

    def decisions(self, kept: Kept, scores: NDArray[np.float64]) -> Decisions:
        """Return all decisions with the results of their games, from 0 to 1.

        What came of an action that only explored says nothing about how well the network plays;
        up to the last of them the value is what the search expected.
        """
        results = results_of(self.game, scores)
        rows = []
        for number, some in enumerate(kept):
            last_stray = max((place for place, each in enumerate(some) if each[5]), default=-1)
            for place, (planes, actions, shares, seat, searched, _) in enumerate(some):
                values = np.roll(results[number], -seat)
                if place <= last_stray:
                    values[0] = searched
                rows.append((planes, actions, shares, values, searched))
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "planes": (self.game.plane_shape, np.float16),
            "actions": ((MOST_ACTIONS,), np.int16),
            "shares": ((MOST_ACTIONS,), np.float16),
            "values": ((len(self.game.seats),), np.float16),
            "searched": ((), np.float16),
        }
        made = []
        for place, name in enumerate(Decisions.names()):
            shape, kind = shapes[name]
            array = np.zeros((len(rows), *shape), dtype=kind)
            for number, row in enumerate(rows):
                array[number] = row[place]
            made.append(array)
        return Decisions(*made)


class GroupOfGames:
    """Games side by side that one thread plays."""

    def __init__(self, game: Game, settings: PlaySettings, rows: int) -> None:
        self.game, self.settings, self.count = game, settings, rows
        self.search = guided_search_of(game)
        self.slots, self.edges = memory_words(settings.simulations, game.action_count)
        self.rows: GuidedRows = new_rows(game, rows, tree_words(self.slots, self.edges))
        self.rows.known[:] = game.hidden
        self.played: GamesPlayed = new_games(game, rows)
        self.states = np.zeros((rows, game.position_size), dtype=np.int16)
        self.learners = np.full(rows, NOBODY, dtype=np.int64)
        self.players = np.zeros(rows, dtype=np.int64)
        self.tables = AgentsAtTables(game)
        self.known = KnownAnswers(game.action_count, len(game.seats), rows)
        self.seen_as = game.seen_actions()
        self.straying_plies = max(1.0, EARLY * game.max_actions)
        strays = STRAYS * len(game.seats) / game.max_actions
        self.stray = min(settings.noise, strays if game.hidden else STRAYS / self.straying_plies)

    def begin(self, row: int, seed: int, number: int, opponents: Opponents) -> None:
        """Start the game of this number in a row, with streams that no match of any seed has."""
        dice = Dice(seed, "self-play game", number)
        self.states[row] = self.game.start(dice).position
        self.played.dice[row] = dice.array
        self.rows.dice[row] = Dice(seed, "self-play search", number).array
        self.rows.trees[row] = 0
        prepare(self.rows.trees[row], self.slots, self.edges)
        self.played.plies[row] = 0
        learner, player = opponents.seating(seed, number)
        self.learners[row], self.players[row] = learner, player
        self.tables.begin(row, opponents.spec_of(player), learner, seed, number)

    def play(
        self,
        answers: Answers,
        seed: int,
        first: int,
        games: int,
        stopping: Callable[[], bool],
        opponents: Opponents,
    ) -> tuple[Kept, NDArray[np.float64]] | None:
        """Play games of consecutive numbers; a row whose game is over takes the next."""
        game, played, settings = self.game, self.played, self.settings
        drawing = np.random.Generator(np.random.PCG64([seed, first, games]))
        self.known.forget()
        numbers = np.full(self.count, -1)
        begun = min(self.count, games)
        for row in range(begun):
            self.begin(row, seed, first + row, opponents)
            numbers[row] = row
        kept: Kept = [[] for _ in range(games)]
        scores = np.zeros((games, len(game.seats)))
        while (numbers >= 0).any():
            if stopping():
                return None
            self.let_others_play(answers, opponents)
            self.search.view(self.rows, self.states, 0, self.count)
            self.look(answers, drawing)
            self.search.decide(
                self.rows,
                self.states,
                played,
                settings.drawn_plies,
                settings.step,
                settings.magnet,
                self.stray,
                self.straying_plies,
                0,
                self.count,
            )
            self.remember(kept, numbers)
            for row in np.flatnonzero(numbers >= 0).tolist():
                if int(game.rules.turn(self.states[row])) != OVER:
                    continue
                scores[numbers[row]] = played.scores[row]
                numbers[row] = -1
                if begun < games:
                    self.begin(row, seed, first + begun, opponents)
                    numbers[row], begun = begun, begun + 1
        return kept, scores

    def let_others_play(self, answers: Answers, opponents: Opponents) -> None:
        """Let whoever does not learn play, until a learner is to move everywhere."""
        rows = self.rows
        if (self.learners == NOBODY).all():
            return
        while True:
            self.search.show_others(rows, self.states, self.learners, 0, self.count)
            asked = np.flatnonzero(rows.movers != NOBODY)
            if not len(asked):
                return
            for player in np.unique(self.players[asked]).tolist():
                some = asked[self.players[asked] == player]
                if opponents.spec_of(player) is None:
                    self.ask(opponents.network_of(player) or answers, some)
                    continue
                for row in some.tolist():
                    seat = int(rows.movers[row])
                    action = self.tables.choose(row, seat, rows.views[row], rows.masks[row])
                    rows.priors[row] = 0.0
                    rows.priors[row, action] = 1.0
            self.search.play_others(rows, self.states, self.played, 0, self.count)

    def look(self, answers: Answers, drawing: np.random.Generator) -> None:
        """Search in all rows, asking the network once for every simulation of all of them."""
        rows, settings, game = self.rows, self.settings, self.game
        for row in range(self.count):
            clear_if_crowded(rows.trees[row], settings.simulations)
        if settings.noise > 0 and not game.hidden:
            shape = NOISE_SHAPE / game.action_count
            drawn = drawing.standard_gamma(max(shape, 0.03), rows.noise.shape, dtype=np.float32)
            rows.noise[:] = drawn / np.maximum(drawn.sum(axis=1, keepdims=True), 1e-9)
        rows.left[:], rows.waiting[:] = settings.simulations, False
        while True:
            self.search.descend(rows, settings.exploration, settings.noise, 0, self.count)
            if not rows.left.any():
                return
            asked = np.flatnonzero(rows.movers != NOBODY)
            if len(asked):
                self.ask_once(answers, asked)
            self.search.add(rows, 0, self.count)

    def ask_once(self, answers: Answers, asked: NDArray[np.int64]) -> None:
        """Write what the network says about the decisions of some rows, or has said before."""
        rows, known = self.rows, self.known
        keys: list[int] = rows.keys[asked].tolist()
        unknown = known.unknown(keys)
        if unknown:
            new = asked[unknown]
            self.ask(answers, new)
            known.note([keys[number] for number in unknown], rows.priors[new], rows.values[new])
        if len(unknown) < len(keys):
            rows.priors[asked], rows.values[asked] = known.said(keys)

    def ask(self, answers: Answers, asked: NDArray[np.int64]) -> None:
        """Write what the network says about the decisions of some rows."""
        rows, seats = self.rows, len(self.game.seats)
        movers = rows.movers[asked]
        seen, values = answers(rows.planes[asked])
        expected = 1.0 / (1.0 + np.exp(-values))
        logits_here = np.take_along_axis(seen, self.seen_as[movers], axis=1)
        logits_here[~rows.masks[asked]] = -np.inf
        shares = np.exp(logits_here - logits_here.max(axis=1, keepdims=True))
        rows.priors[asked] = shares / shares.sum(axis=1, keepdims=True)
        for step in range(seats):
            rows.values[asked, (movers + step) % seats] = expected[:, step]

    def remember(self, kept: Kept, numbers: NDArray[np.int64]) -> None:
        """Keep the decisions that were just made, those with a choice."""
        played = self.played
        policies = played.policies
        count = min(MOST_ACTIONS, policies.shape[1])
        best = np.argpartition(-policies, count - 1, axis=1)[:, :count]
        shares = np.take_along_axis(policies, best, axis=1)
        for row in np.flatnonzero((numbers >= 0) & (played.movers != OVER)):
            chosen = shares[row] > 0
            if np.count_nonzero(policies[row]) < 2:
                continue
            seat = int(played.movers[row])
            actions = np.full(MOST_ACTIONS, -1, dtype=np.int16)
            weights = np.zeros(MOST_ACTIONS, dtype=np.float16)
            actions[: chosen.sum()] = self.seen_as[seat, best[row][chosen]]
            weights[: chosen.sum()] = shares[row][chosen] / shares[row][chosen].sum()
            seen = played.planes[row].astype(np.float16)
            strayed = bool(played.strayed[row])
            kept[numbers[row]].append((seen, actions, weights, seat, played.searched[row], strayed))
