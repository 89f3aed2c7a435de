"""SMAC (Hutter et al., 2011) by its own library, an optional extra: pip install -r envs/requirements-smac.txt.

SMAC3's facade for hyperparameter optimization with its defaults: random forests, log expected improvement, a Sobol
initial design of ten configurations per hyperparameter but at most a quarter of the planned evaluations. The objective
counts as deterministic: each configuration is evaluated once. Conditions and forbidden clauses are ConfigSpace's own.

A finite space runs out: once SMAC finds no configuration that it has not proposed, it has finished. By default it
gives up after 16 that it has, and on a grid of 768 configurations after 330 to 500 evaluations; here it looks on. A
failed trial is told as crashed, with the worst-case loss that it carries.
"""

from __future__ import annotations

import copy
import tempfile
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from joblib import parallel_config

from core.errors import UserError
from core.optimizers.base import Outcome
from core.optimizers.replayed import ReplayedOptimizer
from core.spaces import Column
from core.validation import require_count

RETRIES = 10_000


class SMAC(ReplayedOptimizer):
    """SMAC through its hyperparameter optimization facade.

    Args:
        space: the search space.
        generator: provides one number, which seeds SMAC.
        evaluations: the planned number; the initial design depends on it.

    Raises:
        UserError: SMAC is not installed, `evaluations` is not a positive whole number, or a space has nothing to
            choose.
    """

    SETTINGS = ("evaluations",)

    def __init__(self, space: ConfigurationSpace, generator: np.random.Generator, evaluations: int = 200) -> None:
        self.evaluations = require_count("evaluations", evaluations)
        super().__init__(space, generator)

    def _start(self, seed: int) -> _Facade:
        return _Facade(self.space, seed, self.evaluations)

    @property
    def finished(self) -> bool:
        return self._search.exhausted


class _Facade:
    """SMAC's facade with its trials under way, by our trial numbers."""

    def __init__(self, space: ConfigurationSpace, seed: int, evaluations: int) -> None:
        try:
            from smac import HyperparameterOptimizationFacade, Scenario
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
                copy.deepcopy(space),  # SMAC seeds the space it is given
                deterministic=True,
                n_trials=evaluations,
                seed=seed,
                output_directory=folder,
            )
            self.facade = HyperparameterOptimizationFacade(
                scenario,
                _unused,
                config_selector=HyperparameterOptimizationFacade.get_config_selector(scenario, retries=RETRIES),
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
        column = self.columns[name]
        return column.values(np.array([column.code(value)]))[0]


def _unused(configuration: object, seed: int = 0) -> float:
    """SMAC requires a target function, which ask and tell never call."""
    raise AssertionError("SMAC evaluated by itself")
