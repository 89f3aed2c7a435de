"""Settings of DNGO's experiments. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt, model_validator

from core.experiment.search_settings import Course, ImageTask, Optimization, ParallelSearch, Search, Suggestions
from core.experiment.settings import Settings
from core.foundation.strict import OpenShare
from core.study.methods import SingleBudgetMethod

EPOCHS = 20  # as `core.models.dngo` trains its network


class Activations(Settings):
    """DNGO with one kind of units on the sinc toy, evaluated beyond its data."""

    activation: Literal["tanh", "relu", "relu+tanh"]
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    points: PositiveInt = 20
    epochs: PositiveInt = 2000


class HPOlib(Optimization):
    """An optimizer on one of HPOlib's benchmarks."""


class SuggestionTime(Suggestions):
    """Suggestions of one model (Fig 1)."""


class Features(Settings):
    """DNGO with features by MAP or by evidence maximization, on held-out points of a function or a data set."""

    features: Literal["map", "evidence"]
    epochs: PositiveInt = EPOCHS
    train_points: PositiveInt = 100
    test_points: PositiveInt = 500
    test_fraction: OpenShare = 0.1


class DesignSearch(Search):
    """Bayesian optimization by a variant of DNGO, from points that all variants share."""

    evaluations: PositiveInt
    initial_design: PositiveInt = 5

    def course(self, largest: float | None) -> Course:
        return Course(self.evaluations, self.initial_design)


class FeatureSearch(DesignSearch):
    """Bayesian optimization with either kind of features."""

    features: Literal["map", "evidence"]
    epochs: PositiveInt = EPOCHS


class ActivationSearch(DesignSearch):
    """Bayesian optimization by DNGO with one kind of units."""

    activation: Literal["tanh", "relu", "relu+tanh"]
    epochs: PositiveInt = EPOCHS


class ScheduleSearch(DesignSearch):
    """Bayesian optimization by DNGO whose network trains for a number of updates, or of epochs where that is null."""

    updates: PositiveInt | None


class Dropout(Settings):
    """DNGO trained twice on the same points of a function, with a dropout rate in every hidden layer."""

    rate: Annotated[float, Field(ge=0, lt=1)]
    epochs: PositiveInt = EPOCHS
    train_points: PositiveInt = 100
    test_points: PositiveInt = 500


class Architecture(Settings):
    """Bayesian optimization of DNGO's own architecture with a given number of layers.

    Attributes:
        layers: Number of hidden layers of the network.
        search: Whether to search; otherwise the paper's architecture is confirmed, with our defaults for what the paper
            leaves open.
        functions: Functions on which DNGO is judged.
        seeds: Runs of DNGO on each function that judge a configuration, the same for all configurations.
        confirmations: Fresh runs on each function that judge the best configuration again.
        evaluations, initial_design: Numbers of evaluations and of initial points of each run of DNGO.
        search_evaluations, search_design: The same numbers for the outer optimization.
        epochs: Number of epochs of the network's training.
    """

    layers: Annotated[int, Field(ge=1, le=4)]
    search: bool = True
    functions: Annotated[tuple[str, ...], Field(min_length=1)]
    seeds: PositiveInt
    confirmations: PositiveInt
    evaluations: PositiveInt
    initial_design: PositiveInt = 5
    search_evaluations: PositiveInt
    search_design: PositiveInt
    epochs: PositiveInt = EPOCHS

    @model_validator(mode="after")
    def _leaves_room(self) -> Architecture:
        if self.evaluations <= self.initial_design:
            raise ValueError(f"evaluations = {self.evaluations} must exceed initial_design = {self.initial_design}")
        return self


class CorruptedTask(ImageTask):
    """Convolutional networks under corruption (section 4.3).

    Attributes:
        width: Number of filters of the first layers.
        batch_size: Number of images in a minibatch.
        samples: Number of corruptions over which predictions are averaged.
    """

    width: PositiveInt = 96
    batch_size: Annotated[int, Field(ge=2)] = 128
    samples: PositiveInt = 100


class CorruptedSearch(CorruptedTask, ParallelSearch):
    """A parallel search for their hyperparameters.

    Attributes:
        workers: Number of networks that are trained side by side.
    """

    workers: PositiveInt = 40


class CorruptedNetworks(CorruptedTask):
    """Networks with the printed hyperparameters or with those of a search's incumbents, trained anew.

    Attributes:
        final_epochs: Number of epochs of that training.
        printed: The printed hyperparameters.
    """

    final_epochs: PositiveInt = 350
    printed: dict[str, float]


class CaptionModel(Settings):
    """Images with captions, and how models of them are trained; the defaults are the paper's protocol, on Flickr8k.

    Attributes:
        images: Numbers of images for training, validation and testing; null for all.
        least_count: How often a word must occur in the training captions to be known.
        feature_file: File of features, see `core.captions.data`; null for those of a network trained on CIFAR-100.
        feature_width, feature_blocks, feature_epochs: Size and training of that network.
        epochs, decay_every, look_every, patience, over_batch: The training, see `core.captions.training.Schedule`.
        larger, slower: How many times the weights and the arithmetic of the published optimum a model may have.
        most_words: Largest number of words in a caption.
    """

    images: tuple[PositiveInt | None, PositiveInt | None, PositiveInt | None] = (None, None, None)
    least_count: PositiveInt = 5
    feature_file: str | None = None
    feature_width: PositiveInt = 64
    feature_blocks: PositiveInt = 3
    feature_epochs: PositiveInt = 200
    epochs: PositiveInt = 10
    decay_every: PositiveFloat = 100_000
    look_every: PositiveFloat = 1_000_000
    patience: PositiveInt = 10
    over_batch: bool = True
    larger: PositiveFloat = 3.0
    slower: PositiveFloat = 2.0
    most_words: PositiveInt = 50


class CaptionSearch(CaptionModel):
    """Search for hyperparameters of the log-bilinear model of captions by BLEU-4 on validation images (section 4.2).

    Attributes:
        method: Method with its settings.
        evaluations: Number of models.
        workers: Number of models that are trained at a time.
        clock: "simulated" trains them one after the other, on a clock that counts nominal times; "real" on as many
            workers, processes of this machine or of a Dask scheduler, see `core.study.pool`.
    """

    method: SingleBudgetMethod
    evaluations: PositiveInt
    workers: PositiveInt
    clock: Literal["simulated", "real"] = "simulated"


class CaptionEnsemble(CaptionModel):
    """Captions of test images by the best models of a search together, or by the published optimum.

    Attributes:
        models: Number of models; null for one with the hyperparameters that the paper prints.
    """

    models: PositiveInt | None
