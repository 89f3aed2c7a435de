"""Settings of the chapter's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt, field_validator, model_validator

from core.experiment.search_settings import ImageTask, TimedSearch
from core.experiment.settings import Settings

__all__ = [
    "LiveSearch",
    "NetworkSearch",
    "SizeNoise",
    "SubsamplingNoise",
    "SubsetModels",
    "SurrogateSeconds",
    "SvmGrid",
    "TabulatedGrid",
    "TimedSearch",
]

Share = Annotated[float, Field(gt=0, le=1)]
Indices = Annotated[tuple[NonNegativeInt, ...], Field(min_length=1)]


class Subsets(Settings):
    """A data set and its subsets.

    Attributes:
        values: Number of values of C, and of gamma, in the whole grid.
        sizes: Number of subset sizes, each half as large as the next; the largest is the whole set.
        train_points, validation_points: Numbers drawn from MNIST's training images; other sets are split as
            `core.objectives.svm` says.
    """

    values: Annotated[int, Field(ge=2)] = 20
    sizes: Annotated[int, Field(ge=2)] = 10
    train_points: PositiveInt = 50_000
    validation_points: PositiveInt = 10_000

    @property
    def shares(self) -> tuple[float, ...]:
        """The subset sizes as shares of the training points, increasing."""
        return tuple(2.0 ** (number + 1 - self.sizes) for number in range(self.sizes))


class SurrogateSeconds(Settings):
    """Seconds of machines that are drawn at random.

    Attributes:
        machines: Number of machines.
        shares: Shares of the data.
        quantiles: Quantiles of the seconds.
    """

    machines: PositiveInt = 100_000
    shares: Annotated[tuple[Share, ...], Field(min_length=1)] = (1 / 128, 1 / 64, 1 / 32, 1 / 4)
    quantiles: tuple[Share, Share, Share] = (0.05, 0.5, 0.95)


class SvmGrid(Subsets):
    """A grid of support vector machines on subsets of a data set (section 4.2).

    Attributes:
        timed_share: Share of the training points up to which the training of every machine is timed; above it, only
            where the indices of both C and gamma are among the following.
        timed_C, timed_gamma: Indices of the values of C and of gamma.
    """

    timed_share: Share = 1.0
    timed_C: Indices = (0,)
    timed_gamma: Indices = (0,)

    def timed(self, gamma: int, share: float) -> tuple[int, ...]:
        """Indices of the values of C that are timed with this index of gamma and this share."""
        if share <= self.timed_share:
            return tuple(range(self.values))
        return self.timed_C if gamma in self.timed_gamma else ()

    @model_validator(mode="after")
    def _indices_are_of_values(self) -> SvmGrid:
        for name in ("timed_C", "timed_gamma"):
            if max(getattr(self, name)) >= self.values:
                raise ValueError(f"{name} = {getattr(self, name)}: allowed: indices below values = {self.values}")
        return self


class TabulatedGrid(Settings):
    """The grid of section 4.2 as a benchmark has it.

    Attributes:
        shown: Shares of the training points.
        points: Number of training points of all of the data.
    """

    shown: Annotated[tuple[Share, ...], Field(min_length=1)]
    points: PositiveInt = 50_000


class SubsamplingNoise(Subsets):
    """Repeated evaluations of machines of the grid on subsets (section 4.4.5); a run is one repetition of all.

    Attributes:
        chosen: Indices of the values, of C and of gamma, that are combined.
    """

    chosen: Indices = tuple(range(20))

    @field_validator("chosen")
    @classmethod
    def _increase(cls, chosen: tuple[int, ...]) -> tuple[int, ...]:
        if list(chosen) != sorted(set(chosen)):
            raise ValueError("Input should be increasing indices")
        return chosen

    @model_validator(mode="after")
    def _indices_are_of_values(self) -> SubsamplingNoise:
        if max(self.chosen) >= self.values:
            raise ValueError(f"chosen = {self.chosen}: allowed: indices below values = {self.values}")
        return self


class LiveSearch(TimedSearch):
    """A search that trains support vector machines (section 4.5.2).

    Attributes:
        train_points, validation_points: Numbers drawn from MNIST's training images.
        most_points: Number of rows of another set, drawn at random before it is split; null for all.
        smallest_share: Smallest share of the training points.
    """

    train_points: PositiveInt = 50_000
    validation_points: PositiveInt = 10_000
    most_points: PositiveInt | None = None
    smallest_share: Share = 1 / 512


class NetworkSearch(ImageTask, TimedSearch):
    """A search that trains convolutional networks (section 4.5.3).

    Attributes:
        smallest_images: Smallest number of training images, the largest size of a minibatch (section 4.5).
        most_units, most_rows: Upper ends of the space: filters in a layer, images in a minibatch.
    """

    smallest_images: PositiveInt = 512
    most_units: Annotated[int, Field(gt=16)] = 256
    most_rows: Annotated[int, Field(gt=32)] = 512


class LongChains(Settings):
    """Gaussian processes of machines of the grid, by chains longer than those of a search (section 4.4.5).

    Attributes:
        machines: Number of machines drawn at random, at most all.
        burn_in, samples, thinning: Settings of each of ten chains, see `MarginalisedGP`.
    """

    machines: Annotated[int, Field(ge=2)] = 400
    burn_in: PositiveInt = 100
    samples: PositiveInt = 10
    thinning: PositiveInt = 5


class SizeNoise(LongChains):
    """One model for each subset size."""


class SubsetModels(LongChains):
    """One model of all subset sizes (section 4.4.1).

    Attributes:
        smallest, largest: Shares between which the model is trained.
    """

    machines: Annotated[int, Field(ge=2)] = 30
    smallest: Share = 1 / 64
    largest: Share = 1 / 8

    @model_validator(mode="after")
    def _shares_are_ordered(self) -> SubsetModels:
        if self.smallest > self.largest:
            raise ValueError(f"smallest = {self.smallest}: allowed: at most largest = {self.largest}")
        return self
