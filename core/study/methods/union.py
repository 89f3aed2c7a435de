"""The settings of every optimization method: one union, discriminated by `method`. Settings build their optimizer.

    method_of("bohb")                                   # with the defaults
    method_of(BOHBSettings(eta=2))                      # or with others
    method_of({"method": "bohb", "eta": 2})             # the same, as from a file
    method_of("gp").build(space, seed=0)

A name means one thing: "tpe" is ours, "optuna_tpe" is Optuna's. The classes stand in `core.optimizers`, with the
optimizers that take them. Nothing heavy is imported before a method is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Union, get_args

from pydantic import BeforeValidator, Discriminator, Tag

from core.foundation.errors import UnknownNameError, UserError, brief
from core.optimizers.information_settings import EntropySearchSettings, FabolasSettings, MTBOSettings
from core.optimizers.model_settings import (
    ABLRSettings,
    BohamiannSettings,
    DNGOSettings,
    ForestSettings,
    GPSettings,
    IntegratedGPSettings,
    MultiTaskBohamiannSettings,
    MultiTaskGPSettings,
)
from core.optimizers.settings import (
    BOHBSettings,
    CMAESSettings,
    DifferentialEvolutionSettings,
    HyperbandLCNetSettings,
    HyperbandSettings,
    MethodSettings,
    OptunaTPESettings,
    RandomSettings,
    RegularizedEvolutionSettings,
    ReinforceSettings,
    SMACSettings,
    SuccessiveHalvingSettings,
    TPESettings,
)

SETTINGS = (
    RandomSettings,
    TPESettings,
    OptunaTPESettings,
    SuccessiveHalvingSettings,
    HyperbandSettings,
    BOHBSettings,
    HyperbandLCNetSettings,
    GPSettings,
    IntegratedGPSettings,
    ForestSettings,
    DNGOSettings,
    BohamiannSettings,
    ABLRSettings,
    MultiTaskGPSettings,
    MultiTaskBohamiannSettings,
    EntropySearchSettings,
    MTBOSettings,
    FabolasSettings,
    CMAESSettings,
    DifferentialEvolutionSettings,
    RegularizedEvolutionSettings,
    ReinforceSettings,
    SMACSettings,
)

METHODS: dict[str, type[MethodSettings]] = {
    name: settings for settings in SETTINGS for name in get_args(settings.model_fields["method"].annotation)
}


def _tag(value: Any) -> str:
    """The tag of the class of a method that `_named` has accepted; tags are left out of the keys of an error."""
    return f"<{METHODS[_name_of(value)].__name__}>"


def _name_of(value: Mapping[str, Any] | MethodSettings) -> Any:
    return value.method if isinstance(value, MethodSettings) else value.get("method")


def _named(names: Sequence[str], value: Any) -> Any:
    """The value, if it names one of the given methods; a name alone stands for the method with its defaults."""
    value = {"method": value} if isinstance(value, str) else value
    if not isinstance(value, (Mapping, MethodSettings)):
        raise ValueError("Input should be a method's name, or a mapping of its name `method` and its settings")
    if (name := _name_of(value)) not in names:
        raise ValueError(f"method is {name!r}; allowed: {', '.join(names)}")
    return value


# Tags rather than the field itself: a class may have several names, and pydantic allows no checks before the field's.
_UNION: Any = Annotated[
    Union[tuple(Annotated[settings, Tag(f"<{settings.__name__}>")] for settings in SETTINGS)],  # noqa: UP007
    Discriminator(_tag),
]


def one_of(*names: str) -> Any:
    """The type of a setting whose value is one of the named methods."""
    return Annotated[_UNION, BeforeValidator(partial(_named, names))]


Method = one_of(*METHODS)
SingleBudgetMethod = one_of(*(name for name, settings in METHODS.items() if not settings.needs_budgets))


def method_of(given: str | Mapping[str, Any] | MethodSettings) -> MethodSettings:
    """The settings for a name, for a mapping with the key `method`, or for settings themselves.

    Raises:
        UserError: an unknown name or setting, or a value that is not allowed.
    """
    if isinstance(given, MethodSettings):
        return given
    mapping = {"method": given} if isinstance(given, str) else given
    if not isinstance(mapping, Mapping):
        raise UserError(
            f"method is {brief(given)}; allowed: a name ({', '.join(METHODS)}), settings, or an object that asks and "
            "tells"
        )
    name = mapping.get("method")
    if not isinstance(name, str) or name not in METHODS:
        raise UnknownNameError("method", name, METHODS, "core.study.methods.METHODS")
    return METHODS[name](**mapping)
