"""Searches on the simulated clock: counting ones, surrogates, the Bayesian network, and cart-pole's agents.

Times and budgets are in multiples of the largest budget: a run of 512 costs as much as 512 full evaluations one after
the other. The optimizer's own time is not counted. What is kept of a run is when the incumbent changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.experiment.context import Context
from core.experiment.search import Values, search
from core.foundation.errors import UserError
from core.foundation.progress import Progress
from core.foundation.seeds import derive_seed
from core.objectives import objective
from core.objectives.agents import PolicySurrogate, PolicyTuning
from core.objectives.base import Configurations, Evaluation, Fidelity, Objective
from core.objectives.counting_ones import CountingOnes
from core.objectives.fcnet_surrogate import FCNetSurrogate, SurrogateWithCurves
from core.objectives.guard import guarded_evaluate
from core.objectives.spaces import policy_space
from core.spaces import CubeEncoding
from core.spaces.points import sobol_points
from papers.bohb.settings import (
    BayesianNetworkSearch,
    CountingOnesSearch,
    LivePolicySearch,
    PolicySearch,
    PolicyTable,
    SimulatedSearch,
    SurrogateSearch,
    TimedSearch,
)


def counting_ones(context: Context[CountingOnesSearch]) -> pd.DataFrame:
    """Normalized regret of the incumbents on stochastic counting ones (thesis 6.4.1 and C.7); see `incumbents`."""
    half = context.settings.dimension // 2
    function = CountingOnes(categorical=half, continuous=half)
    return incumbents(context, function, function.regret)


def surrogate(context: Context[SurrogateSearch]) -> pd.DataFrame:
    """Regret of the incumbents on a data set's surrogate, at the largest budget (thesis 6.4.2.2); see `incumbents`.

    Besides its columns: `smallest_budget` and `largest_budget` in seconds, the surrogate's `optimum`, and the
    number of learning curves it is made from.
    """
    records = context.records("collect")
    function = FCNetSurrogate.fit(records, context.settings.surrogate_of_code)
    benchmark = SurrogateWithCurves(function) if context.settings.method.needs_curves else function
    return incumbents(context, benchmark, function.regret).assign(
        smallest_budget=function.fidelity.minimum,
        largest_budget=function.fidelity.maximum,
        optimum=function.optimum,
        configurations=len(records),
    )


def svm_surrogate(context: Context[TimedSearch]) -> pd.DataFrame:
    """Errors of the incumbents on a surrogate of support vector machines (thesis 6.4.2.1); see `Searches.incumbents`.

    An incumbent is the best seen on any share of the data, retrained on all of it. Besides its columns: `regret`, the
    error above the surrogate's `optimum`, and that.
    """
    surrogate = objective(context.benchmark)
    rows = search(context, surrogate).incumbents("error", surrogate.errors, with_proposals=True)
    return rows.assign(regret=rows["error"] - surrogate.optimum, optimum=surrogate.optimum)


def bayesian_network(context: Context[BayesianNetworkSearch]) -> pd.DataFrame:
    """Observed losses of the incumbents on a benchmark of `core.objectives.bayesian_network`; see `incumbents`.

    The clock counts steps of the sampler, not seconds: it is the same on every machine. Besides the columns of
    `incumbents`: `worst_loss`, the loss of a failure.
    """
    settings = context.settings
    tuning = replace(
        objective(context.benchmark),
        raise_friction=settings.raise_friction,
        noise_correction=settings.noise_correction,
    )
    function = CostIsBudget(tuning)
    return incumbents(context, function).assign(worst_loss=function.worst_loss)


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


def ppo_table(context: Context[PolicyTable]) -> pd.DataFrame:
    """Train the configurations of Table C.4 at the points of Sobol's sequence, several trials each.

    A "run" is `settings.configurations` of them, one after the other: run r has those from r * configurations on.

    Returns:
        run, `number` of the point, `trial`, `episodes` until convergence, at most `most_episodes`, `timesteps` of the
        simulator, and `failure`, the reason why no agent could be trained, empty if one was.
    """
    settings = context.settings
    tuning = PolicyTuning(entropy=settings.entropy, most_episodes=settings.most_episodes)
    frames = []
    for done, (run, seed) in enumerate(zip(context.runs, context.shared_seeds("trials"), strict=True)):
        first = run * settings.configurations
        rows = _block(tuning, settings, first, np.random.default_rng(seed), context.progress_of(done))
        frames.append(pd.DataFrame(rows).assign(run=run))
    return pd.concat(frames, ignore_index=True).astype({"number": np.int32, "trial": np.int8, "episodes": np.int32})


def ppo(context: Context[PolicySearch]) -> pd.DataFrame:
    """Expected episodes of the incumbents on the surrogate of `ppo_table`; see `incumbents`.

    Besides its columns: `episodes`, the expected number, in place of `regret`, and the number of `configurations` that
    the surrogate is made from.
    """
    records = context.records("ppo_table")
    surrogate = PolicySurrogate.fit(records)
    rows = incumbents(context, surrogate, surrogate.expected, "episodes")
    return rows.assign(configurations=records["number"].nunique())


def ppo_live(context: Context[LivePolicySearch]) -> pd.DataFrame:
    """Episodes of the incumbents when every evaluation trains agents, the thesis' protocol; see `incumbents`.

    Besides its columns: `episodes`, in place of `regret`, the mean of nine further trials of the incumbent, the same
    ones wherever a configuration is the incumbent.
    """
    settings = context.settings
    tuning = PolicyTuning(entropy=settings.entropy, most_episodes=settings.most_episodes)

    def validated(configurations: Configurations) -> NDArray[np.float64]:
        evaluations = [
            tuning.evaluate([each], None, np.random.default_rng(derive_seed("validation", repr(sorted(each.items())))))
            for each in configurations
        ]
        return np.concatenate([each.loss for each in evaluations])

    return incumbents(context, tuning, validated, "episodes")


def _block(
    tuning: PolicyTuning, settings: PolicyTable, first: int, generator: np.random.Generator, progress: Progress
) -> list[dict]:
    """The trials of a run's configurations, as rows."""
    encoding, rows = CubeEncoding(policy_space()), []
    configurations = encoding.decode(sobol_points(encoding.dimension, first, settings.configurations))
    for number, configuration in enumerate(configurations):
        for trial, seed in enumerate(generator.integers(2**63, size=settings.trials)):
            row = {"number": first + number, "trial": trial, "episodes": settings.most_episodes, "timesteps": 0}
            failure = ""
            try:
                learnt = tuning.trial(configuration, int(seed))
                row |= {"episodes": learnt.episodes, "timesteps": learnt.timesteps}
                failure = "" if learnt.finite else "not finite"
            except UserError as error:
                failure = str(error)
            rows.append(row | {"failure": failure})
            progress((number * settings.trials + trial + 1) / (len(configurations) * settings.trials))
    return rows


def incumbents(
    context: Context[SimulatedSearch], objective: Objective, value: Values | None = None, column: str = "regret"
) -> pd.DataFrame:
    """The incumbents of a cell's repetitions on an objective with a fidelity; see `Searches.incumbents`.

    Times and budgets are in multiples of the largest budget, and GP-BO, which evaluates on that alone, has one at each
    of them. The thesis ran RoBO with hyperparameters integrated out; here it is `MarginalisedGP`, its acquisition
    maximized by random and local search, since half of the hyperparameters are whole numbers.
    """
    searches, largest = search(context, objective), objective.fidelity.maximum
    rows = searches.incumbents(column, value)
    times = rows["finished"] / largest if searches.histories is None else rows["evaluation"].astype(float)
    return rows.assign(finished=times, budget=rows["budget"] / largest)
