"""Probabilities of the minimum: against closed forms, integrals and Monte Carlo; gradients; degenerate Gaussians."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from core.acquisition.minimum_probability import _respond, linear_response, without_negative


def gaussian(size, seed, rank=None):
    """A mean and a covariance of a rank, full by default."""
    generator = np.random.default_rng(seed)
    root = generator.normal(size=(size, rank or size))
    return torch.from_numpy(generator.normal(size=size)), torch.from_numpy(root @ root.T / size)


def respond(mean, covariance, tolerance=1e-12):
    return linear_response(mean, covariance, tolerance)


def probabilities(mean, covariance):
    return respond(mean, covariance).log_probability.exp()


def test_a_pair_is_exact():
    mean, covariance = torch.tensor([0.3, -0.2]).double(), torch.tensor([[1.0, 0.5], [0.5, 2.0]]).double()
    first = stats.norm.cdf((-0.2 - 0.3) / np.sqrt(1 + 2 - 2 * 0.5))
    torch.testing.assert_close(probabilities(mean, covariance), torch.tensor([first, 1 - first]).double())


def test_one_value_is_the_smallest():
    assert probabilities(torch.zeros(3, 1).double(), torch.ones(3, 1, 1).double()).tolist() == [[1.0]] * 3


def test_independent_values_against_numerical_integration():
    """p(j) = integral of the density of f_j times the probability that each of the others is larger."""
    mean, sd = np.array([0.0, 0.4, -0.3, 1.0]), np.array([1.0, 0.5, 0.8, 2.0])
    expected = []
    for j in range(4):
        others = [i for i in range(4) if i != j]

        def density(f, j=j, others=others):
            return stats.norm.pdf(f, mean[j], sd[j]) * np.prod([stats.norm.sf(f, mean[i], sd[i]) for i in others])

        expected.append(integrate.quad(density, -12, 12)[0])
    found = probabilities(torch.from_numpy(mean), torch.diag(torch.from_numpy(sd**2)))
    np.testing.assert_allclose(found, expected, atol=0.01)  # EP is not exact: its error here is 0.004


@pytest.mark.parametrize("size", [2, 3, 5, 10, 20, 50])
def test_correlated_values_against_monte_carlo(size):
    mean, covariance = gaussian(size, seed=size)
    draws = np.random.default_rng(0).multivariate_normal(mean, covariance, 100_000)
    shares = np.bincount(draws.argmin(1), minlength=size) / len(draws)
    # EP's error is below 0.01 on these; five standard errors of a share are at most 0.008.
    np.testing.assert_allclose(probabilities(mean, covariance), shares, atol=0.02)


@pytest.mark.parametrize("rank", [1, 3, 8])
def test_degenerate_covariances_against_monte_carlo(rank):
    mean, covariance = gaussian(8, seed=rank, rank=rank)
    draws = np.random.default_rng(0).multivariate_normal(mean, covariance, 100_000)
    shares = np.bincount(draws.argmin(1), minlength=8) / len(draws)
    np.testing.assert_allclose(probabilities(mean, covariance), shares, atol=0.05)


def test_linear_responses_are_finite_differences():
    mean, covariance = gaussian(6, seed=1)
    mean, covariance = mean * 3, covariance * 9  # another unit than the one that is computed in
    found = respond(mean, covariance)
    share, step = found.log_probability.exp(), 1e-4

    def difference(by_mean, by_covariance):
        ends = [respond(mean + sign * by_mean, covariance + sign * by_covariance) for sign in (1, -1)]
        return (ends[0].log_probability - ends[1].log_probability) / (2 * step)

    slope = found.slope - share @ found.slope
    by_covariance = 0.5 * (found.slope.unsqueeze(-1) * found.slope.unsqueeze(-2) - found.bend)
    by_covariance = by_covariance - torch.tensordot(share, by_covariance, 1)
    unit = step * torch.eye(6).double()
    for i in range(6):
        torch.testing.assert_close(slope[:, i], difference(unit[i], 0.0), atol=1e-3, rtol=1e-3)
        change = torch.zeros(6, 6).double()
        change[i, 2] = change[2, i] = step
        expected = by_covariance[:, i, 2] * (1 if i == 2 else 2)  # entries come in pairs
        torch.testing.assert_close(expected, difference(0.0, change), atol=1e-3, rtol=1e-3)


def test_linear_responses_of_degenerate_gaussians_are_finite():
    for covariance in (torch.zeros(4, 4), torch.ones(4, 4), 1e-3 * torch.eye(4)):
        response = respond(torch.tensor([0.0, 100.0, -100.0, 1e4]).double(), covariance.double())
        assert all(torch.isfinite(part).all() for part in response)


@given(st.integers(0, 10_000), st.integers(2, 10), st.integers(1, 10), st.floats(-12, 12))
def test_the_nearest_covariance_has_no_negative_eigenvalue_and_a_covariance_is_its_own(seed, size, rank, scale):
    _, covariance = gaussian(size, seed, min(rank, size))
    covariance = covariance * 10.0**scale
    largest = covariance.diagonal().amax()
    torch.testing.assert_close(without_negative(covariance), covariance, rtol=0, atol=1e-12 * largest.item())
    noise = torch.from_numpy(np.random.default_rng(seed).normal(size=(size, size)))
    wrong = covariance + 0.1 * largest * (noise + noise.T)
    nearest = without_negative(wrong)
    values, below = torch.linalg.eigvalsh(nearest), torch.linalg.eigvalsh(wrong).clamp_max(0)
    assert values.amin() > -1e-12 * values.amax()
    distance = (nearest - wrong).norm()
    torch.testing.assert_close(distance, below.norm(), rtol=1e-6, atol=1e-9 * largest.item())


@pytest.mark.parametrize("relative", [1e-6, 1e-5])
def test_rounding_that_leaves_negative_eigenvalues_costs_only_accuracy(relative):
    """Covariances of a smooth function at 50 points, of rank 4 or so but for rounding, beside one that is well off."""
    x = torch.linspace(0, 1, 50, dtype=torch.float64)
    smooth = torch.exp(-0.5 * (x[:, None] - x).square() / 0.5**2)
    noise = torch.from_numpy(np.random.default_rng(0).normal(size=(50, 50)))
    covariances = torch.stack([smooth + relative * (noise + noise.T), smooth + 1e-3 * torch.eye(50).double()])
    assert torch.linalg.eigvalsh(covariances[0])[0] < -relative
    mean = 0.1 * (x - 0.4).square().expand(2, -1)
    found, as_they_are = respond(mean, covariances, 1e-3), _respond(mean, covariances, 1e-3)
    assert all(torch.isfinite(part).all() for part in found)
    torch.testing.assert_close(found.log_probability[0].exp(), probabilities(mean[0], smooth), atol=0.05, rtol=0)
    assert as_they_are.log_probability[0].isnan().any(), "nothing is found without the repair"
    assert all(torch.equal(part[1], same[1]) for part, same in zip(found, as_they_are, strict=True)), "bit for bit"


def test_a_batch_is_its_members():
    means, covariances = map(torch.stack, zip(*(gaussian(5, seed) for seed in range(6)), strict=True))
    together = probabilities(means.view(2, 3, 5), covariances.view(2, 3, 5, 5)).view(6, 5)
    alone = torch.stack([probabilities(m, c) for m, c in zip(means, covariances, strict=True)])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)  # EP stops when the slowest has converged


@given(st.integers(0, 10_000), st.floats(-8, 8), st.floats(-100, 100))
def test_units_and_origin_do_not_matter(seed, power, origin):
    mean, covariance = gaussian(5, seed)
    unit = 10.0**power
    moved = probabilities((mean + origin) * unit, covariance * unit**2)
    torch.testing.assert_close(moved, probabilities(mean, covariance), atol=1e-5, rtol=0)


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(0, 12), st.floats(-6, 6), st.floats(-6, 6))
def test_results_are_finite_whatever_the_gaussian(seed, size, rank, spread, scale):
    mean, covariance = gaussian(size, seed, min(rank, size) or 1)
    mean, covariance = mean * 10.0**spread, covariance * (10.0**scale if rank else 0.0)
    mean[-1] = mean[0]  # two equal means, and without variance two equal values
    found = respond(mean, covariance)
    assert all(torch.isfinite(part).all() for part in found)
    assert found.log_probability.exp().sum().item() == pytest.approx(1)


def test_a_value_far_below_the_others_is_the_smallest():
    mean = torch.tensor([0.0, 100.0, -100.0, 1e4]).double()
    found = respond(mean, 1e-3 * torch.eye(4).double()).log_probability
    assert found[2].item() == pytest.approx(0) and (found[[0, 1, 3]] < -1e5).all()


def test_equal_values_share_their_probability():
    covariance = torch.tensor([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).double()
    found = probabilities(torch.tensor([0.0, 0.0, 1.0]).double(), covariance)
    assert found[0].item() == pytest.approx(found[1].item())


@pytest.mark.parametrize(
    ("mean", "covariance", "message"),
    [
        (torch.zeros(3), torch.eye(2), r"mean \(3,\) and covariance \(2, 2\), expected"),
        (torch.zeros(0), torch.zeros(0, 0), "expected"),
        (torch.tensor([0.0, torch.nan]), torch.eye(2), "not finite"),
        (torch.zeros(2), torch.full((2, 2), torch.inf), "not finite"),
    ],
)
def test_what_cannot_be_used_is_refused(mean, covariance, message):
    with pytest.raises(ValueError, match=message):
        respond(mean.double(), covariance.double())
