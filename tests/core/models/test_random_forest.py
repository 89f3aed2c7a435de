"""Leaves against an enumeration by hand over the training points, moments against Eq. 2.7 summed by hand."""

import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestRegressor

from core.foundation.randomness import make_generators
from core.models.random_forest import RandomForest


def data(n=20, runs=2, d=3, seed=0):
    g = torch.Generator().manual_seed(seed)
    X = torch.rand(runs, n, d, generator=g, dtype=torch.float64)
    return X, (5 * X[..., 0]).sin() + X[..., 1] + 0.1 * torch.randn(runs, n, generator=g, dtype=torch.float64)


def test_moments_are_those_of_the_training_targets_in_each_leaf():
    X, y = data()
    model = RandomForest(trees=7, bootstrap=False, features=0.5, min_samples_leaf=3, min_variance=1e-12)
    model.fit(X, y, make_generators([1, 2]))
    at = torch.rand(4, 2, 5, 3, dtype=torch.float64)
    mean, variance = model.moments(at)
    at_leaves, training_leaves = model.leaves(at), model.leaves(X)
    assert at_leaves.shape == (7, 4, 2, 5) and training_leaves.shape == (7, 2, 20)
    for b, r, q in np.ndindex(4, 2, 5):
        means, variances = [], []
        for tree in range(7):
            inside = y[r][training_leaves[tree, r] == at_leaves[tree, b, r, q]].numpy()
            assert len(inside) >= 3
            means.append(inside.mean())
            variances.append(inside.var())
        assert mean[b, r, q].item() == pytest.approx(np.mean(means))
        assert variance[b, r, q].item() == pytest.approx(
            np.mean(variances) + np.mean(np.square(means)) - np.mean(means) ** 2
        )


def test_one_split_by_hand():
    """Targets 0, 0, 1, 3 at 0, 1, 2, 3: the best split is at 1.5; its leaves are {0, 0}, {1, 3}."""
    X, y = torch.tensor([[0.0], [1.0], [2.0], [3.0]]), torch.tensor([0.0, 0.0, 1.0, 3.0])
    model = RandomForest(trees=2, bootstrap=False, features=1.0, min_samples_leaf=2, min_variance=1e-9)
    model.fit(X, y, make_generators([0]))
    mean, variance = model.moments(torch.tensor([[-1.0], [1.49], [1.51], [9.0]]))
    torch.testing.assert_close(mean, torch.tensor([[0.0, 0.0, 2.0, 2.0]], dtype=torch.float64))
    torch.testing.assert_close(
        variance, torch.tensor([[0.0, 0.0, 1.0, 1.0]], dtype=torch.float64), atol=1e-6, rtol=1e-6
    )


def test_trees_descend_as_scikit_learn_s():
    X, y = data(n=60)
    model = RandomForest(trees=5)
    grown = []
    original = model._tabulate
    model._tabulate = lambda forests: (grown.extend(forests), original(forests))
    model.fit(X, y, make_generators([1, 2]))
    at = torch.rand(2, 300, 3, dtype=torch.float64)
    ours = model.marginals(at)[0]
    for run in range(2):
        for tree in range(5):
            nodes = grown[run][tree].apply(at[run].numpy().astype(np.float32))
            expected = grown[run][tree].value[nodes, 0, 0]
            np.testing.assert_allclose(ours[tree, run].numpy(), expected)
    mean = model.targets.inverse(ours.mean(0))
    reference = RandomForestRegressor(n_estimators=100, random_state=0).fit(X[0].numpy(), y[0].numpy())
    assert np.corrcoef(mean[0].numpy(), reference.predict(at[0].numpy()))[0, 1] > 0.9


@pytest.mark.parametrize("bootstrap", [True, False])
def test_trees_are_those_of_scikit_learn_s_forest_with_the_same_seed(bootstrap):
    X, y = data(n=40, runs=1)
    model = RandomForest(trees=4, bootstrap=bootstrap, features=0.5, min_samples_leaf=2)
    grown = model._grow(X[0].numpy().astype(np.float32), y[0].numpy(), 11)
    forest = RandomForestRegressor(
        n_estimators=4, bootstrap=bootstrap, max_features=0.5, min_samples_leaf=2, random_state=11
    ).fit(X[0].numpy(), y[0].numpy())
    for ours, theirs in zip(grown, forest.estimators_, strict=True):
        np.testing.assert_array_equal(ours.threshold, theirs.tree_.threshold)
        np.testing.assert_array_equal(ours.value, theirs.tree_.value)


def test_a_run_does_not_depend_on_the_others():
    X, y = data()
    both = RandomForest(trees=4).fit(X, y, make_generators([1, 2]))
    alone = RandomForest(trees=4).fit(X[1], y[1], make_generators([2]))
    at = torch.rand(10, 3, dtype=torch.float64)
    torch.testing.assert_close(both.moments(at)[1][1], alone.moments(at)[1][0])
    other = RandomForest(trees=4).fit(X[1], y[1], make_generators([3]))
    assert not torch.equal(other.moments(at)[0], alone.moments(at)[0])


def test_function_draws_have_the_moments_and_are_functions():
    X, y = data()
    model = RandomForest(trees=6, min_samples_leaf=4).fit(X, y, make_generators([1, 2]))
    functions = model.sample_functions(20_000, make_generators([5, 6]))
    at = torch.rand(2, 2, 3, 3, dtype=torch.float64)
    values = functions(at)
    assert values.shape == (20_000, 2, 2, 3) and torch.equal(values, functions(at))
    mean, variance = model.moments(at)
    assert ((values.mean(0) - mean).abs() < 5 * (variance / 20_000).sqrt()).all()
    torch.testing.assert_close(values.var(0), variance, rtol=0.1, atol=0)


def test_posterior_as_botorch_sees_it():
    X, y = data(runs=1)
    model = RandomForest(trees=6).fit(X, y, make_generators([1]))
    posterior = model.posterior(torch.rand(9, 2, 3))
    assert posterior.mean.shape == (9, 6, 2, 1) and model.batch_shape == (6,)
    assert posterior.rsample(torch.Size([5])).shape == (5, 9, 6, 2, 1)
    at = X[:, :4]
    mean, variance = model.moments(at)
    posterior = model.posterior(at[0])
    torch.testing.assert_close(posterior.mixture_mean.squeeze(-1), mean[0])
    torch.testing.assert_close(posterior.mixture_variance.squeeze(-1), variance[0])


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_odd_data(scale):
    X = torch.full((2, 5, 50), 0.5)
    model = RandomForest(trees=3).fit(X, scale * torch.ones(2, 5), make_generators([1, 2]))
    mean, variance = model.moments(X)
    torch.testing.assert_close(mean, torch.full((2, 5), scale, dtype=torch.float64), rtol=1e-6, atol=0)
    assert (variance > 0).all()
    X, y = data(n=1)
    assert torch.isfinite(RandomForest(trees=3).fit(X, y * scale, make_generators([1, 2])).moments(X)[1]).all()
    X, y = data()
    mean, _ = RandomForest(trees=30).fit(X, y * scale, make_generators([1, 2])).moments(X)
    assert ((mean / scale - y).square().mean(-1).sqrt() < 0.5 * y.std(-1)).all()


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"trees": 0}, "trees is 0; allowed: a whole number from 1"),
        ({"features": 1.5}, "features is 1.5; allowed: a share, above 0 and up to 1"),
        ({"features": "sqrt"}, "features is 'sqrt'; allowed: a share"),
        ({"min_samples_split": 1}, "min_samples_split is 1; allowed: a whole number from 2"),
        ({"min_variance": 0.0}, "min_variance is 0.0; allowed: positive and finite numbers"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        RandomForest(**settings)


def test_a_leaf_s_smallest_size_counts_distinct_points():
    """Of four points drawn from four, two leaves of two need all of them, which happens with probability 4!/4^4."""
    X, y = torch.arange(4.0).view(4, 1), torch.arange(4.0)
    model = RandomForest(trees=400, min_samples_leaf=2, features=1.0).fit(X, y, make_generators([0]))
    split = (model.left[model.roots] != model.roots).double().mean().item()
    assert split == pytest.approx(24 / 256, abs=0.06)


def test_inputs_beyond_single_precision():
    with pytest.raises(ValueError, match="X reaches 1e\\+40"):
        RandomForest().fit(torch.tensor([[1e40], [0.0]], dtype=torch.float64), torch.zeros(2), make_generators([0]))
