"""Figures on made-up runs, and our runs with the seconds that a proposal took in the authors' runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.data import DataUnavailableError
from core.objectives.svm_surrogate import authors_svm_surrogate
from core.report.verdicts.published import published_runs
from papers.fabolas.grid_runs import SHOWN
from papers.fabolas.search_runs import AUTHORS_SHARES, DESIGNS, SHARES, TASKS, proposal_seconds, with_authors_overhead
from tests.papers.fabolas.conftest import TRUE, made_grid, made_models, made_noise, searches, tasks
from tests.papers.functions import Functions
from tests.papers.runs import Fake

artifacts = Functions("fabolas", "artifacts")


def test_kernels_have_an_extremum_at_all_of_the_data_and_are_linear():
    data = artifacts.fig4_2(Fake(), None).data
    loss, cost = (
        rows.pivot(index="s", columns="other", values="value") for _, rows in data.groupby("kernel", sort=False)
    )
    s, other = np.meshgrid(loss.index, loss.columns, indexing="ij")
    np.testing.assert_allclose(loss, 1 + (1 - s) ** 2 * (1 - other) ** 2, atol=1e-12)
    np.testing.assert_allclose(cost, 1 + s * other, atol=1e-12)


def test_figures_show_machines_of_all_kinds_and_both_noises():
    both = Fake(subset_models=made_models(0.01), authors_subset_models=made_models(0.1))
    assert artifacts.fig4_3(both, None).data["grid"].nunique() == 2
    data = artifacts.fig4_3(Fake(subset_models=made_models(0.01)), None).data
    assert list(data.groupby("quantity")["machine"].unique().map(sorted)) == [[0, 3, 6, 9]] * 2
    figure = artifacts.fig4_4(Fake(**made_noise(1e-3)), None)
    assert list(figure.data["noise"].value_counts(sort=False)) == [9, 10] and "25 machines over 10" in figure.caption


def test_figures_are_drawn_from_made_up_runs():
    figure = artifacts.fig4_1(Fake(grid=made_grid()), None)
    assert "10 values of C by 10 of gamma, trained on 64, 512, 2,048, 8,192 points" in figure.caption
    assert len(figure.data) == 4 * 100 and figure.data["measured"].all()
    theirs = made_grid().loc[lambda frame: frame["share"].isin(SHOWN)]
    both = artifacts.fig4_1(Fake(grid=made_grid(), authors_grid=theirs), None)
    assert both.data["grid"].value_counts().to_dict() == {"authors": 400, "ours": 400}
    assert both.caption.startswith("The authors' grid: support vector machines on MNIST, 10 values")
    names = list(SHARES) + [name for name in TASKS if name not in SHARES]
    auxiliary = tasks(dict.fromkeys(names, 10.0), dict.fromkeys(names, 0.01))
    results = Fake(surrogate=searches(TRUE), auxiliary=auxiliary)
    assert set(artifacts.fig4_5(results, None).data["method"]) >= {*TRUE, *SHARES}
    alone = artifacts.fig4_5(Fake(surrogate=searches(TRUE)), None)
    assert set(alone.data.loc[alone.data["panel"] == "(a)", "method"]) == {"mtbo"}
    assert set(artifacts.auxiliary_tasks(results, None).data["method"]) == set(TASKS)


@pytest.mark.parametrize("method", DESIGNS)
def test_the_authors_clocks_jump_after_their_initial_designs(method):
    """No evaluation of the design takes 10 seconds; the first after it takes over 100 in every run that has it."""
    frame, design = published_runs("fabolas/fig4_5_runs"), DESIGNS[method]
    rows = frame[frame["method"] == method]
    assert rows.loc[rows["evaluations"] <= design, "seconds"].max() < 10 * design
    first = rows.loc[rows["evaluations"] == design + 1, "seconds"]
    assert len(first) >= 5 and (first - 10 * design > 0).all()
    assert 100 < proposal_seconds(method) < 500


def test_proposals_count_and_designs_do_not():
    columns = {"method": ["fabolas", "fabolas", "fabolas_text", "mtbo", "gp"], "evaluation": [15, 18, 41, 5, 7]}
    frame = pd.DataFrame({**columns, "evaluation_seconds": 100.0, "proposal_seconds": 9.0, "finished": 109.0})
    found, once = with_authors_overhead(frame), proposal_seconds("fabolas")
    assert found["proposal_seconds"].tolist() == pytest.approx([0, 3 * once, once, 0, 9])
    assert found["finished"].tolist() == pytest.approx([100, 100 + 3 * once, 100 + once, 100, 109])
    assert frame["proposal_seconds"].eq(9).all()


def test_the_authors_clocks_count_logarithms_of_the_surrogates_seconds():
    """Of each evaluation of the initial designs, on the shares of their scripts; seconds would be far more."""
    try:
        surrogate = authors_svm_surrogate(download=False)
    except DataUnavailableError as error:
        pytest.skip(str(error))
    logs = np.random.default_rng(0).uniform(-10, 10, (20_000, 2))
    clocks = published_runs("fabolas/fig4_5_runs")
    for method, shares in AUTHORS_SHARES.items():
        seconds = np.stack([surrogate.look_up(logs, share)[1] for share in shares])
        least, most = (np.quantile(np.log(seconds), share, axis=1).cumsum() for share in (0.01, 0.99))
        rows = clocks[(clocks["method"] == method) & (clocks["evaluations"] <= len(shares))]
        at = rows["evaluations"].to_numpy(int) - 1
        assert len(rows) > 50 and (rows["seconds"].between(0.98 * least[at], 1.02 * most[at])).all()
        middle = np.log(np.median(seconds, axis=1)).cumsum()[at]
        assert np.median(rows["seconds"] / middle) == pytest.approx(1, abs=0.02)
        assert (np.median(seconds, axis=1).cumsum()[at] > 2.8 * rows["seconds"]).all()
