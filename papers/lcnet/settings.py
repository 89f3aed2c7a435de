"""Settings of chapter 5's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from core.experiment.search_settings import TableSearch
from core.experiment.settings import Settings
from core.foundation.strict import AddedLater, OpenShare
from core.study.methods import one_of


class Collect(Settings):
    """Learning curves of configurations drawn from Table B.1 (5.4.1). What is None is as the thesis has it.

    Attributes:
        configurations: Number n of configurations trained in a run; run r has those numbered r n to (r + 1) n - 1.
        dataset: A set of images.
        images: Numbers for training and for validation.
        epochs: Length of each training.
        most_units: Largest size of a hidden layer.
        seed: Seed of the split, the configurations and all trainings.
    """

    configurations: PositiveInt
    dataset: str | None = None
    images: tuple[PositiveInt, PositiveInt] | None = None
    epochs: PositiveInt | None = None
    most_units: PositiveInt | None = None
    seed: NonNegativeInt = 0


class Predict(Settings):
    """A model of learning curves (5.4). Those of one method ignore what belongs to another.

    Attributes:
        burn_in: Steps of a network's chain that are dropped.
        steps: All steps of a network's chain.
        thinning: Steps from one kept network to the next.
        sweeps: Number of sweeps of LC-Extrapolation's ensembles, of which the second half is kept.
        record: What is recorded: every prediction, or scores, which take a tenth of the space and hide the curves.
    """

    burn_in: NonNegativeInt = 3000
    steps: PositiveInt = 13000
    thinning: PositiveInt = 100
    sweeps: Annotated[int, Field(ge=40)] = 2500
    record: Annotated[Literal["predictions", "scores"], AddedLater("predictions")] = "predictions"

    @property
    def chain(self) -> dict[str, Any]:
        """Settings of a sampled network."""
        return {"burn_in": self.burn_in, "steps": self.steps, "thinning": self.thinning}


class PredictPartial(Predict):
    """Values after the last epoch, from the first epochs of all curves (5.4.2).

    Attributes:
        shares: Shares of the epochs, observed in turn.
        curves: Number of curves that the model is given, None for all.
        shown: Number of curves that are predicted whole, for Fig 5.4, where predictions are recorded.
        shown_share: Share of their epochs that is observed.
    """

    shares: Annotated[tuple[OpenShare, ...], Field(min_length=1)] = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    curves: PositiveInt | None = None
    shown: NonNegativeInt = 12
    shown_share: OpenShare = 0.3


class PredictUnobserved(Predict):
    """Curves of configurations of which nothing is observed, by cross-validation (5.4.3).

    Attributes:
        folds: Number of parts, each held out once.
        every: Number of epochs from one predicted value to the next.
    """

    folds: Annotated[int, Field(ge=2)] = 16
    every: PositiveInt = 1


class HyperbandOnTables(TableSearch):
    """A run of Hyperband with LC-Net on a table of chapter 7 (5.4.4)."""

    method: one_of("hyperband_lcnet")
