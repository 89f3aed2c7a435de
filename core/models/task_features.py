"""The two shared representations of ABLR (sections 2.2 and 2.3): x to D features, each with parameters theta to learn.

    Network    3 x 50 tanh, the last hidden layer is phi(x); theta are its weights
    Fourier    phi(x) = sqrt(2 / D) cos(U x / sigma + b),  U normal, b uniform on [0, 2 pi], fixed; theta = log sigma

The text leaves open how the inputs are scaled and the weights initialised. Here inputs in the unit cube are mapped to
[-1, 1], and weights are drawn as in `core.models.network`. sigma starts at the square root of the dimension, at which
points of the cube are neither all alike nor all unrelated.

Shapes: theta (runs, P), X (..., runs, N, d) or with runs = 1 the same for all, to phi (..., runs, N, D), float64.
`rows` are the runs to which theta belongs, if not all: weights or frequencies drawn by `begin` differ between runs.

A representation is a description, which models may share; `begin` returns its `Features`, with weights or frequencies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, normal_, uniform_
from core.foundation.validation import check_counts
from core.models.network import ACTIVATIONS, MLP

Rows = slice | Tensor
ALL = slice(None)


class Features(Protocol):
    """phi, given what a representation drew for the data."""

    def __call__(self, theta: Tensor, X: Tensor, rows: Rows = ALL) -> Tensor:
        """phi(x), differentiable in both."""


class Network:
    """Hidden layers of these widths; the output layer of the `MLP` that holds their weights is not used.

    Raises:
        UserError: no layer, or one without units.
    """

    def __init__(self, widths: Sequence[int] = (50, 50, 50)) -> None:
        if len(widths) == 0:
            raise UserError(f"Network.widths: must hold at least one hidden layer, got {widths}")
        check_counts("Network", **{f"widths[{place}]": width for place, width in enumerate(widths)})
        self.widths, self.width = tuple(widths), widths[-1]

    def begin(self, runs: int, dimension: int, generators: Generators) -> tuple[NetworkFeatures, Tensor]:
        """Layers for inputs of this dimension, and the first theta, (runs, P)."""
        network = MLP((dimension, *self.widths, 1))
        return NetworkFeatures(network), network.init(generators, runs).double()


@dataclass(frozen=True)
class NetworkFeatures:
    """The last hidden layer of `network`, whose weights are theta."""

    network: MLP

    def __call__(self, theta: Tensor, X: Tensor, rows: Rows = ALL) -> Tensor:
        """phi(x), differentiable in both."""
        a = 2 * X - 1
        for W, b in self.network.unpack(theta)[:-1]:
            a = ACTIVATIONS["tanh"][0](a @ W + b.unsqueeze(-2))
        return a


class Fourier:
    """`width` random features of a Gaussian kernel with a learned bandwidth.

    Raises:
        UserError: no features.
    """

    def __init__(self, width: int = 100) -> None:
        check_counts("Fourier", width=width)
        self.width = width

    def begin(self, runs: int, dimension: int, generators: Generators) -> tuple[FourierFeatures, Tensor]:
        """Features with U and b drawn, and the first theta, (runs, 1)."""
        U = normal_(torch.empty(runs, dimension, self.width, dtype=torch.float64), generators)
        b = 2 * math.pi * uniform_(torch.empty(runs, 1, self.width, dtype=torch.float64), generators)
        return FourierFeatures(U, b), torch.full((runs, 1), 0.5 * math.log(dimension), dtype=torch.float64)


@dataclass(frozen=True)
class FourierFeatures:
    """Cosines of frequencies U (runs, d, D) and phases b (runs, 1, D)."""

    U: Tensor
    b: Tensor

    def __call__(self, theta: Tensor, X: Tensor, rows: Rows = ALL) -> Tensor:
        """phi(x), differentiable in both."""
        return math.sqrt(2 / self.b.shape[-1]) * torch.cos(
            (2 * X - 1) @ self.U[rows] / theta.exp().unsqueeze(-1) + self.b[rows]
        )
