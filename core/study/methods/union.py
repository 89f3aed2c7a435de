"""The settings of every optimization method: one union, discriminated by `method`. Settings build their optimizer.

    method_of("bohb")                                   # with the defaults
    method_of(BOHBSettings(eta=2))                      # or with others
    method_of({"method": "bohb", "eta": 2})             # the same, as from a file
    method_of("gp").build(space, seed=0)

A name means one thing: "tpe" is ours, "optuna_tpe" is Optuna's. Each setting is documented
with the optimizer that `build` makes. Nothing heavy is imported before a method is built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Union, get_args

from pydantic import BeforeValidator, Discriminator, PositiveFloat, PositiveInt, Tag, model_validator

from core.foundation.errors import UnknownNameError, UserError, brief
from core.foundation.strict import AddedLater
from core.study.methods.bandits import (
    BOHBSettings,
    HyperbandLCNetSettings,
    HyperbandSettings,
    SuccessiveHalvingSettings,
)
from core.study.methods.bayesian import (
    BohamiannSettings,
    DNGOSettings,
    ForestSettings,
    GPSettings,
    IntegratedGPSettings,
)
from core.study.methods.information import EntropySearchSettings, FabolasSettings, MTBOSettings
from core.study.methods.multitask import ABLRSettings, MultiTaskBohamiannSettings, MultiTaskGPSettings
from core.study.methods.population import (
    CMAESSettings,
    DifferentialEvolutionSettings,
    RegularizedEvolutionSettings,
    ReinforceSettings,
)
from core.study.methods.settings import Budgets, MethodSettings, Share, numpy_generator

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.optimizers.base import Optimizer
    from core.optimizers.policy import Policy
    from core.spaces import CubeEncoding


class RandomSettings(MethodSettings):
    """Uniform configurations."""

    in_lockstep: ClassVar[bool] = True

    method: Literal["random"] = "random"

    def _policy(self, encoding: CubeEncoding, device: Any, budgets: Budgets | None) -> Policy:
        """Propose uniform points."""
        from core.optimizers.policy import Uniform

        return Uniform(encoding)

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.random_search import RandomSearch

        return RandomSearch(space, numpy_generator(seed))


class TPESettings(MethodSettings):
    """The tree Parzen estimator, ours: with joint densities `core.optimizers.joint_parzen`; without, as the papers ran
    Hyperopt, `core.optimizers.tree_parzen`.

    Attributes:
        joint: Whether the densities are those of whole configurations, rather than of each hyperparameter by itself.
        rounded_ends: Whether, without joint densities, the first and the last value of an ordinal hyperparameter have
            half the probability of the others, as in Hyperopt.
    """

    method: Literal["tpe"] = "tpe"
    initial_design: PositiveInt = 10
    share: PositiveFloat = 1.0
    candidates: PositiveInt = 64
    rounded_ends: bool = False
    joint: Annotated[bool, AddedLater(False)] = True

    @model_validator(mode="after")
    def _ends_are_hyperopt_s(self) -> TPESettings:
        if self.joint and self.rounded_ends:
            raise ValueError("rounded_ends = True: joint densities have no rounded ends; allowed: joint = False")
        return self

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.joint_parzen import JointParzen
        from core.optimizers.tree_parzen import TreeParzen

        own = {name: value for name, value in self.own.items() if name != "joint"}
        if not self.joint:
            return TreeParzen(space, numpy_generator(seed), **own)
        del own["rounded_ends"]
        return JointParzen(space, numpy_generator(seed), **own)


class OptunaTPESettings(MethodSettings):
    """The tree Parzen estimator of Optuna: `core.optimizers.tpe`."""

    method: Literal["optuna_tpe"] = "optuna_tpe"

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.tpe import TPE

        return TPE(space, numpy_generator(seed))


class SMACSettings(MethodSettings):
    """SMAC by its own library, an optional extra: `core.optimizers.smac`."""

    method: Literal["smac"] = "smac"
    calls_per_configuration: PositiveInt = 1
    random_fraction: Share = 0.2

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.smac import SMAC

        return SMAC(space, numpy_generator(seed), evaluations=evaluations, **self.own)


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
