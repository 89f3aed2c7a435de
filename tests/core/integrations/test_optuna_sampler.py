"""Methods as samplers of Optuna: what a study keeps, spaces that grow, storage, threads, failures, maximization."""

from __future__ import annotations

import pickle
import re

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from core.errors import UserError
from core.integrations import HPOSampler, budget_of
from core.study.methods import METHODS

FOREST = {"method": "rf", "maximizer": "random_search", "initial_design": 3}

optuna.logging.set_verbosity(optuna.logging.WARNING)


def bowl(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", -5, 5) - 1) ** 2 + abs(trial.suggest_int("n", 1, 9) - 3)


def searched(method, trials: int, objective=bowl, seed: int = 0, **given) -> optuna.Study:
    study = optuna.create_study(sampler=HPOSampler(method, seed=seed), **given)
    study.optimize(objective, n_trials=trials)
    return study


@pytest.mark.parametrize(
    "method",
    ["random", "tpe", "gp_mcmc", "cmaes", "differential_evolution"],
)
def test_the_seed_determines_a_study(method):
    first, again = searched(method, 7), searched(method, 7)
    assert [trial.params for trial in first.trials] == [trial.params for trial in again.trials]
    assert [trial.params for trial in first.trials] != [trial.params for trial in searched(method, 7, seed=1).trials]


def test_a_model_finds_the_minimum_of_a_parabola():
    """To 0.1 in a range of 10, of which ten random trials miss it with probability 0.82."""
    method = {"method": "gp", "maximizer": "random_search", "initial_design": 4}
    for seed in range(3):
        study = searched(method, 10, lambda trial: (trial.suggest_float("x", -5, 5) - 1) ** 2, seed)
        assert abs(study.best_params["x"] - 1) < 0.1


def test_what_is_maximized_is_found():
    study = searched(FOREST, 25, lambda trial: -bowl(trial), direction="maximize")
    found = sorted(trial.value for trial in study.trials)
    assert study.best_value > -3 and sum(found[-5:]) / 5 > found[len(found) // 2]


def test_a_study_goes_on_in_another_process_as_if_it_had_not_stopped(tmp_path):
    whole = searched("gp_mcmc", 9)
    storage = f"sqlite:///{tmp_path}/study.db"
    searched("gp_mcmc", 6, storage=storage, study_name="bowl")
    searched("gp_mcmc", 3, storage=storage, study_name="bowl", load_if_exists=True)
    resumed = optuna.load_study(storage=storage, study_name="bowl")
    assert [trial.params for trial in resumed.trials] == [trial.params for trial in whole.trials]


def test_threads_share_a_sampler():
    study = optuna.create_study(sampler=HPOSampler(FOREST, seed=0))
    study.optimize(bowl, n_trials=12, n_jobs=3)
    assert len(study.trials) == 12 and all(trial.state == TrialState.COMPLETE for trial in study.trials)
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 12


def test_trials_under_way_are_known():
    """Two trials asked for together differ, as do all that other samplers left running."""
    study = searched({"method": "gp", "maximizer": "random_search", "initial_design": 2}, 4)
    waiting = [study.ask() for _ in range(3)]
    values = [trial.suggest_float("x", -5, 5) for trial in waiting]
    assert len(set(values)) == 3


def test_a_space_that_grows_and_a_conditional_one():
    def objective(trial: optuna.Trial) -> float:
        kind = trial.suggest_categorical("kind", ["line", None, True])
        loss = (
            abs(trial.suggest_float("x", 0, 1) - 0.5) if kind == "line" else 1.0 + trial.suggest_int("k", 0, 8, step=2)
        )
        return loss + (trial.suggest_float("late", 1e-3, 1, log=True) if trial.number > 6 else 0)

    study = searched(FOREST, 20, objective)
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
    assert {type(trial.params["kind"]) for trial in study.trials} <= {str, type(None), bool}
    assert all(trial.params["k"] % 2 == 0 for trial in study.trials if "k" in trial.params)
    assert all(("late" in trial.params) == (trial.number > 6) for trial in study.trials)


def test_enqueued_and_added_trials_are_learnt_from():
    """A model that is told the optimum proposes near it."""
    study = optuna.create_study(sampler=HPOSampler({"method": "gp", "maximizer": "random_search"}, seed=0))
    space = {"x": FloatDistribution(-5, 5), "n": IntDistribution(1, 9)}
    for x in (-5.0, -3.0, 0.0, 0.9, 1.1, 2.0, 5.0):
        study.add_trial(create_trial(params={"x": x, "n": 3}, distributions=space, value=(x - 1) ** 2))
    study.enqueue_trial({"x": 4.0, "n": 3})
    study.optimize(bowl, n_trials=3)
    assert study.trials[7].params == {"x": 4.0, "n": 3}
    assert min(abs(trial.params["x"] - 1) for trial in study.trials[8:]) < 1.5


def test_failures_are_not_searched_near():
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x < 0.5:
            raise ValueError("diverged")
        return x

    study = optuna.create_study(sampler=HPOSampler({"method": "gp", "maximizer": "random_search"}, seed=3))
    study.optimize(objective, n_trials=16, catch=ValueError)
    late = study.trials[8:]
    assert sum(trial.state == TrialState.FAIL for trial in late) < len(late) / 2
    assert any(trial.state == TrialState.FAIL for trial in study.trials)


def test_a_space_known_beforehand_gets_the_initial_design_and_constants():
    space = {"x": FloatDistribution(0, 1), "one": IntDistribution(3, 3), "kind": CategoricalDistribution(["only"])}
    study = optuna.create_study(sampler=HPOSampler("tpe", seed=0, space=space))
    trial = study.ask(space)
    assert trial.params["one"] == 3 and trial.params["kind"] == "only" and 0 <= trial.params["x"] <= 1


def test_fabolas_chooses_budgets_and_weighs_costs():
    def objective(trial: optuna.Trial) -> float:
        loss = bowl(trial)
        share = budget_of(trial)
        trial.set_user_attr("cost", 60 * share)
        return loss + 1 - share

    method = {"method": "fabolas", "hyperparameter_samples": 3, "representers": 10, "candidates": 30}
    method |= {"initial_design": 1, "subsets": (0.125, 0.25)}
    study = optuna.create_study(sampler=HPOSampler(method, seed=0, budgets=(1 / 16, 1)))
    study.optimize(objective, n_trials=5)
    shares = [trial.user_attrs["cost"] / 60 for trial in study.trials]
    assert shares[0] == pytest.approx(1 / 16) and all(1 / 16 <= share <= 1 for share in shares)
    with pytest.raises(UserError, match=r"trial 0 has no budget; allowed: trials of HPOSampler\('fabolas'\)"):
        budget_of(optuna.create_study(sampler=HPOSampler("random")).ask())


def test_samplers_can_be_pickled():
    study = searched("tpe", 3)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(bowl, n_trials=2)
    assert len(study.trials) == 5 and str(study.sampler) == "HPOSampler('tpe')"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "gpp"}, "unknown method 'gpp'"),
        ({"method": "bohb"}, "method 'bohb' needs budgets"),
        ({"method": "gp", "budgets": (1, 9)}, "evaluates on one budget"),
        ({"method": "optuna_tpe"}, "allowed: another one, or optuna.samplers.TPESampler"),
        ({"method": "smac"}, "SMAC learns from its own trials alone"),
        ({"method": "hyperband_lcnet", "budgets": (1, 9)}, "needs the curves of whole brackets"),
        ({"method": "gp", "space": {"x": (0, 1)}}, "allowed: Optuna's distributions by name"),
    ],
)
def test_what_is_wrong_is_said_at_once(given, message):
    with pytest.raises(UserError, match=re.escape(message)):
        HPOSampler(**given)


def test_a_space_that_a_method_cannot_search_is_named():
    study = optuna.create_study(sampler=HPOSampler("reinforce", seed=0))
    with pytest.raises(UserError, match="hyperparameter 'x' has any number of values"):
        study.optimize(bowl, n_trials=2)


def test_every_method_is_a_sampler_or_says_why_not():
    """Three trials each on a finite ordinal space, which all of them can search."""
    refused = set()
    for name, settings in METHODS.items():
        budgets = (1 / 16, 1) if name in ("fabolas", "mtbo") else (1, 9)
        try:
            sampler = HPOSampler(name, seed=0, budgets=budgets if settings.needs_budgets else None)
        except UserError:
            refused.add(name)
            continue
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda trial: trial.suggest_int("n", 1, 9) + trial.suggest_int("m", 1, 4), n_trials=3)
        assert len(study.trials) == 3
    assert refused == {"optuna_tpe", "smac", "hyperband_lcnet"}
