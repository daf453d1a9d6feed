"""The configuration of Deep-State Learning: every number that makes no sense is refused by name."""

from __future__ import annotations

import dataclasses

import pytest

from sandtable.errors import SandtableError
from sandtable.games.skirmish.learning.dsl.config import IMPROVED, THESIS, check_config


@pytest.mark.parametrize("config", [THESIS, IMPROVED])
def test_the_presets_make_sense(config):
    check_config(config)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(THESIS)])
def test_every_number_has_a_limit(name):
    if isinstance(getattr(THESIS, name), (bool, str)):
        return
    for wrong in (-1, float("nan")):
        if name == "win_reward" and wrong == -1:
            continue  # whoever wants to
        option = f"--{name.replace('_', '-')} "
        with pytest.raises(SandtableError, match=rf"^{option}.*, got {wrong}$"):
            check_config(dataclasses.replace(THESIS, **{name: wrong}))


@pytest.mark.parametrize("name", ["budget", "games", "replay", "games_at_once", "learning_rate"])
def test_nothing_is_not_enough(name):
    with pytest.raises(SandtableError, match="got 0"):
        check_config(dataclasses.replace(THESIS, **{name: 0}))


def test_there_must_be_a_level():
    with pytest.raises(SandtableError, match="nothing to train on"):
        check_config(dataclasses.replace(THESIS, levels=" "))
    check_config(dataclasses.replace(THESIS, levels="", generated_levels=1))
