"""The random streams against published numbers, a plain twin and chance itself."""

import numpy as np
import pytest

from plain_dice import PlainDice
from plain_dice import philox as plain_philox
from sandtable.dice import Dice, below, coin, draw, philox, stream_key, uniform

# Known answers of philox4x32-10, from the file kat_vectors of Random123: counter, key, result.
KNOWN_ANSWERS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip
STREAMS = [(0, "game", 0), (7, "game", 123), (7, "agent 0", 123), (2**40, "x", 2**40 + 1)]


def words(text: str) -> tuple[int, ...]:
    return tuple(int(word, 16) for word in text.split())


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN_ANSWERS)
def test_philox_gives_the_published_answers(counter, key, result):
    arguments = [np.uint64(word) for word in words(counter) + words(key)]
    assert tuple(int(word) for word in philox(*arguments)) == words(result)
    assert plain_philox(words(counter), words(key)) == words(result)


@pytest.mark.parametrize("stream", STREAMS)
def test_draws_are_those_of_the_plain_twin(stream):
    dice, plain = Dice(*stream), PlainDice(*stream)
    assert [int(draw(dice.array)) for _ in range(101)] == [plain.draw() for _ in range(101)]
    for bound in (1, 2, 3, 6, 7, 1000, 2**31 + 1, 2**32 - 1):
        assert [dice.below(bound) for _ in range(9)] == [plain.below(bound) for _ in range(9)]
    for _ in range(20):
        assert int(coin(dice.array)) == plain.coin()
        assert dice.uniform() == plain.uniform()
    assert dice.array[2] == plain.draws


def test_draws_go_on_over_the_end_of_a_counter_word():
    dice, plain = Dice(3), PlainDice(3)
    plain.draws = 2**33 - 2  # two draws before the block number needs a second word
    dice.array[2] = plain.draws
    assert [int(draw(dice.array)) for _ in range(6)] == [plain.draw() for _ in range(6)]


def test_compiled_kernels_do_what_their_source_says():
    compiled, plain = Dice(5), Dice(5)
    for bound in range(1, 40):
        assert below(compiled.array, bound) == below.py_func(plain.array, bound)
        assert uniform(compiled.array) == uniform.py_func(plain.array)
    assert np.array_equal(compiled.array, plain.array)


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 7, 10, 100])
def test_below_is_fair(bound):
    """Chi-square with a fixed seed; five standard deviations above the mean would be a scandal."""
    dice = Dice(11, "fairness", bound)
    draws = 200 * bound
    counts = np.bincount([dice.below(bound) for _ in range(draws)], minlength=bound)
    assert len(counts) == bound
    chi_square = ((counts - 200) ** 2 / 200).sum()
    freedom = bound - 1
    assert chi_square < freedom + 5 * (2 * freedom) ** 0.5


def test_below_skips_draws_that_would_favour_some_numbers():
    """With a bound of three quarters of 2**32 every fourth draw falls away; none is favoured."""
    dice = Dice(12)
    bound = 3 * 2**30
    results = np.array([dice.below(bound) for _ in range(3000)])
    assert 3600 < int(dice.array[2]) < 4400
    thirds = np.bincount(results // 2**30, minlength=3)
    assert abs(thirds - 1000).max() < 5 * (1000 * 2 / 3) ** 0.5


def test_coin_and_uniform_are_fair():
    dice = Dice(13)
    heads = sum(int(coin(dice.array)) for _ in range(10_000))
    assert abs(heads - 5000) < 5 * 50
    numbers = np.array([dice.uniform() for _ in range(10_000)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 5 * (1 / 12 / 10_000) ** 0.5


def test_streams_of_different_names_differ():
    names = [(seed, purpose, number) for seed in range(5) for purpose in ("game", "agent 0", "a")
             for number in range(20)]  # fmt: skip
    firsts = {tuple(int(draw(dice.array)) for _ in range(2)) for dice in (Dice(*n) for n in names)}
    assert len(firsts) == len(names)


def test_a_seed_and_a_purpose_are_not_run_together():
    assert stream_key(1, "1 game") != stream_key(11, "game")
    assert stream_key(1, "game") == PlainDice(1).key[0] + PlainDice(1).key[1] * 2**32


def test_a_stream_stands_where_it_was_left():
    dice = Dice(4)
    first = [dice.below(100) for _ in range(10)]
    again = Dice(4)
    assert [again.below(100) for _ in range(10)] == first
    assert "draws=10" in repr(again)


@pytest.mark.parametrize("bound", [0, -1, 2**32])
def test_below_refuses_bounds_it_cannot_keep(bound):
    with pytest.raises(ValueError, match=r"bound from 1 to 2\*\*32 - 1"):
        Dice(1).below(bound)


def test_fresh_dice_differ():
    assert Dice.fresh().below(2**32 - 1) != Dice.fresh().below(2**32 - 1)
