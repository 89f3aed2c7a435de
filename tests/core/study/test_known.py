"""What is known before a search: configurations to evaluate first, and evaluations that were made earlier."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace
from ConfigSpace import Integer as NamedInteger

from core import Float, Integer, minimize
from core.foundation.errors import UserError
from core.optimizers.model_settings import GPSettings
from core.spaces import as_space
from core.study import METHODS, method_of
from tests.core.study.bowl import SPACE, bowl, curve, outcomes

KNOWN = [{"x": 1.0, "n": 3, "kind": "b"}, {"x": 0.9, "n": 4, "kind": "a"}]
NUMBERS = {"x": (-5.0, 5.0), "z": (-5.0, 5.0)}
FAST = {"gp": {"initial_design": 3}, "rf": {"initial_design": 3, "trees": 10}, "tpe": {"initial_design": 3}}
QUICK = [{"method": name, **FAST.get(name, {})} for name in ("gp", "rf", "tpe", "optuna_tpe", "cmaes", "random")]
QUICK += [{"method": "differential_evolution"}, {"method": "regularized_evolution"}]


def sphere(configuration):
    return configuration["x"] ** 2 + configuration["z"] ** 2


@pytest.mark.parametrize("method", QUICK, ids=lambda method: method["method"])
def test_known_configurations_come_first(method):
    given = [{**KNOWN[0], "x": np.float64(1.0), "n": np.int64(3)}, KNOWN[1]]
    result = minimize(bowl, SPACE, method, 6, initial=given)
    assert [dict(record.configuration) for record in result.records[:2]] == KNOWN
    assert [record.notes["origin"] for record in result.records[:2]] == ["enqueued"] * 2
    assert result.best_loss <= 1.0 and len(result.records) == 6


@pytest.mark.parametrize("method", ["bohb", "hyperband"])
def test_with_budgets_they_are_evaluated_on_the_largest(method):
    result = minimize(curve, SPACE, method, 15, budgets=(1, 9), initial=KNOWN)
    assert [record.budget for record in result.records[:3]] == [9.0, 9.0, 1.0]
    rest = minimize(curve, SPACE, method, 13, budgets=(1, 9))
    if method == "hyperband":
        assert [r.configuration for r in result.records[2:]] == [r.configuration for r in rest.records]


def test_a_model_learns_from_them():
    optimizer = method_of({"method": "gp", "initial_design": 2}).build(SPACE, 0)
    optimizer.enqueue(KNOWN)
    trials = optimizer.ask(2)
    for trial in trials:
        optimizer.tell(trial, bowl(trial.configuration))
    assert optimizer.y.tolist() == [1.0, pytest.approx(1.01)]
    assert optimizer.ask()[0].info["origin"] == "policy", "known configurations are part of the initial design"


@pytest.mark.parametrize("method", QUICK, ids=lambda method: method["method"])
def test_a_state_has_what_is_enqueued_and_learned(tmp_path, method):
    first, second = (method_of(method).build(SPACE, 0) for _ in range(2))
    first.enqueue(KNOWN)
    for trial in first.ask(1):
        first.tell(trial, bowl(trial.configuration))
    try:
        first.learn(KNOWN[1], 1.0)
    except UserError as error:
        assert "learns only from configurations that it has proposed" in str(error)
    waiting = first.ask(2)
    first.save(tmp_path / "state.pt")
    second.restore(tmp_path / "state.pt")
    for optimizer in (first, second):
        for trial in waiting:
            optimizer.tell(trial, bowl(trial.configuration))
    assert waiting[0].configuration == KNOWN[1] and first.ask(3) == second.ask(3)


@pytest.mark.parametrize("method", [{"method": "gp", "initial_design": 3}, {"method": "tpe", "initial_design": 3}])
def test_a_run_with_known_configurations_that_is_killed_goes_on(tmp_path, monkeypatch, method):
    monkeypatch.setattr("core.study.replay.WORTH_SECONDS", 0.0)
    earlier = [minimize(bowl, SPACE, "random", 8, seed=4)]
    given = {"initial": KNOWN, "earlier": earlier}
    whole = minimize(bowl, SPACE, method, 9, **given)
    for at in (2, 4):
        calls = []

        def interrupting(configuration, at=at, calls=calls):
            calls.append(configuration)
            if len(calls) == at:
                raise KeyboardInterrupt
            return bowl(configuration)

        with pytest.raises(KeyboardInterrupt):
            minimize(interrupting, SPACE, method, 9, journal=tmp_path / "run.jsonl", **given)
    resumed = minimize(bowl, SPACE, method, 9, journal=tmp_path / "run.jsonl", **given)
    assert outcomes(resumed) == outcomes(whole)
    with pytest.raises(UserError, match="is the journal of a run with initial"):
        minimize(bowl, SPACE, method, 9, journal=tmp_path / "run.jsonl", earlier=earlier)


def test_an_object_of_ones_own_is_told_of_them_once(tmp_path):
    class Mine:
        def __init__(self):
            self.told = []

        def ask(self, n):
            return [{"x": 0.0, "n": 1, "kind": "a"}]

        def tell(self, trial, evaluation):
            self.told.append(dict(trial.configuration))

    given = {"initial": KNOWN, "journal": tmp_path / "run.jsonl"}
    minimize(bowl, SPACE, Mine(), 1, **given)
    again = Mine()
    result = minimize(bowl, SPACE, again, 4, **given)
    assert again.told[:2] == KNOWN and len(again.told) == 4 and KNOWN[0] not in again.told[2:]
    assert [dict(record.configuration) for record in result.records] == again.told


class TestEarlierEvaluations:
    """Of this very function, for methods that learn from no other tasks."""

    EARLIER = (minimize(sphere, NUMBERS, "random", 25, seed=5, progress=False),)

    @pytest.mark.parametrize("method", ["gp", "rf", "tpe", "optuna_tpe", "bohb"])
    def test_they_are_learned_from_and_not_counted(self, method):
        function, budgets = (sphere, None) if method != "bohb" else (lambda c, budget: sphere(c), (1, 3))
        result = minimize(function, NUMBERS, method, 4, earlier=self.EARLIER, budgets=budgets)
        assert len(result.records) == 4 and result.best.number >= 0
        alone = minimize(function, NUMBERS, method, 4, budgets=budgets)
        if method != "bohb":  # which begins on the smallest budget
            assert outcomes(result) != outcomes(alone)
            assert result.records[0].notes.get("origin") in ("policy", "model", None)

    def test_a_model_begins_where_they_were_good(self):
        losses = [
            minimize(sphere, NUMBERS, GPSettings(), 3, earlier=self.EARLIER, seed=seed).best_loss for seed in range(3)
        ]
        assert max(losses) < min(record.loss for record in self.EARLIER[0].records) and np.median(losses) < 0.1

    def test_a_recommendation_of_theirs_is_passed_over(self):
        small = {"representers": 5, "candidates": 200, "hyperparameter_samples": 2, "burn_in": 3, "initial_design": 2}
        result = minimize(sphere, NUMBERS, {"method": "entropy_search", **small}, 3, earlier=self.EARLIER)
        assert result.best.number in range(3) and len(result.history.final()) == 1

    def test_other_methods_say_that_they_cannot(self):
        with pytest.raises(UserError, match=r"earlier: RandomSearch learns only .*; allowed: a method that learns"):
            minimize(sphere, NUMBERS, "random", 3, earlier=self.EARLIER)

    def test_what_was_maximized_is_not_taken_for_losses(self):
        with pytest.raises(UserError, match=r"earlier\[0\] has maximize=False; allowed: True"):
            minimize(sphere, NUMBERS, "gp", 3, earlier=self.EARLIER, maximize=True)


def test_every_method_with_a_model_learns_from_any_configuration():
    """The others are searches without a model, and those whose model wants more than a loss."""
    unable = set()
    for name, settings in METHODS.items():
        if name in ("smac", "hyperband_lcnet"):
            continue
        space = as_space({"a": ["x", "y"], "b": (1, 3)}) if name == "reinforce" else as_space(NUMBERS)
        optimizer = settings(method=name).build(space, 0, (1 / 4, 1) if settings.needs_budgets else None)
        try:
            configuration = {"a": "x", "b": 2} if name == "reinforce" else {"x": 1.0, "z": 0.0}
            optimizer.learn(configuration, (1.0, 2.0))
        except UserError:
            unable.add(name)
    assert unable == {"random", "hyperband", "successive_halving", "differential_evolution"}


DEFAULT = {"x": 2.5, "n": 3, "kind": "a"}


def with_default(**others):
    return as_space({"x": Float(-5.0, 5.0, default=2.5), "n": Integer(1, 9, default=3), "kind": ["a", "b"], **others})


def test_a_default_that_is_set_comes_after_what_is_known():
    result = minimize(bowl, with_default(), "random", 3, initial=KNOWN[:1])
    assert [dict(record.configuration) for record in result.records[:2]] == [KNOWN[0], DEFAULT]
    assert result.records[1].notes["origin"] == "enqueued" and len(result.records) == 3
    again = minimize(bowl, with_default(), "random", 3, initial=[DEFAULT])
    assert [record.configuration == DEFAULT for record in again.records] == [True, False, False]


@pytest.mark.parametrize("space", [SPACE, {**SPACE, "n": Integer(1, 9)}, as_space(SPACE)])
def test_nothing_begins_with_an_automatic_default(space):
    result = minimize(bowl, space, "random", 3)
    assert all("origin" not in record.notes for record in result.records)


@pytest.mark.parametrize("range_", [Float(-5.0, 5.0, default=0.0), Integer(-5, 5, default=0)])
def test_a_default_in_the_middle_that_is_set_is_one_too(range_):
    result = minimize(lambda configuration: configuration["x"], {"x": range_}, "random", 2)
    assert result.records[0].configuration == {"x": 0} and result.records[0].notes["origin"] == "enqueued"


@pytest.mark.parametrize("method", ["bohb", "successive_halving"])
def test_a_default_is_evaluated_on_the_largest_budget_as_known_ones_are(method):
    result = minimize(curve, with_default(), method, 15, budgets=(1, 9))
    assert (result.records[0].configuration, result.records[0].budget) == (DEFAULT, 9.0)
    assert result.records[1].budget == 1.0


def test_an_optimizer_of_ones_own_begins_as_it_likes():
    class Mine:
        def ask(self, n):
            return [KNOWN[1]]

        def tell(self, trial, evaluation):
            assert trial.configuration == KNOWN[1]

    assert len(minimize(bowl, with_default(), Mine(), 2).records) == 2


def test_a_journal_knows_the_default(tmp_path):
    path = tmp_path / "run.jsonl"
    first = minimize(bowl, with_default(), "random", 4, journal=path)
    assert json.loads(path.read_text().splitlines()[0])["default"] == DEFAULT
    longer = minimize(bowl, with_default(), "random", 6, journal=path)
    assert outcomes(longer)[:4] == outcomes(first) and len(longer.records) == 6
    assert outcomes(longer) == outcomes(minimize(bowl, with_default(), "random", 6))
    minimize(bowl, SPACE, "random", 3, journal=tmp_path / "other.jsonl")
    assert "default" not in json.loads((tmp_path / "other.jsonl").read_text().splitlines()[0])


def test_a_journal_of_a_version_that_began_without_the_default_is_refused_in_words(tmp_path, monkeypatch):
    space, path = with_default(), tmp_path / "run.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr("core.study.minimization.default_of", lambda *_: None)
        minimize(bowl, space, "random", 3, journal=path)
    with pytest.raises(UserError, match=r'journal of a run with default null; this run has \{"kind": "a", "n": 3'):
        minimize(bowl, space, "random", 3, journal=path)


def of_weights():
    space = ConfigurationSpace()
    space.add(Categorical("k", ["never", "often", "seldom"], weights=[0, 9, 1]), NamedInteger("n", (1, 90), log=True))
    return space


MANY = {"random", "tpe", "optuna_tpe", "hyperband", "successive_halving", "bohb", "cmaes", "differential_evolution"}
MANY |= {"regularized_evolution", "reinforce"}  # methods of which many proposals take no time


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(METHODS) - {"smac", "hyperband_lcnet"}))
def test_no_method_proposes_a_choice_of_weight_zero(name):
    settings, space = method_of(name), of_weights()
    budgets = (1 / 64, 1.0) if name in ("fabolas", "mtbo") else (1, 9) if settings.needs_budgets else None
    optimizer = settings.build(space, 0, budgets, 40)
    proposed = []
    for _ in range(60 if name in MANY else 13):
        (trial,) = optimizer.ask()
        proposed.append(trial.configuration["k"])
        optimizer.tell(trial, (trial.configuration["n"] + (proposed[-1] == "often"), 1.0))
    assert set(proposed) <= {"often", "seldom"} and proposed.count("often") >= 2
