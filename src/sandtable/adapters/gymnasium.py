"""Any game in Gymnasium: one seat learns against agents, or thousands of games run at once.

``SingleSeatEnv`` works with whatever understands ``action_masks()``, such as MaskablePPO. An action
that is not legal ends the game with the seat's lowest score; it is never an exception.
``BatchVectorEnv`` steps thousands of games in kernels. Observations, masks and actions are all in
the frame of the seat that acts (see ``Game.action_frames``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.adapters.seats import Episodes, plane_bounds, rendered
from sandtable.agent import Agent, adopted, offers
from sandtable.batch import Batch
from sandtable.dice import Dice
from sandtable.errors import MissingExtra, SandtableError
from sandtable.registry import check_seats, make_agent, make_game
from sandtable.types import OVER, Game

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as problem:
    raise MissingExtra("a Gymnasium environment", "interop") from problem

__all__ = ["BatchVectorEnv", "SingleSeatEnv", "single_seat_env"]

RENDER_MODES = ["ansi", "human", "rgb_array"]
MOST_GAMES_WITHOUT_US = 100  # in a row, before we give up


def single_seat_env(
    game: str | Game,
    seat: int | str = 0,
    opponents: str | Sequence[str] = "random",
    render_mode: str | None = None,
) -> SingleSeatEnv:
    """Return a game, by its spec, in which one seat learns against agents."""
    return SingleSeatEnv(
        make_game(game) if isinstance(game, str) else game, seat, opponents, render_mode
    )


class SingleSeatEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """One seat of a game; the others are played by agents, given by their specs."""

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012 - as Gymnasium wants

    def __init__(
        self,
        game: Game,
        seat: int | str = 0,
        opponents: str | Sequence[str] = "random",
        render_mode: str | None = None,
    ) -> None:
        self.game = game
        self.render_mode = render_mode
        self.seat = game.seat_number(str(seat))
        self.episodes = Episodes(game)
        self.others = self.made(opponents)
        self.watching = [seat for seat, agent in self.others.items() if offers(agent, "watch")]
        low, high = plane_bounds(game)
        self.observation_space = spaces.Box(low, high, dtype=np.float32)
        self.action_space = spaces.Discrete(game.action_count)
        self.streams: dict[int, Dice] = {}
        self.pending: list[int] = []  # actions of a turn that an opponent has chosen

    def made(self, opponents: str | Sequence[str]) -> dict[int, Agent]:
        """Make the agents of the other seats."""
        seats = [seat for seat in range(len(self.game.seats)) if seat != self.seat]
        specs = [opponents] * len(seats) if isinstance(opponents, str) else list(opponents)
        if len(specs) != len(seats):
            raise SandtableError(f"{len(seats)} seats are left for opponents, got {len(specs)}")
        whole = list(specs)
        whole.insert(self.seat, "random")  # who learns may sit anywhere
        check_seats(self.game, whole)
        return {seat: adopted(make_agent(spec)) for seat, spec in zip(seats, specs, strict=True)}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a game and let the others play until it is our turn."""
        super().reset(seed=seed)
        for _ in range(MOST_GAMES_WITHOUT_US):
            self.begin(seed)
            seed = None
            self.let_others_play()
            if not self.episodes.over:  # games that end before we act are no use to a learner
                return self.episodes.observation(self.seat), {
                    "action_mask": self.episodes.mask(self.seat)
                }
        raise SandtableError(
            f"{MOST_GAMES_WITHOUT_US} games of {self.game.spec} in a row ended before "
            f"{self.game.seats[self.seat]} could act: choose another seat or a longer game"
        )

    def begin(self, seed: int | None) -> None:
        """Begin a game, and tell the agents."""
        self.episodes.begin(seed, self.watching)
        self.pending = []
        for seat, agent in self.others.items():
            stream = Dice(self.episodes.seed, f"agent {seat}", self.episodes.number)
            self.streams[seat] = stream
            agent.begin(self.game, seat, stream)

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play, and let the others answer."""
        self.play(self.game.board_action(self.seat, int(action)))
        self.let_others_play()
        over = self.episodes.over
        reward = float(self.episodes.scores()[self.seat]) if over else 0.0
        info: dict[str, Any] = {"action_mask": self.episodes.mask(self.seat)}
        if self.episodes.offender is not None:
            info["illegal_action_by"] = self.game.seats[self.episodes.offender]
        if self.render_mode == "human":
            self.render()
        return self.episodes.observation(self.seat), reward, over, False, info

    def let_others_play(self) -> None:
        """Play for the other seats until it is our turn or the game is over."""
        while self.episodes.turn not in (self.seat, OVER):
            seat = self.episodes.turn
            if not self.pending:
                chosen = self.others[seat].choose(
                    self.episodes.session.view(seat), self.streams[seat]
                )
                several = not isinstance(chosen, (int, np.integer))
                self.pending = [int(each) for each in chosen] if several else [int(chosen)]  # type: ignore[union-attr,arg-type]
            self.play(self.pending.pop(0))

    def play(self, action: int) -> None:
        """Play one action, and show it to the agents as far as they may know it."""
        if not self.episodes.play(action):
            return
        session = self.episodes.session
        for seat, shown in zip(session.observers, session.announced, strict=True):
            self.others[seat].watch(session.view(seat), shown)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, as MaskablePPO asks for it."""
        return self.episodes.mask(self.seat).astype(np.bool_)

    def render(self) -> Any:
        """Draw what our seat may see."""
        return rendered(self.episodes.session.view(self.seat), self.render_mode)

    def close(self) -> None:
        """End the agents."""
        for agent in self.others.values():
            agent.close()


class BatchVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """Many games stepped by kernels. Every action is for the seat that is to act in its game.

    One learner plays all seats: ``info["seat"]`` says whose turn it is, ``info["action_mask"]``
    what is legal, and in the step that ends a game the reward is the score of the seat that
    moved; ``info["scores"]`` has those of all where ``info["_scores"]`` is true. Finished games
    begin anew in the same step; their last observations are not kept, since a game is never cut
    off and nothing comes after its end. What is not legal in a game is rewarded with the lowest
    score of the seat and replaced by a random legal action; ``info["illegal"]`` tells. The arrays
    are those of the batch: they change in the next step, so copy what you want to keep.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as Gymnasium wants

    def __init__(self, game: str | Game, num_envs: int, threads: int = 1) -> None:
        self.game = make_game(game) if isinstance(game, str) else game
        self.num_envs, self.threads = num_envs, threads
        low, high = plane_bounds(self.game)
        self.single_observation_space = spaces.Box(low, high, dtype=np.float32)
        self.single_action_space = spaces.Discrete(self.game.action_count)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.lowest = np.array([low for low, _ in self.game.score_bounds])  # [seat]
        self.batch: Batch | None = None

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin all games anew; without a seed with the games that come next."""
        if isinstance(seed, list):
            seed = seed[0]
        if seed is not None or self.batch is None:
            begun = int(Dice.fresh().array[0] >> np.uint64(1)) if seed is None else seed
            self.batch = Batch(
                self.game, self.num_envs, begun, threads=self.threads, auto_reset=True
            )
        else:
            self.batch.reset(int(self.batch.numbers.max()) + 1)
        return self.batch.observations, self.info()

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Play one action in every game."""
        if self.batch is None:
            raise RuntimeError("call reset() before step()")
        batch = self.batch
        given = np.asarray(actions, dtype=np.int64)
        rows = np.arange(self.num_envs)
        known = (given >= 0) & (given < self.game.action_count)
        illegal = ~known | ~batch.masks[rows, np.where(known, given, 0)]
        if illegal.any():
            given = np.where(illegal, batch.random_actions(), given)
        movers = np.array(batch.turns)
        batch.step(given)
        over = np.array(batch.over)
        rewards = np.where(over, batch.scores[rows, np.maximum(movers, 0)], 0.0)
        rewards = np.where(illegal, self.lowest[movers], rewards)
        scores = np.array(batch.scores)
        info = self.info()
        if illegal.any():
            info["illegal"] = illegal
        if over.any():
            info["scores"], info["_scores"] = scores, over
        return batch.observations, rewards, over, np.zeros_like(over), info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal in every game."""
        if self.batch is None:
            raise RuntimeError("call reset() before action_masks()")
        return self.batch.masks

    def info(self) -> dict[str, Any]:
        """Return whose turn it is and what is legal."""
        assert self.batch is not None
        return {"seat": self.batch.turns, "action_mask": self.batch.masks}
