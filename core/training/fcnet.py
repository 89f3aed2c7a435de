"""The tables of thesis chapter 7, trained: two hidden layers, Adam on the squared error, 100 epochs, 4 repetitions.

    collection = FCNetCollection("parkinsons", grid, folder)
    collection.fill()                   # resumes; in two processes: fill((0, 2)) and fill((1, 2))
    table = collection.table()

Where the thesis is silent: the cosine falls from epoch to epoch (`core.foundation.schedules`), dropout follows the
activation, the last minibatch of an epoch has the remaining points, training errors are averages over an epoch's
minibatches as they were trained on. A configuration's errors on the CPU depend on the set, its place in Table 7.2's
grid, the repetition and the seed, not on the rest of the grid.
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

from core.foundation.progress import Progress, silent, within
from core.foundation.schedules import constant, cosine
from core.foundation.seeds import derive_seed
from core.foundation.validation import check_counts
from core.tabular.grid import Grid
from core.tabular.table import EPOCHS, Table, half_precision
from core.training import Networks, Parts, train
from core.training.chunks import Arrays, Chunks
from core.training.networks import load_tabular, prepare

SCHEDULES = {"cosine": cosine, "const": constant}


@dataclass(frozen=True)
class FCNetCollection:
    """The collection of one table.

    Args:
        dataset: Name in `core.data`.
        grid: Grid of the configurations.
        folder: Folder of the chunk files.
        seed: Seed of the split and of all trainings.
        chunk_size: Number of configurations per chunk; a GPU trains as many at once as fit, so use hundreds there.
        device: Torch device, "cpu" by default.

    Raises:
        UserError: fewer than one repetition or epoch.
    """

    dataset: str
    grid: Grid
    folder: Path
    seed: int = 0
    repetitions: int = 4
    epochs: int = 100
    chunk_size: int = 32
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_counts("FCNetCollection", repetitions=self.repetitions, epochs=self.epochs)

    def fill(self, shard: tuple[int, int] = (0, 1), progress: Progress = silent) -> None:
        """Train what is missing from a shard; raises as `Chunks.fill`, and what loading the set raises."""
        self._chunks.fill(self._train, shard, progress)

    def arrays(self) -> Arrays:
        """Everything recorded, in the order of the grid's positions; see `train_configurations`.

        Raises:
            UserError: chunks are missing.
        """
        arrays = self._chunks.gather()
        return {name: array[np.argsort(self._order)] for name, array in arrays.items()}

    def table(self) -> Table:
        """The table; raises as `arrays`."""
        arrays = self.arrays()
        epochs = (*(epoch for epoch in EPOCHS if epoch < self.epochs), self.epochs)
        chosen = np.array(epochs) - 1
        return Table(
            dataset=self.dataset,
            source=f"our own runs: {self.epochs} epochs, {self.repetitions} repetitions, seed {self.seed}",
            grid=self.grid,
            epochs=epochs,
            train_mse=arrays["train_mse"][:, :, chosen].swapaxes(1, 2),
            valid_mse=arrays["valid_mse"][:, :, chosen].swapaxes(1, 2),
            test_mse=arrays["test_mse"],
            seconds=arrays["seconds"],
            parameters=arrays["parameters"],
            curves=half_precision(arrays["valid_mse"]),
            split=self._data[1],
        )

    def _train(self, items: NDArray[np.int64], progress: Progress) -> Arrays:
        positions = self._order[items]
        names = ("fcnet", self.dataset, self.seed)
        indices = self.grid.indices[positions]
        seeds = [[derive_seed(*names, int(index), r) for r in range(self.repetitions)] for index in indices]
        configurations = self.grid.configurations(positions)
        return train_configurations(
            self._data[0], configurations, np.array(seeds, dtype=np.uint64), self.epochs, self.device, progress
        )

    @cached_property
    def _data(self) -> tuple[Parts, NDArray[np.uint8]]:
        return prepare(load_tabular(self.dataset), derive_seed("fcnet split", self.dataset, self.seed) % 2**32)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """Positions, grouped by architecture and batch size."""
        groups = {name: np.array(self.grid.values[name]) for name in ("batch_size", "n_units_1", "n_units_2")}
        levels = dict(zip(self.grid.values, self.grid.levels(np.arange(self.grid.size)).T, strict=True))
        return np.lexsort([values[levels[name]] for name, values in groups.items()])

    @property
    def _chunks(self) -> Chunks:
        fields = {name: getattr(self, name) for name in ("dataset", "seed", "repetitions", "epochs", "chunk_size")}
        key = json.dumps({**fields, "grid": dict(self.grid.values), "device": self.device.partition(":")[0]})
        return Chunks(Path(self.folder), key, self.grid.size, self.chunk_size)


def train_configurations(
    parts: Parts,
    configurations: Sequence[Mapping[str, Any]],
    seeds: NDArray[np.uint64],
    epochs: int = 100,
    device: str = "cpu",
    progress: Progress = silent,
) -> Arrays:
    """Train n configurations of Table 7.2 in R repetitions, those of one architecture and batch size as one group.

    Args:
        configurations: Configurations with the names of `core.tabular.grid`.
        seeds: Seeds (n, R).
        progress: Callback that receives the share of the trainings that is done.

    Returns:
        train_mse, valid_mse (n, R, epochs), test_mse, seconds (n, R) float32, see `core.training.networks.Records`,
        and parameters (n,) int64.
    """
    n, repetitions = seeds.shape
    columns: Arrays = {
        "train_mse": np.empty((n, repetitions, epochs), np.float32),
        "valid_mse": np.empty((n, repetitions, epochs), np.float32),
        "test_mse": np.empty((n, repetitions), np.float32),
        "seconds": np.empty((n, repetitions), np.float32),
        "parameters": np.empty(n, np.int64),
    }
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, configuration in enumerate(configurations):
        key = tuple(configuration[name] for name in ("batch_size", "n_units_1", "n_units_2"))
        groups.setdefault(key, []).append(number)
    done = 0
    for (batch_size, *hidden), members in groups.items():
        share = within(progress, done / n, (done + len(members)) / n)
        chosen = [configurations[number] for number in members for _ in range(repetitions)]
        networks = Networks(
            sizes=(parts.train.X.shape[1], *hidden, 1),
            batch_size=batch_size,
            tanh=np.array([[c[f"activation_fn_{layer}"] == "tanh" for layer in (1, 2)] for c in chosen]),
            dropout=np.array([[c[f"dropout_{layer}"] for layer in (1, 2)] for c in chosen], np.float32),
            rates=np.stack([SCHEDULES[c["lr_schedule"]](c["init_lr"], epochs) for c in chosen]),
            seeds=seeds[members].reshape(-1),
        )
        records = train(networks, parts, device, share)
        done += len(members)
        for name, array in zip(("train_mse", "valid_mse", "test_mse", "seconds"), records, strict=True):
            columns[name][members] = array.reshape(len(members), repetitions, *array.shape[1:])
        columns["parameters"][members] = networks.num_weights
    return columns
