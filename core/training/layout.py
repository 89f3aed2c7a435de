"""Where the compiled training keeps a network's parameters and intermediate results, in flat arrays.

As in `core.compiled.layout` every row is a whole number of vectors and padding holds zeros, which stay zero; here
the output layer is a matrix like the others, since it may have several outputs. Layer l of L: W (in, padded out), then
b (padded out,).
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.compiled.simd import LANES


class Layout(NamedTuple):
    """Sizes and offsets in elements, int64; readable inside numba functions."""

    sizes: NDArray  # (L + 1,) inputs, hidden units ..., outputs
    row: NDArray  # (L + 1,) the same, padded: row lengths of the activations and of W
    weight: NDArray  # (L,) offset of W in the parameters
    bias: NDArray  # (L,) offset of b
    size: int  # length of the padded parameter vector
    capacity: int  # rows of a batch there is space for
    activation: NDArray  # (L + 1,) offset in the scratch space of the activations (capacity, row)
    mask: NDArray  # (L + 1,) offset of the dropout masks of these activations
    transposed: NDArray  # (L,) offset of W' (padded out, padded in)
    product: int  # offset of a matrix as large as the largest activations
    scratch: int  # length of the scratch space


def make_layout(sizes: tuple[int, ...], capacity: int) -> Layout:
    """The layout of networks with sizes (inputs, hidden ..., outputs) and of the space for `capacity` rows."""
    rows = [-(-size // LANES) * LANES for size in sizes]
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


def padded_places(layout: Layout) -> NDArray[np.int64]:
    """Index in the padded vector of every entry of theta, W row by row then b, layer after layer: (P,)."""
    places = []
    for layer, (inputs, outputs) in enumerate(pairwise(layout.sizes)):
        matrix = np.arange(inputs)[:, None] * layout.row[layer + 1] + np.arange(outputs)
        places += [layout.weight[layer] + matrix.ravel(), layout.bias[layer] + np.arange(outputs)]
    return np.concatenate(places)


def padded_rows(X: NDArray) -> NDArray[np.float32]:
    """X (n, d) with rows of whole vectors, flat, float32."""
    padded = np.zeros((len(X), -(-X.shape[1] // LANES) * LANES), np.float32)
    padded[:, : X.shape[1]] = X
    return padded.reshape(-1)
