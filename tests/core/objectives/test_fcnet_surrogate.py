"""The surrogate against scikit-learn's forests, and on learning curves by formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

from core.foundation.errors import UserError
from core.objectives.base import LEARNING_CURVE
from core.objectives.fcnet_surrogate import COLUMNS, FCNetSurrogate, SurrogateWithCurves
from core.objectives.forest import TREES, Forest
from core.objectives.spaces import surrogate_space
from core.spaces import CubeEncoding

EPOCHS = 10


def curves(n: int = 200, seconds=None, diverged: int = 0) -> pd.DataFrame:
    """Errors that fall from epoch to epoch, the faster the larger the learning rate; seconds by the units."""
    encoding = CubeEncoding(surrogate_space())
    frame = pd.DataFrame(encoding.decode(encoding.sample(n, np.random.default_rng(0))))
    quality = (np.log10(frame["learning_rate"]) + 6) / 4
    errors = np.exp(-np.outer(quality, np.arange(1, EPOCHS + 1)) / 3).astype(np.float32)
    errors[:diverged, 3:] = np.nan
    frame["valid_error"] = list(errors)
    frame["seconds"] = frame["units"] / 10 if seconds is None else seconds
    return frame


@pytest.mark.parametrize("outputs", [1, 4])
def test_the_forest_predicts_as_scikit_learn_does(outputs):
    rng = np.random.default_rng(0)
    X, y = rng.random((80, 3)), rng.random((80, outputs))
    fresh, wanted = rng.random((50, 3)), rng.integers(outputs, size=50)
    theirs = RandomForestRegressor(TREES, random_state=5).fit(X, y[:, 0] if outputs == 1 else y).predict(fresh)
    expected = theirs.reshape(50, outputs)[np.arange(50), wanted]
    np.testing.assert_allclose(Forest(X, y, 5).predict(fresh, wanted), expected, rtol=1e-6)


def test_the_loss_is_that_of_the_last_epoch_that_ended_and_costs_the_budget():
    surrogate = FCNetSurrogate.fit(curves(seconds=9.99))
    (configuration,) = surrogate.encoding.decode(np.full((1, 6), 0.5))
    rng = np.random.default_rng(0)
    assert (surrogate.fidelity.minimum, surrogate.fidelity.maximum) == (
        1.0,
        9.0,
    )  # a tenth of nearly 10 seconds, and 3^2
    after = [surrogate.losses(surrogate.points([configuration]), budget)[0] for budget in (1.0, 1.9, 2.0, 9.0, 90.0)]
    assert after[0] == after[1] > after[2] > after[3] > after[4]
    evaluation = surrogate.evaluate([configuration] * 2, 3.0, rng)
    assert evaluation.cost.tolist() == [3.0, 3.0] and evaluation.loss[0] == evaluation.loss[1]
    assert surrogate.evaluate([configuration], None, rng).loss == after[3]
    with pytest.raises(UserError, match="allowed: seconds from 1"):
        surrogate.evaluate([configuration], 0.5, rng)


def test_a_few_quick_networks_among_the_best_do_not_set_the_largest_budget():
    frame = curves()
    quick = frame["learning_rate"].nlargest(4).index
    frame["seconds"] = np.where(frame.index.isin(quick), 1.0, 27.0)
    surrogate = FCNetSurrogate.fit(frame)
    X = frame[list(surrogate_space())].to_numpy(float)
    assert surrogate._seconds(X[quick[:1]])[0] < 9 < surrogate.fidelity.maximum == pytest.approx(27)


@pytest.mark.parametrize("diverged", [0, 5])
def test_where_no_epoch_ends_the_loss_is_the_largest_that_was_recorded(diverged):
    frame = curves(diverged=diverged)
    surrogate = FCNetSurrogate.fit(frame)
    slow = surrogate.losses(np.array([[8, 0.1, 1e-2, 0.0, 5, 256.0]]), 0.01)[0]
    assert slow == pytest.approx(np.nanmax(np.stack(list(frame["valid_error"])))) and slow < 1


def test_the_authors_surrogate_is_continuous_and_its_loss_is_1_before_the_first_epoch():
    text, code = (FCNetSurrogate.fit(curves(), of_code=flag) for flag in (False, True))
    sample = code.encoding.decode(code.encoding.sample(50, np.random.default_rng(0)))
    assert all(isinstance(value, float) for configuration in sample for value in configuration.values())
    assert {hyperparameter.lower for hyperparameter in code.space.values()} == {8, 0, 1e-6, -0.185, 1, 16}
    X = FCNetSurrogate.points(sample)
    assert (code.losses(X, 1e-3) == 1.0).all() and (text.losses(X, 1e-3) < 1.0).all()
    np.testing.assert_array_equal(code.losses(X, 1e3), text.losses(X, 1e3))
    assert code.regret(sample).min() >= 0


def test_the_optimum_is_below_what_sampling_finds_and_regrets_are_not_negative():
    surrogate = FCNetSurrogate.fit(curves())
    configurations = surrogate.encoding.decode(surrogate.encoding.sample(3000, np.random.default_rng(1)))
    regrets = surrogate.regret(configurations)
    assert 0 <= regrets.min() < 0.02 and regrets.max() > 0.5


def test_budgets_are_powers_of_3_and_most_configurations_finish_an_epoch_in_the_smallest():
    frame = curves()
    fidelity = FCNetSurrogate.fit(frame).fidelity
    for budget in (fidelity.minimum, fidelity.maximum):
        assert np.log(budget) / np.log(3) == pytest.approx(round(np.log(budget) / np.log(3)))
    shares = [(frame["seconds"] / EPOCHS <= budget).mean() for budget in (fidelity.minimum, fidelity.minimum / 3)]
    assert shares[0] >= 0.9 > shares[1]


def test_networks_that_diverged_count_as_wrong_everywhere():
    frame = curves(n=30, diverged=30)
    surrogate = FCNetSurrogate.fit(frame.assign(seconds=10.0))
    assert surrogate.losses(np.array([[8, 0.1, 1e-3, 0.0, 5, 64.0]]), 90.0) == 1.0


def test_the_same_records_give_the_same_object():
    frame = curves()
    assert FCNetSurrogate.fit(frame) is FCNetSurrogate.fit(frame.copy())
    assert FCNetSurrogate.fit(frame.iloc[:100]) is not FCNetSurrogate.fit(frame)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_missing_column_is_named(name):
    with pytest.raises(UserError, match=f"no column '{name}'; allowed: batch_size"):
        FCNetSurrogate.fit(curves(n=3).drop(columns=name))


def test_a_single_curve_is_too_few():
    with pytest.raises(UserError, match="1 learning curves; allowed: at least 2"):
        FCNetSurrogate.fit(curves(n=1))


def test_a_learning_curve_has_the_losses_of_the_budgets_before():
    surrogate = FCNetSurrogate.fit(curves(seconds=9.99))
    told = SurrogateWithCurves(surrogate)
    configurations = surrogate.encoding.decode(np.random.default_rng(3).random((3, 6)))
    rng = np.random.default_rng(0)
    assert told.parts == 81
    for budget, parts in ((1.0, 9), (3.0, 27), (9.0, 81), (None, 81)):
        found, plain = told.evaluate(configurations, budget, rng), surrogate.evaluate(configurations, budget, rng)
        np.testing.assert_array_equal(found.loss, plain.loss)
        np.testing.assert_array_equal(found.cost, plain.cost)
        curve = np.stack([info[LEARNING_CURVE] for info in found.info])
        assert curve.shape == (3, parts)
        np.testing.assert_array_equal(curve[:, -1], plain.loss)
        np.testing.assert_array_equal(curve[:, 8], surrogate.evaluate(configurations, 1.0, rng).loss)
