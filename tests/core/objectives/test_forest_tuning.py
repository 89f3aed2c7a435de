"""Random forests on a small set."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from core.foundation.errors import UserError
from core.objectives.classifiers import GRID, forest_tuning
from core.spaces import CubeEncoding


def test_the_loss_is_the_validation_error_of_the_forest():
    benchmark, configuration = forest_tuning("wine"), {"max_depth": 2, "max_features": 0.1, "min_samples_split": 15}
    found = benchmark.evaluate([configuration], None, np.random.default_rng(5))
    seed = int(np.random.default_rng(5).integers(2**31))
    forest = RandomForestClassifier(30, random_state=seed, **configuration).fit(*benchmark.train)
    assert found.loss[0] == pytest.approx(1 - forest.score(*benchmark.validation)) and found.cost[0] > 0


def test_every_cell_of_the_grid_is_a_configuration():
    encoding = CubeEncoding(forest_tuning("wine").space)
    found = dict(zip([column.name for column in encoding.columns], encoding.levels.values(), strict=True))
    assert found == {name: len(values) for name, values in GRID.items()}


def test_what_is_refused():
    with pytest.raises(UserError, match="has no fidelity"):
        forest_tuning("wine").evaluate([], 0.5, np.random.default_rng(0))
    with pytest.raises(UserError, match="is for regression; allowed: classification"):
        forest_tuning("diabetes")
