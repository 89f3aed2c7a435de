"""Settings of the chapter's experiments: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from core.experiment.search_settings import SharedStart
from core.experiment.settings import Settings
from core.foundation.strict import AddedLater
from core.study.methods import one_of

TaskMethod = one_of("random", "differential_evolution", "tpe", "rf", "bohamiann", "cmaes", "gp_mcmc")


class Collect(Settings):
    """Errors and seconds of the configurations of a Sobol grid on one data set (8.3.1).

    Attributes:
        configurations: Number n of configurations in a run; run r has points r n to (r + 1) n - 1 of the sequence.
        most_rows: Rows of the data set, drawn at random before it is split; null for all.
    """

    configurations: PositiveInt
    most_rows: Annotated[int, Field(ge=50)] | None = None


class CollectNetworks(Collect):
    """The same for networks.

    Attributes:
        epochs: Length of each training.
        half: Half of the rows to train on, as if it were a data set of its own (8.4.1); null for all.
    """

    epochs: PositiveInt = 100
    half: Literal[0, 1] | None = None


class MetaModelFit(Settings):
    """A meta-model of the tasks of one class (8.2.2, E.6).

    Attributes:
        kind: Kind of the values, see `core.objectives.meta_model`.
        dimensions: Number Q of dimensions of the latent vectors.
        encoder_steps: Number of steps of the encoder's fit.
        encoder_tolerance: Rise of its bound per observation below which the fit has converged, after rounds of
            `encoder_steps` each; null for one round.
        widths: Widths of the hidden layers.
        burn_in, samples, thinning: Steps of the chain that are dropped, networks that are kept, and steps between.
        batch_size: Number of observations per step.
        real_tasks: Number of Forrester functions that are the real tasks; of the other classes all are.
    """

    kind: Literal["error", "positive", "real"] = "error"
    dimensions: PositiveInt = 5
    encoder_steps: PositiveInt = 3000
    encoder_tolerance: Annotated[PositiveFloat | None, AddedLater(None)] = None
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (500, 500, 500)
    burn_in: PositiveInt = 50_000
    samples: PositiveInt = 100
    thinning: PositiveInt = 100
    batch_size: PositiveInt = 5
    real_tasks: Annotated[int, Field(ge=2)] | None = None


class Resemblance(Settings):
    """Real tasks that are generated again; all settings are those of the meta-models."""


class Encode(Settings):
    """Latent vectors of tasks alone (8.4.1).

    Attributes:
        dimensions, encoder_steps, encoder_tolerance: Settings as those of `MetaModelFit`.
        configurations: Number of the grid's configurations that are used, drawn at random; null for all.
    """

    dimensions: PositiveInt = 5
    encoder_steps: PositiveInt = 3000
    encoder_tolerance: Annotated[PositiveFloat | None, AddedLater(None)] = None
    configurations: Annotated[int, Field(ge=2)] | None = None


class TaskSearch(SharedStart):
    """Repetitions of one method on many tasks of a class; see `core.study.task_search`.

    Attributes:
        tasks: Number of tasks.
        real: Whether Forrester's functions themselves take the place of the meta-model's.
        noisy: Whether the method sees noisy values.
    """

    method: TaskMethod
    tasks: PositiveInt = 1000
    real: bool = False
    noisy: bool = False
    evaluations: PositiveInt = 200
    initial_design: NonNegativeInt | None = 1


class WallClock(Settings):
    """Repetitions of one method, each on a task of its own, one after the other (Fig 8.2).

    Attributes:
        method: Method with its settings.
        evaluations: Number of evaluations in a run.
    """

    method: TaskMethod
    evaluations: PositiveInt


class Samples(Settings):
    """Values of some generated tasks on a regular grid (Figs E.3 to E.5).

    Attributes:
        tasks: Number of tasks.
        values: Number of values in each dimension.
    """

    tasks: PositiveInt = 10
    values: Annotated[int, Field(ge=2)] = 25
