"""Distributions of Optuna as hyperparameters of a space, and which of them belong together.

A define-by-run objective suggests what it needs, and only its trials tell what the space is. Parameters that occurred
in exactly the same trials form a group, which has a space of its own: one group where every trial suggests the same,
and several where a parameter depends on another, or was added later.

What ConfigSpace does not have becomes integers: choices their positions, steps their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ConfigSpace import CategoricalHyperparameter, ConfigurationSpace, Float, Integer
from ConfigSpace.hyperparameters import Hyperparameter

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.spaces import CubeEncoding

with needed_for("core.integrations"):
    from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.trial import FrozenTrial

Distributions = Mapping[str, BaseDistribution]


@dataclass(frozen=True)
class Parameter:
    """A parameter of more than one value."""

    name: str
    distribution: BaseDistribution

    @property
    def steps(self) -> bool:
        """Whether the space has the number of steps above the lowest value instead of the value."""
        if isinstance(self.distribution, FloatDistribution):
            return self.distribution.step is not None
        return isinstance(self.distribution, IntDistribution) and self.distribution.step > 1

    @property
    def hyperparameter(self) -> Hyperparameter[Any, Any]:
        """The hyperparameter of ConfigSpace.

        Raises:
            UserError: a range that ConfigSpace does not have.
        """
        try:
            return self._made()
        except (ValueError, OverflowError) as error:
            raise UserError(
                f"parameter {self.name!r} has {self.distribution}; allowed: a range that has values between its ends "
                "and a width that floats have"
            ) from error

    def _made(self) -> Hyperparameter[Any, Any]:
        own = self.distribution
        if isinstance(own, CategoricalDistribution):
            return CategoricalHyperparameter(self.name, list(range(len(own.choices))))
        if not isinstance(own, (FloatDistribution, IntDistribution)):
            raise TypeError(f"{type(own).__name__} is none of Optuna's distributions")
        if self.steps:
            return Integer(self.name, (0, round((own.high - own.low) / (own.step or 1))))
        if isinstance(own, IntDistribution):
            return Integer(self.name, (own.low, own.high), log=own.log)
        return Float(self.name, (own.low, own.high), log=own.log)

    def code(self, value: Any) -> float | int:
        """A value of Optuna's as the space has it."""
        own = self.distribution
        if isinstance(own, CategoricalDistribution):
            return int(own.to_internal_repr(value))
        if self.steps:
            steps: int = round((value - own.low) / own.step)  # type: ignore[attr-defined]
            return steps
        return int(value) if isinstance(own, IntDistribution) else float(value)

    def value(self, code: float | int) -> Any:
        """The inverse of `code`."""
        own = self.distribution
        if isinstance(own, CategoricalDistribution):
            return own.choices[int(code)]
        if self.steps:
            number = own.low + code * own.step  # type: ignore[attr-defined]
            return int(number) if isinstance(own, IntDistribution) else min(float(number), own.high)  # type: ignore[attr-defined]
        return int(code) if isinstance(own, IntDistribution) else float(code)


@dataclass(frozen=True)
class Group:
    """Parameters that are proposed together; those of a single value have no place in the space."""

    parameters: tuple[Parameter, ...]

    @classmethod
    def of(cls, distributions: Distributions) -> Group:
        """The group of these parameters."""
        chosen = [name for name in sorted(distributions) if not distributions[name].single()]
        return cls(tuple(Parameter(name, distributions[name]) for name in chosen))

    @cached_property
    def space(self) -> ConfigurationSpace:
        """The space of the group, which must have a parameter."""
        space = ConfigurationSpace()
        space.add(*(parameter.hyperparameter for parameter in self.parameters))
        return space

    @cached_property
    def encoding(self) -> CubeEncoding:
        """Its encoding."""
        return CubeEncoding(self.space)

    def configuration(self, trial: FrozenTrial) -> dict[str, Any] | None:
        """A trial's values in the space; None if it lacks one, or has one that is now outside."""
        configuration = {}
        for parameter in self.parameters:
            if parameter.name not in trial.params:
                return None
            value, theirs = trial.params[parameter.name], trial.distributions[parameter.name]
            if not isinstance(theirs, type(parameter.distribution)) or not _contains(parameter.distribution, value):
                return None
            configuration[parameter.name] = parameter.code(value)
        return configuration

    def values(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """The values that Optuna is given for a configuration of the space."""
        return {each.name: each.value(configuration[each.name]) for each in self.parameters}


def _contains(distribution: BaseDistribution, value: Any) -> bool:
    try:
        return bool(distribution._contains(distribution.to_internal_repr(value)))
    except ValueError:  # a choice that is no longer there
        return False
