"""Which hyperparameters mattered in a search: functional ANOVA of a random forest (Hutter, Hoos, Leyton-Brown 2014).

A tree is a function that is constant on boxes of the unit cube, so its averages over all values of other
hyperparameters are sums over its boxes (their Algorithm 1), without sampling: for hyperparameters U, the cells between
the borders of the boxes in the coordinates U, with the volume-weighted mean of the boxes that contain each cell. From
there on the formulas are those for a table on a grid, `core.tabular.analysis`, a cell having its volume as weight.
Importances are averages over the trees.

The cube is the search space: a hyperparameter on a logarithmic scale varies on it, and an inactive one counts with its
default.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from core.foundation.errors import UserError
from core.spaces import CubeEncoding
from core.study.record import Record, counts
from core.tabular.analysis import variance_terms

TREES = 64
LEAST = 10  # evaluations
Boxes = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Lower and upper corners of a tree's leaves with their means: (leaves, 2, d) and (leaves,)."""


def importances_of(records: Sequence[Record], space: ConfigurationSpace, order: int = 2, seed: int = 0) -> pd.DataFrame:
    """Importances of hyperparameters and of pairs of them for the losses of a search.

    A search of several budgets has few evaluations on the largest, so the largest budget with ten of them and two
    losses is used. A warning says so if it is not the largest of all.

    Args:
        records: Records, of which those that count are used, on one budget.
        space: Space of their configurations.
        order: 1 for single hyperparameters, 2 for pairs too.
        seed: Seed of the forest.

    Returns:
        hyperparameters (one name, or two joined by " x "), order, importance (share of the variance of the loss); the
        largest first.

    Raises:
        UserError: no budget with ten evaluations that count and two losses, or another order.
    """
    if order not in (1, 2):
        raise UserError(f"order is {order!r}; allowed: 1, or 2 for pairs too")
    used, losses = _on_one_budget(records)
    encoding = CubeEncoding(space)
    points = encoding.encode([record.configuration for record in used])
    scale = -int(np.frexp(np.abs(losses).max())[1])  # a power of two, which changes no share: squares stay finite
    forest = RandomForestRegressor(TREES, min_samples_leaf=2, random_state=seed)
    forest.fit(points, np.ldexp(losses, scale))
    shares = [_shares(_boxes(tree.tree_, encoding.dimension), order) for tree in forest.estimators_]
    known = [share for share in shares if share]  # a tree without a split says nothing
    if not known:
        raise UserError("importance: no tree of the forest has found a difference; allowed: more evaluations")
    names = [column.name for column in encoding.columns]
    rows = [
        (" x ".join(names[axis] for axis in axes), len(axes), float(np.mean([share[axes] for share in known])))
        for axes in known[0]
    ]
    frame = pd.DataFrame(rows, columns=["hyperparameters", "order", "importance"])
    return frame.sort_values("importance", ascending=False, kind="stable", ignore_index=True)


def _on_one_budget(records: Sequence[Record]) -> tuple[list[Record], NDArray[np.float64]]:
    """The records that count on the largest budget with enough of them, and their losses."""
    by_budget: dict[float, list[Record]] = {}
    for record in filter(counts, records):
        by_budget.setdefault(record.budget or 0.0, []).append(record)
    seen = []
    for budget, used in sorted(by_budget.items(), reverse=True):
        losses = np.array([record.loss for record in used])
        where = f" on budget {budget:g}" if budget else ""
        seen.append(f"{len(used)} evaluations{where} have {len(set(losses.tolist()))} different losses")
        if len(used) >= LEAST and losses.min() < losses.max():
            if len(seen) > 1:
                warnings.warn(f"importance: taken from budget {budget:g}, since {', '.join(seen[:-1])}", stacklevel=4)
            return used, losses
    raise UserError(
        f"importance: {', '.join(seen) or 'no evaluation counts'}; allowed: at least {LEAST} evaluations and two "
        "losses on a budget: give minimize a larger number of evaluations"
    )


def _boxes(tree: Any, dimension: int) -> Boxes:
    """The leaves of scikit-learn's tree on the unit cube; each split cuts a box in two."""
    corners, means = [], []
    waiting = [(0, np.array([np.zeros(dimension), np.ones(dimension)]))]
    while waiting:
        node, box = waiting.pop()
        if tree.children_left[node] < 0:
            corners.append(box)
            means.append(float(tree.value[node].ravel()[0]))
            continue
        axis, threshold = tree.feature[node], tree.threshold[node]
        for child, side in ((tree.children_left[node], 1), (tree.children_right[node], 0)):
            part = box.copy()
            part[side, axis] = np.clip(threshold, box[0, axis], box[1, axis])
            waiting.append((child, part))
    return np.array(corners), np.array(means)


def _shares(boxes: Boxes, order: int) -> dict[tuple[int, ...], float]:
    """V_U / V of one tree for all U of 1 to `order` coordinates; empty if it is constant."""
    corners, means = boxes
    widths = corners[:, 1] - corners[:, 0]
    volumes = widths.prod(-1)
    centred = means - volumes @ means
    variance = float(volumes @ centred**2)
    if not variance > 0:
        return {}
    dimension = corners.shape[-1]
    terms: dict[tuple[int, ...], float] = {}
    for axis in range(dimension):
        terms[axis,] = variance_terms(*_marginal(corners, centred, widths, (axis,)), 1.0, 1)[0,]
    for pair in combinations(range(dimension), 2) if order == 2 else ():
        terms[pair] = variance_terms(*_marginal(corners, centred, widths, pair), 1.0, 2)[0, 1]
    return {axes: term / variance for axes, term in terms.items()}


def _marginal(
    corners: NDArray[np.float64], means: NDArray[np.float64], widths: NDArray[np.float64], axes: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The average over all other coordinates in each cell of these, and the volumes of the cells: (cells, ...) both."""
    others = np.delete(widths, list(axes), axis=1).prod(-1)
    inside, sizes = [], []
    for axis in axes:
        borders = np.unique(corners[:, :, axis])
        middles = (borders[1:] + borders[:-1]) / 2
        inside.append(((corners[:, 0, axis, None] < middles) & (middles < corners[:, 1, axis, None])).astype(float))
        sizes.append(np.diff(borders))
    if len(axes) == 1:
        return (others * means) @ inside[0], sizes[0]
    first, second = inside
    return (first * (others * means)[:, None]).T @ second, np.outer(*sizes)
