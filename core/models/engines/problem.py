"""The posterior of `chains` networks, which the engines sample, and the protocol of an engine: the chains of a fit.

What the engines with padded parameter vectors share: the sampler's state in that layout, and the end of the burn-in.

The state after the burn-in is passed to the sampler's own `freeze`, so that the constraint on C is written once, in
`core.samplers`. From then on, and with SGHMC from the start, the coefficients of v <- keep v - rate grad + amplitude xi
are constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor

from core.compiled.sghmc import Frozen
from core.models.network import ChainNetwork
from core.models.priors import LogNormalNoise
from core.samplers import SGHMC, AdaptiveSGHMC, AdaptiveSGHMCState
from core.samplers.sghmc import SGHMCState

NetworkT = TypeVar("NetworkT", bound=ChainNetwork, covariant=True)


@dataclass(frozen=True)
class Problem(Generic[NetworkT]):
    """The posterior over theta = (weights and biases, s = log sigma^2) given R data sets.

    Attributes:
        X, y: Standardized inputs (R, N, d) and targets (R, N), in the floating-point type of the sampling.
        chains_per_run: Number k of chains per run; chains r k ... r k + k - 1 belong to run r.
        batch_size: Number of points per minibatch; every step uses all points if N is not larger.
        covered: Mask (P_w,), 1 where the weight prior applies.
        mean: Mean of y, "linear" for the network's output or "sigmoid" for its sigmoid.
        weight: Weight of each point in the likelihood: 1/H if the data have H copies of every observation.
    """

    network: NetworkT
    X: Tensor
    y: Tensor
    chains_per_run: int
    batch_size: int
    covered: Tensor
    noise_prior: LogNormalNoise
    mean: str = field(default="linear", kw_only=True)
    weight: float = field(default=1.0, kw_only=True)

    @property
    def chains(self) -> int:
        """R k."""
        return len(self.X) * self.chains_per_run

    @property
    def points(self) -> int:
        """N."""
        return self.X.shape[1]

    @property
    def batch(self) -> int:
        """Points per step: B, or N if N <= B."""
        return min(self.batch_size, self.points)


class Engine(Protocol):
    """Chains of one fit, moved by whole blocks of steps."""

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""

    def freeze(self) -> None:
        """End the burn-in."""

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1); a copy or a view that the next `advance` may overwrite."""

    def state(self) -> Any:
        """The sampler's state, with the same caution."""


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
