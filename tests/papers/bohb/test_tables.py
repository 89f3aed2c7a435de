"""Tables rendered from the code, beside the transcription."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report.verdicts.names import published_numbers
from core.report.verdicts.published import read_published_spec
from papers.bohb.runs import full_evaluations
from tests.papers.functions import PAPERS, Functions
from tests.papers.runs import Fake

artifacts = Functions("bohb", "artifacts")


def published(name: str):
    return read_published_spec(PAPERS.root / "papers/bohb" / "published" / f"{name}.csv")


@pytest.mark.parametrize("name", ["tableC_1", "tableC_3", "tableC_4"])
def test_spaces_are_as_printed(name):
    table = getattr(artifacts, name)(None, published(name))
    assert {verdict.kind for verdict in table.verdicts} == {"as configured"}


def test_budgets_come_from_the_runs_and_sets_without_runs_are_not_run():
    rows = {"benchmark": ["letter", "adult", "poker"], "smallest_budget": [3.0, 1.0, 81.0]}
    rows["largest_budget"] = [81.0, 9.0, 2187.0]
    table = artifacts.tableC_2(Fake(surrogates=pd.DataFrame(rows)), published("tableC_2"))
    kinds = {key: cell.verdict.kind for key, cell in table.cells.items()}
    assert kinds["letter", "budgets"] == kinds["letter", "rungs"] == kinds["poker", "budgets"] == "equal"
    assert table.cells["adult", "budgets"].text == "1, 3, 9" and kinds["adult", "rungs"] == "differs"
    assert kinds["higgs", "budgets"] == kinds["mnist", "rungs"] == "not run"


def test_the_cost_is_in_evaluations_on_the_largest_budget(world):
    frame = world["as published"].frame("cifar10")
    np.testing.assert_allclose(full_evaluations(frame), (9 + 20 / 3) / 19, rtol=0.1)


def test_numbers_of_reduced_runs_are_outside(world):
    table = artifacts.cifar10(world["as published"], published_numbers(PAPERS.artifact("bohb/cifar10")))
    cell = table.cells["bohb", "test_error"]
    assert cell.ours == pytest.approx(3, abs=0.1) and cell.published.value == 2.78 and cell.verdict.kind == "outside"
