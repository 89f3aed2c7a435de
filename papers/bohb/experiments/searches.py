"""Searches on the simulated clock: counting ones, surrogates, the Bayesian network, and cart-pole's agents.

Times and budgets are in multiples of the largest budget: a run of 512 costs as much as 512 full evaluations one after
the other. The optimizer's own time is not counted. What is kept of a run is when the incumbent changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import ConfigurationSpace
from numpy.typing import NDArray

from core.experiment.context import Context
from core.experiment.optimization import in_lockstep, one_by_one
from core.experiment.timed_search import timed_search
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
from core.study.record import Record, incumbents
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

Regret = Callable[[Sequence[Mapping[str, Any]]], NDArray[np.float64]]
ROUNDING = 1e-9  # relative: costs that sum to the end of the run up to rounding still count


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
    """Expected episodes of the incumbents on the surrogate of `ppo_table`; see `search`.

    Besides its columns: `episodes`, the expected number, in place of `regret`, and the number of `configurations` that
    the surrogate is made from.
    """
    records = context.records("ppo_table")
    surrogate = PolicySurrogate.fit(records)
    rows = search(context, surrogate, surrogate.expected).rename(columns={"regret": "episodes"})
    return rows.assign(configurations=records["number"].nunique())


def ppo_live(context: Context[LivePolicySearch]) -> pd.DataFrame:
    """Episodes of the incumbents when every evaluation trains agents, the thesis' protocol; see `search`.

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

    return search(context, tuning, validated).rename(columns={"regret": "episodes"})


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


def search(context: Context[SimulatedSearch], objective: Objective, regret: Regret | None = None) -> pd.DataFrame:
    """Run a cell's repetitions on an objective with a fidelity: a row for each incumbent, and one at the end of a run.

    Args:
        regret: Regret of configurations, without noise; None where the optimum is not known.

    Returns:
        run, `time` and `evaluations` when the row's incumbent was known, its `budget`, its observed `loss`, and
        `regret`. The last row of a run repeats the incumbent at the end of the run.
    """
    repetitions = (_in_lockstep if context.settings.method.method == "gp_mcmc" else _simulated)(context, objective)
    frames = [
        trajectory(records, times, objective.fidelity.maximum, regret).assign(run=run)
        for run, (records, times) in zip(context.runs, repetitions, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def _simulated(context: Context[SimulatedSearch], objective: Objective) -> Iterator[tuple[list[Record], list[float]]]:
    """The records of each repetition in turn and their times, on the simulated clock."""
    settings, fidelity = context.settings, objective.fidelity
    method, full = settings.method, settings.full_evaluations
    budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets else None
    repetitions = one_by_one(
        context,
        objective,
        lambda seed: method.build(objective.space, seed, budgets, round(full or 1)),
        workers=settings.workers,
        until=None if full is None else full * fidelity.maximum * (1 + ROUNDING),
    )
    for records in repetitions:
        yield records, [record.finished / fidelity.maximum for record in records]


def _in_lockstep(context: Context[SimulatedSearch], objective: Objective) -> Iterator[tuple[list[Record], list[float]]]:
    """The records of GP-BO and their times: evaluations on the largest budget only, all repetitions in lockstep.

    The thesis ran RoBO with hyperparameters integrated out; here it is `MarginalisedGP`, its acquisition maximized by
    random and local search, since half of the hyperparameters are whole numbers.
    """
    evaluations = int(context.settings.full_evaluations)
    histories = in_lockstep(context, objective, evaluations, context.settings.method.initial_points)
    return ((records, [float(number) for number in range(1, evaluations + 1)]) for records in histories.records)


def trajectory(
    records: Sequence[Record], times: Sequence[float], largest_budget: float, regret: Regret | None
) -> pd.DataFrame:
    """The rows of one run, without `run`; see `search`.

    Args:
        records: Records in the order of their results.
        times: Time of each result, in multiples of the largest budget.

    Raises:
        UserError: no evaluation has ended.
        ValueError: every evaluation failed.
    """
    improvements = incumbents(records)
    if not records:
        raise UserError("a run has ended before its first evaluation; allowed: a larger full_evaluations")
    if not improvements:
        raise ValueError(f"all {len(records)} evaluations of a run failed")
    order = {record.number: count for count, record in enumerate(records, start=1)}
    rows = pd.DataFrame(
        {
            "time": [times[order[record.number] - 1] for record in improvements],
            "evaluations": [order[record.number] for record in improvements],
            "budget": [(record.budget or largest_budget) / largest_budget for record in improvements],
            "loss": [record.loss for record in improvements],
        }
    )
    if regret is not None:
        rows["regret"] = regret([record.configuration for record in improvements])
    last = rows.iloc[[-1]].assign(time=times[-1], evaluations=len(records))
    return pd.concat([rows, last], ignore_index=True)
