"""Levels as text, what makes them fair, and the generator."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.games.skirmish import levels
from sandtable.games.skirmish.game import level_named
from sandtable.games.skirmish.generator import (
    LAST_JUDGED,
    TRAINING_LEVELS,
    generate_level,
    judged_levels,
    noise,
    perlin_layer,
)
from sandtable.games.skirmish.learning.champion.games import FIRST_LEVEL
from sandtable.games.skirmish.learning.dsl.config import IMPROVED
from sandtable.games.skirmish.learning.dsl.games import level_names
from sandtable.learning.config import check_config
from sandtable.registry import make_game

# As in the table of figures: a byte for each row, the highest bit on the left; squares of towns.
FIGURES = {
    "1": ("ff7fbefbe37fffff", (6, 4), (1, 4)),
    "2": ("fc3e7fbff89fff99", (6, 4), (1, 3)),
    "3": ("be8dedffffed7fff", (5, 2), (1, 5)),
    "4": ("f7efffefff9fdede", (6, 5), (1, 1)),
    "5": ("ff99dcbffff7ffff", (6, 2), (2, 4)),
    "6": ("e77f3f8fc7ff7ffb", (6, 2), (1, 5)),
    "7": ("ffff87bfffffdd1f", (6, 4), (1, 5)),
}
PLENTY = settings(max_examples=200, deadline=None, derandomize=True)


@pytest.mark.parametrize("name", FIGURES)
def test_published_levels_are_the_published_figures(name):
    digits, first, second = FIGURES[name]
    bits = f"{int(digits, 16):064b}"
    level = levels.parse_level(levels.PUBLISHED[name])
    assert "".join("01"[cell] for cell in level.land) == bits
    assert level.towns == ((first[0] * 8 + first[1],), (second[0] * 8 + second[1],))
    assert levels.format_level(level) == levels.PUBLISHED[name]
    assert levels.check_level(level) == []


@PLENTY
@given(st.integers(0, 2**64 - 1), st.data())
def test_levels_come_back_from_their_text(bits, data):
    land = [bool(bits >> square & 1) for square in range(64)]  # quicker to draw than 64 of them
    squares = [square for square in range(64) if land[square]]
    chosen = (
        data.draw(st.lists(st.sampled_from(squares), unique=True, max_size=4)) if any(land) else []
    )
    level = levels.Level(tuple(land), (tuple(sorted(chosen[:2])), tuple(sorted(chosen[2:]))))
    assert levels.parse_level(levels.format_level(level)) == level
    assert isinstance(levels.check_level(level), list)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "8 rows split by '/', got 1"),
        ("8/8", "8 rows split by '/', got 2"),
        ("8/8/8/8/8/8/8/44T", "row '44T' has 9 squares"),
        ("8/8/8/8/8/8/8/0x7", "'0' in row '0x7' means nothing"),
        ("8/8/8/8/8/8/8/7k", "'k' in row '7k' means nothing"),
        ("8/8/8/8/8/8/8/7W", "only towns stand on it, not what is on h1"),
    ],
)
def test_unreadable_levels(text, words):
    with pytest.raises(levels.UnreadableLevel, match=words) as caught:
        levels.parse_level(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8/8/8/8/8/8/8/8", "First needs one town, got none; Second needs one town, got none"),
        ("8/3t4/8/8/8/8/3TT3/8", "First needs one town, got 2"),
        ("8/3T4/8/8/8/8/3t4/8", "First's town on d7 is not in the lower half; Second's town on d2"),
        ("8/3t4/8/xxxxxxxx/8/8/3T4/8", "no way over land joins the two towns"),
        ("8/8/8/3t4/3T4/8/8/8", "the towns are 1 steps apart, fewer than 3"),
        ("tx6/1x6/1x6/8/8/8/3T4/8", "Second has 3 land squares within 2 steps of its town"),
        ("8/8/4t3/8/8/1xxx4/1T1x4/1xxx4", "unfair: First has 7 and Second 25 land squares within"),
        ("8/t7/8/8/8/3T4/8/8", "more than 14 apart"),
    ],
)
def test_unfair_levels_are_refused_in_one_line(text, words):
    with pytest.raises(levels.UnreadableLevel, match=words) as caught:
        make_game(f"skirmish:level={text}")
    assert "\n" not in str(caught.value)
    assert level_named(text) == levels.parse_level(text)  # they can still be looked at


def test_towns_stand_on_land():
    land = tuple(square != 52 for square in range(64))
    assert levels.check_level(levels.Level(land, ((52,), (12,)))) == [
        "First's town on e2 is not on land"
    ]


@pytest.mark.parametrize("name", ["8", "random", "random-", "random-x", "random--1", "level"])
def test_unknown_names_are_refused(name):
    with pytest.raises(levels.UnreadableLevel, match=f"there is no level '{name}'"):
        make_game(f"skirmish:level={name}")


def test_distances_are_those_of_a_king():
    steps = levels.distances(tuple([True] * 64), 0)
    assert [int(step) for step in steps[:9]] == [0, 1, 2, 3, 4, 5, 6, 7, 1]
    assert steps.max() == 7
    wall = tuple(square // 8 != 3 or square == 31 for square in range(64))
    assert levels.distances(wall, 0)[63] == 7 + 4  # round the end of the wall


def test_generated_levels_are_fair_and_connected():
    for seed in range(25):
        level = generate_level(seed)
        assert levels.check_level(level) == []
        found = levels.balance(level)
        assert 4 <= found.distance < 64
        assert abs(found.near[0] - found.near[1]) <= 4
        assert abs(found.nearer[0] - found.nearer[1]) <= 6
        assert levels.parse_level(str(level)) == level


def test_a_seed_means_one_level_for_ever():
    assert str(generate_level(17)) == SEVENTEEN
    assert str(level_named("random-17")) == SEVENTEEN
    assert len({str(generate_level(seed)) for seed in range(20)}) == 20
    assert make_game("skirmish:level=random-17").spec == "skirmish:level=random-17"


def test_noise_is_perlins():
    layers = np.array([perlin_layer(Dice(1, "noise", number), 6) for number in range(400)])
    assert abs(layers.mean()) < 0.01
    assert 0.2 < layers.std() < 0.3
    assert np.abs(layers).max() < 0.7072  # what gradients of length 1 can reach in two dimensions
    sums = np.array([noise(Dice(2, "noise", number)) for number in range(400)])
    land = (sums > -0.2).mean(axis=0)
    assert 0.7 < land.min() <= land.max() < 0.9  # no square is special


def test_near_squares_are_alike_and_far_ones_are_not():
    wide = np.array([perlin_layer(Dice(3, "noise", number), 3) for number in range(400)])
    beside = np.corrcoef(wide[:, :, :-1].ravel(), wide[:, :, 1:].ravel())[0, 1]
    apart = np.corrcoef(wide[:, :, 0].ravel(), wide[:, :, 7].ravel())[0, 1]
    assert beside > 0.5
    assert abs(apart) < 0.1


SEVENTEEN = "1x6/8/7t/xx6/8/1x6/5x2/xx2T1x1"


@PLENTY
@given(seed=st.one_of(st.integers(0, 3000), st.integers(0, 2**63)), count=st.integers(1, 1_000_000))
def test_no_seed_judges_on_a_level_that_anybody_trains_on(seed, count):
    judged = judged_levels(seed, count)
    assert len(judged) == count
    first, last = ends_of_training()
    assert judged.stop - 1 < first or judged.start > last
    assert judged.start >= 0
    assert judged.stop - 1 <= LAST_JUDGED < FIRST_LEVEL


@functools.cache
def ends_of_training():
    """Return the first and the last generated level that Deep-State Learning can train on."""
    names = level_names(replace(IMPROVED, levels="", generated_levels=TRAINING_LEVELS))
    return [int(names[place].removeprefix("random-")) for place in (0, -1)]


def test_seeds_have_levels_of_their_own():
    starts = [judged_levels(seed, 1).start for seed in range(2000)]
    assert len(set(starts)) == len(starts)
    assert starts[0] == 0  # the games in results/ are of these levels
    with pytest.raises(SandtableError, match="1 to 1,000,000 levels, got 1,000,001"):
        judged_levels(0, 1_000_001)
    with pytest.raises(SandtableError, match="--generated-levels is from 0 to 1000000"):
        check_config(replace(IMPROVED, generated_levels=1_000_001))
