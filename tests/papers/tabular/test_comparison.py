"""Optimizers on the smoke table, and the figures of their runs."""

import numpy as np
import pytest

from core.experiment.catalogue import Catalogue
from core.experiment.context import Context
from core.experiment.runner import run_cell
from core.experiment.selection import find_cells
from core.experiment.table_search import make_optimizer
from core.foundation.errors import UserError
from core.report import style
from core.report.runs.frames import NotRunError
from core.study.curves import at_times
from papers.tabular.artifacts import comparison_figures as figures
from papers.tabular.comparison_runs import comparison_runs
from papers.tabular.experiments.comparison import table_benchmark
from tests.papers.functions import Functions
from tests.papers.runs import Fake

experiments = Functions("tabular", "experiments")

CELLS = {cell.method: cell for cell in find_cells(Catalogue(), "tabular/methods", "smoke")}
NETWORKS = find_cells(Catalogue(), "tabular/bohamiann", "smoke")[0]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A repository's root with the smoke table."""
    found = tmp_path_factory.mktemp("root")
    (table,) = CELLS["random"].needs
    run_cell(table, experiments.grid, found)
    return found


@pytest.mark.parametrize("method", CELLS)
def test_every_method_runs_on_the_smoke_table(method, root):
    context = Context(CELLS[method], range(2), root=root)
    frame = experiments.methods(context)
    assert set(frame["run"]) == {0, 1} and (frame["regret"] >= 0).all() and (frame["seconds"] > 0).all()
    for _, run in frame.groupby("run"):
        assert run["seconds"].is_monotonic_increasing and run["loss"].is_monotonic_decreasing
        bandit = method in ("hyperband", "bohb")
        # budgets 3 and 9: brackets that begin with 3 configurations, of which one is promoted, or with 2
        assert run["evaluation"].iloc[-1] == (2 * (3 + 1) + 2 * 2 if bandit else 20)
    again = experiments.methods(Context(CELLS[method], range(1, 2), root=root))
    np.testing.assert_array_equal(again["regret"], frame.loc[frame["run"] == 1, "regret"])
    assert list(context.read) == ["tabular/grid/diabetes/fcnet"]


def test_bohamiann_runs_on_the_smoke_table(root):
    frame = experiments.networks(Context(NETWORKS, range(2), root=root))
    assert set(frame["run"]) == {0, 1} and (frame.groupby("run")["evaluation"].max() == 5).all()


def test_methods_have_the_constants_of_the_thesis(root):
    benchmark = table_benchmark(Context(CELLS["random"], range(1), root=root))
    cells = {cell.method: cell for cell in find_cells(Catalogue(), "tabular/methods/protein", "paper")}
    bohb = make_optimizer(cells["bohb"].settings, benchmark, 0)
    constants = (bohb.eta, bohb.brackets, bohb.random_fraction, bohb.samples, bohb.bandwidth_factor)
    assert constants == (3, 125, pytest.approx(1 / 3), 64, 3) and bohb.minimum_bandwidth == 0.3
    evolution = make_optimizer(cells["regularized_evolution"].settings, benchmark, 0)
    assert (evolution.population, evolution.tournament) == (100, 10)
    reinforce = make_optimizer(cells["reinforce"].settings, benchmark, 0)
    assert (reinforce.learning_rate, reinforce.momentum) == (0.1, 0.9)
    settings = find_cells(Catalogue(), "tabular/bohamiann/protein", "paper")[0].settings
    model = settings.method.model(30)
    assert (model.burn_in, model.steps, model.batch_size) == (300, 20_300, 8)


def test_without_the_table_methods_do_not_run(tmp_path):
    with pytest.raises(UserError, match="tabular/grid/diabetes/fcnet: needed, but"):
        experiments.methods(Context(CELLS["random"], range(1), root=tmp_path))


@pytest.mark.parametrize("draw", [figures.fig7_5, figures.figD_10])
def test_figures_draw_the_runs(draw, results, make_runs):
    with style.context():
        figure = draw(results, None)
        figure.figure.canvas.draw()
    data = figure.data
    assert set(data["benchmark"]) == ({"protein"} if draw is figures.fig7_5 else {"protein", "naval"})
    rows = data[(data["benchmark"] == "protein") & (data["method"] == "tpe")]
    made = results.frames["methods"]
    runs = made[(made["benchmark"] == "protein") & (made["method"] == "tpe")]
    last = runs[runs["seconds"] == 100]["regret"]
    assert rows[rows["panel"] == "time"]["regret"].iloc[-1] == pytest.approx(last.median())
    np.testing.assert_allclose(rows[rows["panel"] == "end"]["regret"], np.sort(last))
    assert "over 100 runs" in figure.caption and "configurations of 62,208" in figure.caption
    with pytest.raises(NotRunError, match="methods"):
        comparison_runs(Fake(grid=results.frames["grid"]))


def test_lines_stop_where_runs_end_and_zero_is_at_the_edge(results, make_runs):
    changed = make_runs(tpe=[0.5, 0.1, 0.0, 0.0])
    changed = changed.with_frames(grid=results.frames["grid"])
    rows = changed.frames["methods"]
    changed = changed.with_frames(methods=rows[(rows["method"] != "tpe") | (rows["seconds"] <= 25)])
    with style.context():
        data = figures.fig7_5(changed, None).data
    tpe = data[data["method"] == "tpe"]
    assert tpe[tpe["panel"] == "time"]["seconds"].max() == pytest.approx(25)
    assert (tpe[tpe["panel"] == "end"]["regret"] == 0).all()  # as it is, where an axis has room for 0
    run = rows[(rows["benchmark"] == "protein") & (rows["method"] == "random") & (rows["run"] == 0)]
    assert at_times(run["seconds"].to_numpy(), run["regret"].to_numpy(), np.array([99.0]))[0] == run["regret"].iloc[2]
