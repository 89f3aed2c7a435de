"""The compiled CPU engine: the whole step of SGHMC and scale-adapted SGHMC in machine code, one thread, float32.

The state of the chains is in flat arrays in the padded layout (`layout`); `sghmc.advance` moves it. The state after the
burn-in is passed to the sampler's own `freeze`, so that the constraint on C is written once, in `core.samplers`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.compiled import sghmc
from core.compiled.layout import make_regression_layout, padded_regression_places, padded_rows
from core.compiled.random_bits import seed_states
from core.models.engines.problem import Problem
from core.randomness import chain_seeds
from core.samplers import SGHMC, AdaptiveSGHMC


class CompiledEngine:
    """Chains in flat float32 arrays, one padded parameter vector per chain.

    A subclass for another network has its own layout, data and compiled steps (`_prepare` and `compile`).
    """

    compile = staticmethod(sghmc.compile_advance)

    def __init__(
        self,
        problem: Problem,
        sampler: SGHMC | AdaptiveSGHMC,
        state: Any,
        generators: Sequence[torch.Generator],
    ) -> None:
        self.problem, self.sampler = problem, sampler
        self.layout, places, self.data = self._prepare()
        self.places = torch.from_numpy(places)
        self.adapting = isinstance(sampler, AdaptiveSGHMC)
        self.target = self._make_target()
        self.chains = self._start(state, chain_seeds(generators, problem.chains))
        self.frozen = self._coefficients(state)

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""
        advance = self.compile()
        values = precision.to(torch.float32).numpy()
        advance(steps, self.adapting, self.layout, self.data, self.target, values, self.chains, self.frozen)

    def freeze(self) -> None:
        """End the burn-in."""
        if self.adapting:
            self.frozen = self._coefficients(self.sampler.freeze(self.state()))
            self.adapting = False

    def position(self) -> Tensor:
        """theta, (chains, P_w + 1)."""
        return self.unpack(self.chains.position)

    def state(self) -> Any:
        """The sampler's state, as before `freeze`."""
        fresh = self.sampler.init(self.position())
        return fresh._replace(**{name: self.unpack(getattr(self.chains, name)) for name in self._carried(fresh)})

    def _carried(self, state: Any) -> list[str]:
        return [name for name in state._fields if name in sghmc.Chains._fields]

    def pack(self, values: Tensor, padding: float = 0.0) -> np.ndarray:
        """A tensor (chains, P_w + 1) as a flat array in the padded layout."""
        padded = torch.full((len(values), self.layout.size), padding)
        padded[:, self.places] = values.to(torch.float32)
        return padded.numpy().reshape(-1)

    def unpack(self, padded: np.ndarray) -> Tensor:
        """The inverse of `pack`."""
        return torch.from_numpy(padded).view(-1, self.layout.size)[:, self.places]

    def _prepare(self) -> tuple[Any, np.ndarray, Any]:
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

    def _start(self, state: Any, seeds: np.ndarray) -> sghmc.Chains:
        lanes, shufflers = seed_states(seeds)
        chains = len(state.position)
        order = np.tile(np.arange(self.problem.points, dtype=np.int32), (chains, 1))
        carried = {name: getattr(state, name) for name in self._carried(state)}
        averages = [
            self.pack(carried.get(name, torch.ones_like(state.position)), padding=1.0)
            for name in ("window", "smoothed_gradient", "gradient_variance")
        ]
        done = np.zeros(chains, np.int64)
        moving = (self.pack(state.position), self.pack(state.velocity))
        return sghmc.Chains(*moving, *averages, order, done, lanes, shufflers)

    def _coefficients(self, state: tuple) -> sghmc.Frozen:
        """rate, keep and amplitude of v <- keep v - rate grad + amplitude xi (Eq. 10, or Eq. 7)."""
        squared_step = self.sampler.step_size**2
        if isinstance(self.sampler, AdaptiveSGHMC):
            decay = state.decay
            inverse_mass = state.gradient_variance.rsqrt()
            variance = (2 * squared_step * decay * inverse_mass - self.sampler.correction).clamp_min(0)
            values = (squared_step * inverse_mass, 1 - decay, variance.sqrt())
        else:
            constants = (
                squared_step,
                1 - self.sampler.momentum_decay,
                (2 * squared_step * self.sampler.friction) ** 0.5,
            )
            values = (torch.full_like(state.position, constant) for constant in constants)
        return sghmc.Frozen(*(self.pack(value) for value in values))
