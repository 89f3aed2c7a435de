"""The compiled CPU engine: the whole step of SGHMC and scale-adapted SGHMC in machine code, one thread, float32.

The state of the chains is in flat arrays in the padded layout (`layout`); `sghmc.advance` moves it.
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
from core.foundation.randomness import chain_seeds
from core.models.engines.padded import PaddedEngine, PaddedSampler, PaddedState
from core.models.engines.problem import Problem
from core.models.network import ChainNetwork


class CompiledEngine(PaddedEngine):
    """Chains in flat float32 arrays, one padded parameter vector per chain.

    A subclass for another network has its own layout, data and compiled steps (`_prepare` and `compile`).
    """

    compile = staticmethod(sghmc.compile_advance)
    chains: sghmc.Chains

    def __init__(
        self,
        problem: Problem[ChainNetwork],
        sampler: PaddedSampler,
        state: PaddedState,
        generators: Sequence[torch.Generator],
    ) -> None:
        super().__init__(problem, sampler)
        self.layout, places, self.data = self._prepare()
        self.places = torch.from_numpy(places)
        self.target = self._make_target()
        self.chains = self._start(state, chain_seeds(generators, problem.chains))
        self.frozen = self.coefficients(state)

    def advance(self, steps: int, precision: Tensor) -> None:
        """Move all chains; `precision` (chains,) is that of the weight prior."""
        advance = self.compile()
        values = precision.to(torch.float32).numpy()
        advance(steps, self.adapting, self.layout, self.data, self.target, values, self.chains, self.frozen)

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
        (covered, valid), prior = self.masks(), self.problem.noise_prior
        return sghmc.Target(
            covered=covered,
            valid=valid,
            noise_mean=float(prior.mean),
            noise_variance=float(prior.variance),
            step_size=float(self.sampler.step_size),
            momentum_decay=float(self.sampler.momentum_decay),
            noise_correction=float(getattr(self.sampler, "noise_correction", False)),
        )

    def _start(self, state: PaddedState, seeds: NDArray[np.uint64]) -> sghmc.Chains:
        lanes, shufflers = seed_states(seeds)
        return sghmc.Chains(
            **self.starting(state),
            order=np.tile(np.arange(self.problem.points, dtype=np.int32), (len(state.position), 1)),
            batches_done=np.zeros(len(state.position), np.int64),
            lanes=lanes,
            shufflers=shufflers,
        )
