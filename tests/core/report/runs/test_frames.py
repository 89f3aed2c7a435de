"""Runs from the frames of their experiments; what is absent is named.

Results of a function that are remembered as long as what they were made from.

Ablations behind the methods that they change, in tables and figures.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core.report import style
from core.report.figures.curves import draw_incumbents
from core.report.runs.frames import NotRunError, frame_of, once, rows_of, runs_of, split_variant, with_variants
from core.report.tables.compare import compare_table
from core.report.verdicts.published import Published


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


@pytest.fixture
def counted():
    calls = []

    @once
    def total(frame, name, *others):
        """Of a column."""
        calls.append((name, *others))
        if name not in frame:
            raise KeyError(name)
        return frame[name].sum()

    return total, calls


def test_a_frame_is_asked_once_for_each_name(counted):
    total, calls = counted
    frame = pd.DataFrame({"a": [1, 2], "b": [10, 20]})
    assert [total(frame, "a"), total(frame, "b"), total(frame, "a"), total(frame, "a", 1)] == [3, 30, 3, 3]
    assert calls == [("a",), ("b",), ("a", 1)]
    assert total.__doc__ == "Of a column."


def test_an_equal_frame_is_another_one_and_so_is_its_successor(counted):
    total, calls = counted
    for number in range(50):  # of which the later ones stand where earlier ones stood
        frame = pd.DataFrame({"a": [number]})
        assert total(frame, "a") == number
        del frame  # freed at once: nothing refers to it in a circle
    assert len(calls) == 50


def test_exceptions_are_not_remembered(counted):
    total, calls = counted
    frame = pd.DataFrame({"a": [1]})
    for _ in range(2):
        with pytest.raises(KeyError):
            total(frame, "b")
    assert len(calls) == 2


CHANGED = "sghmc, step_sizes=[0.02]"


@pytest.mark.parametrize(
    "name, parts",
    [
        ("sghmc", ("sghmc", "")),
        (CHANGED, ("sghmc", "step_sizes=[0.02]")),
        ("a, b=1, c=2", ("a", "b=1, c=2")),
        ("SGHMC, tuned", ("SGHMC, tuned", "")),
    ],
)
def test_parts(name, parts):
    assert split_variant(name) == parts


def test_each_method_is_followed_by_its_variants():
    present = ["b, x=2", "a", "c, x=1", "b, x=1", "b"]
    assert with_variants(["a", "b"], present) == ["a", "b", "b, x=2", "b, x=1"]
    assert with_variants(["a", "b"], ["b", "d"]) == ["a", "b"]


def samples(*rows: str, column: str = "line") -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame({"row": row, "column": column, "run": range(3), "value": [1.0, 2, 3], "status": "ok"})
        for row in rows
    )


def test_a_table_gets_rows_and_columns_of_them():
    table = compare_table(
        samples("sghmc", CHANGED), Published({}), "lower", False, rows=["sghmc", "gp"], columns=["line"]
    )
    assert table.rows == ("sghmc", CHANGED, "gp")
    assert table.cells[CHANGED, "line"].runs == 3
    assert table.row_label(CHANGED) == "SGHMC (ablation: step sizes=[0.02])"
    # The method's own label names the value that was changed.
    assert table.row_label("sghmc_1e-4, step_sizes=[0.001]") == "SGHMC, step 1e-4 (ablation: step sizes=[0.001])"
    turned = samples("line").assign(row="line", column=CHANGED)
    table = compare_table(turned, Published({}), "lower", False, rows=["line"], columns=["sghmc"])
    assert table.columns == ("sghmc", CHANGED)


def test_a_label_given_with_the_table_is_kept():
    table = compare_table(
        samples(CHANGED), Published({}), "lower", False, rows=["sghmc"], columns=["line"], row_labels={"sghmc": "ours"}
    )
    assert table.row_label(CHANGED) == "ours (ablation: step sizes=[0.02])"


def test_a_figure_gets_lines_of_them():
    frame = pd.DataFrame(
        [
            {"benchmark": "branin", "method": method, "run": run, "evaluation": evaluation, "loss": 3.0 - evaluation}
            for method in ("gp", "gp, kernel=rbf", "rf, trees=3")
            for run in (0, 1)
            for evaluation in (0, 1)
        ]
    )
    with style.context():
        _, axes = style.subplots()
        drawn = draw_incumbents(axes, frame, "loss", "branin", ["gp", "random"])
        labels = axes.get_legend_handles_labels()[1]
    assert list(dict.fromkeys(drawn["method"])) == ["gp", "gp, kernel=rbf"]
    assert labels == ["GP-BO", "GP-BO (ablation: kernel=rbf)"]
    assert np.isfinite(drawn.select_dtypes("number")).all(axis=None)
