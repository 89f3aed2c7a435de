"""Settings of chapter 5's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from core.experiment.schema import Settings

if TYPE_CHECKING:
    from core.study.settings import MethodSettings


class Collect(Settings):
    """Learning curves of configurations drawn from Table B.1 (5.4.1). What is None is as the thesis has it.

    Attributes:
        configurations: number n trained in a run; run r has those numbered r n to (r + 1) n - 1.
        dataset: a set of images.
        images: numbers for training and for validation.
        epochs: length of each training.
        most_units: largest size of a hidden layer.
        seed: of the split, the configurations and all trainings.
    """

    configurations: PositiveInt
    dataset: str | None = None
    images: tuple[PositiveInt, PositiveInt] | None = None
    epochs: PositiveInt | None = None
    most_units: PositiveInt | None = None
    seed: NonNegativeInt = 0


class TableSearch(Settings):
    """A run of Hyperband with LC-Net on a table of chapter 7 (5.4.4), with that chapter's constants of Hyperband (D.3).

    Attributes:
        brackets: number in a run.
        minimum_budget, eta: the largest budget is the table's number of epochs.
        burn_in, chain_steps, samples: of LC-Net's chain, see `core.optimizers.hyperband_lcnet`.
    """

    brackets: PositiveInt = 125
    minimum_budget: PositiveFloat = 3.0
    eta: Annotated[float, Field(ge=2)] = 3.0
    burn_in: NonNegativeInt = 500
    chain_steps: PositiveInt = 2500
    samples: PositiveInt = 100

    @property
    def method(self) -> MethodSettings:
        """Hyperband with LC-Net with those of these settings that it has."""
        from core.study.methods import method_with

        return method_with("hyperband_lcnet", self)
