"""The authors' tables as shipped records, and what is drawn and judged from them; made-up tables take their place."""

import re
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.report.runs.frames import NotRunError
from core.report.verdicts.published import read_published, read_published_spec
from core.tabular.analysis import dataset_correlations, table_importances
from core.tabular.grid import FCNET
from core.tabular.table import Table
from core.tabular.values import VALUES
from papers.tabular import experiments
from papers.tabular.authors_tables import (
    INCUMBENT,
    PRINTED,
    authors_neighbours,
    distributions,
    neighbourhood_of,
    pair,
    random_ones,
    rank_of,
    recorded_tables,
)
from papers.tabular.checks import tables as checks_of_tables
from papers.tabular.statistics import LEAD_OF_THE_RATE, SMALL_ERRORS, Resampled, spread_of
from papers.tabular.tables import AUTHORS_CHANGE, AUTHORS_ERROR
from tests.papers.functions import PAPERS, Functions, all_claims

FOLDER = PAPERS.root / "papers/tabular/published"
NEIGHBOURHOODS = {
    "protein": "table7_3",
    "naval": "tableD_1",
    "parkinsons": "tableD_2",
    "slice_localization": "tableD_4",
}
DRAWN = ("authors_distributions", "authors_importances", "authors_pairs")
LAST = "slice_localization"
JUDGED = ("fig7_1", "fig7_3", "fig7_4", "figD_1", "figD_4", "table7_3", "table7_4")
artifacts, claims = Functions("tabular", "artifacts"), Functions("tabular", "claims")


def made_up(name: str, mean: np.ndarray, noise: float = 0.001) -> Table:
    """A table with these errors (62,208,), in four repetitions with little noise."""
    factors = np.exp(noise * np.random.default_rng(0).standard_normal((FCNET.size, 4)))
    return Table(name, "made up", FCNET, (100,), valid_mse=np.float32(mean[:, None] * factors)[:, None])


def recorded(*experiments: str, **tables: Table) -> dict[str, pd.DataFrame]:
    """Records of these experiments, by name, if the authors' tables were these."""
    return {name: _frame(name, tables) for name in experiments}


def recorded_statistics(*statistics: Resampled, **tables: Table) -> dict[str, pd.DataFrame]:
    """The same of the experiment `authors_statistics`, with these statistics alone."""
    with patch.object(experiments, "OF_VALIDATION_ERRORS", statistics):
        return recorded("authors_statistics", **tables)


def _frame(experiment: str, tables: dict[str, Table]) -> pd.DataFrame:
    of_all = experiment == "authors_pairs"
    frames = []
    for name in ["all"] if of_all else list(tables):
        (cell,) = find_cells(PAPERS, f"tabular/{experiment}/{name}", "paper")
        with (
            patch.object(experiments, "table_of_authors", lambda context, name, seed=0: tables[name]),
            patch.object(experiments, "TABLES", tables),
        ):
            frame = getattr(experiments, experiment)(Context(cell, range(cell.runs)))
        frames.append(frame.assign(benchmark=name, method="fcnet", status="ok", message=""))
    return pd.concat(frames).sample(frac=1, random_state=0, ignore_index=True)


def neighbours(**errors: np.ndarray) -> pd.DataFrame:
    """Records of the printed incumbents' neighbours in made-up tables of these errors."""
    tables = {name: made_up(name, mean) for name, mean in errors.items()}
    return recorded("authors_neighbours", **tables)["authors_neighbours"]


@pytest.fixture(scope="module")
def levels() -> dict[str, np.ndarray]:
    return dict(zip(FCNET.values, FCNET.levels(np.arange(FCNET.size)).T, strict=True))


@pytest.fixture(scope="module")
def spread(levels) -> np.ndarray:
    """Errors that rise with the rate over three orders of magnitude, and a little with the widths."""
    return 0.1 * 4.0 ** levels["init_lr"] * (1 + 0.01 * levels["n_units_1"]) * 1.5 ** levels["activation_fn_1"]


def test_neighbours_are_recorded_with_the_rank_of_their_start(nothing):
    (cell,) = find_cells(Papers(), "tabular/authors_neighbours", "smoke")
    frame = experiments.authors_neighbours(Context(cell, range(4))).assign(
        benchmark="synthetic", method="fcnet", status="ok"
    )
    found = authors_neighbours(nothing.with_frames(authors_neighbours=frame.sample(frac=1, random_state=0)))[
        "synthetic"
    ]
    assert found.rank == 1 and {len(errors) for errors in found.errors.values()} == {4}
    start = found.errors.pop(INCUMBENT)
    assert all(errors.mean() >= start.mean() for errors in found.errors.values())
    assert start.tolist() == frame.loc[frame["change"] == INCUMBENT].sort_values("run")["valid_mse"].tolist()
    assert authors_neighbours(nothing) == {}


@pytest.mark.parametrize(("name", "artifact"), NEIGHBOURHOODS.items())
def test_printed_incumbents_are_those_of_paper_yaml_and_of_the_printed_changes(name, artifact, spread):
    own = dict(PAPERS.paper("tabular").experiments["neighbours"].benchmarks[name])
    assert own == PRINTED[name]
    table = Table(name, "made up", FCNET, (100,), valid_mse=np.float32(spread)[:, None, None])
    rows = set(neighbourhood_of(table, PRINTED[name]))
    assert set(read_published(FOLDER / f"{artifact}.csv").rows) <= rows and INCUMBENT in rows


def test_ranks_count_what_is_better(spread):
    table = Table("naval", "made up", FCNET, (100,), valid_mse=np.float32(spread)[:, None, None])
    (position,) = FCNET.positions([PRINTED["naval"]])
    assert rank_of(table, PRINTED[table.dataset]) == (spread < spread[position]).sum() + 1
    other = spread.copy()
    other[position] = 0.0
    assert rank_of(replace(table, valid_mse=np.float32(other)[:, None, None]), PRINTED["naval"]) == 1


def test_claims_have_an_outcome_on_the_authors_data_beside_that_of_our_runs(results, nothing, spread):
    """The narrow errors of our table and the wide ones of theirs answer differently, and neither replaces the other."""
    chosen = spread_of("valid"), LEAD_OF_THE_RATE
    theirs = recorded_statistics(*chosen, protein=made_up("protein", spread))
    check = claims.errors_spread_over_a_magnitude(results.with_frames(**theirs))
    assert check.reproduced.holds == "holds" and check.reproduced.ours == "1 of 1"
    assert replace(check, reproduced=None) == claims.errors_spread_over_a_magnitude(results)
    flat = recorded_statistics(*chosen, protein=made_up("protein", 1 + 1e-3 * spread))
    assert claims.errors_spread_over_a_magnitude(nothing.with_frames(**flat)).reproduced.holds == "fails"
    alone = claims.learning_rate_is_most_important(nothing.with_frames(**theirs))
    assert (alone.holds, alone.reproduced.holds) == ("not run", "holds")
    assert claims.times_vary_dramatically(results.with_frames(**theirs)).reproduced is None


@pytest.fixture(scope="module")
def two(spread, levels) -> dict[str, Table]:
    """Tables of two sets whose best configurations and rankings differ."""
    other = 1.0 + spread * 3.0 ** levels["dropout_1"] + 5.0 * (levels["n_units_2"] - 2) ** 2
    return {"protein": made_up("protein", spread, 0.01), "naval": made_up("naval", other, 0.01)}


@pytest.mark.slow
def test_claims_on_records_are_those_on_the_tables(results, two):
    """What every claim with a second outcome says of records is what it says of the tables that they were made from."""
    experiments = ("authors_statistics", "authors_pairs", "authors_best")
    made = results.with_frames(**recorded(*experiments, **two))
    checks = [claim.check(made) for claim in all_claims("tabular") if claim.artifact in JUDGED]
    found = [check.reproduced for check in checks if check.reproduced is not None]
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(checks_of_tables, "recorded_tables", lambda results, experiment="": two)
        again = [claim.check(made) for claim in all_claims("tabular") if claim.artifact in JUDGED]
    assert list(map(str, found)) == [str(check.reproduced) for check in again if check.reproduced is not None]
    assert len(found) == 19 and {check.holds for check in found} >= {"holds", "fails"}


def test_a_statistic_that_was_not_recorded_is_not_run(nothing, two):
    made = nothing.with_frames(**recorded_statistics(SMALL_ERRORS, **two))
    with pytest.raises(NotRunError, match="authors_best on protein"):
        _ = recorded_tables(made)["protein"].best_configuration
    with pytest.raises(NotRunError, match="authors_statistics: naval, kurtosis"):
        recorded_tables(made)["naval"].resamples("kurtosis")


def test_the_worst_changes_of_the_printed_incumbents(nothing, spread, levels):
    constant = spread * 9.0 ** levels["lr_schedule"]
    made = neighbours(protein=spread, **dict.fromkeys(("naval", "parkinsons", LAST), constant))
    check = claims.constant_rate_is_the_worst_flip_elsewhere(nothing.with_frames(authors_neighbours=made)).reproduced
    assert (check.holds, check.ours) == ("holds", "3 of 3")
    made = neighbours(naval=spread, protein=constant)
    assert (
        claims.constant_rate_is_the_worst_flip_elsewhere(nothing.with_frames(authors_neighbours=made)).reproduced.holds
        == "fails"
    )
    assert (
        claims.activations_are_the_worst_flips_on_protein(nothing.with_frames(authors_neighbours=made)).reproduced.holds
        == "fails"
    )


def test_tables_quote_errors_and_judge_relative_changes(results, spread):
    made = results.with_frames(authors_neighbours=neighbours(naval=spread))
    table = artifacts.tableD_1(made, read_published(FOLDER / "tableD_1.csv"))
    row = "init_lr: 0.0005 to 0.001"
    assert table.cells[INCUMBENT, AUTHORS_ERROR].verdict is None
    assert table.cells[row, AUTHORS_CHANGE].ours == pytest.approx(3.0, rel=0.01)
    assert len(table.reproduced_verdicts) == len(authors_neighbours(made)["naval"].errors) - 1
    assert all(not verdict.reduced for verdict in table.reproduced_verdicts)


def test_the_best_configuration_of_the_authors_data_is_compared(results, spread):
    (position,) = FCNET.positions([PRINTED["naval"]])
    errors = spread.copy()
    errors[position] = 1e-3
    made = results.with_frames(**recorded("authors_best", "authors_neighbours", naval=made_up("naval", errors)))
    table = artifacts.table7_4(made, read_published_spec(FOLDER / "table7_4.csv"))
    assert [verdict.kind for verdict in table.reproduced_verdicts] == ["equal"] * 9
    assert "Naval 1 there" in table.caption
    compared = artifacts.tableD_1(made, read_published(FOLDER / "tableD_1.csv"))
    assert compared.caption.endswith("It is the best of them.")


def test_the_largest_change_of_their_best_is_told_where_another_is_printed(results, spread, levels):
    table = made_up("naval", spread * 9.0 ** levels["lr_schedule"])
    made = results.with_frames(**recorded("authors_best", "authors_neighbours", naval=table))
    caption = artifacts.tableD_1(made, read_published(FOLDER / "tableD_1.csv")).caption
    assert "Activation/Layer 1 relu" in caption and "Layer 1 Size 16" in caption
    assert re.search(r"largest relative change from there is 8\.\d* \(LR Schedule: cosine to const\)\.", caption)


@pytest.mark.parametrize("name", ["fig7_1", "fig7_3", "fig7_4", "figD_1", "figD_4", "figD_9"])
def test_figures_show_the_authors_data(name, results, spread):
    experiments = [each for each in PAPERS.paper("tabular").artifacts[name].experiments if each in DRAWN]
    tables = {each: made_up(each, errors) for each, errors in {"protein": spread, LAST: spread[::-1]}.items()}
    figure = getattr(artifacts, name)(results.with_frames(**recorded(*experiments, **tables)), None)
    data = figure.data
    told = data["source"] if "source" in data else data["curve"]
    assert told.str.contains("authors' data").any() and "62,208 configurations" in figure.caption


def test_records_for_drawings_are_those_of_the_tables(results, spread, levels):
    """Distributions within a thousandth, importances and correlations as computed from the tables themselves."""
    tables = [made_up("protein", spread), made_up(LAST, spread * 2.0 ** levels["dropout_1"])]
    made = results.with_frames(**recorded(*DRAWN, **{table.dataset: table for table in tables}))
    errors, shown = tables[0].mean_final, distributions(made, "error")["protein"]
    assert len(shown) == 1001 and (shown[0], shown[-1]) == pytest.approx((errors.min(), errors.max()), rel=1e-6)
    shares = (errors[:, None] <= shown * (1 + 1e-6)).mean(axis=0)
    np.testing.assert_allclose(shares, np.linspace(0, 1, 1001), atol=1e-3)
    figure = artifacts.fig7_4(made, None).data
    theirs = figure[figure["source"] == "authors' data"].drop(columns="source")
    keys = ["share", "first", "second"]
    pd.testing.assert_frame_equal(
        theirs.sort_values(keys, ignore_index=True)[[*keys, "correlation", "configurations"]],
        dataset_correlations(tables).sort_values(keys, ignore_index=True)[[*keys, "correlation", "configurations"]],
    )
    bars = artifacts.figD_9(made, None).data
    expected = table_importances(tables[1], 0.1)["importance"].to_numpy()
    drawn = bars[(bars["source"] == "authors' data") & (bars["share"] == 0.1)]["importance"]
    np.testing.assert_allclose(np.sort(drawn), np.sort(expected), rtol=1e-9)


def test_our_training_beside_theirs(results, tables):
    """The authors' errors are ours over 1.5, and those with one rate over 3; many of their networks learned nothing."""
    ours = tables["protein"]
    rates = ours.grid.levels(np.arange(ours.grid.size))[:, 0]
    whole = np.full(FCNET.size, 0.6)
    whole[ours.grid.indices] = ours.mean_valid[:, -1] / np.where(rates == 2, 3.0, 1.5)
    whole = np.where(np.isfinite(whole), whole, 5.0)
    repeated = np.repeat(np.float32(whole)[:, None, None], 4, axis=2)
    found = pair(ours, Table("protein", "made up", FCNET, (100,), valid_mse=repeated))
    medians = found.ratios_by_value().set_index(["hyperparameter", "value"])["median"]
    assert medians["init_lr", "0.005"] == pytest.approx(3.0, rel=1e-5)
    assert medians["init_lr", "0.01"] == pytest.approx(1.5, rel=1e-5)
    assert medians["dropout_2", "0.3"] == pytest.approx(1.5, rel=1e-5)
    assert 0.5 < found.rank_correlation < 1 and found.spread == 0 and found.our_spread > 0
    assert found.rank_of_our_best == (found.theirs < found.theirs[found.errors.argmin()]).sum() + 1
    assert found.constant == pytest.approx(0.6)
    columns = {"configuration": ours.grid.indices, "error": found.theirs, "benchmark": "protein", "method": "fcnet"}
    record = pd.DataFrame(columns).assign(spread=found.spread, constant=found.constant)
    figure = artifacts.beside_authors(results.with_frames(authors_beside=record.sample(frac=1, random_state=0)), None)
    assert set(figure.data["dataset"]) == {"protein"} and set(figure.data["part"]) == {"errors", "ratios"}
    drawn = figure.data[figure.data["part"] == "errors"]
    np.testing.assert_allclose(drawn["authors"], whole[ours.grid.indices], rtol=1e-5)


def test_configurations_drawn_at_random_stand_beside_theirs(results, tables):
    """Our errors are theirs times 2, and times 4 with the activation tanh in the first layer; one of ours diverged."""
    ours = tables["protein"]
    record = pd.DataFrame({"configuration": ours.grid.indices, "error": ours.mean_valid[:, -1] / 1.5})
    record = record.assign(benchmark="protein", method="fcnet", spread=0.1, constant=1.0)
    drawn = np.random.default_rng(0).permutation(FCNET.size)[:300]
    theirs = np.exp(np.random.default_rng(1).normal(size=(300, 4)))
    tanh = np.array([one["activation_fn_1"] == "tanh" for one in FCNET.configurations(drawn)])
    mine = theirs.mean(axis=1) * np.where(tanh, 4.0, 2.0)
    mine[7] = np.nan
    columns = {"configuration": drawn, "valid_mse": [[error] for error in mine], "authors_mse": list(theirs)}
    frame = pd.DataFrame(columns).assign(benchmark="protein", method="fcnet")
    made = results.with_frames(authors_beside=record, random_configurations=frame)
    found = random_ones(made)["protein"]
    assert len(found.indices) == 299 and drawn[7] not in found.indices
    medians = found.ratios_by_value().set_index(["hyperparameter", "value"])["median"]
    assert len(medians) == sum(map(len, VALUES.values()))
    assert medians["activation_fn_1", "tanh"] == pytest.approx(4) and medians[
        "activation_fn_1", "relu"
    ] == pytest.approx(2)
    figure = artifacts.beside_authors(made, None)
    shown = figure.data[figure.data["source"] == "drawn from the whole grid"]
    assert (shown["part"] == "errors").sum() == 299 and "299 configurations drawn at random" in figure.caption


def test_nothing_stands_beside_a_set_that_we_did_not_train(results):
    record = {"configuration": [0], "error": [1.0], "benchmark": ["slice_localization"], "method": ["fcnet"]}
    frame = pd.DataFrame(record).assign(spread=0.1, constant=1.0)
    with pytest.raises(NotRunError, match="on the same data set"):
        artifacts.beside_authors(results.with_frames(authors_beside=frame), None)


def test_searches_on_the_formula_and_their_figure(results):
    cells = find_cells(Papers(), "tabular/authors_methods", "smoke")
    parts = [experiments.authors_methods(Context(cell, range(2))).assign(method=cell.method) for cell in cells]
    frame = pd.concat(parts).assign(benchmark="synthetic", status="ok", message="")
    assert (frame["finished"] == frame["evaluation"]).all() and (frame["regret"] >= 0).all()
    assert (frame.groupby(["method", "run"])["evaluation"].max() == 20).all()
    (cell,) = find_cells(Papers(), "tabular/authors_bohamiann", "smoke")
    network = experiments.authors_networks(Context(cell, range(1))).assign(method="bohamiann", benchmark="synthetic")
    assert network["evaluation"].max() == 5 and (network["regret"] >= 0).all()
    made = results.with_frames(authors_methods=frame, authors_bohamiann=network)
    figure = artifacts.authors_searches(made, None)
    assert set(figure.data["method"]) == {*(cell.method for cell in cells), "bohamiann"}
    assert "(2 runs; BOHAMIANN: 1 runs) of the incumbent" in figure.caption
    with pytest.raises(NotRunError):
        artifacts.authors_searches(results, None)
