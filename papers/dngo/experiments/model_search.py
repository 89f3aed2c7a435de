"""Bayesian optimization of a synthetic function by a DNGO of sections 3.1.1 and 3.1.2."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.acquisition.maximizers import GradientAscent
from core.experiment.context import Context
from core.experiment.optimization import in_lockstep
from core.models.dngo import DNGO
from core.objectives.synthetic import lookup
from core.optimizers.model_based import ModelBased
from core.spaces import CubeEncoding
from core.study.lockstep import Histories


def search_with(model: DNGO, context: Context[Any]) -> tuple[pd.DataFrame, Histories]:
    """Rows as in `core.experiment.optimization`, and the histories of the cell's function, evaluations and start."""
    settings, objective = context.settings, lookup(context.benchmark)
    policy = ModelBased(CubeEncoding(objective.space), lambda n: model, GradientAscent())
    histories = in_lockstep(context, objective, settings.evaluations, settings.initial_design, policy)
    records = histories.trace(context.runs).evaluations()
    return records.assign(regret=objective.regret(records["loss"])), histories
