"""Functional ANOVA against definitions written out, and on functions whose terms are known."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.tabular.analysis import best_positions, finite_errors, importances, table_importances

SHAPES = st.lists(st.integers(1, 4), min_size=2, max_size=4)
SEEDS = st.integers(0, 2**32 - 1)


def by_hand(values: np.ndarray, chosen: np.ndarray, order: int) -> dict[tuple[int, ...], float]:
    """The definitions, configuration by configuration: averages of those that agree in the axes of U."""
    cells = [cell for cell in product(*map(range, values.shape)) if chosen[cell]]
    y = {cell: values[cell] for cell in cells}
    mean = sum(y.values()) / len(cells)
    variance = sum((v - mean) ** 2 for v in y.values()) / len(cells)
    terms: dict[tuple[int, ...], float] = {}
    for size in range(1, order + 1):
        for axes in combinations(range(values.ndim), size):
            closed = 0.0
            for cell in cells:
                alike = [y[other] for other in cells if all(other[a] == cell[a] for a in axes)]
                closed += (sum(alike) / len(alike) - mean) ** 2 / len(cells)
            terms[axes] = closed - sum(v for subset, v in terms.items() if set(subset) < set(axes))
    return {axes: term / variance for axes, term in terms.items()}


@given(SHAPES.filter(lambda shape: np.prod(shape) > 1), SEEDS)
def test_equals_the_definition_on_random_tables(shape, seed):
    values = np.random.default_rng(seed).normal(size=shape)
    expected = by_hand(values, np.ones(shape, bool), len(shape))
    found = importances(values, order=len(shape))
    assert found.keys() == expected.keys()
    assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-10)
    assert sum(found.values()) == pytest.approx(1)
    assert min(found.values()) > -1e-10


@given(SHAPES.filter(lambda shape: np.prod(shape) > 3), SEEDS)
def test_equals_the_definition_on_parts_of_random_tables(shape, seed):
    rng = np.random.default_rng(seed)
    values, chosen = rng.normal(size=shape), np.zeros(shape, bool)
    chosen.flat[rng.permutation(values.size)[: values.size // 2]] = True
    expected = by_hand(values, chosen, 2)
    found = importances(np.where(chosen, values, np.nan), chosen.astype(float))
    assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-10)
    assert all(-1e-10 < found[(axis,)] < 1 + 1e-10 for axis in range(values.ndim))


def test_terms_of_a_known_function():
    """y = a + 2 b + 3 a c with a, b, c in {-1, 1}: variances 1, 4 and 9, the last of the pair (a, c)."""
    a, b, c = np.meshgrid(*[[-1.0, 1.0]] * 3, indexing="ij")
    found = importances(a + 2 * b + 3 * a * c)
    assert found == pytest.approx({(0,): 1 / 14, (1,): 4 / 14, (2,): 0, (0, 1): 0, (0, 2): 9 / 14, (1, 2): 0})


def test_what_has_no_variance_or_is_not_finite_is_refused():
    with pytest.raises(UserError, match="all errors are equal"):
        importances(np.ones((2, 3)))
    with pytest.raises(UserError, match="not finite"):
        importances(np.array([[1.0, np.inf], [2.0, 3.0]]))
    with pytest.raises(UserError, match="every training diverged"):
        finite_errors(np.full(3, np.inf))
    assert finite_errors(np.array([1.0, np.inf, 3.0])).tolist() == [1, 3, 3]


def test_a_table_names_its_hyperparameters(table):
    frame = table_importances(table)
    varied = set(table.grid.varied)
    singles = frame[frame["order"] == 1]
    assert set(singles["hyperparameters"]) == varied and "dropout_2" not in varied
    assert len(frame) == len(varied) + len(varied) * (len(varied) - 1) / 2
    assert frame["importance"].is_monotonic_decreasing
    assert table_importances(table, order=len(varied))["importance"].sum() == pytest.approx(1)
    assert singles["hyperparameters"].iloc[0] == "init_lr"


def test_the_best_part_decides_by_itself(table):
    """An outlier outside of the best tenth dominates the whole and leaves the tenth as it was."""
    worst = int(finite_errors(table.mean_test).argmax())
    test = table.test_mse.copy()
    test[worst] = 1e6
    spoiled = replace(table, test_mse=test)
    tenth, same = table_importances(table, 0.1), table_importances(spoiled, 0.1)
    assert same["importance"].to_numpy() == pytest.approx(tenth["importance"].to_numpy())
    assert table_importances(spoiled)["importance"].max() != pytest.approx(table_importances(table)["importance"].max())


@pytest.mark.parametrize(("share", "count"), [(0.01, 1), (0.1, 1), (0.11, 2), (0.5, 5), (1.0, 10)])
def test_the_best_share(share, count):
    errors = np.array([5.0, 1, 4, 2, 3, 9, 8, 7, 6, np.inf])
    assert best_positions(errors, share).tolist() == [1, 3, 4, 2, 0, 8, 7, 6, 5, 9][:count]


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan")])
def test_shares_outside_of_their_range_are_refused(share):
    with pytest.raises(UserError, match="allowed: above 0 and at most 1"):
        best_positions(np.ones(3), share)
