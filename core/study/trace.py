"""The records of runs: one for each told trial, their incumbents, and one schema for all of them as a data frame.

run             which repetition
trial           its number, in the order of asking
configuration   a dictionary of values by name
budget          nan if there is none
loss            for a failed evaluation the benchmark's worst-case loss
cost            in the benchmark's own unit
started, finished, worker    on the clock of the run; which worker, from 0
overhead        seconds that the proposal took
origin          where the proposal comes from, "" if the optimizer does not say
status, message              "ok", "failed", "pruned" or "infeasible" (it violates a constraint), and why
recommended                  only for methods that recommend a configuration other than the best seen: the trial whose
                             configuration they recommend, from everything told so far

`frame_of` is the table of one search for people: a column a hyperparameter, and what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from ConfigSpace import ConfigurationSpace

from core.study.curves import at_times, time_to
from core.study.record import CONSTRAINTS, PRUNED, Record, places_of_incumbents, recommended, violated

if TYPE_CHECKING:  # takes a second to import
    import pandas as pd


OK, FAILED, INFEASIBLE = "ok", "failed", "infeasible"  # statuses
SCALARS = (bool, int, float, str)


@dataclass(frozen=True)
class Trace:
    """The evaluations of runs, and the times at which their incumbents changed.

    Attributes:
        frame: Data frame with one row per evaluation, in each run in the order of telling; this module lists its
            columns.
    """

    frame: pd.DataFrame

    @classmethod
    def of(
        cls,
        runs: Sequence[Sequence[Record]],
        numbers: Iterable[int] | None = None,
        last: Sequence[int | None] | None = None,
        successes: bool = False,
    ) -> Trace:
        """The trace of each run's records.

        Args:
            numbers: Numbers of the runs; 0, 1, .. unless given.
            last: Trial that each run recommends in the end, for a method that recommends configurations; None for a run
                that was not asked.
            successes: Whether recommended trials that failed are passed over, see `recommended`.
        """
        numbers = range(len(runs)) if numbers is None else numbers
        frame = trace_of([record for records in runs for record in records])
        if last is not None:
            recommendations = [recommended(run, end, successes) for run, end in zip(runs, last, strict=True)]
            frame["recommended"] = [trial for trials in recommendations for trial in trials]
        sizes = [len(records) for records in runs]
        frame.insert(0, "run", np.repeat(np.fromiter(numbers, dtype=np.int64), sizes))
        return cls(frame)

    def evaluations(self) -> pd.DataFrame:
        """The columns that cells record: run, evaluation (from 1), loss, cost, overhead, origin, status, message.

        Methods that recommend configurations add the budget, and `recommended`, the number of an evaluation.
        """
        columns = ["run", "loss", "cost", "overhead", "origin", "status", "message"]
        columns += ["budget", "recommended"] if "recommended" in self.frame else []
        frame = self.frame[columns].copy()
        frame.insert(1, "evaluation", frame.groupby("run").cumcount() + 1)
        return frame.assign(recommended=frame["recommended"] + 1) if "recommended" in frame else frame

    def incumbents(self) -> pd.DataFrame:
        """The rows of evaluations that became their run's incumbent, see the function `incumbents`.

        For methods that recommend configurations, the rows of the recommendations, in order; a row may occur again.
        """
        return self.frame.iloc[[place for rows, _ in self._runs() for place in rows]]

    def final(self) -> pd.DataFrame:
        """The row of each run's best evaluation, see the function `incumbent`; runs without a success have none.

        For methods that recommend configurations, the row of the last recommendation.
        """
        if "recommended" in self.frame:
            rows = self.frame.iloc[[places[-1] for places, _ in self._runs()]]
            return rows[rows["status"] == "ok"]
        frame = self.frame[self.frame["status"] == "ok"]
        order = frame.assign(budget=-frame["budget"].fillna(0)).sort_values(["budget", "loss", "finished", "trial"])
        best = order.drop_duplicates("run").index
        return self.frame.loc[best].sort_values("run")

    def at(self, times: Any) -> np.ndarray:
        """The incumbents' losses at times (m,) of the clock, (runs, m): nan before a run's first success."""
        times = np.atleast_1d(np.asarray(times, dtype=float))
        curves = [at_times(finished, loss, times) for finished, loss in self._curves()]
        return np.array(curves).reshape(-1, len(times))

    def time_to(self, level: float | np.ndarray) -> np.ndarray:
        """Time of each run's first loss of at most a level (one for all or one each), (runs,); inf if there is none."""
        curves = self._curves()
        levels = np.broadcast_to(level, len(curves))
        return np.array([float(time_to(loss, finished, each)) for each, (finished, loss) in zip(levels, curves)])

    def _runs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Positions in the frame of each run's incumbents and of what made them so, for the runs in ascending order.

        An evaluation makes itself the incumbent, unless the method recommends configurations.
        """
        frame = self.frame
        changes: list[tuple[np.ndarray, np.ndarray]] = []
        for rows in map(np.asarray, frame.groupby("run").indices.values()):
            if "recommended" in frame:
                changes.append(self._recommended(rows))
                continue
            loss, budget = (frame[name].to_numpy(float)[rows].tolist() for name in ("loss", "budget"))
            failed = (frame["status"].to_numpy()[rows] != "ok").tolist()
            budget = [0.0 if np.isnan(each) else each for each in budget]
            chosen = rows[places_of_incumbents(loss, budget, failed)]
            changes.append((chosen, chosen))
        return changes

    def _recommended(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same for one run of a method that recommends configurations."""
        trials, numbers = (self.frame[name].to_numpy()[rows] for name in ("recommended", "trial"))
        changes = np.flatnonzero(np.append(True, trials[1:] != trials[:-1]))
        place_of = dict(zip(numbers.tolist(), rows.tolist(), strict=True))
        return np.array([place_of[trial] for trial in trials[changes].tolist()]), rows[changes]

    def _curves(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The times from which each run had its incumbents, and their losses."""
        finished, loss = (self.frame[name].to_numpy(float) for name in ("finished", "loss"))
        return [(finished[since], loss[rows]) for rows, since in self._runs()]


def trace_of(records: Sequence[Record]) -> pd.DataFrame:
    """The records of one run as a data frame, one row each, in order; the columns of this module without `run`."""
    import pandas as pd

    return pd.DataFrame(
        {
            "trial": [record.number for record in records],
            "configuration": [dict(record.configuration) for record in records],
            "budget": [float("nan") if record.budget is None else record.budget for record in records],
            "loss": [record.loss for record in records],
            "cost": [record.cost for record in records],
            "started": [record.started for record in records],
            "finished": [record.finished for record in records],
            "worker": [record.worker for record in records],
            "overhead": [record.overhead for record in records],
            "origin": [record.notes.get("origin", "") for record in records],
            "status": [status[0] for status in map(status_of, records)],
            "message": [status[1] for status in map(status_of, records)],
        }
    )


def status_of(record: Record) -> tuple[str, str]:
    """The status of an evaluation, and what is to say about it."""
    if record.failure:
        return FAILED, record.failure
    if PRUNED in record.marks:
        return "pruned", f"pruned after step {record.marks[PRUNED]}"
    if names := violated(record):
        return INFEASIBLE, f"violates {', '.join(names)}"
    return OK, ""


def frame_of(records: Sequence[Record], space: ConfigurationSpace | None, maximize: bool) -> pd.DataFrame:
    """One row per evaluation, in the order in which results arrived.

    Columns: `trial`; the hyperparameters, an inactive one missing; `loss`, or `value` where values are maximized, nan
    for a failed evaluation; `cost`; `budget`, if there are any; constraints by name; other numbers and texts that the
    function returned; `status`, `message`, `origin`. The hyperparameters keep their names, then these columns do. What
    else would have one of them is "name (returned)".
    """
    import pandas as pd

    trace = trace_of(records)
    names = list(space) if space is not None else sorted({name for each in records for name in each.configuration})
    failed = trace["status"] == "failed"
    outcomes: dict[str, Any] = {
        "value" if maximize else "loss": (-trace["loss"] if maximize else trace["loss"]).mask(failed),
        "cost": trace["cost"],
    }
    if trace["budget"].notna().any():
        outcomes["budget"] = trace["budget"]
    ends = {name: trace[name] for name in ("status", "message", "origin")}
    own = {"trial", *outcomes, *ends}
    said = [{**record.marks.get(CONSTRAINTS, {}), **record.info} for record in records]
    for name in dict.fromkeys(name for info in said for name in info):
        values = [info.get(name) for info in said]
        if all(value is None or isinstance(value, SCALARS) for value in values):
            outcomes[f"{name} (returned)" if name in own else name] = values
    columns: dict[str, Any] = {} if "trial" in names else {"trial": trace["trial"]}
    for name in names:
        columns[name] = [record.configuration.get(name) for record in records]
    for name, values in {**outcomes, **ends}.items():
        while name in columns:
            name += " (returned)"
        columns[name] = values
    return pd.DataFrame(columns)
