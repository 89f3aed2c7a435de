"""A cell that optimizes: an objective, a method given by its settings, and all repetitions of a shard.

There is one such experiment. The objective may be a function, a table, a surrogate, stored costs, or networks that are
trained; what differs in how a run goes is its `Course`. In lockstep, all repetitions advance together and start from
the same points in the same repetition, whatever the method. All others are made one after the other, each on simulated
workers and a clock of its own, which counts what evaluations cost.

The records are those of `core.study.trace`, in one of two forms: a row for every evaluation, or for every change of the
incumbent and the end of the run. Papers add columns.

run, evaluation     repetition; how many evaluations there had been, from 1
finished            time on the run's clock
budget, loss        of the evaluation, or of that of the incumbent
regret              loss above the optimum, where that is known
cost, overhead      of the evaluation; seconds of its proposal
origin              where the proposal comes from; for another library's search, the cell's method
status, message     whether it failed, and why

`core.experiment.old_columns` has the names of these columns in files of before there was one experiment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from torch import Tensor

from core.experiment import provenance
from core.experiment.context import Context
from core.experiment.finished import PROPOSALS, unfinished_file
from core.experiment.search_settings import Course, Search
from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.tasks import Task
from core.objectives.base import Objective
from core.optimizers.base import Optimizer
from core.optimizers.fidelities import configurations_of, initial_evaluations
from core.optimizers.policy import Policy, uniform_points
from core.spaces import CubeEncoding
from core.study.lockstep import Histories, KeptProposals, run_in_lockstep
from core.study.record import Record, incumbents, recommended, recommends
from core.study.simulated import simulate
from core.study.trace import Trace
from core.tabular.analysis import finite_errors
from core.tabular.benchmark import POSITION, TabularBenchmark

Values = Callable[[Sequence[Mapping[str, Any]]], NDArray[np.float64]]
"""A number for each of some configurations, (n,)."""


@dataclass(frozen=True)
class Searches:
    """What the repetitions of a shard did.

    Attributes:
        method: Name of the cell's method.
        objective: What was optimized.
        numbers: Numbers of the repetitions.
        records: Records of each, in the order of their results.
        histories: The same with the points, where the repetitions advanced in lockstep.
    """

    method: str
    objective: Objective
    numbers: range
    records: Sequence[Sequence[Record]]
    histories: Histories | None = None

    def evaluations(self, configurations: bool = False) -> pd.DataFrame:
        """A row for each evaluation, in the order in which they ended.

        Args:
            configurations: Whether the columns are more: `finished`, `budget` if there is a fidelity, and one for each
                hyperparameter.
        """
        trace = Trace.of(self.records, self.numbers, self._last)
        rows, optimum = trace.evaluations(), self.objective.optimum
        if optimum is not None:
            rows.insert(3, "regret", rows["loss"] - optimum)
        if configurations:
            more = ["finished"] if self.objective.fidelity is None else ["finished", "budget"]
            hyperparameters = pd.DataFrame(list(trace.frame["configuration"]))
            return pd.concat([rows, trace.frame[more], hyperparameters], axis=1)
        return rows if self.histories is not None else rows.assign(origin=self.method)

    def incumbents(
        self,
        column: str = "regret",
        value: Values | None = None,
        *,
        on_all: bool = False,
        with_proposals: bool = False,
    ) -> pd.DataFrame:
        """A row for each new incumbent, and one that repeats the last at the end of the run.

        The incumbent is the method's own. Methods that recommend a configuration note it when they propose the next
        one, and it counts from then on. Of the others it is the evaluation with the smallest loss, of those on no
        smaller budget.

        Args:
            value: Function for another value of configurations, the `column` of that name: their regret without noise,
                or their error when they are trained on all of the data, which is determined apart from the search.
            on_all: Whether the incumbent of a method that recommends none must have been evaluated on the largest
                budget.
            with_proposals: Whether the clock counts the seconds of proposals as well, the initial design included
                (thesis 4.5). Its parts are then the columns `evaluation_seconds` and `proposal_seconds`.

        Raises:
            UserError: a run ended before it had an incumbent.
            ValueError: every evaluation of a run failed.
        """
        largest = self.objective.fidelity.maximum
        last = self._last or [None] * len(self.records)
        frames = [
            steps(records, end, largest, on_all, with_proposals, column, value).assign(run=run)
            for run, records, end in zip(self.numbers, self.records, last, strict=True)
        ]
        return pd.concat(frames, ignore_index=True)

    @property
    def _last(self) -> Sequence[int] | None:
        return None if self.histories is None else self.histories.recommended


def search(
    context: Context[Search], objective: Objective, earlier: Sequence[Task] = (), policy: Policy | None = None
) -> Searches:
    """Run a shard's repetitions.

    Args:
        earlier: Known evaluations of other tasks, for a method that learns from them.
        policy: Policy that proposes points in lockstep; by default that of the cell's method.
    """
    largest = None if objective.fidelity is None else objective.fidelity.maximum
    course = context.settings.course(largest)
    if course.initial is None:
        records = list(one_by_one(context, objective, course))
        return Searches(context.method, objective, context.runs, records)
    histories = in_lockstep(context, objective, course, earlier, policy)
    return Searches(context.method, objective, context.runs, histories.records, histories)


def in_lockstep(
    context: Context[Search],
    objective: Objective,
    course: Course,
    earlier: Sequence[Task] = (),
    policy: Policy | None = None,
) -> Histories:
    """The repetitions in lockstep; with a fidelity, each initial point is evaluated as the policy's encoding says."""
    if policy is None:
        method, fidelity = context.settings.method, objective.fidelity
        budgets = (fidelity.minimum, fidelity.maximum) if method.needs_budgets and fidelity is not None else None
        method.check_budgets(budgets)
        policy = method.policy(CubeEncoding(objective.space), context.device, budgets, earlier)
    points = initial_design(context, configurations_of(policy.encoding), course.initial)
    design = initial_evaluations(policy.encoding, points)
    return run_in_lockstep(
        objective,
        policy,
        design,
        make_generators(context.method_seeds("optimizer"), context.device),
        course.evaluations,
        objective_generators(context),
        context.progress,
        kept_proposals(context, design.tolist(), course.evaluations),
    )


def one_by_one(context: Context[Search], objective: Objective, course: Course) -> Iterator[list[Record]]:
    """The records of the repetitions one after the other, each on a clock of its own."""
    seeds = context.method_seeds("optimizer")
    for done, (seed, noise) in enumerate(zip(seeds, objective_generators(context), strict=True)):
        optimizer = make_optimizer(context.settings, objective, course, seed)
        progress = context.progress_of(done)
        most = None if optimizer.ends else course.evaluations
        yield simulate(optimizer, objective, course.workers, noise, course.until, most, progress)
        progress(1.0)  # an optimizer that ends by itself has no limit to measure progress by


def make_optimizer(settings: Search, objective: Objective, course: Course, seed: int) -> Optimizer:
    """The optimizer of a repetition."""
    method, fidelity, budgets = settings.method, objective.fidelity, None
    if method.needs_budgets:
        budgets = (fidelity.minimum if course.smallest is None else course.smallest, fidelity.maximum)
    planned = {} if course.planned is None else {"evaluations": course.planned}
    return method.build(objective.space, seed, budgets, **planned)


def kept_proposals(context: Context, start: Sequence[Any], evaluations: int) -> KeptProposals | None:
    """Where a shard's proposals are kept, for the same commit, settings and kind of device; None if it is not known.

    Args:
        start: What tells this search from others of the shard, such as its initial design.
        evaluations: Number of evaluations.
    """
    if not provenance.is_known(context.commits):
        return None
    cell, kind = context.cell, context.device.partition(":")[0]
    digest = hashlib.sha256(repr(start).encode()).hexdigest()
    key = " ".join([context.commits, cell.settings_hash, kind, str(context.runs), str(evaluations), digest])
    return KeptProposals(unfinished_file(cell, context.runs, context.root, PROPOSALS), key, context.resumed)


def initial_design(context: Context, encoding: CubeEncoding, n: int) -> Tensor:
    """n uniform points per repetition, (runs, n, d), the same for all methods."""
    points = uniform_points(encoding, n, make_generators(context.shared_seeds("initial design")))
    return points.to(context.device)  # drawn on the CPU: generators of other devices have other numbers


def objective_generators(context: Context) -> list[np.random.Generator]:
    """The generators that the objective draws from in each repetition, the same for all methods."""
    return [np.random.default_rng(seed) for seed in context.shared_seeds("objective")]


def steps(
    records: Sequence[Record],
    last: int | None,
    largest: float,
    on_all: bool = False,
    with_proposals: bool = False,
    column: str = "regret",
    value: Values | None = None,
) -> pd.DataFrame:
    """The rows of one run, without `run`; see `Searches.incumbents`.

    Args:
        last: The trial that the method finally recommends, if any.
        largest: Largest budget of the objective.
    """
    chosen, known = _incumbents(records, last, largest, on_all)
    kept = np.flatnonzero(np.r_[True, chosen[1:] != chosen[:-1]])
    known_after = np.arange(len(records))[-len(chosen) :][np.r_[kept, len(chosen) - 1]]  # evaluations, less one
    by = [records[place] for place in chosen[kept]]
    columns: dict[str, Any] = {
        "evaluation": known_after + 1,
        "finished": np.array([record.finished for record in records])[known_after],
        "budget": [largest if record.budget is None else record.budget for record in by],
        "loss": [record.loss for record in by],
    }
    if value is not None:
        columns[column] = np.asarray(value([record.configuration for record in by]))
    for name in list(columns)[2:]:
        columns[name] = np.r_[columns[name], columns[name][-1]]
    if with_proposals:
        costs, overheads = (np.cumsum([getattr(record, name) for record in records]) for name in ("cost", "overhead"))
        proposals = overheads[np.minimum(known_after + known, len(records) - 1)]
        columns |= {"evaluation_seconds": costs[known_after], "proposal_seconds": proposals}
        columns["finished"] = costs[known_after] + proposals
    return pd.DataFrame(columns)


def _incumbents(
    records: Sequence[Record], last: int | None, largest: float, on_all: bool
) -> tuple[NDArray[np.int64], int]:
    """The place of the incumbent among the records after each evaluation, from the first evaluation that has one.

    Also the number of proposals until it is known: 1 if it is determined when the next proposal is made.
    """
    if not records:
        raise UserError("a run has ended before its first evaluation; allowed: more evaluations or time")
    if last is not None or recommends(records):
        places = {record.number: place for place, record in enumerate(records)}
        return np.array([places[number] for number in recommended(records, last)]), 1
    counted = [record for record in records if not on_all or record.budget in (None, largest)]
    changes = {record.number for record in incumbents(counted)}
    chosen = np.maximum.accumulate([place if record.number in changes else -1 for place, record in enumerate(records)])
    if chosen[-1] >= 0:
        return chosen[chosen >= 0], 0
    if all(record.failure for record in records):
        raise ValueError(f"all {len(records)} evaluations of a run failed: there is no incumbent")
    raise UserError(f"a run of {len(records)} evaluations has no incumbent; allowed: more evaluations or time")


def on_table(searches: Searches) -> pd.DataFrame:
    """The evaluations on a table of trained networks that changed a run's incumbent, and the last of each run.

    The incumbent has the smallest loss that was seen on any budget, see `core.report.runs.trajectories`. Its regret is
    by the average test error, or where a table has none, by the average validation error. For one with a repetition
    that diverged, whose average error is infinite, it is that of the largest finite error of the table. These are
    steps, so that a run of thousands of evaluations takes a few dozen rows.

    Returns:
        run, evaluation, finished, loss and regret.

    Raises:
        ValueError: every evaluation of a run failed.
    """
    benchmark = searches.objective
    assert isinstance(benchmark, TabularBenchmark)
    regret = finite_errors(benchmark.table.mean_final) - benchmark.final_optimum
    frames = []
    for run, records in zip(searches.numbers, searches.records, strict=True):
        losses = np.array([np.inf if record.failure else record.loss for record in records])
        if not np.isfinite(losses).any():
            raise ValueError(f"all {len(records)} evaluations of a run failed: there is no incumbent")
        changes = np.flatnonzero(losses < np.r_[np.inf, np.minimum.accumulate(losses)[:-1]])
        shown = np.union1d(changes, len(records) - 1)
        by = [records[place] for place in changes[np.searchsorted(changes, shown, side="right") - 1]]
        columns = {
            "run": run,
            "evaluation": shown + 1,
            "finished": [records[place].finished for place in shown],
            "loss": [record.loss for record in by],
            "regret": regret[[record.info[POSITION] for record in by]],
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def improvements(records: pd.DataFrame) -> pd.DataFrame:
    """The evaluations with a smaller loss than all earlier ones of their run, those that failed, and each run's last.

    A record of these is a tenth of the size, and enough wherever incumbents alone are drawn.
    """
    losses = records.groupby("run", sort=False)["loss"]
    best_before = losses.cummin().groupby(records["run"], sort=False).shift(fill_value=np.inf)
    last = ~records["run"].duplicated(keep="last")
    return records[(records["loss"] < best_before) | (records["status"] == "failed") | last].reset_index(drop=True)


def rows_of_search(runs: range, values: dict[str, Tensor]) -> pd.DataFrame:
    """One row for each run and evaluation (from 1), in order, with values (runs, n) as columns.

    This is for searches whose objectives are batched over runs, each with a task of its own.
    """
    count, n = next(iter(values.values())).shape
    numbers = {"run": np.repeat(np.asarray(runs), n), "evaluation": np.tile(np.arange(1, n + 1), count)}
    return pd.DataFrame(numbers | {name: part.cpu().numpy().ravel() for name, part in values.items()})
