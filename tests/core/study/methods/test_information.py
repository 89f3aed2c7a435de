"""Entropy search, MTBO and Fabolas from a user's side: one call, its journal, lockstep, and bad input."""

import math

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, EqualsCondition, ForbiddenEqualsClause

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.objectives.base import Evaluation, Fidelity, FunctionObjective
from core.optimizers.fidelities import initial_evaluations
from core.optimizers.information_settings import FabolasSettings, MTBOSettings
from core.optimizers.policy import uniform_points
from core.spaces import CubeEncoding
from core.study import minimize
from core.study.lockstep import run_in_lockstep
from core.study.methods import method_of
from core.study.record import Record, recommended

SPACE = {"x": (-5.0, 10.0), "y": (0.0, 15.0)}
QUICK = {"hyperparameter_samples": 2, "burn_in": 5, "representers": 10, "candidates": 50, "initial_design": 2}
METHODS = ("entropy_search", "mtbo", "fabolas")


def branin(x, y):
    return (
        (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10
    )


def on_a_share(configuration, budget):
    """Branin, too pessimistic on small shares, where it costs less: loss and cost."""
    loss = branin(configuration["x"], configuration["y"])
    missing = 1 - math.log(64 * budget) / math.log(64)
    return loss + (20 + 2 * configuration["x"]) * missing**2, 600 * budget**1.5


def search(method, evaluations=12, **given):
    settings = method_of({"method": method, **QUICK, **given.pop("settings", {})})
    function = given.pop("function", None)
    if function is None:
        function = (lambda conf: branin(conf["x"], conf["y"])) if method == "entropy_search" else on_a_share
    budgets = {} if method == "entropy_search" else {"budgets": (1 / 64, 1)}
    return minimize(function, SPACE, settings, evaluations, progress=False, **{**budgets, **given})


@pytest.mark.parametrize("method", METHODS)
def test_one_call_searches_and_recommends(method):
    first = {"entropy_search": 2, "mtbo": 2, "fabolas": 8}[method]
    result = search(method, evaluations=first + 3)
    assert len(result.records) == first + 3 and not any(record.failure for record in result.records)
    origins = [record.notes["origin"] for record in result.records]
    assert origins == ["initial design"] * first + ["policy"] * 3
    assert all(0 <= record.notes["recommended"] < record.number for record in result.records[first:])
    same = [record for record in result.records if record.configuration == result.records[result.last].configuration]
    assert result.best in same and result.best_configuration == result.best.configuration
    assert result.best.budget == max(record.budget or 0 for record in same) or method == "entropy_search"
    if method != "entropy_search":
        budgets = [record.budget for record in result.records]
        assert all(1 / 64 <= budget <= 1 for budget in budgets)
        assert [record.cost for record in result.records] == pytest.approx([600 * budget**1.5 for budget in budgets])
        assert set(budgets) <= {0.25, 1.0} or method == "fabolas"


@pytest.mark.parametrize("method", ["mtbo", "fabolas"])
def test_the_recommendation_is_confirmed_on_the_largest_budget(method, tmp_path):
    first = {"mtbo": 2, "fabolas": 8}[method]
    whole = search(method, evaluations=first + 3, settings={"confirm": True}, journal=tmp_path / "run.jsonl")
    last = whole.records[-1]
    assert last.budget == 1.0
    assert last.configuration == whole.records[last.notes["recommended"]].configuration
    assert [record.configuration for record in search(method, evaluations=first + 2).records] == [
        record.configuration for record in whole.records[:-1]
    ]
    if whole.best.configuration == last.configuration:
        assert whole.best.budget == 1.0
    again = search(method, evaluations=first + 3, settings={"confirm": True}, journal=tmp_path / "run.jsonl")
    assert again.records == whole.records


@pytest.mark.parametrize("method", ["mtbo", "fabolas"])
def test_an_initial_design_that_leaves_no_evaluation_to_confirm_is_refused(method):
    first = {"mtbo": 2, "fabolas": 8}[method]
    for evaluations in (first - 1, first):
        with pytest.raises(UserError, match=f"evaluations is {evaluations}, .* has {first}, .* at least {first + 1},"):
            search(method, evaluations=evaluations, settings={"confirm": True})
    assert len(search(method, evaluations=first).records) == first


@pytest.mark.parametrize("method", METHODS)
def test_choices_conditions_and_forbidden_configurations(method):
    space = ConfigurationSpace({"kind": ["a", "b", "c"], "n": (1, 4), "x": (0.0, 1.0)}, seed=0)
    space.add(EqualsCondition(space["x"], space["kind"], "c"))
    space.add(ForbiddenEqualsClause(space["n"], 4))

    def loss(configuration, budget=1.0):
        inside = (configuration["x"] - 0.3) ** 2 if configuration["kind"] == "c" else 1.0
        return inside + 0.1 * configuration["n"] + 0.1 * (1 - budget), budget

    budgets = {} if method == "entropy_search" else {"budgets": (1 / 64, 1)}
    result = minimize(loss, space, method_of({"method": method, **QUICK}), 24, progress=False, **budgets)
    assert {record.notes["origin"] for record in result.records} == {"initial design", "policy"}
    assert all(record.configuration["n"] < 4 for record in result.records)
    assert result.best_configuration["kind"] == "c"


@pytest.mark.parametrize("method", METHODS)
def test_a_journal_continues_to_the_same_records(method, tmp_path):
    def outcomes(result):
        return [(record.configuration, record.budget, record.loss, dict(record.notes)) for record in result.records]

    last = 10 if method == "fabolas" else 5
    whole = search(method, evaluations=last, journal=tmp_path / "whole.jsonl")
    search(method, evaluations=last - 1, journal=tmp_path / "parts.jsonl")
    assert outcomes(search(method, evaluations=last, journal=tmp_path / "parts.jsonl")) == outcomes(whole)


def test_without_a_given_cost_it_is_the_seconds_of_the_call():
    result = search(
        "fabolas", evaluations=9, function=lambda configuration, budget: on_a_share(configuration, budget)[0]
    )
    assert all(0 < record.cost < 1 for record in result.records)


def test_failed_evaluations_are_recorded_and_the_search_goes_on():
    def fails(configuration, budget):
        if configuration["x"] > 4:
            raise RuntimeError("out of memory")
        return on_a_share(configuration, budget)

    result = search("fabolas", evaluations=10, function=fails, seed=1)
    assert 0 < sum(bool(record.failure) for record in result.records) < 10
    assert not any("model failed" in record.notes["origin"] for record in result.records)


class Shares:
    """The function above as an objective."""

    space, fidelity = ConfigurationSpace(SPACE), Fidelity("share", 1 / 64, 1.0)
    optimum, worst_loss = 0.397887, 500.0

    def evaluate(self, configurations, budget, generator):
        found = np.array([on_a_share(configuration, budget) for configuration in configurations])
        return Evaluation(found[:, 0], found[:, 1], tuple({} for _ in configurations))


def test_a_saved_optimizer_goes_on_with_its_chains(tmp_path):
    first, second = (
        method_of({"method": "fabolas", **QUICK}).build(Shares.space, seed, (1 / 64, 1.0)) for seed in (0, 1)
    )
    for _ in range(9):
        (trial,) = first.ask()
        first.tell(trial, Shares().evaluate([trial.configuration], trial.budget, None))
    first.save(tmp_path / "state.pt")
    second.restore(tmp_path / "state.pt")
    assert first.ask() == second.ask()


def in_lockstep(method, runs, evaluations, objective=None, **settings):
    encoding = CubeEncoding(Shares.space)
    settings = method_of({"method": method, **QUICK, **settings})
    policy = settings.policy(encoding, budgets=(1 / 64, 1.0) if settings.needs_budgets else None)
    design = initial_evaluations(policy.encoding, uniform_points(encoding, 2, make_generators(range(runs))))
    noise = [np.random.default_rng(run) for run in range(runs)]
    if objective is None:
        objective = Shares()
    return run_in_lockstep(objective, policy, design, make_generators(range(10, 10 + runs)), evaluations, noise)


@pytest.mark.parametrize("method", METHODS)
def test_runs_in_lockstep_carry_budgets_and_recommendations(method):
    objective = Shares()
    if method == "entropy_search":
        objective.fidelity = None
        objective.evaluate = lambda confs, budget, generator: Shares.evaluate(objective, confs, 1.0, generator)
    evaluations = 10 if method == "fabolas" else 5
    found = in_lockstep(method, 2, evaluations, objective)
    frame = found.trace([4, 7]).evaluations()
    assert frame["run"].tolist() == np.repeat([4, 7], evaluations).tolist() and (frame["recommended"] >= 1).all()
    assert (frame["recommended"] <= frame["evaluation"]).all() and (frame["cost"] > 0).all()
    assert frame["budget"].isna().all() if method == "entropy_search" else frame["budget"].between(1 / 64, 1).all()
    assert len(found.recommended) == 2
    alone = in_lockstep(method, 1, evaluations - 1, objective)
    np.testing.assert_allclose(found.loss[0, :-1], alone.loss[0], rtol=1e-4)


def test_what_is_recommended_after_each_evaluation():
    def record(number, loss, failure="", **notes):
        return Record(number, {}, None, loss, 1.0, failure, 0.0, 1.0, 0, notes)

    records = [record(0, 2.0, "broke"), record(1, 3.0), record(2, 1.0), record(3, 5.0, recommended=1), record(4, 9.0)]
    assert recommended(records) == [0, 1, 1, 1, 1]
    assert recommended(records[:3]) == [0, 1, 2], "before the first model, the smallest loss"
    assert recommended(records, last=4) == [0, 1, 1, 1, 4]
    assert recommended([]) == []


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"method": "mtbo", "auxiliary": [1.0]}, "auxiliary.0 = 1.0"),
        ({"method": "mtbo", "auxiliary": [0.0]}, "auxiliary.0 = 0.0"),
        ({"method": "mtbo", "auxiliary": [0.25, 0.25]}, "auxiliary = [0.25, 0.25]: allowed: different shares"),
        ({"method": "mtbo", "auxiliary": []}, "auxiliary = []"),
        ({"method": "mtbo", "auxiliary": [0.1, 0.2, 0.3, 0.4]}, "auxiliary = [0.1, 0.2, 0.3, 0.4]"),
        ({"method": "fabolas", "overhead": -1.0}, "overhead = -1.0"),
        ({"method": "fabolas", "subsets": [2.0]}, "subsets.0 = 2.0"),
        ({"method": "fabolas", "points_per_subset": [10]}, "points_per_subset = (10,); allowed: a number for each"),
        (
            {"method": "fabolas", "subsets": [0.1, 0.2], "points_per_subset": [8, 1]},
            "10 in all, which is initial_design",
        ),
        ({"method": "entropy_search", "representers": 1}, "representers = 1"),
    ],
)
def test_settings_out_of_range_are_one_line(settings, message):
    with pytest.raises(UserError) as caught:
        method_of(settings)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"budgets": None}, "method 'fabolas' needs budgets"),
        ({"budgets": (1, 81)}, r"budgets are \(1.0, 81.0\), but method 'fabolas' evaluates on shares of the data"),
        ({"budgets": (0.0, 1.0)}, "0"),
        ({"settings": {"subsets": (1 / 512,)}}, "subsets = .*allowed: different shares"),
    ],
)
def test_budgets_that_are_no_shares_are_refused(given, message):
    with pytest.raises(UserError, match=message):
        search("fabolas", **given)


def test_an_auxiliary_task_below_the_smallest_budget_is_refused():
    with pytest.raises(UserError, match=r"auxiliary = \(0.001,\), .*allowed: at least the smallest budget, 0.015625"):
        search("mtbo", settings={"auxiliary": (0.001,)})


def test_a_cell_without_costs_is_refused():
    def free(configuration, budget):
        return 1.0, 0.0

    objective = FunctionObjective(
        lambda configuration, budget, generator: free(configuration, budget),
        Shares.space,
        1.0,
        fidelity=Shares.fidelity,
    )
    with pytest.raises(UserError, match=r"trial 0 cost 0.0"):
        in_lockstep("mtbo", 1, 2, objective)


def regret_per_cost(method, seed):
    """Cost so far and the regret on the full data of what is recommended, after each evaluation."""
    settings = {"fabolas": FabolasSettings(initial_design=5), "mtbo": MTBOSettings(), "gp_mcmc": method_of("gp_mcmc")}
    if method == "gp_mcmc":
        result = minimize(lambda c: on_a_share(c, 1), SPACE, settings[method], 25, seed=seed, progress=False)
        chosen = np.minimum.accumulate([record.loss for record in result.records])
    else:
        result = minimize(on_a_share, SPACE, settings[method], 45, budgets=(1 / 64, 1), seed=seed, progress=False)
        numbers = recommended(result.records)
        chosen = np.array([on_a_share(result.records[number].configuration, 1)[0] for number in numbers])
    return np.cumsum([record.cost for record in result.records]), chosen - 0.397887


@pytest.mark.slow
def test_fabolas_reaches_a_low_regret_at_a_fraction_of_the_cost():
    """To a regret of 2 over five seeds: the full data costs expected improvement at least three times as much."""

    def cost_to(method, level=2.0):
        found = []
        for seed in range(5):
            cost, regret = regret_per_cost(method, seed)
            found.append(cost[np.argmax(regret <= level)] if (regret <= level).any() else np.inf)
        return np.array(found)

    fabolas, gp = cost_to("fabolas"), cost_to("gp_mcmc")
    assert np.isfinite(fabolas).sum() >= 4, fabolas
    assert np.median(fabolas) < np.median(gp) / 3, (fabolas, gp)
