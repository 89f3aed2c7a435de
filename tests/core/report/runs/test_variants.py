"""Ablations behind the methods that they change, in tables and figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.report import style
from core.report.figures.curves import draw_incumbents
from core.report.runs.frames import split_variant, with_variants
from core.report.tables.compare import compare_table
from core.report.verdicts.published import Published

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
