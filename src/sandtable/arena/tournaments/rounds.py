"""Who meets whom in which round, for people who play one game at a time: pure functions.

Programs meet all at once (``schedules``); people sit down round by round. Players are numbers. In a
round robin everybody meets everybody, by turning a circle; the Swiss way pairs those who stand
equally well and have not met yet. With an odd number one player has a bye in each round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["ROUND_ROBIN", "SWISS", "Pair", "Round", "circle_rounds", "seated_pair", "swiss_round"]

ROUND_ROBIN, SWISS = "round-robin", "swiss"
MOST_TRIES = 20_000  # pairs that are looked at before some may meet again

Pair = tuple[int, int]  # who has the first seat, who the second


@dataclass(frozen=True)
class Round:
    """The pairs of one round, and who has a bye."""

    pairs: tuple[Pair, ...]
    byes: tuple[int, ...] = ()


def seated_pair(one: int, other: int, firsts: Mapping[int, int]) -> Pair:
    """Return two players in their seats: the first goes to whoever had it more rarely.

    ``firsts`` counts for every player games in the first seat less those in the second.

    >>> seated_pair(4, 7, {4: 1, 7: 0})
    (7, 4)
    """
    return (other, one) if firsts.get(other, 0) < firsts.get(one, 0) else (one, other)


def circle_rounds(players: Sequence[int]) -> list[Round]:
    """Return the rounds of a round robin.

    Of two players whose places in the list are an odd number apart the former has the first seat,
    of others the latter: so everybody has it in half of the games, or half a game from that.

    >>> circle_rounds([0, 1, 2])[0]
    Round(pairs=((1, 2),), byes=(0,))
    >>> len(circle_rounds(range(6)))
    5
    """
    circle: list[int | None] = [*players, *[None] * (len(players) % 2)]
    places = {player: place for place, player in enumerate(players)}
    found = []
    for _ in range(len(circle) - 1):
        pairs: list[Pair] = []
        byes: list[int] = []
        for one, other in zip(
            circle[: len(circle) // 2], circle[: len(circle) // 2 - 1 : -1], strict=True
        ):
            if one is None or other is None:
                byes += [each for each in (one, other) if each is not None]
                continue
            former, latter = sorted((one, other), key=places.__getitem__)
            odd = (places[latter] - places[former]) % 2
            pairs.append((former, latter) if odd else (latter, former))
        found.append(Round(tuple(pairs), tuple(byes)))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return found


def swiss_round(
    ranking: Sequence[int],
    points: Mapping[int, float],
    met: Sequence[Pair],
    byes: Sequence[int] = (),
) -> Round:
    """Return the next round for players in the order of a ranking, the best first.

    Of those with equal points the upper half meets the lower half. Nobody meets the same again as
    long as that can be; the bye goes to the last of those who had the fewest.

    >>> swiss_round([0, 1, 2, 3], {}, met=[])
    Round(pairs=((0, 2), (1, 3)), byes=())
    >>> swiss_round([0, 1, 2], {0: 1, 1: 1}, met=[(0, 2)], byes=[1]).byes
    (2,)
    """
    left = list(ranking)
    alone: tuple[int, ...] = ()
    if len(left) % 2:
        had = Counter(byes)
        fewest = min(had[player] for player in left)
        resting = next(player for player in reversed(left) if had[player] == fewest)
        left.remove(resting)
        alone = (resting,)
    known = {frozenset(pair) for pair in met}
    firsts: Counter[int] = Counter()
    for first, second in met:
        firsts[first] += 1
        firsts[second] -= 1
    pairs = paired(left, points, known, [MOST_TRIES])
    if pairs is None:
        pairs = paired(left, points, set(), [MOST_TRIES]) or []
    return Round(tuple(seated_pair(*pair, firsts) for pair in pairs), alone)


def paired(
    left: list[int], points: Mapping[int, float], known: set[frozenset[int]], tries: list[int]
) -> list[Pair] | None:
    """Pair all players so that none of the known pairs meets; None: that cannot be found."""
    if not left:
        return []
    best = left[0]
    for other in candidates(left, points):
        if frozenset((best, other)) in known:
            continue
        tries[0] -= 1
        if tries[0] < 0:
            return None
        rest = paired([each for each in left if each not in (best, other)], points, known, tries)
        if rest is not None:
            return [(best, other), *rest]
    return None


def candidates(left: Sequence[int], points: Mapping[int, float]) -> list[int]:
    """Return whom the first of some players should meet, the most wanted first."""
    best = left[0]
    group = sum(points.get(each, 0.0) == points.get(best, 0.0) for each in left)
    ideal = max(group // 2, 1)

    def wish(place: int) -> tuple[float, int]:
        apart = abs(points.get(best, 0.0) - points.get(left[place], 0.0))
        return apart, abs(place - ideal)

    return [left[place] for place in sorted(range(1, len(left)), key=wish)]
