"""BOHB's experiments at the smoke scale, through the runner."""

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from core.experiment.context import Context
from core.experiment.paper import Papers
from core.experiment.selection import find_cells
from core.objectives.base import Fidelity
from core.objectives.counting_ones import CountingOnes
from core.objectives.fcnet_surrogate import FCNetSurrogate
from core.study.methods import method_of
from papers.bohb.experiments import searches
from papers.bohb.settings import ShakenSearch, SimulatedSearch

SURROGATE = [
    "surrogates/digits/random",
    "surrogates/digits/tpe",
    "surrogates/digits/hyperband",
    "surrogates/digits/bohb",
    "surrogates_gp/digits/gp",
    "workers/digits/workers_1",
    "workers/digits/workers_32",
    "samples/digits/samples_4",
    "random_fraction/digits/random_0",
    "eta/digits/eta_4",
    "bandwidth_factor/digits/factor_1",
]
COUNTING = [
    *(f"counting_ones/d8/{method}" for method in ("random", "tpe", "hyperband", "bohb")),
    "counting_ones_text/d8/bohb_all_kernels",
]
NETWORK = ["bayesian_network/bnn_diabetes/random", "bayesian_network/bnn_diabetes/bohb"]


def check_trajectories(frame, metrics):
    """Time, evaluations and budgets do not go back, nor does the observed loss up; the last row is the incumbent's."""
    assert (frame["status"] == "ok").all()
    for _, run in frame.groupby("run"):
        assert (np.diff(run["finished"]) >= 0).all() and (np.diff(run["evaluation"]) >= 0).all()
        assert (np.diff(run["budget"]) >= 0).all() and ((run["budget"] > 0) & (run["budget"] <= 1)).all()
        assert (np.diff(run["loss"])[:-1] < 0).all()
        assert (run[metrics].iloc[-1] == run[metrics].iloc[-2]).all()


@pytest.mark.parametrize("name", SURROGATE)
def test_trajectories_on_the_surrogate(smoke, name):
    frame = smoke(name)
    check_trajectories(frame, ["loss", "regret"])
    assert (frame["regret"] >= -1e-9).all()
    full = frame[frame["budget"] == 1]
    np.testing.assert_allclose(full["regret"], full["loss"] - full["optimum"])
    assert set(frame["configurations"]) == {24}


@pytest.mark.parametrize("name", COUNTING)
def test_trajectories_on_counting_ones(smoke, name):
    frame = smoke(name)
    check_trajectories(frame, ["loss", "regret"])
    assert ((frame["regret"] >= 0) & (frame["regret"] <= 1)).all()
    assert (frame["loss"] >= CountingOnes(4, 4).optimum).all()
    assert frame.groupby("run")["finished"].max().max() <= 20 * (1 + 1e-9)


def test_the_gaussian_process_has_the_regret_without_noise():
    (cell,) = find_cells(Papers(), "bohb/counting_ones/d8/bohb", "smoke")
    settings = cell.settings.model_copy(
        update={"method": method_of({"method": "gp_mcmc", "initial_design": 2}), "full_evaluations": 4.0}
    )
    frame = searches.counting_ones(Context(replace(cell, settings=settings), range(2)))
    check_trajectories(frame.assign(status="ok"), ["loss", "regret"])
    # Binary hyperparameters are drawn in an evaluation, the regret is their expectation: never the same for long.
    assert ((frame["regret"] > 0) & (frame["regret"] < 1)).all()
    assert (frame["regret"] != (frame["loss"] + 8) / 8).any()


class Dying:
    """A benchmark whose evaluations raise."""

    space, fidelity, optimum, worst_loss = CountingOnes(1, 1).space, Fidelity("steps", 1.0, 9.0), None, 5.0

    def evaluate(self, configurations, budget, generator):
        raise RuntimeError("died")


def test_an_evaluation_that_raises_costs_its_budget():
    configurations = [{}, {}]
    for budget, cost in ((3.0, 3.0), (None, 9.0)):
        found = searches.CostIsBudget(Dying()).evaluate(configurations, budget, np.random.default_rng(0))
        assert found.cost.tolist() == [cost, cost] and found.loss.tolist() == [5.0, 5.0]
        assert found.info[0]["failure"] == "RuntimeError: died"


@pytest.mark.parametrize("name", NETWORK)
def test_trajectories_on_the_bayesian_network(smoke, name):
    frame = smoke(name)
    check_trajectories(frame, ["loss"])
    assert "regret" not in frame
    assert frame["finished"].max() <= 2 * (1 + 1e-9)


def test_every_agent_of_a_configuration_is_in_the_table_and_failures_are_named(smoke):
    table = smoke("ppo_table/cartpole/agents")
    assert table["number"].tolist() == list(np.repeat(np.arange(24), 2)) and set(table["trial"]) == {0, 1}
    failed = table[table["failure"] != ""]
    # Sobol's sequence begins where every hyperparameter is smallest, and a clipping of 0 is none.
    assert failed["number"].tolist() == [0, 0] and failed["failure"].str.contains("PPO.clipping is 0.0").all()
    assert (failed["episodes"] == 800).all() and (failed["timesteps"] == 0).all()
    trained = table[table["failure"] == ""]
    assert (trained["timesteps"] >= trained["episodes"]).all() and trained["episodes"].between(20, 800).all()
    assert trained.groupby("number")["timesteps"].nunique().max() == 2


@pytest.mark.parametrize("method", ["random", "tpe", "hyperband", "bohb"])
def test_searches_on_trained_agents(smoke, method):
    smoke("ppo_table/cartpole/agents")
    frame = smoke(f"ppo/cartpole/{method}")
    check_trajectories(frame, ["loss", "episodes"])
    assert "regret" not in frame and set(frame["configurations"]) == {24}
    assert frame["episodes"].between(20, 800).all() and frame["finished"].max() <= 10 * (1 + 1e-9)
    assert frame.groupby("run")["finished"].first().max() == pytest.approx(1 if method in ("random", "tpe") else 1 / 9)


@pytest.mark.parametrize("method", ["random", "bohb"])
def test_searches_that_train_agents(smoke, method):
    frame = smoke(f"ppo_live/cartpole/{method}")
    check_trajectories(frame, ["loss", "episodes"])
    assert frame["episodes"].between(20, 200).all() and frame["finished"].max() <= 3 * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "change"), [("ppo_table", {"configurations": 2}), ("ppo_live", {"full_evaluations": 2.0})]
)
def test_agents_learn_by_the_papers_protocol(name, change):
    """The first configurations, with nine agents of up to 3,000 episodes each."""
    cell = find_cells(Papers(), f"bohb/{name}/cartpole/*", "paper")[-1]
    settings = cell.settings.model_copy(update=change)
    assert settings.most_episodes == 3000
    frame = Papers().function(cell)(Context(replace(cell, settings=settings), range(1)))
    assert frame["episodes"].max() <= 3000 and len(frame) >= 2


def test_full_evaluations_take_one_unit_of_time_and_bandits_begin_on_the_smallest_budget(smoke):
    random = smoke("counting_ones/d8/random")
    assert (random["finished"] == random["evaluation"]).all()
    first = smoke("counting_ones/d8/hyperband").groupby("run")["finished"].first()
    np.testing.assert_allclose(first, 1 / 81)


def test_workers_save_time(smoke):
    """The same brackets end sooner, and never sooner than their number allows."""
    one, many = (smoke(f"workers/digits/workers_{n}").groupby("run")["finished"].max() for n in (1, 32))
    assert (many < one / 2).all() and (many >= one / 32 * (1 - 1e-9)).all()


def test_collected_curves_make_the_surrogate(smoke):
    curves = smoke("collect/digits/fcnet")
    assert curves["number"].tolist() == list(range(24))
    assert {len(curve) for curve in curves["valid_error"]} == {50}
    surrogate = FCNetSurrogate.fit(curves, of_code=True)
    frame = smoke("surrogates/digits/bohb")
    assert frame["largest_budget"].unique().tolist() == [surrogate.fidelity.maximum]
    assert frame["optimum"].unique().tolist() == [surrogate.optimum]


def test_densities_are_scored_in_every_run_and_drawn_in_the_first(smoke):
    for method in ("truth", "factorised_pdf", "factorised_kernel"):
        frame = smoke(f"densities/gaussian/{method}")
        assert frame[frame["part"] == "score"]["run"].tolist() == [0, 1]
        grid, points = (frame[frame["part"] == part] for part in ("grid", "points"))
        assert len(grid) == 400 and len(points) == 16 and set(grid["run"]) == {0}
        assert 0.8 < grid["value"].mean() < 1.1  # nearly all of the mass is inside of the square


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "bohb"}, "full_evaluations = None: give it or, to hyperband, .*, method.brackets"),
        (
            {"method": {"method": "bohb", "brackets": 1}, "full_evaluations": 5},
            "full_evaluations = 5.0: give it or, to hyperband, .*, method.brackets",
        ),
        ({"method": "tpe"}, "full_evaluations = None: give it"),
        ({"method": {"method": "tpe", "brackets": 1}}, "unknown key; .*method 'tpe' has initial_design, share"),
        ({"method": "gp_mcmc", "full_evaluations": 5, "workers": 2}, "workers = 2: method 'gp_mcmc' has 1"),
        (
            {"method": "gp_mcmc", "full_evaluations": 4.5},
            "full_evaluations = 4.5: method 'gp_mcmc' has a whole number",
        ),
        ({"method": "random", "full_evaluations": 0.5}, "full_evaluations = 0.5: method 'random' needs at least 1"),
        ({"method": {"method": "bohb", "brackets": 1, "eta": 1.5}}, "greater than or equal to 2"),
        ({"method": "rf", "full_evaluations": 5}, "method is 'rf'; allowed: random, tpe, smac, gp_mcmc"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(settings, message):
    with pytest.raises(ValidationError, match=message):
        SimulatedSearch(**settings)


def test_a_search_evaluates_on_all_budgets_side_by_side(smoke):
    frame = smoke("cifar10/digits/bohb")
    assert frame["budget"].nunique() == 2 and frame["budget"].max() == 3 and (frame["workers"] == 19).all()
    assert frame["loss"].between(0, 1).all() and frame["learning_rate"].between(1e-3, 1).all()
    assert frame["finished"].max() < frame["cost"].sum() and (np.diff(frame["finished"]) >= 0).all()


def test_the_best_configuration_on_the_largest_budget_is_trained_anew(smoke):
    frame = smoke("cifar10/digits/bohb")
    rows = frame[frame["budget"] == 3]
    best = rows.loc[rows["loss"].idxmin()]
    found, gastaldi = (smoke(f"cifar10_retrained/digits/{method}") for method in ("bohb", "gastaldi"))
    assert found["learning_rate"].tolist() == pytest.approx([best["learning_rate"]] * 2)
    assert gastaldi["batch_size"].tolist() == [128, 128] and gastaldi["test_error"].between(0, 1).all()


def test_a_search_without_an_end_is_refused():
    with pytest.raises(ValidationError, match=r"method\.brackets = None"):
        ShakenSearch(images="cifar10", epochs=3, least_epochs=1, method={"method": "bohb"})
