"""SMAC (Hutter et al., 2011) by its own library, an optional extra: pip install -r envs/requirements-smac.txt.

SMAC3's facade for hyperparameter optimization with its defaults: random forests, log expected improvement, a Sobol
initial design of ten configurations per hyperparameter but at most a quarter of the planned evaluations. With one call
per configuration the objective counts as deterministic. With more, SMAC races new configurations against its incumbent:
both are evaluated again while the mean of the new one is not worse, so that trials repeat configurations. Conditions
and forbidden clauses are ConfigSpace's own; choices of weight 0 are forbidden to it.

A finite space runs out: once SMAC finds no configuration that it has not proposed, it has finished. By default it gives
up after 16 repeated configurations, which on a grid of 768 configurations happens after 330 to 500 evaluations; here it
continues to search. A failed trial is told as crashed, with the worst-case loss that it carries.

SMAC's local search starts from the members of a set, whose order changes with every Python process. Here they are
sorted, so that a seed determines a run and a saved state can be restored elsewhere.
"""

from __future__ import annotations

import copy
import tempfile
from typing import Any

import numpy as np
from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, ForbiddenEqualsClause
from joblib import parallel_config

from core.foundation.errors import UserError
from core.foundation.validation import require_count
from core.optimizers.base import Outcome
from core.optimizers.replayed import ReplayedOptimizer
from core.optimizers.settings import EVALUATIONS, SMACSettings
from core.spaces import Column

RETRIES = 10_000


class SMAC(ReplayedOptimizer):
    """SMAC through its hyperparameter optimization facade.

    Args:
        space: Search space.
        generator: Generator of one number, which seeds SMAC.
        settings: Settings.
        evaluations: Planned number of evaluations; the initial design depends on it.

    Raises:
        UserError: SMAC is not installed, `evaluations` is not a positive whole number, or a space has nothing to
            choose.
    """

    def __init__(
        self,
        space: ConfigurationSpace,
        generator: np.random.Generator,
        settings: SMACSettings | None = None,
        *,
        evaluations: int = EVALUATIONS,
    ) -> None:
        self.settings: SMACSettings = settings or SMACSettings()
        self.evaluations = require_count("evaluations", evaluations)
        super().__init__(space, generator)

    def _start(self, seed: int) -> _Facade:
        return _Facade(self.space, seed, self.evaluations, self.settings)

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "evaluations": self.evaluations}


class _Facade:
    """SMAC's facade with its trials under way, by our trial numbers."""

    def __init__(self, space: ConfigurationSpace, seed: int, evaluations: int, settings: SMACSettings) -> None:
        calls, share = settings.calls_per_configuration, settings.random_fraction
        try:
            from smac import HyperparameterOptimizationFacade as Facade
            from smac import Scenario
            from smac.main.exceptions import ConfigurationSpaceExhaustedException
            from smac.runhistory import StatusType, TrialValue
        except ImportError as error:
            raise UserError(
                f"SMAC cannot be imported ({error}); install it: pip install -r envs/requirements-smac.txt"
            ) from error
        self._value, self._status = TrialValue, StatusType
        self._ends = (ConfigurationSpaceExhaustedException, StopIteration)
        self.columns = {name: Column.of(space[name]) for name in space}
        self.running: dict[int, Any] = {}
        self.exhausted = False
        with tempfile.TemporaryDirectory() as folder:  # SMAC writes its scenario to disk; we keep the state ourselves
            scenario = Scenario(
                without_impossible(space),
                deterministic=calls == 1,
                n_trials=evaluations,
                seed=seed,
                output_directory=folder,
            )
            self.facade = Facade(
                scenario,
                _unused,
                intensifier=Facade.get_intensifier(scenario, max_config_calls=calls),
                random_design=Facade.get_random_design(scenario, probability=share),
                config_selector=Facade.get_config_selector(scenario, retries=RETRIES),
                acquisition_maximizer=_in_order(Facade.get_acquisition_maximizer(scenario)),
                logging_level=False,
                overwrite=True,
            )

    def propose(self, number: int) -> dict[str, Any] | None:
        if self.exhausted:
            return None
        try:
            with parallel_config("sequential"):  # its forest of ten trees spends most of the time on threads
                info = self.facade.ask()
        except self._ends:
            self.exhausted = True
            return None
        self.running[number] = info
        return {name: self._plain(name, value) for name, value in dict(info.config).items()}

    def observe(self, number: int, outcome: Outcome) -> None:
        status = self._status.CRASHED if outcome.failure else self._status.SUCCESS
        value = self._value(cost=outcome.loss, time=outcome.cost, status=status)
        self.facade.tell(self.running.pop(number), value, save=False)

    def _plain(self, name: str, value: Any) -> Any:
        """The value as a Python number or the choice itself, since ConfigSpace returns numpy types."""
        return self.columns[name].exact(value)


def without_impossible(space: ConfigurationSpace) -> ConfigurationSpace:
    """A copy of the space, which SMAC seeds, with forbidden clauses for choices of weight 0."""
    space = copy.deepcopy(space)
    for hyperparameter in list(space.values()):
        if isinstance(hyperparameter, CategoricalHyperparameter):
            impossible = [
                choice for choice in hyperparameter.choices if choice not in Column.of(hyperparameter).choices
            ]
            space.add(*(ForbiddenEqualsClause(hyperparameter, choice) for choice in impossible))
    return space


def _in_order(maximizer: Any) -> Any:
    """SMAC's maximizer with the starts of its local search sorted; there is no public way to them."""
    search = maximizer._local_search
    unordered = search._get_init_points_from_previous_configs
    search._get_init_points_from_previous_configs = lambda *given: sorted(unordered(*given), key=repr)
    return maximizer


def _unused(configuration: object, seed: int = 0) -> float:
    """SMAC requires a target function, which ask and tell never call."""
    raise AssertionError("SMAC evaluated by itself")
