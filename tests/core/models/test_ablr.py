"""ABLR: its joint objective, its predictions, what it learns from other tasks, and what it refuses."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import gradcheck

from core.foundation.convergence import counting
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.ablr import ABLR, ALPHA, BETA, _Problem
from core.models.tasks import Fourier, Network, Task

RUNS, D = 2, 3
WEIGHTS = torch.tensor([1.0, -2.0, 0.5]).double()


def bowls(runs, n, seed, scale=1.0, shift=0.0):
    """Points and losses of bowls around the same place, (runs, n, 3) and (runs, n)."""
    X = torch.rand(runs, n, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return X, scale * ((X - 0.3).square() @ WEIGHTS.abs()) + shift


def tasks(sizes=(8, 12, 8), runs=1, context=None):
    given = [bowls(runs, n, seed, scale=10.0 ** (seed - 2), shift=seed) for seed, n in enumerate(sizes, start=1)]
    return [Task(X, y, None if context is None else torch.tensor([float(n)])) for n, (X, y) in enumerate(given)]


REPRESENTATIONS = {"network": lambda: Network((6, 5)), "fourier": lambda: Fourier(7)}


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_the_gradient_is_that_of_finite_differences(name):
    """Of the sum over tasks of three sizes, one of them without as many points as features, one with a side signal."""
    X, y = bowls(RUNS, 4, 0)
    model = ABLR(tasks((3, 9, 3)), representation=REPRESENTATIONS[name](), side=X[..., :1])
    phi, theta = model.representation.begin(RUNS, D, make_generators(range(RUNS)))
    problem = _Problem(model._blocks(X, y), phi)
    position = torch.cat([theta, torch.randn(RUNS, 10, generator=torch.Generator().manual_seed(5)).double()], 1)

    class Objective(torch.autograd.Function):
        @staticmethod
        def forward(ctx, values):
            value, ctx.slope = problem(values)
            return value

        @staticmethod
        def backward(ctx, gradient):
            return gradient.unsqueeze(-1) * ctx.slope

    assert gradcheck(Objective.apply, position.requires_grad_(), eps=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_predictions_are_those_of_the_dense_gaussian(name):
    X, y = bowls(RUNS, 9, 0, scale=30.0, shift=-4.0)
    model = ABLR(tasks(), representation=REPRESENTATIONS[name](), iterations=5).fit(X, y, make_generators(range(RUNS)))
    points, _ = bowls(RUNS, 4, 9)
    phi, features = model._features(points), model._features(X)
    alpha, beta = model.log_alpha[:, 0].exp()[:, None, None], model.log_beta[:, 0].exp()[:, None, None]
    noise = torch.eye(9, dtype=torch.float64) / beta
    cross = phi @ features.mT / alpha
    solved = torch.linalg.solve(features @ features.mT / alpha + noise, cross.mT)
    mean = (solved.mT @ model.targets.transform(y).unsqueeze(-1)).squeeze(-1)
    covariance = phi @ phi.mT / alpha - cross @ solved
    found, spread = model.joint(points)
    torch.testing.assert_close(found[0], mean, rtol=1e-6, atol=1e-8)
    torch.testing.assert_close(spread[0], covariance, rtol=1e-6, atol=1e-8)
    predicted, variance = model.predict(points)
    torch.testing.assert_close(predicted[0], model.targets.inverse(mean), rtol=1e-6, atol=1e-6)
    expected = model.targets.inverse_variance(covariance.diagonal(dim1=-2, dim2=-1) + 1 / beta.squeeze(-1))
    torch.testing.assert_close(variance[0], expected, rtol=1e-6, atol=1e-8)


def test_runs_do_not_know_of_each_other():
    X, y = bowls(RUNS, 9, 0)
    together = ABLR(tasks(), representation=Network((6,)), iterations=8).fit(X, y, make_generators([3, 4]))
    alone = ABLR(tasks(), representation=Network((6,)), iterations=8).fit(X[1:], y[1:], make_generators([4]))
    torch.testing.assert_close(together.objective[1:], alone.objective, rtol=1e-6, atol=1e-8)


def test_other_tasks_make_better_predictions():
    """Each of the others is on a scale of its own, which the standardization of its targets takes away."""
    (X, y), (points, values) = bowls(RUNS, 5, 0), bowls(RUNS, 200, 9)
    errors = []
    for earlier in ((), tasks((40, 30, 40))):
        model = ABLR(earlier, representation=Network((20, 20)), iterations=60).fit(X, y, make_generators(range(RUNS)))
        errors.append((model.moments(points)[0] - values).square().mean())
    assert errors[1] < 0.5 * errors[0]


def test_the_representation_is_learned_from_side_signals_too():
    """A side signal that is the target plus a constant doubles what the features are fitted to."""
    X, y = bowls(1, 12, 0)
    model = ABLR(representation=Network((6,)), side=y.unsqueeze(-1) + 5, iterations=20)
    model.fit(X, y, make_generators([0]))
    assert model.log_beta.shape == (1, 2)
    torch.testing.assert_close(model.log_beta[:, 0], model.log_beta[:, 1], rtol=1e-3, atol=1e-3)


def test_contexts_are_inputs():
    X, y = bowls(RUNS, 6, 0)
    own = torch.tensor([[1.0], [2.0]])
    model = ABLR(tasks(context=True), representation=Network((6,)), context=own, iterations=3).fit(
        X, y, make_generators(range(RUNS))
    )
    assert model.phi.network.sizes[0] == D + 1 and model.dimension == D
    assert model.posterior(X[:, :2]).mean.shape == (RUNS, 1, 2, 1)


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_models_may_share_a_representation(name):
    """The first keeps its predictions when the second is fitted to inputs of another dimension."""
    (X, y), shared = bowls(RUNS, 6, 0), REPRESENTATIONS[name]()
    first = ABLR(representation=shared, iterations=3).fit(X, y, make_generators(range(RUNS)))
    before = first.moments(X)
    for inputs in (X, X[..., :2]):
        ABLR(representation=shared, iterations=3).fit(inputs, y, make_generators([5, 6]))
        for ours, expected in zip(first.moments(X), before, strict=True):
            assert torch.equal(ours, expected)


def test_a_fit_that_fails_leaves_the_model_unfitted():
    model = ABLR(tasks(), context=torch.ones(1))
    with pytest.raises(UserError, match="has None context features"):
        model.fit(*bowls(1, 4, 0), make_generators([0]))
    with pytest.raises(UserError, match="call fit before predict"):
        model.moments(bowls(1, 4, 0)[0])


@pytest.mark.parametrize("n", [1, 6])
def test_constant_targets_and_single_observations_are_fitted(n):
    X, _ = bowls(RUNS, n, 0)
    earlier = [Task(X, torch.full((RUNS, n), 3.0)), *tasks((1,))]
    model = ABLR(earlier, representation=Network((6,)), iterations=10).fit(
        X, torch.full((RUNS, n), 7.0), make_generators([0, 1])
    )
    mean, variance = model.predict(X)
    assert mean.isfinite().all() and (variance > 0).all()
    torch.testing.assert_close(mean[0], torch.full((RUNS, n), 7.0).double(), rtol=0.05, atol=0.0)
    assert (model.log_alpha.abs() <= ALPHA.high).all() and (model.log_beta <= BETA.high).all()


def test_signals_of_any_scale_count_alike():
    X, y = bowls(1, 12, 0)
    found = [
        ABLR(representation=Network((6,)), side=scale * y[..., None].cos(), iterations=10).fit(
            X, y, make_generators([0])
        )
        for scale in (1.0, 1e6)
    ]
    torch.testing.assert_close(found[0].objective, found[1].objective, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"earlier": [Task(torch.rand(1, 3, 2), torch.rand(1, 3))]}, "has 2 hyperparameters; allowed: 3"),
        ({"context": torch.ones(1), "earlier": tasks()}, "has None context features; allowed: 1"),
        ({"iterations": 0}, "ABLR.iterations is .*; allowed: a whole number from 1"),
    ],
)
def test_what_does_not_fit_is_one_error(given, message):
    with pytest.raises(ValueError, match=message):
        ABLR(**given).fit(*bowls(1, 4, 0), make_generators([0]))


@pytest.mark.parametrize(
    ("side", "message"),
    [
        (torch.full((1, 4, 1), torch.nan), "side: has values that are not finite"),
        (torch.ones(1, 5, 1), r"side: has shape \(1, 5, 1\); allowed: \(1, 4\) and signals"),
    ],
)
def test_side_signals_must_fit_to_the_evaluations(side, message):
    X, y = bowls(1, 4, 0)
    with pytest.raises(ValueError, match=message):
        ABLR(side=side).fit(X, y, make_generators([0]))


@pytest.mark.parametrize(("make", "message"), [(lambda: Network(()), "at least one"), (lambda: Fourier(0), "width")])
def test_a_representation_without_features_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_fits_say_whether_they_converged():
    """Two runs each: ten steps are too few, and with many the gradient of the joint objective is nearly 0."""
    X, y = bowls(RUNS, 9, 0)
    found = []
    for iterations in (10, 5000):
        with counting() as fits:
            model = ABLR(representation=Fourier(3), iterations=iterations)
            model.fit(X, y, make_generators(range(RUNS)))
        found.append(fits["ABLR"])
    few, many = found
    assert (few.fits, few.unconverged, few.steps) == (RUNS, RUNS, 10 * RUNS)
    assert (many.fits, many.unconverged) == (RUNS, 0) and many.largest_slope < few.largest_slope
