"""What is played next: what is unsure, then what is close; the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from sandtable.dice import Dice
from sandtable.league.schedule import Sureness, choose_deals
from sandtable.league.standings import Counted, sureness_of


def inverse_gain(sure: Sureness, one: int, other: int) -> float:
    """Return by how much a deal lowers the sum of variances, by inverting matrices."""
    count = len(sure.logs)
    apart = np.zeros(count)
    apart[one], apart[other] = 1, -1
    chance = 1 / (1 + np.exp(sure.logs[other] - sure.logs[one]))
    more = sure.games * chance * (1 - chance) * np.outer(apart, apart)
    information = np.linalg.pinv(sure.covariance, hermitian=True)
    return sure.total - float(np.trace(np.linalg.pinv(information + more, hermitian=True)))


@pytest.fixture
def sure():
    dice = np.random.default_rng(3)
    roots = dice.normal(size=(6, 6))
    return Sureness(dice.normal(size=6), roots @ roots.T + np.eye(6), games=2)


def test_gains_are_what_inverting_says(sure):
    gains = sure.gains()
    for one, other in ((0, 1), (2, 5), (4, 3)):
        assert gains[one, other] == pytest.approx(inverse_gain(sure, one, other), rel=1e-8)


def test_a_played_deal_lowers_the_sum_by_its_gain(sure):
    for one, other in ((0, 1), (1, 2)):
        before, gain = sure.total, sure.gains()[one, other]
        sure.play(one, other)
        assert before - sure.total == pytest.approx(gain)
        assert np.allclose(sure.square, sure.covariance @ sure.covariance)


def test_whom_nobody_knows_is_played_first():
    deals = [Counted((1, 2), ((0, 1), (1, 0)), 40), Counted((2, 3), ((0, 1), (1, 0)), 40)]
    found = choose_deals(sureness_of(deals, [1, 2, 3, 9], 2), 2, 2, Dice(1))
    assert all(3 in table for table in found)  # the fourth, which has not played


def test_of_equally_unsure_ones_those_that_are_close_meet():
    sure = Sureness(np.array([3.0, 2.9, -2.9, -3.0]), np.eye(4), games=2)
    assert sorted(map(sorted, choose_deals(sure, 2, 2, Dice(1)))) == [[0, 1], [2, 3]]


def test_the_same_seed_gives_the_same_schedule_and_another_breaks_ties_otherwise():
    def tables(seed: int) -> list[tuple[int, ...]]:
        return choose_deals(Sureness(np.zeros(10), np.eye(10), 2), 2, 10, Dice(seed))

    assert tables(1) == tables(1)
    assert tables(1) != tables(2)
    assert {bot for table in tables(1) for bot in table} == set(range(10))


def test_tables_of_more_seats_are_full_and_nobody_sits_twice():
    found = choose_deals(Sureness(np.zeros(7), np.eye(7), 4), 4, 5, Dice(1))
    assert len(found) == 5
    assert all(len(set(table)) == 4 for table in found)


def test_what_can_tell_nothing_new_is_left_out():
    sure = Sureness(np.zeros(3), np.eye(3), 2)
    found = choose_deals(sure, 2, 6, Dice(1), lambda table: table != (0, 1))
    assert len(found) == 6
    assert (0, 1) not in {tuple(sorted(table)) for table in found}
    assert choose_deals(sure, 2, 6, Dice(1), lambda table: False) == []
    assert choose_deals(sure, 4, 6, Dice(1)) == []
