"""Times filled in by their growth, and the surrogate, on grids by formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.foundation.errors import UserError
from core.objectives.svm_surrogate import COLUMNS, SVMSurrogate, svm_surrogate, timed_everywhere

SHARES = (0.25, 0.5, 1.0)


def grid(values: int = 6, slope: float = 2.0, timed: tuple[int, ...] = (1, 4)) -> pd.DataFrame:
    """Errors with one valley; log seconds linear in log C and log gamma with a growth that is, too; some not timed."""
    at = np.exp(np.linspace(-10, 10, values))
    share, gamma, C = (axis.ravel() for axis in np.meshgrid(SHARES, at, at, indexing="ij"))
    error = 0.9 - 0.8 * np.exp(-((np.log(C) - 2) ** 2 + (np.log(gamma) + 2) ** 2) / 20) * share**0.1
    growth = (slope + 0.02 * np.log(C) - 0.01 * np.log(gamma)) * np.log(share / SHARES[0])
    seconds = np.exp(0.05 * np.log(C) + 0.03 * np.log(gamma) ** 2 / 10 + growth)
    row, column = np.tile(np.arange(values), len(SHARES) * values), np.repeat(np.arange(values), values)
    kept = (share == SHARES[0]) | (np.isin(row, timed) & np.isin(np.tile(column, len(SHARES)), timed))
    return pd.DataFrame(
        {"C": C, "gamma": gamma, "share": share, "valid_error": error, "truth": seconds}
        | {"seconds": np.where(kept, seconds, np.nan)}
    )


def test_times_between_the_measured_ones_are_interpolated_in_logarithms():
    whole = timed_everywhere(grid(timed=(0, 5)).sample(frac=1, random_state=0))
    np.testing.assert_allclose(whole["seconds"], whole["truth"], rtol=1e-9)
    assert whole["measured"].sum() == 36 + 2 * 4 and whole["share"].is_monotonic_increasing


@settings(max_examples=20, deadline=None)
@given(st.floats(0.5, 3.0))
def test_beyond_the_measured_ones_growth_is_that_of_the_nearest(slope):
    whole = timed_everywhere(grid(slope=slope))
    logs = np.log(whole["seconds"].to_numpy().reshape(3, 6, 6))
    growth = logs[2] - logs[0]
    np.testing.assert_allclose(growth[0], growth[1], rtol=1e-9)
    np.testing.assert_allclose(growth[:, 5], growth[:, 4], rtol=1e-9)
    measured = whole["measured"]
    np.testing.assert_allclose(whole["seconds"][measured], whole["truth"][measured], rtol=1e-12)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (grid().iloc[1:], "107 records of support vector machines; allowed: one for each"),
        (grid().assign(seconds=np.nan), "no share was timed at every C and gamma"),
        (grid(timed=(2,)), r"share 0.5: timed at \(1, 1\) values of gamma and C; needed: two or more of each"),
        (grid(timed=()), "share 0.5: machines were timed that are not a grid"),
    ],
)
def test_times_that_cannot_be_filled_in_are_clear_errors(records, message):
    with pytest.raises(UserError, match=message):
        timed_everywhere(records)


def test_the_surrogate_predicts_errors_and_seconds_near_those_of_the_grid():
    records = grid(values=12, timed=(2, 9))
    surrogate, times = SVMSurrogate.fit(records), timed_everywhere(records)
    rng = np.random.default_rng(0)
    for _, row in times.sample(30, random_state=0).iterrows():
        found = surrogate.evaluate([{"C": row["C"], "gamma": row["gamma"]}], row["share"], rng)
        assert found.loss[0] == pytest.approx(row["valid_error"], abs=0.15)
        assert np.log(found.cost[0]) == pytest.approx(np.log(row["seconds"]), abs=0.5)
    assert surrogate.fidelity.minimum == 0.25 and SVMSurrogate.fit(records.copy()) is surrogate


def test_the_optimum_is_the_smallest_error_of_any_configuration():
    surrogate = SVMSurrogate.fit(grid())
    points = np.exp(np.random.default_rng(1).uniform(-10, 10, (20_000, 2)))
    errors = surrogate.errors([{"C": C, "gamma": gamma} for C, gamma in points])
    assert errors.min() == pytest.approx(surrogate.optimum, abs=1e-12)
    regrets = surrogate.regret([{"C": points[0, 0], "gamma": points[0, 1]}])
    assert regrets[0] == pytest.approx(errors[0] - surrogate.optimum)


def test_the_largest_share_is_the_default_and_others_are_refused():
    surrogate, configuration = SVMSurrogate.fit(grid()), {"C": 1.0, "gamma": 0.1}
    rng = np.random.default_rng(0)
    assert surrogate.evaluate([configuration], None, rng).loss[0] == surrogate.errors([configuration])[0]
    with pytest.raises(UserError, match=r"budget 0\.1; allowed: share of the training data from 0\.25 to 1\.0"):
        surrogate.evaluate([configuration], 0.1, rng)


def test_records_without_a_column_or_without_all_of_the_data_are_clear_errors(tmp_path):
    records = grid()
    for column in COLUMNS:
        with pytest.raises(UserError, match=f"no column '{column}'"):
            SVMSurrogate.fit(records.drop(columns=column))
    with pytest.raises(UserError, match="none has the share 1"):
        SVMSurrogate.fit(records[records["share"] < 1])
    with pytest.raises(UserError, match=r"nowhere\.parquet is missing; it comes with the repository"):
        svm_surrogate(tmp_path / "nowhere.parquet")
    records.to_parquet(tmp_path / "grid.parquet")
    assert svm_surrogate(tmp_path / "grid.parquet").optimum == SVMSurrogate.fit(records).optimum
