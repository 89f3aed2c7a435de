"""Settings of the chapter's experiments. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, ValidationInfo, field_validator

from core.experiment.bandit_rules import BanditSearch
from core.experiment.optimization_settings import Optimization
from core.experiment.settings import AddedLater, Settings
from core.tabular.values import VALUES

if TYPE_CHECKING:
    from core.study.settings import MethodSettings

Numbers = tuple[float, ...]
Counts = tuple[int, ...]
Names = tuple[str, ...]


class Trainings(Settings):
    """How configurations of Table 7.2 are trained: epochs and repetitions (7.1), a seed for split and trainings."""

    epochs: PositiveInt = 100
    repetitions: PositiveInt = 4
    seed: NonNegativeInt = 0


class TrainedGrid(Trainings):
    """The part of Table 7.2 that is trained."""

    init_lr: Numbers = VALUES["init_lr"]
    batch_size: Counts = VALUES["batch_size"]
    lr_schedule: Names = VALUES["lr_schedule"]
    activation_fn_1: Names = VALUES["activation_fn_1"]
    activation_fn_2: Names = VALUES["activation_fn_2"]
    n_units_1: Counts = VALUES["n_units_1"]
    n_units_2: Counts = VALUES["n_units_2"]
    dropout_1: Numbers = VALUES["dropout_1"]
    dropout_2: Numbers = VALUES["dropout_2"]

    @field_validator(*VALUES)
    @classmethod
    def _is_a_part_of_the_table(cls, chosen: tuple[Any, ...], info: ValidationInfo) -> tuple[Any, ...]:
        own = VALUES[info.field_name]
        if not chosen or list(chosen) != [value for value in own if value in chosen]:
            raise ValueError(f"Input should be some of {', '.join(map(str, own))}, in this order")
        return chosen

    @property
    def values(self) -> dict[str, tuple[Any, ...]]:
        """The values of each hyperparameter."""
        return {name: getattr(self, name) for name in VALUES}


class TrainedNeighbours(Trainings):
    """A configuration of Table 7.2 and the hyperparameters of which the neighbouring values are trained as well."""

    init_lr: float
    batch_size: int
    lr_schedule: str
    activation_fn_1: str
    activation_fn_2: str
    n_units_1: int
    n_units_2: int
    dropout_1: float
    dropout_2: float
    changes: Names = tuple(VALUES)

    @field_validator(*VALUES)
    @classmethod
    def _is_in_the_table(cls, chosen: Any, info: ValidationInfo) -> Any:
        if chosen not in (own := VALUES[info.field_name]):
            raise ValueError(f"Input should be one of {', '.join(map(str, own))}")
        return chosen

    @field_validator("changes")
    @classmethod
    def _are_hyperparameters(cls, chosen: Names) -> Names:
        if unknown := set(chosen) - set(VALUES):
            raise ValueError(f"{sorted(unknown)[0]!r}: Input should be some of {', '.join(VALUES)}")
        return chosen

    @property
    def incumbent(self) -> dict[str, Any]:
        """The configuration."""
        return {name: getattr(self, name) for name in VALUES}


class TableSearch(BanditSearch):
    """A run of one optimizer on a table (7.4.1), with the constants of D.3.

    Attributes:
        evaluations: number in a run of all methods except Hyperband and BOHB.
        brackets: number in a run of Hyperband and BOHB, "successive halving iterations".
        minimum_budget: of Hyperband and BOHB; the largest budget is the table's number of epochs.
        minimum_bandwidth: BOHB's.
        calls_per_configuration: SMAC's largest number of evaluations of a configuration.
        population, tournament: regularized evolution's.
        learning_rate, momentum: REINFORCE's.
        largest_loss: losses from here on leave REINFORCE as it is; the authors' code ignores 1 - loss <= 0.001.
        rounded_ends: TPE's; the authors' code rounds uniform numbers to indices, so that ends are half as likely.
    """

    optimizer: Literal["random", "smac", "tpe", "regularized_evolution", "reinforce", "hyperband", "bohb"]
    evaluations: PositiveInt = 500
    brackets: PositiveInt = 125
    minimum_budget: PositiveFloat = 3.0
    minimum_bandwidth: PositiveFloat = 0.3
    population: PositiveInt = 100
    tournament: PositiveInt = 10
    learning_rate: PositiveFloat = 0.1
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.9
    largest_loss: Annotated[float | None, AddedLater()] = None
    rounded_ends: Annotated[bool, AddedLater()] = False
    calls_per_configuration: Annotated[PositiveInt, AddedLater()] = 1

    @property
    def method(self) -> MethodSettings:
        """The method that these settings name, with those of them that it has."""
        from core.study.methods import method_with

        return method_with(self.optimizer, self)


class NetworkSearch(Optimization):
    """BOHAMIANN on a table, with the constants of D.3: 10 steps of burn-in per observation, then 20,000."""

    optimizer: Literal["bohamiann"] = "bohamiann"
    maximizer: Literal["one_step"] = "one_step"
    evaluations: PositiveInt = 500
    burn_in_per_point: NonNegativeInt = 10
    chain_steps: PositiveInt = 20_000
    batch_size: PositiveInt = 8
