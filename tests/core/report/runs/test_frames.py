"""Runs from the frames of their experiments; what is absent is named."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core.report.runs.frames import NotRunError, frame_of, rows_of, runs_of


def frame():
    rows = [("boston", "a", 1, "ok", 2.0), ("boston", "a", 0, "ok", 1.0), ("boston", "a", 2, "failed", 9.0)]
    rows += [("boston", "b", 0, "ok", math.nan), ("yacht", "a", 0, "ok", 7.0)]
    return pd.DataFrame(rows, columns=["benchmark", "method", "run", "status", "score"])


def test_runs_of_a_cell_are_ordered_and_failures_count_as_told():
    np.testing.assert_array_equal(runs_of(frame(), "score", "boston", "a"), [1.0, 2.0, math.nan])
    np.testing.assert_array_equal(runs_of(frame(), "score", "boston", "a", failed=-math.inf), [1.0, 2.0, -math.inf])
    np.testing.assert_array_equal(runs_of(frame(), "score", "boston", "b", failed=0.0), [0.0])
    with pytest.raises(NotRunError, match="yacht/b"):
        runs_of(frame(), "score", "yacht", "b")
    with pytest.raises(NotRunError):
        runs_of(pd.DataFrame(columns=["benchmark", "method", "run", "status"]), "score", "yacht", "b")
    with pytest.raises(KeyError, match="no metric 'loss'"):
        runs_of(frame(), "loss", "boston", "a")


class Fake:
    """Results with runs of the experiment `uci` alone."""

    def frame(self, experiment: str) -> pd.DataFrame:
        return frame() if experiment == "uci" else frame().iloc[:0]


def test_rows_of_an_experiment():
    results = Fake()
    assert len(frame_of(results, "uci", "others")) == 5
    assert rows_of(results, "uci", benchmark="boston", method="a")["run"].tolist() == [1, 0, 2]
    assert len(rows_of(results, "uci")) == 5


@pytest.mark.parametrize(
    "read, name",
    [
        (lambda results: frame_of(results, "others", "more"), "others"),
        (lambda results: rows_of(results, "uci", benchmark="yacht", method="b"), "uci/yacht/b"),
        (lambda results: rows_of(results, "others", part="grid"), "others/grid"),
    ],
)
def test_rows_that_are_not_there_are_named(read, name):
    with pytest.raises(NotRunError, match=f"^{name}$"):
        read(Fake())
