"""Learning curves of classifying networks for the surrogates of thesis section C.8: configurations drawn from Table
C.1, trained for up to 50 epochs, the validation error after every epoch and the training time recorded.

    CurveCollection("letter", 10_000, folder).fill()

A network has `layers` hidden layers of `units` relu units each, dropout after each of them, and a softmax; it minimizes
the cross entropy, its learning rate being rate e^(decay e) in epoch e. C.8 names no optimizer beyond "stochastic
gradient descent"; at the rates of Table C.1, 1e-6 to 1e-2, plain descent would hardly move, while "almost all networks
converged within the 50 epochs": so we use Adam, as in chapter 7. Units, splits and encoding are not given either: relu
and `core.training.networks`. No two configurations share sizes and batch size, so each is a group of its own:
fast in machine code on the CPU, not on a GPU.

Classifying networks of Table E.3 on one data set, as an objective: two layers of relu units, dropout, Adam.

    classifier("letter", most_rows=1000, epochs=10).evaluate([configuration], None, np.random.default_rng(0))

Every hyperparameter is continuous; `INTEGERS` names those that are rounded. A set is split as `core.training.networks`
says; the loss is the share of validation points that a network gets wrong after its last epoch, the cost its processor
seconds of training. The thesis gives neither the epochs nor the units nor the optimizer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.data import load
from core.foundation.errors import UserError
from core.foundation.progress import Progress, silent, within
from core.foundation.schedules import constant, exponential
from core.foundation.seeds import derive_seed
from core.foundation.validation import check_counts
from core.objectives.base import Configurations, Evaluation, check_budget
from core.objectives.spaces import classifier_space, surrogate_space
from core.spaces import CubeEncoding
from core.training import Networks, Parts, train
from core.training.chunks import Arrays, Chunks
from core.training.networks import prepare

SMALLER = {"mnist": "mnist_test"}
"""Sets of thesis 6.4.2.2 of which a part is used unless the `whole` is asked for: the 10,000 test images of MNIST."""
EPOCHS = 50


@dataclass(frozen=True)
class CurveCollection:
    """The curves of one data set.

    Args:
        dataset: Name in `core.data`; those of thesis 6.4.2.2 are adult, higgs, letter, mnist, optdigits and poker.
        configurations: Number of configurations to draw; a longer collection begins with the same ones.
        folder: Folder of the chunk files.
        seed: Seed of the split, the configurations and all trainings.
        whole: Whether a set of `SMALLER` is used in full.

    Raises:
        UserError: no configurations or epochs, or chunks of none.
    """

    dataset: str
    configurations: int
    folder: Path
    seed: int = 0
    epochs: int = EPOCHS
    chunk_size: int = 20
    device: str = "cpu"
    whole: bool = False

    def __post_init__(self) -> None:
        counts = {name: getattr(self, name) for name in ("configurations", "epochs", "chunk_size")}
        check_counts("CurveCollection", **counts)

    def fill(self, shard: tuple[int, int] = (0, 1), progress: Progress = silent) -> None:
        """Train what is missing from a shard; raises as `Chunks.fill`.

        Raises:
            DataUnavailableError: the set is not available and cannot be downloaded.
        """
        self._chunks.fill(self.train, shard, progress)

    def arrays(self) -> Arrays:
        """One column (n,) per hyperparameter of Table C.1, and what `train_curve` returns, (n, ...), in drawing order.

        Raises:
            UserError: chunks are missing.
        """
        return self._chunks.gather()

    def train(self, items: Sequence[int] | NDArray[np.int64], progress: Progress = silent) -> Arrays:
        """Columns as in `arrays`, for the configurations with these numbers; writes and reads no file.

        Args:
            progress: Callback that receives the share of the epochs that is done.
        """
        encoding = CubeEncoding(surrogate_space())
        columns: dict[str, list[Any]] = {}
        for done, number in enumerate(items):
            generator = np.random.default_rng(derive_seed("surrogate", self.seed, int(number)))
            (configuration,) = encoding.decode(generator.random((1, encoding.dimension)))
            seed = derive_seed("surrogate", self.dataset, self.seed, int(number))
            share = within(progress, done / len(items), (done + 1) / len(items))
            curve = train_curve(self._parts, configuration, seed, self.epochs, self.device, share)
            for name, value in (configuration | curve).items():
                columns.setdefault(name, []).append(value)
        return {name: np.array(values) for name, values in columns.items()}

    @cached_property
    def _parts(self) -> Parts:
        seed = derive_seed("surrogate split", self.dataset, self.seed) % 2**32
        name = self.dataset if self.whole else SMALLER.get(self.dataset, self.dataset)
        return prepare(load(name), seed)[0]

    @property
    def _chunks(self) -> Chunks:
        fields = {name: getattr(self, name) for name in ("dataset", "seed", "epochs", "chunk_size", "whole")}
        key = json.dumps({"surrogate": fields, "device": self.device.partition(":")[0]})
        return Chunks(Path(self.folder), key, self.configurations, self.chunk_size)


def train_curve(
    parts: Parts,
    configuration: Mapping[str, Any],
    seed: int,
    epochs: int = EPOCHS,
    device: str = "cpu",
    progress: Progress = silent,
) -> Arrays:
    """Train one configuration of Table C.1.

    Returns:
        train_error, valid_error (epochs,) float32, shares of wrong predictions, nan once it diverged; test_error and
        seconds of the whole training, see `core.training.train`.
    """
    layers = configuration["layers"]
    rates = exponential(configuration["learning_rate"], configuration["decay"], epochs)
    networks = Networks(
        sizes=(parts.train.X.shape[1], *[configuration["units"]] * layers, parts.classes),
        batch_size=configuration["batch_size"],
        tanh=np.zeros((1, layers), np.bool_),
        dropout=np.full((1, layers), configuration["dropout"], np.float32),
        rates=rates[None],
        seeds=np.array([seed], dtype=np.uint64),
    )
    records = train(networks, parts, device, progress)
    names = ("train_error", "valid_error", "test_error", "seconds")
    return {name: array[0] for name, array in zip(names, records, strict=True)}


INTEGERS = ("batch_size", "units_1", "units_2")
SEEDS = 2**62


@dataclass(frozen=True)
class Classifier:
    """The benchmark on given parts; an `Objective`."""

    parts: Parts = field(repr=False)
    epochs: int = 100
    fidelity: None = None
    optimum: float | None = None
    worst_loss: float = 1.0

    @property
    def space(self) -> ConfigurationSpace:
        """Table E.3."""
        return classifier_space()

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Train one network per configuration, from a seed that the generator draws.

        A loss is nan if the training diverged, which `guarded_evaluate` records as a failure.

        Raises:
            UserError: a budget was given.
        """
        check_budget(self.fidelity, budget)
        results = [self._train(configuration, int(generator.integers(SEEDS))) for configuration in configurations]
        losses, seconds = np.array(results, np.float64).reshape(-1, 2).T
        return Evaluation(losses, seconds, tuple({} for _ in results))

    def _train(self, configuration: Mapping[str, Any], seed: int) -> tuple[float, float]:
        batch_size, *units = (round(configuration[name]) for name in INTEGERS)
        networks = Networks(
            sizes=(self.parts.train.X.shape[1], *units, self.parts.classes),
            batch_size=batch_size,
            tanh=np.zeros((1, 2), np.bool_),
            dropout=np.array([[configuration["dropout_1"], configuration["dropout_2"]]], np.float32),
            rates=constant(configuration["learning_rate"], self.epochs)[None],
            seeds=np.array([seed], np.uint64),
        )
        records = train(networks, self.parts)
        return float(records.validation[0, -1]), float(records.seconds[0])


def classifier(dataset: str, most_rows: int | None = None, epochs: int = 100, half: int | None = None) -> Classifier:
    """The benchmark on a classification set of the catalogue.

    Args:
        most_rows: Largest number of rows of the set, drawn at random before it is split.
        half: Half of these rows to use, 0 or 1, as if it were a set of its own; None for all.

    Raises:
        UserError: the set is one of regression.
        DataUnavailableError: the set is in none of the catalogue's places.
    """
    data = load(dataset)
    if data.task != "classification":
        raise UserError(f"data set {dataset!r} is for {data.task}; allowed: classification")
    rows = np.random.default_rng(0).permutation(len(data.y))[:most_rows]
    if half is not None:
        rows = np.array_split(rows, 2)[half]
    chosen = replace(data, X=data.X[rows], y=data.y[rows])
    return Classifier(prepare(chosen, derive_seed("classifier split", dataset) % 2**32)[0], epochs)
