"""BOHAMIANN's Bayesian neural network (Springenberg et al., NIPS 2016, section 3; thesis chapter 3): an MLP whose
parameters are sampled by stochastic-gradient MCMC.

    y = h(x; theta_mu) + N(0, sigma^2),   theta = (theta_mu, s = log sigma^2)                            (Eq. 2 / 3.1)
    U(theta) = -sum_n log N(y_n | h(x_n; theta_mu), e^s) - log p(theta_mu) - log p(s)                    (Eq. 3 / 3.2)

U is estimated on minibatches of B points, its likelihood scaled by N/B. Inputs and targets are standardized, run by
run; priors are stated for standardized data. A fit samples R data sets at once, k chains each (see `core.compiled`);
every `thinning`-th step after the burn-in is kept, (steps - burn_in) // thinning samples per chain, and predictions are
those of `SampledNetwork`. A chain that diverges makes its run's predictions nan and affects no other run. If a chain
stays finite but ends up far from the data, the fit warns, see `core.models.chains`.

The papers' chains burn in again at every fit. With `warm_burn_in`, a fit may continue the chains of an earlier one,
whose posterior is close if few observations have arrived in between; see `core.models.chains`.

Networks sampled by stochastic-gradient MCMC: the settings that BOHAMIANN, multi-task BOHAMIANN and LC-Net share, and
the loop from the burn-in to the last sample.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from core.foundation.errors import UserError
from core.foundation.randomness import Generators, check_generators, make_generators
from core.foundation.validation import require_count
from core.models.chains import ChainState, strayed, warn_of
from core.models.engines.choice import make_engine
from core.models.engines.problem import Engine, Problem
from core.models.priors import GammaHyperprior, LogNormalNoise, WeightPrior
from core.models.sampled_network import SampledNetwork
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
        """Whether each chain of the last fit strayed from the data, (runs, chains), see `core.models.chains`."""
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


class BayesianNetwork(MCMCNetwork):
    """Bayesian neural network whose weights and noise variance are sampled from their posterior.

    Args:
        widths: Widths of the hidden layers; none gives Bayesian linear regression.
        activation: Activation of the hidden layers, "tanh", the paper's, or "relu".
        initialisation: Distribution of the initial weights, "he" or "uniform", see `core.models.network.MLP`.
        sampler: Stochastic-gradient sampler, any of those in `core.samplers`.
        burn_in: Number of steps before the first sample, during which the sampler may adapt.
        steps: Number of steps of a chain, including the burn-in.
        thinning: Number of steps from one kept sample to the next.
        batch_size: Number of points per minibatch; if there are no more points than that, every step uses all of them.
        chains: Number of chains per run.
        weight_prior, noise_prior: See `core.models.priors`.
        device: Device on which sampling and predictions run.
        engine: Engine, "compiled" (CPU, SGHMC and AdaptiveSGHMC), "fused" (the same on CUDA devices), "torch", or
            "auto": one of the first two where it applies.
        warm_burn_in: Number of burn-in steps of a fit that continues an earlier one, in place of `burn_in`; as many
            steps follow as after a cold start. A few hundred let chains follow an observation far from the others.
            None, the papers' protocol, allows fits from scratch only.

    Raises:
        UserError: a setting out of range.

    Attributes:
        mean, weight: Settings of subclasses with another likelihood, see `core.models.engines.problem`.
    """

    mean: str = "linear"
    weight: float = 1.0

    def fit(self, X: Tensor, y: Tensor, generators: Generators, initial: Mapping[str, Tensor] | None = None) -> Self:
        """Sample the posterior of every run.

        Args:
            X: Inputs (runs, N, d), or (N, d) for one run.
            y: Targets (runs, N), or (N,).
            generators: Generators, one per run, on `device`: a run's chains depend on nothing else. One generator for
                several runs seeds a generator for each.
            initial: Chains to continue, the `chain_state` of a model with the same settings fitted to as many runs;
                None starts new chains.

        Returns:
            self, with `samples` and `noise_variance` of samples_per_chain * chains samples per run: step by step, the
            chains of a step side by side.

        Raises:
            ModelError: data that cannot be standardized.
            UserError: data that are not finite or do not fit together; chains to continue of another model or of
                other numbers of runs or features, or without `warm_burn_in`.
        """
        before = self._chains_before(initial)
        X, y = self.prepare(X, y)
        generators = one_each(generators, len(X), self.device)
        problem = Problem(
            network=self.network,
            X=X,
            y=y,
            chains_per_run=self.chains,
            batch_size=self.batch_size,
            covered=self.weight_prior.covers(self.network).to(self.device),
            noise_prior=self.noise_prior,
            mean=self.mean,
            weight=self.weight,
        )
        weights = self.network.init(generators, problem.chains, self.device)
        theta = torch.cat([weights, weights.new_full((problem.chains, 1), INITIAL_LOG_NOISE)], 1)
        state = self.sampler.init(theta)
        if before is not None:
            state = before.continued(state, self.network, self.inputs, self.targets)
        engine = make_engine(self.engine, problem, self.sampler, state, generators)
        warm_burn_in = None if before is None else self.warm_burn_in
        kept = self._sample(engine, problem.covered.bool(), generators, warm_burn_in)
        self._chains = ChainState.of(engine.state(), self.inputs, self.targets)
        self._keep(kept, len(X), X.shape[-1])
        return self
