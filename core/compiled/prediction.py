"""Outputs of many networks at many points, and their gradients in the points, compiled: tanh units, float32.

Acquisition functions are maximized through the networks, which requires h(x; theta) and dh/dx at a few points for each
of hundreds of networks. Points are along the lanes of vectors: activations are (units, points), so that the weights are
read where they are, one number at a time, without padding or transposing. With delta = dh/d(a W + b),

    a_(l+1) = tanh(W_l' a_l + b_l),    h = w' a_L + b
    delta_(L-1) = w (1 - a_L^2),    delta_(l-1) = W_l delta_l (1 - a_l^2),    dh/dx = W_0 delta_0

and the gradient is computed while a network's activations are in the cache: for every network and point it is kept
until autograd requests the sum over networks, which takes d times the memory of the outputs.
"""

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from core.compiled.arguments import fingerprint
from core.compiled.elementary import tanh
from core.compiled.layers import product
from core.compiled.simd import LANES, broadcast, load, store

BLOCK = 64  # points that pass through a network together: their activations stay in the cache


class Offsets(NamedTuple):
    """Sizes of the layers, inputs first, and where W and b of each begin in theta; readable inside numba functions."""

    sizes: np.ndarray
    weight: np.ndarray
    bias: np.ndarray
    total: int


def covers(activation: str, samples: Tensor) -> bool:
    """Whether `network_outputs` can evaluate these samples: tanh units, float32, on the CPU, without gradients."""
    on_cpu = samples.device.type == "cpu" and samples.dtype == torch.float32
    return activation == "tanh" and on_cpu and not samples.requires_grad


def network_outputs(sizes: tuple[int, ...], samples: Tensor, X: Tensor) -> Tensor:
    """h(x) of every sample.

    Args:
        sizes: Sizes of the layers, inputs first.
        samples: Weights, (samples, runs, P_w) float32.
        X: Points of each run, (runs, M, d) float32.

    Returns:
        (samples, runs, M) float32, differentiable once in X.
    """
    if torch.is_grad_enabled() and X.requires_grad:
        return _differentiable(X, samples, sizes)
    return _evaluate(sizes, samples, X, with_gradient=False)[0]


class _Differentiable(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, X: Tensor, samples: Tensor, sizes: tuple[int, ...]) -> Tensor:
        outputs, gradients = _evaluate(sizes, samples, X, with_gradient=True)
        ctx.save_for_backward(gradients)
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, output_gradient: Tensor) -> tuple[Tensor, None, None]:
        (gradients,) = ctx.saved_tensors
        return (gradients * output_gradient.unsqueeze(2)).sum(0).mT, None, None


_differentiable: Callable[[Tensor, Tensor, tuple[int, ...]], Tensor] = _Differentiable.apply


def _evaluate(sizes: tuple[int, ...], samples: Tensor, X: Tensor, with_gradient: bool) -> tuple[Tensor, Tensor]:
    """Outputs (samples, runs, M) and gradients (samples, runs, d, M), empty unless requested."""
    runs, points, dimension = X.shape
    padded = -(-points // LANES) * LANES
    columns = torch.zeros(runs, dimension, padded)
    columns[..., :points] = X.detach().mT
    outputs = torch.empty(len(samples), runs, padded)
    gradients = torch.empty(len(samples), runs, dimension if with_gradient else 0, padded)
    theta = samples.contiguous().view(-1)
    arrays = (array.view(-1).numpy() for array in (theta, columns, outputs, gradients))
    _compile()(_offsets(sizes), len(samples), runs, *arrays)
    return outputs[..., :points], gradients[..., :points]


@cache
def _offsets(sizes: tuple[int, ...]) -> Offsets:
    ends = np.cumsum([0] + [(inputs + 1) * outputs for inputs, outputs in pairwise(sizes)])
    units = np.array(sizes, np.int64)
    return Offsets(units, ends[:-1], ends[1:] - units[1:], int(ends[-1]))


@cache
def _compile() -> Callable[..., Any]:
    """The function `evaluate`, with its machine code cached on disk."""
    version = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def evaluate(offsets, samples, runs, theta, X, outputs, gradients):
        """Write outputs and, unless `gradients` is empty, gradients; flat arrays, points padded to whole vectors."""
        version  # noqa: B018
        sizes, members = offsets.sizes, samples * runs
        points = len(outputs) // members
        scratch = np.zeros((np.sum(sizes[1:]) + np.max(sizes)) * BLOCK, np.float32)
        for member in range(members):
            theta0, inputs0 = member * offsets.total, (member % runs) * sizes[0] * points
            for start in range(0, points, BLOCK):
                columns = min(BLOCK, points - start)
                place = member * points + start
                _forward(offsets, theta, theta0, X, inputs0 + start, points, scratch, outputs, place, columns)
                if len(gradients) > 0:
                    place = member * sizes[0] * points + start
                    _backward(offsets, theta, theta0, scratch, gradients, place, points, columns)

    return evaluate


@numba.njit
def _forward(offsets, theta, theta0, X, X0, X_row, scratch, outputs, place, columns):
    """Activations of the hidden layers into the scratch space, one after the other, and h into `outputs`."""
    sizes, hidden = offsets.sizes, len(offsets.weight) - 1
    below, below0, below_row, above = X, X0, X_row, 0
    for layer in range(hidden):
        units, bias = sizes[layer + 1], theta0 + offsets.bias[layer]
        weight = theta0 + offsets.weight[layer]
        product(theta, weight, 1, units, below, below0, below_row, scratch, above, BLOCK, units, sizes[layer], columns)
        for unit in range(units):
            b, row = broadcast(theta, bias + unit), above + unit * BLOCK
            for k in range(row, row + columns, LANES):
                store(scratch, k, tanh(load(scratch, k) + b))
        below, below0, below_row, above = scratch, above, BLOCK, above + units * BLOCK
    weight, bias = theta0 + offsets.weight[hidden], theta0 + offsets.bias[hidden]
    for k in range(0, columns, LANES):
        total = broadcast(theta, bias)
        for unit in range(sizes[hidden]):
            total = total + broadcast(theta, weight + unit) * load(below, below0 + unit * below_row + k)
        store(outputs, place + k, total)


@numba.njit
def _backward(offsets, theta, theta0, scratch, gradients, place, row, columns):
    """dh/dx into `gradients`; activations are overwritten by delta."""
    sizes, hidden = offsets.sizes, len(offsets.weight) - 1
    weight = theta0 + offsets.weight[hidden]
    top = (np.sum(sizes[1:-1]) - sizes[hidden]) * BLOCK if hidden > 0 else 0
    for unit in range(sizes[hidden]):
        w = broadcast(theta, weight + unit)
        for k in range(0, columns, LANES):
            if hidden == 0:
                store(gradients, place + unit * row + k, w)
            else:
                a = load(scratch, top + unit * BLOCK + k)
                store(scratch, top + unit * BLOCK + k, w * (1.0 - a * a))
    result, delta = np.sum(sizes[1:]) * BLOCK, top
    for layer in range(hidden - 1, -1, -1):
        inputs, units = sizes[layer], sizes[layer + 1]
        out, out0, out_row = (scratch, result, BLOCK) if layer > 0 else (gradients, place, row)
        weight = theta0 + offsets.weight[layer]
        product(theta, weight, units, 1, scratch, delta, BLOCK, out, out0, out_row, inputs, units, columns)
        if layer > 0:
            delta -= inputs * BLOCK
            for unit in range(inputs):
                for k in range(unit * BLOCK, unit * BLOCK + columns, LANES):
                    a = load(scratch, delta + k)
                    store(scratch, delta + k, load(scratch, result + k) * (1.0 - a * a))
