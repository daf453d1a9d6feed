"""The experiment with equal players, by hand, by a slow twin, and against known chances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sandtable.arena.statistics.equal_players import (
    chance_of_equal,
    games_until_equal,
    largest_deviations,
    typical_games,
)


def wins(*winners, seats=2):
    return (np.array(winners)[:, None] == np.arange(seats)).astype(float)


def test_the_leeway_is_strict():
    # 20 games of two: 11 wins to 9 deviate from 10 by exactly a tenth.
    sums = np.array([[10.0, 10.0], [11.0, 9.0], [0.0, 0.0], [30.0, 0.0]])
    assert largest_deviations(sums).tolist() == [0.0, 0.1, 0.0, 1.0]
    uneven = wins(*[0] * 11, *[1] * 9)
    assert games_until_equal(uneven, leeway=0.1, trials=1, step=20).games is None
    assert games_until_equal(uneven, leeway=0.11, trials=1, step=20).games == 20


def test_all_trials_must_look_equal_at_the_same_number():
    # The first trial is even after 2 and 4 games, the second after 4 only.
    found = games_until_equal(wins(0, 1, 0, 1, 0, 0, 1, 1), leeway=0.05, trials=2, step=2)
    assert found.tried.tolist() == [2, 4]
    assert found.equal.tolist() == [1, 2]
    assert found.games == found.settled == 4


def test_the_smallest_number_may_fail_again():
    found = games_until_equal(wins(0, 1, 0, 0, 1, 1), leeway=0.05, trials=1, step=2)
    assert found.equal.tolist() == [1, 0, 1]
    assert (found.games, found.settled) == (2, 6)
    assert games_until_equal(wins(0, 0), trials=1, step=2).games is None
    assert games_until_equal(wins(0, 1, 0, 0), trials=1, step=2).settled is None


def slow_games_until_equal(values, leeway, trials, step):
    """The published condition in plain Python: for each r all trials, for each trial all seats."""
    games, seats = values.shape
    longest = games // trials
    for r in range(step, longest + 1, step):
        for trial in range(trials):
            rows = values[trial * longest : trial * longest + r].tolist()
            totals = [sum(row[seat] for row in rows) for seat in range(seats)]
            fair = sum(totals) / seats
            if not all(abs(total - fair) < leeway * fair for total in totals):
                break
        else:
            return r
    return None


@settings(deadline=None)
@given(
    arrays(np.float64, st.tuples(st.integers(8, 60), st.integers(2, 4)),
           elements=st.integers(1, 54).map(float)),
    st.sampled_from([0.0731, 0.2173, 0.4119]),
    st.integers(1, 4),
)  # fmt: skip
def test_the_search_is_that_of_a_slow_twin(values, leeway, trials):
    found = games_until_equal(values, leeway, trials, step=2)
    assert found.games == slow_games_until_equal(values, leeway, trials, 2)
    if found.settled is not None:
        assert found.games <= found.settled
        assert (found.equal[found.tried >= found.settled] == trials).all()


def test_the_chance_of_a_fair_coin():
    # 9, 10 or 11 wins of 20 lie within 15 per cent of 10.
    exact = sum(math.comb(20, won) for won in (9, 10, 11)) / 2**20
    coins = np.random.default_rng(1).integers(0, 2, 20 * 40_000)
    chance = chance_of_equal(wins(*coins), 20, leeway=0.15)
    assert chance.count == 40_000
    assert chance.mean == pytest.approx(exact, abs=4 * math.sqrt(0.25 / 40_000))


def test_the_typical_number_passes_all_trials_every_other_time():
    """Normal results: the chance is known, and so is the number of games it needs."""
    generator = np.random.default_rng(2)
    values = 25 + 5 * generator.normal(size=(600_000, 2))
    # Half the difference of two means of r games has deviation 5 / sqrt(2 r); it must be below
    # 1.25 with a chance of 0.5 ** (1/30), which is 2.273 deviations.
    exact = (5 / math.sqrt(2) * 2.273 / 1.25) ** 2
    assert typical_games(values, step=1) == pytest.approx(exact, abs=4)
    found = [games_until_equal(part, step=1).games for part in np.split(values, 20)]
    assert sum(games <= exact + 4 for games in found) >= 5  # the smallest is often a lucky one
    assert typical_games(values[:900], step=20) is None


def test_too_few_games_are_told():
    with pytest.raises(ValueError, match="too few for 30 trials of 20"):
        games_until_equal(np.ones((599, 2)))
    with pytest.raises(ValueError, match="too few for a trial of 60"):
        chance_of_equal(np.ones((59, 2)), 60)
