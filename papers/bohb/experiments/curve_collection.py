"""The learning curves behind the surrogates (thesis C.8.1), as records of an experiment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from core.experiment.context import Context
from core.training.collector import CurveCollection
from papers.bohb.settings import Collect


def collect(context: Context[Collect]) -> pd.DataFrame:
    """Train configurations of Table C.1; a "run" is `settings.configurations` of them, one after the other.

    Returns:
        run, `number` of the configuration, its hyperparameters, `valid_error` (a list: share of wrong predictions after
        each epoch, nan from the epoch in which training diverged), `test_error` after the last, and `seconds` of the
        whole training.
    """
    settings = context.settings
    size = settings.configurations
    constants = {"seed": settings.seed, "epochs": settings.epochs, "whole": settings.whole}
    collection = CurveCollection(context.benchmark, size * context.runs.stop, Path(), **constants)
    frames = []
    for done, run in enumerate(context.runs):
        numbers = np.arange(run * size, (run + 1) * size)
        arrays = collection.train(numbers, context.progress_of(done))
        curves = {"valid_error": list(arrays.pop("valid_error"))}
        del arrays["train_error"]
        frames.append(pd.DataFrame({"run": run, "number": numbers, **arrays, **curves}))
    return pd.concat(frames, ignore_index=True)
