"""The benchmark on small sets, and whole grids against plain fits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from core.data import DataUnavailableError
from core.data.loading import Dataset
from core.foundation.errors import UserError
from core.objectives import objective
from core.objectives import svm as svm_module
from core.objectives.guard import guarded_evaluate
from core.objectives.svm import SVM, Distances, grid_values, size_of, squared_distances, subset, svm, svm_mnist


def blobs(n: int, classes: int, d: int = 5, seed: int = 0):
    """n points of each class, around centres that are a few standard deviations apart."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(classes), n)
    centres = np.random.default_rng(99).normal(scale=2.0, size=(classes, d))
    order = rng.permutation(len(y))
    return (centres[y] + rng.normal(size=(len(y), d)))[order], y[order].astype(np.int64)


def small(classes: int = 3, **settings) -> SVM:
    return SVM("small", blobs(40, classes), blobs(30, classes, seed=1), blobs(30, classes, seed=2), **settings)


def test_the_loss_is_the_error_of_a_machine_trained_on_a_subset():
    benchmark, configuration = small(smallest=0.1), {"C": 2.0, "gamma": 0.3}
    found = benchmark.evaluate([configuration] * 2, 0.25, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    for loss in found.loss:
        rows = rng.permutation(120)[:30]
        machine = SVC(C=2.0, gamma=0.3).fit(benchmark.train[0][rows], benchmark.train[1][rows])
        assert loss == pytest.approx(1 - machine.score(*benchmark.validation))
    assert (found.cost > 0).all() and [entry["points"] for entry in found.info] == [30, 30]


def test_all_of_the_data_is_not_shuffled_and_draws_nothing():
    benchmark, rng = small(smallest=0.1), np.random.default_rng(0)
    losses = [benchmark.evaluate([{"C": 2.0, "gamma": 0.3}], None, rng).loss[0] for _ in range(2)]
    assert losses[0] == losses[1] and rng.random() == np.random.default_rng(0).random()
    (error,) = benchmark.test_errors([{"C": 2.0, "gamma": 0.3}])
    machine = SVC(C=2.0, gamma=0.3).fit(*benchmark.train)
    assert error == pytest.approx(1 - machine.score(*benchmark.test))


def test_subsets_are_shares_without_repetition():
    rows = subset(1000, 1 / 16, np.random.default_rng(3))
    assert len(rows) == len(set(rows)) == size_of(1 / 16, 1000) == 62
    assert subset(5, 1.0, np.random.default_rng(3)).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"smallest": 0.001}, "a share of 0.001 of 120 training points is 1; allowed: at least the 3 classes"),
        ({"smallest": 0.0}, "smallest share 0.0; allowed: above 0"),
        ({"smallest": 1.5}, "smallest share 1.5; allowed: above 0, at most 1"),
    ],
)
def test_subsets_that_are_too_small_are_one_clear_error(settings, message):
    with pytest.raises(UserError, match=message):
        small(**settings)


def test_budgets_outside_the_range_and_sets_of_the_wrong_kind_are_clear_errors():
    with pytest.raises(UserError, match=r"budget 0\.01; allowed: share of the training data from 0\.1"):
        small(smallest=0.1).evaluate([{"C": 1.0, "gamma": 1.0}], 0.01, np.random.default_rng(0))
    with pytest.raises(UserError, match="data set 'diabetes' is for regression; allowed: classification"):
        svm("diabetes")


def test_mnist_is_drawn_from_its_training_images(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 256, (150, 4), dtype=np.uint8), np.arange(150) % 3
    images = Dataset("mnist", X, y, (), "classification", ("0", "1", "2"), "", 120, (1, 2, 2))
    monkeypatch.setattr(svm_module, "load", lambda name: images)
    benchmark = svm_mnist(80, 30, 0.1)
    parts = [part[0] * 255 for part in (benchmark.train, benchmark.validation, benchmark.test)]
    assert [len(part) for part in parts] == [80, 30, 30]
    drawn = {tuple(row) for row in np.concatenate(parts[:2]).round().astype(int)}
    assert len(drawn) == 110 and drawn < {tuple(row) for row in X[:120].astype(int)}
    np.testing.assert_allclose(parts[2], X[120:])
    with pytest.raises(UserError, match="100 training and 30 validation points; allowed: 120 images together"):
        svm_mnist(100, 30, 0.1)


def test_a_subset_of_one_class_is_a_recorded_failure():
    X, y = blobs(40, 2)
    order = np.argsort(y, kind="stable")
    benchmark = SVM("sorted", (X[order], np.r_[np.zeros(79, np.int64), 1]), (X, y), (X, y), smallest=0.05)
    found = guarded_evaluate(benchmark, [{"C": 1.0, "gamma": 1.0}], 0.05, np.random.default_rng(0))
    assert (
        found.loss[0] == 1.0 and "training points are all of class 0; needed: two classes" in found.info[0]["failure"]
    )


def test_sets_of_the_catalogue_are_split_and_scaled():
    benchmark = svm("digits", smallest=0.05)
    sizes = [len(part[1]) for part in (benchmark.train, benchmark.validation, benchmark.test)]
    assert sizes == [1078, 359, 360] and benchmark.fidelity.minimum == 0.05
    assert benchmark.train[0].std(0).max() == pytest.approx(1.0)
    assert sum(len(part[1]) for part in (svm("digits", 0.05, 500).train, svm("digits", 0.05, 500).test)) == 400
    rng = np.random.default_rng(0)
    assert benchmark.evaluate([{"C": 10.0, "gamma": 0.01}], None, rng).loss[0] < 0.05
    assert svm("digits").fidelity.minimum == 1 / 64  # 1/512 and 1/128 of 1,078 points are fewer than ten classes


def test_the_space_is_that_of_the_table():
    space = small(smallest=0.1).space
    assert list(space) == ["C", "gamma"] and space["C"].log and space["gamma"].upper == pytest.approx(np.exp(10))


@pytest.mark.parametrize("name", ["svm_letter", "svm_magic_telescope"])
def test_sets_that_were_downloaded_are_objectives_by_name(name):
    try:
        found = objective(name)
    except DataUnavailableError:
        pytest.skip("the data set is not at hand")
    assert found.name == name and size_of(found.fidelity.minimum, len(found.train[1])) >= 2


@pytest.mark.parametrize(("classes", "sizes"), [(2, (30, 21)), (4, (30, 30, 25, 28)), (4, (22, 30, 25, 25))])
def test_errors_of_a_whole_grid_are_those_of_plain_fits(classes, sizes):
    """Also where two classes are the most frequent, and no machine is the same for every small C."""
    X, y = blobs(30, classes, seed=3)
    kept = np.concatenate([np.flatnonzero(y == label)[:size] for label, size in enumerate(sizes)])
    train, validation = (X[kept], y[kept]), blobs(40, classes, seed=4)
    distances, values = Distances(train, validation), grid_values(9)
    for gamma in values:
        plain = [1 - SVC(C=C, gamma=gamma).fit(*train).score(*validation) for C in values]
        np.testing.assert_allclose(distances.errors(gamma, values), plain, atol=1e-12)


def test_distances_are_those_of_all_pairs():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 3)).astype(np.float32), rng.normal(size=(5, 3)).astype(np.float32)
    expected = ((A[:, None] - B[None]) ** 2).sum(-1)
    np.testing.assert_allclose(squared_distances(A, B), expected, atol=1e-5)
