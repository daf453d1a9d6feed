"""Networks of Stratego fitted for a study: data once for all variants that can share it.

A variant is a preset of the recipe ``stratego/policy`` or ``stratego/value``. Its games are played
as the recipe plays them and kept in memory, so that presets which differ in the network alone learn
from the very same examples. Needs torch, which is imported when something is measured.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sandtable.arena.statistics.intervals import estimate_grouped_share, estimate_mean
from sandtable.reproduce.run import Report, Settings
from sandtable.reproduce.studies import Measurement, score_against

if TYPE_CHECKING:
    from sandtable.games.stratego.learning.fitting import Fitting
    from sandtable.learning.shards import Arrays

__all__ = ["Fitted", "accuracies", "fit_preset", "strength"]

PIECES = 20  # of the steps, each counted on the bar
NETWORK_FIELDS = (
    "layers", "filters", "filter_size", "hidden", "channels", "mirror", "head", "padding",
    "steps", "batch", "learning_rate", "momentum", "decay", "held_out",
)  # fmt: skip
PLAIN = {"policy": "haste=0", "value": "contempt=0,fading=false,haste=0"}
QUICK_STEPS, QUICK_SHARDS = 20, 12


@dataclass(frozen=True)
class Fitted:
    """A network that has learned, with the examples it learned from and those held out."""

    kind: str
    config: Any
    fitting: Fitting
    learned: Arrays
    held_out: tuple[Arrays, ...]  # game by game, of values a few games: each is one observation


def data_of(config: Any) -> Any:
    """Return a configuration in which only what its data depend on is kept."""
    usual = type(config)()
    names = [name for name in NETWORK_FIELDS if hasattr(config, name)]
    return replace(config, **{name: getattr(usual, name) for name in names})


PLAYED: dict[tuple[str, Any], list[list[Arrays]]] = {}  # shards by kind and data_of


def shard_of_games(kind: str, config: Any, number: int) -> list[Arrays]:
    """Play and label the games of one shard; of moves every game is by itself."""
    from sandtable.games.stratego.learning import policy, value

    if kind == "policy":
        return policy.games_of_shard(config, number)
    return [value.make_labels(config, Path(), 0, number)]


def all_shards(
    kind: str, config: Any, count: int, progress: Callable[[int], None]
) -> list[list[Arrays]]:
    """Return the shards of a run, played once for all variants of this process."""
    played = PLAYED.setdefault((kind, config), [])
    progress(min(count, len(played)))
    while len(played) < count:
        played.append(shard_of_games(kind, config, len(played)))
        progress(1)
    return played[:count]


def shards_wanted(kind: str, config: Any, quick: bool) -> int:
    """Return how many shards a preset has; a few if it is only for a first look."""
    from sandtable.games.stratego.learning import policy, value

    count = policy.shards_of(config) if kind == "policy" else value.shards_of(config, 0)
    return min(count, QUICK_SHARDS) if quick else count


def games_of(shards: Sequence[list[Arrays]]) -> list[Arrays]:
    """Return the parts of shards one after the other."""
    return [part for shard in shards for part in shard]


def fit_preset(
    kind: str,
    preset: str,
    settings: Settings,
    report: Report,
    games_share: float = 1.0,
    judged_by: str = "",
) -> Fitted:
    """Fit a network as a preset says, to all or the first part of the games to learn from.

    The games held out may be taken as another preset labels them, if it has the same number.
    """
    import torch

    from sandtable.games.stratego.learning.board_config import shape_of
    from sandtable.games.stratego.learning.fitting import Fitting, falling_rates, held_out_shards
    from sandtable.games.stratego.learning.networks import new_network
    from sandtable.learning.recipes import load_recipe
    from sandtable.learning.shards import in_a_row
    from sandtable.learning.torch_networks import chosen_device

    config = replace(load_recipe(f"stratego/{kind}").presets[preset], seed=settings.seed)
    count = shards_wanted(kind, config, settings.quick)
    with report(f"{kind} {preset}: games", count) as progress:
        shards = all_shards(kind, data_of(config), count, progress)
    out = held_out_shards(count, config.held_out)
    learned = in_a_row(games_of(shards[: max(1, round(games_share * (count - out)))]))
    torch.set_num_threads(max(1, settings.jobs or 1))
    network = new_network(kind, config.seed, shape_of(kind, config))
    device = chosen_device("auto")
    fitting = Fitting(network, device, config.momentum, config.decay, config.mirror)
    fitting.set_examples(learned)
    steps = QUICK_STEPS if settings.quick else config.steps
    with report(f"{kind} {preset}: steps", steps) as progress:
        ends = [steps * (piece + 1) // PIECES for piece in range(PIECES)]
        for first, end in zip([0, *ends], ends, strict=False):
            rates = falling_rates(first, end - first, steps, config.learning_rate)
            fitting.run(config.seed, first, end - first, config.batch, rates)
            progress(end - first)
    if judged_by:
        other = replace(load_recipe(f"stratego/{kind}").presets[judged_by], seed=settings.seed)
        with report(f"{kind} {judged_by}: games", count) as progress:
            shards = all_shards(kind, data_of(other), count, progress)
    judging = games_of(shards[count - out :] or shards)
    return Fitted(kind, config, fitting, learned, tuple(judging))


def accuracies(fitted: Fitted, at: float | None = None) -> list[Measurement]:
    """Return how well a network does on games held out, and on those it has learned from."""
    judged = [fitted.fitting.judge(each) for each in fitted.held_out]
    examples = sum(len(each["targets"]) for each in fitted.held_out)
    losses = estimate_mean(np.array([loss for loss, _ in judged]))
    right = estimate_grouped_share(np.array([share for _, share in judged]))
    loss, known = fitted.fitting.judge(fitted.learned)
    named, lost = (
        ("moves named (%)", "cross entropy")
        if fitted.kind == "policy"
        else ("signs right (%)", "squared error")
    )
    what = "moves" if fitted.kind == "policy" else "positions"
    return [
        figure(f"{named}, held out", 100, right, examples, what, at),
        figure(f"{lost}, held out", 1, losses, examples, what, at),
        Measurement(f"{named}, learned from", 100 * known, count=len(fitted.learned["targets"]),
                    counted=what, at=at),
        Measurement(f"{lost}, learned from", loss, count=len(fitted.learned["targets"]),
                    counted=what, at=at),
    ]  # fmt: skip


def figure(
    quantity: str, factor: float, estimate: Any, count: int, counted: str, at: float | None
) -> Measurement:
    """Return an estimate over shards as a figure that says from how many examples."""
    low, high = (factor * end if estimate.shown else None for end in (estimate.low, estimate.high))
    mean, reason = factor * estimate.mean, estimate.reason
    return Measurement(quantity, mean, low, high, count, counted, at, no_interval=reason)


@contextmanager
def written(fitted: Fitted) -> Iterator[Path]:
    """Write a network for playing, for as long as it plays."""
    from sandtable.games.stratego.learning.networks import export_network

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{fitted.kind}.onnx"
        notes = {"turned": str(fitted.config.turned)}
        export_network(fitted.fitting.network, path, notes)
        yield path


def strength(
    fitted: Fitted,
    opponent: str,
    settings: Settings,
    report: Report,
    games: int,
    at: float | None = None,
) -> Measurement:
    """Let the plain agent play with a network; return the share it wins in per cent."""
    with written(fitted) as path:
        agent = f"stratego/{fitted.kind}:{PLAIN[fitted.kind]},weights={path}"
        won = score_against(
            "stratego:long_scouts=false,repetition=version-1",
            [agent, opponent],
            settings,
            report,
            games=games,
            quick=4,
            label=f"{fitted.kind} - {opponent}",
            share=True,
        )
    return figure(f"games won against {opponent} (%)", 100, won, won.count, "games", at)
