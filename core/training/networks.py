"""Groups of networks with the same architecture and batch size, which are trained together, and their records.

Networks of a group see the same data, each in its own order, and differ in everything else: activations, dropout,
learning rates, seeds. They start with weights uniform in +-sqrt(6 / (in + out)) and biases 0 (Glorot and Bengio 2010).
The learning rate changes from epoch to epoch, as one of `core.foundation.schedules` says.

Preparing a data set: constant inputs removed, three parts, everything in units of the training part.

Thesis 7.1: 60% of the rows for training, 20% for validation, 20% for testing; inputs (and targets of regression) have
mean 0 and standard deviation 1 in the training part. Section C.8 does not say how its sets were split; here it is the
same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.data import Dataset, Standardizer, load, train_validation_test_split
from core.foundation.errors import UserError
from core.tabular.table import TEST, TRAIN, VALID


class Part(NamedTuple):
    """Inputs X (n, d) float32 and targets y (n,) float32: numbers, or class codes 0, 1, ..."""

    X: NDArray[np.float32]
    y: NDArray[np.float32]


class Parts(NamedTuple):
    """The data of a training; `classes` is 0 for regression, otherwise the number K of classes."""

    train: Part
    validation: Part
    test: Part
    classes: int = 0


class Records(NamedTuple):
    """Records of G networks over E epochs, nan from the epoch in which a network diverged.

    The error is the mean squared error, or the share of wrong predictions.
    """

    train: NDArray[np.float32]  # (G, E) over an epoch's minibatches as they were trained on, dropout included
    validation: NDArray[np.float32]  # (G, E) after each epoch
    test: NDArray[np.float32]  # (G,) after the last epoch
    seconds: NDArray[np.float32]  # (G,) for training with its validations, all E epochs; see `core.training.train`


@dataclass(frozen=True)
class Networks:
    """G networks of one architecture.

    Args:
        sizes: Numbers of inputs, of units of each hidden layer, and of outputs.
        batch_size: Number of points per minibatch; the last of an epoch has the remaining points.
        tanh: Whether a layer has tanh units, otherwise relu, (G, hidden layers) bool.
        dropout: Share of a layer's outputs that is dropped, (G, hidden layers), in [0, 1).
        rates: Adam's learning rate in each epoch, (G, E).
        seeds: Seeds of initial weights, orders and dropout masks, (G,).

    Raises:
        UserError: a value out of range, or arrays that do not fit together.
    """

    sizes: tuple[int, ...]
    batch_size: int
    tanh: NDArray[np.bool_]
    dropout: NDArray[np.float32]
    rates: NDArray[np.float64]
    seeds: NDArray[np.uint64]

    def __post_init__(self) -> None:
        if len(self.sizes) < 3 or min(self.sizes) < 1:
            raise UserError(f"Networks.sizes: must be inputs, hidden units ... and outputs, got {self.sizes}")
        if self.batch_size < 1:
            raise UserError(f"Networks.batch_size: must be at least 1, got {self.batch_size}")
        shape = (len(self.seeds), len(self.sizes) - 2)
        for name, given in (("tanh", self.tanh.shape), ("dropout", self.dropout.shape)):
            if given != shape:
                raise UserError(f"Networks.{name}: must have shape {shape} (networks, hidden layers), got {given}")
        if self.rates.ndim != 2 or len(self.rates) != len(self.seeds) or self.rates.shape[1] == 0:
            raise UserError(f"Networks.rates: must be ({len(self.seeds)}, epochs), got {self.rates.shape}")
        if not ((self.dropout >= 0) & (self.dropout < 1)).all():
            raise UserError(f"Networks.dropout: must be in [0, 1), got {self.dropout.min()} to {self.dropout.max()}")
        if not (self.rates >= 0).all():
            raise UserError(f"Networks.rates: must be at least 0, the smallest is {self.rates.min()}")

    @property
    def epochs(self) -> int:
        """E."""
        return int(self.rates.shape[1])

    @property
    def num_weights(self) -> int:
        """P, the number of trainable parameters of a network."""
        return sum((inputs + 1) * outputs for inputs, outputs in pairwise(self.sizes))

    def initial(self) -> NDArray[np.float32]:
        """Initial parameters (G, P): layer after layer W (in, out) row by row, then b (out,)."""
        theta = np.zeros((len(self.seeds), self.num_weights), np.float32)
        for network, seed in zip(theta, self.seeds, strict=True):
            generator, start = np.random.default_rng(int(seed)), 0
            for inputs, outputs in pairwise(self.sizes):
                weights = network[start : start + inputs * outputs]
                weights[:] = (2 * generator.random(len(weights)) - 1) * np.sqrt(6 / (inputs + outputs))
                start += (inputs + 1) * outputs
        return theta


def check_fit(networks: Networks, parts: Parts) -> None:
    """Check what machine code would not notice: whether networks and data belong together.

    Raises:
        UserError: another number of inputs or outputs, a part without points or of unequal lengths, or labels that are
            not 0, 1, ..., K - 1.
    """
    outputs = parts.classes or 1
    if networks.sizes[-1] != outputs:
        raise UserError(f"Networks.sizes has {networks.sizes[-1]} outputs; allowed: {outputs}, for the data's classes")
    for name, (X, y) in zip(Parts._fields, parts[:3], strict=False):
        if X.ndim != 2 or y.shape != X.shape[:1] or len(y) == 0:
            raise UserError(
                f"Parts.{name}: X and y have shapes {X.shape} and {y.shape}; allowed: (n, d) and (n,), n > 0"
            )
        if X.shape[1] != networks.sizes[0]:
            raise UserError(f"Parts.{name} has {X.shape[1]} inputs; allowed: {networks.sizes[0]}, as Networks.sizes")
        if parts.classes and not np.isin(y, np.arange(parts.classes)).all():
            wrong = y[~np.isin(y, np.arange(parts.classes))][0]
            raise UserError(
                f"Parts.{name} has the label {wrong:g}; allowed: whole numbers from 0 to {parts.classes - 1}"
            )


def prepare(dataset: Dataset, seed: int) -> tuple[Parts, NDArray[np.uint8]]:
    """The parts, and the part of each row of the set: TRAIN, VALID or TEST of `core.tabular.table`.

    Raises:
        UserError: no input varies, or there are too few rows for three parts.
    """
    X, y = dataset.X.astype(np.float64), dataset.y.astype(np.float64)
    varies = np.ptp(X, axis=0) > 0 if len(y) else np.zeros(X.shape[1], np.bool_)
    if len(y) < 5 or not varies.any():
        raise UserError(f"{dataset.name}: inputs {X.shape}; allowed: at least 5 rows and one input that varies")
    X = X[:, varies]
    rows = [part[0] for part in train_validation_test_split(len(y), [seed])]
    split = np.empty(len(y), np.uint8)
    for code, part in zip((TRAIN, VALID, TEST), rows, strict=True):
        split[part] = code
    X = Standardizer.fit(X[rows[0]]).transform(X)
    if not dataset.classes:
        y = Standardizer.fit(y[rows[0]], axis=-1).transform(y)
    train, validation, test = (Part(X[part].astype(np.float32), y[part].astype(np.float32)) for part in rows)
    return Parts(train, validation, test, classes=len(dataset.classes)), split


def load_tabular(name: str, download: bool = True) -> Dataset:
    """A set of Table 7.1; naval propulsion with the turbine's decay as an input, which gives the table's 15 inputs.

    Raises:
        DataUnavailableError: it is in none of the catalogue's places and cannot be downloaded.
    """
    dataset = load(name, download=download)
    if name != "naval":
        return dataset
    # The catalogue's table omits the decay; the simulator's grid restores it, since the rows are in order.
    turbine = 0.975 + 0.001 * (np.arange(len(dataset.y)) // 9 % 26)
    names = (*dataset.feature_names, "turbine_decay")
    return replace(dataset, X=np.column_stack([dataset.X, turbine]), feature_names=names)
