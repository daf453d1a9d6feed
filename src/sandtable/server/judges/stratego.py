"""What the learned agents of Stratego make of a view."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sandtable.agents.explanations import Candidate, Thoughts
from sandtable.dice import Dice
from sandtable.games.stratego.agents.champion.agent import Champion
from sandtable.games.stratego.agents.champion.search import believed
from sandtable.games.stratego.agents.square_codes import write_planes
from sandtable.games.stratego.agents.value.agent import Value
from sandtable.games.stratego.agents.value.leaves import COUNT, FAR, WANTED, evaluate_boards, supply
from sandtable.games.stratego.agents.value.rollout import Followed, Rollout
from sandtable.games.stratego.agents.value.search import search_move
from sandtable.games.stratego.drawing.text import pieces_on
from sandtable.games.stratego.layout import RANKS, SPY, UNKNOWN, setting_up
from sandtable.games.stratego.named_setups import RANK_LETTERS
from sandtable.games.stratego.names import square_name
from sandtable.server.judges.judge import Judge
from sandtable.types import State

__all__ = ["ChampionJudge", "ValueJudge"]

MOST_CANDIDATES = 8
SAMPLES = 8  # positions drawn from beliefs to look ahead in


class ChampionJudge(Judge):
    """The network's value, moves and beliefs, and a look ahead."""

    def __init__(self, agent: Champion) -> None:
        self.agent = agent

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Return the moves it likes best, what follows them, and what it believes of pieces."""
        if setting_up(np.array(view.position)):
            return Thoughts(self.scale, None)
        moves, logits, beliefs = self.agent.candidates(view)
        value = 0.5 + 0.5 * self.agent.value
        shares = np.exp((logits - logits.max()).astype(np.float64))
        shares /= shares.sum()
        best = np.argsort(-shares, kind="stable")[:MOST_CANDIDATES]
        gains = self.agent.values_after(view, moves[best], beliefs, SAMPLES, dice)
        # What counts is how far moves differ from the favourite, which is worth what the view is.
        worth = np.clip(value + 0.5 * (gains - gains[0]), 0.0, 1.0)
        candidates = tuple(
            Candidate((int(moves[index]),), float(chance), float(shares[index]))
            for index, chance in zip(best, worth, strict=True)
        )
        return Thoughts(
            self.scale, value, candidates, beliefs_of(view, believed(beliefs, view.turn))
        )

    def value(self, view: State, dice: Dice) -> float | None:
        """Return what the network says."""
        if setting_up(np.array(view.position)):
            return None
        self.agent.candidates(view)
        return 0.5 + 0.5 * self.agent.value


def beliefs_of(view: State, chances: NDArray[np.float32]) -> dict[str, dict[str, float]]:
    """Return how likely each rank is for every piece that the mover does not know."""
    side = view.game.board_shape[0]
    found = {}
    for piece in pieces_on(view.position).values():
        if piece.rank == UNKNOWN:
            likely = chances[:, piece.square]
            ranks = {RANK_LETTERS[SPY + index]: float(likely[index]) for index in range(RANKS - 1)}
            found[square_name(piece.square, side)] = ranks
    return found


class ValueJudge(Judge):
    """The mean values of the best moves over sampled positions."""

    def __init__(self, agent: Value) -> None:
        self.agent = agent

    def thoughts(self, view: State, dice: Dice) -> Thoughts:
        """Search as the agent does, and the best moves to their ends."""
        if setting_up(np.array(view.position)):
            return Thoughts(self.scale, None)
        chosen = self.agent.choose(view, dice)
        if self.agent.rollout is not None and self.agent.followed is not None:
            return self.told(self.agent.rollout, self.agent.followed)
        search = self.agent.search
        count = int(search.numbers[COUNT])
        order = sorted(range(count), key=lambda index: -float(search.means[index]))
        played = [index for index in order if search.moves[0, index] == chosen]
        found = [
            Candidate((int(search.moves[0, index]),), 0.5 + 0.5 * exact_value(self.agent, index))
            for index in dict.fromkeys(played + order[:MOST_CANDIDATES])
        ]
        found.sort(key=lambda each: -(each.value or 0.0))
        return Thoughts(self.scale, found[0].value, tuple(found))

    def told(self, rollout: Rollout, followed: Followed) -> Thoughts:
        """Return the moves that were followed, those in all samples first, and the best of them."""
        scores = rollout.scores(followed)
        scores[followed.finalists] += FAR
        candidates = tuple(
            Candidate(
                (int(followed.moves[index]),),
                float(0.5 + 0.5 * followed.values[index]),
                float(np.exp(followed.chances[index])),
            )
            for index in np.argsort(-scores, kind="stable")[:MOST_CANDIDATES]
        )
        return Thoughts(self.scale, candidates[0].value, candidates)


def exact_value(agent: Value, index: int) -> float:
    """Search one move of the root whole, whatever the others are worth."""
    search, numbers = agent.search, agent.search.numbers
    while True:
        found = float(search_move(search, index, -FAR))
        wanted = int(numbers[WANTED])
        if wanted == 0:
            return float(np.clip(found, -1.0, 1.0))
        write_planes(search.wanted, wanted, agent.planes)
        supply(search, evaluate_boards(agent.evaluate, agent.planes[:wanted]))
