"""DNGO's experiments: a shard of repetitions in, records out."""

from __future__ import annotations

import pandas as pd
import torch

from core.benchmarks.sinc import Sinc
from core.experiment.context import Context
from core.models.dngo import DNGO
from core.randomness import make_generators


def activations(context: Context) -> pd.DataFrame:
    """Fig 2: DNGO's mean and standard deviation, noise included, given 20 points of sinc in [0, 1]; over [-1, 2].

    Rows of part "data" hold the training points (sd 0), those of part "grid" the prediction.
    """
    settings = context.settings
    toy = Sinc(points=settings.points)
    X, y = toy.observations(make_generators(context.shared_seeds("points")), len(context.runs))
    grid = toy.grid()
    model = DNGO(settings.widths, settings.activation, epochs=settings.epochs, device=context.device)
    model.fit(X, y, make_generators(context.method_seeds("model"), context.device))
    with torch.no_grad():
        mean, variance = (part.cpu() for part in model.moments(grid.to(context.device)))
    frames = []
    for index, run in enumerate(context.runs):
        data = {"x": X[index, :, 0], "mean": y[index], "sd": 0.0}
        prediction = {"x": grid[:, 0], "mean": mean[index], "sd": variance[index].sqrt()}
        for part, columns in (("data", data), ("grid", prediction)):
            frames.append(pd.DataFrame({"run": run, "part": part, **columns}))
    return pd.concat(frames, ignore_index=True)
