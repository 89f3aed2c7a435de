"""BOHB on shake-shake networks, the networks that it ends with, and the table of both."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from core.experiment.catalogue import Catalogue
from core.report.verdicts.names import published_numbers
from papers.bohb.artifacts.shake_shake_table import cifar10, full_evaluations
from papers.bohb.settings import ShakenSearch


def test_a_search_evaluates_on_all_budgets_side_by_side(smoke):
    frame = smoke("cifar10/digits/bohb")
    assert frame["budget"].nunique() == 2 and frame["budget"].max() == 3 and (frame["workers"] == 19).all()
    assert frame["loss"].between(0, 1).all() and frame["learning_rate"].between(1e-3, 1).all()
    assert frame["finished"].max() < frame["cost"].sum() and (np.diff(frame["finished"]) >= 0).all()


def test_the_best_configuration_on_the_largest_budget_is_trained_anew(smoke):
    frame = smoke("cifar10/digits/bohb")
    rows = frame[frame["budget"] == 3]
    best = rows.loc[rows["loss"].idxmin()]
    found, gastaldi = (smoke(f"cifar10_retrained/digits/{method}") for method in ("bohb", "gastaldi"))
    assert found["learning_rate"].tolist() == pytest.approx([best["learning_rate"]] * 2)
    assert gastaldi["batch_size"].tolist() == [128, 128] and gastaldi["test_error"].between(0, 1).all()


def test_the_cost_is_in_evaluations_on_the_largest_budget(world):
    frame = world["as published"].frame("cifar10")
    np.testing.assert_allclose(full_evaluations(frame), (9 + 20 / 3) / 19, rtol=0.1)


def test_numbers_of_reduced_runs_are_outside(world):
    table = cifar10(world["as published"], published_numbers(Catalogue(), "bohb", "cifar10"))
    cell = table.cells["bohb", "test_error"]
    assert cell.ours == pytest.approx(3, abs=0.1) and cell.published.value == 2.78 and cell.verdict.kind == "outside"


def test_a_search_without_an_end_is_refused():
    with pytest.raises(ValidationError, match=r"method\.brackets = None"):
        ShakenSearch(images="cifar10", epochs=3, least_epochs=1, method={"method": "bohb"})
