"""A run of every recipe that takes a moment: the preset, and what is made smaller."""

from __future__ import annotations

import dataclasses
from functools import cache

from sandtable.learning.config import RunConfig
from sandtable.learning.recipes import Recipe, load_recipe

LUCID = {"games": 40, "generation": 20, "tries": 1, "batch": 16}
TINY = {
    "gravwell/fictitious-play": ("self-play", {"games": 8, "block": 4, "samples": 1, "players": 2}),
    "selfplay": (
        "usual",
        {
            "game": "gravwell:players=2",
            "width": 8,
            "blocks": 1,
            "games": 8,
            "generation": 4,
            "rows": 4,
            "simulations": 2,
            "batch": 16,
        },
    ),
    "response": (
        "usual",
        {
            "game": "gravwell:players=2",
            "against": "random",
            "width": 8,
            "blocks": 1,
            "games": 8,
            "generation": 4,
            "rows": 4,
            "trials": 3,
            "batch": 16,
            "least_steps": 2,
        },
    ),
    "gravwell/champion": ("champion", {"games": 40, "generation": 20, "samples": 1, "batch": 32}),
    "gravwell/neuro-evolution": (
        "improved",
        {
            "generations": 3,
            "parents": 2,
            "copies": 2,
            "judging": 20,
            "screening": 8,
            "screened": 2,
            "final_games": 20,
        },
    ),
    "gravwell/q-learning": ("published", {"games": 50, "block": 20}),
    "lucid/champion-blue": ("look-ahead", LUCID | {"games": 4, "generation": 2}),
    "lucid/champion-red": ("champion", LUCID),
    "lucid/champions": (
        "champions",
        {
            "rounds": 2,
            "first_games": 8,
            "pair_games": 4,
            "response_games": 4,
            "last_games": 4,
            "generation": 4,
            "tries": 1,
            "candidates": 1,
            "last_tries": 1,
            "last_candidates": 1,
            "batch": 16,
        },
    ),
    "lucid/semantic": ("published", {"examples": 500}),
    "lucid/td": ("self-play", LUCID | {"scattered_first": 20}),
    "skirmish/champion": (
        "champion",
        {"games": 16, "generation": 8, "budget": 12, "levels": 2, "batch": 32},
    ),
    "skirmish/dsl": (
        "thesis",
        {
            "budget": 20,
            "games": 3,
            "simple_games": 1,
            "simple_budget": 40,
            "max_turns": 4,
            "replay": 12,
            "batch": 4,
        },
    ),
    "stratego/champion": ("tiny", {}),
    "stratego/policy": ("published", {"player": "random", "games": 5, "steps": 4, "batch": 16}),
    "stratego/value": (
        "published",
        {
            "players": "random",
            "games": 4,
            "games_in_shard": 2,
            "candidates": 5,
            "kept": 3,
            "playouts": 10,
            "steps": 4,
            "batch": 4,
            "rounds": 2,
            "loop_games": 2,
            "agent": "samples=1,attacks=0",
        },
    ),
}


@cache
def tiny_run(name: str) -> tuple[Recipe, RunConfig]:
    """Return a recipe and its tiny configuration."""
    recipe = load_recipe(name)
    preset, changes = TINY[name]
    return recipe, dataclasses.replace(recipe.presets[preset], **changes)
