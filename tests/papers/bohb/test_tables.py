"""Tables rendered from the code, beside the transcription."""

from __future__ import annotations

import pandas as pd
import pytest

from core.report.verdicts.published import read_published_spec
from tests.papers.functions import CATALOGUE, Functions

artifacts = Functions("bohb", "artifacts")


class Fake:
    """Results with the given frame of the experiment `surrogates`."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.records = frame

    def frame(self, experiment: str) -> pd.DataFrame:
        return self.records


def published(name: str):
    return read_published_spec(CATALOGUE.root / "papers/bohb" / "published" / f"{name}.csv")


@pytest.mark.parametrize("name", ["tableC_1", "tableC_3", "tableC_4"])
def test_spaces_are_as_printed(name):
    table = getattr(artifacts, name)(None, published(name))
    assert {verdict.kind for verdict in table.verdicts} == {"as configured"}


def test_budgets_come_from_the_runs_and_sets_without_runs_are_not_run():
    rows = {"benchmark": ["letter", "adult", "poker"], "smallest_budget": [3.0, 1.0, 81.0]}
    rows["largest_budget"] = [81.0, 9.0, 2187.0]
    table = artifacts.tableC_2(Fake(pd.DataFrame(rows)), published("tableC_2"))
    kinds = {key: cell.verdict.kind for key, cell in table.cells.items()}
    assert kinds["letter", "budgets"] == kinds["letter", "rungs"] == kinds["poker", "budgets"] == "equal"
    assert table.cells["adult", "budgets"].text == "1, 3, 9" and kinds["adult", "rungs"] == "differs"
    assert kinds["higgs", "budgets"] == kinds["mnist", "rungs"] == "not run"
