"""Both moment-matching updates against conjugate models in closed form and against numerical integration."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from core.models.pbp import log_evidence, update_gamma, update_gaussian


def column(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def gaussian_update(log_z, mean, variance):
    """The update of one weight for the factor whose log normalizer is log_z(mean, variance)."""
    m, v = (column(value).view(1, 1).requires_grad_() for value in (mean, variance))
    gradients = torch.autograd.grad(log_z(m, v).sum(), (m, v))
    m, v = m.detach().clone(), v.detach().clone()
    update_gaussian(m, v, *gradients)
    return m.item(), v.item()


@settings(deadline=None)
@given(mean=st.floats(-3, 3), variance=st.floats(0.01, 5), x=st.floats(-3, 3), y=st.floats(-3, 3))
def test_gaussian_update_is_the_conjugate_posterior_of_a_linear_weight(mean, variance, x, y):
    noise = 0.3
    total = lambda v: noise + x * x * v  # noqa: E731
    m, v = gaussian_update(lambda m, v: -0.5 * (total(v).log() + (y - x * m) ** 2 / total(v)), mean, variance)
    precision = 1 / variance + x * x / noise
    assert v == pytest.approx(1 / precision, rel=1e-9)
    assert m == pytest.approx((mean / variance + x * y / noise) / precision, rel=1e-9, abs=1e-9)


FACTORS = {
    "probit": lambda w: stats.norm.cdf(w),
    "one rectified weight": lambda w: stats.norm.pdf(0.7, np.maximum(w, 0), 0.4),
    "one squared weight": lambda w: stats.norm.pdf(1.5, w**2, 0.8),
}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(("mean", "variance"), [(-0.5, 0.8), (0.3, 0.2), (1.1, 1.5)])
def test_gaussian_update_is_numerical_integration(factor, mean, variance):
    """log Z and its derivatives by integration over a fine grid; the update must give the moments of the product."""
    w = np.linspace(mean - 12 * variance**0.5, mean + 12 * variance**0.5, 200_001)
    values = torch.tensor(FACTORS[factor](w) * (w[1] - w[0]))
    grid = torch.tensor(w)

    def log_z(m, v):
        prior = torch.exp(-0.5 * (grid - m.squeeze()) ** 2 / v.squeeze()) / (2 * torch.pi * v.squeeze()).sqrt()
        return (values * prior).sum().log()

    product = values.numpy() * stats.norm.pdf(w, mean, variance**0.5)
    expected_mean = (w * product).sum() / product.sum()
    expected_variance = ((w - expected_mean) ** 2 * product).sum() / product.sum()
    m, v = gaussian_update(log_z, mean, variance)
    assert m == pytest.approx(expected_mean, rel=1e-7)
    assert v == pytest.approx(expected_variance, rel=1e-7)


@given(shape=st.floats(1.5, 500), rate=st.floats(0.1, 100), error=st.floats(-10, 10))
def test_gamma_update_is_the_conjugate_posterior_when_the_evidence_is_exact(shape, rate, error):
    """With a known mean Z is a Student t, and the posterior of the precision is Gamma again."""
    k = column(0, 1, 2)
    log_z = torch.lgamma(shape + k + 0.5) - torch.lgamma(shape + k) + (shape + k) * np.log(rate)
    log_z = log_z - (shape + k + 0.5) * np.log(rate + error**2 / 2)
    ours = column(shape), column(rate)
    update_gamma(*ours, log_z.view(3, 1))
    assert ours[0].item() == pytest.approx(shape + 0.5, rel=1e-6)
    assert ours[1].item() == pytest.approx(rate + error**2 / 2, rel=1e-6)


@pytest.mark.parametrize(
    ("shape", "rate", "variance", "error"), [(6, 6, 0.5, 1.0), (3, 1, 2.0, 0.1), (40, 8, 0.05, 2.0)]
)
def test_gamma_update_matches_the_first_two_moments_by_integration(shape, rate, variance, error):
    def integral(function, k=0):
        density = stats.gamma(shape + k, scale=1 / rate)
        value = lambda g: function(g) * density.pdf(g) * stats.norm.pdf(error, 0, np.sqrt(variance + 1 / g))  # noqa: E731
        return integrate.quad(value, 0, density.ppf(1 - 1e-15), epsabs=0, epsrel=1e-12, limit=400)[0]

    ours = column(shape), column(rate)
    update_gamma(*ours, column(*(np.log(integral(np.ones_like, k)) for k in (0, 1, 2))).view(3, 1))
    mean = integral(lambda g: g) / integral(np.ones_like)
    second = integral(lambda g: g**2) / integral(np.ones_like)
    assert (ours[0] / ours[1]).item() == pytest.approx(mean, rel=1e-8)
    assert (ours[0] / ours[1] ** 2).item() == pytest.approx(second - mean**2, rel=1e-6)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_evidence_has_the_variance_of_the_student_t_and_approaches_it(k):
    shape, rate, error = 4.0, 2.0, column(0.9)
    ours = log_evidence(error, 0 * error, 0 * error, column(shape), column(rate))[k].item()
    student = stats.t(2 * (shape + k), scale=np.sqrt(rate / (shape + k)))
    assert ours == pytest.approx(stats.norm.logpdf(0.9, 0, student.std()), rel=1e-12)
    large = 1e5
    ours = log_evidence(error, 0 * error, 0 * error, column(large), column(large / 2))[k].item()
    assert ours == pytest.approx(stats.t(2 * (large + k), scale=np.sqrt(large / 2 / (large + k))).logpdf(0.9), rel=1e-4)


def test_updates_that_are_no_distribution_are_dropped():
    mean, variance = column(1, 1, 1, 1).view(1, 4), column(2, 2, 2, 2).view(1, 4)
    by_mean, by_variance = column(0.1, 5, np.nan, 0).view(1, 4), column(0, 0, 0, np.inf).view(1, 4)
    update_gaussian(mean, variance, by_mean, by_variance)
    torch.testing.assert_close(mean, column(1.2, 1, 1, 1).view(1, 4))
    torch.testing.assert_close(variance, column(1.96, 2, 2, 2).view(1, 4))
    shape, rate = column(6, 6, 6), column(6, 6, 6)
    # the second and third columns ask for E g^2 below (E g)^2 and for a shape below 1
    update_gamma(shape, rate, torch.stack([column(0, 0, 0), column(0, 1, -2), column(0, 0, 3)]))
    torch.testing.assert_close(shape, column(6, 6, 6))
    torch.testing.assert_close(rate, column(6, 6, 6))
