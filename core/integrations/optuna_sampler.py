"""Every method as a sampler of Optuna.

    study = optuna.create_study(sampler=HPOSampler("bohamiann"), storage="sqlite:///study.db", load_if_exists=True)
    study.optimize(objective, n_trials=50)

Objectives are define-by-run: the space is what trials have suggested so far (`core.integrations.optuna_space`), so that
the first trial of a study is random, unless `space` tells more. Parameters that a trial suggests for the first time are
random as well. Trials of other samplers, of other processes and enqueued ones count as the method's own.

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

import secrets
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from core.errors import UserError, brief
from core.extras import needed_for
from core.integrations.optuna_history import BUDGET, History, budget_attribute
from core.integrations.optuna_proposals import PRUNING, propose
from core.integrations.optuna_pruner import HPOPruner
from core.integrations.optuna_space import Distributions, Group, groups, known_distributions
from core.seeds import derive_seed
from core.study.arguments import checked_budgets
from core.study.methods import method_of
from core.study.methods.settings import MethodSettings

with needed_for("core.integrations"):
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.study import Study
    from optuna.trial import FrozenTrial
    from optuna.trial import Trial as OptunaTrial

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

    Raises:
        UserError: a method that is no sampler here, or arguments as for `minimize`.
    """

    def __init__(
        self,
        method: str | Mapping[str, Any] | MethodSettings = "gp",
        *,
        seed: int | None = None,
        space: Distributions | None = None,
        budgets: tuple[float, float] | None = None,
        evaluations: int = 200,
    ) -> None:
        self.settings, self.evaluations = method_of(method), evaluations
        if self.settings.method in NOT_HERE:
            here = NOT_HERE[self.settings.method]
            raise UserError(f"HPOSampler: method is {self.settings.method!r}; allowed: another one, or {here}")
        self.budgets = checked_budgets(budgets)
        self.settings.check_budgets(self.budgets)
        if space is not None and not all(isinstance(each, BaseDistribution) for each in dict(space).values()):
            raise UserError(f"space is {brief(space)}; allowed: Optuna's distributions by name")
        self.space = dict(space or {})
        self.seed = secrets.randbits(62) if seed is None else seed
        self._lock = threading.Lock()

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
        return {**self.space, **known_distributions(History.before(study, trial).told)}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The method's proposal for each group of parameters, a budget of the first beside it.

        Raises:
            ValueError: a study of several objectives.
            UserError: a space that the method cannot search.
        """
        self._raise_error_if_multi_objective(study)
        history = History.before(study, trial)
        values = {name: _only(each) for name, each in search_space.items() if each.single()}
        budget = None
        with self._lock:  # n_jobs shares the sampler, and what the methods use is not made for threads
            for place, group in enumerate(groups(search_space, history.told)):
                if group.parameters:
                    proposed, on = self._proposal(group, history, trial)
                    values |= proposed
                    budget = on if place == 0 or budget is None else budget
        if budget is not None:
            study._storage.set_trial_system_attr(trial._trial_id, BUDGET, budget)
        return values

    def _proposal(self, group: Group, history: History, trial: FrozenTrial) -> tuple[dict[str, Any], float | None]:
        seed = derive_seed("optuna", self.seed, trial.number, *(each.name for each in group.parameters))
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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=threading.Lock())


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
