"""Stochastic gradient Hamiltonian Monte Carlo (Chen, Fox and Guestrin 2014): Equation 7 of Springenberg et al., NIPS
2016 (thesis 3.6) with mass M = I. All tensors are (chains, P) and all operations element-wise.

    symbol    name here         meaning
    theta     position          parameters, distributed as exp(-U(theta))
    v         velocity          eps r, r the momentum
    eps       step_size
    eps C     momentum_decay    share of the velocity lost to friction per step
    B^        noise_estimate    half of eps times the variance of the gradient's noise; 0 unless it is known

With v = eps r, Eq. 7 becomes

    v     <- v - eps^2 grad - eps C v + Normal(0, 2 eps^2 (eps C - eps B^))
    theta <- theta + v

In a direction of curvature lambda, with exact gradients and B^ = 0, the stationary variance is
(1 / lambda) / (1 - h / (2 (2 - eps C))), h = eps^2 lambda; chains diverge from h = 2 (2 - eps C) on. Gradient noise of
variance s^2 that B^ leaves out multiplies it by 1 + eps^2 s^2 / (2 eps C).

`EulerSGHMC` is SGHMC as in the authors' later code (pybnn): an explicit Euler step, with the friction d in place of a
mass.

    symbol    name here         meaning
    theta     position          parameters
    r         velocity          eps d r, what theta moves by in a step
    eps       step_size
    d         momentum_decay    per unit of time; SGHMC has it per step

    theta <- theta + eps d r
    r     <- r - eps grad - eps d r + Normal(0, 2 eps d)                            (grad and r before the step)

This is not Eq. 7 of Springenberg et al. (NIPS 2016): d is both the friction and the inverse of a mass, by which theta
moves. Nor does the chain sample exp(-U). Where U has curvature lambda and the gradient noise of variance s^2, the
stationary variance is, with a = eps d and h = a eps lambda,

    (T / lambda) (2 - a + h) / (2 - a + h / 2),   T = (d + eps s^2 / 2) / (1 - eps lambda)

T, 1 for a sampler, is about d without gradient noise. Chains diverge from eps lambda = 1 on; those of Eq. 7, whose
theta moves by the new velocity, only from eps^2 lambda = 2 (2 - eps C) on. Use it to compare with the authors' figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch

from core.foundation.randomness import Generators
from core.foundation.validation import check_positive, require_number
from core.samplers.base import check_momentum_decay, standard_normals, starting_position

ROUNDING = 1e-12  # relative error of a bound that is computed from settings


class SGHMCState(NamedTuple):
    """Chains of SGHMC; both tensors have shape (chains, P)."""

    position: torch.Tensor
    velocity: torch.Tensor


@dataclass(frozen=True)
class SGHMC:
    """Raises UserError unless step_size > 0, 0 < momentum_decay <= 1 and step_size * noise_estimate is in
    [0, momentum_decay]."""

    step_size: float
    momentum_decay: float = 0.05
    noise_estimate: float = 0.0

    def __post_init__(self) -> None:
        check_positive(type(self).__name__, step_size=self.step_size)
        check_momentum_decay(self)
        most = self.momentum_decay / self.step_size * (1 + ROUNDING)
        allowed = f"0 to momentum_decay / step_size = {self.momentum_decay / self.step_size:g}"
        require_number("SGHMC.noise_estimate", self.noise_estimate, lambda value: 0 <= value <= most, allowed)

    @property
    def friction(self) -> float:
        """The friction eps C - eps B^ that the noise of a step compensates."""
        return max(self.momentum_decay - self.step_size * self.noise_estimate, 0.0)

    def init(self, position: torch.Tensor) -> SGHMCState:
        """Chains at rest at `position`, shape (chains, P)."""
        position = starting_position(position)
        return SGHMCState(position, torch.zeros_like(position))

    def step(
        self, state: SGHMCState, gradient: torch.Tensor, generator: Generators, noise: torch.Tensor | None = None
    ) -> SGHMCState:
        """One step, Eq. 7; see `core.samplers.base.Sampler`."""
        noise = standard_normals(state.position, generator, noise)
        squared_step = self.step_size**2
        noise_scale = math.sqrt(2 * squared_step * self.friction)
        velocity = state.velocity.mul_(1 - self.momentum_decay).add_(gradient, alpha=-squared_step)
        state.position.add_(velocity.add_(noise, alpha=noise_scale))
        return state

    def freeze(self, state: SGHMCState) -> SGHMCState:
        """The state unchanged: nothing adapts."""
        return state


@dataclass(frozen=True)
class EulerSGHMC:
    """Raises UserError unless step_size > 0, momentum_decay > 0 and their product is at most 1."""

    step_size: float
    momentum_decay: float = 0.01

    def __post_init__(self) -> None:
        check_positive(type(self).__name__, step_size=self.step_size, momentum_decay=self.momentum_decay)
        most, name = 1 / self.step_size * (1 + ROUNDING), "EulerSGHMC.momentum_decay"
        require_number(name, self.momentum_decay, lambda d: d <= most, f"up to 1 / step_size = {1 / self.step_size:g}")

    def init(self, position: torch.Tensor, generator: Generators | None = None) -> SGHMCState:
        """Chains at `position`, shape (chains, P), at rest, or with r ~ Normal(0, 1) if a generator is given."""
        position = starting_position(position)
        if generator is None:
            return SGHMCState(position, torch.zeros_like(position))
        return SGHMCState(position, standard_normals(position, generator, None).mul_(self._share))

    def step(
        self, state: SGHMCState, gradient: torch.Tensor, generator: Generators, noise: torch.Tensor | None = None
    ) -> SGHMCState:
        """One step; see `core.samplers.base.Sampler`."""
        noise = standard_normals(state.position, generator, noise)
        share = self._share
        state.position.add_(state.velocity)
        velocity = state.velocity.mul_(1 - share).add_(gradient, alpha=-share * self.step_size)
        velocity.add_(noise, alpha=share * (2 * share) ** 0.5)
        return state

    def freeze(self, state: SGHMCState) -> SGHMCState:
        """The state unchanged: nothing adapts."""
        return state

    @property
    def _share(self) -> float:
        """a, the share of the momentum lost per step, and theta's step per unit of momentum."""
        return self.step_size * self.momentum_decay
