"""What the experiments record, against the definitions of the paper computed from the records or from the target."""

import numpy as np
import pandas as pd
import pytest
import torch

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.objectives import synthetic
from papers.nnbo_regret.experiments import POSTERIOR, SlowObjective
from papers.nnbo_regret.search import Runs, make_target
from tests.papers.functions import Functions

experiments = Functions("nnbo_regret", "experiments")

CELLS = (
    "mixture/gaussian_mixture",
    "hartmann/hartmann4_rescaled",
    "line/gaussian_process",
    "line/brofos_quartic",
)


def context(name: str, runs: int = 2, method: str = "least_squares", **overrides) -> Context:
    cell = find_cells(Papers(), f"nnbo_regret/{name}/{method}", "smoke", runs, {"steps": 60, **overrides})[0]
    return Context(cell, range(runs))


@pytest.fixture(scope="module", params=CELLS)
def frame(request) -> pd.DataFrame:
    return experiments.regret(context(request.param, queries=20, record="paths"))


def test_a_row_a_query_all_finite(frame):
    assert len(frame) == 40
    assert np.isfinite(frame.select_dtypes("floating")).all().all()
    for _, run in frame.groupby("run"):
        assert run["evaluation"].tolist() == list(range(1, 21))
        assert run["batch"].tolist() == [1 + i // 5 for i in range(20)]
        assert run["observations"].tolist() == [50 + 5 * (i // 5) for i in range(20)]


def test_minimum_regret_is_the_smallest_so_far(frame):
    for _, run in frame.groupby("run"):
        assert (run["regret"] >= 0).all() and (run["minimum_regret"] <= run["regret"]).all()
        assert run["minimum_regret"].is_monotonic_decreasing
        assert (run["minimum_regret"] <= run["initial_regret"]).all()


def test_posterior_is_shared_by_a_batch(frame):
    for _, batch in frame.groupby(["run", "batch"]):
        assert batch["mu_optimum"].nunique() == batch["floored"].nunique() == 1
    assert (frame["variance"] >= 0).all()


@pytest.mark.parametrize("name", CELLS)
def test_variance_is_within_the_triangle(name):
    """|sqrt(a) - sqrt(b)| <= sd(f(x) - f(x*)) <= sqrt(a) + sqrt(b) for every covariance."""
    search = Runs(context(name, queries=10))
    search.query()
    model, last = search.rule.model, search.batches[-1]
    _, observed = model.moments(torch.cat([search.X[:, -5:], search.target.optimizer], 1))
    noise = model.targets.scale.square() * model.noise_variance.unsqueeze(-1)
    sds = (observed - noise).clamp_min(0).sqrt()
    a, b, sd = sds[:, :5], sds[:, 5:], last.difference.sqrt()
    slack = 1e-3 * (a + b) + 1e-6
    assert (sd <= a + b + slack).all() and (sd >= (a - b).abs() - slack).all()


def test_regrets_alone_are_a_part_of_the_paths():
    paths, regrets = (
        experiments.regret(context("line/brofos_quartic", queries=10, record=each)) for each in ("paths", "regrets")
    )
    assert set(paths.columns) - set(regrets.columns) == set(POSTERIOR)
    pd.testing.assert_frame_equal(paths[regrets.columns], regrets)


def test_records_are_of_the_maximized_function_and_its_posterior():
    """One batch by hand: the model fitted to -f + noise, its mean with the sign turned, Eq. 17 by the joint."""
    search = Runs(context("mixture/gaussian_mixture", queries=10))
    search.query()
    _, second = search.batches
    model, X = search.rule.model, search.X[:, -5:]
    assert torch.equal(search.target.function(X), second.value)
    best = torch.tensor(synthetic.gaussian_mixture.optimizers[0], dtype=torch.float64).expand(2, 1, 2)
    at = torch.cat([X, (best + 1) / 2], 1)
    mean, _ = model.moments(at)
    torch.testing.assert_close(second.mean, -mean[:, :5])
    torch.testing.assert_close(second.mean_best, -mean[:, 5:].expand(-1, 5))
    Phi, nu = model.features(search.X[:, :-5]), model.features(at)
    inverse = torch.linalg.inv(Phi.mT @ Phi)
    difference = nu[:, :5] - nu[:, 5:]
    noise = model.targets.scale.square() * model.noise_variance.unsqueeze(-1)
    expected = noise * ((difference @ inverse) * difference).sum(-1)
    torch.testing.assert_close(second.difference, expected, rtol=1e-3, atol=1e-9)


def test_repetitions_are_the_same_in_another_shard():
    whole = experiments.regret(context("line/gaussian_process", runs=3, queries=10))
    cell = context("line/gaussian_process", runs=3, queries=10).cell
    part = experiments.regret(Context(cell, range(1, 2)))
    again = whole[whole["run"] == 1].reset_index(drop=True)
    assert part["initial_regret"].to_numpy() == pytest.approx(again["initial_regret"].to_numpy())
    assert part["mu_optimum"].iloc[0] == pytest.approx(again["mu_optimum"].iloc[0], rel=0.05, abs=0.05)


def test_draws_have_the_kernel_s_covariance_and_their_own_maxima():
    target = make_target("gaussian_process", range(4000), 0.5)
    U = torch.tensor([[0.1], [0.2], [0.4], [0.9]], dtype=torch.float64)
    values = target.function(U)
    x = 2 * U[:, 0] - 1
    kernel = (-0.5 * ((x[:, None] - x) / 0.5) ** 2).exp()
    covariance = values.T @ values / 4000
    # standard error of a covariance of unit normals is at most sqrt(2 / 4000) = 0.022
    torch.testing.assert_close(covariance, kernel, atol=0.09, rtol=0)
    fine = torch.linspace(0, 1, 1001, dtype=torch.float64)[:, None]
    assert (target.function(fine) <= target.optimum + 1e-5).all()
    torch.testing.assert_close(target.function(target.optimizer), target.optimum)


@pytest.mark.parametrize("name", ["gaussian_mixture", "hartmann4_rescaled", "brofos_quartic"])
def test_synthetic_targets_are_maximized_at_their_optimizer(name):
    target = make_target(name, [0, 1], 0.2)
    torch.testing.assert_close(target.function(target.optimizer), target.optimum, atol=1e-6, rtol=0)
    U = torch.rand(2, 200, target.dimension, dtype=torch.float64)
    assert (target.function(U) <= target.optimum).all()


def test_illustration_has_grid_data_and_the_next_batch():
    frame = experiments.illustration(context("illustration/gaussian_process", queries=10))
    for _, run in frame.groupby("run"):
        sizes = run["part"].value_counts()
        assert (sizes["grid"], sizes["data"], sizes["query"]) == (500, 60, 5)
        grid, query = (run[run["part"] == part] for part in ("grid", "query"))
        # the features are single precision, and rounded differently over 500 points and over 5
        assert query["ei"].iloc[0] == pytest.approx(grid["ei"].max(), rel=1e-4)
        assert set(query["x"]) <= set(grid["x"]) and grid["x"].between(-1, 1).all()


def test_seconds_are_those_of_each_run():
    frame = experiments.seconds(context("seconds/gaussian_mixture", queries=10))
    assert frame["run"].tolist() == [0, 1] and (frame["seconds"] > 0).all()


def test_slow_objective_is_the_noisy_function_and_reports_its_regret():
    objective = SlowObjective("gaussian_mixture", 1e-6, 0.01)
    points = [{"x1": 0.15, "x2": 0.7}] * 400
    found = objective.evaluate(points, None, np.random.default_rng(0))
    value = synthetic.gaussian_mixture(torch.tensor([0.15, 0.7], dtype=torch.float64)).item()
    assert found.loss.mean() == pytest.approx(value, abs=0.002) and found.loss.std() == pytest.approx(0.01, rel=0.15)
    assert found.info[0]["regret"] == pytest.approx(value - objective.optimum)


def test_sequential_wall_clock_finishes_one_evaluation_after_another():
    cell = context("wall_clock/gaussian_mixture", 1, "sequential", queries=10, seconds=0.001)
    frame = experiments.wall_clock(cell)
    assert frame["evaluation"].tolist() == list(range(1, 61))
    assert (frame["started"].to_numpy()[1:] >= frame["finished"].to_numpy()[:-1]).all()
    assert (frame["finished"] - frame["started"] >= 0.001).all()


@pytest.mark.slow
def test_workers_evaluate_side_by_side():
    cell = context("wall_clock/gaussian_mixture", 1, "parallel_2", queries=10, seconds=0.05)
    frame = experiments.wall_clock(cell)
    assert sorted(frame["evaluation"]) == list(range(1, 61)) and set(frame["worker"]) == {0, 1}
    running = [((frame["started"] <= t) & (frame["finished"] > t)).sum() for t in frame["started"]]
    assert max(running) == 2


def test_gaussian_process_starts_from_uniform_points_and_stays_on_the_grid():
    cell = find_cells(Papers(), "nnbo_regret/gaussian_process/gaussian_mixture", "smoke", 2, {"queries": 2})[0]
    frame = experiments.gaussian_process(Context(cell, range(2)))
    assert frame.groupby("run")["evaluation"].apply(list).tolist() == [[1, 2], [1, 2]]
    assert (frame["minimum_regret"] <= frame["regret"]).all() and (frame["regret"] >= 0).all()
    function, axis = synthetic.lookup("gaussian_mixture"), torch.linspace(0, 1, 10, dtype=torch.float64)
    grid = function.on_cube(torch.cartesian_prod(axis, axis)).numpy() - function.optimum
    for regret in frame["regret"]:
        assert np.abs(grid - regret).min() < 1e-12


def test_interpolation_is_timed_at_each_number_of_observations():
    overrides = {"observations": (60, 120), "steps": 10, "repeats": 1}
    cell = find_cells(Papers(), "nnbo_regret/interpolation", "smoke", 2, overrides)[0]
    frame = experiments.interpolation(Context(cell, range(2)))
    assert frame["observations"].tolist() == [60, 120] * 2 and (frame["seconds"] >= 0).all()
