"""``sandtable levels duel``: two agents on many new levels, each level from both sides."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sandtable.cli.common import EXIT_FORFEIT, EXIT_STOPPED, complete_agent, write_json
from sandtable.cli.text import counted, write
from sandtable.errors import SandtableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sandtable.arena.statistics.intervals import Estimate

__all__ = ["duel", "points_of_levels"]

AGENT = typer.Argument(..., help="Whose points are told.", autocompletion=complete_agent)
OTHER = typer.Argument(..., help="Its opponent.", autocompletion=complete_agent)


def duel(
    agent: str = AGENT,
    other: str = OTHER,
    count: int = typer.Option(200, "--count", "-n", min=1, help="Levels, two games on each."),
    seed: int = typer.Option(0, "--seed", "-s", min=0, help="Which levels; nobody trains on any."),
    options: str = typer.Option("both_empty=second", "--options", help="Of the game."),
    out: Path | None = typer.Option(None, "--json", help="Write the points into this file."),
) -> None:
    """Let two agents play each of many generated levels from both sides.

    A level counts once, with the mean of its two games, since the rules have no dice: agents that
    have none either would play the same games again. An agent that crashes or makes an illegal move
    forfeits that game; the command then ends with exit code 3.

    Example: `sandtable levels duel skirmish/champion alphabeta:budget=5000 --count 20`
    """
    import numpy as np

    from sandtable.arena.statistics.intervals import estimate_grouped_share
    from sandtable.cli.progress import games_progress

    if out is not None:
        write_json(out, None)
    with games_progress(f"{agent} against {other}", 2 * count) as progress:
        points, forfeits = points_of_levels(agent, other, count, seed, options, progress)
    whole = points[~np.isnan(points).any(axis=1)]
    if not len(whole):
        raise SandtableError("stopped before both games on any level were played")
    estimate = estimate_grouped_share(whole.mean(axis=1), games=2)
    sides = ", ".join(
        f"{100 * whole[:, seat].mean():.1f}% as {name}"
        for seat, name in enumerate(("First", "Second"))
    )
    typer.echo(f"{agent} scored {shown(estimate)} on {counted(len(whole), 'level')}: {sides}")
    if forfeits:
        games = f"{len(forfeits):,} of {2 * count:,} games were forfeited"
        write(f"{games}, the first on {forfeits[0]}", err=True)
    if out is not None:
        result = {
            "agent": agent,
            "other": other,
            "options": options,
            "levels": len(whole),
            "seed": seed,
            "share": round(estimate.mean, 4),
            "interval": None if math.isnan(estimate.low) else [estimate.low, estimate.high],
            "points": whole.tolist(),
            "forfeits": forfeits,
        }
        write_json(out, result)
    if len(whole) < count:
        typer.echo("stopped; the same command goes on from there", err=True)
        raise typer.Exit(EXIT_STOPPED)
    if forfeits:
        raise typer.Exit(EXIT_FORFEIT)


def shown(estimate: Estimate) -> str:
    """Write a share and its interval in percent."""
    low, high = estimate.low, estimate.high
    if math.isnan(low):
        return f"{100 * estimate.mean:.1f}% ({estimate.reason})"
    return f"{100 * estimate.mean:.1f}% (95% interval {100 * low:.1f} to {100 * high:.1f})"


def points_of_levels(
    agent: str,
    other: str,
    count: int,
    seed: int,
    options: str,
    progress: Callable[[int], None] = lambda games: None,
) -> tuple[NDArray[np.float64], list[str]]:
    """Return what the agent scored [level, side], nan where a game was not played, and forfeits.

    >>> points, forfeits = points_of_levels("skirmish/greedy", "random", 1, 0, "both_empty=second")
    >>> points.shape, forfeits
    ((1, 2), [])
    """
    import numpy as np

    from sandtable.arena.play.match import open_run
    from sandtable.arena.play.plan import make_plan
    from sandtable.arena.play.run import RunOptions
    from sandtable.dice import suite_seed
    from sandtable.games.skirmish.generator import judged_levels

    levels = list(judged_levels(seed, count))
    games = [f"skirmish:level=random-{level},{options}".rstrip(",") for level in levels]
    plans = [
        make_plan(game, agents, 1, suite_seed(seed, game))  # dice of its own for every level
        for game in games
        for agents in ([agent, other], [other, agent])
    ]
    points: NDArray[np.float64] = np.full((count, 2), np.nan)
    forfeits: dict[int, str] = {}
    try:
        with open_run(plans, RunOptions(), journals=[]) as run:
            for number, chunk in run.chunks():
                points[divmod(number, 2)] = 0.5 + 0.5 * chunk.scores[0][number % 2]
                for _, _, reason in chunk.forfeits:
                    forfeits[number] = f"random-{levels[number // 2]}: {reason}"
                progress(1)
            run.complete()
    except KeyboardInterrupt:
        pass
    return points, [forfeits[number] for number in sorted(forfeits)]
