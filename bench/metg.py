"""metg.py - the smallest task that still reaches half of peak, from a ladder of task sizes.

METG(50 %), "minimum effective task granularity", is the figure of Task Bench (Slaughter et al., SC 2020): shrink
the work inside each task until the flop rate falls below half of what the cores can do, and report how long a
task then takes, elapsed * workers / tasks. Pure: others measure.

One process measures a whole ladder, so that starting systems costs little, and every round measures it anew: a
disturbance can only lower a rate, so the best of all rounds is kept for each size, and for the peak.
"""

import math
from dataclasses import dataclass

HALF = 0.5


def ladder(smallest, largest):
    """Sizes from `smallest` to `largest` iterations, two for each doubling."""
    steps = round(2 * math.log2(largest / smallest))
    return sorted({round(smallest * 2 ** (k / 2)) for k in range(steps + 1)})


SHORT = tuple(ladder(1, 4096))
LONG = tuple(ladder(4096, 131072))[1:]  # only where nothing short was efficient


@dataclass(frozen=True)
class Point:
    """One measured size: `granularity` in microseconds, `rate` in flops per second."""

    iterations: int
    granularity: float
    rate: float


@dataclass(frozen=True)
class Answer:
    """`granularity` in microseconds, and `kind`: "found", or "at most" where even the smallest task is
    efficient, or "at least" where even the largest is not."""

    granularity: float
    kind: str


def merged(points):
    """Of each size the point that was disturbed least, smallest size first."""
    best = {}
    for point in points:
        kept = best.setdefault(point.iterations, point)
        if point.rate > kept.rate:
            best[point.iterations] = point
    return [best[iterations] for iterations in sorted(best)]


def answer(points, peak):
    """Where efficiency, the rate as a fraction of `peak`, crosses one half below the smallest efficient size; not
    empty.

    A larger size that is below one half was disturbed, and does not count. The logarithm of the granularity is
    interpolated linearly in the efficiency between that size and the next smaller one.
    """
    points = merged(points)
    efficient = [i for i, point in enumerate(points) if point.rate / peak >= HALF]
    if not efficient:
        return Answer(points[-1].granularity, "at least")
    if efficient[0] == 0:
        return Answer(points[0].granularity, "at most")
    return Answer(between(points[efficient[0] - 1], points[efficient[0]], peak), "found")


def between(below, above, peak):
    """Granularity where the line through two points, log(granularity) over efficiency, meets one half."""
    share = (HALF * peak - below.rate) / (above.rate - below.rate)
    return math.exp(math.log(below.granularity) * (1 - share) + math.log(above.granularity) * share)
