"""Making tables from runs and from specifications.

Bounds as tables print them.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from ConfigSpace import ConfigurationSpace, Float, Integer

from core.foundation.errors import UserError
from core.report.page.records import plain, table_from_record, table_record, to_json
from core.report.tables.compare import absent_table, bounds, compare_table, described, samples_of, spec_table
from core.report.tables.table import ReportCell, ReportTable
from core.report.verdicts.cells import cell_verdict
from core.report.verdicts.published import Published, PublishedCell


def number(value, spread=0.5, kind="sd", runs=10, reading="number"):
    return PublishedCell(value, spread, kind, runs, reading, f"{value}", f"{spread}", "Table 1")


PUBLISHED = Published(
    {
        ("sghmc", "boston"): number(-3.5),
        ("sghmc", "yacht"): number(math.nan, None, "unstated", 10, "nan"),
        ("adaptive_sghmc", "boston"): number(-2.5),
        ("adaptive_sghmc", "yacht"): number(math.nan, None, "none", None, "illegible"),
        ("pbp", "boston"): number(-2.574),
        ("pbp", "yacht"): number(-1.634),
    }
)


def samples():
    rows = [("sghmc", "boston", run, -3.4 + 0.1 * run, "ok") for run in (2, 0, 1)]
    rows += [("sghmc", "yacht", 0, 5.0, "ok"), ("sghmc", "yacht", 1, 1e9, "failed"), ("sghmc", "yacht", 2, 7.0, "ok")]
    rows += [("adaptive_sghmc", "yacht", 0, 1.0, "ok")]
    return pd.DataFrame(rows, columns=["row", "column", "run", "value", "status"])


def table(**keywords):
    return compare_table(samples(), PUBLISHED, "higher", False, quoted_rows=["pbp"], **keywords)


def test_cells_have_means_failures_and_the_verdict_of_their_runs():
    made = table()
    assert made.rows == ("sghmc", "adaptive_sghmc", "pbp") and made.columns == ("boston", "yacht")
    cell = made.cells["sghmc", "boston"]
    values = [-3.4 + 0.1 * run for run in range(3)]
    assert cell.ours == pytest.approx(np.mean(values)) and cell.sd == pytest.approx(np.std(values, ddof=1))
    assert (cell.runs, cell.failed) == (3, 0)
    assert cell.verdict == cell_verdict(values, PUBLISHED["sghmc", "boston"], "higher")
    diverged = made.cells["sghmc", "yacht"]
    assert (diverged.ours, diverged.runs, diverged.failed, diverged.verdict.kind) == (6.0, 3, 1, "reproduced")
    assert made.cells["adaptive_sghmc", "boston"].verdict.kind == "not run"
    assert made.cells["adaptive_sghmc", "yacht"].verdict.kind == "not published"


def test_quoted_rows_have_no_verdict_and_count_nowhere():
    made = table()
    assert made.cells["pbp", "yacht"] == ReportCell(published=PUBLISHED["pbp", "yacht"])
    assert len(made.verdicts) == 4


def test_rows_can_be_below_the_published_protocol_one_by_one():
    made = compare_table(samples(), PUBLISHED, "lower", ["sghmc"])
    assert {row for (row, _), cell in made.cells.items() if cell.verdict.reduced} == {"sghmc"}


def test_rows_and_columns_can_be_chosen_and_need_not_be_published():
    made = compare_table(samples(), PUBLISHED, "lower", True, rows=["sghmc", "new"], columns=["yacht", "boston"])
    assert made.rows == ("sghmc", "new") and made.columns == ("yacht", "boston")
    assert made.cells["sghmc", "boston"].verdict.kind == "reproduced" and made.cells["sghmc", "boston"].verdict.reduced
    assert made.cells["new", "boston"].verdict.kind == "not run" and made.cells["new", "boston"].published is None
    assert compare_table(samples(), None, "lower", False, rows=["sghmc"], columns=["boston"]).verdicts[0].kind == (
        "not published"
    )


def test_without_any_runs_all_is_not_run():
    empty = samples_of(pd.DataFrame(columns=["benchmark", "method", "run", "status", "message"]), "score")
    made = compare_table(empty, PUBLISHED, "higher", False, quoted_rows=["pbp"])
    assert {verdict.kind for verdict in made.verdicts} == {"not run"}
    assert {verdict.kind for verdict in absent_table(PUBLISHED).verdicts} == {"not run"}
    assert absent_table(None).rows == ()


def test_samples_of_a_results_frame():
    columns = ["benchmark", "method", "run", "status", "message", "score"]
    frame = pd.DataFrame([("boston", "sghmc", 0, "ok", "", -3.0)], columns=columns)
    made = samples_of(frame, "score")
    assert made.to_dict("records") == [{"row": "sghmc", "column": "boston", "run": 0, "value": -3.0, "status": "ok"}]
    assert samples_of(frame, "score", "benchmark", "method").iloc[0].row == "boston"
    with pytest.raises(UserError, match="metric: 'loss'; allowed, as the results have them: benchmark, method"):
        samples_of(frame, "loss")


def test_labels():
    made = table(row_labels={"sghmc": "SGHMC*"}, column_labels={"boston": "Boston housing"})
    assert [made.row_label(row) for row in made.rows] == ["SGHMC*", "adaptive SGHMC", "PBP"]
    assert [made.column_label(column) for column in made.columns] == ["Boston housing", "yacht"]
    assert made.row_label("learning_rate") == "learning_rate"


def test_bad_input_is_named():
    with pytest.raises(UserError, match=r"quoted_rows: \['vi'\]; allowed: sghmc, adaptive_sghmc, pbp"):
        compare_table(samples(), PUBLISHED, "higher", False, quoted_rows=["vi"])
    with pytest.raises(UserError, match="column status is missing"):
        compare_table(samples().drop(columns="status"), PUBLISHED, "higher", False)
    with pytest.raises(UserError, match="run 1 of row 'sghmc', column 'yacht' occurs twice"):
        compare_table(pd.concat([samples(), samples().iloc[[4]]]), PUBLISHED, "higher", False)
    with pytest.raises(UserError, match="direction: 'up'"):
        compare_table(samples(), PUBLISHED, "up", False)


def spec(text, reading="text"):
    return PublishedCell(math.nan, reading=reading, text=text)


def test_specifications_are_equal_or_differ():
    published = Published(
        {
            ("rate", "lower"): spec("1e-6"),
            ("rate", "log"): spec("yes"),
            ("depth", "lower"): spec("1"),
            ("depth", "log"): spec("", "missing"),
            ("gone", "lower"): spec("3"),
        }
    )
    ours = pd.DataFrame({"lower": [0.000001, 2], "log": ["yes", "no"]}, index=["rate", "depth"])
    made = spec_table(ours, published)
    assert made.rows == ("rate", "depth", "gone") and made.columns == ("lower", "log")
    kinds = {key: cell.verdict.kind for key, cell in made.cells.items()}
    assert kinds == {
        ("rate", "lower"): "as configured",
        ("rate", "log"): "as configured",
        ("depth", "lower"): "differs",
        ("depth", "log"): "not published",
        ("gone", "lower"): "differs",
        ("gone", "log"): "as configured",  # on neither side
    }
    counted = spec_table(ours, published, configured=False)
    assert [counted.cells["rate", each].verdict.kind for each in counted.columns] == ["equal", "equal"]
    with pytest.raises(UserError, match="must each occur once"):
        spec_table(pd.concat([ours, ours]), published)


def test_records_restore_the_table_exactly():
    made = table(title="T", caption="C", metric="score", row_labels={"sghmc": "S"}, format=".3f")
    restored = table_from_record(json.loads(to_json(table_record(made))))
    assert isinstance(restored, ReportTable)
    assert plain(restored) == plain(made)  # nan is not equal to itself, its record is
    assert restored.cells["sghmc", "boston"] == made.cells["sghmc", "boston"]


def test_records_are_plain_json():
    record = to_json({"a": np.float64("nan"), "b": (np.int64(3), math.inf), "c": {1: True}, "d": None})
    assert record == '{\n "a": "nan",\n "b": [\n  3,\n  "inf"\n ],\n "c": {\n  "1": true\n },\n "d": null\n}\n'


@pytest.mark.parametrize(
    ("lower", "upper", "logarithmic", "printed"),
    [
        (8, 256, True, ("2^3", "2^8")),
        (1e-6, 1.0, True, ("10^-6", "10^0")),  # not 2^0: both bounds have the same base
        (math.exp(-10), math.exp(10), True, ("e^-10", "e^10")),
        (3, 7, True, ("3", "7")),
        (8, 256, False, ("8", "256")),
        (0.0, 0.5, False, ("0", "0.5")),
    ],
)
def test_bounds_of_logarithmic_ranges_are_powers_of_one_base(lower, upper, logarithmic, printed):
    assert bounds(lower, upper, logarithmic) == printed


def test_a_space_has_a_row_for_each_hyperparameter():
    space = ConfigurationSpace()
    space.add(Float("rate", (1e-3, 1e-1), log=True), Integer("layers", (1, 5)))
    assert described(space).to_dict("index") == {
        "rate": {"lower": "10^-3", "upper": "10^-1", "log": "yes"},
        "layers": {"lower": "1", "upper": "5", "log": "no"},
    }
