"""Settings of a cell that optimizes: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import NonNegativeInt, PositiveInt, model_validator

from core.experiment.settings import Settings
from core.study.methods import METHODS, SingleBudgetMethod

INITIAL = "initial_design"


class SharedStart(Settings):
    """Base of the settings of a search whose runs start from the same points whatever the method.

    Attributes:
        method: Method with its settings.
        evaluations: Number of evaluations per run.
        initial_design: Number of initial points, which are uniform. It is also the method's setting of that name; null
            for a method that does not run in lockstep, such as "optuna_tpe", and makes its own start.
    """

    method: SingleBudgetMethod
    evaluations: PositiveInt
    initial_design: NonNegativeInt | None

    @model_validator(mode="before")
    @classmethod
    def _method_has_it_too(cls, value: Any) -> Any:
        method = value.get("method") if isinstance(value, Mapping) else None
        given = {"method": method} if isinstance(method, str) else method
        kind = METHODS.get(given.get("method")) if isinstance(given, Mapping) else None
        shared = value.get(INITIAL, cls.model_fields[INITIAL].default) if kind is not None else None
        if shared is None or not kind.in_lockstep or INITIAL not in kind.names():
            return value
        return {**value, "method": {INITIAL: shared, **given}}

    @model_validator(mode="after")
    def _start_together(self) -> SharedStart:
        method, shared = self.method, self.initial_design
        if method.in_lockstep == (shared is None):
            allowed = "a number" if method.in_lockstep else "null, since it starts by itself"
            raise ValueError(f"initial_design = {shared} with method {method.method!r}; allowed: {allowed}")
        if method.in_lockstep and method.own.get(INITIAL, shared) != shared:
            raise ValueError(f"method.initial_design = {method.initial_points}; allowed: {shared}, the experiment's")
        return self


class Optimization(SharedStart):
    """Repetitions of one method on one objective, one row per evaluation; see `core.experiment.optimization`."""

    initial_design: NonNegativeInt | None = 2
