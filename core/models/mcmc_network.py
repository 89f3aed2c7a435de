"""Networks sampled by stochastic-gradient MCMC: the settings that BOHAMIANN, multi-task BOHAMIANN and LC-Net share, and
the loop from the burn-in to the last sample.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, check_generators, make_generators
from core.foundation.validation import require_count
from core.models.chain_state import ChainState
from core.models.engines.problem import Engine
from core.models.priors import GammaHyperprior, LogNormalNoise, WeightPrior
from core.models.sampled_network import SampledNetwork
from core.models.strayed import strayed, warn_of
from core.samplers import AdaptiveSGHMC, Sampler

INITIAL_LOG_NOISE = math.log(1e-3)


class MCMCNetwork(SampledNetwork):
    """Base of the networks that are sampled by chains, with the settings of `BayesianNetwork`; a subclass has `fit`."""

    def __init__(
        self,
        *,
        widths: Sequence[int] = (50, 50, 50),
        activation: str = "tanh",
        sampler: Sampler[Any] = AdaptiveSGHMC(),  # noqa: B008 (frozen)
        burn_in: int = 3000,
        steps: int = 13000,
        thinning: int = 100,
        batch_size: int = 20,
        chains: int = 1,
        weight_prior: WeightPrior = GammaHyperprior(),  # noqa: B008 (frozen)
        noise_prior: LogNormalNoise = LogNormalNoise(),  # noqa: B008 (frozen)
        initialisation: str = "he",
        device: torch.device | str = "cpu",
        engine: str = "auto",
        warm_burn_in: int | None = None,
    ) -> None:
        super().__init__(widths=widths, activation=activation, device=device, initialisation=initialisation)
        owner = type(self).__name__
        self.burn_in = require_count(f"{owner}.burn_in", burn_in, least=0)
        self.thinning = require_count(f"{owner}.thinning", thinning)
        one_sample = self.burn_in + self.thinning
        self.steps = require_count(f"{owner}.steps", steps, " (burn_in + thinning, for one sample)", one_sample)
        self.batch_size = require_count(f"{owner}.batch_size", batch_size)
        self.chains = require_count(f"{owner}.chains", chains)
        if warm_burn_in is not None:
            warm_burn_in = require_count(f"{owner}.warm_burn_in", warm_burn_in, ", or None", least=0)
        self.weight_prior, self.noise_prior, self.sampler, self.engine = weight_prior, noise_prior, sampler, engine
        self.warm_burn_in = warm_burn_in
        self._chains: ChainState | None = None

    @property
    def samples_per_chain(self) -> int:
        """Kept samples of one chain."""
        return (self.steps - self.burn_in) // self.thinning

    def chain_state(self) -> dict[str, Tensor]:
        """Return the state of the chains after `fit`, from which another fit may continue.

        Returns:
            Tensors by name, all with the axis of the runs first, so that a subset of the runs may continue.

        Raises:
            UserError: before `fit`, or for a model whose chains do not continue.
        """
        if self._chains is None:
            reason = "the chains of this model do not continue" if self.runs else "call fit first"
            raise UserError(f"{type(self).__name__}.chain_state: {reason}")
        return self._chains.tensors()

    def _chains_before(self, initial: Mapping[str, Tensor] | None) -> ChainState | None:
        """The chains that a fit continues, if any."""
        if initial is None:
            return None
        if self.warm_burn_in is None:
            name = f"{type(self).__name__}.warm_burn_in"
            raise UserError(f"{name} is None; allowed: a number of burn-in steps, for fits that continue")
        return ChainState.from_tensors(initial)

    def _sample(
        self, engine: Engine, covered: Tensor, generators: list[torch.Generator], warm_burn_in: int | None = None
    ) -> Tensor:
        """Run the engine through burn-in and sampling: the kept positions, (samples_per_chain, chains, P_w + 1).

        Chains that continue, for `warm_burn_in` steps, draw the precision for the weights they have; `prior.initial` is
        for new ones.
        """
        prior, warm = self.weight_prior, warm_burn_in is not None
        burn_in = self.burn_in if warm_burn_in is None else warm_burn_in
        gibbs = [np.random.default_rng(_draw_seed(generator)) for generator in generators]
        last = burn_in + self.samples_per_chain * self.thinning
        keep = range(burn_in + self.thinning, last + 1, self.thinning)
        renew = range(0, last, prior.interval or last)
        events = sorted({0, burn_in, *keep, *renew})
        start = engine.position()
        kept = start.new_empty(self.samples_per_chain, *start.shape)
        precision = start.new_empty(len(start))  # has its values from step 0 on
        for now, following in zip(events, [*events[1:], last]):
            if now == burn_in:
                engine.freeze()
            if now == 0 and prior.initial is not None and not warm:
                precision = start.new_full((len(start),), prior.initial)
            elif now in renew:
                precision = prior.precision(engine.position()[:, :-1][:, covered], gibbs)
            if now in keep:
                kept[keep.index(now)] = engine.position()
            engine.advance(following - now, precision)
        return kept

    def _keep(self, kept: Tensor, runs: int, dimension: int) -> None:
        """Make the kept positions (samples_per_chain, chains, P_w + 1) the model's samples."""
        self.runs, self.dimension = runs, dimension
        by_run = kept.unflatten(1, (runs, self.chains)).transpose(1, 2).reshape(-1, runs, kept.shape[-1])
        self.samples, self.noise_variance = by_run[..., :-1].contiguous(), by_run[..., -1:].double().exp()
        warn_of(self.strayed, type(self).__name__)

    @property
    def strayed(self) -> Tensor:
        """Whether each chain of the last fit strayed from the data, (runs, chains), see `core.models.strayed`."""
        return strayed(self.noise_variance, self.chains)


def one_each(generators: Generators, runs: int, device: torch.device) -> list[torch.Generator]:
    """Return one generator per run; if a single one is given, it seeds them all."""
    if isinstance(generators, torch.Generator):
        return [generators] if runs == 1 else make_generators([_draw_seed(generators) for _ in range(runs)], device)
    check_generators(generators)
    if len(generators) != runs:
        raise UserError(f"generators: {len(generators)} for {runs} runs, expected one per run")
    return list(generators)


def _draw_seed(generator: torch.Generator) -> int:
    return int(torch.randint(2**63 - 1, (1,), generator=generator, device=generator.device))
