"""Priors on the parameters of the Bayesian network, theta = (weights and biases theta_mu, s = log sigma^2).

Every weight prior is normal with mean 0, p(w) = N(0, 1/lambda): they differ in where the precision lambda comes from.
The NIPS paper resamples it by Gibbs steps, the authors' later code (the thesis) fixes it at a nearly flat value.

    GammaHyperprior   lambda ~ Gamma(shape a, rate b), density proportional to lambda^(a - 1) exp(-b lambda), is
                      conjugate: lambda | w ~ Gamma(a + n/2, rate b + sum(w^2)/2) over n weights. The NIPS code draws
                      from Gamma(1 + n/2, 1e4 + sum(w^2)/2): hence a = 1, b = 1e4, an exponential prior of mean 1e-4 on
                      the precision. The consequence of that rate: as long as sum(w^2)/2 is far below 1e4, lambda is
                      about n / 2e4 whatever the weights are (0.035, a standard deviation of 5, for the 700 weights of
                      13-50-1). Weights only, biases are free. That code starts with lambda = 1 and first draws
                      after 100 steps, `initial=1`; otherwise lambda is drawn at the start.
    AveragedNormal    log p = -sum(w^2)/2 / P, that is lambda = 1/P over the P weights and biases.
    FixedNormal       lambda given, for weights and biases.

The noise prior is log-normal on the noise variance, N(mean, variance) on s; its default is the authors'.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from core.foundation.validation import check_counts, check_positive, require_number
from core.models.network import ChainNetwork


class WeightPrior(Protocol):
    """A normal prior on some of the weights; the sampler needs its precision and the entries it covers."""

    @property
    def interval(self) -> int | None:
        """Number of steps between two draws of the precision, None if it is constant."""

    @property
    def initial(self) -> float | None:
        """Precision of a new chain's first interval, None if it is drawn."""

    def covers(self, network: ChainNetwork) -> Tensor:
        """1 for entries of theta_mu under the prior, 0 for the others: (P_w,)."""

    def precision(self, weights: Tensor, generators: list[np.random.Generator]) -> Tensor:
        """lambda for each chain, (chains,), given its covered weights (chains, n); one generator per run."""


@dataclass(frozen=True, kw_only=True)
class GammaHyperprior:
    """Normal weights with a Gamma(shape, rate) hyperprior on the precision, resampled every `interval` steps.

    `initial` is the precision of new chains until the first draw after `interval` steps; None draws it from the start
    on, as do chains that continue (see `warm_burn_in` of `core.models.bohamiann.BayesianNetwork`).
    """

    shape: float = 1.0
    rate: float = 1e4
    interval: int = 100
    initial: float | None = None

    def __post_init__(self) -> None:
        check_positive("GammaHyperprior", shape=self.shape, rate=self.rate)
        check_counts("GammaHyperprior", interval=self.interval)
        if self.initial is not None:
            check_positive("GammaHyperprior", initial=self.initial)

    def covers(self, network: ChainNetwork) -> Tensor:
        """Weights only."""
        return network.weight_mask()

    def precision(self, weights: Tensor, generators: list[np.random.Generator]) -> Tensor:
        """The Gibbs step: one draw per chain from Gamma(shape + n/2, rate + sum(w^2)/2)."""
        shape = self.shape + weights.shape[1] / 2
        rates = self.rate + weights.double().square().sum(1) / 2
        chains_per_run = len(weights) // len(generators)
        draws = np.concatenate([generator.standard_gamma(shape, chains_per_run) for generator in generators])
        return (torch.from_numpy(draws).to(rates) / rates).to(weights.dtype)


@dataclass(frozen=True)
class FixedNormal:
    """Normal weights and biases with a given precision."""

    precision_value: float = 1.0
    interval = None
    initial = None

    def __post_init__(self) -> None:
        check_positive("FixedNormal", precision_value=self.precision_value)

    def covers(self, network: ChainNetwork) -> Tensor:
        """Weights and biases."""
        return torch.ones(network.num_weights)

    def precision(self, weights: Tensor, generators: list[np.random.Generator]) -> Tensor:
        """The given precision."""
        return torch.full_like(weights[:, 0], self.precision_value)


@dataclass(frozen=True)
class AveragedNormal:
    """The nearly flat prior of the authors' later code: precision 1/P over the P weights and biases."""

    interval = None
    initial = None

    def covers(self, network: ChainNetwork) -> Tensor:
        """Weights and biases."""
        return torch.ones(network.num_weights)

    def precision(self, weights: Tensor, generators: list[np.random.Generator]) -> Tensor:
        """1/P."""
        return torch.full_like(weights[:, 0], 1 / weights.shape[1])


@dataclass(frozen=True)
class LogNormalNoise:
    """log sigma^2 ~ N(mean, variance), in units of the standardized targets."""

    mean: float = math.log(1e-6)
    variance: float = 0.01

    def __post_init__(self) -> None:
        check_positive("LogNormalNoise", variance=self.variance)
        require_number("LogNormalNoise.mean", self.mean, math.isfinite, "finite numbers")


WEIGHT_PRIORS: dict[str, type[WeightPrior]] = {"averaged_normal": AveragedNormal, "gamma_hyperprior": GammaHyperprior}
"""The authors' priors by their names in settings."""
