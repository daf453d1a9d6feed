"""The likeliest distribution of results that has a given lead: what a hypothesis is judged by.

Results of deals lie between 0 and 1; the *lead* is their mean above one half, in their standard
deviations. Among all distributions with the lead L the one of highest likelihood is wanted.

**The condition.** With u = result - 1/2 a lead of L > 0 says that k E[u] = sqrt(E[u^2]), where
k = sqrt(1 + L^2) / L. The root is the least of (s + E[u^2] / s) / 2 over all scales s > 0, so the
condition is made of linear ones, one for each s: E[h] = 0 with h = (s + u^2 / s) / 2 - k u. Of them

- all must hold (E[h] >= 0) where the results have a larger lead than L: the answer is the worst of
  the linear ones, and a convex problem;
- one must hold (E[h] <= 0) where they have a smaller lead: the answer is the best of the linear
  ones. There can be several summits, as where nearly all results are alike, so a search that climbs
  from one place is not enough: a grid of scales is looked at, and every summit on it is climbed.

**A linear condition** is met best by counts / (1 + x h), with the x at which the mean of h is zero;
a function of x that falls between two poles.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sandtable.compiled import kernel

__all__ = ["likeliest"]

EVEN = 0.5
SCALES = 40  # of the grid
LARGEST_SCALE = 0.51  # no deviation from one half is larger than 0.5
GOLDEN = (5**0.5 - 1) / 2  # part of a range that one step of the search leaves
REFINEMENTS = 32
ROOT_STEPS = 200
PRECISION = 1e-14

Floats = NDArray[np.float64]


@kernel
def tilt(chances: Floats, pulls: Floats) -> float:
    """Return the x at which the mean of pulls / (1 + x pulls) is zero.

    Newton's steps are for that mean times the distances from both poles, which is smooth; those
    that would go up, or out of the bracket, are replaced by the middle of the bracket.
    """
    first, last = -1.0 / pulls.max(), -1.0 / pulls.min()
    low, high, x = first, last, 0.0  # zero lies between the poles
    for _ in range(ROOT_STEPS):
        mean = slope = 0.0
        for index in range(len(pulls)):
            pulled = pulls[index] / (1.0 + x * pulls[index])
            mean += chances[index] * pulled
            slope -= chances[index] * pulled * pulled
        if mean > 0.0:
            low = x
        else:
            high = x
        inside = (x - first) * (last - x)
        smooth_slope = slope * inside + mean * (first + last - 2.0 * x)
        following = (low + high) / 2.0
        if smooth_slope < 0.0:
            stepped = x - mean * inside / smooth_slope
            if low < stepped < high:
                following = stepped
        if following == x or abs(following - x) < PRECISION * abs(x) or mean == 0.0:
            break
        x = following
    return x


@kernel
def loss_of_scale(
    chances: Floats, deviations: Floats, slope: float, log_scale: float, pulls: Floats
) -> float:
    """Return how much likelihood the linear condition of one scale costs; its pulls are left.

    Infinitely much if no distribution can meet it.
    """
    scale = np.exp(log_scale)
    least, greatest = np.inf, -np.inf
    for index in range(len(pulls)):
        deviation = deviations[index]
        pulls[index] = (scale + deviation * deviation / scale) / 2.0 - slope * deviation
        least, greatest = min(least, pulls[index]), max(greatest, pulls[index])
    if greatest <= 0.0 or least >= 0.0:
        return np.inf
    x = tilt(chances, pulls)
    loss = 0.0
    for index in range(len(pulls)):
        loss += chances[index] * np.log(1.0 + x * pulls[index])
    return loss


@kernel
def search(
    chances: Floats,
    deviations: Floats,
    slope: float,
    ends: tuple[float, float],
    sign: float,
    pulls: Floats,
) -> tuple[float, float]:
    """Return the least of sign times the loss between two scales, and where it is."""
    low, high = ends
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    left_loss = sign * loss_of_scale(chances, deviations, slope, left, pulls)
    right_loss = sign * loss_of_scale(chances, deviations, slope, right, pulls)
    for _ in range(REFINEMENTS):
        if left_loss < right_loss:
            high, right, right_loss = right, left, left_loss
            left = high - GOLDEN * (high - low)
            left_loss = sign * loss_of_scale(chances, deviations, slope, left, pulls)
        else:
            low, left, left_loss = left, right, right_loss
            right = low + GOLDEN * (high - low)
            right_loss = sign * loss_of_scale(chances, deviations, slope, right, pulls)
    return min(left_loss, right_loss), (low + high) / 2.0


@kernel
def best_scale(chances: Floats, deviations: Floats, slope: float, pulls: Floats) -> float:
    """Return the scale of the highest of all summits, as its logarithm."""
    smallest = LARGEST_SCALE
    for deviation in deviations:
        if 0.0 < deviation < smallest:
            smallest = deviation
    lowest = np.log(smallest) - np.arccosh(slope)  # below it no distribution meets the condition
    width = (np.log(LARGEST_SCALE) - lowest) / (SCALES - 1)
    losses = np.full(SCALES + 2, np.inf)
    for number in range(SCALES):
        place = lowest + number * width
        losses[number + 1] = loss_of_scale(chances, deviations, slope, place, pulls)
    least, best = math.inf, math.log(LARGEST_SCALE)
    for number in range(SCALES):
        here = losses[number + 1]
        if here < np.inf and here <= losses[number] and here <= losses[number + 2]:
            place = lowest + number * width
            ends = (place - width, place + width)
            loss, found = search(chances, deviations, slope, ends, 1.0, pulls)
            if loss < least:
                least, best = loss, found
    return best


@kernel
def with_lead(chances: Floats, deviations: Floats, lead: float, pulls: Floats) -> Floats:
    """Return the likeliest distribution with a lead above zero; ``pulls`` is room to work in."""
    slope = np.sqrt(1.0 + lead * lead) / lead
    mean = square = 0.0
    for index in range(len(chances)):
        mean += chances[index] * deviations[index]
        square += chances[index] * deviations[index] ** 2
    if slope * mean > np.sqrt(square):  # a larger lead: the worst condition that they do not meet
        middle, reach = np.log(square) / 2.0, np.arccosh(slope * mean / np.sqrt(square))
        ends = (middle - reach, middle + reach)
        _, best = search(chances, deviations, slope, ends, -1.0, pulls)
    else:
        best = best_scale(chances, deviations, slope, pulls)
    loss_of_scale(chances, deviations, slope, best, pulls)
    tilted: Floats = chances / (1.0 + tilt(chances, pulls) * pulls)
    return tilted


@kernel
def likeliest_rows(chances: Floats, deviations: Floats, lead: float, found: Floats) -> None:
    """Write the likeliest distribution with a lead into every row of ``found``."""
    pulls = np.empty(len(deviations))
    for row in range(len(chances)):
        if lead == 0.0:
            weighted = chances[row] / (1.0 + tilt(chances[row], deviations) * deviations)
        elif lead > 0.0:
            weighted = with_lead(chances[row], deviations, lead, pulls)
        else:
            weighted = with_lead(chances[row], -deviations, -lead, pulls)
        found[row] = weighted / weighted.sum()


def likeliest(chances: Floats, values: Floats, lead: float) -> Floats:
    """Return the likeliest distributions [..., value] with a mean ``lead`` deviations above 1/2.

    ``chances`` [..., value] are the shares in which the ``values`` came, none of them zero; among
    the values are some above and some below one half.

    >>> likeliest(np.array([0.1, 0.2, 0.7]), np.array([0.0, 0.5, 1.0]), 0.0).round(3).tolist()
    [0.4, 0.2, 0.4]
    """
    rows = np.ascontiguousarray(chances, dtype=np.float64).reshape(-1, len(values))
    found = np.empty_like(rows)
    likeliest_rows(rows, np.ascontiguousarray(values, dtype=np.float64) - EVEN, float(lead), found)
    return found.reshape(np.shape(chances))
