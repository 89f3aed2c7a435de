"""Tables and figures of chapter 7 on tables by formula, and the transcriptions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report import style
from core.report.runs.frames import NotRunError, rows_of
from core.report.verdicts.published import read_published, read_published_spec
from core.study.curves import at_times
from core.tabular.grid import FCNET
from core.tabular.values import VALUES
from papers.tabular.authors_tables import INCUMBENT, change_name
from papers.tabular.comparison import comparison_runs
from papers.tabular.tables import inputs_of, relative_change
from papers.tabular.trained_tables import noise_of
from tests.papers.functions import PAPERS, Functions
from tests.papers.runs import Fake

artifacts = Functions("tabular", "artifacts")

FOLDER = PAPERS.root / "papers/tabular" / "published"
SPEC = ("table7_2", "table7_4")
NEIGHBOURHOODS = ("table7_3", "tableD_1", "tableD_2", "tableD_3", "tableD_4")


def published(name: str):
    return (read_published_spec if name in SPEC else read_published)(FOLDER / f"{name}.csv")


def changes_of(cells) -> list[str]:
    return [row for row in cells.rows if row != INCUMBENT]


def test_every_artifact_of_paper_yaml_is_a_function_and_has_its_numbers():
    spec = Papers().paper("tabular")
    for name, artifact in spec.artifacts.items():
        assert callable(getattr(artifacts, name))
        assert artifact.kind == "figure" or (FOLDER / f"{name}.csv").exists()


def test_the_transcribed_space_is_table_7_2_of_core():
    table = artifacts.table7_2(None, published("table7_2"))
    kinds = {key: cell.verdict.kind for key, cell in table.cells.items()}
    assert table.cells["lr_schedule", "choices"].text == "cosine, fix"  # const in the published files
    assert set(kinds.values()) == {"as configured"} and len(kinds) == 9


@pytest.mark.parametrize("name", NEIGHBOURHOODS)
def test_printed_changes_agree_with_printed_errors(name):
    """Error = incumbent's (1 + relative change), as printed: a transcription that slipped would not."""
    cells = published(name)
    incumbent = cells[INCUMBENT, "test_error"].value
    for row in changes_of(cells):
        error, change = (cells[row, column].value for column in ("test_error", "relative_change"))
        # half a unit of the last printed digit of the error, the change and the incumbent's error
        slack = 0.5e-4 * (1 + incumbent) + (1 + change) * (0.5e-4 if incumbent > 0.1 else 0.5e-6)
        assert error == pytest.approx(incumbent * (1 + change), abs=slack)
        parameter, values = row.split(": ")
        before, after = values.split(" to ")
        allowed = list(map(str, VALUES[parameter]))
        assert abs(allowed.index(before) - allowed.index(after)) == 1


def test_changes_are_sorted_and_table_7_3_is_table_d_3():
    for name in NEIGHBOURHOODS:
        cells = published(name)
        changes = [cells[row, "relative_change"].value for row in changes_of(cells)]
        assert changes == sorted(changes)
    first, second = published("table7_3"), published("tableD_3")
    assert {key: first[key].text for key in first} == {key: second[key].text for key in second}


def test_splits_are_counted_from_the_tables(results):
    table = artifacts.table7_1(results, published("table7_1"))
    assert {column: table.cells["protein", column].text for column in table.columns} == {
        "train": "27438", "validation": "9146", "test": "9146", "features": "10"
    }  # fmt: skip
    kinds = {key: cell.verdict.kind for key, cell in table.cells.items()}
    assert kinds["protein", "train"] == kinds["naval", "train"] == "equal"
    assert kinds["naval", "validation"] == kinds["protein", "features"] == "differs"
    assert kinds["parkinsons", "train"] == "not run"


def test_inputs_follow_from_the_number_of_parameters(tables):
    assert inputs_of(tables["protein"]) == 10
    units = tables["protein"].grid.configurations([0])[0]["n_units_1"]
    assert inputs_of(replace(tables["protein"], parameters=tables["protein"].parameters + 5 * units)) == 15


def test_the_neighbourhood_has_a_verdict_where_both_have_the_change(results, tables):
    table = artifacts.table7_3(results, published("table7_3"))
    best, grid = tables["protein"].best_configuration, tables["protein"].grid
    changed = next(value for value in grid.values["activation_fn_1"] if value != best["activation_fn_1"])
    row = change_name("activation_fn_1", best["activation_fn_1"], changed)
    (position,) = grid.positions([best | {"activation_fn_1": changed}])
    cell = table.cells[row, "test_error"]
    assert cell.ours == pytest.approx(tables["protein"].mean_test[position]) and cell.runs == 4
    relative = tables["protein"].mean_test[position] / tables["protein"].mean_test.min() - 1
    assert table.cells[row, "relative_change"].ours == pytest.approx(relative)
    assert table.cells[INCUMBENT, "test_error"].ours == pytest.approx(tables["protein"].mean_test.min())
    assert table.cells[INCUMBENT, "relative_change"].verdict is None
    assert table.row_labels[row].startswith("Activation/Layer 1: ")
    absent = [row for row in table.rows if table.cells[row, "test_error"].runs == 0]
    assert all(table.cells[row, "test_error"].verdict.kind == "not run" for row in absent)


def test_the_printed_incumbents_neighbours_have_the_verdict(results):
    """0.25 after the incumbent's 0.2 is a change of 0.25; the thesis has 0.3351 for the second activation."""
    start = find_cells(Papers(), "tabular/neighbours/protein", "paper")[0].settings.incumbent
    chosen = [start, start | {"activation_fn_2": "tanh"}]
    errors = [[0.2 + 1e-4 * i for i in range(4)], [0.25 + 1e-4 * i for i in range(4)]]
    frame = pd.DataFrame({"configuration": FCNET.indices[FCNET.positions(chosen)], "test_mse": errors})
    frame = frame.assign(benchmark="protein", method="fcnet", run=range(2), status="ok", message="")
    table = artifacts.table7_3(results.with_frames(neighbours=frame), published("table7_3"))
    changed = table.cells["activation_fn_2: relu to tanh", "printed_change"]
    assert changed.ours == pytest.approx(0.25, abs=1e-3) and changed.verdict.kind == "differs"
    assert table.cells[INCUMBENT, "printed_error"].ours == pytest.approx(0.20015)
    assert table.cells[INCUMBENT, "printed_error"].verdict.kind == "better"
    for row in (INCUMBENT, "activation_fn_2: relu to tanh"):
        assert table.cells[row, "test_error"].verdict is None
    other = table.cells["activation_fn_1: relu to tanh", "printed_change"]
    assert other.published is None and other.verdict is None
    assert "From the printed incumbent: layers of 512 and 512 units." in table.caption


def test_changes_from_narrower_layers_than_printed_are_outside(results):
    start = find_cells(Papers(), "tabular/activations/protein", "paper")[0].settings.incumbent
    chosen = [one | {"n_units_1": 256} for one in (start, start | {"activation_fn_2": "tanh"})]
    errors = [[0.2 + 1e-4 * i for i in range(4)], [0.25 + 1e-4 * i for i in range(4)]]
    frame = pd.DataFrame({"configuration": FCNET.indices[FCNET.positions(chosen)], "test_mse": errors})
    frame = frame.assign(benchmark="protein", method="fcnet", run=range(2), status="ok", message="")
    table = artifacts.table7_3(results.with_frames(activations=frame), published("table7_3"))
    for row, column in ((INCUMBENT, "printed_error"), ("activation_fn_2: relu to tanh", "printed_change")):
        verdict = table.cells[row, column].verdict
        assert verdict.kind == "outside" and verdict.note == "starts from Layer 1 Size 256"


def test_changes_are_no_better_than_others(results):
    table = artifacts.table7_3(results, published("table7_3"))
    kinds = {table.cells[row, "relative_change"].verdict.kind for row in table.rows if row != INCUMBENT}
    assert "outside" in kinds and kinds <= {
        "outside",
        "not run",
        "not published",
    }  # our incumbent is not the printed one


def test_the_interval_of_a_change_covers_it_and_knows_both_noises():
    """Of 2,000 ratios of means of 4, about 95 of 100 intervals hold the true one; with one side exact, far fewer."""
    rng = np.random.default_rng(0)
    changed, best = 0.4 * (1 + 0.05 * rng.standard_normal((2, 2000, 4))) * np.array([1.3, 1.0])[:, None, None]
    held = [relative_change(a, b) for a, b in zip(changed, best, strict=True)]
    share = np.mean([low <= 0.3 <= high for _, low, high in held])
    assert 0.935 < share < 0.985  # Welch's interval is a little wide for four and four
    one = relative_change(changed[0], best[0])
    assert one.estimate == pytest.approx(changed[0].mean() / best[0].mean() - 1)
    assert one.high - one.low > (narrow := relative_change(changed[0], np.full(4, 0.4))).high - narrow.low
    assert np.isnan(relative_change(np.array([1.0, np.inf]), best[0]).estimate)


def test_errors_printed_without_digits_are_quoted_only(results):
    table = artifacts.tableD_1(results, published("tableD_1"))
    quoted = {row for row in table.rows if (cell := table.cells[row, "test_error"]).published and cell.verdict is None}
    assert "lr_schedule: cosine to const" not in quoted and "dropout_1: 0.0 to 0.3" not in quoted
    assert "activation_fn_2: relu to tanh" in quoted and len(quoted) == 8


def test_the_best_configurations(results, tables, monkeypatch):
    table = artifacts.table7_4(results, published("table7_4"))
    best = tables["naval"].best_configuration
    assert table.cells["n_units_1", "naval"].text == str(best["n_units_1"])
    kinds = {table.cells[name, "naval"].verdict.kind for name in VALUES}
    assert kinds == {"outside"}  # the grid is a part of the published one
    monkeypatch.setattr("papers.tabular.tables.WHOLE", tables["naval"].grid.size)
    table = artifacts.table7_4(results, published("table7_4"))
    same = table.cells["init_lr", "naval"].verdict.kind
    assert same == ("equal" if str(best["init_lr"]) == "0.0005" else "differs")
    assert {table.cells[name, "slice_localization"].verdict.kind for name in VALUES} == {"not run"}


FIGURES = [name for name in PAPERS.paper("tabular").artifacts if name.startswith("fig")]


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("fig7_5", "figD_10")])
def test_figures_draw_what_they_return(results, name):
    with style.context():
        if name in ("figD_7", "figD_9"):
            with pytest.raises(NotRunError, match="grid/"):
                getattr(artifacts, name)(results, None)
            return
        figure = getattr(artifacts, name)(results, None)
        figure.figure.canvas.draw()
    assert len(figure.data) and figure.data.notna().to_numpy().all()
    assert f"{tables_size(results):,} configurations of 62,208" in figure.caption


def tables_size(results) -> int:
    return len(rows_of(results, "grid", benchmark="protein"))


@pytest.mark.parametrize("name", [*FIGURES, "table7_1", "table7_3", "table7_4", "tableD_2"])
def test_without_tables_nothing_was_run(nothing, name):
    with pytest.raises(NotRunError):
        getattr(artifacts, name)(nothing, published(name) if name.startswith("table") else None)


def test_distributions_end_at_the_share_that_did_not_diverge(results, tables):
    with style.context():
        data = artifacts.figD_1(results, None).data
    test = data[(data["curve"] == "test") & (data["dataset"] == "protein")]
    assert test["share"].iloc[-1] == np.isfinite(tables["protein"].mean_test).mean() < 1
    assert test["value"].is_monotonic_increasing


def test_noise_is_the_standard_deviation_over_repetitions(tables):
    noise, errors = noise_of(tables["protein"]), tables["protein"].valid_mse
    diverged = np.isnan(errors).any(axis=-1)
    assert (np.isinf(noise) == diverged).all()
    np.testing.assert_allclose(noise[~diverged], errors[~diverged].std(axis=-1, ddof=1), rtol=1e-4)


def test_the_effect_of_rules_is_the_probability_of_a_smaller_regret(results):
    """Log-normal regrets, the text's 1.3 times the code's: P = Phi(log 1.3 / (0.3 sqrt 2)). Others have no text's."""
    drawn = artifacts.code_rules(results, None).data
    assert list(drawn["benchmark"]) == ["protein", "naval"] and set(drawn["group"]) == {"BOHB"}
    np.testing.assert_allclose(drawn["value"], norm.cdf(np.log(1.3) / (0.3 * 2**0.5)), atol=0.01)


@pytest.mark.parametrize("name", ["fig7_5", "figD_10"])
def test_figures_draw_the_runs(name, results):
    with style.context():
        figure = getattr(artifacts, name)(results, None)
        figure.figure.canvas.draw()
    data = figure.data
    assert set(data["benchmark"]) == ({"protein"} if name == "fig7_5" else {"protein", "naval"})
    rows = data[(data["benchmark"] == "protein") & (data["method"] == "tpe")]
    made = results.frames["methods"]
    runs = made[(made["benchmark"] == "protein") & (made["method"] == "tpe")]
    last = runs[runs["finished"] == 100]["regret"]
    assert rows[rows["panel"] == "time"]["regret"].iloc[-1] == pytest.approx(last.median())
    np.testing.assert_allclose(rows[rows["panel"] == "end"]["regret"], np.sort(last))
    assert "over 100 runs" in figure.caption and "configurations of 62,208" in figure.caption
    with pytest.raises(NotRunError, match="methods"):
        comparison_runs(Fake(grid=results.frames["grid"]))


def test_lines_stop_where_runs_end_and_zero_is_at_the_edge(results, make_runs):
    changed = make_runs(tpe=[0.5, 0.1, 0.0, 0.0])
    changed = changed.with_frames(grid=results.frames["grid"])
    rows = changed.frames["methods"]
    changed = changed.with_frames(methods=rows[(rows["method"] != "tpe") | (rows["finished"] <= 25)])
    with style.context():
        data = artifacts.fig7_5(changed, None).data
    tpe = data[data["method"] == "tpe"]
    assert tpe[tpe["panel"] == "time"]["seconds"].max() == pytest.approx(25)
    assert (tpe[tpe["panel"] == "end"]["regret"] == 0).all()  # as it is, where an axis has room for 0
    run = rows[(rows["benchmark"] == "protein") & (rows["method"] == "random") & (rows["run"] == 0)]
    assert at_times(run["finished"].to_numpy(), run["regret"].to_numpy(), np.array([99.0]))[0] == run["regret"].iloc[2]
