"""Curves of classifiers on a bundled set."""

import numpy as np
import pytest

import core.training.collector as collector
from core.data import load
from core.foundation.errors import UserError
from core.objectives.spaces import surrogate_space
from core.training.collector import CurveCollection


def test_curves_of_classifiers(tmp_path, monkeypatch):
    iris = load("iris")
    monkeypatch.setattr(collector, "load", lambda name: iris)
    made = CurveCollection("letter", 12, tmp_path, epochs=20, chunk_size=5)
    made.fill()
    found = made.arrays()
    assert found["valid_error"].shape == found["train_error"].shape == (12, 20)
    assert ((found["valid_error"] >= 0) & (found["valid_error"] <= 1)).all()
    assert (found["seconds"] > 0).all()
    good = (found["learning_rate"] > 3e-4) & (found["batch_size"] < 64)
    assert good.any()
    assert found["valid_error"][good, -1].max() < 0.4 < found["valid_error"][:, 0].max()
    for name, hyperparameter in surrogate_space().items():
        assert hyperparameter.is_legal(found[name][0].item())
    longer = CurveCollection("letter", 16, tmp_path, epochs=20, chunk_size=5)
    longer.fill()
    np.testing.assert_array_equal(longer.arrays()["valid_error"][:12], found["valid_error"])


@pytest.mark.parametrize(("whole", "name"), [(False, "mnist_test"), (True, "mnist")])
def test_of_mnist_a_part_or_all(tmp_path, monkeypatch, whole, name):
    loaded = []

    def load_instead(name):
        loaded.append(name)
        return load("iris")

    monkeypatch.setattr(collector, "load", load_instead)
    CurveCollection("mnist", 1, tmp_path, epochs=1, whole=whole).fill()
    assert loaded == [name]


@pytest.mark.parametrize("name", ["configurations", "epochs", "chunk_size"])
def test_counts_of_nothing_are_refused(tmp_path, name):
    with pytest.raises(UserError, match=f"CurveCollection.{name} is 0; allowed: a whole number from 1"):
        CurveCollection(**{"dataset": "letter", "configurations": 1, "folder": tmp_path, name: 0})
