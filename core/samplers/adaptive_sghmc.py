"""Scale-adapted SGHMC: Equations 8 to 10 of Springenberg et al., NIPS 2016 (thesis 3.7 to 3.10). All tensors are
(chains, P) and all operations element-wise.

    symbol         name here            meaning
    theta          position             parameters, distributed as exp(-U(theta))
    v              velocity             eps V^-1/2 r, r the momentum
    tau            window               length of the exponential averages, in steps
    g              smoothed_gradient    average of grad U
    V              second_moment        average of (grad U)^2, uncentred; V^1/2 is the mass
    eps            step_size
    eps V^-1/2 C   decay                share of the velocity lost to friction C per step; 0.05, momentum_decay

In every step (Eq. 10, where 2 eps^3 V^-1/2 C V^-1/2 = 2 eps^2 decay V^-1/2):

    v     <- v - eps^2 V^-1/2 grad - decay v + Normal(0, max(2 eps^2 decay V^-1/2 - eps^4, 0))
    theta <- theta + v

where -eps^4 takes away what gradient noise of variance V already adds (B^ = eps V / 2). The code behind the NIPS paper
leaves it out (B^ = 0): `noise_correction=False`.

In burn-in only, before that (Eqs. 8 and 9, old values on the right; the papers' rate is 1 / tau, the authors' code and
this one use 1 / (tau + 1), which cannot exceed 1/2):

    tau <- tau + 1 - tau g^2 / V,   g <- g + (grad - g) / (tau + 1),   V <- V + (grad^2 - V) / (tau + 1)

from tau = g = V = 1. Averages with common weights keep g^2 <= V, hence tau >= 1; and V > 0 without a floor, since a
gradient that vanishes makes tau grow by 1 per step and V fall like 1 / step.

`freeze` ends the burn-in and leaves C unchanged, as the authors' code does; where 2 decay V^-1/2 < eps^2 no noise is
added. The paper raises C where min(V^-1) C >= eps requires it, decay = max(momentum_decay, eps^2 V^1/2): with
`raise_friction`. Half of that suffices for a non-negative variance (ERRATA), but then that variance is zero, and a
parameter whose gradient is exact (all points in one batch) would be optimized instead of sampled; the printed condition
leaves eps^4.

When to use which: after a short burn-in V still remembers the large initial gradients. A friction raised to it holds
a network's noise variance where the burn-in left it, far too small, and held-out log-likelihoods lose several nats per
point; otherwise the variance recovers. After a long burn-in networks agree, but minibatch noise heats the stiff
parameters of chains without raised friction, which a raised friction samples correctly.

What is sampled: where U has curvature lambda, the stationary variance is (T / lambda) / (1 - h / (2 (2 - decay))), with
h = eps^2 V^-1/2 lambda for the discretisation and T = 1 - (1 - f) eps^2 V^1/2 / (2 decay) for -eps^4, which makes room
for gradient noise of variance V while only the share f of V is noise. With C raised, T is at least 1/2 after `freeze`
while V^1/2 <= 1 / eps^2. There decay reaches 1, where it is capped: the velocity has no memory (preconditioned Langevin
dynamics), more would only reverse it.

Chains are stable for h < 2 (2 - decay). With exact gradients the burn-in draws V^1/2 below 2 momentum_decay / eps^2,
where noise begins, so that a curvature beyond 0.39 / eps^4 (4e7 with the defaults, a standard deviation of 2e-4) ends
up unstable; gradient noise keeps V large and chains stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch

from core.foundation.randomness import Generators
from core.foundation.validation import check_positive
from core.samplers.base import check_momentum_decay, standard_normals, starting_position


class AdaptiveSGHMCState(NamedTuple):
    """Chains of scale-adapted SGHMC; every tensor has shape (chains, P)."""

    position: torch.Tensor
    velocity: torch.Tensor
    window: torch.Tensor
    smoothed_gradient: torch.Tensor
    second_moment: torch.Tensor
    decay: torch.Tensor
    adapting: bool


@dataclass(frozen=True, kw_only=True)
class AdaptiveSGHMC:
    """The paper's constants are the defaults. Raises UserError unless step_size > 0 and 0 < momentum_decay <= 1.

    `raise_friction` decides whether C is raised at the end of the burn-in, as in the paper but not in the authors'
    code, see above. `noise_correction` decides whether the noise has the term -eps^4, as in the authors' later code but
    not in their first.
    """

    step_size: float = 1e-2
    momentum_decay: float = 0.05
    raise_friction: bool = False
    noise_correction: bool = True

    def __post_init__(self) -> None:
        check_positive(type(self).__name__, step_size=self.step_size)
        check_momentum_decay(self)

    @property
    def correction(self) -> float:
        """The term subtracted from the variance of the noise: eps^4 or 0."""
        return self.step_size**2 * self.step_size**2 if self.noise_correction else 0.0

    def init(self, position: torch.Tensor) -> AdaptiveSGHMCState:
        """Chains at rest at `position`, shape (chains, P), at the start of the burn-in."""
        position = starting_position(position)
        return AdaptiveSGHMCState(
            position=position,
            velocity=torch.zeros_like(position),
            window=torch.ones_like(position),
            smoothed_gradient=torch.ones_like(position),
            second_moment=torch.ones_like(position),
            decay=torch.full_like(position, self.momentum_decay),
            adapting=True,
        )

    def step(
        self,
        state: AdaptiveSGHMCState,
        gradient: torch.Tensor,
        generator: Generators,
        noise: torch.Tensor | None = None,
    ) -> AdaptiveSGHMCState:
        """One step, Eq. 10, after Eqs. 8 and 9 while the state is adapting; see `core.samplers.base.Sampler`."""
        if state.adapting:
            _adapt(state, gradient)
        noise = standard_normals(state.position, generator, noise)
        squared_step = self.step_size**2
        inverse_mass = state.second_moment.rsqrt()
        variance = (state.decay * inverse_mass).mul_(2 * squared_step).sub_(self.correction).clamp_min_(0)
        velocity = state.velocity.addcmul_(state.decay, state.velocity, value=-1)
        velocity.addcmul_(inverse_mass, gradient, value=-squared_step).addcmul_(variance.sqrt_(), noise)
        state.position.add_(velocity)
        return state

    def freeze(self, state: AdaptiveSGHMCState) -> AdaptiveSGHMCState:
        """End the burn-in: tau, g, V and C stay fixed, after `raise_friction` has raised C where V requires it."""
        if not self.raise_friction:
            return state._replace(adapting=False)
        demanded = state.second_moment.sqrt().mul_(self.step_size**2)
        decay = demanded.clamp_(min=self.momentum_decay, max=1)
        return state._replace(decay=decay, adapting=False)


def _adapt(state: AdaptiveSGHMCState, gradient: torch.Tensor) -> None:
    """Equations 8 and 9, in place."""
    rate = (state.window + 1).reciprocal_()
    signal_share = state.smoothed_gradient.square().div_(state.second_moment)
    state.window.addcmul_(state.window, signal_share, value=-1).add_(1)
    state.smoothed_gradient.lerp_(gradient, rate)
    state.second_moment.lerp_(gradient.square(), rate)
