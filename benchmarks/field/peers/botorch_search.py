"""What BoTorch's tutorials do: a single-task Gaussian process with its default priors, standardized targets, LogEI.

Categories have a kernel of their own in BoTorch's mixed model and are chosen by its optimizer of mixed spaces, a local
search over categories in turn with L-BFGS over the rest. Integers and ordinals are relaxed and rounded, inactive
hyperparameters have their defaults. The initial design is 2 d uniform points, as Ax chooses for small d.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from ConfigSpace import ConfigurationSpace
from gpytorch.mlls import ExactMarginalLogLikelihood

from core.spaces import CubeEncoding

RESTARTS, RAW = 5, 128


class BoTorchSearch:
    """Bayesian optimization by BoTorch's own parts."""

    def __init__(self, space: ConfigurationSpace, seed: int) -> None:
        self.encoding = CubeEncoding(space)
        self.generator = np.random.default_rng(seed)
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.X = np.empty((0, self.encoding.dimension))
        self.y: list[float] = []
        self.categories = {
            place: self.encoding.columns[place].place(np.arange(size)).tolist()
            for place, size in self.encoding.cardinalities.items()
        }

    def ask(self) -> Mapping[str, Any]:
        """The maximizer of LogEI, or a uniform point."""
        if len(self.y) < 2 * self.encoding.dimension:
            self.point = self.encoding.sample(1, self.generator)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.point = self.encoding.canonical(self._best())
        (configuration,) = self.encoding.decode(self.point)
        return configuration

    def tell(self, loss: float, failed: bool) -> None:
        """Take in the loss."""
        self.X = np.concatenate([self.X, self.point])
        self.y.append(loss)

    def _best(self) -> np.ndarray:
        X, y = torch.tensor(self.X), -torch.tensor(self.y, dtype=torch.float64)[:, None]
        transform = Standardize(m=1)
        model = (
            MixedSingleTaskGP(X, y, cat_dims=list(self.categories), outcome_transform=transform)
            if self.categories
            else SingleTaskGP(X, y, outcome_transform=transform)
        )
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition = LogExpectedImprovement(model, best_f=y.max())
        bounds = torch.tensor([[0.0], [1.0]], dtype=torch.float64).expand(-1, self.encoding.dimension)
        if self.categories:
            point, _ = optimize_acqf_mixed_alternating(
                acquisition, bounds, cat_dims=self.categories, num_restarts=RESTARTS, raw_samples=RAW
            )
        else:
            point, _ = optimize_acqf(acquisition, bounds, 1, RESTARTS, RAW)
        candidate: np.ndarray = point.numpy()
        return candidate
