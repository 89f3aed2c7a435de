"""Layers of a perceptron, forwards and backwards, compiled: what every backward pass in this folder is made of.

    a_(l+1) = act(a_l W_l + b_l)
    dU/dW_l = a_l' delta_l,    dU/db_l = sum_b delta_l,    delta_(l-1) = (delta_l W_l') * act'(a_l)

with delta_l = dU/d(a_l W_l + b_l). When a layer's activations are no longer needed, delta takes their place.
`prediction`, which differentiates in x instead, has its own passes: there the points are along the lanes and weights
are read in the layout of `MLP`, because padding the weights of hundreds of networks costs more than a few points do.

`likelihood_gradient` is the gradient of one chain's minibatch potential, for tanh networks with one output.

With f = h(x), s = log sigma^2, N points and a batch of B, the likelihood's part of the potential and its derivatives:

    U = N/2 s + (N/B) sum_b (f_b - y_b)^2 / (2 sigma^2)
    dU/df_b = (N/B) (f_b - y_b) / sigma^2,    dU/ds = N/2 - (N/B) sum_b (f_b - y_b)^2 / (2 sigma^2)

and the weights' gradients follow by backpropagation, as above. With a sigmoid mean f = 1 / (1 + e^-h(x)) there is
another factor, df/dh = f (1 - f).

Products of small matrices are in float32: sums stay in registers while the inner index runs.

All matrices are in flat arrays, located by a start and strides. Columns are whole vectors of eight: callers pad the
columns of weights, activations and gradients to a multiple of eight, with zeros that stay zeros. A tile is four rows by
two vectors, eight independent sums, enough to hide the latency of fused multiply-add; if fewer than four rows are
left, the tile moves back and computes rows again. At 20 x 50 x 50 a product takes half the time of one through BLAS.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from core.compiled.elementary import tanh
from core.compiled.simd import LANES, broadcast, lane_sum, load, maximum, minimum, splat, store, transpose_8x8

TILE = 4


@numba.njit(forceinline=True)
def product(a, a0, a_row, a_inner, b, b0, b_inner, c, c0, c_row, rows, inner, columns):
    """C[r, j] = sum_k A[r, k] B[k, j] for r < rows, k < inner, j < columns, a multiple of eight.

    A[r, k] is a[a0 + r a_row + k a_inner], so that A may be transposed; B[k, j] is b[b0 + k b_inner + j].
    """
    paired = columns - columns % (2 * LANES)
    for tile in range(0, rows, TILE):
        if rows >= TILE:
            row = min(tile, rows - TILE)
            for j in range(0, paired, 2 * LANES):
                start = a0 + row * a_row
                _tile_4x2(a, start, a_row, a_inner, b, b0 + j, b_inner, c, c0 + row * c_row + j, c_row, inner)
            if paired < columns:
                start = a0 + row * a_row
                _tile_4x1(a, start, a_row, a_inner, b, b0 + paired, b_inner, c, c0 + row * c_row + paired, c_row, inner)
        else:
            for row in range(rows):
                for j in range(0, columns, LANES):
                    _tile_1x1(a, a0 + row * a_row, a_inner, b, b0 + j, b_inner, c, c0 + row * c_row + j, inner)


@numba.njit(forceinline=True)
def _tile_4x2(a, a0, a_row, a_inner, b, b0, b_inner, c, c0, c_row, inner):
    c00 = c01 = c10 = c11 = c20 = c21 = c30 = c31 = splat(0.0)
    for _ in range(inner):
        left, right = load(b, b0), load(b, b0 + LANES)
        x = broadcast(a, a0)
        c00 = c00 + x * left
        c01 = c01 + x * right
        x = broadcast(a, a0 + a_row)
        c10 = c10 + x * left
        c11 = c11 + x * right
        x = broadcast(a, a0 + 2 * a_row)
        c20 = c20 + x * left
        c21 = c21 + x * right
        x = broadcast(a, a0 + 3 * a_row)
        c30 = c30 + x * left
        c31 = c31 + x * right
        a0 += a_inner
        b0 += b_inner
    store(c, c0, c00)
    store(c, c0 + LANES, c01)
    store(c, c0 + c_row, c10)
    store(c, c0 + c_row + LANES, c11)
    store(c, c0 + 2 * c_row, c20)
    store(c, c0 + 2 * c_row + LANES, c21)
    store(c, c0 + 3 * c_row, c30)
    store(c, c0 + 3 * c_row + LANES, c31)


@numba.njit(forceinline=True)
def _tile_4x1(a, a0, a_row, a_inner, b, b0, b_inner, c, c0, c_row, inner):
    c0_, c1_, c2_, c3_ = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for _ in range(inner):
        right = load(b, b0)
        c0_ = c0_ + broadcast(a, a0) * right
        c1_ = c1_ + broadcast(a, a0 + a_row) * right
        c2_ = c2_ + broadcast(a, a0 + 2 * a_row) * right
        c3_ = c3_ + broadcast(a, a0 + 3 * a_row) * right
        a0 += a_inner
        b0 += b_inner
    store(c, c0, c0_)
    store(c, c0 + c_row, c1_)
    store(c, c0 + 2 * c_row, c2_)
    store(c, c0 + 3 * c_row, c3_)


@numba.njit(forceinline=True)
def _tile_1x1(a, a0, a_inner, b, b0, b_inner, c, c0, inner):
    total = splat(0.0)
    for _ in range(inner):
        total = total + broadcast(a, a0) * load(b, b0)
        a0 += a_inner
        b0 += b_inner
    store(c, c0, total)


@numba.njit(forceinline=True)
def transpose(a, a0, rows, columns, out, out0, out_row):
    """Write A (rows, columns), columns a multiple of eight, column by column: A[r, j] to out[out0 + j out_row + r]."""
    whole = rows - rows % LANES
    for row in range(0, whole, LANES):
        for column in range(0, columns, LANES):
            transpose_8x8(a, a0 + row * columns + column, columns, out, out0 + column * out_row + row, out_row)
    for row in range(whole, rows):
        for column in range(columns):
            out[out0 + column * out_row + row] = a[a0 + row * columns + column]


LINEAR, RELU, TANH = range(3)
LARGEST = 3e38


@numba.njit(forceinline=True)
def gather(X, X0, y, order, first, rows, row, scratch, targets):
    """Copy a batch, the points order[first], ..., to the start of the scratch space and its targets.

    X has rows of length `row`, flat; those of y (N,) start at row X0.
    """
    for b in range(rows):
        point = order[first + b]
        targets[b] = y[point]
        for j in range(0, row, LANES):
            store(scratch, b * row + j, load(X, (X0 + point) * row + j))


@numba.njit(forceinline=True)
def forward_layer(layout, layer, unit, theta, theta0, rows, scratch):
    """a_(l+1) from a_l and the padded parameters theta[theta0:]; `unit` is LINEAR, RELU or TANH."""
    below, above = layout.activation[layer], layout.activation[layer + 1]
    row_below, row, inputs = layout.row[layer], layout.row[layer + 1], layout.sizes[layer]
    weight, bias = theta0 + layout.weight[layer], theta0 + layout.bias[layer]
    product(scratch, below, row_below, 1, theta, weight, row, scratch, above, row, rows, inputs, row)
    for j in range(0, row, LANES):
        b = load(theta, bias + j)
        for k in range(above + j, above + j + rows * row, row):
            z = load(scratch, k) + b
            if unit == TANH:
                z = tanh(z)
            elif unit == RELU:
                z = maximum(z, 0.0)
            store(scratch, k, z)


@numba.njit(forceinline=True)
def backward_layer(layout, layer, theta, theta0, rows, scratch, gradient):
    """dU/dW_l and dU/db_l from delta_l, which is where a_(l+1) was; delta_l W_l', at `product`, if l > 0."""
    below, delta = layout.activation[layer], layout.activation[layer + 1]
    row_below, row, inputs = layout.row[layer], layout.row[layer + 1], layout.sizes[layer]
    weight, bias = layout.weight[layer], layout.bias[layer]
    product(scratch, below, 1, row_below, scratch, delta, row, gradient, weight, row, inputs, rows, row)
    for j in range(0, row, LANES):
        total = splat(0.0)
        for b in range(rows):
            total = total + load(scratch, delta + b * row + j)
        store(gradient, bias + j, total)
    if layer > 0:
        flipped, result, outputs = layout.transposed[layer], layout.product, layout.sizes[layer + 1]
        transpose(theta, theta0 + weight, inputs, row, scratch, flipped, row_below)
        inner = (delta, row, 1, scratch, flipped, row_below)
        product(scratch, *inner, scratch, result, row_below, rows, outputs, row_below)


@numba.njit(forceinline=True)
def through_units(layout, layer, unit, dropout, rows, scratch):
    """delta_(l-1) in place of a_l: act'(a_l) times what `backward_layer` left, for RELU or TANH units.

    With dropout, a_l has been multiplied by a mask whose nonzero entries are 1 / (1 - dropout).
    """
    a0, result, mask = layout.activation[layer], layout.product, layout.mask[layer]
    kept = np.float32(1 - dropout)
    for k in range(0, rows * layout.row[layer], LANES):
        delta, a = load(scratch, result + k), load(scratch, a0 + k)
        if dropout > 0:
            delta, a = delta * load(scratch, mask + k), a * kept
        delta = delta * (1.0 - a * a) if unit == TANH else delta * minimum(a * LARGEST, 1.0)
        store(scratch, a0 + k, delta)


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
