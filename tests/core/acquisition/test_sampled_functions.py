"""Thompson draws and fantasies of pending evaluations, against the joint Gaussian that they condition."""

import pytest
import torch

from core.acquisition import (
    ExpectedImprovement,
    Fantasies,
    Integrated,
    LogExpectedImprovement,
    ThompsonSample,
)
from core.acquisition.analytic import expected_improvement
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.ensemble import EnsembleModel
from core.models.pbp import ProbabilisticBackpropagation


class Lines(EnsembleModel):
    """Members w' x with Gaussian weights: a Bayesian linear regression represented by many samples."""

    def __init__(self, members=4000, runs=2, noise=0.05, seed=0):
        super().__init__()
        self.weights = torch.randn(members, runs, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        self.noise, self.runs, self.dimension = noise, runs, 3

    def predict(self, X):
        X = self.expand_runs(X).double()
        weights = self.weights.view(len(self.weights), *(1 for _ in X.shape[:-3]), self.runs, 1, 3)
        return (X * weights).sum(-1), torch.full((1,) * X.ndim, self.noise, dtype=torch.float64)


def points(*shape, seed=5):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def drawn(draw, model):
    """Which member each run's draw is, by its values at four points."""
    X = points(4, model.dimension, seed=11)
    return (model.predict(X)[0] + draw(X)).abs().amax(-1).argmin(0).tolist()


@pytest.fixture(scope="module")
def network():
    X, y = points(2, 8, 3), points(2, 8)
    model = BayesianNetwork(widths=(8,), burn_in=200, steps=1200, thinning=50, batch_size=8)
    return model.fit(X, y, make_generators([1, 2]))


def test_a_draw_is_one_fixed_member_of_each_run():
    model, X = Lines(50), points(4, 2, 6, 3)
    draw = ThompsonSample(model, make_generators([3, 4]))
    means, _ = model.predict(X)
    members = drawn(draw, model)
    expected = torch.stack([-means[members[run], :, run] for run in range(2)], 1)
    torch.testing.assert_close(draw(X), expected)
    assert members == drawn(ThompsonSample(model, make_generators([3, 4])), model)


def test_network_draws_equal_the_general_ones(network):
    X = points(4, 2, 6, 3)
    draw = ThompsonSample(network, make_generators([7, 8]))
    means, _ = network.predict(X)
    members = drawn(draw, network)
    expected = torch.stack([-means[members[run], :, run] for run in range(2)], 1)
    torch.testing.assert_close(draw(X), expected, atol=1e-6, rtol=1e-5)
    assert len(network.samples) == 20 and network.noise_variance.shape[0] == 20


def test_draws_are_uniform_over_members_and_their_own_run_s():
    model = Lines(4, runs=1)
    generators = make_generators([0])
    counts = torch.zeros(4)
    for _ in range(400):
        counts[drawn(ThompsonSample(model, generators), model)] += 1
    assert ((counts - 100).square() / 100).sum() < 16.3  # chi-squared with 3 degrees of freedom, 0.1%
    model = Lines(50)
    both = drawn(ThompsonSample(model, make_generators([3, 4])), model)
    model.weights, model.runs = model.weights[:, 1:], 1
    assert drawn(ThompsonSample(model, make_generators([4])), model) == both[1:]


def test_pbp_has_no_function_to_draw():
    model = ProbabilisticBackpropagation(widths=(4,), epochs=1).fit(points(6, 2), points(6), make_generators([0]))
    with pytest.raises(UserError, match="no function to draw"):
        ThompsonSample(model, make_generators([0]))


def test_without_pending_points_mcei_is_ei():
    model, best, X = Lines(30), torch.tensor([-0.2, 0.3]).double(), points(4, 2, 6, 3)
    fantasies = Fantasies(model, torch.empty(2, 0, 3).double(), best, make_generators([0, 1]), fantasies=3)
    values = Integrated(ExpectedImprovement(fantasies.moments, fantasies.best))(X)
    torch.testing.assert_close(values, expected_improvement(*model.moments(X), best[:, None]))


def test_conditional_moments_are_those_of_bayesian_linear_regression():
    model, X, pending = Lines(), points(2, 6, 3), points(2, 4, 3, seed=9)
    fantasies = Fantasies(model, pending, torch.zeros(2).double(), make_generators([0, 1]), fantasies=5)
    mean, variance = fantasies.moments(X)
    assert mean.shape == (5, 2, 6) and variance.shape == (1, 2, 6)
    for run in range(2):
        weights = model.weights[:, run]
        prior_mean, prior = weights.mean(0), torch.cov(weights.T, correction=0)
        precision = prior.inverse() + pending[run].T @ pending[run] / model.noise
        covariance = precision.inverse()
        for f in range(5):
            posterior_mean = covariance @ (
                prior.inverse() @ prior_mean + pending[run].T @ fantasies.outcomes[f, run] / model.noise
            )
            torch.testing.assert_close(mean[f, run], X[run] @ posterior_mean)
        expected = ((X[run] @ covariance) * X[run]).sum(-1) + model.noise
        torch.testing.assert_close(variance[0, run], expected)


def test_mcei_is_the_joint_expectation_over_pending_outcomes():
    # By the tower law the mean over fantasies is E max(min(y*, y_1 .. y_J) - y(x), 0) of the joint prediction.
    model, X, pending = Lines(runs=1), points(1, 6, 3), points(1, 2, 3, seed=9)
    best, generator = torch.tensor([0.1]).double(), torch.Generator().manual_seed(2)
    fantasies = Fantasies(model, pending, best, generator, fantasies=4000)
    values = Integrated(ExpectedImprovement(fantasies.moments, fantasies.best))(X)[0]
    weights = torch.randn(100_000, 3, generator=generator, dtype=torch.float64)
    joint = weights @ torch.cat([pending[0], X[0]]).T
    joint += model.noise**0.5 * torch.randn(joint.shape, generator=generator, dtype=torch.float64)
    improvement = (joint[:, :2].amin(-1).clamp_max(0.1)[:, None] - joint[:, 2:]).clamp_min(0)
    torch.testing.assert_close(values, improvement.mean(0), rtol=0.1, atol=0.01)
    without = expected_improvement(*model.moments(X), best[:, None])[0]
    assert (values < without).all() and ((without - values).abs() > 0.02).any()


def test_outcomes_are_observations_with_noise():
    model, pending = Lines(noise=4.0), points(2, 2, 3)
    outcomes = Fantasies(model, pending, torch.zeros(2).double(), make_generators([0, 1]), fantasies=20_000).outcomes
    means, _ = model.predict(pending)
    for run in range(2):
        expected = torch.cov(means[:, run].T) + 4 * torch.eye(2)
        torch.testing.assert_close(torch.cov(outcomes[:, run].T), expected, rtol=0.05, atol=0.15)
        torch.testing.assert_close(outcomes[:, run].mean(0), means[:, run].mean(0), rtol=0, atol=0.08)


def test_a_pending_point_is_not_suggested_again():
    model, pending = Lines(200, noise=1e-6), points(2, 1, 3)
    fantasies = Fantasies(model, pending, torch.zeros(2).double(), make_generators([0, 1]), fantasies=8)
    log = Integrated(LogExpectedImprovement(fantasies.moments, fantasies.best))
    far = 1 - pending
    X = torch.cat([pending, far], 1).requires_grad_()
    values = log(X)
    assert (values[:, 0] < values[:, 1]).all()
    values.sum().backward()
    assert X.grad.isfinite().all()


def test_the_same_point_pending_twice_without_noise():
    model, pending = Lines(200, noise=0.0), points(2, 1, 3).expand(2, 2, 3)
    once = Fantasies(model, pending[:, :1], torch.zeros(2).double(), make_generators([0, 1]), fantasies=3)
    twice = Fantasies(model, pending, torch.zeros(2).double(), make_generators([0, 1]), fantasies=3)
    X = points(2, 6, 3)
    torch.testing.assert_close(twice.moments(X)[0], once.moments(X)[0])
    torch.testing.assert_close(twice.moments(X)[1], once.moments(X)[1], atol=1e-10, rtol=1e-6)


def test_a_diverged_run_touches_no_other():
    model, pending, best = Lines(50), points(2, 4, 3), torch.zeros(2).double()
    sound = Fantasies(model, pending, best, make_generators([0, 1]), fantasies=3).moments(pending)[0][:, 1]
    model.weights[7, 0] = torch.nan
    means, _ = Fantasies(model, pending, best, make_generators([0, 1]), fantasies=3).moments(pending)
    assert means[:, 0].isnan().all()
    torch.testing.assert_close(means[:, 1], sound)


def test_fantasies_check_their_shapes():
    model = Lines(10)
    for pending, best in ((points(1, 2, 3), points(2)), (points(2, 3), points(2)), (points(2, 2, 3), points(1))):
        with pytest.raises(ValueError, match="Fantasies: pending has shape"):
            Fantasies(model, pending, best, make_generators([0, 1]))
    with pytest.raises(ValueError, match=r"Fantasies\.fantasies"):
        Fantasies(model, points(2, 2, 3), points(2), make_generators([0, 1]), fantasies=0)
