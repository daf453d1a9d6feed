"""What both recipes of the 2015 paper on Stratego can be told: rules, network, boards seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sandtable.errors import SandtableError
from sandtable.games.stratego import layout
from sandtable.games.stratego.learning.networks import (
    ALL_CHANNELS,
    FULL,
    SHARED,
    USUAL_SHAPES,
    NetworkShape,
)
from sandtable.learning.config import RunConfig, config_field

__all__ = ["BoardConfig", "shape_of", "shape_of_saved", "side_of_variant"]

LOSES_EDGES, KEEPS_SIZE = "shrinking", "same"


@dataclass(frozen=True)
class BoardConfig(RunConfig):
    """The options of both recipes; what stands here is what ours have.

    >>> BoardConfig(channels="12").channels
    '12'
    """

    variant: str = config_field(
        "classic", "The variant that is played.", choices=layout.VARIANT_NAMES
    )
    ends: str = config_field("tournament", "How games end.", choices=("tournament", "paper"))
    mirror: bool = config_field(True, "Whether every second board is mirrored.")
    turned: bool = config_field(True, "Whether Blue sees the board turned.")
    channels: str = config_field(ALL_CHANNELS, "Planes that the network sees, of 1 to 6.")
    layers: int = config_field(3, "Convolutions.", least=1, most=20)
    filters: int = config_field(32, "Filters of a convolution.", least=1, most=512)
    filter_size: int = config_field(3, "Squares on the side of a filter, odd.", least=1, most=9)
    hidden: int = config_field(64, "Units between the two linear layers.", least=1, most=4096)
    seed: int = config_field(0, "Everything follows from it.", least=0)

    def check(self) -> None:
        """Refuse filters without a middle, and planes that there are not."""
        if self.filter_size % 2 == 0:
            raise SandtableError(f"--filter-size is an odd number, got {self.filter_size}")
        if not self.channels or set(self.channels) - set(ALL_CHANNELS):
            raise SandtableError(f"--channels are digits of 1 to 6, got '{self.channels}'")


def side_of_variant(variant: str) -> int:
    """Return the side of a variant's board.

    >>> side_of_variant("mini")
    6
    """
    return int(layout.SIDES[layout.VARIANT_NAMES.index(variant)])


def shape_of(kind: str, config: BoardConfig) -> NetworkShape:
    """Return the shape of the network that a configuration asks for."""
    saved = {name: getattr(config, name) for name in vars(config)}
    return shape_of_saved(kind, saved)


def shape_of_saved(kind: str, saved: dict[str, Any]) -> NetworkShape:
    """Return the shape of a run's network; runs before there was a choice have the usual one.

    >>> shape_of_saved("value", {}) == USUAL_SHAPES["value"]
    True
    """
    usual = USUAL_SHAPES[kind]
    return NetworkShape(
        side=side_of_variant(saved.get("variant", "classic")),
        layers=int(saved.get("layers", usual.layers)),
        filters=int(saved.get("filters", usual.filters)),
        filter_size=int(saved.get("filter_size", usual.filter_size)),
        hidden=int(saved.get("hidden", usual.hidden)),
        padded=saved.get("padding", KEEPS_SIZE if usual.padded else LOSES_EDGES) == KEEPS_SIZE,
        head=FULL if saved.get("head", SHARED) == FULL else SHARED,
        channels=str(saved.get("channels", usual.channels)),
    )
