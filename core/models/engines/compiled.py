"""The compiled CPU engine: the whole step of SGHMC and scale-adapted SGHMC in machine code, one thread, float32.

The state of the chains is in flat arrays in the padded layout (`layout`); `sghmc.advance` moves it. The state after the
burn-in is passed to the sampler's own `freeze`, so that the constraint on C is written once, in `core.samplers`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.compiled import sghmc
from core.compiled.layout import make_regression_layout, padded_regression_places, padded_rows
from core.compiled.random_bits import seed_states
from core.models.engines.problem import Problem
from core.models.network import ChainNetwork
from core.randomness import chain_seeds
from core.samplers import SGHMC, AdaptiveSGHMC, AdaptiveSGHMCState
from core.samplers.sghmc import SGHMCState

CompiledSampler = SGHMC | AdaptiveSGHMC
CompiledState = SGHMCState | AdaptiveSGHMCState


class CompiledEngine:
    """Chains in flat float32 arrays, one padded parameter vector per chain.

    A subclass for another network has its own layout, data and compiled steps (`_prepare` and `compile`).
    """

    compile = staticmethod(sghmc.compile_advance)

    def __init__(
        self,
        problem: Problem[ChainNetwork],
        sampler: CompiledSampler,
        state: CompiledState,
        generators: Sequence[torch.Generator],
    ) -> None:
        self.problem, self.sampler = problem, sampler
        self.layout, places, self.data = self._prepare()
        self.places = torch.from_numpy(places)
        self.adapting = isinstance(sampler, AdaptiveSGHMC)
        self.target = self._make_target()
        self.chains = self._start(state, chain_seeds(generators, problem.chains))
        self.frozen = self._constant(sampler, state) if isinstance(sampler, SGHMC) else self._unused(state)

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""
        advance = self.compile()
        values = precision.to(torch.float32).numpy()
        advance(steps, self.adapting, self.layout, self.data, self.target, values, self.chains, self.frozen)

    def freeze(self) -> None:
        """End the burn-in."""
        if self.adapting and isinstance(self.sampler, AdaptiveSGHMC):
            self.frozen = self._adapted(self.sampler, self.sampler.freeze(self._adaptive_state(self.sampler)))
            self.adapting = False

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1)."""
        return self.unpack(self.chains.position)

    def state(self) -> CompiledState:
        """The sampler's state, as before `freeze`."""
        if isinstance(self.sampler, AdaptiveSGHMC):
            return self._adaptive_state(self.sampler)
        return SGHMCState(self.position(), self.unpack(self.chains.velocity))

    def _adaptive_state(self, sampler: AdaptiveSGHMC) -> AdaptiveSGHMCState:
        return sampler.init(self.position())._replace(
            velocity=self.unpack(self.chains.velocity),
            window=self.unpack(self.chains.window),
            smoothed_gradient=self.unpack(self.chains.smoothed_gradient),
            second_moment=self.unpack(self.chains.second_moment),
        )

    def pack(self, values: Tensor, padding: float = 0.0) -> NDArray[np.float32]:
        """A tensor (chains, P_w + 1) as a flat array in the padded layout."""
        padded = torch.full((len(values), self.layout.size), padding)
        padded[:, self.places] = values.to(torch.float32)
        return padded.numpy().reshape(-1)

    def unpack(self, padded: NDArray[np.float32]) -> Tensor:
        """The inverse of `pack`."""
        return torch.from_numpy(padded).view(-1, self.layout.size)[:, self.places]

    def _prepare(self) -> tuple[Any, NDArray[np.int64], Any]:
        """The layout, the places in it of theta's entries, and the data."""
        layout = make_regression_layout(self.problem.network.sizes, self.problem.batch)
        X, y = self.problem.X.to(torch.float32), self.problem.y.to(torch.float32)
        data = sghmc.Data(
            padded_rows(X.numpy()),
            y.numpy(),
            self.problem.batch,
            self.problem.chains_per_run,
            float(self.problem.weight),
            self.problem.mean == "sigmoid",
        )
        return layout, padded_regression_places(layout), data

    def _make_target(self) -> sghmc.Target:
        covered = torch.cat([self.problem.covered.to(torch.float32), torch.zeros(1)])
        prior = self.problem.noise_prior
        return sghmc.Target(
            covered=self.pack(covered[None]),
            valid=self.pack(torch.ones_like(covered)[None]),
            noise_mean=float(prior.mean),
            noise_variance=float(prior.variance),
            step_size=float(self.sampler.step_size),
            momentum_decay=float(self.sampler.momentum_decay),
            noise_correction=float(getattr(self.sampler, "noise_correction", False)),
        )

    def _start(self, state: CompiledState, seeds: NDArray[np.uint64]) -> sghmc.Chains:
        lanes, shufflers = seed_states(seeds)
        chains, ones = len(state.position), torch.ones_like(state.position)
        adaptive = state if isinstance(state, AdaptiveSGHMCState) else None
        return sghmc.Chains(
            position=self.pack(state.position),
            velocity=self.pack(state.velocity),
            window=self.pack(adaptive.window if adaptive else ones, padding=1.0),
            smoothed_gradient=self.pack(adaptive.smoothed_gradient if adaptive else ones, padding=1.0),
            second_moment=self.pack(adaptive.second_moment if adaptive else ones, padding=1.0),
            order=np.tile(np.arange(self.problem.points, dtype=np.int32), (chains, 1)),
            batches_done=np.zeros(chains, np.int64),
            lanes=lanes,
            shufflers=shufflers,
        )

    def _constant(self, sampler: SGHMC, state: CompiledState) -> sghmc.Frozen:
        """rate, keep and amplitude of v <- keep v - rate grad + amplitude xi, for Eq. 7."""
        squared_step = sampler.step_size**2
        constants = (squared_step, 1 - sampler.momentum_decay, (2 * squared_step * sampler.friction) ** 0.5)
        return self._frozen(*(torch.full_like(state.position, constant) for constant in constants))

    def _adapted(self, sampler: AdaptiveSGHMC, state: AdaptiveSGHMCState) -> sghmc.Frozen:
        """The same for Eq. 10, after the burn-in."""
        squared_step, inverse_mass = sampler.step_size**2, state.second_moment.rsqrt()
        variance = (2 * squared_step * state.decay * inverse_mass - sampler.correction).clamp_min(0)
        return self._frozen(squared_step * inverse_mass, 1 - state.decay, variance.sqrt())

    def _unused(self, state: CompiledState) -> sghmc.Frozen:
        """The coefficients before the burn-in has determined them."""
        return self._frozen(*(torch.zeros_like(state.position) for _ in range(3)))

    def _frozen(self, rate: Tensor, keep: Tensor, amplitude: Tensor) -> sghmc.Frozen:
        return sghmc.Frozen(self.pack(rate), self.pack(keep), self.pack(amplitude))
