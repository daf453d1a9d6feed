"""The random streams: counter-based, so that the same seed gives the same games anywhere.

A stream is named by (seed, purpose, number), for example (7, "game", 123) for the dice of game 123
of an experiment with seed 7, or (7, "agent 0", 123) for what the agent in seat 0 may roll in it.
Draw k of a stream is a pure function of that name and k (Philox 4x32 with ten rounds, Salmon and
others 2011), so games can be played in any order, on any number of workers, with equal results.

Inside kernels a stream is an array of four unsigned 64-bit integers, advanced in place:
[key from seed and purpose, number of the stream, draws so far, second half of the last block].
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import inlined
from sandtable.errors import SandtableError

__all__ = [
    "Dice",
    "below",
    "check_seed",
    "coin",
    "draw",
    "picked",
    "stream_key",
    "suite_seed",
    "training_seed",
    "uniform",
]

FIRST_TRAINING_SEED = 2**64  # seeds of matches have 64 bits
KEY, NUMBER, DRAWS, SPARE = 0, 1, 2, 3

LOW_32 = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
ONE = np.uint64(1)
MULTIPLIER_0 = np.uint64(0xD2511F53)
MULTIPLIER_1 = np.uint64(0xCD9E8D57)
WEYL_0 = np.uint64(0x9E3779B9)
WEYL_1 = np.uint64(0xBB67AE85)
ROUNDS = 10


@inlined
def philox(
    counter_0: np.uint64,
    counter_1: np.uint64,
    counter_2: np.uint64,
    counter_3: np.uint64,
    key_0: np.uint64,
    key_1: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """One block of Philox 4x32-10; every argument and result is a 32-bit word."""
    for _ in range(ROUNDS):
        product_0 = MULTIPLIER_0 * counter_0
        product_1 = MULTIPLIER_1 * counter_2
        counter_0 = (product_1 >> HALF) ^ counter_1 ^ key_0
        counter_1 = product_1 & LOW_32
        counter_2 = (product_0 >> HALF) ^ counter_3 ^ key_1
        counter_3 = product_0 & LOW_32
        key_0 = (key_0 + WEYL_0) & LOW_32
        key_1 = (key_1 + WEYL_1) & LOW_32
    return counter_0, counter_1, counter_2, counter_3


@inlined
def draw(dice: NDArray[np.uint64]) -> np.uint64:
    """Return the next 64 random bits. A block gives two draws; the second is kept for next time."""
    draws = dice[DRAWS]
    dice[DRAWS] = draws + ONE
    if draws & ONE:
        return np.uint64(dice[SPARE])
    block = draws >> ONE
    word_0, word_1, word_2, word_3 = philox(
        block & LOW_32,
        block >> HALF,
        dice[NUMBER] & LOW_32,
        dice[NUMBER] >> HALF,
        dice[KEY] & LOW_32,
        dice[KEY] >> HALF,
    )
    dice[SPARE] = (word_3 << HALF) | word_2
    return (word_1 << HALF) | word_0


@inlined
def below(dice: NDArray[np.uint64], bound: int) -> np.int64:
    """Return a whole number from 0 to bound - 1, each exactly as likely (Lemire's rejection).

    >>> int(below(Dice(1).array, 6)) in range(6)
    True
    """
    wide = np.uint64(bound)
    while True:
        product = (draw(dice) >> HALF) * wide
        low = product & LOW_32
        if low >= wide or low >= (LOW_32 - wide + ONE) % wide:
            return np.int64(product >> HALF)


@inlined
def coin(dice: NDArray[np.uint64]) -> np.int64:
    """Return 0 or 1, a fair coin.

    >>> int(coin(Dice(1).array)) in (0, 1)
    True
    """
    return np.int64(draw(dice) >> np.uint64(63))


@inlined
def uniform(dice: NDArray[np.uint64]) -> float:
    """Return a number in [0, 1) with 53 random bits.

    >>> 0.0 <= uniform(Dice(1).array) < 1.0
    True
    """
    return np.float64(draw(dice) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def picked(dice: NDArray[np.uint64], chances: Sequence[float]) -> int:
    """Return the number of one of several outcomes with these chances, for rules in plain Python.

    >>> picked(Dice(1).array, [0.0, 1.0, 0.0])
    1
    """
    left, last = float(uniform(dice)), 0
    for number, chance in enumerate(chances):
        left, last = left - chance, number
        if left < 0.0:
            break
    return last


def stream_key(seed: int, purpose: str) -> int:
    """Return the 64-bit key shared by all streams of one seed and purpose."""
    name = f"sandtable {seed} {purpose}".encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")


def training_seed(seed: int) -> int:
    """Return the seed of the games that a training with a seed plays.

    No match can have it (``check_seed``): so nothing is ever trained on the dice of a match that
    judges it, whatever seeds both are given.

    >>> stream_key(training_seed(3), "game") != stream_key(3, "game")
    True
    """
    return FIRST_TRAINING_SEED + seed


def suite_seed(seed: int, spec: str) -> int:
    """Return the seed of one of several games of a suite: its deals share no dice with the others'.

    >>> suite_seed(0, "skirmish:level=1") != suite_seed(0, "skirmish:level=2")
    True
    """
    return stream_key(seed, f"suite {spec}") >> 1


def check_seed(seed: int) -> int:
    """Return a seed of a match; refuse what no file could keep, and what trainings use.

    >>> check_seed(7)
    7
    """
    if not -(2**63) <= seed < 2**63:
        raise SandtableError(f"a seed lies between -2^63 and 2^63 - 1, got {seed}")
    return seed


class Dice:
    """A random stream for people and agents; ``array`` is what kernels take.

    >>> dice = Dice(seed=1)
    >>> [dice.below(6) for _ in range(5)]
    [2, 5, 1, 4, 3]
    >>> dice.draws
    5
    """

    __slots__ = ("array",)

    array: NDArray[np.uint64]  # [4] uint64: key, number, draws so far, spare half block

    def __init__(self, seed: int, purpose: str = "game", number: int = 0) -> None:
        self.array = np.array([stream_key(seed, purpose), number, 0, 0], dtype=np.uint64)

    @classmethod
    def fresh(cls) -> Dice:
        """Return a stream nobody can foresee, from the operating system's randomness."""
        return cls(secrets.randbits(63), "fresh")

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to bound - 1."""
        if not 0 < bound < 2**32:
            raise ValueError(f"below() takes a bound from 1 to 2**32 - 1, got {bound}")
        return int(below(self.array, bound))

    def uniform(self) -> float:
        """Return a number in [0, 1)."""
        return float(uniform(self.array))

    @property
    def draws(self) -> int:
        """How many numbers were drawn so far."""
        return int(self.array[DRAWS])

    def __repr__(self) -> str:
        key, number, draws, _ = (int(value) for value in self.array)
        return f"<Dice key={key:016x} number={number} draws={draws}>"
