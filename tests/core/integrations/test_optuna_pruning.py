"""BOHB, Hyperband and successive halving as pairs of a sampler and a pruner."""

from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import optuna
import pytest
from optuna.trial import TrialState

from core.foundation.errors import UserError
from core.integrations import HPOPruner, HPOSampler
from core.integrations.optuna_history import History
from core.integrations.optuna_proposals import propose
from core.integrations.optuna_space import Group
from core.optimizers.brackets import bracket_size

optuna.logging.set_verbosity(optuna.logging.WARNING)


def objective(trial: optuna.Trial) -> float:
    loss = abs(trial.suggest_float("x", 0, 1) - 0.3)
    for step in range(1, 10):
        trial.report(loss + 0.01 / step, step)
        if trial.should_prune():
            raise optuna.TrialPruned
    return loss


def pair(method: str, trials: int, **given) -> optuna.Study:
    sampler = HPOSampler(method, seed=0, budgets=(1, 9))
    study = optuna.create_study(sampler=sampler, pruner=sampler.pruner(), **given)
    study.optimize(objective, n_trials=trials)
    return study


def test_brackets_have_hyperbands_sizes_in_turn():
    pruner = HPOPruner(1, 9)
    sizes = [bracket_size(first, 3, 3) for first in range(3)]
    firsts = [pruner.first_rung(number) for number in range(2 * sum(sizes))]
    assert firsts[: sum(sizes)] == [rung for rung, size in enumerate(sizes) for _ in range(size)]
    assert Counter(firsts) == {rung: 2 * size for rung, size in enumerate(sizes)}
    assert {HPOPruner(1, 9, brackets=1).first_rung(number) for number in range(50)} == {0}


@pytest.mark.parametrize("method", ["hyperband", "successive_halving", "bohb"])
def test_trials_stop_at_the_budgets_of_rungs(method):
    study = pair(method, 40)
    last = Counter(trial.last_step for trial in study.trials)
    assert set(last) <= {1, 3, 9} and last[9] and last[1]
    for trial in study.trials:
        assert (trial.last_step == 9) == (trial.state == TrialState.COMPLETE)
        assert trial.last_step >= study.pruner.budgets[study.pruner.first_rung(trial.number)]


def test_about_one_in_eta_goes_on():
    """The trial that arrives n-th goes on with probability max(1, floor(n / 3)) / n: 19.8 of 60, deviation 3.5."""
    study = pair("successive_halving", 60)
    reached = [trial for trial in study.trials if trial.last_step > 1]
    assert 8 <= len(reached) <= 32
    stopped = [trial.intermediate_values[1] for trial in study.trials if trial.last_step == 1]
    assert sum(t.intermediate_values[1] for t in reached) / len(reached) < sum(stopped) / len(stopped)


def test_the_last_rung_is_never_pruned_and_a_maximum_is_found():
    def negative(trial: optuna.Trial) -> float:
        value = -abs(trial.suggest_float("x", 0, 1) - 0.3)
        for step in (1, 3, 9):
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    sampler = HPOSampler("bohb", seed=0, budgets=(1, 9))
    study = optuna.create_study(sampler=sampler, pruner=sampler.pruner(), direction="maximize")
    study.optimize(negative, n_trials=40)
    assert study.best_value > -0.05
    kept = [t.value for t in study.trials if t.state == TrialState.COMPLETE]
    pruned = [t.intermediate_values[t.last_step] for t in study.trials if t.state == TrialState.PRUNED]
    assert sum(kept) / len(kept) > sum(pruned) / len(pruned)


def test_bohbs_model_learns_from_pruned_trials_too():
    """Although most trials end on rung 0, late ones are near the optimum: uniform ones would be 0.29 away."""
    distances = []
    for seed in range(3):
        sampler = HPOSampler("bohb", seed=seed, budgets=(1, 9))
        study = optuna.create_study(sampler=sampler, pruner=sampler.pruner())
        study.optimize(objective, n_trials=40)
        distances += [abs(trial.params["x"] - 0.3) for trial in study.trials[20:]]
    assert sum(distances) / len(distances) < 0.2


def test_bohb_prefers_the_largest_budget_with_enough_trials():
    """Rung 0 says that 0.9 is good; the top rung, that 0.1 is."""
    study = optuna.create_study()
    space = {"x": optuna.distributions.FloatDistribution(0, 1)}
    for number in range(24):
        x = (number + 0.5) / 24
        reports = {1: abs(x - 0.9), 9: abs(x - 0.1)}
        study.add_trial(
            optuna.create_trial(params={"x": x}, distributions=space, value=reports[9], intermediate_values=reports)
        )
    settings = HPOSampler({"method": "bohb", "random_fraction": 0.0}, budgets=(1, 9)).settings
    history = History.before(study, study.ask()._get_latest_trial())
    found = [propose(settings, Group.of(space), history, seed, (1, 9), 100)[0]["x"] for seed in range(20)]
    assert sum(found) / 20 < 0.4


def test_bohb_learns_nothing_good_from_what_violates_a_constraint():
    """The losses of x below 0.5 would be the smallest; late trials are as near to 0 as those of feasible ones."""
    space = {"x": optuna.distributions.FloatDistribution(0, 1)}
    study = optuna.create_study()
    for number in range(24):
        x = (number + 0.5) / 24
        trial = optuna.create_trial(
            params={"x": x}, distributions=space, value=x, intermediate_values={1: x}, constraints={"c": 0.5 - x}
        )
        study.add_trial(trial)
    history = History.before(study, study.ask()._get_latest_trial())
    (points, lowest), (_, middle), (_, top) = history.on_rungs(Group.of(space), (1, 3, 9))
    assert lowest.tolist() == top.tolist() == [math.inf] * 12 + points[12:, 0].tolist() and not len(middle)
    settings = HPOSampler({"method": "bohb", "random_fraction": 0.0}, budgets=(1, 9)).settings
    found = [propose(settings, Group.of(space), history, seed, (1, 9), 100)[0]["x"] for seed in range(20)]
    assert 0.4 < sum(found) / 20 < 0.75


def test_what_violates_a_constraint_ranks_behind_all_that_do_not():
    """Of ten peers nine have smaller losses, but are infeasible: the trial is the second best, and goes on."""
    pruner = HPOPruner(1, 9, brackets=1)
    for feasible, stopped in ((0, False), (9, True)):
        study = optuna.create_study(pruner=pruner)
        for number in range(10):
            peer = study.ask()
            peer.report(number / 100, 1)
            if number:
                peer.set_constraint("c", -1.0 if number <= feasible else 1.0)
            if number % 2:
                study.tell(peer, number / 100)
        trial = study.ask()
        trial.report(0.5, 1)
        assert trial.should_prune() == stopped


def test_a_pruner_that_has_seen_a_study_grow_decides_as_a_new_one():
    grown = HPOPruner(1, 9)
    study = optuna.create_study(pruner=grown)
    generator = np.random.default_rng(0)
    decisions, waiting = [], []
    for _ in range(80):
        waiting.append(study.ask())
        trial = waiting.pop(int(generator.integers(len(waiting)))) if generator.random() < 0.7 else waiting[-1]
        trial.report(generator.random(), (trial._get_latest_trial().last_step or 0) + int(generator.integers(1, 5)))
        frozen = trial._get_latest_trial()
        decisions.append(grown.prune(study, frozen))
        assert decisions[-1] == HPOPruner(1, 9).prune(study, pickle.loads(pickle.dumps(frozen)))
        if trial not in waiting:
            failed = generator.random() < 0.2
            study.tell(trial, None if failed else 1.0, state=TrialState.FAIL if failed else None)
    assert 5 < sum(decisions) < 70


def test_reports_that_are_no_numbers_are_stopped():
    pruner = HPOPruner(1, 9)
    study = optuna.create_study(pruner=pruner)
    for value in (0.1, 0.2, 0.3):
        study.ask().report(value, 1)
    trial = study.ask()
    trial.report(float("nan"), 1)
    assert trial.should_prune()


def test_only_methods_of_several_budgets_have_a_pruner():
    with pytest.raises(UserError, match="method 'gp' has no pruner; allowed: hyperband, successive_halving, bohb"):
        HPOSampler("gp").pruner()
