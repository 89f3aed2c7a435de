"""Descent of the networks of DNGO, compiled, for tanh networks in float32: stochastic gradients with momentum
(`core.models.representation`) and Adam (`core.models.pybnn_dngo`).

The objective 1/2 mean_b (h(x_b) - y_b)^2 has the gradient of BOHAMIANN's likelihood with N = 1 and log sigma^2 = 0, see
`gradient`, in the same padded layout; its entry for log sigma^2 is not used.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import torch
from torch import Tensor

from core.compiled.arguments import fingerprint
from core.compiled.layers import gather, likelihood_gradient
from core.compiled.perceptron import make_regression_layout, padded_regression_places, padded_rows
from core.compiled.simd import LANES, lane_sum, load, splat, store
from core.compiled.training import adam, corrected


class Networks:
    """Networks of several runs that are trained, each a padded vector of parameters in one flat array.

    Args:
        sizes: Sizes of the layers, inputs first and the one output last.
        theta: Where they start, (runs, P).
        X, y: Data (runs, N, d) and (runs, N).
        batch: Number of points per minibatch.
    """

    def __init__(self, sizes: tuple[int, ...], theta: Tensor, X: Tensor, y: Tensor, batch: int) -> None:
        self.layout = make_regression_layout(sizes, batch)
        self.places = torch.from_numpy(padded_regression_places(self.layout)[:-1])
        self.batch, self.runs = batch, len(theta)
        padded = torch.zeros(self.runs, self.layout.size)
        padded[:, self.places] = theta.float()
        self.theta = padded.numpy().reshape(-1)
        self.X, self.y = padded_rows(X.numpy()), y.float().contiguous().numpy()

    def position(self) -> Tensor:
        """theta, (runs, P)."""
        return torch.from_numpy(self.theta).view(self.runs, -1)[:, self.places]


class MomentumDescent(Networks):
    """Stochastic gradient descent with momentum; arguments as `Networks`, and

    Args:
        constants: Momentum, weight decay, and the length to which longer gradients are cut.
    """

    def __init__(
        self,
        sizes: tuple[int, ...],
        theta: Tensor,
        X: Tensor,
        y: Tensor,
        batch: int,
        constants: tuple[float, float, float],
    ) -> None:
        super().__init__(sizes, theta, X, y, batch)
        self.constants, self.velocity = np.array(constants, dtype=np.float32), np.zeros_like(self.theta)

    def epoch(self, order: Tensor, rates: Tensor) -> None:
        """One pass over the points in the given order (runs, N), with one learning rate per step (steps,)."""
        _compile_momentum()(
            self.layout,
            self.X,
            self.y,
            order.to(torch.int32).numpy(),
            self.batch,
            rates.numpy().astype(np.float32),
            self.constants,
            self.theta,
            self.velocity,
        )


class AdamDescent(Networks):
    """Adam at a constant rate on batches that are full; arguments as `Networks`."""

    def __init__(self, sizes: tuple[int, ...], theta: Tensor, X: Tensor, y: Tensor, batch: int) -> None:
        super().__init__(sizes, theta, X, y, batch)
        self.first, self.second, self.taken = np.zeros_like(self.theta), np.zeros_like(self.theta), 0

    def epoch(self, order: Tensor, rate: float) -> None:
        """One pass over the points in the given order (runs, N), without those left over by the full batches."""
        moments = self.first, self.second
        places = order.to(torch.int32).numpy()
        _compile_adam()(self.layout, self.X, self.y, places, self.batch, rate, self.taken, self.theta, *moments)
        self.taken += order.shape[1] // self.batch


class _Moved(NamedTuple):
    """What Adam moves, of one run."""

    theta: np.ndarray
    gradient: np.ndarray
    first: np.ndarray
    second: np.ndarray


@cache
def _compile_momentum() -> Callable[..., Any]:
    sources = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def epoch(layout, X, y, order, batch, rates, constants, theta, velocity):
        sources  # noqa: B018
        (runs, points), size = order.shape, layout.size
        scratch, gradient, targets = _buffers(layout, batch)
        for run in range(runs):
            for step in range(len(rates)):
                first = step * batch
                count = min(batch, points - first)
                _gradient(layout, X, y, order, run, first, count, theta, scratch, targets, gradient)
                _descend(gradient, rates[step], constants, theta, velocity, run * size, size)

    return epoch


@cache
def _compile_adam() -> Callable[..., Any]:
    sources = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def epoch(layout, X, y, order, batch, rate, taken, theta, first_moment, second_moment):
        sources  # noqa: B018
        (runs, points), size = order.shape, layout.size
        scratch, gradient, targets = _buffers(layout, batch)
        for run in range(runs):
            own = slice(run * size, (run + 1) * size)
            moved = _Moved(theta[own], gradient, first_moment[own], second_moment[own])
            for step in range(points // batch):
                _gradient(layout, X, y, order, run, step * batch, batch, theta, scratch, targets, gradient)
                scale, inverse = corrected(rate, taken + step + 1)
                adam(moved, 0, size, scale, inverse)

    return epoch


@numba.njit
def _buffers(layout, batch):
    """For the layers, the gradient, and the targets of a batch."""
    layers, gradient = np.zeros(layout.hidden.scratch, np.float32), np.zeros(layout.size, np.float32)
    return layers, gradient, np.empty(batch, np.float32)


@numba.njit(forceinline=True)
def _gradient(layout, X, y, order, run, first, count, theta, scratch, targets, gradient):
    """The gradient of a run's error on the points order[run, first : first + count]."""
    gather(X, run * order.shape[1], y[run], order[run], first, count, layout.hidden.row[0], scratch, targets)
    likelihood_gradient(theta, run * layout.size, layout, targets, count, 1, scratch, gradient)
    gradient[layout.noise] = 0


@numba.njit
def _descend(gradient, rate, constants, theta, velocity, start, size):
    """Add the weight decay, cut the gradient's length, and move."""
    momentum, decay, longest = constants[0], constants[1], constants[2]
    squares = splat(0.0)
    for j in range(0, size, LANES):
        total = load(gradient, j) + load(theta, start + j) * decay
        store(gradient, j, total)
        squares = squares + total * total
    scaled = rate / max(np.sqrt(lane_sum(squares)) / longest, np.float32(1))
    for j in range(0, size, LANES):
        v = load(velocity, start + j) * momentum - load(gradient, j) * scaled
        store(velocity, start + j, v)
        store(theta, start + j, load(theta, start + j) + v)
