"""DNGO's Table 1: cells of every method, rounding to what is published, and claims on known losses."""

import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report.verdicts.published import read_published
from papers.dngo.checks.design import smallest_loss
from papers.dngo.runs import HPOLIB, PRINTED
from papers.dngo.tables import OPTIMIZERS, PERCENT, ROWS
from tests.papers.functions import Functions

artifacts = Functions("dngo", "artifacts")
claims = Functions("dngo", "claims")
experiments = Functions("dngo", "experiments")

PAPERS = Papers()
PROBLEM = {row: problem for problem, row in ROWS.items()}
PUBLISHED = read_published(PAPERS.root / "papers/dngo/published/table1.csv")


@pytest.mark.parametrize("method", ["rf", "tpe", "gp", "dngo"])
def test_every_method_runs(method):
    effort = {"rf": {"trees": 3}, "gp": {"hyperparameter_samples": 1}, "dngo": {"hyperparameter_samples": 1}}
    overrides = {"evaluations": 4, **effort.get(method, {})}
    experiment = "hpolib_gp" if method == "gp" else "hpolib"
    cell = find_cells(PAPERS, f"dngo/{experiment}/branin/{method}", "smoke", overrides=overrides)[0]
    frame = experiments.hpolib(Context(cell, range(1)))
    assert frame["evaluation"].tolist() == [1, 2, 3, 4] and (frame["regret"] >= 0).all()
    assert (frame["status"] == "ok").all() and not frame["origin"].str.startswith("random").any()


def test_the_paper_s_numbers_of_evaluations():
    cells = [cell for name in HPOLIB for cell in find_cells(PAPERS, f"dngo/{name}", "paper")]
    on_grid = [cell for cell in cells if cell.experiment == "hpolib_logistic"]
    assert min(cell.settings.evaluations for cell in on_grid) == PRINTED == 100
    assert {cell.benchmark: cell.settings.evaluations for cell in cells if cell not in on_grid} == {
        "branin": 200, "hartmann6": 200, "lda_on_grid": 50, "svm_on_grid": 100,
    }  # fmt: skip
    assert all(cell.benchmark in HPOLIB[cell.experiment] for cell in cells)


def runs(**losses: dict[str, float]) -> pd.DataFrame:
    """Ten runs of two evaluations; the second finds the loss, up to `spread`."""
    return pd.DataFrame(
        {"benchmark": problem, "method": method, "run": run, "evaluation": n, "status": "ok", "message": ""}
        | {"loss": loss + (1000 if n == 1 else 1e-6 * run)}
        for method, problems in losses.items()
        for problem, loss in problems.items()
        for run in range(10)
        for n in (1, 2)
    )


def test_exact_optima_are_not_better_than_rounded_ones(fake):
    frame = runs(dngo={"branin": 0.397887, "lda_on_grid": 1266.167, "svm_on_grid": 0.2411})
    table = artifacts.table1(fake(hpolib=frame), PUBLISHED)
    for problem, loss in (("branin", 0.398), ("lda_on_grid", 1266.2), ("svm_on_grid", 24.1)):
        cell = table.cells[problem, "dngo"]
        assert cell.ours == pytest.approx(loss, abs=1e-9) and cell.runs == 10
        assert cell.verdict.kind == "reproduced" and not cell.verdict.reduced
    assert table.cells["branin", "smac"].verdict.kind == "not run"


def test_what_is_reduced_is_said_cell_by_cell(fake):
    table = artifacts.table1(fake(hpolib=runs(dngo={"branin": 0.4}), hpolib_gp=runs(gp={"branin": 0.4})), PUBLISHED)
    assert [table.cells["branin", method].verdict.reduced for method in ("dngo", "gp")] == [False, True]


def test_methods_are_compared_after_as_many_evaluations_as_both_have(fake):
    """DNGO's third evaluation is the best; the Gaussian process has two."""
    whole = runs(dngo={"branin": 0.4})
    third = whole[whole["evaluation"] == 2].assign(evaluation=3, loss=0.1)
    results = fake(hpolib=pd.concat([whole, third]), hpolib_gp=runs(gp={"branin": 0.4}))
    assert smallest_loss(results, "branin", "gp", "dngo", seed=0).ours == pytest.approx(0.0, abs=1e-9)


def test_logistic_regression_is_compared_after_the_published_evaluations(fake):
    frame = runs(dngo={"logistic_regression_on_grid": 0.0689})
    later = frame[frame["evaluation"] == 2].assign(evaluation=PRINTED + 1, loss=0.0685)
    table = artifacts.table1(fake(hpolib_logistic=pd.concat([frame, later], ignore_index=True)), PUBLISHED)
    cell = table.cells["logistic_regression", "dngo"]
    assert cell.ours == pytest.approx(6.89, abs=1e-9) and cell.verdict.kind == "reproduced"


def test_runs_without_repetitions_take_the_place_of_those_with(fake):
    may_repeat = runs(dngo={"svm_on_grid": 0.245}, tpe={"svm_on_grid": 0.241})
    alone = artifacts.table1(fake(hpolib_grids=may_repeat), PUBLISHED)
    both = artifacts.table1(fake(hpolib_grids=may_repeat, hpolib_unseen=runs(dngo={"svm_on_grid": 0.241})), PUBLISHED)
    row = [{method: table.cells["svm_on_grid", method].ours for method in OPTIMIZERS} for table in (alone, both)]
    assert row[0]["dngo"] == pytest.approx(24.5) and pd.isna(row[0]["dngo_repeating"])
    found = [row[1][method] for method in ("dngo", "dngo_repeating", "tpe")]
    assert found == pytest.approx([24.1, 24.5, 24.1], abs=1e-3)


def test_published_losses_bear_out_what_the_paper_says_of_them(fake):
    losses: dict[str, dict[str, float]] = {}
    for row, column in PUBLISHED:
        scale = 100 if row in PERCENT else 1
        losses.setdefault(column, {})[PROBLEM.get(row, row)] = PUBLISHED[row, column].value / scale
    results = fake(hpolib=runs(**losses))
    assert claims.dngo_beats_tpe(results).ours == "5 of 5"
    assert claims.dngo_beats_smac(results).ours == "4 of 4"
    assert claims.dngo_ties_gp(results).ours == "5 of 5"
    losses["dngo"] = losses["tpe"]
    results = fake(hpolib=runs(**losses))
    assert claims.dngo_ties_gp(results).holds == claims.dngo_beats_smac(results).holds == "fails"


def test_margins_are_half_of_tpe_s_distance():
    for part in claims.dngo_ties_gp.parts.each:
        row = ROWS.get(part.values["benchmark"], part.values["benchmark"])
        scale = 100 if row in PERCENT else 1
        distance = (PUBLISHED[row, "tpe"].value - PUBLISHED[row, "gp"].value) / scale / 2
        assert part.values["below"] == pytest.approx(distance, rel=0.01)
