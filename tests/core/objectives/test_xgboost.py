"""XGBoost on a small set; the space is an artifact with verdicts of its own."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from core.foundation.errors import UserError
from core.objectives import xgboost
from core.objectives.guard import guarded_evaluate

PLAIN = {
    "learning_rate": 0.1,
    "gamma": 0.0,
    "l1_regularization": 1e-5,
    "l2_regularization": 1.0,
    "n_estimators": 50.0,
    "subsampling": 1.0,
    "max_depth": 3.0,
    "min_child_weight": 1.0,
}


def steps(n: int, seed: int) -> xgboost.Part:
    """-1 or 3, as the first of three inputs is 0 or 1."""
    X = np.random.default_rng(seed).uniform(size=(n, 3))
    X[:, 0] = X[:, 0].round()
    return X, 4 * X[:, 0] - 1


def small() -> xgboost.XGBoost:
    return xgboost.XGBoost("small", steps(200, 0), steps(100, 1), steps(100, 2))


def evaluate(**changed: float) -> float:
    return float(small().evaluate([{**PLAIN, **changed}], None, np.random.default_rng(0)).loss[0])


def test_samples_stay_inside_and_the_rounded_ones_exist():
    space = xgboost.space()
    space.seed(0)
    for configuration in space.sample_configuration(50):
        for name in space:
            assert space[name].lower <= configuration[name] <= space[name].upper
    assert set(xgboost.INTEGERS) <= set(space)


def test_integers_are_rounded_and_the_library_has_other_names():
    found = xgboost.parameters_of({**PLAIN, "n_estimators": 10.6, "max_depth": 2.4}, xgboost.space())
    assert (found["n_estimators"], found["max_depth"], found["eta"], found["subsample"]) == (11, 2, 0.1, 1.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"subsampling": 0.0}, r"subsampling = 0.0; allowed: from 0.1 to 1"),
        ({"gamma": float("nan")}, r"gamma = nan; allowed: from 0 to 2"),
        ({"depth": 3.0}, "'depth' is missing or unknown"),
    ],
)
def test_what_is_not_in_the_space_is_refused(changed, message):
    with pytest.raises(UserError, match=message):
        evaluate(**changed)
    found = guarded_evaluate(small(), [{**PLAIN, **changed}, PLAIN], None, np.random.default_rng(0))
    assert found.failed.tolist() == [True, False] and found.loss[0] == small().worst_loss


def test_a_step_is_learnt_at_the_rate_of_boosting():
    # one split finds the step; each tree shrinks the residual by eta / (1 + lambda / rows), nearly 0.9 a tree
    errors = [evaluate(n_estimators=float(n), l2_regularization=1e-5, max_depth=1.0) for n in (10, 20)]
    assert errors[1] / errors[0] == pytest.approx(0.9**10, rel=0.05)


def test_without_learning_the_loss_is_that_of_no_tree():
    assert evaluate(learning_rate=1e-6, n_estimators=10.0) == pytest.approx(small().worst_loss, rel=1e-4)
    assert small().worst_loss == pytest.approx(np.sqrt(np.mean((steps(100, 1)[1] - 0.5) ** 2)))


def test_costs_and_test_errors_are_recorded_and_subsamples_are_the_generators():
    configuration = {**PLAIN, "subsampling": 0.3}
    noisy = [(X, y + 10 * X[:, 1]) for X, y in (steps(200, 0), steps(100, 1), steps(100, 2))]
    benchmark = xgboost.XGBoost("noisy", *noisy)
    found, again = (benchmark.evaluate([configuration] * 2, None, np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_allclose(found.loss, again.loss)
    assert found.loss[0] != pytest.approx(found.loss[1])
    assert (found.cost > 0).all() and all(entry["test_error"] > 0 for entry in found.info)


def test_a_budget_is_refused():
    with pytest.raises(UserError, match="has no fidelity"):
        small().evaluate([PLAIN], 0.5, np.random.default_rng(0))


def test_without_the_library_nothing_is_evaluated(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(ModuleNotFoundError, match="xgboost"):
        xgboost.xgboost("diabetes")


def test_sets_of_the_catalogue():
    benchmark = xgboost.xgboost("diabetes", most_rows=100)
    assert [len(part[1]) for part in (benchmark.train, benchmark.validation, benchmark.test)] == [60, 20, 20]
    with pytest.raises(UserError, match="'digits' is for classification; allowed: regression"):
        xgboost.xgboost("digits")
