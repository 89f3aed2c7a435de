"""Gradient of one chain's minibatch potential, compiled, for tanh networks with one output.

With f = h(x), s = log sigma^2, N points and a batch of B, the likelihood's part of the potential and its derivatives:

    U = N/2 s + (N/B) sum_b (f_b - y_b)^2 / (2 sigma^2)
    dU/df_b = (N/B) (f_b - y_b) / sigma^2,    dU/ds = N/2 - (N/B) sum_b (f_b - y_b)^2 / (2 sigma^2)

and the weights' gradients follow by backpropagation, see `layers`. With a sigmoid mean f = 1 / (1 + e^-h(x)) there is
another factor, df/dh = f (1 - f).
"""

import math

import numba
import numpy as np

from core.compiled.layers import TANH, backward_layer, forward_layer, through_units
from core.compiled.simd import LANES, broadcast, lane_sum, load, splat, store


@numba.njit
def likelihood_gradient(theta, theta0, layout, y, batch, points, scratch, gradient, sigmoid=False):
    """Write the gradient of U at the padded parameters theta[theta0:] into `gradient` (size,).

    The batch's inputs are in the scratch space, in the place of the activations below layer 0; its targets y (batch,)
    are overwritten.
    """
    hidden = layout.hidden
    for layer in range(len(hidden.weight)):
        forward_layer(hidden, layer, TANH, theta, theta0, batch, scratch)
    _output(theta, theta0, layout, y, batch, points, scratch, gradient, sigmoid)
    for layer in range(len(hidden.weight) - 1, -1, -1):
        backward_layer(hidden, layer, theta, theta0, batch, scratch, gradient)
        if layer > 0:
            through_units(hidden, layer, TANH, 0, batch, scratch)


@numba.njit(forceinline=True)
def _output(theta, theta0, layout, y, batch, points, scratch, gradient, sigmoid):
    """f from the uppermost activations, dU/dw, dU/db, dU/ds, and delta in place of the activations."""
    top, row = layout.hidden.activation[-1], layout.hidden.row[-1]
    weight, bias, noise = layout.weight, layout.bias, layout.noise
    precision = np.float32(math.exp(-theta[theta0 + noise]))
    scale = np.float32(points / batch)
    squares, total = np.float32(0), np.float32(0)
    for b in range(batch):
        output = splat(0.0)
        for j in range(0, row, LANES):
            output = output + load(scratch, top + b * row + j) * load(theta, theta0 + weight + j)
        mean, slope = lane_sum(output) + theta[theta0 + bias], np.float32(1)
        if sigmoid:
            mean = np.float32(1 / (1 + math.exp(-mean)))
            slope = mean * (np.float32(1) - mean)
        error = mean - y[b]
        squares += error * error
        y[b] = error * precision * scale * slope
        total += y[b]
    gradient[noise] = np.float32(0.5) * (np.float32(points) - scale * precision * squares)
    gradient[bias] = total

    for j in range(0, row, LANES):
        w, total_w = load(theta, theta0 + weight + j), splat(0.0)
        for b in range(batch):
            a, delta = load(scratch, top + b * row + j), broadcast(y, b)
            total_w = total_w + delta * a
            if len(layout.hidden.weight) > 0:
                store(scratch, top + b * row + j, delta * w * (1.0 - a * a))
        store(gradient, weight + j, total_w)
