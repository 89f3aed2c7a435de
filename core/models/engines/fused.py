"""The fused engine for CUDA devices: whole steps of SGHMC and scale-adapted SGHMC in one Triton program per chain.

It covers what the compiled CPU engine does, up to three hidden layers of at most 64 units: wider layers do not fit the
registers of one multiprocessor. An epoch is a permutation per chain, drawn with torch before the steps that use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor

from core.foundation.randomness import chain_seeds, permutations
from core.models.engines.problem import PaddedEngine, PaddedSampler, PaddedState, Problem
from core.models.network import MLP

SMALLEST_SIDE = 16  # of a matrix product in Triton
MOST_UNITS = 64
MOST_HIDDEN = 3
MOST_STEPS = 1000  # of one launch: its batches are drawn before it
WARPS = 8
PRODUCTS = ("tf32x3", "tf32")
"""Arithmetic of the matrix products of the forward and of the backward pass, by Triton's names.

Residuals are as small as the noise, a thousandth of the targets' deviation, and need single precision. A gradient's
relative error of 3e-4 is far below what the minibatch adds to it.
"""
ALIGNMENT = 64  # of a chain's parameters, so that four are loaded at a time


class FusedChains(NamedTuple):
    """The arrays that move, (chains, size) float32."""

    position: Tensor
    velocity: Tensor
    window: Tensor
    smoothed_gradient: Tensor
    second_moment: Tensor


class FusedEngine(PaddedEngine):
    """Chains in tensors (chains, size) on the device."""

    problem: Problem[MLP]
    chains: FusedChains

    def __init__(
        self,
        problem: Problem[MLP],
        sampler: PaddedSampler,
        state: PaddedState,
        generators: Sequence[torch.Generator],
        products: tuple[str, str] = PRODUCTS,
    ) -> None:
        super().__init__(problem, sampler)
        device, sizes = state.position.device, problem.network.sizes
        self.generators, self.products = generators, products
        self.side = _padded(sizes[0])
        self.width = _padded(max(sizes[1:-1]))
        self.rows = _padded(problem.batch)
        self.places = _places(sizes, self.side, self.width).to(device)
        entries = (self.side + 1) * self.width + (len(sizes) - 3) * (self.width + 1) * self.width + self.width + 2
        self.size = -(-entries // ALIGNMENT) * ALIGNMENT
        X, y = problem.X.to(torch.float32), problem.y.to(torch.float32)
        self.X = torch.nn.functional.pad(X, (0, self.side - sizes[0])).contiguous()
        self.y = y.contiguous()
        self.covered, self.valid = self.masks()
        self.seeds = torch.from_numpy(chain_seeds(generators, problem.chains).astype("int64")).to(device)
        self.chains = FusedChains(**self.starting(state))
        self.frozen = self.coefficients(state)
        self.steps_done = 0
        self.order = torch.arange(problem.points, dtype=torch.int32, device=device).repeat(problem.chains, 1)
        self.batches_done = 0

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""
        values = precision.to(torch.float32).contiguous()
        for first in range(0, steps, MOST_STEPS):
            self._launch(min(MOST_STEPS, steps - first), values)

    def pack(self, values: Tensor, padding: float = 0.0) -> Tensor:
        """A tensor (chains, P_w + 1) in the padded layout, (chains, size)."""
        padded = torch.full((len(values), self.size), padding, device=values.device)
        padded[:, self.places] = values.to(torch.float32)
        return padded

    def unpack(self, padded: Tensor) -> Tensor:
        """The inverse of `pack`."""
        return padded[:, self.places]

    def next_batches(self, steps: int) -> Tensor:
        """The points of the next batches, (chains, steps * B) int32; (chains, N) if every batch is the whole data set.

        As in the other engines, an epoch leaves out the points beyond its last whole batch, and what is left of an
        epoch is used by the next call.
        """
        points, batch, chains = self.problem.points, self.problem.batch, self.problem.chains
        if batch == points:
            return self.order
        per_epoch = points // batch
        epochs = -(-(self.batches_done + steps) // per_epoch)
        new = epochs if self.batches_done == 0 else epochs - 1
        drawn = [permutations(points, chains * new, self.generators).int().view(chains, new, points)] if new else []
        order = torch.cat(([self.order[:, None]] if self.batches_done else []) + drawn, 1)
        start = self.batches_done * batch
        self.order, self.batches_done = order[:, -1], (self.batches_done + steps) % per_epoch
        return order[:, :, : per_epoch * batch].flatten(1)[:, start : start + steps * batch].contiguous()

    def _launch(self, steps: int, precision: Tensor) -> None:
        from core.fused.sghmc import advance

        problem, sampler = self.problem, self.sampler
        squared_step, correction = sampler.step_size**2, getattr(sampler, "correction", 0.0)
        order = self.next_batches(steps)
        advance[(problem.chains,)](
            *self.chains,
            *self.frozen,
            self.covered,
            self.valid,
            self.X,
            self.y,
            order,
            precision,
            self.seeds,
            order.shape[1],
            steps,
            self.steps_done,
            problem.points,
            problem.batch,
            problem.chains_per_run,
            float(problem.points * problem.weight),
            float(problem.noise_prior.mean),
            float(problem.noise_prior.variance),
            squared_step,
            sampler.momentum_decay,
            correction,
            HIDDEN=len(problem.network.sizes) - 2,
            D=self.side,
            H=self.width,
            ROWS=self.rows,
            SIZE=self.size,
            ADAPTING=self.adapting,
            SIGMOID=problem.mean == "sigmoid",
            WHOLE=problem.batch == problem.points,
            FORWARD=self.products[0],
            BACKWARD=self.products[1],
            num_warps=WARPS,
        )
        self.steps_done += steps


def obstacle(problem: Problem[Any]) -> str | None:
    """What of a problem the fused engine does not cover, if anything."""
    hidden = problem.network.sizes[1:-1]
    if not 1 <= len(hidden) <= MOST_HIDDEN:
        return f"{len(hidden)} hidden layers"
    if max(problem.network.sizes[:-1]) > MOST_UNITS:
        return f"a layer of {max(problem.network.sizes[:-1])} units"
    if problem.batch > MOST_UNITS:
        return f"batches of {problem.batch} points"
    return None


def _padded(size: int) -> int:
    """The next power of two, and at least the smallest side of a product."""
    return max(SMALLEST_SIDE, 1 << (size - 1).bit_length())


def _places(sizes: tuple[int, ...], side: int, width: int) -> Tensor:
    """Index in the padded vector of every entry of theta = (weights and biases, s): (P_w + 1,)."""
    places, start, row = [], 0, side
    for inputs, outputs in pairwise(sizes[:-1]):
        units = torch.arange(outputs)
        places += [(start + torch.arange(inputs)[:, None] * width + units).flatten(), start + row * width + units]
        start, row = start + (row + 1) * width, width
    return torch.cat([*places, start + torch.arange(sizes[-2]), torch.tensor([start + width, start + width + 1])])
