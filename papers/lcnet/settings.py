"""Settings of chapter 5's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveInt

from core.experiment.schema import Settings


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
