"""Blue's force groups with what the semantic agent's networks say of each, as data."""

from __future__ import annotations

from typing import Any

import numpy as np

from sandtable.games.lucid.agents.categories import CATEGORIES
from sandtable.games.lucid.agents.force_groups import FEATURE_NAMES, force_groups
from sandtable.games.lucid.agents.semantic.networks import BUNDLED, load_networks, outputs
from sandtable.games.lucid.notation import node_name
from sandtable.types import Position

__all__ = ["group_data"]

DIGITS = 3


def group_data(position: Position) -> list[dict[str, Any]]:
    """Return key, nodes, units, features and categories of every group."""
    networks = load_networks(BUNDLED)
    groups = []
    for group in force_groups(np.array(position)):
        answers = np.empty(len(CATEGORIES))
        outputs(networks, group.features, answers)
        categories = [round(float(value), DIGITS) for value in answers]
        features = [round(float(value), DIGITS) for value in group.features]
        groups.append(
            {
                "key": group.key,
                "nodes": [node_name(node) for node in group.nodes],
                "units": int(sum(group.units)),
                "features": dict(zip(FEATURE_NAMES, features, strict=True)),
                "categories": dict(zip(CATEGORIES, categories, strict=True)),
            }
        )
    return groups
