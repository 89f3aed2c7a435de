"""Layers of a perceptron, forwards and backwards, compiled: what every backward pass in this folder is made of.

    a_(l+1) = act(a_l W_l + b_l)
    dU/dW_l = a_l' delta_l,    dU/db_l = sum_b delta_l,    delta_(l-1) = (delta_l W_l') * act'(a_l)

with delta_l = dU/d(a_l W_l + b_l). When a layer's activations are no longer needed, delta takes their place.
`prediction`, which differentiates in x instead, has its own passes: there the points are along the lanes and weights
are read in the layout of `MLP`, because padding the weights of hundreds of networks costs more than a few points do.
"""

import numba
import numpy as np

from core.compiled.elementary import tanh
from core.compiled.products import product, transpose
from core.compiled.simd import LANES, load, maximum, minimum, splat, store

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
