"""Eqs. 6 to 8 as printed and numpy's least squares, and the case of as many points as units."""

import numpy as np
import pytest
import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.optim import optimize_acqf

from core.foundation.randomness import make_generators
from core.models.least_squares import LeastSquaresNetwork, least_squares

QUICK = {"widths": (8, 6), "epochs": 40}


def data(n=30, runs=2):
    X = torch.rand(runs, n, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return X, (5 * X[..., 0]).sin() + X[..., 1]


def test_regression_is_the_printed_formulas_and_numpy_s():
    g = torch.Generator().manual_seed(0)
    Phi = torch.randn(2, 15, 4, generator=g, dtype=torch.float64)
    y = torch.randn(2, 15, generator=g, dtype=torch.float64)
    at = torch.randn(5, 2, 3, 4, generator=g, dtype=torch.float64)
    weights, noise = least_squares(Phi, y, 1e-12)
    mean, variance = weights.marginals(at)
    for r in range(2):
        coefficients, residual, _, _ = np.linalg.lstsq(Phi[r].numpy(), y[r].numpy(), rcond=None)
        assert noise[r].item() == pytest.approx(residual.item() / 15)
        np.testing.assert_allclose(mean[0, :, r], at[:, r].numpy() @ coefficients)
        G = ((at[:, r] @ torch.linalg.inv(Phi[r].T @ Phi[r])) * at[:, r]).sum(-1)
        torch.testing.assert_close(variance[0, :, r] + noise[r], noise[r] * (1 + G))


def test_model_is_the_regression_on_its_features():
    X, y = data()
    model = LeastSquaresNetwork(**QUICK).fit(X, y, make_generators([0, 1]))
    at = torch.rand(3, 2, 4, 2, dtype=torch.float64)
    mean, variance = model.moments(at)
    assert mean.shape == (3, 2, 4)
    for r in range(2):
        Phi, nu = model.features(X)[r].numpy(), model.features(at)[:, r].numpy()
        standard = ((y[r] - y[r].mean()) / y[r].std(correction=0)).numpy()
        inverse = np.linalg.inv(Phi.T @ Phi)
        coefficients = inverse @ Phi.T @ standard
        noise = np.mean((standard - Phi @ coefficients) ** 2)
        scale = y[r].std(correction=0).item()
        np.testing.assert_allclose(mean[:, r], nu @ coefficients * scale + y[r].mean().item(), rtol=1e-5, atol=1e-6)
        expected = noise * (1 + ((nu @ inverse) * nu).sum(-1)) * scale**2
        np.testing.assert_allclose(variance[:, r], expected, rtol=1e-5)


def test_the_authors_variant_is_numpy_s_with_an_intercept_on_targets_as_they_are():
    X, y = data()
    y = 100 + 7 * y
    model = LeastSquaresNetwork(**QUICK, corrected_noise=True, intercept=True, standardize=False)
    model.fit(X, y, make_generators([0, 1]))
    at = torch.rand(3, 2, 4, 2, dtype=torch.float64)
    mean, variance = model.moments(at)
    for r in range(2):
        Phi, nu = model.features(X)[r].numpy(), model.features(at)[:, r].numpy()
        assert Phi.shape == (30, 7) and (Phi[:, -1] == 1).all()
        coefficients, residual, _, _ = np.linalg.lstsq(Phi, y[r].numpy(), rcond=None)
        np.testing.assert_allclose(mean[:, r], nu @ coefficients, rtol=1e-6)
        G = ((nu @ np.linalg.inv(Phi.T @ Phi)) * nu).sum(-1)
        np.testing.assert_allclose(variance[:, r], residual.item() / (30 - 6 + 1) * (1 + G), rtol=1e-5)


def test_with_fewer_points_than_features_the_weights_are_the_shortest():
    X, y = data(n=6)
    model = LeastSquaresNetwork(**QUICK, intercept=True).fit(X, y, make_generators([0, 1]))
    at = torch.rand(2, 4, 2, dtype=torch.float64)
    for r in range(2):
        standard = model.targets.transform(y)[r].numpy()
        shortest = np.linalg.pinv(model.features(X)[r].numpy()) @ standard
        mean = model.moments(at)[0][r]
        location, scale = model.targets.mean[r].item(), model.targets.scale[r].item()
        np.testing.assert_allclose(mean, location + scale * (model.features(at)[r].numpy() @ shortest), rtol=1e-4)


def test_as_many_points_as_units_leave_no_residual():
    X, y = data(n=6)
    model = LeastSquaresNetwork(**QUICK, min_noise=1e-5).fit(X, y, make_generators([0, 1]))
    assert (model.noise_variance == 1e-5).all()
    assert (model.moments(X)[1] > 0).all()
    torch.testing.assert_close(model.moments(X)[0], y, atol=1e-5, rtol=1e-5)


def test_fewer_points_than_units_are_refused():
    X, y = data(n=5)
    with pytest.raises(ValueError, match="5 points for a last layer of 6 units; take at least 6"):
        LeastSquaresNetwork(**QUICK).fit(X, y, make_generators([0, 1]))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_odd_data(scale):
    for X, y in (
        (torch.full((1, 8, 2), 0.5), torch.arange(8.0).unsqueeze(0)),
        (torch.rand(1, 8, 50), torch.rand(1, 8)),
        (torch.rand(1, 8, 2), torch.ones(1, 8)),
    ):
        mean, variance = LeastSquaresNetwork(**QUICK).fit(X, scale * y, make_generators([0])).moments(X)
        assert torch.isfinite(mean).all() and torch.isfinite(variance).all() and (variance > 0).all()


def test_function_draws_have_the_model_s_moments():
    X, y = data()
    model = LeastSquaresNetwork(**QUICK).fit(X, y, make_generators([0, 1]))
    at = torch.rand(3, 2, 2, 2, dtype=torch.float64)
    values = model.sample_functions(20_000, make_generators([3, 4]))(at)
    mean, variance = model.moments(at)
    latent = variance - (model.noise() * model.targets.scale.T.square()).mean(0).view(2, 1)
    assert ((values.mean(0) - mean).abs() < 5 * (variance / 20_000).sqrt()).all()
    torch.testing.assert_close(values.var(0), latent, rtol=0.1, atol=0)


def test_botorch_optimizes_its_acquisitions():
    X, y = data(runs=1)
    model = LeastSquaresNetwork(**QUICK).fit(X, y, make_generators([0]))
    bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
    acquisition = LogExpectedImprovement(model, y.max())
    candidate, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=2, raw_samples=8)
    assert candidate.shape == (1, 2) and torch.isfinite(value).all()


def test_bad_settings():
    with pytest.raises(ValueError, match=r"LeastSquaresNetwork.min_noise is .*; allowed: positive"):
        LeastSquaresNetwork(min_noise=0.0)
