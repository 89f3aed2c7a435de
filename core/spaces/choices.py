"""What ConfigSpace's hyperparameters may be, and their choices as files hold them.

JSON has no tuples, and what it does not know is written as text. A column of a table, such as one of Parquet, holds
values of one type: tuples and lists become arrays, whole numbers beside others floats, text beside bytes bytes, nan
None, and dictionaries all get the keys of all. The form of a value is what is left of it there, so that a choice and
what was read of it have the same form. Two choices of the same form cannot be told apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from ConfigSpace import CategoricalHyperparameter
from ConfigSpace.hyperparameters import (
    BetaFloatHyperparameter,
    BetaIntegerHyperparameter,
    Hyperparameter,
    IntegerHyperparameter,
    NormalFloatHyperparameter,
    NormalIntegerHyperparameter,
    UniformFloatHyperparameter,
    UniformIntegerHyperparameter,
)

from core.foundation.errors import UserError, brief

SLACK = 1e-9  # tolerance relative to the range on the scale of the search: a float that left it by rounding is legal
DEFAULT_SET = (
    "default is set"  # key of a hyperparameter's `meta` by which a default that equals the automatic one shows
)
LARGEST = 2**53  # integers up to this size are floats
PRIORS = (
    BetaFloatHyperparameter,
    BetaIntegerHyperparameter,
    NormalFloatHyperparameter,
    NormalIntegerHyperparameter,
)
NUMBERS = (UniformFloatHyperparameter, UniformIntegerHyperparameter, *PRIORS)
PARAMETERS = ("mu", "sigma", "alpha", "beta", "lower", "upper", "log")  # arguments of the classes of numbers


def choice_of(
    name: str, stored: Any, choices: Mapping[Hashable, Sequence[Any]], form: Callable[[Any], Hashable]
) -> Any:
    """The choice that is stored as this, by a table of `by_form`; if there is none, what is stored.

    Raises:
        UserError: several choices have its form.
    """
    found = choices.get(form(stored), ()) if choices else ()
    if len(found) > 1:
        raise UserError(
            f"{name} = {brief(stored)} stands for {' and '.join(map(brief, found))}, which files do not tell apart; "
            "allowed: choices that stay different in a file, such as their names"
        )
    return found[0] if found else stored


def by_form(choices: Sequence[Any], form: Callable[[Any], Hashable]) -> dict[Hashable, list[Any]]:
    """The choices by their forms; a range has none, since its numbers stay what they are."""
    found: dict[Hashable, list[Any]] = {}
    for choice in () if isinstance(choices, range) else choices:
        found.setdefault(form(choice), []).append(choice)
    return found


def json_form(value: Any) -> Hashable:
    """What is left of a value in JSON: sequences are all alike, and what JSON does not know is its `repr`."""
    if isinstance(value, np.generic):
        return json_form(value.item())
    if isinstance(value, float) and math.isnan(value):
        return ("nan",)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return ("mapping", frozenset((str(key), json_form(entry)) for key, entry in value.items()))
    if isinstance(value, (list, tuple)):
        return ("sequence", *map(json_form, value))
    return json_form(value.tolist()) if hasattr(value, "tolist") else repr(value)


def table_form(value: Any) -> Hashable:
    """What is left of a value in a column of a table, see above."""
    if isinstance(value, np.generic):
        return table_form(value.item())
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")
    if isinstance(value, Mapping):  # the dictionaries of a column all get the same keys
        forms = {str(key): table_form(entry) for key, entry in value.items()}
        return ("mapping", frozenset((key, form) for key, form in forms.items() if form is not None))
    if hasattr(value, "tolist"):
        return table_form(value.tolist())
    return ("sequence", *map(table_form, value)) if isinstance(value, (list, tuple)) else json_form(value)


def whole_number(value: Any) -> int | None:
    """A whole number as Python's, which a `range` looks up at once; None for anything else."""
    if isinstance(value, Integral):
        return int(value)
    return int(float(value)) if isinstance(value, Real) and float(value).is_integer() else None


def is_hashable(value: Any) -> bool:
    """Whether a value can be looked up in a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def check_numbers(hyperparameter: Hyperparameter[Any, Any]) -> None:
    """Raise UserError for a float or integer of an unknown type, with an impossible prior, or beyond exact floats."""
    own, name = hyperparameter, f"hyperparameter {hyperparameter.name!r}"
    if not isinstance(own, NUMBERS):
        raise UserError(
            f"{name} is of type {type(own).__name__}, which has no encoding; allowed: uniform, normal and beta ones"
        )
    if isinstance(own, IntegerHyperparameter) and max(abs(int(own.lower)), abs(int(own.upper))) > LARGEST:
        raise UserError(
            f"{name} has integers from {own.lower} to {own.upper}; allowed: from -2**53 to 2**53, which floats hold "
            "exactly"
        )
    if not isinstance(own, PRIORS):
        return
    with np.errstate(all="ignore"):
        ends, quartiles = own._vector_dist.rv.cdf([0.0, 1.0]), own._vector_dist.rv.ppf([0.25, 0.75])  # type: ignore[attr-defined]
    spread = quartiles[0] < quartiles[1] or (isinstance(own, IntegerHyperparameter) and quartiles[0] == quartiles[1])
    if not (np.allclose(ends, [0.0, 1.0], atol=SLACK) and spread):
        given = ", ".join(f"{key} = {getattr(own, key):g}" for key in PARAMETERS[:4] if hasattr(own, key))
        given += " on a log scale" if own.log else ""
        raise UserError(
            f"{name} has a prior with {given}, which is no density from {own.lower:g} to {own.upper:g}; allowed: one "
            "that is spread over the range, such as a normal one with a finite mean and a positive deviation"
        )


def check_weights(hyperparameter: CategoricalHyperparameter) -> None:
    """Raise UserError for weights that are no probabilities, and for a default value of weight 0."""
    own, name = hyperparameter, f"hyperparameter {hyperparameter.name!r}"
    if not np.isfinite(own.probabilities).all():
        raise UserError(f"{name} has the weights {brief(own.weights)}; allowed: finite numbers of at least 0")
    if not own.probabilities.all() and own.probabilities[int(own.to_vector(own.default_value))] == 0:
        raise UserError(
            f"{name} has the default {brief(own.default_value)}, whose weight is 0; allowed: one with a positive weight"
        )
