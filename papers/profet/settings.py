"""Settings of the chapter's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from core.experiment.settings import AddedLater, Settings
from core.study.settings import Initialisation, WeightPriorName

if TYPE_CHECKING:
    from core.study.settings import MethodSettings


class Collect(Settings):
    """Errors and seconds of the configurations of a Sobol grid on one data set (8.3.1).

    Attributes:
        configurations: number n in a run; run r has points r n to (r + 1) n - 1 of the sequence.
        most_rows: rows of the data set, drawn at random before it is split; null for all.
    """

    configurations: PositiveInt
    most_rows: Annotated[int, Field(ge=50)] | None = None


class CollectNetworks(Collect):
    """The same for networks.

    Attributes:
        epochs: length of each training.
        half: train on this half of the rows only, as if it were a data set of its own (8.4.1); null for all.
    """

    epochs: PositiveInt = 100
    half: Literal[0, 1] | None = None


class MetaModelFit(Settings):
    """A meta-model of the tasks of one class (8.2.2, E.6).

    Attributes:
        kind: what the values are, see `core.benchmarks.sampled_tasks`.
        dimensions: Q of the latent vectors.
        encoder_steps: of the fit of the encoder.
        widths: units of the hidden layers.
        burn_in, samples, thinning: of the chain: steps that are dropped, networks that are kept, and steps between.
        batch_size: observations per step.
        real_tasks: number of Forrester functions that are the real tasks; of the other classes all are.
    """

    kind: Literal["error", "positive", "real"] = "error"
    dimensions: PositiveInt = 5
    encoder_steps: PositiveInt = 3000
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (500, 500, 500)
    burn_in: PositiveInt = 50_000
    samples: PositiveInt = 100
    thinning: PositiveInt = 100
    batch_size: PositiveInt = 5
    real_tasks: Annotated[int, Field(ge=2)] | None = None


class Encode(Settings):
    """Latent vectors of tasks alone (8.4.1).

    Attributes:
        dimensions, encoder_steps: as `MetaModelFit`.
        configurations: number of the grid's that are used, drawn at random; null for all.
    """

    dimensions: PositiveInt = 5
    encoder_steps: PositiveInt = 3000
    configurations: Annotated[int, Field(ge=2)] | None = None


class TaskSearch(Settings):
    """Repetitions of one method on many tasks of a class; see `core.study.task_search`.

    Attributes:
        optimizer: a name of `core.study.methods`.
        tasks: number of tasks.
        real: Forrester's functions themselves in place of the meta-model's.
        noisy: whether the method sees noisy values.
        evaluations: number in a run on a task.
        initial_design: uniform points at the start, of methods with a model.
        most_steps, samples: of BOHAMIANN at each suggestion: the length of the chain, null for the paper's, and the
            networks that are kept.
        initialisation, weight_prior: of BOHAMIANN's networks, see `core.study.bayesian.BohamiannSettings`.
        hyperparameter_samples: of the Gaussian process.
        warm_burn_in: sweeps of its chains, which then continue the last suggestion's; null starts new ones every time.
    """

    optimizer: Literal["random", "differential_evolution", "tpe", "rf", "bohamiann", "cmaes", "gp_mcmc"]
    tasks: PositiveInt = 1000
    real: bool = False
    noisy: bool = False
    evaluations: PositiveInt = 200
    initial_design: PositiveInt = 1
    most_steps: Annotated[int, Field(ge=200)] | None = None
    samples: PositiveInt = 100
    hyperparameter_samples: PositiveInt = 10
    warm_burn_in: Annotated[NonNegativeInt | None, AddedLater()] = None
    initialisation: Annotated[Initialisation, AddedLater()] = "he"
    weight_prior: Annotated[WeightPriorName, AddedLater()] = "gamma_hyperprior"

    @property
    def method(self) -> MethodSettings:
        """The method with the settings of appendix E.5."""
        from core.study.methods import method_of

        return method_of({"method": self.optimizer, **self._given()})

    def _given(self) -> dict[str, Any]:
        if self.optimizer == "differential_evolution":
            return {"population": 10, "crossover": 0.5, "mutation": (0.5, 0.5)}
        if self.optimizer == "cmaes":
            return {"sigma": 0.6}
        found = {"maximizer": "random_search"}
        if self.optimizer == "rf":
            return found | {"trees": 10}
        if self.optimizer == "bohamiann":
            names = ("most_steps", "samples", "initialisation", "weight_prior")
            return found | {name: getattr(self, name) for name in names}
        chains = {"hyperparameter_samples": self.hyperparameter_samples, "warm_burn_in": self.warm_burn_in}
        return found | chains if self.optimizer == "gp_mcmc" else {}


class Samples(Settings):
    """Values of some generated tasks on a regular grid (Figs E.3 to E.5).

    Attributes:
        tasks: number of tasks.
        values: number of values in each dimension.
    """

    tasks: PositiveInt = 10
    values: Annotated[int, Field(ge=2)] = 25
