"""The collections of learning curves (thesis 5.4.1), as records of an experiment."""

from __future__ import annotations

import pandas as pd

from core.experiment.context import Context
from core.training.learning_curves import LearningCurves
from papers.lcnet.authors_curves import authors_cnn
from papers.lcnet.authors_summary import summarized_curves
from papers.lcnet.curve_sets import AUTHORS
from papers.lcnet.settings import Collect


def collect(context: Context[Collect]) -> pd.DataFrame:
    """Train configurations of one kind of network; a "run" is `settings.configurations` of them, one after the other.

    The authors' networks are read, not trained, and their curves are not recorded: see `papers.lcnet.authors_summary`.

    Returns:
        run, `number` of the configuration, its hyperparameters, `most_units` where the layers are smaller than Table
        B.1's, and the lists of `core.training.learning_curves.train_curve`, one value per epoch.
    """
    settings = context.settings
    size = settings.configurations
    if context.benchmark == AUTHORS:
        rows = summarized_curves(authors_cnn())
        return rows[rows["run"].isin(context.runs)]
    chosen = settings.model_dump(include={"dataset", "images", "epochs", "most_units", "seed"})
    collection = LearningCurves(context.benchmark, **chosen, device=context.device)
    frames = []
    for done, run in enumerate(context.runs):
        numbers = range(run * size, (run + 1) * size)
        arrays = collection.train(numbers, context.progress_of(done))
        columns = {name: list(values) if values.ndim > 1 else values for name, values in arrays.items()}
        frame = pd.DataFrame({"run": run, "number": numbers, **columns})
        frames.append(frame if settings.most_units is None else frame.assign(most_units=settings.most_units))
    return pd.concat(frames, ignore_index=True)
