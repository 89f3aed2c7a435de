"""EI, log EI, PI and LCB against quadrature to 25 digits, Monte Carlo, and their properties."""

import math

import mpmath
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.acquisition import ExpectedImprovement, LogExpectedImprovement, LowerConfidenceBound, ProbabilityOfImprovement
from core.acquisition.analytic import (
    expected_improvement,
    log_expected_improvement,
    negative_lower_confidence_bound,
    probability_of_improvement,
)
from core.acquisition.base import align_best, best_observed

ALL = [expected_improvement, log_expected_improvement, probability_of_improvement]


def tensor(*values):
    return torch.tensor(values, dtype=torch.float64)


def quadrature(mean, variance, best, power):
    """log E max(best - f, 0)^power by integrating over z = (best - f) / sigma, with 25 digits."""
    with mpmath.workdps(25):
        sigma = mpmath.sqrt(mpmath.mpf(variance))
        gamma = (mpmath.mpf(best) - mpmath.mpf(mean)) / sigma
        step = 1 / (1 + abs(gamma))
        nodes = [k * step for k in (0, 1, 3, 10, 30, 100)] if gamma < 0 else mpmath.linspace(0, gamma + 20, 10)
        integral = mpmath.quad(lambda z: (sigma * z) ** power * mpmath.npdf(gamma - z), nodes)
        return float(mpmath.log(integral))


@pytest.mark.parametrize("gamma", [-1000.0, -100.0, -38.0, -10.0, -2.0, -1.0, -0.5, 0.0, 0.5, 3.0, 12.0])
@pytest.mark.parametrize("sigma", [1e-6, 1.0, 1e6])
def test_ei_and_pi_equal_quadrature(gamma, sigma):
    mean, variance, best = -gamma * sigma + 0.3 * sigma, sigma**2, 0.3 * sigma
    exact = quadrature(mean, variance, best, 1)
    arguments = tensor(mean), tensor(variance), tensor(best)
    assert log_expected_improvement(*arguments).item() == pytest.approx(exact, rel=1e-9, abs=1e-9)
    assert expected_improvement(*arguments).item() == pytest.approx(math.exp(exact), rel=1e-8 * max(1, gamma**2))
    exact = math.exp(quadrature(mean, variance, best, 0))
    assert probability_of_improvement(*arguments).item() == pytest.approx(exact, rel=1e-8 * max(1, gamma**2), abs=1e-16)


@pytest.mark.parametrize("gamma", [-1e3, -1e6, -1e12])
def test_log_ei_has_its_gradient_in_the_far_tail(gamma):
    mean = tensor(-gamma).requires_grad_()
    log_expected_improvement(mean, tensor(1.0), tensor(0.0)).sum().backward()
    # d log EI / d mu = -Phi / (phi + gamma Phi) / sigma -> gamma as gamma -> -inf.
    assert mean.grad.item() == pytest.approx(gamma, rel=1e-5)


def test_closed_forms_equal_monte_carlo():
    generator = torch.Generator().manual_seed(1)
    mean, variance, best = torch.randn(5, generator=generator).double(), tensor(0.1, 1, 2, 3, 0.5), tensor(0.2)
    n = 400_000
    draws = mean + variance.sqrt() * torch.randn(n, 5, generator=generator, dtype=torch.float64)
    improvement = (best - draws).clamp_min(0)
    error = improvement.std(0) / n**0.5
    assert ((improvement.mean(0) - expected_improvement(mean, variance, best)).abs() < 4.5 * error).all()
    below = (draws < best).double()
    gap = (below.mean(0) - probability_of_improvement(mean, variance, best)).abs()
    assert (gap < 4.5 * below.std(0) / n**0.5).all()


finite = st.floats(-50, 50, allow_nan=False)
positive = st.floats(1e-3, 20)


@given(mean=finite, shift=st.floats(1e-3, 10), variance=positive, best=finite)
def test_a_lower_mean_and_a_higher_best_never_lower_the_utility(mean, shift, variance, best):
    for function in ALL:
        here, lower, higher = (
            function(tensor(m), tensor(variance), tensor(b)).item()
            for m, b in ((mean, best), (mean - shift, best), (mean, best + shift))
        )
        assert lower >= here and higher >= here
        assert lower == pytest.approx(higher, rel=1e-6, abs=1e-9)


@given(mean=finite, variance=positive, factor=st.floats(1.01, 10), best=finite)
def test_ei_grows_with_the_variance_and_pi_moves_towards_a_half(mean, variance, factor, best):
    narrow, wide = ((tensor(mean), tensor(v), tensor(best)) for v in (variance, variance * factor))
    assert log_expected_improvement(*wide) >= log_expected_improvement(*narrow) - 1e-12
    half = tensor(0.5)
    assert (probability_of_improvement(*wide) - half).abs() <= (probability_of_improvement(*narrow) - half).abs()


@given(mean=finite, variance=positive, best=finite, scale=st.sampled_from([1e-12, 1e-3, 1e3, 1e12]))
def test_units_of_the_targets_scale_ei_and_leave_pi_alone(mean, variance, best, scale):
    plain = tensor(mean), tensor(variance), tensor(best)
    scaled = tensor(mean * scale), tensor(variance * scale**2), tensor(best * scale)
    expected = log_expected_improvement(*plain).item() + math.log(scale)
    assert log_expected_improvement(*scaled).item() == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert probability_of_improvement(*scaled).item() == pytest.approx(
        probability_of_improvement(*plain).item(), rel=1e-6, abs=1e-14
    )


@pytest.mark.parametrize("variance", [0.0, -1e-18])
def test_without_variance_the_improvement_is_certain(variance):
    mean, best = tensor(-1.0, 0.0, 1.0).requires_grad_(), tensor(0.0)
    arguments = mean, tensor(variance), best
    assert expected_improvement(*arguments).tolist() == [1.0, 0.0, 0.0]
    assert log_expected_improvement(*arguments).tolist() == [0.0, -math.inf, -math.inf]
    assert probability_of_improvement(*arguments).tolist() == [1.0, 0.0, 0.0]
    assert negative_lower_confidence_bound(mean, tensor(variance), 3.0).tolist() == [1.0, 0.0, -1.0]
    for function in ALL:
        mean.grad = None
        function(*arguments).sum().backward()
        assert mean.grad.isfinite().all()


def test_zero_variance_is_the_limit_of_small_ones():
    for mean in (-1.0, 0.0, 1.0):
        limit = expected_improvement(tensor(mean), tensor(0.0), tensor(0.0))
        torch.testing.assert_close(expected_improvement(tensor(mean), tensor(1e-24), tensor(0.0)), limit)


def test_gradient_of_the_variance_is_finite_at_zero():
    variance = tensor(0.0, 0.0, 0.0).requires_grad_()
    mean, best = tensor(-1.0, 0.0, 1.0), tensor(0.0)
    for function in (*ALL, lambda m, v, b: negative_lower_confidence_bound(m, v, 1.0)):
        variance.grad = None
        (function(mean, variance, best) + 0 * variance).sum().backward()
        assert variance.grad.isfinite().all()


@pytest.mark.parametrize("function", ALL)
def test_nan_stays_nan(function):
    assert function(tensor(math.nan), tensor(1.0), tensor(0.0)).isnan().all()
    assert function(tensor(0.0), tensor(math.nan), tensor(0.0)).isnan().all()
    if function is not log_expected_improvement:
        assert function(tensor(math.nan), tensor(0.0), tensor(0.0)).isnan().all()


def test_gradients_are_those_of_finite_differences():
    mean, variance = tensor(0.3, -2.0, 5.0).requires_grad_(), tensor(0.5, 2.0, 0.3).requires_grad_()
    for function in ALL:
        assert torch.autograd.gradcheck(lambda m, v, f=function: f(m, v, tensor(0.1)), (mean, variance))


def moments(X):
    return X.sum(-1), X.square().mean(-1) + 0.1


@pytest.mark.parametrize("kind", [ExpectedImprovement, LogExpectedImprovement, ProbabilityOfImprovement])
def test_every_run_has_its_own_best(kind):
    X = torch.rand(4, 2, 5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    values = kind(moments, tensor(0.5, 2.0))(X)
    assert values.shape == (4, 2, 5)
    for run, best in enumerate((0.5, 2.0)):
        torch.testing.assert_close(values[:, run : run + 1], kind(moments, tensor(best))(X[:, run : run + 1]))
    assert kind(moments, tensor(0.5, 2.0)).logarithmic == (kind is LogExpectedImprovement)
    sampled = kind(lambda X: tuple(m.expand(3, *m.shape) for m in moments(X)), torch.rand(3, 2).double())
    assert sampled(X).shape == (3, 4, 2, 5)


def test_lower_confidence_bound():
    X = torch.rand(2, 5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    mean, variance = moments(X)
    torch.testing.assert_close(LowerConfidenceBound(moments, 1.5)(X), -(mean - 1.5 * variance.sqrt()))
    for beta in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="beta"):
            LowerConfidenceBound(moments, beta)


def test_best_observed():
    y = tensor(3, 1, 2, 7, 8, 9).view(2, 3)
    feasible = torch.tensor([[True, False, True], [False, False, False]])
    best, found = best_observed(y, feasible)
    assert best.tolist() == [2, 7] and found.tolist() == [True, False]
    best, found = best_observed(y)
    assert best.tolist() == [1, 7] and found.all()
    for bad in ((y[0], None), (y[:, :0], None), (y, feasible[:, :2])):
        with pytest.raises(ValueError, match="best_observed"):
            best_observed(*bad)


def test_best_of_another_number_of_runs_is_an_error():
    with pytest.raises(ValueError, match="best: has shape"):
        align_best(torch.zeros(3), torch.zeros(4, 2, 5))
