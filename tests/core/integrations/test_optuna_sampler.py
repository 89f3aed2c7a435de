"""Methods as samplers of Optuna: what a study keeps, spaces that grow, storage, threads, failures, maximization."""

from __future__ import annotations

import math
import pickle
import re
import warnings

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from core.foundation.errors import UserError
from core.integrations import HPOSampler, budget_of
from core.integrations.optuna_history import History
from core.integrations.optuna_space import Group
from core.spaces import CubeEncoding
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


def test_it_proposes_on_one_thread_and_evaluations_have_theirs(monkeypatch):
    """Threads that wait for each other make a Gaussian process many times slower on a busy machine."""
    from threadpoolctl import threadpool_info, threadpool_limits

    from core.integrations import optuna_sampler

    def threads():
        return {library["num_threads"] for library in threadpool_info()}

    seen, plainly = [], optuna_sampler.propose
    monkeypatch.setattr(optuna_sampler, "propose", lambda *given: seen.append(threads()) or plainly(*given))
    with threadpool_limits(2):
        study = optuna.create_study(sampler=HPOSampler("tpe", seed=0))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + 0 * len(threads() ^ {2}), 3)
        assert threads() == {2}
    assert seen == [{1}, {1}]


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
        ({"method": "gp", "constraints_func": (0.5,)}, "constraints_func is (0.5,); allowed: a function of a trial"),
        (
            {"method": {"method": "gp", "acquisition": "thompson"}, "constraints_func": bowl},
            "constraints are given, but the acquisition is 'thompson'; allowed: 'ei' or 'pi'",
        ),
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


GP = {"method": "gp", "maximizer": "random_search", "initial_design": 4}
LINE = {"x": FloatDistribution(0, 1)}


def border(trial: optuna.Trial, how: str) -> float:
    """The smallest loss is at 0.5, as only x from there on are feasible."""
    x = trial.suggest_float("x", 0, 1)
    if how == "set_constraint":
        trial.set_constraint("c", 0.5 - x)
    else:
        trial.set_user_attr("c", 0.5 - x)
    return x


def of_user_attribute(trial):
    return (trial.user_attrs["c"],)


@pytest.mark.parametrize("how", ["set_constraint", "constraints_func"])
@pytest.mark.parametrize("method", ["tpe", "regularized_evolution"])
def test_constraints_are_honoured(method, how):
    """Without them, of the late trials all would be below 0.5: the loss falls towards 0. Uniform ones were 6 of 12."""
    method = {"method": method, "population": 8} if method == "regularized_evolution" else method
    function = of_user_attribute if how == "constraints_func" else None
    study = optuna.create_study(sampler=HPOSampler(method, seed=0, constraints_func=function))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study.optimize(lambda trial: border(trial, how), n_trials=36)
    late = [trial.params["x"] for trial in study.trials[24:]]
    assert sum(x < 0.5 for x in late) <= 8 and sum(x >= 0.5 for x in late) >= 4
    feasible = [trial for trial in study.trials if trial.params["x"] >= 0.5]
    assert study.best_trial.number == min(feasible, key=lambda trial: trial.value).number


@pytest.mark.parametrize("method", [FOREST, pytest.param(GP, marks=pytest.mark.slow)], ids=["rf", "gp"])
def test_a_model_finds_the_border_of_what_is_allowed(method):
    """To 0.02, which 18 uniform trials miss with probability 0.69, in all three searches with 0.34."""
    for direction, sign, seed in (("minimize", 1, 0), ("maximize", -1, 0), ("minimize", 1, 1)):
        study = optuna.create_study(sampler=HPOSampler(method, seed=seed), direction=direction)
        study.optimize(lambda trial, sign=sign: sign * border(trial, "set_constraint"), n_trials=18)
        assert 0.5 <= study.best_trial.params["x"] < 0.52


@pytest.mark.filterwarnings("ignore::FutureWarning")  # Optuna's sampler would rather have `set_constraint`
def test_constraints_are_stored_as_optunas_own_samplers_store_them():
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("c", x - 0.5)
        trial.report(x, 1)
        if trial.number == 1:
            raise optuna.TrialPruned
        if trial.number == 2:
            raise ValueError
        return x

    stored = []
    for sampler in (
        HPOSampler("random", seed=0, constraints_func=of_user_attribute),
        optuna.samplers.TPESampler(seed=0, constraints_func=of_user_attribute),
    ):
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=4, catch=ValueError)
        assert [trial.system_attrs.get("constraints") for trial in study.trials] == [
            None if trial.number == 2 else (trial.user_attrs["c"],) for trial in study.trials
        ]
        stored.append([type(trial.system_attrs.get("constraints")) for trial in study.trials])
    assert stored[0] == stored[1]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_study_of_another_sampler_goes_on_with_its_constraints():
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(constraints_func=of_user_attribute, seed=0))
    study.optimize(lambda trial: border(trial, "constraints_func"), n_trials=12)
    study.sampler = HPOSampler("tpe", seed=0, constraints_func=of_user_attribute)
    study.optimize(lambda trial: border(trial, "constraints_func"), n_trials=20)
    assert sum(trial.params["x"] < 0.5 for trial in study.trials[12:]) <= 14
    assert all(trial.constraints for trial in study.trials) and study.best_trial.params["x"] >= 0.5


def test_what_every_kind_of_trial_counts_as():
    """Failures have the largest loss of what succeeded; a pruned trial is no better than the median, here 2."""
    study = optuna.create_study()
    no = {"system_attrs": {}}
    for number, given in enumerate(
        [
            {"value": 1.0, "constraints": {"a": -1.0, "b": 0.0}},
            {"value": 0.1, "constraints": {"a": -1.0, "b": 1e-9}},
            {"value": 0.2, "system_attrs": {"constraints": (math.nan,)}},
            {"value": 2.5, "system_attrs": {"constraints": None}},
            {"state": TrialState.PRUNED, "intermediate_values": {1: 0.4}, "constraints": {"a": math.inf}},
            {"state": TrialState.PRUNED, "intermediate_values": {1: 0.5}, "constraints": {"a": -math.inf}},
            {"state": TrialState.FAIL, **no},
            {"value": 3.0, **no},
            {"value": math.inf, **no},
        ]
    ):
        study.add_trial(create_trial(params={"x": number / 10}, distributions=LINE, **given))
    history = History.before(study, study.ask()._get_latest_trial())
    past = history.past(Group.of(LINE))
    assert past.losses.tolist() == [1.0, 3.0, 3.0, 3.0, 3.0, 2.0, 3.0, 3.0, 3.0]
    assert past.failed.tolist() == [False, True, True, True, True, False, True, False, True]
    np.testing.assert_array_equal(past.observed, [1.0, 0.1, np.nan, np.nan, 2.0, 2.0, np.nan, 3.0, np.nan])
    assert history.constrained and history.unknown == 7 and study.best_trial.number == 0


@pytest.mark.parametrize("returned", [(math.nan,), 0.5, "0.5", None, ("a",)], ids=repr)
def test_what_is_no_value_of_a_constraint_is_named_and_the_trial_is_a_failure(returned):
    sampler = HPOSampler("tpe", seed=0, constraints_func=lambda trial: returned)
    study = optuna.create_study(sampler=sampler)
    said = rf"constraints_func returned {re.escape(repr(returned))} for trial 0; allowed: a sequence of numbers"
    with pytest.raises(UserError, match=said):
        study.optimize(bowl, n_trials=2)
    (trial,) = study.trials
    assert trial.state == TrialState.COMPLETE and trial.system_attrs["constraints"] is None
    assert History.before(study, study.ask()._get_latest_trial()).outcomes().failed.tolist() == [True]


def test_what_cannot_be_honoured_is_warned_of_once():
    def objective(trial: optuna.Trial) -> float:
        return border(trial, "set_constraint" if trial.number < 6 else "nothing")

    study = optuna.create_study(sampler=HPOSampler({**GP, "acquisition": "thompson"}, seed=0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        study.optimize(objective, n_trials=10)
    said = [str(each.message) for each in caught if "HPOSampler" in str(each.message)]
    assert len(said) == 2 and "cannot learn with the acquisition 'thompson'" in said[0]
    assert "count as feasible, as for study.best_trial: the first is trial 6" in said[1]


def test_trials_are_encoded_once_and_together(monkeypatch):
    """Ten are there, then each of five is new: 15 in 6 calls. Alone and each time anew they would be 60 in 60."""
    study = optuna.create_study(sampler=HPOSampler("tpe", seed=0))
    space = {"x": FloatDistribution(-5, 5), "n": IntDistribution(1, 9)}
    for number in range(10):
        study.add_trial(create_trial(params={"x": number / 2, "n": 3}, distributions=space, value=float(number)))
    sizes, encode = [], CubeEncoding.encode
    monkeypatch.setattr(CubeEncoding, "encode", lambda self, given: sizes.append(len(given)) or encode(self, given))
    study.optimize(bowl, n_trials=6)
    assert [size for size in sizes if size] == [10, 1, 1, 1, 1, 1]


def test_a_history_that_grows_is_that_of_the_storage():
    """Trials finish in another order than they began, one never does, parameters change, a range does."""
    study, grown = optuna.create_study(), History()
    generator = np.random.default_rng(0)
    open_trials: list[optuna.Trial] = []
    for step in range(60):
        open_trials.append(trial := study.ask())
        trial.suggest_float("x", 0, 1 + step // 30)
        if generator.random() < 0.5:
            trial.suggest_int("n", 1, 9)
        if step and generator.random() < 0.7:
            done = open_trials.pop(int(generator.integers(1, len(open_trials)))) if len(open_trials) > 1 else None
            if done is not None and generator.random() < 0.2:
                study.tell(done, state=TrialState.FAIL)
            elif done is not None:
                done.set_constraint("c", generator.normal())
                study.tell(done, generator.random())
        latest = trial._get_latest_trial()
        grown.update(study, latest)
        fresh = History.before(study, latest)
        assert grown.distributions() == fresh.distributions()
        assert list(grown.distributions()) == list(fresh.distributions())
        groups = grown.groups(grown.distributions())
        assert [each.parameters for each in groups] == [each.parameters for each in fresh.groups(fresh.distributions())]
        for group in groups:
            ours, theirs = grown.past(group), fresh.past(group)
            assert ours.configurations == theirs.configurations
            np.testing.assert_array_equal(ours.points, theirs.points)
            np.testing.assert_array_equal(ours.observed, theirs.observed)
            np.testing.assert_array_equal(ours.failed, theirs.failed)
        assert {each.number for each in grown.running} == {each.number for each in open_trials} - {trial.number}
    assert len(grown.trials) > 25


@pytest.mark.parametrize(("low", "high"), [(1.0, 1.0 + 1e-15), (-1e308, 1e308)])
def test_a_range_that_cannot_be_searched_is_named(low, high):
    study = optuna.create_study(sampler=HPOSampler("tpe", seed=0))
    with pytest.raises(UserError, match=r"parameter 'x' has FloatDistribution\(.*\); allowed: a range"):
        study.optimize(lambda trial: trial.suggest_float("x", low, high), n_trials=2)


@pytest.mark.parametrize("kind", ["sqlite", "journal"])
def test_two_samplers_of_one_storage_propose_as_one(tmp_path, kind):
    """They take turns, as two processes would, each with a history of its own."""

    def storage():
        if kind == "sqlite":
            return optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/study.db")
        return optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(f"{tmp_path}/study.log"))

    optuna.create_study(storage=storage(), study_name="bowl")
    both = [optuna.load_study(study_name="bowl", storage=storage(), sampler=HPOSampler("tpe", seed=0)) for _ in "ab"]
    for turn in range(16):
        both[turn % 2].optimize(bowl, n_trials=1)
    assert [trial.params for trial in both[0].trials] == [trial.params for trial in searched("tpe", 16).trials]


def test_a_generation_that_is_under_way_is_waited_for():
    """With more trials under way than a generation of CMA-ES has, those too many are random."""
    study = optuna.create_study(sampler=HPOSampler({"method": "cmaes", "population": 4}, seed=0, space=LINE))
    values = [study.ask().suggest_float("x", 0, 1) for _ in range(12)]
    assert len(set(values)) == 12
