"""metg.py - the smallest task that still reaches half of peak, found by bisection.

METG(50 %), "minimum effective task granularity", is the figure of Task Bench (Slaughter et al., SC 2020): shrink
the work inside each task until the flop rate falls below half of what the cores can do, and report how long a
task then takes, elapsed * workers / tasks. Pure: `measure` brings the clock.
"""

import math
from dataclasses import dataclass

HALF = 0.5
MOST_ITERATIONS = 1 << 17
SECOND_CHANCES = 2


@dataclass(frozen=True)
class Point:
    """One measured size: `granularity` in microseconds, `efficiency` as a fraction of peak."""

    iterations: int
    granularity: float
    efficiency: float


@dataclass(frozen=True)
class Answer:
    """`granularity` in microseconds, and `kind`: "found", or "at most" where even the smallest task is
    efficient, or "at least" where even the largest is not."""

    granularity: float
    kind: str
    points: tuple


def search(measure, peak, start=1 << 16):
    """Returns the Answer for one system.

    measure  iterations -> (granularity in microseconds, flops per second)
    peak     flops per second of all cores together
    start    where to begin, a power of two; only the number of measurements depends on it

    Halves (or doubles) until efficiency crosses one half, adds the geometric midpoint of the crossing, and
    interpolates the logarithm of the granularity linearly in the efficiency. A disturbance can only lower an
    efficiency; so a point below one half is measured again and its best kept, and does not count while half its
    size is efficient.
    """
    points = {}

    def once(iterations):
        granularity, rate = measure(iterations)
        return Point(iterations, granularity, rate / peak)

    def at(iterations):
        if iterations not in points:
            points[iterations] = once(iterations)
            for _ in range(SECOND_CHANCES):
                if points[iterations].efficiency >= HALF:
                    break
                points[iterations] = max(points[iterations], once(iterations), key=lambda p: p.efficiency)
        return points[iterations]

    def answer(granularity, kind):
        return Answer(granularity, kind, tuple(points[i] for i in sorted(points)))

    upper = start
    while at(upper).efficiency < HALF:
        if upper >= MOST_ITERATIONS:
            return answer(points[upper].granularity, "at least")
        upper *= 2
    lower = upper // 2
    while lower >= 1:
        efficient = [i for i in (lower, lower // 2) if i >= 1 and at(i).efficiency >= HALF]
        if not efficient:
            break
        upper, lower = efficient[0], efficient[0] // 2
    if lower < 1:
        return answer(points[upper].granularity, "at most")

    middle = round(math.sqrt(lower * upper))
    if lower < middle < upper:
        if at(middle).efficiency >= HALF:
            upper = middle
        else:
            lower = middle
    return answer(between(points[lower], points[upper]), "found")


def between(below, above):
    """Granularity where the line through two points, log(granularity) over efficiency, meets one half."""
    share = (HALF - below.efficiency) / (above.efficiency - below.efficiency)
    return math.exp(math.log(below.granularity) * (1 - share) + math.log(above.granularity) * share)
