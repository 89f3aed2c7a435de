"""Fig 2, right: searches that train networks, whose training errors and seconds are side signals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from core.experiment.context import Context
from core.experiment.optimization import objective_generators, rows_of_search
from core.spaces import CubeEncoding
from papers.ablr.networks import network_space, outcomes_of, parts_of
from papers.ablr.search import Known, search
from papers.ablr.settings import Networks


def networks(context: Context[Networks]) -> pd.DataFrame:
    """One row for each evaluation: run, evaluation, loss (validation error), train_error, and seconds of training."""
    parts, encoding = parts_of(context.benchmark), CubeEncoding(network_space())
    generators = objective_generators(context)

    def evaluate(points: Tensor) -> Tensor:
        outcomes = []
        for generator, part in zip(generators, points.cpu().numpy(), strict=True):
            outcomes.append(outcomes_of(encoding.decode(part), parts, generator.integers(2**63, size=len(part))))
        return torch.from_numpy(np.stack(outcomes)).to(points)

    _, outcomes = search(context, encoding, evaluate, Known())
    loss, train_error, log_seconds = outcomes.unbind(-1)
    values = {"loss": loss, "train_error": train_error, "seconds": 10**log_seconds}
    return rows_of_search(context.runs, values)
