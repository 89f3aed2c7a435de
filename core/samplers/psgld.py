"""Preconditioned stochastic gradient Langevin dynamics: Algorithm 1 of Li, Chen, Carlson and Carin (2016), RMSprop as
the preconditioner. All tensors are (chains, P) and all operations element-wise.

    symbol     name here            meaning
    theta      position             parameters, distributed as exp(-U(theta))
    epsilon    step_size
    alpha      smoothing            weight of the past in the average of squared gradients
    lambda     damping              keeps the preconditioner finite where gradients vanish
    V          squared_gradient     average of grad^2
    G          -                    the preconditioner, 1 / (damping + V^1/2)

    V     <- alpha V + (1 - alpha) grad^2
    theta <- theta - (epsilon / 2) (G grad - Gamma) + Normal(0, epsilon G)

* Gamma_i = sum_j dG_ij / dtheta_j is left out, as in the experiments of Li et al. The price, while V goes on
  adapting, is a bias: theta and G depend on each other. After `freeze` G is constant, so Gamma is zero and nothing is
  left out; stop adapting at the end of the burn-in unless the original's behaviour is wanted.
* V starts at the mean, over a chain's parameters, of the first grad^2. From zero, as in RMSprop, G would begin at
  10 / |grad|, whose tail is heavy: the noise throws out a parameter whose first gradient happens to be small.
* grad is that of U, N times the mean gradient from which the paper forms V. With their epsilon and lambda times N
  the two are the same algorithm.

After `freeze`, in a direction of curvature c with exact gradients, the stationary variance is
(1 / c) / (1 - epsilon G c / 4), and chains diverge from epsilon G c = 4 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from core.foundation.errors import UserError
from core.foundation.randomness import Generators
from core.foundation.validation import check_positive, require_number
from core.samplers.base import standard_normals, starting_position


class PreconditionedSGLDState(NamedTuple):
    """Chains of preconditioned SGLD; both tensors have shape (chains, P). `started`: V has seen a gradient."""

    position: torch.Tensor
    squared_gradient: torch.Tensor
    started: bool
    adapting: bool


@dataclass(frozen=True)
class PreconditionedSGLD:
    """Raises UserError unless step_size > 0, damping > 0 and 0 <= smoothing < 1."""

    step_size: float
    smoothing: float = 0.99
    damping: float = 1e-5

    def __post_init__(self) -> None:
        check_positive(type(self).__name__, step_size=self.step_size, damping=self.damping)
        require_number("PreconditionedSGLD.smoothing", self.smoothing, lambda share: 0 <= share < 1, "0 to below 1")

    def init(self, position: torch.Tensor) -> PreconditionedSGLDState:
        """Chains at `position`, shape (chains, P), that have seen no gradient."""
        position = starting_position(position)
        return PreconditionedSGLDState(position, torch.zeros_like(position), started=False, adapting=True)

    def step(
        self,
        state: PreconditionedSGLDState,
        gradient: torch.Tensor,
        generator: Generators,
        noise: torch.Tensor | None = None,
    ) -> PreconditionedSGLDState:
        """One step of Algorithm 1; see `core.samplers.base.Sampler`."""
        if state.adapting:
            squared = gradient.square()
            if not state.started:
                state.squared_gradient.copy_(squared.mean(dim=1, keepdim=True).expand_as(squared))
                state = state._replace(started=True)
            state.squared_gradient.lerp_(squared, 1 - self.smoothing)
        noise = standard_normals(state.position, generator, noise)
        preconditioner = state.squared_gradient.sqrt().add_(self.damping).reciprocal_().mul_(self.step_size)
        state.position.addcmul_(preconditioner, gradient, value=-0.5).addcmul_(preconditioner.sqrt(), noise)
        return state

    def freeze(self, state: PreconditionedSGLDState) -> PreconditionedSGLDState:
        """End the burn-in: V, and with it the preconditioner, stays fixed from here on.

        Raises ValueError before the first step, when there is no gradient to precondition with.
        """
        if not state.started:
            raise UserError("PreconditionedSGLD.freeze: the preconditioner has seen no gradient, take a step first")
        return state._replace(adapting=False)
