"""Updates against fits from scratch: when the network is trained, and what is regressed on in between."""

import numpy as np
import pytest
import torch

from core.foundation.randomness import make_generators
from core.models.least_squares import AdaptiveLeastSquares

SMALL = {"widths": (8, 6), "steps": 30, "refit_every": 10}


def data(n=40, runs=2):
    X = torch.rand(runs, n, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return X, (5 * X[..., 0]).sin() + X[..., 1]


def test_network_is_trained_at_first_and_after_so_many_observations():
    X, y = data()
    model, generators = AdaptiveLeastSquares(**SMALL), make_generators([0, 1])
    trained = [model.update(X[:, :n], y[:, :n], generators) for n in (8, 13, 17, 18, 23, 28, 40)]
    assert trained == [True, False, False, True, False, True, True]
    assert model.trained_on == 40


def test_network_may_be_trained_at_multiples():
    X, y = data()
    model, generators = AdaptiveLeastSquares(**SMALL, at_multiples=True), make_generators([0, 1])
    trained = [model.update(X[:, :n], y[:, :n], generators) for n in (8, 9, 10, 15, 19, 22, 29, 40)]
    assert trained == [True, False, True, False, False, True, False, True]


def test_update_regresses_all_observations_on_the_representation_there_is():
    X, y = data()
    model = AdaptiveLeastSquares(**SMALL)
    model.update(X[:, :20], y[:, :20], make_generators([0, 1]))
    theta = model.representation.theta.clone()
    model.update(X[:, :25], y[:, :25], make_generators([0, 1]))
    assert (model.representation.theta == theta).all()
    at = torch.rand(2, 7, 2, dtype=torch.float64)
    mean, variance = model.moments(at)
    for r in range(2):
        Phi, nu = model.features(X[:, :25])[r].numpy(), model.features(at)[r].numpy()
        standard = model.targets.transform(y[:, :25])[r].numpy()
        coefficients = np.linalg.lstsq(Phi, standard, rcond=None)[0]
        noise = np.mean((standard - Phi @ coefficients) ** 2)
        G = ((nu @ np.linalg.inv(Phi.T @ Phi)) * nu).sum(-1)
        location, scale = model.targets.mean[r].item(), model.targets.scale[r].item()
        np.testing.assert_allclose(mean[r], location + scale * nu @ coefficients, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(variance[r], scale**2 * noise * (1 + G), rtol=1e-5)


@pytest.mark.parametrize(("points", "epochs"), [(20, 30), (40, 15), (200, 4)])
def test_trainings_take_about_as_many_steps_whatever_the_number_of_points(points, epochs):
    X, y = data(points)
    model = AdaptiveLeastSquares(**SMALL)
    model.update(X, y, make_generators([0, 1]))
    assert model.representation.epochs == epochs


def test_network_output_is_the_network_s():
    X, y = data()
    model = AdaptiveLeastSquares(**{**SMALL, "steps": 500})
    model.update(X, y, make_generators([0, 1]))
    network = model.representation
    expected = network.network.forward(network.theta.double(), model.inputs.transform(X))
    torch.testing.assert_close(model.network_output(X), model.targets.inverse(expected))
    assert (model.network_output(X) - y).square().mean() < 0.2 * y.var()


@pytest.mark.parametrize("name", ["steps", "refit_every"])
def test_settings_are_checked(name):
    with pytest.raises(ValueError, match=f"AdaptiveLeastSquares.{name} is 0; allowed: a whole number from 1"):
        AdaptiveLeastSquares(**{**SMALL, name: 0})


def test_epochs_follow_from_steps():
    with pytest.raises(ValueError, match=r"AdaptiveLeastSquares\.epochs is 7; allowed: steps, which decide on them"):
        AdaptiveLeastSquares(epochs=7)
