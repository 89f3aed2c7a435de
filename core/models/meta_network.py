"""PROFET's multi-task network: BOHAMIANN's on configurations joined to latent vectors of their tasks (thesis 8.2.2).

    y = f(x, h_t; theta) + N(0, sigma^2),    f = h(x, h_t; theta_mu), or its sigmoid, which suits errors in [0, 1]

The task t is known only by its distribution q(h_t). With H draws h_nj of the vector of observation n's task, the
potential is

    U(theta) = -sum_n 1/H sum_j log N(y_n | f(x_n, h_nj; theta_mu), sigma^2) - log p(theta)

which the thesis prints without the prior and as an average over n. The data are therefore H copies of every
observation, each with weight 1/H.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.validation import check_counts
from core.models.bohamiann import BayesianNetwork
from core.models.priors import AveragedNormal, WeightPrior


class MetaNetwork(BayesianNetwork):
    """Bayesian network for all tasks, sampled as in BOHAMIANN.

    Args:
        copies: Number H of copies of every observation in the data.
        mean: Mean of the targets: "linear" for standardized targets, or "sigmoid" for unscaled targets in [0, 1].
        others: As in `BayesianNetwork`; the default prior is that of the authors' later code.

    Raises:
        UserError: a setting out of range.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (500, 500, 500),
        copies: int = 1,
        mean: str = "linear",
        weight_prior: WeightPrior = AveragedNormal(),  # noqa: B008 (frozen)
        initialisation: str = "uniform",
        **others: Any,
    ) -> None:
        super().__init__(widths=widths, weight_prior=weight_prior, initialisation=initialisation, **others)
        if mean not in ("linear", "sigmoid"):
            raise UserError(f"MetaNetwork.mean: must be 'linear' or 'sigmoid', got {mean!r}")
        check_counts("MetaNetwork", copies=copies)
        self.mean, self.weight = mean, 1 / copies

    def prepare(self, X: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """As `SampledNetwork.prepare`; with a sigmoid mean the targets stay as they are.

        Raises:
            UserError: also for targets outside [0, 1] with a sigmoid mean.
        """
        X, standard = super().prepare(X, y)
        if self.mean == "linear":
            return X, standard
        y = self.targets.inverse(standard)
        if y.min() < -1e-6 or y.max() > 1 + 1e-6:
            raise UserError(f"MetaNetwork: targets from {y.min():g} to {y.max():g}; allowed with a sigmoid: 0 to 1")
        one = torch.ones_like(self.targets.scale)
        self.targets = Standardizer(mean=torch.zeros_like(one), scale=one)
        return X, y.to(torch.float32)

    def predict(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """As `SampledNetwork.predict`."""
        means, noise = super().predict(X)
        return (means.sigmoid() if self.mean == "sigmoid" else means), noise
