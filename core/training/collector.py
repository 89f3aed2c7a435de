"""Learning curves of classifying networks for the surrogates of thesis section C.8: configurations drawn from Table
C.1, trained for up to 50 epochs, the validation error after every epoch and the training time recorded.

    CurveCollection("letter", 10_000, folder).fill()

A network has `layers` hidden layers of `units` relu units each, dropout after each of them, and a softmax; it minimizes
the cross entropy, its learning rate being rate e^(decay e) in epoch e. C.8 names no optimizer beyond "stochastic
gradient descent"; at the rates of Table C.1, 1e-6 to 1e-2, plain descent would hardly move, while "almost all networks
converged within the 50 epochs": so we use Adam, as in chapter 7. Units, splits and encoding are not given either: relu
and `core.training.preparation`. No two configurations share sizes and batch size, so each is a group of its own:
fast in machine code on the CPU, not on a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data import load
from core.foundation.progress import Progress, silent, within
from core.foundation.schedules import exponential
from core.foundation.seeds import derive_seed
from core.foundation.validation import check_counts
from core.objectives.network_spaces import surrogate_space
from core.spaces import CubeEncoding
from core.training import Networks, Parts, train
from core.training.chunks import Arrays, Chunks
from core.training.preparation import prepare

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
