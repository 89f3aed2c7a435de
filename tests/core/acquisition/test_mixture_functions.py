"""Thompson draws and fantasies of mixtures of Gaussian processes, against Bayesian linear regression in closed form."""

import pytest
import torch

from core.acquisition import ExpectedImprovement, Fantasies, Integrated, MixtureFantasies, ThompsonSample
from core.acquisition.analytic import expected_improvement
from core.data.preparation import Standardizer
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.gaussian_process import GaussianProcess
from core.models.mixture import GaussianMixtureModel


class Planes(GaussianMixtureModel):
    """Members w' x with w ~ N(m_i, P_i): M = 3 members of 2 runs in 3 dimensions, targets of mean 5 and scale 10."""

    def __init__(self, noise=0.1):
        super().__init__()
        self.runs, self.dimension, self.members = 2, 3, 3
        generator = torch.Generator().manual_seed(0)
        self.m = torch.randn(3, 2, 3, generator=generator, dtype=torch.float64)
        root = torch.randn(3, 2, 3, 3, generator=generator, dtype=torch.float64)
        self.root, self.P, self.level = root, root @ root.mT, noise
        y = torch.tensor([[-5.0, 15.0], [-5.0, 15.0]], dtype=torch.float64)
        self.targets = Standardizer.fit(y, axis=-1)

    def fit(self, X, y, generators):
        raise NotImplementedError

    def marginals(self, X):
        mean, covariance = self.joint(X)
        return mean, covariance.diagonal(dim1=-2, dim2=-1)

    def joint(self, X):
        return torch.einsum("...rqd,mrd->m...rq", X, self.m), torch.einsum("...rqd,mrde,...rpe->m...rqp", X, self.P, X)

    def noise(self):
        return torch.full((3, 2), self.level, dtype=torch.float64) * torch.tensor([[1.0], [2.0], [3.0]])

    def draw(self, members, generators):
        index = torch.arange(2)
        weights = self.m[members[:, 0], index] + 0.0
        return lambda X: torch.einsum("...rqd,rd->...rq", X, weights).unsqueeze(0)


def points(*shape, seed=5):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


BEST = torch.tensor([-3.0, 4.0], dtype=torch.float64)


def test_thompson_draws_are_the_model_s_own():
    model, X = Planes(), points(4, 2, 6, 3)
    draw = ThompsonSample(model, make_generators([0, 1]))
    torch.testing.assert_close(draw(X), -model.sample_functions(1, make_generators([0, 1]))(X).squeeze(0))
    assert draw(X).shape == (4, 2, 6)


def test_conditional_moments_are_those_of_bayesian_linear_regression():
    model, X, pending = Planes(), points(2, 6, 3), points(2, 4, 3, seed=9)
    fantasies = MixtureFantasies(model, pending, BEST, make_generators([0, 1]), fantasies=2)
    mean, variance = fantasies.moments(X)
    assert mean.shape == variance.shape == (6, 2, 6) and fantasies.outcomes.shape == (6, 2, 4)
    scale = model.targets.scale[0, 0]
    for run in range(2):
        for f in range(6):
            prior, noise = model.P[f % 3, run].inverse(), model.noise()[f % 3, run]
            covariance = (prior + pending[run].T @ pending[run] / noise).inverse()
            y = (fantasies.outcomes[f, run] - 5) / scale
            weights = covariance @ (prior @ model.m[f % 3, run] + pending[run].T @ y / noise)
            torch.testing.assert_close(mean[f, run], X[run] @ weights * scale + 5)
            expected = (((X[run] @ covariance) * X[run]).sum(-1) + noise) * scale**2
            torch.testing.assert_close(variance[f, run], expected)


def test_outcomes_have_the_joint_distribution_of_their_member():
    model, pending, count = Planes(), points(2, 2, 3), 20_000
    fantasies = MixtureFantasies(model, pending, BEST, make_generators([0, 1]), fantasies=count)
    outcomes = fantasies.outcomes.view(count, 3, 2, 2)
    mean, covariance = model.joint(pending)
    covariance = covariance + torch.diag_embed(model.noise()[..., None].expand(mean.shape))
    for member in range(3):
        for run in range(2):
            sample = (outcomes[:, member, run] - 5) / model.targets.scale[0, 0]
            spread = covariance[member, run].diagonal().sqrt()
            assert ((sample.mean(0) - mean[member, run]).abs() < 5 * spread / count**0.5).all()
            bound = 5 * (2 / count) ** 0.5 * spread[:, None] * spread
            assert ((torch.cov(sample.T) - covariance[member, run]).abs() < bound).all()
    expected = torch.minimum(fantasies.outcomes.amin(-1), BEST)
    torch.testing.assert_close(fantasies.best, expected)


def test_without_pending_points_it_is_the_integrated_acquisition():
    model, X = Planes(), points(4, 2, 6, 3)
    fantasies = MixtureFantasies(model, torch.empty(2, 0, 3).double(), BEST, make_generators([0, 1]))
    values = Integrated(ExpectedImprovement(fantasies.moments, fantasies.best))(X)
    expected = expected_improvement(*model.predict(X), BEST[:, None]).mean(0)
    assert values.shape == (4, 2, 6)
    torch.testing.assert_close(values, expected)


def test_candidate_batches_and_gradients():
    model, X = Planes(), points(4, 2, 6, 3).requires_grad_()
    fantasies = MixtureFantasies(model, points(2, 2, 3, seed=9), BEST, make_generators([0, 1]))
    integrated = Integrated(ExpectedImprovement(fantasies.moments, fantasies.best))
    values = integrated(X)
    torch.testing.assert_close(values[1], integrated(X[1]))
    values.sum().backward()
    assert X.grad.isfinite().all() and (X.grad != 0).any()


def test_the_same_point_pending_twice_without_noise_leaves_no_variance_there():
    model, pending = Planes(noise=0.0), points(2, 1, 3).expand(2, 2, 3)
    fantasies = MixtureFantasies(model, pending, BEST, make_generators([0, 1]))
    mean, variance = fantasies.moments(pending)
    torch.testing.assert_close(mean, fantasies.outcomes, atol=1e-6, rtol=1e-6)
    assert (variance < 1e-8 * model.targets.scale[0, 0] ** 2 * 10).all()


def test_a_member_that_is_not_finite_touches_no_other_run():
    model, pending = Planes(), points(2, 4, 3)
    sound = MixtureFantasies(model, pending, BEST, make_generators([0, 1])).moments(pending)[0][:, 1]
    model.P[0, 0], model.m[0, 0] = torch.nan, torch.nan
    means, _ = MixtureFantasies(model, pending, BEST, make_generators([0, 1])).moments(pending)
    assert means[0, 0].isnan().all() and means[1:, 0].isfinite().all()
    torch.testing.assert_close(means[:, 1], sound)


def test_a_gaussian_process_is_conditioned_as_if_it_had_observed_the_outcomes():
    X, pending, at = points(2, 10, 2), points(2, 3, 2, seed=1), points(2, 7, 2, seed=2)
    y = (X - 0.3).square().sum(-1)
    model = GaussianProcess().fit(X, y, make_generators([0, 1]))
    fantasies = MixtureFantasies(model, pending, y.amin(1), make_generators([0, 1]))
    given = fantasies.moments(at)
    observed = torch.cat([y, fantasies.outcomes[0]], 1)
    model.condition(torch.cat([X, pending], 1), model.targets.transform(observed), model.theta)
    for ours, theirs in zip(given, model.predict(at)):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)


def test_bad_arguments():
    model = Planes()
    with pytest.raises(UserError, match="use MixtureFantasies"):
        Fantasies(model, points(2, 2, 3), BEST, make_generators([0, 1]))
    with pytest.raises(ValueError, match="MixtureFantasies: pending has shape"):
        MixtureFantasies(model, points(1, 2, 3), BEST, make_generators([0, 1]))
    with pytest.raises(ValueError, match=r"MixtureFantasies\.fantasies"):
        MixtureFantasies(model, points(2, 2, 3), BEST, make_generators([0, 1]), fantasies=0)
