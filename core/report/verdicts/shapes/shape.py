"""A shape: the check that many claims share, a function of the results and of a few values.

    @shape
    def ends_below(results: Results, benchmark: Benchmark, better: Method, worse: Method, factor: float = 1.0) -> Check:

It returns a Check, or a list of them where the runs decide how many parts there are.

A row of a paper's table of claims gives the values by name, see `core.report.verdicts.claim_tables`. They are validated
by the types of the parameters. A list where the shape takes a single value stands for several parts of the claim, one
for each: `{benchmark: [adult, letter], better: bohb, worse: [tpe, gp]}` has four, the last list varying fastest.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import create_model

from core.foundation.strict import Strict
from core.report.verdicts.checks import Check


@dataclass(frozen=True)
class Name:
    """Marks a parameter whose values are names in paper.yaml: of an `experiment`, a `benchmark` or a `method`."""

    kind: str


Experiment = Annotated[str, Name("experiment")]
Experiments = tuple[Experiment, ...]
Benchmark = Annotated[str, Name("benchmark")]
Method = Annotated[str, Name("method")]
Methods = tuple[Method, ...]
Data = Literal["ours", "authors"]
"""Whose data a claim is judged on, where the authors' have an outcome of their own: `reproduced: {data: authors}`."""
F = TypeVar("F", bound=Callable[..., Check | list[Check]])


@dataclass(frozen=True)
class Shape:
    """A function from the results and the values of a row to a Check or several."""

    function: Callable[..., Check | list[Check]]

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def summary(self) -> str:
        """The first paragraph of the function's docstring."""
        return " ".join((self.function.__doc__ or "").partition("\n\n")[0].split())

    @cached_property
    def values(self) -> type[Strict]:
        """The model that validates the values of one part."""
        hints = get_type_hints(self.function, include_extras=True)
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        fields: dict[str, Any] = {
            p.name: (hints[p.name], ... if p.default is p.empty else p.default) for p in parameters
        }
        model: type[Strict] = create_model(self.name, __base__=Strict, __module__=self.function.__module__, **fields)
        return model

    @cached_property
    def names(self) -> dict[str, str]:
        """The kind of the names that each parameter takes, for the parameters that take names."""
        hints = get_type_hints(self.function, include_extras=True)
        kinds = {name: _kind(hints[name]) for name in self.values.model_fields}
        return {name: kind for name, kind in kinds.items() if kind}

    def parts(self, given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The values of each part, validated.

        Raises:
            ValidationError: a value is missing, unknown or of the wrong type.
        """
        choices = [value if self._is_several(name, value) else [value] for name, value in given.items()]
        for chosen in product(*choices):
            part = self.values.model_validate(dict(zip(given, chosen, strict=True)))
            yield {name: getattr(part, name) for name in self.values.model_fields}

    def is_several(self, given: Mapping[str, Any]) -> bool:
        """Whether one of the values is a list of parts."""
        return any(self._is_several(name, value) for name, value in given.items())

    def _is_several(self, name: str, value: Any) -> bool:
        field = self.values.model_fields.get(name)
        return isinstance(value, list) and field is not None and get_origin(field.annotation) is not tuple


def shape(function: F) -> F:
    """Mark a function as a shape that rows of tables may name."""
    vars(function)["shape"] = Shape(function)
    return function


def shape_of(check: Callable[..., Check], function: Callable[..., Check]) -> Callable[..., Check]:
    """Mark a function as the shape of a check that it calls: rows name that, and its words are theirs."""
    for name in ("__name__", "__doc__", "__module__"):
        setattr(function, name, getattr(check, name))
    return shape(function)


def _kind(hint: Any) -> str:
    """The kind of the names in a type, empty if it is no name."""
    if get_origin(hint) is Annotated:
        return next((mark.kind for mark in get_args(hint)[1:] if isinstance(mark, Name)), "")
    return next(filter(None, map(_kind, get_args(hint))), "")
