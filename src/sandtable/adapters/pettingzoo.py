"""Any game as a PettingZoo environment, one seat after the other or all seats at once.

Observations are dictionaries with the planes a seat may see and the mask of its legal actions. A
game gives no rewards before its end; then every agent gets its score. An action that is not legal
ends the game (see ``adapters.seats``): it is never an exception.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sandtable.adapters.seats import Episodes, plane_bounds, rendered
from sandtable.errors import MissingExtra
from sandtable.registry import make_game
from sandtable.types import OVER, Game

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ImportError as problem:
    raise MissingExtra("a PettingZoo environment", "interop") from problem

__all__ = ["SandtableAEC", "SandtableParallel", "aec_env", "parallel_env"]

RENDER_MODES = ["ansi", "human", "rgb_array"]


def aec_env(
    game: str | Game, render_mode: str | None = None, max_cycles: int | None = None
) -> SandtableAEC:
    """Return a game, by its spec, as an environment in which seats act one after the other."""
    made = make_game(game) if isinstance(game, str) else game
    return SandtableAEC(made, render_mode, max_cycles)


def parallel_env(
    game: str | Game, render_mode: str | None = None, max_cycles: int | None = None
) -> SandtableParallel:
    """Return a game, by its spec, as an environment in which all seats are asked at once."""
    made = make_game(game) if isinstance(game, str) else game
    return SandtableParallel(made, render_mode, max_cycles)


def observation_space(game: Game, actions: int) -> spaces.Dict:
    """Return the space of what a seat sees."""
    low, high = plane_bounds(game)
    return spaces.Dict(
        {
            "observation": spaces.Box(low, high, dtype=np.float32),
            "action_mask": spaces.Box(0, 1, (actions,), dtype=np.int8),
        }
    )


class SandtableAEC(AECEnv):  # type: ignore[misc]
    """Seats act one after the other, as the game says; ``max_cycles`` actions end it for all."""

    def __init__(
        self, game: Game, render_mode: str | None = None, max_cycles: int | None = None
    ) -> None:
        super().__init__()
        self.game = game
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.cycles = 0
        self.metadata = {
            "name": f"sandtable_{game.name}_v{game.version}",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.episodes = Episodes(game)
        self.possible_agents = list(game.seats)
        seen, actions = observation_space(game, game.action_count), game.action_count
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = {name: spaces.Discrete(actions) for name in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return what an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the numbers of the actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: the first of a seed, or the next one."""
        self.episodes.begin(seed)
        self.cycles = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self.agent_selection = self.possible_agents[max(self.episodes.turn, 0)]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may see and do."""
        seat = self.possible_agents.index(agent)
        return {
            "observation": self.episodes.observation(seat),
            "action_mask": self.episodes.mask(seat),
        }

    def step(self, action: int | None) -> None:
        """Play an action of the agent that is selected."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        legal = self.episodes.play_seen(action if action is not None else -1)
        self.cycles += 1
        if self.episodes.over:
            self.finish(legal)
        elif self.cycles == self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self.episodes.turn]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def finish(self, legal: bool) -> None:
        """Hand out the scores."""
        for seat, score in enumerate(self.episodes.scores()):
            name = self.possible_agents[seat]
            self.rewards[name] = score
            self.terminations[name] = True
            if not legal:
                self.infos[name]["illegal_action_by"] = self.possible_agents[
                    int(self.episodes.offender or 0)
                ]
        self.agent_selection = self.agents[0]

    def render(self) -> Any:
        """Draw the whole position, nothing hidden."""
        return rendered(self.episodes.session.state, self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""


class SandtableParallel(ParallelEnv):  # type: ignore[misc]
    """All seats are asked in every step; who is not to act may only wait.

    There is one action more than the game has, the last one: to wait. For a seat that is to act it
    is not legal, for all others it is the only legal one. ``max_cycles`` steps end it for all.
    """

    def __init__(
        self, game: Game, render_mode: str | None = None, max_cycles: int | None = None
    ) -> None:
        self.game = game
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.cycles = 0
        self.metadata = {
            "name": f"sandtable_{game.name}_parallel_v{game.version}",
            "render_modes": RENDER_MODES,
            "render_fps": 2,
        }
        self.episodes = Episodes(game)
        self.wait = game.action_count
        self.possible_agents = list(game.seats)
        self.agents: list[str] = []
        seen = observation_space(game, game.action_count + 1)
        actions = spaces.Discrete(game.action_count + 1)
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = dict.fromkeys(self.possible_agents, actions)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return what an agent's observations look like."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the numbers of the actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game: the first of a seed, or the next one."""
        self.episodes.begin(seed)
        self.cycles = 0
        self.agents = list(self.possible_agents)
        return self.observations(), {name: {} for name in self.agents}

    def observations(self) -> dict[str, Any]:
        """Return what every agent may see and do."""
        return {name: self.observation(seat) for seat, name in enumerate(self.possible_agents)}

    def observation(self, seat: int) -> dict[str, Any]:
        """Return what a seat may see and do."""
        mask = np.zeros(self.wait + 1, dtype=np.int8)
        mask[:-1] = self.episodes.mask(seat)
        mask[-1] = self.episodes.turn not in (seat, OVER)
        return {"observation": self.episodes.observation(seat), "action_mask": mask}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Any],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play the action of the seat to act; what the others send counts as waiting."""
        names = list(self.agents)
        if names:
            self.episodes.play_seen(
                actions.get(self.possible_agents[self.episodes.turn], self.wait)
            )
        self.cycles += 1
        over = self.episodes.over
        late = not over and self.cycles == self.max_cycles
        scores = self.episodes.scores() if over else (0.0,) * len(self.possible_agents)
        rewards = dict(zip(self.possible_agents, scores, strict=True))
        infos: dict[str, dict[str, Any]] = {name: {} for name in names}
        if self.episodes.offender is not None:
            for info in infos.values():
                info["illegal_action_by"] = self.possible_agents[self.episodes.offender]
        seen = self.observations()
        ended, cut = dict.fromkeys(names, over), dict.fromkeys(names, late)
        if over or late:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return seen, {name: rewards[name] for name in names}, ended, cut, infos

    def render(self) -> Any:
        """Draw the whole position, nothing hidden."""
        return rendered(self.episodes.session.state, self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""
