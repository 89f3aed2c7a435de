"""Where compiled code keeps a perceptron's parameters and intermediate results, in flat arrays.

`MLP` packs weights without gaps. The products of `products` need every row of a weight matrix to be a whole number of
vectors: layer l has W (in, padded out), then b (padded out,). Padding holds zeros; its gradients are zero and it gets
no noise, so that it stays zero.

Networks that are trained have matrices up to their outputs. The one output of networks that are sampled would be a
matrix of one column in eight, with as much padding to draw noise for: its w is a row (padded in,) instead, see
`RegressionLayout`.
"""

from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.compiled.simd import LANES


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
