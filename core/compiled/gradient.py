"""Gradient of one chain's minibatch potential, compiled: forward pass, error, backward pass.

With f = h(x), s = log sigma^2, N points and a batch of B, the likelihood's part of the potential and its derivatives:

    U = N/2 s + (N/B) sum_b (f_b - y_b)^2 / (2 sigma^2)
    dU/df_b = (N/B) (f_b - y_b) / sigma^2,    dU/ds = N/2 - (N/B) sum_b (f_b - y_b)^2 / (2 sigma^2)

and the weights' gradients follow by backpropagation (see `core.models.network`). Where the activations of a layer are
no longer needed they are overwritten by dU/d(its inputs).
"""

import math

import numba
import numpy as np

from core.compiled.elementary import tanh
from core.compiled.products import product, transpose
from core.compiled.simd import LANES, broadcast, lane_sum, load, splat, store


@numba.njit
def likelihood_gradient(theta, theta0, layout, y, batch, points, scratch, gradient):
    """Write the gradient of U at the padded parameters theta[theta0:] into `gradient` (size,).

    The batch's inputs lie in the scratch space, where the activations below layer 0 belong; its targets y (batch,) are
    overwritten.
    """
    hidden = len(layout.inputs)
    for layer in range(hidden):
        _forward(theta, theta0, layout, layer, batch, scratch)

    top, row = layout.activation[hidden], layout.input_row[hidden]
    weight, bias, noise = layout.weight[hidden], layout.bias[hidden], layout.noise
    precision = np.float32(math.exp(-theta[theta0 + noise]))
    scale = np.float32(points / batch)
    squares, total = np.float32(0), np.float32(0)
    for b in range(batch):
        output = splat(0.0)
        for j in range(0, row, LANES):
            output = output + load(scratch, top + b * row + j) * load(theta, theta0 + weight + j)
        error = lane_sum(output) + theta[theta0 + bias] - y[b]
        squares += error * error
        y[b] = error * precision * scale
        total += y[b]
    gradient[noise] = np.float32(0.5) * (np.float32(points) - scale * precision * squares)
    gradient[bias] = total

    for j in range(0, row, LANES):
        w, total_w = load(theta, theta0 + weight + j), splat(0.0)
        for b in range(batch):
            a, delta = load(scratch, top + b * row + j), broadcast(y, b)
            total_w = total_w + delta * a
            if hidden > 0:
                store(scratch, top + b * row + j, delta * w * (1.0 - a * a))
        store(gradient, weight + j, total_w)
    for layer in range(hidden - 1, -1, -1):
        _backward(theta, theta0, layout, layer, batch, scratch, gradient)


@numba.njit
def _forward(theta, theta0, layout, layer, batch, scratch):
    """a_(l+1) = tanh(a_l W_l + b_l)."""
    below, above = layout.activation[layer], layout.activation[layer + 1]
    inputs, row_below, row = layout.inputs[layer], layout.input_row[layer], layout.output_row[layer]
    weight, bias = theta0 + layout.weight[layer], theta0 + layout.bias[layer]
    product(scratch, below, row_below, 1, theta, weight, row, scratch, above, row, batch, inputs, row)
    for j in range(0, row, LANES):
        b = load(theta, bias + j)
        for k in range(above + j, above + j + batch * row, row):
            store(scratch, k, tanh(load(scratch, k) + b))


@numba.njit
def _backward(theta, theta0, layout, layer, batch, scratch, gradient):
    """dU/dW_l and dU/db_l from delta_l, which lies where a_(l+1) was; then delta_(l-1) in the place of a_l."""
    below, delta = layout.activation[layer], layout.activation[layer + 1]
    inputs, row_below, row = layout.inputs[layer], layout.input_row[layer], layout.output_row[layer]
    weight, bias = layout.weight[layer], layout.bias[layer]
    product(scratch, below, 1, row_below, scratch, delta, row, gradient, weight, row, inputs, batch, row)
    for j in range(0, row, LANES):
        total = splat(0.0)
        for b in range(batch):
            total = total + load(scratch, delta + b * row + j)
        store(gradient, bias + j, total)
    if layer > 0:
        flipped, result, outputs = layout.transposed[layer], layout.product, layout.outputs[layer]
        transpose(theta, theta0 + weight, inputs, row, scratch, flipped, row_below)
        product(
            scratch, delta, row, 1, scratch, flipped, row_below, scratch, result, row_below, batch, outputs, row_below
        )
        for k in range(0, batch * row_below, LANES):
            a = load(scratch, below + k)
            store(scratch, below + k, load(scratch, result + k) * (1.0 - a * a))
