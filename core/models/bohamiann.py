"""BOHAMIANN's Bayesian neural network (Springenberg et al., NIPS 2016, section 3; thesis chapter 3): an MLP whose
parameters are sampled by stochastic-gradient MCMC.

    y = h(x; theta_mu) + N(0, sigma^2),   theta = (theta_mu, s = log sigma^2)                            (Eq. 2 / 3.1)
    U(theta) = -sum_n log N(y_n | h(x_n; theta_mu), e^s) - log p(theta_mu) - log p(s)                    (Eq. 3 / 3.2)

U is estimated on minibatches of B points, its likelihood scaled by N/B. Inputs and targets are standardized, run by
run; priors are stated for standardized data. A fit samples R data sets at once, k chains each (see `core.compiled`);
every `thinning`-th step after the burn-in is kept, (steps - burn_in) // thinning samples per chain, and predictions are
those of `SampledNetwork`. A chain that diverges makes its run's predictions nan and affects no other run. If a chain
stays finite but ends up far from the data, the fit warns, see `core.models.strayed`.

The papers' chains burn in again at every fit. With `warm_burn_in`, a fit may continue the chains of an earlier one,
whose posterior is close if few observations have arrived in between; see `core.models.chain_state`.
"""

from collections.abc import Mapping
from typing import Self

import torch
from torch import Tensor

from core.foundation.randomness import Generators
from core.models.chain_state import ChainState
from core.models.engines.choice import make_engine
from core.models.engines.problem import Problem
from core.models.mcmc_network import INITIAL_LOG_NOISE, MCMCNetwork, one_each


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
