"""Tables of an objective at the points of Sobol's sequence, collected as the records of an experiment (thesis 8.3.1).

Configurations are not stored: `points_of` makes them again from their numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.experiment.context import Context
from core.objectives.base import Objective, failure_of
from core.objectives.guard import guarded_evaluate
from core.spaces import CubeEncoding
from core.spaces.points import sobol_points


def collect(context: Context, objective: Objective, configurations: int) -> pd.DataFrame:
    """Evaluate a block of points in every run: run r has the numbers from r * configurations on.

    Returns:
        run, `number` of the point, `loss`, `seconds`, and `failure`, the reason why it failed, empty if it did not. The
        loss of a failure is the objective's worst.
    """
    encoding, frames = CubeEncoding(objective.space), []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("objective"), strict=True)):
        first, generator, progress = run * configurations, np.random.default_rng(seed), context.progress_of(done)
        points = encoding.decode(sobol_points(encoding.dimension, first, configurations))
        for number, configuration in enumerate(points):
            evaluation = guarded_evaluate(objective, [configuration], None, generator)
            row = {"run": run, "number": first + number, "loss": evaluation.loss, "seconds": evaluation.cost}
            frames.append(pd.DataFrame({**row, "failure": [failure_of(entry) for entry in evaluation.info]}))
            progress((number + 1) / configurations)
    return pd.concat(frames, ignore_index=True).astype({"number": np.int32})


def points_of(records: pd.DataFrame, space: ConfigurationSpace) -> NDArray[np.float64]:
    """The points of the unit cube behind records with a column `number`, (n, d)."""
    numbers = records["number"].to_numpy()
    return sobol_points(CubeEncoding(space).dimension, 0, int(numbers.max()) + 1)[numbers]
