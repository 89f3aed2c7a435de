"""Optimizers on stochastic counting ones, surrogates of networks, and the Bayesian network."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace

from core.experiment.context import Context
from core.experiment.timed_search import timed_search
from core.objectives import objective
from core.objectives.base import Configurations, Evaluation, Fidelity, Objective
from core.objectives.counting_ones import CountingOnes
from core.objectives.fcnet_surrogate import FCNetSurrogate, SurrogateWithCurves
from core.objectives.guard import guarded_evaluate
from papers.bohb.experiments.simulated_runs import search
from papers.bohb.settings import BayesianNetworkSearch, CountingOnesSearch, SurrogateSearch, TimedSearch


def counting_ones(context: Context[CountingOnesSearch]) -> pd.DataFrame:
    """Normalized regret of the incumbents on stochastic counting ones (thesis 6.4.1 and C.7); see `search`."""
    half = context.settings.dimension // 2
    function = CountingOnes(categorical=half, continuous=half)
    return search(context, function, function.regret)


def surrogate(context: Context[SurrogateSearch]) -> pd.DataFrame:
    """Regret of the incumbents on the surrogate of a data set, at the largest budget (thesis 6.4.2.2); see `search`.

    Besides its columns: `smallest_budget` and `largest_budget` in seconds, the surrogate's `optimum`, and the
    number of learning curves it is made from.
    """
    records = context.records("collect")
    function = FCNetSurrogate.fit(records, context.settings.surrogate_of_code)
    benchmark = SurrogateWithCurves(function) if context.settings.method.needs_curves else function
    return search(context, benchmark, function.regret).assign(
        smallest_budget=function.fidelity.minimum,
        largest_budget=function.fidelity.maximum,
        optimum=function.optimum,
        configurations=len(records),
    )


def svm_surrogate(context: Context[TimedSearch]) -> pd.DataFrame:
    """Errors of the incumbents on a surrogate of support vector machines (thesis 6.4.2.1); see `timed_search`.

    An incumbent is the best seen on any share of the data, retrained on all of it. Besides the columns of
    `timed_search`: `regret`, the error above the surrogate's `optimum`, and that.
    """
    surrogate = objective(context.benchmark)
    rows = timed_search(context, surrogate, surrogate.errors, on_all=False)
    return rows.assign(regret=rows["error"] - surrogate.optimum, optimum=surrogate.optimum)


def bayesian_network(context: Context[BayesianNetworkSearch]) -> pd.DataFrame:
    """Observed losses of the incumbents on a benchmark of `core.objectives.bayesian_network`; see `search`.

    The clock counts steps of the sampler, not seconds: it is the same on every machine. Besides the columns of
    `search`: `worst_loss`, the loss of a failure.
    """
    settings = context.settings
    tuning = replace(
        objective(context.benchmark),
        raise_friction=settings.raise_friction,
        noise_correction=settings.noise_correction,
    )
    function = CostIsBudget(tuning)
    return search(context, function).assign(worst_loss=function.worst_loss)


@dataclass(frozen=True)
class CostIsBudget:
    """An `Objective` whose evaluations cost their budget, whatever the wrapped one says."""

    wrapped: Objective

    @property
    def space(self) -> ConfigurationSpace:
        return self.wrapped.space

    @property
    def fidelity(self) -> Fidelity:
        return self.wrapped.fidelity

    @property
    def optimum(self) -> float | None:
        return self.wrapped.optimum

    @property
    def worst_loss(self) -> float:
        return self.wrapped.worst_loss

    def evaluate(
        self, configurations: Configurations, budget: float | None, generator: np.random.Generator
    ) -> Evaluation:
        """Evaluate the wrapped objective; None is the largest budget, and a failure costs its budget as well."""
        evaluation = guarded_evaluate(self.wrapped, configurations, budget, generator)
        cost = self.fidelity.maximum if budget is None else budget
        return Evaluation(evaluation.loss, np.full(len(evaluation.loss), float(cost)), evaluation.info)
