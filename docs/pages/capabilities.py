"""What a method can do, found out by asking its settings and the optimizer that they build, never written by hand."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import torch
from ConfigSpace import ConfigurationSpace, EqualsCondition

import core.optimizers
from core.foundation.errors import UserError
from core.foundation.installation import EXTRAS, how_to_install
from core.models import Task
from core.optimizers import BayesianOptimization, Optimizer
from core.optimizers.model_settings import ModelSettings
from core.spaces import CubeEncoding
from core.study.methods import MethodSettings, method_of

FINITE = {"n": (1, 9), "m": (1, 9)}
CONTINUOUS = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
CATEGORICAL = {"n": (1, 9), "kind": ["a", "b", "c"]}
SHARES, BUDGETS = (1 / 64, 1.0), (1.0, 81.0)
TASK = Task(torch.zeros(1, 1, 2), torch.zeros(1, 1))
ASKED = 8
UNKNOWN = "unknown without its package"


def conditional() -> ConfigurationSpace:
    """A space in which `m` is active if `n` is 1."""
    space = ConfigurationSpace(FINITE)
    space.add(EqualsCondition(space["m"], space["n"], 1))
    return space


@dataclass(frozen=True)
class Capabilities:
    """What one method can do.

    Attributes:
        name: Name of the method.
    """

    name: str

    @cached_property
    def settings(self) -> MethodSettings:
        """The method's settings, with their defaults."""
        return method_of(self.name)

    @cached_property
    def budgets(self) -> tuple[float, float] | None:
        """Budgets that the method accepts: numbers such as epochs, or shares of the data; None without any."""
        if not self.settings.needs_budgets:
            return None
        return BUDGETS if self._accepts(FINITE, BUDGETS) else SHARES

    @cached_property
    def optimizer(self) -> Optimizer | None:
        """The optimizer of a space of two whole numbers; None if its package is not installed."""
        try:
            return self.settings.build(FINITE, 0, self.budgets)
        except UserError as error:
            if isinstance(error.__cause__, ImportError):
                return None
            raise

    @cached_property
    def builds(self) -> list[type]:
        """The classes that do the work: the optimizer's or its policy's, and that of its model."""
        if self.optimizer is None:
            return [getattr(core.optimizers, self.settings.optimizer)]
        if not isinstance(self.optimizer, BayesianOptimization):
            return [type(self.optimizer)]
        if isinstance(self.settings, ModelSettings):
            return [type(self.settings.model(10, **({"earlier": [TASK]} if self.settings.learns_from_tasks else {})))]
        return [type(self.settings.policy(CubeEncoding(ConfigurationSpace(FINITE)), budgets=self.budgets))]

    @cached_property
    def rows(self) -> dict[str, str]:
        """What the method can do, in words, by what is asked."""
        return {
            "Continuous hyperparameters": self._space(CONTINUOUS),
            "Categorical hyperparameters": self._space(CATEGORICAL),
            "Conditional hyperparameters": self._space(conditional()),
            "Budgets": self._budgets(),
            "Constraints": self._known(self._constraints),
            "Earlier evaluations of the same function, `earlier`": self._known(self._earlier),
            "Earlier searches of similar functions, `earlier`": _yes(self.settings.learns_from_tasks),
            f"Batches of {ASKED}": self._known(self._batches),
            "Recommends what it predicts to be best": self._known(self._recommends),
            "Weighs costs of evaluations": self._known(lambda optimizer: _yes(optimizer.weighs_costs)),
            "Advances many runs at once": _yes(self.settings.in_lockstep),
            "A sampler of Optuna": self._in_optuna(),
            "Package to install": self._package(),
        }

    def _accepts(self, space: Any, budgets: tuple[float, float] | None) -> bool:
        try:
            self.settings.build(space, 0, budgets)
        except UserError:
            return False
        return True

    def _space(self, space: Any) -> str:
        return self._known(lambda optimizer: _yes(self._accepts(space, self.budgets)))

    def _known(self, tell: Callable[[Optimizer], str]) -> str:
        return UNKNOWN if self.optimizer is None else tell(self.optimizer)

    def _budgets(self) -> str:
        if self.budgets is None:
            return "none: every evaluation is whole"
        kind = "any, such as epochs" if self.budgets == BUDGETS else "shares of the data"
        return f"{kind}; evaluations must return learning curves" if self.settings.needs_curves else kind

    def _constraints(self, optimizer: Optimizer) -> str:
        learns = isinstance(optimizer, BayesianOptimization) and isinstance(self.settings, ModelSettings)
        return "learned by a model of their own" if learns else "a violation counts as a failure"

    def _earlier(self, optimizer: Optimizer) -> str:
        if self.settings.learns_from_tasks or optimizer.weighs_costs:
            return "no"
        try:
            optimizer.learn({"n": 3, "m": 4}, 0.5)
        except UserError:
            return "no"
        return "yes"

    def _batches(self, optimizer: Optimizer) -> str:
        given = len(self.settings.build(FINITE, 0, self.budgets).ask(ASKED))
        return "yes" if given == ASKED else f"at most {given} in two dimensions"

    def _recommends(self, optimizer: Optimizer) -> str:
        return _yes(
            isinstance(optimizer, BayesianOptimization) and any(hasattr(kind, "recommend") for kind in self.builds)
        )

    def _in_optuna(self) -> str:
        from core.integrations import HPOSampler

        try:
            HPOSampler(self.name, seed=0, budgets=self.budgets)
        except UserError:
            return "no"
        return "yes"

    def _package(self) -> str:
        """The optional packages that the module of the optimizer imports, and how to install them."""
        module = getattr(core.optimizers, self.settings.optimizer).__module__
        found = imports(inspect.getsource(import_module(module)))
        needed = {imported.partition(".")[0] for imported in found} & EXTRAS.keys()
        return ", ".join(f"`{how_to_install(package)}`" for package in sorted(needed)) or "none"


def imports(source: str) -> set[str]:
    """The modules that a program imports, wherever it does so."""
    nodes = list(ast.walk(ast.parse(source)))
    whole = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return whole | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}


def _yes(true: bool) -> str:
    return "yes" if true else "no"
