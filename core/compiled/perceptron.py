"""A perceptron that learns from examples of its own making, as agents do, compiled: passes over a few rows, and Adam.

The rows of a step are summed into one gradient, so that a step may have more of them than there is scratch space for.
`core.compiled.training` has the loop for networks that are trained on a data set.

Compiled code keeps a perceptron's parameters and intermediate results in flat arrays.

`MLP` packs weights without gaps. The products of `core.compiled.layers` need every row of a weight matrix to be a whole
number of vectors: layer l has W (in, padded out), then b (padded out,). Padding holds zeros; its gradients are zero and
it gets no noise, so that it stays zero.

Networks that are trained have matrices up to their outputs. The one output of networks that are sampled would be a
matrix of one column in eight, with as much padding to draw noise for: its w is a row (padded in,) instead, see
`RegressionLayout`.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple, Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from core.compiled.elementary import next_word
from core.compiled.layers import LINEAR, backward_layer, forward_layer, through_units
from core.compiled.simd import LANES, load, store
from core.compiled.training import adam, corrected


class Layout(NamedTuple):
    """Sizes and offsets in elements, int64, of L layers with matrices; readable inside numba functions."""

    sizes: NDArray[np.int64]  # (L + 1,) inputs, units of each layer
    row: NDArray[np.int64]  # (L + 1,) the same, padded: row lengths of the activations and of W
    weight: NDArray[np.int64]  # (L,) offset of W in the parameters
    bias: NDArray[np.int64]  # (L,) offset of b
    size: int  # length of the padded parameters
    capacity: int  # rows of a batch for which there is space
    activation: NDArray[np.int64]  # (L + 1,) offset in the scratch space of the activations (capacity, row)
    mask: NDArray[np.int64]  # (L + 1,) offset of the dropout masks of these activations
    transposed: NDArray[np.int64]  # (L,) offset of W' (padded out, padded in)
    product: int  # offset of a matrix as large as the largest activations
    scratch: int  # length of the scratch space


class OneOutput(Protocol):
    """What the layouts of networks with one output share, see `RegressionLayout`."""

    @property
    def hidden(self) -> Layout: ...

    @property
    def weight(self) -> int: ...

    @property
    def bias(self) -> int: ...

    @property
    def noise(self) -> int: ...


class RegressionLayout(NamedTuple):
    """A network with one output, h(x) = w' a_L + b, and s = log sigma^2; offsets in elements."""

    hidden: Layout
    weight: int  # offset of w
    bias: int
    noise: int  # offset of s
    size: int  # length of the padded parameter vector, a multiple of two vectors


def make_layout(sizes: tuple[int, ...], capacity: int) -> Layout:
    """The layout of layers with sizes (inputs, units, ...) and of the scratch space for `capacity` rows."""
    rows = [round_up(size, LANES) for size in sizes]
    weight, bias, end = [], [], 0
    for inputs, row in zip(sizes[:-1], rows[1:], strict=True):
        weight.append(end)
        bias.append(end + inputs * row)
        end += (inputs + 1) * row
    activation = np.cumsum([0, *(capacity * row for row in rows)])
    mask = activation[-1] + activation
    transposed = mask[-1] + np.cumsum([0, *(below * above for below, above in pairwise(rows))])
    return Layout(
        sizes=np.array(sizes, dtype=np.int64),
        row=np.array(rows, dtype=np.int64),
        weight=np.array(weight, dtype=np.int64),
        bias=np.array(bias, dtype=np.int64),
        size=end,
        capacity=capacity,
        activation=activation[:-1],
        mask=mask[:-1],
        transposed=transposed[:-1],
        product=int(transposed[-1]),
        scratch=int(transposed[-1]) + capacity * max(rows),
    )


def make_regression_layout(sizes: tuple[int, ...], capacity: int) -> RegressionLayout:
    """The layout of a network with sizes (inputs, hidden ..., 1)."""
    hidden = make_layout(sizes[:-1], capacity)
    bias = hidden.size + int(hidden.row[-1])
    return RegressionLayout(hidden, hidden.size, bias, bias + 1, round_up(bias + 2, 2 * LANES))


def padded_places(layout: Layout) -> NDArray[np.int64]:
    """Index in the padded vector of every entry of theta, W row by row then b, layer after layer: (P,)."""
    places = [np.zeros(0, np.int64)]
    for layer, (inputs, outputs) in enumerate(pairwise(layout.sizes)):
        matrix = np.arange(inputs)[:, None] * layout.row[layer + 1] + np.arange(outputs)
        places += [layout.weight[layer] + matrix.ravel(), layout.bias[layer] + np.arange(outputs)]
    return np.concatenate(places)


def padded_regression_places(layout: OneOutput) -> NDArray[np.int64]:
    """The same for theta = (weights and biases, s): (P_w + 1,)."""
    weights = layout.weight + np.arange(layout.hidden.sizes[-1])
    return np.concatenate([padded_places(layout.hidden), weights, [layout.bias, layout.noise]])


def padded_rows(X: NDArray[np.floating]) -> NDArray[np.float32]:
    """X (..., d) with rows of whole vectors, flat, float32."""
    padded = np.zeros((*X.shape[:-1], round_up(X.shape[-1], LANES)), np.float32)
    padded[..., : X.shape[-1]] = X
    return padded.reshape(-1)


def round_up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


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
