"""Constraint model, acquisition function and maximizer together: Bayesian optimization of a constrained function."""

import pytest
import torch

from core.acquisition import Constrained, LogExpectedImprovement, best_observed
from core.acquisition.maximizers import GradientAscent
from core.foundation.randomness import make_generators
from core.models import GaussianProcess, NoiselessConstraint, NoisyConstraint

INITIAL, SUGGESTIONS = 10, 12
OPTIMUM = 2 * 0.2**0.5  # of x_1 + x_2 where x_1 x_2 >= 0.2


def evaluate(X):
    return X.sum(-1), X.prod(-1) >= 0.2


def search(kind, seed):
    """Losses and validity of all evaluations, (1, INITIAL + SUGGESTIONS) each; the loss is unknown where not valid."""
    generators = make_generators([seed])
    X = torch.rand(1, INITIAL, 2, generator=generators[0], dtype=torch.float64)
    for _ in range(SUGGESTIONS):
        y, valid = evaluate(X)
        constraint = kind(widths=(20, 20)).fit(X, valid, generators)
        best, any_feasible = best_observed(y, valid)
        model = GaussianProcess(restarts=1).fit(X[valid].unsqueeze(0), y[valid].unsqueeze(0), generators)
        acquisition = Constrained(LogExpectedImprovement(model.moments, best), constraint.probability, any_feasible)
        suggestion, _ = GradientAscent(candidates=200, restarts=2)(acquisition, 2, generators)
        X = torch.cat([X, suggestion.unsqueeze(1)], 1)
    return evaluate(X)


@pytest.mark.parametrize("kind", [NoisyConstraint, NoiselessConstraint])
def test_a_constrained_search_is_better_than_uniform_points(kind):
    """The best valid one of 22 uniform points is 0.121 above the optimum on average.

    Six searches each ended 0.05 and 0.04 above it on average, with standard deviations of 0.03 and 0.04.
    """
    gaps = []
    for seed in range(3):
        y, valid = search(kind, seed)
        best, any_feasible = best_observed(y, valid)
        assert any_feasible.all() and valid[:, INITIAL:].any()
        gaps.append(best.item() - OPTIMUM)
    assert min(gaps) >= 0 and sum(gaps) / len(gaps) < 0.121
