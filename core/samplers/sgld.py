"""Stochastic gradient Langevin dynamics: Welling and Teh (2011), Equation 4, with a constant step size.

    symbol     name here    meaning
    theta      position     parameters, shape (chains, P), distributed as exp(-U(theta))
    epsilon    step_size

    theta <- theta - (epsilon / 2) grad + Normal(0, epsilon)

A constant step needs no weighted averages, at the cost of a bias. In a direction of curvature lambda, with exact
gradients, the stationary variance is (1 / lambda) / (1 - epsilon lambda / 4), and chains diverge where
epsilon lambda is 4 or more. Gradient noise of variance s^2 multiplies it by 1 + epsilon s^2 / 4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch

from core.foundation.randomness import Generators
from core.foundation.validation import check_positive
from core.samplers.base import standard_normals, starting_position


class SGLDState(NamedTuple):
    """Chains of SGLD."""

    position: torch.Tensor


@dataclass(frozen=True)
class SGLD:
    """Raises UserError unless step_size > 0."""

    step_size: float

    def __post_init__(self) -> None:
        check_positive(type(self).__name__, step_size=self.step_size)

    def init(self, position: torch.Tensor) -> SGLDState:
        """Chains at `position`, shape (chains, P)."""
        return SGLDState(starting_position(position))

    def step(
        self, state: SGLDState, gradient: torch.Tensor, generator: Generators, noise: torch.Tensor | None = None
    ) -> SGLDState:
        """One step of Eq. 4; see `core.samplers.base.Sampler`."""
        noise = standard_normals(state.position, generator, noise)
        state.position.add_(gradient, alpha=-self.step_size / 2).add_(noise, alpha=math.sqrt(self.step_size))
        return state

    def freeze(self, state: SGLDState) -> SGLDState:
        """The state unchanged: nothing adapts."""
        return state
