"""Settings of the chapter's experiments. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, NonNegativeInt, PositiveInt, ValidationInfo, field_validator

from core.experiment.search_settings import Optimization, TableSearch
from core.experiment.settings import Settings
from core.study.methods import one_of
from core.tabular.values import VALUES

__all__ = [
    "AuthorsData",
    "NetworkSearch",
    "Quantiles",
    "TableSearch",
    "TrainedGrid",
    "TrainedNeighbours",
    "Trainings",
]

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


class AuthorsData(Settings):
    """Nothing: what is found in the authors' tables is fixed."""


class Quantiles(Settings):
    """How many order statistics a distribution over the authors' tables is drawn by."""

    quantiles: Annotated[int, Field(gt=1)] = 1001


class NetworkSearch(Optimization):
    """BOHAMIANN on a table."""

    method: one_of("bohamiann")
