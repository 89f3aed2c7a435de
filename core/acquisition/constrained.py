"""Expected improvement under unknown constraints: a_CEI of DNGO (section 3.2), after Gelbart et al. (2014).

    a_CEI(x) = a_EI(x; V) P[c = 1 | x, D]

V are the observations that satisfy the constraints: the model behind a_EI and its best observation use only those. As
long as V is empty, there is nothing to improve on, and the utility is the probability of being feasible alone.

When to use it: where the constraint is not known but observed with every evaluation, and a model predicts it. For one
run with points X (1, N, d), losses y (1, N) and valid (1, N) bool, at least one of them True:

    constraint = NoisyConstraint().fit(X, valid, generators)
    model = GaussianProcess().fit(X[valid].unsqueeze(0), y[valid].unsqueeze(0), generators)
    best, any_feasible = best_observed(y, valid)
    acquisition = Constrained(LogExpectedImprovement(model.moments, best), constraint.probability, any_feasible)
    suggestion, _ = GradientAscent()(acquisition, d, generators)

A constraint that is known should be part of the search space instead (`core.spaces`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from core.acquisition.base import Acquisition


@dataclass(frozen=True)
class Constrained:
    """An improvement times its probability of being feasible, or their sum if values are logarithms.

    Attributes:
        acquisition: Non-negative utility: EI, log EI or PI, with finite values in every run.
        feasibility: Function from X (..., runs, q, d) to probabilities (..., runs, q), or with the sample axis of
            `acquisition`.
        any_feasible: Whether an observation of the run is feasible, (runs,) bool, see `best_observed`.
    """

    acquisition: Acquisition
    feasibility: Callable[[Tensor], Tensor]
    any_feasible: Tensor

    @property
    def logarithmic(self) -> bool:
        """Whether the values of the improvement are logarithms."""
        return self.acquisition.logarithmic

    def __call__(self, X: Tensor) -> Tensor:
        """X (..., runs, q, d) to (..., runs, q)."""
        improvement, probability = self.acquisition(X), self.feasibility(X)
        any_feasible = self.any_feasible.unsqueeze(-1)
        if self.logarithmic:
            # log 0 would have gradient nan where a probability underflows, and rank no point below another.
            probability = probability.clamp_min(torch.finfo(probability.dtype).tiny)
            return torch.where(any_feasible, improvement, 0.0) + probability.log()
        return torch.where(any_feasible, improvement, 1.0) * probability
