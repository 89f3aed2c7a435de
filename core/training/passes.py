"""One step of one network, compiled: forward pass with dropout, loss, backward pass, Adam.

    a_0 = x,  z_l = a_l W_l + b_l,  a_(l+1) = m_l * act_l(z_l) for hidden layers, f = z_L

m_l is 1/(1 - p) with probability 1 - p and 0 otherwise while training, else 1. The loss is a mean over the batch: of
(f - y)^2, or of -log softmax(f)_y where there are classes. Adam (Kingma and Ba 2015, Algorithm 1):

    m <- 0.9 m + 0.1 g,  v <- 0.999 v + 0.001 g^2,
    theta <- theta - rate m / (1 - 0.9^t) / (sqrt(v / (1 - 0.999^t)) + 1e-8)
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from core.compiled.elementary import tanh
from core.compiled.products import product, transpose
from core.compiled.random_bits import next_bits
from core.compiled.simd import LANES, load, maximum, minimum, signed_to_float, splat, square_root, store

FIRST_DECAY, SECOND_DECAY, EPSILON = 0.9, 0.999, 1e-8  # Adam's beta_1, beta_2 and epsilon
STEEP = 2.0**40  # times a difference of floats of [0, 1] that is not 0: at least 1
LARGEST = 3e38
TINY = 1e-30


class Network(NamedTuple):
    """One network, of L layers of which L - 1 hidden; float32, flat arrays of layout.size unless stated."""

    tanh: np.ndarray  # (L - 1,) bool, otherwise relu
    dropout: np.ndarray  # (L - 1,) rates p
    theta: np.ndarray
    gradient: np.ndarray
    first: np.ndarray  # m
    second: np.ndarray  # v
    lanes: np.ndarray  # (32,) uint32: state of the generator of dropout masks


@numba.njit
def forward(layout, network, rows, training, scratch):
    """Activations of all layers, the inputs being in their place; f lies in the place of the last."""
    theta, last = network.theta, len(layout.weight) - 1
    for layer in range(last + 1):
        below, above = layout.activation[layer], layout.activation[layer + 1]
        row_below, row = layout.row[layer], layout.row[layer + 1]
        weight, inputs = layout.weight[layer], layout.sizes[layer]
        product(scratch, below, row_below, 1, theta, weight, row, scratch, above, row, rows, inputs, row)
        for j in range(0, row, LANES):
            b = load(theta, layout.bias[layer] + j)
            for k in range(above + j, above + j + rows * row, row):
                z = load(scratch, k) + b
                if layer < last:
                    z = tanh(z) if network.tanh[layer] else maximum(z, 0.0)
                store(scratch, k, z)
        if training and layer < last and network.dropout[layer] > 0:
            drop(network.lanes, network.dropout[layer], scratch, above, layout.mask[layer + 1], rows * row)


@numba.njit
def drop(lanes, rate, scratch, activation, mask, count):
    """Draw `count` entries of a dropout mask to scratch[mask:] and multiply scratch[activation:] by them."""
    s0, s1, s2, s3 = load(lanes, 0), load(lanes, LANES), load(lanes, 2 * LANES), load(lanes, 3 * LANES)
    scale = np.float32(1 / (1 - rate))
    for k in range(0, count, LANES):
        bits, s0, s1, s2, s3 = next_bits(s0, s1, s2, s3)
        uniform = signed_to_float(bits >> 1) * (2.0**-31)
        kept = minimum(maximum((uniform - rate) * STEEP, 0.0), 1.0) * scale
        store(scratch, mask + k, kept)
        store(scratch, activation + k, load(scratch, activation + k) * kept)
    store(lanes, 0, s0)
    store(lanes, LANES, s1)
    store(lanes, 2 * LANES, s2)
    store(lanes, 3 * LANES, s3)


@numba.njit
def head(scratch, top, row, y, rows, classes):
    """Sum over the batch of (f - y)^2, or of wrong predictions; f is replaced by the gradient of the mean loss.

    nan where a class score is not finite: such a network has diverged.
    """
    total = 0.0
    for b in range(rows):
        start = top + b * row
        if classes == 0:
            error = scratch[start] - y[b]
            total += error * error
            scratch[start] = 2 * error / np.float32(rows)
            continue
        label = np.intp(y[b])
        highest, best = scratch[start], 0
        for c in range(1, classes):
            if scratch[start + c] > highest:
                highest, best = scratch[start + c], c
        normaliser = np.float32(0)
        for c in range(classes):
            scratch[start + c] = math.exp(scratch[start + c] - highest)
            normaliser += scratch[start + c]
        total += np.float64(best != label) if math.isfinite(normaliser) else np.nan
        for c in range(classes):
            scratch[start + c] /= normaliser * np.float32(rows)
        scratch[start + label] -= np.float32(1 / rows)
    return total


@numba.njit
def backward(layout, network, rows, scratch):
    """Gradients of all layers from dloss/df, which lies where f was; the activations are overwritten."""
    theta, gradient = network.theta, network.gradient
    for layer in range(len(layout.weight) - 1, -1, -1):
        below, delta = layout.activation[layer], layout.activation[layer + 1]
        row_below, row = layout.row[layer], layout.row[layer + 1]
        weight, inputs = layout.weight[layer], layout.sizes[layer]
        product(scratch, below, 1, row_below, scratch, delta, row, gradient, weight, row, inputs, rows, row)
        for j in range(0, row, LANES):
            total = splat(0.0)
            for b in range(rows):
                total = total + load(scratch, delta + b * row + j)
            store(gradient, layout.bias[layer] + j, total)
        if layer > 0:
            flipped, result, outputs = layout.transposed[layer], layout.product, layout.sizes[layer + 1]
            transpose(theta, weight, inputs, row, scratch, flipped, row_below)
            inner = (delta, row, 1, scratch, flipped, row_below)
            product(scratch, *inner, scratch, result, row_below, rows, outputs, row_below)
            _through_units(layout, layer, rows, network.tanh[layer - 1], network.dropout[layer - 1], scratch)


@numba.njit
def _through_units(layout, layer, rows, is_tanh, rate, scratch):
    """delta_l = m_l * act_l'(z_l) * dloss/da_l. Where m_l is not 0, act_l is a_l (1 - p)."""
    a0, result, mask = layout.activation[layer], layout.product, layout.mask[layer]
    kept = np.float32(1 - rate)
    for k in range(0, rows * layout.row[layer], LANES):
        delta, a = load(scratch, result + k), load(scratch, a0 + k)
        if rate > 0:
            delta, a = delta * load(scratch, mask + k), a * kept
        delta = delta * (1.0 - a * a) if is_tanh else delta * minimum(a * LARGEST, 1.0)
        store(scratch, a0 + k, delta)


@numba.njit
def adam(network, rate, step):
    """Move theta by a step t = 1, 2, ..."""
    theta, first, second = network.theta, network.first, network.second
    rate = np.float32(rate / (1 - FIRST_DECAY**step))
    inverse = np.float32(1 / math.sqrt(1 - SECOND_DECAY**step))
    for k in range(0, len(theta), LANES):
        g = load(network.gradient, k)
        # Adding and taking away TINY makes 0 of numbers so small that arithmetic on them is slow.
        m = load(first, k) * FIRST_DECAY + g * (1 - FIRST_DECAY) + TINY - TINY
        v = load(second, k) * SECOND_DECAY + g * g * (1 - SECOND_DECAY) + TINY - TINY
        store(first, k, m)
        store(second, k, v)
        store(theta, k, load(theta, k) - m * rate / (square_root(v) * inverse + EPSILON))
