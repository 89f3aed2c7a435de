"""The objective of Fig 6.6, and the surrogate of agents that have been trained."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.foundation.errors import UserError
from core.objectives.agents import PolicySurrogate, PolicyTuning
from core.objectives.base import failure_of
from core.objectives.guard import guarded_evaluate
from core.objectives.spaces import policy_space
from core.spaces import CubeEncoding
from core.spaces.points import sobol_points

ENCODING = CubeEncoding(policy_space())
CONFIGURATIONS = ENCODING.decode(sobol_points(7, 1, 6))


def records(n: int = 40, trials: int = 9) -> pd.DataFrame:
    """Trials whose expected episodes grow with the first hyperparameter, with a noise of +-100."""
    points, generator = sobol_points(7, 0, n), np.random.default_rng(0)
    rows = [
        {"number": number, "trial": trial, "episodes": 500 + 2000 * points[number, 0] + generator.uniform(-100, 100)}
        for number in range(n)
        for trial in range(trials)
    ]
    return pd.DataFrame(rows)


def test_a_budget_is_a_number_of_trials():
    tuning = PolicyTuning(most_episodes=30)
    found = tuning.evaluate(CONFIGURATIONS[:2], 3, np.random.default_rng(0))
    assert [len(entry["episodes"]) for entry in found.info] == [3, 3]
    np.testing.assert_allclose(found.loss, [np.mean(entry["episodes"]) for entry in found.info])
    np.testing.assert_array_equal(found.cost, [3, 3])


def test_the_entropy_weighs_only_where_the_text_is_followed():
    (middle,) = ENCODING.decode(np.full((1, 7), 0.5))
    configuration = middle | {"learning_rate": 0.01, "batch_size": 8}
    other = configuration | {"entropy_regularization": 1.0}
    by_code, by_text = PolicyTuning(most_episodes=80), PolicyTuning(entropy=True, most_episodes=80)
    first, second = (by_code.trial(each, seed=0).rewards for each in (configuration, other))
    np.testing.assert_array_equal(first, second)
    first, second = (by_text.trial(each, seed=0).rewards for each in (configuration, other))
    assert (first != second).any()


def test_a_clipping_of_zero_is_a_failed_evaluation():
    configuration = CONFIGURATIONS[0] | {"likelihood_ratio_clipping": 0.0}
    found = guarded_evaluate(PolicyTuning(), [configuration], 1, np.random.default_rng(0))
    assert found.loss[0] == 3000 and "PPO.clipping is 0.0" in failure_of(found.info[0])


def test_trials_scatter_around_what_the_surrogate_expects():
    surrogate = PolicySurrogate.fit(records())
    expected = surrogate.expected(CONFIGURATIONS)
    assert np.corrcoef(expected, [point[0] for point in sobol_points(7, 1, 6)])[0, 1] > 0.95
    draws = [surrogate.evaluate(CONFIGURATIONS, 1, np.random.default_rng(seed)).loss for seed in range(400)]
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert (np.abs(np.mean(draws, axis=0) - expected) < 4.5 * error).all()
    nine = [surrogate.evaluate(CONFIGURATIONS, 9, np.random.default_rng(seed)).loss for seed in range(400)]
    np.testing.assert_allclose(np.std(nine, axis=0), np.std(draws, axis=0) / 3, rtol=0.25)


def test_a_trial_is_one_that_was_recorded():
    table = records()
    found = PolicySurrogate.fit(table).evaluate(CONFIGURATIONS, 1, np.random.default_rng(0)).loss
    recorded = table["episodes"].to_numpy(np.float32)
    assert np.isin(found.astype(np.float32), recorded).all()


def test_records_that_do_not_suffice_are_named():
    with pytest.raises(UserError, match="no column 'episodes'"):
        PolicySurrogate.fit(records().drop(columns="episodes"))
    with pytest.raises(UserError, match="records of 1 configurations"):
        PolicySurrogate.fit(records(1))
