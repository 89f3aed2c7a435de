"""Training of one network, compiled: forward pass with dropout, loss, backward pass, Adam, step after step.

    a_0 = x,  z_l = a_l W_l + b_l,  a_(l+1) = m_l * act_l(z_l) for hidden layers, f = z_L

m_l is 1/(1 - p) with probability 1 - p and 0 otherwise while training, else 1. The loss is a mean over the batch: of
(f - y)^2, or of -log softmax(f)_y if there are classes. Adam (Kingma and Ba 2015, Algorithm 1):

    m <- 0.9 m + 0.1 g,  v <- 0.999 v + 0.001 g^2,
    theta <- theta - rate m / (1 - 0.9^t) / (sqrt(v / (1 - 0.999^t)) + 1e-8)
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from core.compiled.arguments import fingerprint
from core.compiled.elementary import keep_state, next_bits, shuffle, take_state
from core.compiled.layers import LINEAR, RELU, TANH, backward_layer, forward_layer, gather, through_units
from core.compiled.simd import LANES, load, maximum, minimum, signed_to_float, square_root, store

FIRST_DECAY, SECOND_DECAY, EPSILON = 0.9, 0.999, 1e-8  # Adam's beta_1, beta_2 and epsilon
STEEP = 2.0**40  # times a difference of floats of [0, 1] that is not 0: at least 1
TINY, SMALL = 1e-30, 2.0**-68
"""Adding and taking away one of these rounds a number to a multiple of 1e-37 or 4e-28, so that what a unit without
gradient leaves behind never becomes subnormal: arithmetic on such numbers takes a hundred times as long."""
EVALUATING = -1  # instead of a number of steps


class Network(NamedTuple):
    """One network of L layers, L - 1 of them hidden; float32, flat arrays of layout.size unless stated."""

    tanh: np.ndarray  # (L - 1,) bool, otherwise relu
    dropout: np.ndarray  # (L - 1,) rates p
    theta: np.ndarray
    gradient: np.ndarray
    first: np.ndarray  # m
    second: np.ndarray  # v
    lanes: np.ndarray  # (32,) uint32: state of the generator of dropout masks


@numba.njit(forceinline=True)
def forward(layout, network, rows, training, scratch):
    """Activations of all layers, from the inputs, which are in their place; f is in the place of the last."""
    last = len(layout.weight) - 1
    for layer in range(last):
        forward_layer(layout, layer, _unit(network, layer), network.theta, 0, rows, scratch)
        if training and network.dropout[layer] > 0:
            above, mask, row = layout.activation[layer + 1], layout.mask[layer + 1], layout.row[layer + 1]
            drop(network.lanes, network.dropout[layer], scratch, above, mask, rows * row)
    forward_layer(layout, last, LINEAR, network.theta, 0, rows, scratch)


@numba.njit(forceinline=True)
def _unit(network, layer):
    return TANH if network.tanh[layer] else RELU


@numba.njit
def drop(lanes, rate, scratch, activation, mask, count):
    """Draw `count` entries of a dropout mask to scratch[mask:] and multiply scratch[activation:] by them."""
    s0, s1, s2, s3 = take_state(lanes)
    scale = np.float32(1 / (1 - rate))
    for k in range(0, count, LANES):
        bits, s0, s1, s2, s3 = next_bits(s0, s1, s2, s3)
        uniform = signed_to_float(bits >> 1) * (2.0**-31)
        kept = minimum(maximum((uniform - rate) * STEEP, 0.0), 1.0) * scale
        store(scratch, mask + k, kept)
        store(scratch, activation + k, load(scratch, activation + k) * kept)
    keep_state(lanes, s0, s1, s2, s3)


@numba.njit(forceinline=True)
def head(scratch, top, row, y, rows, classes):
    """Sum over the batch of (f - y)^2, or of wrong predictions; f is replaced by the gradient of the mean loss.

    nan if a class score is not finite: such a network has diverged.
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
        normalizer = np.float32(0)
        for c in range(classes):
            scratch[start + c] = math.exp(scratch[start + c] - highest)
            normalizer += scratch[start + c]
        total += np.float64(best != label) if math.isfinite(normalizer) else np.nan
        for c in range(classes):
            scratch[start + c] /= normalizer * np.float32(rows)
        scratch[start + label] -= np.float32(1 / rows)
    return total


@numba.njit(forceinline=True)
def descend(layout, network, rows, rate, step, scratch):
    """Step `step` = 1, 2, ... from dloss/df, which is where f was; the activations are overwritten.

    A layer's weights are moved as soon as the layer below has its gradient: then both are still in the cache, which all
    layers together are too large for.
    """
    rate, inverse = corrected(rate, step)
    for layer in range(len(layout.weight) - 1, -1, -1):
        backward_layer(layout, layer, network.theta, 0, rows, scratch, network.gradient)
        adam(network, layout.weight[layer], layout.bias[layer] + layout.row[layer + 1], rate, inverse)
        if layer > 0:
            dropout = network.dropout[layer - 1]
            through_units(layout, layer, _unit(network, layer - 1), dropout, rows, scratch)


@numba.njit(forceinline=True)
def corrected(rate, step):
    """What step `step` = 1, 2, ... of Adam multiplies by: rate / (1 - 0.9^t) and 1 / sqrt(1 - 0.999^t)."""
    return np.float32(rate / (1 - FIRST_DECAY**step)), np.float32(1 / math.sqrt(1 - SECOND_DECAY**step))


@numba.njit(forceinline=True)
def adam(network, start, end, rate, inverse):
    """Move the parameters theta[start:end], with the rate and the inverse of `corrected`."""
    theta, first, second = network.theta, network.first, network.second
    for k in range(start, end, LANES):
        g = load(network.gradient, k)
        # 0.9 times the smallest multiple is rounded up to it again: m must be large enough for m * rate, v for sqrt(v).
        m = load(first, k) * FIRST_DECAY + g * (1 - FIRST_DECAY) + SMALL - SMALL
        v = load(second, k) * SECOND_DECAY + g * g * (1 - SECOND_DECAY) + TINY - TINY
        store(first, k, m)
        store(second, k, v)
        store(theta, k, load(theta, k) - m * rate / (square_root(v) * inverse + EPSILON))


@cache
def compile_training() -> Callable[..., Any]:
    """The function `train`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def train(
        layout, network, train_part, validation_part, test_part, classes, batch, order, scratch, shuffler,
        epochs_before, is_last, rates, train_errors, validation_errors,
    ):  # fmt: skip
        """Fill the errors (E,) of the next epochs; `order`, `scratch` and `shuffler` (1,) go from call to call.

        Returns the number of epochs done, whether the network is still finite, and after the last epoch its test error.
        """
        version  # noqa: B018
        as_they_are = np.arange(max(len(validation_part[1]), len(test_part[1])))
        steps = epochs_before * -(-len(order) // batch)
        for epoch in range(len(rates)):
            shuffler[0] = shuffle(order, shuffler[0])
            rate = rates[epoch]
            train_errors[epoch] = _sweep(layout, network, train_part, order, batch, classes, rate, steps, scratch)
            steps += -(-len(order) // batch)
            validation_errors[epoch] = _sweep(
                layout, network, validation_part, as_they_are, layout.capacity, classes, rate, EVALUATING, scratch
            )
            if not (np.isfinite(train_errors[epoch]) and np.isfinite(validation_errors[epoch])):
                train_errors[epoch] = validation_errors[epoch] = np.nan
                return epoch + 1, False, np.nan
        if not is_last:
            return len(rates), True, np.nan
        test = _sweep(layout, network, test_part, as_they_are, layout.capacity, classes, 0.0, EVALUATING, scratch)
        return len(rates), True, (test if np.isfinite(test) else np.nan)

    return train


@numba.njit
def _sweep(layout, network, part, order, batch, classes, rate, steps, scratch):
    """One pass over a part of the data, training from a given number of steps on, or evaluating; the mean error."""
    X, y = part
    targets, total = np.empty(batch, np.float32), 0.0
    for first in range(0, len(y), batch):
        rows = min(batch, len(y) - first)
        gather(X, 0, y, order, first, rows, layout.row[0], scratch, targets)
        forward(layout, network, rows, steps != EVALUATING, scratch)
        total += head(scratch, layout.activation[-1], layout.row[-1], targets, rows, classes)
        if steps != EVALUATING:
            steps += 1
            descend(layout, network, rows, rate, steps, scratch)
    return total / len(y)
