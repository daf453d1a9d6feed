"""The games of pgx on the processor: whole runs of steps compiled as one, then timed warm."""

from __future__ import annotations

from typing import Any

from sandtable.benchmarking.figures import Figure
from sandtable.benchmarking.ours import STEPS
from sandtable.benchmarking.timing import Effort, measured

__all__ = ["pgx_figure"]

SOURCE = "pgx"
AT_ONCE = 20  # steps of all games in one call


def pgx_figure(game: str, name: str, size: int, effort: Effort) -> Figure:
    """Measure one game of pgx as a yardstick: random games that begin anew when they are over.

    The state that is carried from step to step holds observations and masks, as ours do.
    """
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    with jax.default_device(jax.devices("cpu")[0]):
        environment = pgx.make(name)
        step = jax.vmap(auto_reset(environment.step, environment.init))

        def one(carried: Any, _: None) -> tuple[Any, None]:
            state, key = carried
            key, choosing, playing = jax.random.split(key, 3)
            chances = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
            actions = jax.random.categorical(choosing, chances, axis=1)
            return (step(state, actions, jax.random.split(playing, size)), key), None

        run = jax.jit(lambda carried: jax.lax.scan(one, carried, None, length=AT_ONCE)[0])
        first = jax.jit(jax.vmap(environment.init))(jax.random.split(jax.random.PRNGKey(0), size))
        carried = (first, jax.random.PRNGKey(1))
        finished: Any = jax.block_until_ready

        def work() -> float:
            nonlocal carried
            carried = finished(run(carried))
            return float(AT_ONCE * size)

        timing = measured(work, effort)
        return Figure(game, f"{name}, batch of {size}", STEPS, timing, SOURCE, planes=True)
