"""Random forest with a predictive variance (thesis section 2.2.2.2; Hutter et al. 2011), one forest per run.

Tree t routes x to a leaf; the training targets in that leaf have mean mu_t(x) and variance s_t^2(x). The prediction is
the mixture that picks a tree at random and then a target from its leaf: E[y | t] = mu_t, Var[y | t] = s_t^2, and by the
laws of total expectation and total variance, each tree with probability 1/T,

    mu(x)      = 1/T sum_t mu_t(x)                                                                        (Eq. 2.6)
    sigma^2(x) = E_t[Var[y | t]] + Var_t(E[y | t])
               = 1/T sum_t s_t^2(x) + 1/T sum_t mu_t(x)^2 - mu(x)^2                                       (Eq. 2.7)

(in print the last mu lacks its square). A leaf with one target has s_t^2 = 0; as in Hutter et al. (2014) a leaf's
variance is kept above a floor, since a variance of zero means that f is known wherever all trees agree.

The trees are scikit-learn's, grown one after the other: their growth is sequential compiled code that cannot be
batched, and this loop over runs and trees is the only one. The trees equal those of scikit-learn's forest with the same
seed; the forest itself is not used, because on small data its checks of settings take longer than the growth.
Predictions are batched: a forest is a table of thresholds and leaves, and all runs and trees descend together.
Predictions are piecewise constant, so gradients in X are zero.

Inputs are used unscaled (splits do not depend on their scale), in float32 as in scikit-learn; targets are
standardized run by run. Shapes as in `core.models.mixture`, whose members here are the T trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn import config_context
from sklearn.tree import DecisionTreeRegressor
from torch import Tensor

from core.foundation.randomness import Generators, normal_, uniform_
from core.foundation.validation import check_counts, check_positive, require_count, require_number
from core.models.ensemble import LARGEST_SINGLE, check_reach, standardizer, training_data
from core.models.mixture import Function, GaussianMixtureModel, pick

LEAF = -2  # scikit-learn's mark of a node without a split
BLOCK_ELEMENTS = 2**22  # tree positions that a prediction holds at a time
SEEDS = 2**31 - 1


class RandomForest(GaussianMixtureModel):
    """Forests of regression trees as mixtures of their leaves.

    Args:
        trees: Number T of trees.
        bootstrap: Whether each tree is grown on N points drawn with replacement; otherwise all grow on the same data.
        min_samples_leaf: Minimum number of distinct points in a leaf, of the tree's own sample.
        min_samples_split: Minimum number of distinct points in a node that is split.
        features: Share of the inputs, drawn again for every split, among which the split is chosen.
        min_variance: Lower bound of a leaf's variance, for standardized targets.
        random_splits: Whether thresholds are drawn at random, as in extremely randomized trees (Geurts et al. 2006):
            the average over trees then varies everywhere between the points.
        device: Device on which predictions run; trees are grown on the CPU.

    Raises:
        UserError: a setting out of range.
    """

    left: Tensor
    right: Tensor
    feature: Tensor
    threshold: Tensor
    leaf_mean: Tensor
    leaf_variance: Tensor
    roots: Tensor

    def __init__(
        self,
        *,
        trees: int = 100,
        bootstrap: bool = True,
        min_samples_leaf: int = 1,
        min_samples_split: int = 2,
        features: float = 5 / 6,
        min_variance: float = 1e-4,
        random_splits: bool = False,
        device: torch.device | str = "cpu",
    ) -> None:
        super().__init__()
        name = type(self).__name__
        check_counts(name, trees=trees, min_samples_leaf=min_samples_leaf)
        require_count(f"{name}.min_samples_split", min_samples_split, least=2)
        require_number(f"{name}.features", features, lambda share: 0 < share <= 1, "a share, above 0 and up to 1")
        check_positive(name, min_variance=min_variance)
        self.trees, self.bootstrap = trees, bootstrap
        self.settings = {
            "min_samples_leaf": min_samples_leaf,
            "min_samples_split": min_samples_split,
            "max_features": float(features),
            **({"splitter": "random"} if random_splits else {}),
        }
        self.min_variance, self.device = min_variance, torch.device(device)

    def fit(self, X: Tensor, y: Tensor, generators: Generators) -> RandomForest:
        """Grow a forest for every run: X (runs, N, d) and y (runs, N), or (N, d) and (N,).

        Args:
            generators: Generators, one per run, or one for all; they seed the forests.

        Raises:
            UserError: data of the wrong shape, not finite or out of range, or inputs beyond float32.
        """
        X, y = training_data(X, y, self.device)
        runs, d = len(X), X.shape[-1]
        check_reach("X", X, LARGEST_SINGLE)
        self.targets = standardizer("y", y, -1)
        standard = self.targets.transform(y).cpu().numpy()
        seeds = (uniform_(X.new_empty(runs, dtype=torch.float64), generators) * 2**31).long().tolist()
        inputs = X.to(torch.float32).cpu().numpy()
        with config_context(skip_parameter_validation=True, assume_finite=True):
            self._tabulate([self._grow(*each) for each in zip(inputs, standard, seeds)])
        self.members, self.runs, self.dimension = self.trees, runs, d
        return self

    def _grow(self, X: np.ndarray, y: np.ndarray, seed: int) -> list[Any]:
        """The trees of one run, X (N, d) float32 and y (N,): as scikit-learn's forest draws seeds and bootstraps."""
        random, n, grown = np.random.RandomState(seed), len(y), []
        for own in [random.randint(SEEDS) for _ in range(self.trees)]:
            random.seed(own)
            weights = None
            if self.bootstrap:
                weights = np.bincount(random.randint(0, n, n), minlength=n).astype(np.float64)
                random.seed(own)
            tree = DecisionTreeRegressor(random_state=random, **self.settings)
            grown.append(tree.fit(X, y, sample_weight=weights, check_input=False).tree_)
        return grown

    def _tabulate(self, forests: list[list[Any]]) -> None:
        """Nodes of all trees in one row of each table; a leaf is its own child, so that descents may continue."""
        trees = [tree for forest in forests for tree in forest]
        starts = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]
        leaf = np.concatenate([tree.feature == LEAF for tree in trees])
        own = np.arange(len(leaf))
        children = []
        for side in ("children_left", "children_right"):
            child = np.concatenate([getattr(tree, side) + start for tree, start in zip(trees, starts)])
            children.append(np.where(leaf, own, child))
        tables = {
            "feature": np.where(leaf, 0, np.concatenate([tree.feature for tree in trees])),
            "threshold": np.concatenate([tree.threshold for tree in trees]),
            "left": children[0],
            "right": children[1],
            "leaf_mean": np.concatenate([tree.value[:, 0, 0] for tree in trees]),
            "leaf_variance": np.concatenate([tree.impurity for tree in trees]),
            "roots": starts.reshape(len(forests), -1),
        }
        for name, values in tables.items():
            setattr(self, name, torch.as_tensor(values, device=self.device))
        self.leaf_variance.clamp_(min=self.min_variance)
        self.depth = max(tree.max_depth for tree in trees)

    def leaves(self, X: Tensor) -> Tensor:
        """Row of the leaf that x falls into in each tree: X (..., runs, q, d) to (T, ..., runs, q) int64."""
        points = X.detach().to(self.device, torch.float32).movedim(-3, 0).flatten(1, -2)  # (runs, n, d)
        block = max(1, BLOCK_ELEMENTS // (self.runs * self.members))
        rows = torch.cat([self._descend(part) for part in points.split(block, 1)], -1)
        return rows.view(*rows.shape[:-1], *X.shape[:-3], X.shape[-2]).movedim(0, 1).movedim(1, -2)

    def _descend(self, points: Tensor) -> Tensor:
        """(runs, n, d) to rows (runs, T, n)."""
        at = self.roots.unsqueeze(-1).expand(-1, -1, points.shape[1])
        for _ in range(self.depth):
            values = points.gather(2, self.feature[at].mT).mT
            at = torch.where(values <= self.threshold[at], self.left[at], self.right[at])
        return at

    def marginals(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """Moments mu_t(x) and s_t^2(x) of every tree, s_t^2 with its floor; all of the spread counts as that of f."""
        leaves = self.leaves(X)
        return self.leaf_mean[leaves], self.leaf_variance[leaves]

    def joint(self, X: Tensor) -> tuple[Tensor, Tensor]:
        """As `marginals`; two points share a tree's deviation if they share its leaf, and are independent otherwise."""
        leaves = self.leaves(X)
        same = leaves.unsqueeze(-1) == leaves.unsqueeze(-2)
        return self.leaf_mean[leaves], self.leaf_variance[leaves].unsqueeze(-1) * same

    def noise(self) -> Tensor:
        """Zero: a forest does not distinguish noise from the variation of f inside a leaf."""
        return self.targets.mean.new_zeros(self.members, self.runs)

    def draw(self, members: Tensor, generators: Generators) -> Function:
        """A tree with a value N(mu, s^2) in each leaf, for each of the members (runs, count); moments by Eq. 2.7."""
        noise = normal_(self.leaf_mean.new_empty(*members.shape, self._largest()), generators).transpose(0, 1)
        roots = pick(self.roots.T, members)

        def function(X: Tensor) -> Tensor:
            leaves = pick_trees(self.leaves(X), members)  # (count, ..., runs, q)
            shape = (len(roots), *(1 for _ in X.shape[:-3]), self.runs, 1)
            offset = leaves - roots.view(shape)
            deviation = noise.view(*shape[:-1], -1).expand(*leaves.shape[:-1], -1).gather(-1, offset)
            return self.leaf_mean[leaves] + self.leaf_variance[leaves].sqrt() * deviation

        return function

    def _largest(self) -> int:
        """Number of nodes of the largest tree."""
        ends = torch.cat([self.roots.flatten()[1:], self.roots.new_tensor([len(self.left)])])
        return int((ends - self.roots.flatten()).max())


def pick_trees(values: Tensor, members: Tensor) -> Tensor:
    """Entries of values (T, ..., runs, q) for the members (runs, count): (count, ..., runs, q)."""
    by_run = values.movedim(-2, 1)  # (T, runs, ..., q)
    return pick(by_run, members).movedim(1, -2)
