"""Cells that optimize: methods by their settings."""

import numpy as np
import pytest
from pydantic import ValidationError

from core.experiment.cells import Cell
from core.experiment.context import Context
from core.experiment.search import initial_design, objective_generators, search
from core.experiment.search_settings import Optimization
from core.foundation.errors import UnknownNameError
from core.objectives import objective
from core.objectives.guard import guarded_evaluate
from core.objectives.synthetic import branin
from core.optimizers.bayesopt import BayesianOptimization
from core.optimizers.model_settings import GPSettings
from core.spaces import CubeEncoding
from core.study.methods import METHODS

EVOLUTION = {"maximizer": "differential_evolution"}


def settings(method, **own) -> Optimization:
    alone = {} if METHODS[method["method"]].in_lockstep else {"initial_design": None}
    return Optimization(method=method, **{"evaluations": 4, **alone, **own})


def context(method, runs: int = 2, name: str = "some") -> Context:
    return Context(
        Cell("paper", "regret", "branin", name, "smoke", runs, settings(method), "optimization"), range(runs)
    )


SEARCHES = [
    {"method": "random"},
    {"method": "optuna_tpe"},
    {"method": "cmaes"},
    {"method": "differential_evolution"},
    {"method": "gp", "maximizer": "gradient"},
    {"method": "gp_warped", "hyperparameter_samples": 2, **EVOLUTION},
    {"method": "rf", "trees": 5},
    {"method": "bohamiann", "maximizer": "gradient", "warm_burn_in": 50, "most_steps": 200, "samples": 10},
]


@pytest.mark.parametrize("method", SEARCHES, ids=lambda m: m["method"])
def test_every_method_gives_a_row_an_evaluation(method):
    frame = search(context(method), branin).evaluations()
    assert list(frame["evaluation"]) == [1, 2, 3, 4] * 2 and list(frame["run"]) == [0] * 4 + [1] * 4
    np.testing.assert_allclose(frame["regret"], frame["loss"] - branin.optimum)
    assert (frame["regret"] >= 0).all() and (frame["status"] == "ok").all() and (frame["overhead"] >= 0).all()
    assert not frame["origin"].str.contains("failed").any()


def test_methods_with_a_policy_share_their_initial_designs():
    random = search(context({"method": "random"}, name="random"), branin).evaluations()
    model = search(context({"method": "rf", "trees": 5}, name="rf"), branin).evaluations()
    first = random["evaluation"] <= 2
    assert (random.loc[first, "loss"] == model.loc[first, "loss"]).all()
    assert (random.loc[~first, "loss"] != model.loc[~first, "loss"]).any()


def test_a_repetition_is_the_same_in_any_shard():
    cell = context({"method": "optuna_tpe"}, runs=3).cell
    encoding = CubeEncoding(branin.space)
    whole, part = Context(cell, range(3)), Context(cell, range(2, 3))
    assert (initial_design(whole, encoding, 2)[2:] == initial_design(part, encoding, 2)).all()
    assert objective_generators(whole)[2].random() == objective_generators(part)[0].random()
    losses = [search(each, branin).evaluations()["loss"].to_numpy() for each in (whole, part)]
    np.testing.assert_array_equal(losses[0][8:], losses[1])


@pytest.mark.parametrize("n, expected", [(2, (200, 10_200)), (100, (10_000, 20_000))])
def test_the_papers_burn_in_grows_with_the_data(n, expected):
    given = settings({"method": "bohamiann", "most_steps": None, "samples": 100})
    assert given.method.chain_lengths(n) == expected
    assert given.method.model(n).samples_per_chain == 100


@pytest.mark.parametrize("n", [2, 50, 200, 100_000])
def test_a_cut_keeps_the_samples_and_the_proportion(n):
    given = settings({"method": "bohamiann", "most_steps": 4000, "samples": 100})
    burn_in, steps = given.method.chain_lengths(n)
    assert steps == 4000 and given.method.model(n).samples_per_chain >= 100
    if n <= 200:
        assert burn_in / steps == pytest.approx(n / (n + 100), abs=1e-3)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"method": "random", "model": "gp"}, "unknown key"),
        ({"method": {"method": "random", "trees": 5}}, "unknown key; method 'random' has no settings"),
        ({}, "method\n *Field required"),
        ({"method": {"method": "rf", "maximizer": "gradient"}}, "a forest has no gradient"),
        ({"method": {"method": "bohamiann", "chain_steps": 5}}, "at least samples"),
        ({"method": "gp", "evaluations": 0}, "evaluations"),
        ({"method": "gpp"}, "method is 'gpp'; allowed: random, tpe"),
        ({"method": "bohb"}, "method is 'bohb'; allowed: random, tpe"),
        ({"method": "optuna_tpe", "initial_design": 2}, "initial_design = 2 with method 'optuna_tpe'; allowed: null"),
        ({"method": "gp", "initial_design": None}, "initial_design = None with method 'gp'; allowed: a number"),
        (
            {"method": {"method": "gp", "initial_design": 3}, "initial_design": 2},
            "method.initial_design = 3; allowed: 2, the experiment's",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(ValidationError, match=message):
        Optimization(**{"evaluations": 4, **wrong})


@pytest.mark.parametrize("given", ["gp", {"method": "gp", "initial_design": 3}, GPSettings(initial_design=3)])
def test_a_method_starts_from_the_points_that_all_share(given):
    method = Optimization(method=given, evaluations=4, initial_design=3).method
    assert method.initial_points == method.initial_design == 3


def test_an_unknown_objective_is_named():
    with pytest.raises(UnknownNameError, match="branin"):
        objective("braning")


def test_a_warm_started_run_is_restored_with_its_chains(tmp_path):
    short = {"warm_burn_in": 50, "most_steps": 300, "samples": 10, "widths": (10,)}
    given = settings({"method": "bohamiann", "maximizer": "gradient", **short})

    def make(seed):
        encoding = CubeEncoding(branin.space)
        return BayesianOptimization(given.method.policy(encoding), initial_design=2, seed=seed)

    optimizer = make(0)
    for _ in range(4):
        (trial,) = optimizer.ask()
        optimizer.tell(trial, guarded_evaluate(branin, [trial.configuration], None, np.random.default_rng(0)))
    optimizer.save(tmp_path / "state.pt")
    other = make(1)
    other.restore(tmp_path / "state.pt")
    assert other.ask() == optimizer.ask()
