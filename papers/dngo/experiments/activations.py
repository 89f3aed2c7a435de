"""Fig 2: DNGO with three kinds of units."""

from __future__ import annotations

import pandas as pd
import torch

from core.experiment.context import Context
from core.foundation.randomness import make_generators
from core.models.dngo import DNGO
from core.objectives.sinc import Sinc, prediction_records
from papers.dngo.settings import Activations


def activations(context: Context[Activations]) -> pd.DataFrame:
    """Fig 2: DNGO's mean and standard deviation, noise included, over [-1, 2] given 20 points of sinc in [0, 1].

    Rows as `prediction_records` has them.
    """
    settings = context.settings
    toy = Sinc(points=settings.points)
    X, y = toy.observations(make_generators(context.shared_seeds("points")), len(context.runs))
    grid = toy.grid()
    model = DNGO(widths=settings.widths, activation=settings.activation, epochs=settings.epochs, device=context.device)
    model.fit(X, y, make_generators(context.method_seeds("model"), context.device))
    with torch.no_grad():
        mean, variance = model.moments(grid.to(context.device))
    return prediction_records(context.runs, X, y, grid, mean, variance)
