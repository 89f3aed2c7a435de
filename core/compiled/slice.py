"""Univariate slice sampling with stepping out and shrinkage: Neal, "Slice sampling", Annals of Statistics 31 (2003),
Figures 3 and 5 (a technical report of 2000), compiled, and the priors of `core.models.hyperpriors`.

    symbol    name here             meaning
    x         position              (P,)
    f         -                     log f, any additive constant; -inf or nan outside the support
    y         LEVEL                 log y = log f(x) - Exponential(1)
    w         width                 estimate of the typical size of a slice, (P,)
    m         MAX_EXPANSIONS        the interval grows to at most m w
    (L, R)    LEFT_END, RIGHT_END   the interval, in units of w

An update moves a chain along a coordinate axis. It leaves f exactly invariant for any w and m, which only affect the
speed. The loop is turned inside out, so that a model's own compiled loop evaluates its density where the update
requests it:

    state = begin(walk, coordinate, state)
    while walk.phase[0] > DONE:
        state = tell(walk, log_density(walk.point), state)

A walk whose density is not the same at the same point finds none inside its slice: after `MAX_SHRINKAGES` it is STUCK.
A start is `usable` unless its density is nan or infinitely large, from where there would be no such point either.

The update is a state machine because the density cannot be an argument: numba caches no machine code on disk for a
function that takes another as a closure, and every process would compile for seconds. So each model's loop in
`evidence` and `gaussian_process` is written out and calls `begin` and `tell`.

A chain neither waits for others nor pays for a call into Python; it has its own generator (SplitMix64).
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from core.compiled.elementary import next_word

STUCK, DONE, LEFT, RIGHT, INSIDE = range(-1, 4)
VALUE, LEVEL, LEFT_END, RIGHT_END, OFFSET = range(5)
MAX_EXPANSIONS = 64
MAX_SHRINKAGES = 4000  # each multiplies the interval by 3/4 on average: more than exceed the range of any float
SHIFT_53 = np.uint64(11)


class Walk(NamedTuple):
    """A chain and its update under way."""

    position: np.ndarray  # (P,)
    point: np.ndarray  # (P,): where the density is evaluated next
    numbers: np.ndarray  # log density at the position, level, and the interval and offset in units of the width
    phase: np.ndarray  # DONE, STUCK or what the next value decides; coordinate; expansions and shrinkages left
    width: np.ndarray  # (P,): w


def new_walk(width: np.ndarray) -> Walk:
    """Space for a chain of P coordinates with the given widths (P,)."""
    width = np.ascontiguousarray(width, dtype=np.float64)
    return Walk(np.zeros_like(width), np.zeros_like(width), np.zeros(5), np.zeros(5, np.int64), width)


@numba.njit
def copy(source, target):
    """Copy source (P,) to target (P,); a loop compiles in a tenth of the time of a slice."""
    for k in range(len(source)):
        target[k] = source[k]


@numba.njit(forceinline=True)
def uniform(state):
    """A uniform number in [0, 1) with 53 bits, and the next state."""
    z, state = next_word(state)
    return (z >> SHIFT_53) * 2.0**-53, state


@numba.njit
def usable(value):
    """Whether a chain may start at this log density; where it is -inf, every point is inside the first slice."""
    return value < np.inf


@numba.njit
def begin(walk, coordinate, state):
    """Start an update of one coordinate: draw the level and place the interval."""
    share, state = uniform(state)
    walk.numbers[LEVEL] = walk.numbers[VALUE] + np.log1p(-share)
    place, state = uniform(state)
    walk.numbers[LEFT_END], walk.numbers[RIGHT_END] = -place, 1 - place
    share, state = uniform(state)
    to_the_left = int(share * MAX_EXPANSIONS)
    walk.phase[1], walk.phase[2], walk.phase[3] = coordinate, to_the_left, MAX_EXPANSIONS - 1 - to_the_left
    walk.phase[4] = MAX_SHRINKAGES
    copy(walk.position, walk.point)
    return _step_out(walk, LEFT, state)


@numba.njit
def tell(walk, value, state):
    """Continue with the log density of `walk.point`; nan counts as outside the slice."""
    inside = value >= walk.numbers[LEVEL]
    phase = walk.phase[0]
    if phase in (LEFT, RIGHT):
        if not inside:
            return _step_out(walk, phase + 1, state)
        walk.numbers[LEFT_END if phase == LEFT else RIGHT_END] += -1.0 if phase == LEFT else 1.0
        return _step_out(walk, phase, state)
    if inside:
        copy(walk.point, walk.position)
        walk.numbers[VALUE] = value
        walk.phase[0] = DONE
        return state
    walk.numbers[LEFT_END if walk.numbers[OFFSET] < 0 else RIGHT_END] = walk.numbers[OFFSET]
    walk.phase[4] -= 1
    if walk.phase[4] == 0:
        walk.phase[0] = STUCK
        return state
    return _step_out(walk, INSIDE, state)


@numba.njit
def _step_out(walk, phase, state):
    """Request the next value: at an end of the interval while it may still grow, else at a uniform point in it."""
    if phase == LEFT and walk.phase[2] == 0:
        phase = RIGHT
    if phase == RIGHT and walk.phase[3] == 0:
        phase = INSIDE
    if phase == INSIDE:
        share, state = uniform(state)
        left, right = walk.numbers[LEFT_END], walk.numbers[RIGHT_END]
        walk.numbers[OFFSET] = left + (right - left) * share
        offset = walk.numbers[OFFSET]
    else:
        walk.phase[phase + 1] -= 1
        offset = walk.numbers[LEFT_END if phase == LEFT else RIGHT_END]
    coordinate = walk.phase[1]
    walk.phase[0] = phase
    walk.point[coordinate] = walk.position[coordinate] + offset * walk.width[coordinate]
    return state


def require_moving(stuck: int) -> None:
    """Raise RuntimeError where a compiled loop returns the number of a chain that it gave up, not -1."""
    if stuck >= 0:
        raise RuntimeError(
            f"slice sampling: the log density of chain {stuck} is nan or infinite at its start, or not the same at the "
            "same point"
        )


@numba.njit(error_model="numpy")
def log_prior(theta, priors):
    """Log density of theta (P,), up to a constant, -inf outside the ranges."""
    value = 0.0
    for k in range(len(theta)):
        u = theta[k]
        if not priors.low[k] <= u <= priors.high[k]:
            return -np.inf
        value -= 0.5 * priors.precision[k] * (u - priors.mean[k]) ** 2
        if not np.isnan(priors.log_scale[k]):
            value += np.log(np.log1p(3 * np.exp(2 * (priors.log_scale[k] - u)))) + u
    return value
