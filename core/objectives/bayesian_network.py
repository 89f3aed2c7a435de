"""Hyperparameters of a Bayesian neural network (thesis 6.4.3, C.9 and Table C.3): `bnn_boston` and `bnn_protein`.

A network with two hidden tanh layers is sampled by scale-adapted SGHMC with minibatches of 20. The budget counts MCMC
steps, from 500 to 10,000, including burn-in; from the steps after burn-in 100 parameter vectors are kept, equally far
apart and ending with the last. The loss is the negative log-likelihood of the validation data, averaged over its points
in the units of the targets, under the Gaussian with the mean and variance of the mixture (Eq. 3.4).

Where the thesis is silent:

* **The sampler** is that of the package under the authors' benchmark (HPOlib's BNN on sgmcmc): the friction is not
  raised after the burn-in, and the noise has no term -eps^4. Both are settings.
* **Priors** are those of the RoBO package that it used: precision 1 / P for the weights, log-normal around 1e-6 for
  the noise variance of standardized targets.
* **The split** is fixed: 60% of the data train, as in chapter 7, and of the next 20% at most 1,000 points validate:
  with all 9,146 of protein, small budgets would spend several times as long on predictions as on sampling.
* **100 vectors** at every budget: 500 steps with the longest burn-in, 0.8, leave exactly as many. RoBO keeps every
  hundredth step, which is 2 to 8 vectors at 1,111 steps.
* **The burn-in** is a share of the budget; the lower end of the momentum decay, 0, is taken as 1e-6, since samplers
  need some.

A chain that diverges predicts nan; `guarded_evaluate` records such a loss as failed. Finite losses are cut off at the
loss of a failure, a million, which is about what predictions 1.4 standard deviations off cost at the prior's noise.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import Any

import numpy as np
import torch
from ConfigSpace import ConfigurationSpace
from torch import Tensor

from core.data import load, train_validation_test_split
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.priors import AveragedNormal
from core.models.scores import moment_matched_log_likelihood
from core.objectives.base import Configurations, Evaluation, Fidelity
from core.objectives.spaces import bayesian_network_space
from core.samplers import AdaptiveSGHMC

VECTORS = 100
VALIDATION_POINTS = 1000
SMALLEST_DECAY = 1e-6
SPLIT_SEED = 0
STEPS = Fidelity("MCMC steps", 500.0, 10_000.0)

Part = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class BayesianNetworkTuning:
    """The benchmark on given parts, each inputs (n, d) and targets (n,) float64; a noisy `Objective`.

    The cost is the measured seconds of one thread's work, predictions included.

    Attributes:
        raise_friction, noise_correction: Settings of the sampler, see `core.samplers.AdaptiveSGHMC`.
    """

    name: str
    train: Part = field(repr=False)
    validation: Part = field(repr=False)
    _: KW_ONLY
    fidelity: Fidelity = STEPS
    optimum: float | None = None
    worst_loss: float = 1e6
    raise_friction: bool = False
    noise_correction: bool = False

    @property
    def space(self) -> ConfigurationSpace:
        """Table C.3."""
        return bayesian_network_space(self.name)

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Sample one network per configuration, for the budget rounded to a whole number of steps.

        Raises:
            UserError: a budget outside the fidelity's range.
        """
        steps = round(self.fidelity.checked(budget))
        _compile()
        losses, costs = [], []
        for configuration in configurations:
            start = time.process_time()
            losses.append(self._loss(configuration, steps, int(generator.integers(2**63))))
            costs.append(time.process_time() - start)
        return Evaluation(np.array(losses), np.array(costs), tuple({} for _ in losses))

    def _loss(self, configuration: Mapping[str, Any], steps: int, seed: int) -> float:
        model = network(configuration, steps, self.raise_friction, self.noise_correction)
        model.fit(*self.train, make_generators([seed]))
        model.samples, model.noise_variance = model.samples[-VECTORS:], model.noise_variance[-VECTORS:]
        X, y = self.validation
        loss = -moment_matched_log_likelihood(*model.predict(X), y[None]).item()
        return min(loss, self.worst_loss) if np.isfinite(loss) else np.nan


def network(
    configuration: Mapping[str, Any], steps: int, raise_friction: bool = False, noise_correction: bool = False
) -> BayesianNetwork:
    """The model of a configuration; it keeps 100 to 199 vectors, and the last 100 count.

    The burn-in is longer by less than an interval, so that the last vector is the last step's.
    """
    sampling = steps - int(configuration["burn_in"] * steps)
    thinning = sampling // VECTORS
    decay = max(configuration["momentum_decay"], SMALLEST_DECAY)
    return BayesianNetwork(
        widths=(configuration["units_1"], configuration["units_2"]),
        sampler=AdaptiveSGHMC(
            step_size=configuration["step_length"],
            momentum_decay=decay,
            raise_friction=raise_friction,
            noise_correction=noise_correction,
        ),
        burn_in=steps - sampling // thinning * thinning,
        steps=steps,
        thinning=thinning,
        weight_prior=AveragedNormal(),
    )


def bnn_boston(download: bool = True) -> BayesianNetworkTuning:
    """The benchmark on Boston housing: 304 points for training and 101 for validation.

    Raises:
        DataUnavailableError: the data are in none of the catalogue's places.
    """
    return _on("boston", download)


def bnn_protein(download: bool = True) -> BayesianNetworkTuning:
    """The benchmark on protein structure: 27,438 points for training and 1,000 for validation.

    Raises:
        DataUnavailableError: the data are in none of the catalogue's places.
    """
    return _on("protein", download)


def bnn_diabetes() -> BayesianNetworkTuning:
    """The benchmark on scikit-learn's diabetes data, not in the thesis: 265 points for training, 88 for validation."""
    return _on("diabetes", download=False)


def _on(name: str, download: bool) -> BayesianNetworkTuning:
    data = load(name, download=download)
    splits = train_validation_test_split(len(data.y), [SPLIT_SEED])
    X, y = (torch.tensor(values, dtype=torch.float64) for values in (data.X, data.y))
    train, validation = ((X[rows], y[rows]) for rows in (splits[0][0], splits[1][0, :VALIDATION_POINTS]))
    return BayesianNetworkTuning(f"bnn_{name}", train, validation)


@cache
def _compile() -> None:
    """Have the machine code ready before a clock starts."""
    X = torch.linspace(0, 1, 40, dtype=torch.float64)[:, None]
    configuration = {"units_1": 16, "units_2": 16, "step_length": 1e-2, "burn_in": 0.5, "momentum_decay": 0.05}
    network(configuration, 2 * VECTORS).fit(X, X[:, 0], make_generators([0])).predict(X)
