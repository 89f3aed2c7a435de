"""Where the compiled sampler keeps a network's parameters and intermediate results.

`MLP` packs weights without gaps. The kernels want every row of a weight matrix to be a whole number of vectors: W of a
hidden layer is (inputs, padded outputs), its bias (padded outputs,), w of the output layer (padded inputs,), then come
its bias and s = log sigma^2. Padding holds zeros; its gradients are zero and it gets no noise, so that it stays zero.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from core.compiled.simd import LANES
from core.models.network import MLP


class Layout(NamedTuple):
    """Sizes and offsets, in elements; one entry a hidden layer unless stated. Readable inside numba functions."""

    inputs: np.ndarray
    input_row: (
        np.ndarray
    )  # padded inputs: the row length of the activations below; one entry more, for the output layer
    outputs: np.ndarray
    output_row: np.ndarray  # padded outputs: the row length of W
    weight: np.ndarray  # offset of W in the parameters; one entry more, for the output layer
    bias: np.ndarray  # offset of b; one entry more
    noise: int  # offset of s
    size: int  # length of the padded parameter vector, a multiple of two vectors
    activation: np.ndarray  # offset of the activations below a layer (batch, input_row); one entry more
    transposed: np.ndarray  # offset of W' (output_row, input_row)
    product: int  # offset of a matrix as large as the largest activations
    scratch: int  # length of the scratch space


def make_layout(network: MLP, batch: int) -> Layout:
    """The layout of a network's parameters and of the scratch space for batches of the given size."""
    sizes = network.sizes
    rows = [_padded(size, LANES) for size in sizes[:-1]]
    weight, bias, end = [], [], 0
    for inputs, row in zip(sizes[:-2], rows[1:]):
        weight.append(end)
        bias.append(end + inputs * row)
        end += (inputs + 1) * row
    weight.append(end)
    bias.append(end + rows[-1])
    noise = bias[-1] + 1

    activation, transposed, end_scratch = [], [], 0
    for row in rows:
        activation.append(end_scratch)
        end_scratch += batch * row
    for below, above in pairwise(rows):
        transposed.append(end_scratch)
        end_scratch += below * above
    product = end_scratch

    def integers(values):
        return np.array(values, dtype=np.int64)

    return Layout(
        inputs=integers(sizes[:-2]),
        input_row=integers(rows),
        outputs=integers(sizes[1:-1]),
        output_row=integers(rows[1:]),
        weight=integers(weight),
        bias=integers(bias),
        noise=noise,
        size=_padded(noise + 1, 2 * LANES),
        activation=integers(activation),
        transposed=integers(transposed),
        product=product,
        scratch=product + batch * max(rows),
    )


def padded_places(network: MLP, layout: Layout) -> Tensor:
    """Index in the padded vector of every entry of theta = (weights and biases, s): (P_w + 1,) int64."""
    places = []
    for layer, (inputs, outputs) in enumerate(zip(layout.inputs, layout.outputs)):
        rows = np.arange(inputs)[:, None] * layout.output_row[layer] + np.arange(outputs)
        places += [layout.weight[layer] + rows.ravel(), layout.bias[layer] + np.arange(outputs)]
    places += [layout.weight[-1] + np.arange(network.sizes[-2]), [layout.bias[-1], layout.noise]]
    return torch.from_numpy(np.concatenate(places))


def _padded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
