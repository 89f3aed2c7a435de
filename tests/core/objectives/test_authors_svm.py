"""The authors' support vector machines: forests walked node by node, look-ups by pandas, and their own runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor

from core import minimize
from core.data import CorruptDataError, DataUnavailableError, load_frame
from core.foundation.errors import UserError
from core.objectives import objective, svm_surrogate
from core.objectives.forest import Cells, Forest
from core.objectives.svm_surrogate import SVMSurrogate, authors_svm_grid, authors_svm_surrogate

GENERATOR = np.random.default_rng(0)


def present(make, *arguments):
    try:
        return make(*arguments, download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))


def nodes_of(forest: RandomForestRegressor) -> pd.DataFrame:
    """A forest of scikit-learn in the columns of the decoded ones."""
    parts = []
    for number, estimator in enumerate(forest.estimators_):
        tree = estimator.tree_
        columns = {"left": tree.children_left, "right": tree.children_right, "feature": tree.feature}
        columns |= {"threshold": tree.threshold, "value": tree.value.ravel()}
        parts.append(pd.DataFrame({"tree": number, "node": range(tree.node_count), **columns}))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def forest() -> RandomForestRegressor:
    """Ten trees on a grid of three inputs."""
    X = np.stack(np.meshgrid(*[np.linspace(-1, 1, 5)] * 3), -1).reshape(-1, 3)
    return RandomForestRegressor(10, random_state=0).fit(X, np.sin(3 * X).sum(1) + X[:, 0] * X[:, 1])


@pytest.mark.parametrize("made", [Forest.from_nodes, lambda nodes: Cells(nodes, 3)])
def test_a_decoded_forest_predicts_what_the_forest_does(forest, made):
    X = GENERATOR.uniform(-1.2, 1.2, (500, 3))
    X[:100] = np.round(X[:100] * 4) / 4  # on thresholds
    found = made(nodes_of(forest)).predict(X, np.zeros(500, np.int64))
    np.testing.assert_allclose(found, forest.predict(X), rtol=1e-14)


def test_cells_are_told_apart_in_single_precision(forest):
    """As scikit-learn does: what is above a threshold by less than single precision has goes left."""
    nodes = nodes_of(forest)
    cells, threshold = Cells(nodes, 3), nodes.loc[nodes["feature"] == 0, "threshold"].iloc[0]
    X = np.array([[threshold * (1 + step), 0.3, 0.3] for step in (-1e-3, 0.0, 1e-12, 1e-3)])
    np.testing.assert_allclose(cells.predict(X, np.zeros(4, np.int64)), forest.predict(X), rtol=1e-14)


def walked(nodes: pd.DataFrame, x: np.ndarray) -> float:
    """The mean over the trees, each from its root, one node at a time."""
    values = []
    for _, tree in nodes.set_index("node").groupby("tree"):
        node = tree.loc[0]
        while node["left"] >= 0:
            node = tree.loc[
                int(node["left"] if np.float32(x[int(node["feature"])]) <= node["threshold"] else node["right"])
            ]
        values.append(node["value"])
    return float(np.mean(values))


def test_the_surrogate_is_the_forests():
    surrogate = present(authors_svm_surrogate)
    error, time = (load_frame(f"authors_svm_surrogate_{part}", download=False) for part in ("error", "cost"))
    for share in (1 / 512, 1 / 60, 1.0):
        configuration = {"C": 3.7, "gamma": 0.011}
        found = surrogate.evaluate([configuration], share, GENERATOR)
        x = np.array([np.log(3.7), np.log(0.011), share])
        assert found.loss[0] == pytest.approx(walked(error, x), rel=1e-12)
        assert found.cost[0] == pytest.approx(walked(time, x), rel=1e-12)
    assert (surrogate.evaluate([configuration], None, GENERATOR).loss == found.loss).all()
    assert surrogate.fidelity.minimum == 1 / 512 and len(surrogate.evaluate([], None, GENERATOR).loss) == 0


def test_its_minimum_and_the_incumbents_of_the_authors_runs():
    surrogate, runs = present(authors_svm_surrogate), present(load_frame, "svm_surrogate_authors_runs")
    assert surrogate.optimum == pytest.approx(0.0150458, abs=5e-8)
    fine = np.stack(np.meshgrid(*[np.linspace(-10, 10, 801)] * 2), -1).reshape(-1, 2)
    values = np.unique(surrogate.look_up(fine)[0])
    assert len(runs) == 679 and values.min() == surrogate.optimum
    incumbents = runs["incumbent_error"].to_numpy()
    assert np.abs(incumbents[:, None] - values).min(1).max() < 1e-12


@pytest.mark.parametrize("name", ["authors_svm_surrogate", "authors_svm_grid", "logistic_regression_on_grid"])
def test_they_have_names(name):
    try:
        made = objective(name)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    (configuration,) = [dict(found) for found in [made.space.get_default_configuration()]]
    found = made.evaluate([configuration], None, GENERATOR)
    assert made.optimum <= found.loss[0] <= made.worst_loss and found.cost[0] > 0


def test_a_share_outside_is_named():
    surrogate = present(authors_svm_surrogate)
    for share in (1 / 1024, 1.5):
        with pytest.raises(UserError, match=r"budget .*; allowed: share of the training data from 0.001953125 to 1.0"):
            surrogate.evaluate([{"C": 1.0, "gamma": 1.0}], share, GENERATOR)


def test_minimize_searches_on_it():
    surrogate = present(authors_svm_surrogate)

    def loss_and_cost(configuration):
        found = surrogate.evaluate([configuration], None, GENERATOR)
        return float(found.loss[0]), float(found.cost[0])

    result = minimize(loss_and_cost, surrogate.space, method="random", evaluations=30)
    assert surrogate.optimum <= result.best_loss < 0.9


def grid_frame() -> pd.DataFrame:
    """The columns of the file, with the six decimals that it has, and values by formula."""
    axis, shares = np.round(np.linspace(-10, 10, 20), 6), np.floor(2.0 ** -np.arange(10) * 1e6) / 1e6
    C, gamma, s = (each.ravel() for each in np.meshgrid(axis, axis, shares, indexing="ij"))
    error = 0.5 + 0.01 * np.abs(C - 2) + 0.01 * np.abs(gamma + 3) - 0.1 * s
    return pd.DataFrame({"log_c": C, "log_gamma": gamma, "s": s, "valid_error": error, "seconds": 100 * s + C})


@pytest.fixture
def made_grid(monkeypatch) -> pd.DataFrame:
    frame = grid_frame().sample(frac=1.0, random_state=0, ignore_index=True)
    monkeypatch.setattr(svm_surrogate, "load_frame", lambda name, download: frame)
    return frame


def test_every_machine_of_the_grid_is_where_it_belongs(made_grid):
    grid = authors_svm_grid()
    for row in made_grid.sample(50, random_state=1).itertuples():
        machine = {name: min(values, key=lambda value, log=log: abs(np.log(value) - log)) for name, values, log in zip(
            grid.grid, grid.grid.values(), (row.log_c, row.log_gamma))}  # fmt: skip
        share = min(grid.budgets, key=lambda value, s=row.s: abs(value - s))
        found = grid.evaluate([machine, machine], share, GENERATOR)
        assert found.loss.tolist() == [row.valid_error] * 2 and found.cost[0] == row.seconds
    whole = made_grid[made_grid["s"] == 1]
    best = whole.loc[whole["valid_error"].idxmin()]
    assert grid.optimum == best["valid_error"] and np.log(grid.optimizer["C"]) == pytest.approx(best["log_c"], abs=1e-6)
    assert grid.evaluate([grid.optimizer], None, GENERATOR).loss[0] == grid.optimum


@pytest.mark.usefixtures("made_grid")
def test_what_is_not_on_the_grid_is_named():
    grid = authors_svm_grid()
    machine = grid.optimizer
    with pytest.raises(UserError, match=r"authors_svm_grid: budget 0.3 was not recorded; allowed: \(0.001953125, "):
        grid.evaluate([machine], 0.3, GENERATOR)
    with pytest.raises(UserError, match=r"budget 0.001; allowed: share of the training data from"):
        grid.evaluate([machine], 0.001, GENERATOR)
    for value in (1.0, [1.0]):
        with pytest.raises(UserError, match=r"authors_svm_grid: gamma = \[?1.0\]? is not on the grid; allowed: "):
            grid.evaluate([machine, {**machine, "gamma": value}], 1.0, GENERATOR)


def test_a_machine_that_is_missing_is_noticed(made_grid):
    made_grid.drop(index=made_grid.index[:3], inplace=True)
    with pytest.raises(CorruptDataError, match="3 of 4000 machines are missing"):
        authors_svm_grid()


def test_the_published_grid():
    grid, frame = present(authors_svm_grid), present(load_frame, "authors_svm_mnist_grid")
    assert grid.optimum == pytest.approx(0.015, abs=1e-12) and grid.losses.size == len(frame) == 4000
    for share in grid.budgets:
        rows = frame[np.isclose(frame["s"], share, rtol=1e-3)].sort_values(["log_c", "log_gamma"])
        indices = np.stack(np.meshgrid(range(20), range(20), indexing="ij"), -1).reshape(-1, 2)
        for found, column in zip(grid.look_up(indices, share), ("valid_error", "seconds"), strict=True):
            assert found.tolist() == rows[column].tolist()


def test_our_own_surrogate_is_of_the_same_kind():
    """One class for both, whose forests differ in what they take the logarithm of."""
    surrogate = present(authors_svm_surrogate)
    assert isinstance(surrogate, SVMSurrogate)
    configurations = [{"C": 1.0, "gamma": 0.01}]
    assert (surrogate.errors(configurations) == surrogate.evaluate(configurations, 1.0, GENERATOR).loss).all()
    assert surrogate.regret(configurations)[0] == surrogate.errors(configurations)[0] - surrogate.optimum
