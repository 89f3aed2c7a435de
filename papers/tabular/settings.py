"""Settings of the chapter's experiments. Imports no torch, the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from core.experiment.schema import Settings
from core.tabular.values import VALUES

Numbers = tuple[float, ...]
Counts = tuple[int, ...]
Names = tuple[str, ...]


class Grid(Settings):
    """Which part of Table 7.2 is trained, and how: epochs and repetitions (7.1), a seed for the split and trainings."""

    epochs: Annotated[int, Field(gt=0)] = 100
    repetitions: Annotated[int, Field(gt=0)] = 4
    seed: Annotated[int, Field(ge=0)] = 0
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
