"""Settings of BOHB's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from core.experiment.search_settings import Course, ImageTask, Search, SimulatedSearch, TimedSearch
from core.experiment.settings import Settings
from core.foundation.strict import AddedLater
from core.study.methods import one_of

__all__ = [
    "BayesianNetworkSearch",
    "Collect",
    "CountingOnesSearch",
    "Densities",
    "LivePolicySearch",
    "PolicySearch",
    "PolicyTable",
    "ShakenNetworks",
    "ShakenSearch",
    "SurrogateSearch",
    "TimedSearch",
]


class Collect(Settings):
    """Learning curves of configurations drawn from Table C.1 (thesis C.8.1).

    Attributes:
        configurations: Number n of configurations trained in a run; run r has those numbered r n to (r + 1) n - 1.
        epochs: Length of each training.
        seed: Seed of the split, the configurations and all trainings.
        whole: Whether all 70,000 images of MNIST are taken, not the 10,000 test images.
    """

    configurations: PositiveInt
    epochs: PositiveInt = 50
    seed: NonNegativeInt = 0
    whole: Annotated[bool, AddedLater(False)] = False


class SurrogateSearch(SimulatedSearch):
    """A search on the surrogate of a data set.

    Attributes:
        surrogate_of_code: Whether space and loss are those of the authors' code, see `core.objectives.fcnet_surrogate`.
    """

    surrogate_of_code: Annotated[bool, AddedLater(False)] = False


class CountingOnesSearch(SimulatedSearch):
    """A search on stochastic counting ones with `dimension` dimensions, half of them categorical."""

    dimension: Annotated[int, Field(gt=0, multiple_of=2)]


class BayesianNetworkSearch(SimulatedSearch):
    """A search for hyperparameters of a Bayesian network.

    Attributes:
        raise_friction, noise_correction: Options of its sampler, see `core.samplers.AdaptiveSGHMC`; the defaults are
            those of the authors' benchmark.
    """

    raise_friction: bool = False
    noise_correction: bool = False


class PolicyTable(Settings):
    """Agents of proximal policy optimization at points of Table C.4 (thesis 6.4.4).

    Attributes:
        configurations: Number of configurations in a run; run r has those numbered r n to (r + 1) n - 1.
        trials: Number of agents trained for each, from different seeds.
        most_episodes: Number of episodes after which a training ends.
        entropy: Whether agents are given the weight of the entropy, as in the text but not in the authors' code.
    """

    configurations: PositiveInt
    trials: PositiveInt = 9
    most_episodes: PositiveInt = 3000
    entropy: bool = False


class PolicySearch(SimulatedSearch):
    """A search for hyperparameters of proximal policy optimization, on the surrogate of a table of agents."""


class LivePolicySearch(SimulatedSearch):
    """The same search with agents that are trained in every evaluation.

    Attributes:
        most_episodes, entropy: As of `PolicyTable`.
    """

    most_episodes: PositiveInt = 3000
    entropy: bool = False


class ShakenNetworks(ImageTask):
    """Shake-shake networks with Gastaldi's hyperparameters or with those of a search's incumbents, trained anew.

    Attributes:
        least_epochs: Smallest number of epochs of the search.
        blocks: Number of blocks in a stage.
        width: Number of planes in the first stage.
        most_rows: Upper end of the space: images in a minibatch.
    """

    least_epochs: PositiveInt = 22
    blocks: PositiveInt = 3
    width: PositiveInt = 64
    most_rows: Annotated[int, Field(gt=32)] = 256


class ShakenSearch(ShakenNetworks, Search):
    """A search for hyperparameters of shake-shake networks (thesis 6.4.5), which ends after a number of brackets.

    Attributes:
        method: Method with its settings.
        workers: Number of networks that are trained side by side.
    """

    method: one_of("bohb", "hyperband")
    workers: PositiveInt = 19

    @model_validator(mode="after")
    def _ends(self) -> ShakenSearch:
        if self.method.brackets is None:
            raise ValueError("method.brackets = None; allowed: a number, after which the search ends")
        return self

    def course(self, largest: float | None) -> Course:
        return Course(None, workers=self.workers)


class Densities(Settings):
    """Two kernel density estimates of points drawn from a mixture of Gaussians in two dimensions (Fig C.1)."""

    components: Literal[1, 2]
    points: PositiveInt = 16
    grid: PositiveInt = 60
