"""Logistic regression: against autograd, on separable clouds, and on the images where they are present."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.data import DataUnavailableError
from core.foundation.errors import UserError
from core.objectives import classifiers as module
from core.objectives.classifiers import LogisticRegression, logistic_regression_mnist10k
from core.spaces import CubeEncoding

GENERATOR = np.random.default_rng(0)


def clouds(n: int, seed: int) -> module.Part:
    """Three classes around the corners of a triangle; unequally many, so that the decay of W matters beside b."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.25, 0.15])
    X = np.array([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])[y] + 0.9 * rng.standard_normal((n, 2))
    return X.astype(np.float32), y


@pytest.fixture
def toy() -> LogisticRegression:
    return LogisticRegression("toy", clouds(120, 0), clouds(1000, 1), clouds(1000, 2), classes=3)


def reference_error(toy: LogisticRegression, lrate: float, l2_reg: float, batchsize: int, n_epochs: int) -> float:
    """The smallest validation error after an epoch, by automatic differentiation."""
    X, y = map(torch.from_numpy, toy.train)
    W, b = torch.zeros(X.shape[1], toy.classes, requires_grad=True), torch.zeros(toy.classes, requires_grad=True)
    validation, labels = map(torch.from_numpy, toy.validation)
    errors = []
    for _ in range(n_epochs):
        for rows in torch.arange(len(y) // batchsize * batchsize).split(batchsize):
            loss = torch.nn.functional.cross_entropy(X[rows] @ W + b, y[rows]) + l2_reg * W.square().sum()
            gradients = torch.autograd.grad(loss, [W, b])
            with torch.no_grad():
                for parameter, gradient in zip([W, b], gradients, strict=True):
                    parameter -= lrate * gradient
        errors.append(((validation @ W + b).argmax(1) != labels).float().mean().item())
    return min(errors)


@pytest.mark.parametrize("batchsize", [20, 50, 120])
@pytest.mark.parametrize(("lrate", "l2_reg"), [(0.003, 0.0), (0.1, 0.3), (0.3, 0.9), (0.5, 0.01)])
def test_training_is_descent_on_the_stated_loss(toy, lrate, l2_reg, batchsize):
    configuration = {"lrate": lrate, "l2_reg": l2_reg, "batchsize": batchsize, "n_epochs": 6}
    evaluation = toy.evaluate([configuration], None, GENERATOR)
    expected = reference_error(toy, lrate, l2_reg, batchsize, 6)
    assert evaluation.loss.item() == pytest.approx(expected, abs=1.1 / 1000)  # one point may lie on the boundary
    assert evaluation.info[0]["epochs"] == 6


def test_it_learns_and_reports_the_test_error_of_the_best_weights(toy):
    good = {"lrate": 0.5, "l2_reg": 0.001, "batchsize": 20, "n_epochs": 50}
    nothing = {"lrate": 0.0, "l2_reg": 0.0, "batchsize": 20, "n_epochs": 5}
    evaluation = toy.evaluate([good, nothing], None, GENERATOR)
    assert evaluation.loss[0] < 0.12 and evaluation.info[0]["test_error"] < 0.12
    assert evaluation.loss[1] == (toy.validation[1] != 0).mean()
    assert evaluation.info[1]["test_error"] == (toy.test[1] != 0).mean()
    assert (evaluation.cost >= 0).all() and evaluation.loss.shape == evaluation.cost.shape == (2,)


def test_divergence_ends_training_and_counts_as_class_zero(toy):
    wild = {"lrate": 10.0, "l2_reg": 1.0, "batchsize": 20, "n_epochs": 2000}
    evaluation = toy.evaluate([wild], None, GENERATOR)
    assert evaluation.info[0]["epochs"] < 100
    assert 0 < evaluation.loss.item() <= (toy.validation[1] != 0).mean() + 0.1


def test_patience_is_counted_in_minibatches(toy, monkeypatch):
    """With 6 minibatches an epoch numbered from 6 on: epoch e ends with number 6 e + 5."""
    monkeypatch.setattr(module, "PATIENCE", 29)
    monkeypatch.setattr(module, "PATIENCE_FACTOR", 0)
    still = {"lrate": 0.0, "l2_reg": 0.0, "batchsize": 20, "n_epochs": 2000}
    assert toy.evaluate([still], None, GENERATOR).info[0]["epochs"] == 4
    monkeypatch.setattr(module, "PATIENCE", 28)
    assert toy.evaluate([still], None, GENERATOR).info[0]["epochs"] == 3
    monkeypatch.setattr(module, "PATIENCE_FACTOR", 4)  # the first epoch is an improvement: patience 4 * 11
    assert toy.evaluate([still], None, GENERATOR).info[0]["epochs"] == 6


def test_hpolibs_space(toy):
    encoding = CubeEncoding(toy.space)
    ends = encoding.decode(np.array([[0.0] * 4, [1.0] * 4]))
    assert ends[0] == {"lrate": 0.0, "l2_reg": 0.0, "batchsize": 20, "n_epochs": 5}
    assert ends[1] == {"lrate": 10.0, "l2_reg": 1.0, "batchsize": 2000, "n_epochs": 2000}
    with pytest.raises(UserError, match="no fidelity"):
        toy.evaluate([], 3.0, GENERATOR)


def test_mnist():
    try:
        benchmark = logistic_regression_mnist10k(download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    assert [len(part[1]) for part in (benchmark.train, benchmark.validation, benchmark.test)] == [6000, 2000, 2000]
    X = np.concatenate([benchmark.train[0], benchmark.validation[0], benchmark.test[0]])
    assert X.dtype == np.float32 and X.shape == (10000, 784) and X.min() == 0 and X.max() == 255 / 256
    evaluation = benchmark.evaluate([{"lrate": 0.3, "l2_reg": 0.0, "batchsize": 100, "n_epochs": 10}], None, GENERATOR)
    assert 0.07 < evaluation.loss.item() < 0.12 and 0.07 < evaluation.info[0]["test_error"] < 0.13


def test_missing_images_are_the_catalogues_error(monkeypatch):
    monkeypatch.setattr("core.data.catalogue.Places.find_all", lambda self, entry: iter(()))
    with pytest.raises(DataUnavailableError, match=r"'mnist_test' is not here: .*REPLICATION_DATA"):
        logistic_regression_mnist10k(download=False)
