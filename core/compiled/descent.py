"""Stochastic gradient descent with momentum of `core.models.representation`, compiled, for tanh networks in float32.

The objective 1/2 mean_b (h(x_b) - y_b)^2 has the gradient of BOHAMIANN's likelihood with N = 1 and log sigma^2 = 0, see
`gradient`, in the same padded layout; its entry for log sigma^2 is not used.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor

from core.compiled.gradient import likelihood_gradient
from core.compiled.layers import gather
from core.compiled.layout import make_regression_layout, padded_regression_places, padded_rows
from core.compiled.simd import LANES, lane_sum, load, splat, store
from core.compiled.sources import fingerprint


class Descent:
    """Networks of several runs during descent: state in flat arrays, one padded parameter vector per run."""

    def __init__(
        self,
        sizes: tuple[int, ...],
        theta: Tensor,
        X: Tensor,
        y: Tensor,
        batch: int,
        constants: tuple[float, float, float],
    ) -> None:
        """Start at theta (runs, P) with data X (runs, N, d), y (runs, N).

        Args:
            sizes: Sizes of the layers, inputs first and the one output last.
            constants: Momentum, weight decay, and the length to which longer gradients are cut.
        """
        self.layout = make_regression_layout(sizes, batch)
        self.places = torch.from_numpy(padded_regression_places(self.layout)[:-1])
        self.batch, self.constants, self.runs = batch, np.array(constants, dtype=np.float32), len(theta)
        padded = torch.zeros(self.runs, self.layout.size)
        padded[:, self.places] = theta.float()
        self.theta = padded.numpy().reshape(-1)
        self.velocity = np.zeros_like(self.theta)
        self.X, self.y = padded_rows(X.numpy()), y.float().contiguous().numpy()

    def epoch(self, order: Tensor, rates: Tensor) -> None:
        """One pass over the points in the given order (runs, N), with one learning rate per step (steps,)."""
        _compile()(
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

    def position(self) -> Tensor:
        """theta, (runs, P)."""
        return torch.from_numpy(self.theta).view(self.runs, -1)[:, self.places]


@cache
def _compile() -> Callable[..., Any]:
    sources = fingerprint()

    @numba.njit(cache=True, nogil=True, error_model="numpy")
    def epoch(layout, X, y, order, batch, rates, constants, theta, velocity):
        sources  # noqa: B018
        runs, points = order.shape
        row, size = layout.hidden.row[0], layout.size
        scratch, gradient = np.zeros(layout.hidden.scratch, np.float32), np.zeros(size, np.float32)
        targets = np.empty(batch, np.float32)
        for run in range(runs):
            for step in range(len(rates)):
                first = step * batch
                count = min(batch, points - first)
                gather(X, run * points, y[run], order[run], first, count, row, scratch, targets)
                likelihood_gradient(theta, run * size, layout, targets, count, 1, scratch, gradient)
                gradient[layout.noise] = 0
                _descend(gradient, rates[step], constants, theta, velocity, run * size, size)

    return epoch


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
