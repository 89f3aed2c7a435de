"""Every method as a sampler of Optuna.

    study = optuna.create_study(sampler=HPOSampler("bohamiann"), storage="sqlite:///study.db", load_if_exists=True)
    study.optimize(objective, n_trials=50)

Objectives are define-by-run: the space is what trials have suggested so far (`core.integrations.optuna_space`), so that
the first trial of a study is random, unless `space` tells more. Parameters that a trial suggests for the first time are
random as well. Trials of other samplers, of other processes and enqueued ones count as the method's own.

Constraints are those that trials have set, `trial.set_constraint("memory", used - limit)`, or that `constraints_func`
makes of a finished trial: one above 0 is violated. Models learn where they are satisfied; to methods without a model of
the loss a violation is a failure. `core.integrations.optuna_history` says how every kind of trial counts.

BOHB, Hyperband and successive halving are a pair of sampler and pruner:

    sampler = HPOSampler("bohb", budgets=(1, 81))
    study = optuna.create_study(sampler=sampler, pruner=sampler.pruner())

where the objective reports `trial.report(loss, step)` at steps that are budgets, and asks `trial.should_prune()`.
Fabolas and MTBO choose a budget for each trial: `budget_of(trial)` has it after the first suggestion. They weigh the
user attribute `cost` of trials, by default their seconds.

"optuna_tpe" is Optuna's already; "smac" and "hyperband_lcnet" learn from their own trials alone, for which `minimize`
is the way.
"""

from __future__ import annotations

import math
import secrets
import sys
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from core.foundation.errors import UserError, brief
from core.foundation.installation import needed_for
from core.foundation.seeds import derive_seed
from core.integrations.optuna_history import BUDGET, CONSTRAINTS, History, budget_attribute
from core.integrations.optuna_proposals import PRUNING, propose
from core.integrations.optuna_pruner import HPOPruner
from core.integrations.optuna_space import Distributions, Group
from core.optimizers.settings import MethodSettings
from core.study.arguments import checked_budgets, checked_constraints, learns_constraints
from core.study.loop import OneThread
from core.study.methods import method_of

with needed_for("core.integrations"):
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.study import Study
    from optuna.trial import FrozenTrial, TrialState
    from optuna.trial import Trial as OptunaTrial

NOT_SENT = ("_lock", "_histories", "_warned", "_threads", "_modules")  # of a sampler that is pickled
NOT_HERE = {
    "optuna_tpe": "optuna.samplers.TPESampler(constant_liar=True), which it is",
    "smac": "minimize(..., method='smac'), since SMAC learns from its own trials alone",
    "hyperband_lcnet": "minimize(..., method='hyperband_lcnet'), since its model needs the curves of whole brackets",
}


class HPOSampler(BaseSampler):
    """A method of `core.study.METHODS` for studies of one objective.

    Args:
        method: Name of the method, or its settings as for `minimize`.
        seed: Seed of everything random; with one worker the same seed makes the same proposals. None draws one.
        space: Distributions of all parameters by name, where they are known beforehand; the first trials are then the
            method's initial design.
        budgets: Smallest and largest budget, for methods that need them.
        evaluations: Planned number of trials.
        constraints_func: Function of a trial that was completed or pruned which returns a sequence of numbers, as
            Optuna's own samplers take it: the trial is infeasible if one is above 0. What it returns is stored with the
            trial, where other samplers and `study.best_trial` find it.

    Raises:
        UserError: a method that is no sampler here or does not learn constraints, or arguments as for `minimize`.
    """

    def __init__(
        self,
        method: str | Mapping[str, Any] | MethodSettings = "gp",
        *,
        seed: int | None = None,
        space: Distributions | None = None,
        budgets: tuple[float, float] | None = None,
        evaluations: int = 200,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        self.settings, self.evaluations = method_of(method), evaluations
        if self.settings.method in NOT_HERE:
            here = NOT_HERE[self.settings.method]
            raise UserError(f"HPOSampler: method is {self.settings.method!r}; allowed: another one, or {here}")
        self.budgets = checked_budgets(budgets)
        self.settings.check_budgets(self.budgets)
        if space is not None and not all(isinstance(each, BaseDistribution) for each in dict(space).values()):
            raise UserError(f"space is {brief(space)}; allowed: Optuna's distributions by name")
        if constraints_func is not None:
            if not callable(constraints_func):
                raise UserError(f"constraints_func is {brief(constraints_func)}; allowed: a function of a trial")
            checked_constraints(["constraints_func"], self.settings)
        self.constraints_func = constraints_func
        self.space = dict(space or {})
        self.seed = secrets.randbits(62) if seed is None else seed
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()  # n_jobs shares the sampler, and what the methods use is not made for threads
        self._histories: WeakKeyDictionary[Study, History] = WeakKeyDictionary()
        self._warned: set[str] = set()
        self._threads, self._modules = OneThread(), 0

    def __str__(self) -> str:
        return f"HPOSampler({self.settings.method!r})"

    def pruner(self) -> HPOPruner:
        """The pruner that belongs to BOHB, Hyperband or successive halving.

        Raises:
            UserError: another method.
        """
        if self.settings.method not in PRUNING or self.budgets is None:
            raise UserError(f"method {self.settings.method!r} has no pruner; allowed: {', '.join(PRUNING)}")
        halving = self.settings.method == "successive_halving"
        return HPOPruner(*self.budgets, eta=self.settings.own["eta"], brackets=1 if halving else None)

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """All parameters that finished trials had, and those of `space`.

        Raises:
            ValueError: a study of several objectives.
        """
        self._raise_error_if_multi_objective(study)
        with self._lock:
            return {**self.space, **self._history(study, trial).distributions()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The method's proposal for each group of parameters, a budget of the first beside it.

        Raises:
            ValueError: a study of several objectives.
            UserError: a space that the method cannot search.
        """
        self._raise_error_if_multi_objective(study)
        values = {name: _only(each) for name, each in search_space.items() if each.single()}
        budget = None
        with self._lock:
            history = self._history(study, trial)
            self._warn_of_constraints(history)
            for place, group in enumerate(history.groups(search_space)):
                if group.parameters:
                    proposed, on = self._proposal(group, history, trial)
                    values |= proposed
                    budget = on if place == 0 or budget is None else budget
        if budget is not None:
            study._storage.set_trial_system_attr(trial._trial_id, BUDGET, budget)
        return values

    def _history(self, study: Study, trial: FrozenTrial) -> History:
        """All other trials of the study."""
        history = self._histories.setdefault(study, History())
        history.update(study, trial)
        return history

    def _warn_of_constraints(self, history: History) -> None:
        """Warn once of each kind of constraints that cannot be honoured."""
        if history.constrained and not learns_constraints(self.settings):
            self._warn(
                f"the study has constraints, which HPOSampler cannot learn with the acquisition "
                f"{getattr(self.settings, 'acquisition', None)!r}: violations count as failures; allowed: 'ei' or 'pi'"
            )
        if history.constrained and history.unknown is not None:
            self._warn(
                "HPOSampler: the study has constraints, but some trials have no values of them and count as feasible, "
                f"as for study.best_trial: the first is trial {history.unknown}; allowed: constraints_func, or "
                "trial.set_constraint in every trial"
            )

    def _warn(self, message: str) -> None:
        kind = message[:40]
        if kind not in self._warned:
            self._warned.add(kind)
            warnings.warn(message, stacklevel=4)

    def _proposal(self, group: Group, history: History, trial: FrozenTrial) -> tuple[dict[str, Any], float | None]:
        seed = derive_seed("optuna", self.seed, trial.number, *(each.name for each in group.parameters))
        if self._modules != len(sys.modules):  # what a method imports brings threads of its own
            self._threads, self._modules = OneThread(), len(sys.modules)
        with self._threads.proposing():
            proposal = propose(self.settings, group, history, seed, self.budgets, self.evaluations)
        if proposal is None:  # a generation that waits for its last results
            (configuration,) = group.encoding.decode(group.encoding.sample(1, np.random.default_rng(seed)))
            return group.values(configuration), None
        return group.values(proposal[0]), proposal[1]

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """A uniform value of a parameter that no trial had before.

        Raises:
            ValueError: a study of several objectives.
        """
        self._raise_error_if_multi_objective(study)
        group = Group.of({param_name: param_distribution})
        if not group.parameters:
            return _only(param_distribution)
        generator = np.random.default_rng(derive_seed("optuna", self.seed, trial.number, "alone", param_name))
        (configuration,) = group.encoding.decode(group.encoding.sample(1, generator))
        return group.values(configuration)[param_name]

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Give a trial of Fabolas or MTBO the smallest budget, which a proposal replaces."""
        if self.budgets is not None and self.settings.method not in PRUNING:
            study._storage.set_trial_system_attr(trial._trial_id, BUDGET, self.budgets[0])

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """Store the values of the constraints of a trial that was completed or pruned, where Optuna's samplers do.

        Raises:
            UserError: `constraints_func` did not return a sequence of numbers; None is stored, the trial counts as a
                failure. Whatever it raises does the same.
        """
        if self.constraints_func is None or state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return
        constraints = None
        try:
            constraints = _numbers(self.constraints_func(trial), trial.number)
        finally:
            study._storage.set_trial_system_attr(trial._trial_id, CONSTRAINTS, constraints)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in NOT_SENT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()


def budget_of(trial: OptunaTrial) -> float:
    """The budget on which a trial of Fabolas or MTBO is to be evaluated, after its first suggestion.

    Raises:
        UserError: a trial of another sampler.
    """
    budget = budget_attribute(trial._get_latest_trial())
    if budget is None:
        raise UserError(f"trial {trial.number} has no budget; allowed: trials of HPOSampler('fabolas') or ('mtbo')")
    return budget


def _only(distribution: BaseDistribution) -> Any:
    """The value of a distribution that has one."""
    choices = getattr(distribution, "choices", None)
    return choices[0] if choices is not None else distribution.low  # type: ignore[attr-defined]


def _numbers(returned: Any, number: int) -> tuple[float, ...]:
    """What `constraints_func` returned for a trial, as numbers that can be stored."""
    try:
        numbers = tuple(float(value) for value in returned)
    except (TypeError, ValueError):
        numbers = (math.nan,)
    if isinstance(returned, str) or any(map(math.isnan, numbers)):
        raise UserError(
            f"constraints_func returned {brief(returned)} for trial {number}; allowed: a sequence of numbers other "
            "than nan, such as (used - limit,)"
        )
    return numbers
