"""A perceptron that learns from examples of its own making, as agents do, compiled: passes over a few rows, and Adam.

The rows of a step are summed into one gradient, so that a step may have more of them than there is scratch space for.
`core.compiled.training` has the loop for networks that are trained on a data set.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from core.compiled.layers import LINEAR, backward_layer, forward_layer, through_units
from core.compiled.layout import Layout, padded_places
from core.compiled.random_bits import next_word
from core.compiled.simd import LANES, load, store
from core.compiled.training import adam, corrected

UNIFORM_BITS, ONE_UNIT = np.uint64(11), 2.0**-53
HALF_WORD = np.uint64(32)


class Perceptron(NamedTuple):
    """A network in training: float32, flat arrays of layout.size."""

    unit: int  # RELU or TANH, of its hidden layers
    theta: np.ndarray
    gradient: np.ndarray  # sum over the rows of a step
    part: np.ndarray  # of those that fit into the scratch space
    first: np.ndarray  # Adam's m
    second: np.ndarray  # and v


def make_perceptron(layout: Layout, unit: int, weights: list[np.ndarray]) -> Perceptron:
    """A network before its first step, from W (in, out) and b (out,) of layer after layer."""
    theta, *others = (np.zeros(layout.size, np.float32) for _ in range(5))
    theta[padded_places(layout)] = np.concatenate([each.ravel() for each in weights])
    return Perceptron(unit, theta, *others)


@numba.njit
def predict(layout, network, rows, scratch):
    """Outputs for the inputs at the start of the scratch space, in the place of the last activations."""
    last = len(layout.weight) - 1
    for layer in range(last + 1):
        unit = network.unit if layer < last else LINEAR
        forward_layer(layout, layer, unit, network.theta, 0, rows, scratch)


@numba.njit
def propagate(layout, network, rows, scratch):
    """Add to the network's gradient that of the rows whose dloss/doutput is where the outputs were.

    dloss/dz of the first layer is left where its activations were.
    """
    for layer in range(len(layout.weight) - 1, -1, -1):
        backward_layer(layout, layer, network.theta, 0, rows, scratch, network.part)
        if layer > 0:
            through_units(layout, layer, network.unit, 0.0, rows, scratch)
    for k in range(0, layout.size, LANES):
        store(network.gradient, k, load(network.gradient, k) + load(network.part, k))


@numba.njit
def move(layout, network, rate, step):
    """Step `step` = 1, 2, ... of Adam along the gradient, which is 0 afterwards."""
    scale, inverse = corrected(rate, step)
    adam(network, 0, layout.size, scale, inverse)
    network.gradient[:] = 0


@numba.njit
def uniform(generator):
    """A number in [0, 1) from the state of a generator, (1,) uint64, which moves on."""
    word, generator[0] = next_word(generator[0])
    return (word >> UNIFORM_BITS) * ONE_UNIT


@numba.njit
def normal(generator):
    """A standard normal number, by Box and Muller."""
    radius = math.sqrt(-2 * math.log(1 - uniform(generator)))
    return radius * math.cos(2 * math.pi * uniform(generator))


@numba.njit
def index_below(count, generator):
    """A whole number from 0 to count - 1, uniform up to count / 2^32."""
    word, generator[0] = next_word(generator[0])
    return np.int64(((word >> HALF_WORD) * np.uint64(count)) >> HALF_WORD)
