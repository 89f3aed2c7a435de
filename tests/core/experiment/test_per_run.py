"""Records of every kind as one row a repetition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.experiment.agreement import per_run


def records(run: list[int], **columns) -> pd.DataFrame:
    failed = columns.pop("failed", [False] * len(run))
    status = np.where(failed, "failed", "ok")
    return pd.DataFrame({"run": run, "status": status, "message": "", **columns})


def test_one_row_a_run_is_kept_as_it_is():
    found = per_run(records([3, 4], rmse=[1.0, 2.0], label=["a", "b"], good=[True, False], seconds=[5, 6]), ["seconds"])
    assert list(found.columns) == ["rmse", "good"]
    assert found.loc[4].to_dict() == {"rmse": 2.0, "good": 0.0}


def test_evaluations_have_their_best_loss():
    frame = records(
        [0, 0, 0, 1, 1, 1], evaluation=[0, 1, 2] * 2, origin="model", loss=[3.0, 1, 2, 6, 5, 4], cost=[1.0] * 6
    )
    found = per_run(frame)
    assert found["best loss"].to_dict() == {0: 1.0, 1: 4.0}
    assert found["mean cost"].to_dict() == {0: 1.0, 1: 1.0}


def test_incumbents_have_their_last_row():
    frame = records([0, 0, 1], finished=[1.0, 2, 1], evaluation=[1, 9, 1], regret=[0.5, 0.1, 0.7])
    assert per_run(frame)["last regret"].to_dict() == {0: 0.1, 1: 0.7}


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=4), min_size=1, max_size=4))
def test_other_rows_are_averaged(values):
    runs = [run for run, rows in enumerate(values) for _ in rows]
    found = per_run(records(runs, value=[number for rows in values for number in rows]))
    np.testing.assert_allclose(found["mean value"], [np.mean(rows) for rows in values], rtol=1e-9, atol=1e-6)


def test_lists_count_by_what_is_finite():
    curves = [np.array([1.0, np.nan, 3.0]), np.array([np.nan, np.nan, np.nan])]
    found = per_run(records([0, 1], curve=curves))
    assert found["curve"][0] == pytest.approx(2)
    assert np.isnan(found["curve"][1])


def test_failed_rows_do_not_count():
    frame = records(
        [0, 0, 1, 1], evaluation=[0, 1] * 2, origin="x", loss=[1.0, 2, 3, 4], failed=[True, False, True, True]
    )
    found = per_run(frame)["best loss"]
    assert found[0] == 2
    assert np.isnan(found[1])
