"""Experiments that train networks on images: the images of their settings, and test errors of what a search found.

All runs and methods have the same images in the same parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.experiment.context import Context
from core.experiment.finished import shard_folder, unfinished_file
from core.experiment.search_settings import ImageTask
from core.foundation.errors import UserError
from core.objectives.guard import Remembered
from core.objectives.image_classification import ImageClassification
from core.spaces import Column
from core.vision.data import ImageSet, image_set


def images_of(settings: ImageTask) -> ImageSet:
    """The images.

    Raises:
        UserError, UnknownNameError, DataUnavailableError: as `core.vision.data.image_set`.
    """
    counts = (settings.train_images, settings.validation_images, settings.test_images)
    return image_set(settings.images, settings.size, *counts)


def remembered(context: Context, objective: ImageClassification) -> Remembered:
    """The objective whose evaluations are kept on the disk until the cell's shards are joined.

    A shard that was interrupted and is repeated makes the same evaluations again and pays for none twice; the training
    that was under way goes on from its last state. The file outlives the search: its records may not find room.
    """
    file = unfinished_file(context.cell, context.runs, context.root, "jsonl")
    return Remembered(replace(objective, folder=file.parent), file)


def retrained(
    context: Context, objective: ImageClassification, configuration: Callable[[int], Mapping[str, Any]], epochs: int
) -> pd.DataFrame:
    """Test errors of configurations trained on the images for training and validation, one for each run.

    Args:
        configuration: Function of the number of a run that returns its configuration.
        epochs: Number of epochs.

    Returns:
        run, `test_error`, and one column for each hyperparameter.
    """
    objective = replace(objective, folder=shard_folder(context.cell.path(context.root)))
    rows = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("retraining"), strict=True)):
        hyperparameters = dict(configuration(run))
        rows.append({"run": run, "test_error": objective.test_error(hyperparameters, seed, epochs), **hyperparameters})
        context.progress_of(done)(1.0)
    return pd.DataFrame(rows)


def best_configuration(records: pd.DataFrame, method: str, run: int, space: ConfigurationSpace) -> dict[str, Any]:
    """The configuration with the smallest loss, on the largest budget, of a run of a method.

    The runs are counted again from the first one after the last.

    Args:
        records: What `core.experiment.search` returned, with the column `method`.

    Raises:
        UserError: no evaluation of the run succeeded.
    """
    rows = records[(records["method"] == method) & (records["status"] == "ok")]
    runs = sorted(rows["run"].unique())
    if not runs:
        raise UserError(f"method {method!r}: no evaluation succeeded; allowed: records with one that did")
    rows = rows[rows["run"] == runs[run % len(runs)]]
    if "budget" in rows:
        rows = rows[rows["budget"] == rows["budget"].max()]
    return as_configuration(rows.loc[rows["loss"].idxmin()], space)


def as_configuration(row: Mapping[str, Any] | pd.Series, space: ConfigurationSpace) -> dict[str, Any]:
    """The hyperparameters of a row, those that are not active left out, whole numbers as such."""
    configuration = {}
    for name in space:
        if pd.isna(row[name]):
            continue
        kind = Column.of(space[name]).kind
        configuration[name] = (
            round(row[name]) if kind == "integer" else float(row[name]) if kind == "float" else row[name]
        )
    return configuration


class Once:
    """Values of configurations, each determined once: `Once(error)(configurations)` is an array (n,)."""

    def __init__(self, value: Callable[[Mapping[str, Any]], float]) -> None:
        self.value, self.values = value, dict[str, float]()

    def __call__(self, configurations: Sequence[Mapping[str, Any]]) -> NDArray[np.float64]:
        keys = [key_of(configuration) for configuration in configurations]
        for key, configuration in zip(keys, configurations, strict=True):
            if key not in self.values:
                self.values[key] = float(self.value(configuration))
        return np.array([self.values[key] for key in keys])


def key_of(configuration: Mapping[str, Any]) -> str:
    """A configuration as text, the same for the same values in any order."""
    return repr(sorted(configuration.items()))
