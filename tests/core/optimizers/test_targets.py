"""Losses on a Gaussian scale: the order is kept, units do not matter, and no loss flattens the others."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import minimize
from core.optimizers.features import gaussianized


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30, unique=True))
def test_the_order_is_kept(values):
    y = torch.tensor([values], dtype=torch.float64)
    assert torch.equal(gaussianized(y).argsort(), y.argsort())


def test_units_do_not_matter():
    y = torch.randn(3, 40, dtype=torch.float64)
    torch.testing.assert_close(gaussianized(y), gaussianized(1e3 * y - 7))


@pytest.mark.parametrize("outlier", [1e5, 1e28])
def test_an_outlier_leaves_the_others_apart(outlier):
    """Standardized, the others are within 1e-3 of each other; here they keep most of their spread."""
    y = torch.randn(1, 30, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    with_outlier = torch.cat([y, torch.tensor([[outlier]], dtype=torch.float64)], 1)
    seen = gaussianized(with_outlier)
    assert seen[0, :-1].std() > 0.3 * seen.std()
    assert with_outlier[0, :-1].std() < 1e-3 * with_outlier.std()


def test_products_become_sums():
    """Losses that are log-normal come out more nearly normal than they went in."""
    y = torch.randn(1, 200, dtype=torch.float64, generator=torch.Generator().manual_seed(1)).mul(1.5).exp()

    def skewness(values: torch.Tensor) -> float:
        return float(((values - values.mean()) / values.std()).pow(3).mean())

    assert abs(skewness(gaussianized(y))) < 0.5 * skewness(y)


def test_equal_losses_are_equal():
    assert torch.equal(gaussianized(torch.full((2, 5), 3.0)), torch.zeros(2, 5))
    assert torch.isfinite(gaussianized(torch.tensor([[1.0, 1.0, 1.0, 2.0]]))).all()


def test_distances_whose_squares_overflow_keep_their_order():
    y = torch.tensor([[0.0, 1e-300, 2e-300, 1.0, 5e102]], dtype=torch.float64)
    z = gaussianized(y)
    assert torch.isfinite(z).all() and (z.diff() >= 0).all() and z[0, 2] < z[0, 3]


QUICK = [
    {"method": "gp", "restarts": 1},
    {"method": "gp", "restarts": 1, "gaussian_targets": False},
    {"method": "rf", "trees": 5},
    {"method": "rf", "trees": 5, "gaussian_targets": False},
    *({"method": name} for name in ("tpe", "optuna_tpe", "cmaes", "differential_evolution", "regularized_evolution")),
]


@pytest.mark.parametrize("method", QUICK, ids=str)
def test_searches_of_huge_losses_go_on_without_failures_of_the_model_and_say_so(method):
    """A bowl between -1e308 and 1e308; its best part is the fifth around 0.3."""

    def bowl(configuration):
        return 1e308 * (4 * abs(configuration["x"] - 0.3) - 1)

    with pytest.warns(UserWarning) as said:
        result = minimize(bowl, {"x": (0.0, 0.8)}, method, 25, progress=False)
    assert {str(each.message)[:6] for each in said} == {"losses"}, "nothing else is warned of"
    assert abs(result.best_configuration["x"] - 0.3) < 0.1
    assert not any("failed" in str(record.notes.get("origin")) for record in result.records)


def test_what_is_lowest_is_warned_of_too():
    with pytest.warns(
        UserWarning, match=r"losses are down to -9.*e\+199, and beyond -1e\+100 methods see only logarithms"
    ):
        minimize(lambda c: -1e200 * c["x"], {"x": (0.5, 1.0)}, "random", 40, progress=False)
