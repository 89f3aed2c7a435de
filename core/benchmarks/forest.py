"""The forests of surrogate benchmarks (Eggensperger et al. 2015): scikit-learn's, tabulated for quick predictions.

The model of the same kind that proposes configurations, with variances and batched over runs, is
`core.models.random_forest`.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

TREES = 50


class Forest:
    """A regression forest as flat arrays, for quick predictions of single outputs; the trees are scikit-learn's.

    Args:
        X: (N, d).
        y: (N, outputs).
        seed: seed of the trees.
    """

    def __init__(self, X: NDArray[np.float64], y: NDArray[np.float64], seed: int) -> None:
        grown = RandomForestRegressor(TREES, random_state=seed).fit(X, y[:, 0] if y.shape[1] == 1 else y)
        trees = [estimator.tree_ for estimator in grown.estimators_]
        starts = np.cumsum([0, *(tree.node_count for tree in trees)])
        self._roots = starts[:-1].astype(np.int64)
        self._feature = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
        self._threshold = np.concatenate([tree.threshold for tree in trees])
        self._left, self._right = (
            np.concatenate([getattr(tree, side) + start for tree, start in zip(trees, starts)]).astype(np.int64)
            for side in ("children_left", "children_right")
        )
        self._values = np.ascontiguousarray(np.concatenate([tree.value[:, :, 0] for tree in trees]), np.float32)

    def predict(self, X: NDArray[np.float64], outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """One output for each x (n, d), (n,): the mean over the trees."""
        tables = self._roots, self._feature, self._threshold, self._left, self._right, self._values
        return _predict(X.astype(np.float32), outputs, *tables)


@numba.njit(cache=True)
def _predict(X, outputs, roots, feature, threshold, left, right, values):
    predicted = np.empty(len(X))
    for i in range(len(X)):
        total = 0.0
        for root in roots:
            node = root
            while feature[node] >= 0:
                node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
            total += values[node, outputs[i]]
        predicted[i] = total / len(roots)
    return predicted
