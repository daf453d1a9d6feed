"""The random streams in plain Python, from the papers and the words of sandtable.dice.

Philox 4x32 with ten rounds: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2,
3" (2011). Whole numbers below a bound: Lemire, "Fast random integer generation in an interval"
(2019), on 32-bit words.
"""

import hashlib

WORD = 2**32


def philox(counter: tuple[int, ...], key: tuple[int, int]) -> tuple[int, ...]:
    """One block: four 32-bit words of counter and two of key give four random words."""
    first, second, third, fourth = counter
    left_key, right_key = key
    for _ in range(10):
        left_high, left_low = divmod(0xD2511F53 * first, WORD)
        right_high, right_low = divmod(0xCD9E8D57 * third, WORD)
        first, second = right_high ^ second ^ left_key, right_low
        third, fourth = left_high ^ fourth ^ right_key, left_low
        left_key = (left_key + 0x9E3779B9) % WORD
        right_key = (right_key + 0xBB67AE85) % WORD
    return first, second, third, fourth


class PlainDice:
    """The stream (seed, purpose, number); every draw is worked out from its own index."""

    def __init__(self, seed: int, purpose: str = "game", number: int = 0) -> None:
        name = hashlib.blake2b(f"sandtable {seed} {purpose}".encode(), digest_size=8)
        key = int.from_bytes(name.digest(), "little")
        self.key = (key % WORD, key // WORD)
        self.number = (number % WORD, number // WORD)
        self.draws = 0
        self.words: tuple[int, ...] = ()

    def draw(self) -> int:
        """The next 64 bits: a block holds two draws, low word first."""
        block, second_half = divmod(self.draws, 2)
        self.draws += 1
        if not second_half:
            self.words = philox((block % WORD, block // WORD, *self.number), self.key)
        low, high = self.words[2:] if second_half else self.words[:2]
        return high * WORD + low

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound - 1; draws that would favour some numbers are skipped."""
        while True:
            result, remainder = divmod((self.draw() // WORD) * bound, WORD)
            if remainder >= WORD % bound:
                return result

    def coin(self) -> int:
        return self.draw() // 2**63

    def uniform(self) -> float:
        return (self.draw() // 2**11) / 2**53
