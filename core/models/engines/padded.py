"""What the engines with padded parameter vectors share: the sampler's state in that layout, and the end of the burn-in.

The state after the burn-in is passed to the sampler's own `freeze`, so that the constraint on C is written once, in
`core.samplers`. From then on, and with SGHMC from the start, the coefficients of v <- keep v - rate grad + amplitude xi
are constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor

from core.compiled.sghmc import Frozen
from core.models.engines.problem import Problem
from core.models.network import ChainNetwork
from core.samplers import SGHMC, AdaptiveSGHMC, AdaptiveSGHMCState
from core.samplers.sghmc import SGHMCState

PaddedSampler = SGHMC | AdaptiveSGHMC
PaddedState = SGHMCState | AdaptiveSGHMCState


class PaddedEngine(ABC):
    """Chains of SGHMC or scale-adapted SGHMC.

    Attributes:
        chains: The arrays that move, in the padded layout, by the names of the fields of `AdaptiveSGHMCState`.
        frozen: The constant coefficients, zero before they are known.
        adapting: Whether the sampler adapts and its burn-in goes on.
    """

    chains: Any
    frozen: Frozen

    def __init__(self, problem: Problem[ChainNetwork], sampler: PaddedSampler) -> None:
        self.problem, self.sampler = problem, sampler
        self.adapting = isinstance(sampler, AdaptiveSGHMC)

    @abstractmethod
    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""

    @abstractmethod
    def pack(self, values: Tensor, padding: float = 0.0) -> Any:
        """A tensor (chains, P_w + 1) as a float32 array in the padded layout."""

    @abstractmethod
    def unpack(self, padded: Any) -> Tensor:
        """The inverse of `pack`."""

    def freeze(self) -> None:
        """End the burn-in."""
        if self.adapting and isinstance(self.sampler, AdaptiveSGHMC):
            self.frozen = self._adapted(self.sampler, self.sampler.freeze(self._adaptive_state(self.sampler)))
            self.adapting = False

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1)."""
        return self.unpack(self.chains.position)

    def state(self) -> PaddedState:
        """The sampler's state, as before `freeze`."""
        if isinstance(self.sampler, AdaptiveSGHMC):
            return self._adaptive_state(self.sampler)
        return SGHMCState(self.position(), self.unpack(self.chains.velocity))

    def coefficients(self, state: PaddedState) -> Frozen:
        """The coefficients with which chains start: those of Eq. 7, or zero, since a burn-in determines them."""
        constants = (0.0, 0.0, 0.0)
        if isinstance(self.sampler, SGHMC):
            squared_step = self.sampler.step_size**2
            constants = (
                squared_step,
                1 - self.sampler.momentum_decay,
                (2 * squared_step * self.sampler.friction) ** 0.5,
            )
        return Frozen(*(self.pack(torch.full_like(state.position, constant)) for constant in constants))

    def masks(self) -> tuple[Any, Any]:
        """1 where the weight prior applies, and 1 outside the padding: (1, P_w + 1) in the padded layout."""
        covered = torch.cat([self.problem.covered.to(torch.float32), self.problem.covered.new_zeros(1)])[None]
        return self.pack(covered), self.pack(torch.ones_like(covered))

    def starting(self, state: PaddedState) -> dict[str, Any]:
        """The arrays that move, by their names in `chains`; tau, g and V are 1 where nothing has been averaged."""
        ones = torch.ones_like(state.position)
        averages = {name: getattr(state, name, ones) for name in ("window", "smoothed_gradient", "second_moment")}
        moving = {"position": self.pack(state.position), "velocity": self.pack(state.velocity)}
        return moving | {name: self.pack(values, padding=1.0) for name, values in averages.items()}

    def _adaptive_state(self, sampler: AdaptiveSGHMC) -> AdaptiveSGHMCState:
        return sampler.init(self.position())._replace(
            velocity=self.unpack(self.chains.velocity),
            window=self.unpack(self.chains.window),
            smoothed_gradient=self.unpack(self.chains.smoothed_gradient),
            second_moment=self.unpack(self.chains.second_moment),
        )

    def _adapted(self, sampler: AdaptiveSGHMC, state: AdaptiveSGHMCState) -> Frozen:
        """The coefficients of Eq. 10 after the burn-in."""
        squared_step, inverse_mass = sampler.step_size**2, state.second_moment.rsqrt()
        variance = (2 * squared_step * state.decay * inverse_mass - sampler.correction).clamp_min(0)
        rates = (squared_step * inverse_mass, 1 - state.decay, variance.sqrt())
        return Frozen(*(self.pack(values) for values in rates))
