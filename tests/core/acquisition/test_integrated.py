"""Integration over hyperparameter samples, and constraints."""

import pytest
import torch

from core.acquisition import Constrained, ExpectedImprovement, Integrated, LogExpectedImprovement
from core.acquisition.base import Acquisition

X = torch.rand(4, 2, 5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
BEST = torch.tensor([0.5, 1.0], dtype=torch.float64)


def moments(X):
    return X.sum(-1), X[..., 0] + 0.1


def sampled_moments(X):
    offsets = torch.arange(3.0, dtype=torch.float64).view(3, *(1 for _ in X.shape[:-1]))
    mean, variance = moments(X)
    return mean + offsets, variance * (1 + offsets)


def feasibility(X):
    return torch.sigmoid(X[..., 1] * 4 - 2)


def test_integrated_is_the_mean_of_each_sample():
    integrated = Integrated(ExpectedImprovement(sampled_moments, BEST))
    alone = [ExpectedImprovement(lambda X, s=s: tuple(m[s] for m in sampled_moments(X)), BEST)(X) for s in range(3)]
    torch.testing.assert_close(integrated(X), sum(alone) / 3)
    assert not integrated.logarithmic and isinstance(integrated, Acquisition)


def test_the_log_is_taken_of_the_integral():
    log = Integrated(LogExpectedImprovement(sampled_moments, BEST))
    torch.testing.assert_close(log(X), Integrated(ExpectedImprovement(sampled_moments, BEST))(X).log())
    assert log.logarithmic


def test_one_certain_sample_without_improvement_is_no_nan():
    def two(X):
        mean, variance = moments(X)
        return torch.stack([mean, mean + 100]), torch.stack([variance, 0 * variance])

    points = X.clone().requires_grad_()
    values = Integrated(LogExpectedImprovement(two, BEST))(points)
    torch.testing.assert_close(values, LogExpectedImprovement(moments, BEST)(X) - torch.tensor(2.0).log().double())
    values.sum().backward()
    assert points.grad.isfinite().all()


def test_integrated_without_samples_is_an_error():
    with pytest.raises(ValueError, match="Integrated: values have shape"):
        Integrated(ExpectedImprovement(moments, BEST))(X)


def test_constrained_ei_is_a_product_and_log_ei_a_sum():
    found = torch.tensor([True, True])
    ei, log = ExpectedImprovement(moments, BEST), LogExpectedImprovement(moments, BEST)
    torch.testing.assert_close(Constrained(ei, feasibility, found)(X), ei(X) * feasibility(X))
    torch.testing.assert_close(Constrained(log, feasibility, found)(X), log(X) + feasibility(X).log())


@pytest.mark.parametrize("kind", [ExpectedImprovement, LogExpectedImprovement])
def test_a_run_without_feasible_observation_looks_for_feasibility_alone(kind):
    constrained = Constrained(kind(moments, BEST), feasibility, torch.tensor([False, True]))
    values, probability = constrained(X), feasibility(X)
    torch.testing.assert_close(values[:, 0], (probability.log() if constrained.logarithmic else probability)[:, 0])
    points = X.clone().requires_grad_()
    constrained(points).sum().backward()
    assert points.grad.isfinite().all()


def test_a_probability_that_underflows_keeps_log_ei_and_its_gradient_finite():
    points = X.clone().requires_grad_()
    constrained = Constrained(LogExpectedImprovement(moments, BEST), lambda X: 0 * X[..., 0], torch.tensor([True]))
    values = constrained(points)
    values.sum().backward()
    assert values.isfinite().all() and points.grad.isfinite().all()


def test_constraint_samples_are_paired_with_the_models():
    found = torch.tensor([True, False])

    def sampled_feasibility(X):
        return torch.stack([feasibility(X), feasibility(X) / 2, feasibility(X) / 4])

    integrated = Integrated(Constrained(ExpectedImprovement(sampled_moments, BEST), sampled_feasibility, found))
    ei, factors = ExpectedImprovement(sampled_moments, BEST)(X), sampled_feasibility(X)
    torch.testing.assert_close(integrated(X)[:, 0], (ei * factors).mean(0)[:, 0])
    torch.testing.assert_close(integrated(X)[:, 1], factors.mean(0)[:, 1])
