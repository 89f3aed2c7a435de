"""The forests of surrogate benchmarks (Eggensperger et al. 2015): scikit-learn's, tabulated for quick predictions.

The model of the same kind that proposes configurations, with variances and batched over runs, is
`core.models.random_forest`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

if TYPE_CHECKING:
    import pandas as pd

TREES = 50


class Forest:
    """A regression forest as flat arrays, for quick predictions of single outputs; the trees are scikit-learn's.

    Args:
        X: Inputs, (N, d).
        y: Targets, (N, outputs).
        seed: Seed of the trees.
    """

    def __init__(self, X: NDArray[np.float64], y: NDArray[np.float64], seed: int) -> None:
        grown = RandomForestRegressor(TREES, random_state=seed).fit(X, y[:, 0] if y.shape[1] == 1 else y)
        self._lay_out([estimator.tree_ for estimator in grown.estimators_], np.float32)

    @classmethod
    def from_nodes(cls, nodes: pd.DataFrame) -> Forest:
        """A forest that was grown elsewhere, with one output, which it predicts in double precision.

        Args:
            nodes: Table of the nodes with columns tree, node (within its tree, from 0, the root), left and right
                (nodes, -1 at leaves), feature (negative at leaves), threshold, value.
        """
        forest = cls.__new__(cls)
        trees = [
            SimpleNamespace(
                node_count=len(rows),
                feature=rows["feature"].to_numpy(),
                threshold=rows["threshold"].to_numpy(float),
                children_left=rows["left"].to_numpy(),
                children_right=rows["right"].to_numpy(),
                value=rows["value"].to_numpy(float)[:, None, None],
            )
            for _, rows in nodes.sort_values(["tree", "node"]).groupby("tree")
        ]
        forest._lay_out(trees, np.float64)
        return forest

    def _lay_out(self, trees: list[Any], precision: type[np.floating]) -> None:
        """The arrays of all nodes, from trees with scikit-learn's attributes."""
        starts = np.cumsum([0, *(tree.node_count for tree in trees)])
        self._roots = starts[:-1].astype(np.int64)
        self._feature = np.concatenate([tree.feature for tree in trees]).astype(np.int64)
        self._threshold = np.concatenate([tree.threshold for tree in trees])
        self._left, self._right = (
            np.concatenate([getattr(tree, side) + start for tree, start in zip(trees, starts)]).astype(np.int64)
            for side in ("children_left", "children_right")
        )
        self._values = np.ascontiguousarray(np.concatenate([tree.value[:, :, 0] for tree in trees]), precision)

    def predict(self, X: NDArray[np.float64], outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """One output for each x (n, d), (n,): the mean over the trees."""
        return self.descend(X.astype(np.float32), outputs)

    def descend(self, X: NDArray[np.floating], outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for x that are compared with the thresholds as they are, not in single precision as by `predict`."""
        tables = self._roots, self._feature, self._threshold, self._left, self._right, self._values
        return np.asarray(_predict(X, outputs, *tables))

    def single(
        self, X: NDArray[np.float64], outputs: NDArray[np.int64], trees: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """One output of one tree for each x (n, d), (n,)."""
        tables = self._feature, self._threshold, self._left, self._right, self._values
        return np.asarray(_predict_singly(X.astype(np.float32), outputs, self._roots[trees], *tables))


class Cells:
    """A forest whose splits are at few thresholds, as the table of its values on the cells between these.

    It predicts the same as `Forest.from_nodes`, by one binary search for each input instead of one path for each tree.

    Args:
        nodes: Table of the nodes, as for `Forest.from_nodes`.
        dimension: Number of inputs.

    Attributes:
        corners: Largest x of each cell, (cells, dimension).
    """

    def __init__(self, nodes: pd.DataFrame, dimension: int) -> None:
        splits = nodes["feature"]
        self._thresholds = [np.unique(nodes["threshold"][splits == feature]) for feature in range(dimension)]
        axes = np.meshgrid(*(np.append(thresholds, np.inf) for thresholds in self._thresholds), indexing="ij")
        self.corners = np.stack(axes, -1).reshape(-1, dimension)
        one = np.zeros(len(self.corners), np.int64)
        self._values = Forest.from_nodes(nodes).descend(self.corners, one).reshape(axes[0].shape)

    def predict(self, X: NDArray[np.float64], outputs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The output for each x (n, d), (n,)."""
        single = X.astype(np.float32).astype(np.float64)  # which the thresholds are compared with
        return np.asarray(self._values[tuple(map(np.searchsorted, self._thresholds, single.T))])


@numba.njit(cache=True)
def _predict(
    X: NDArray[np.floating],
    outputs: NDArray[np.int64],
    roots: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    values: NDArray[np.floating],
) -> NDArray[np.float64]:
    predicted = np.empty(len(X))
    for i in range(len(X)):
        total = 0.0
        for root in roots:
            total += values[_leaf(X, i, root, feature, threshold, left, right), outputs[i]]
        predicted[i] = total / len(roots)
    return predicted


@numba.njit(cache=True)
def _predict_singly(
    X: NDArray[np.floating],
    outputs: NDArray[np.int64],
    roots: NDArray[np.int64],
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    values: NDArray[np.floating],
) -> NDArray[np.float64]:
    predicted = np.empty(len(X))
    for i in range(len(X)):
        predicted[i] = values[_leaf(X, i, roots[i], feature, threshold, left, right), outputs[i]]
    return predicted


@numba.njit(cache=True)
def _leaf(
    X: NDArray[np.floating],
    i: int,
    node: int,
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> int:
    while feature[node] >= 0:
        node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
    return node
