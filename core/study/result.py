"""The result of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.extras import needed_for
from core.study.recommended import recommended, recommends
from core.study.record import Record, incumbent, incumbents
from core.study.trace import Trace, trace_of

if TYPE_CHECKING:  # both take seconds to import
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Result:
    """The evaluations of a search, and the best of them.

    Attributes:
        records: Records of the evaluations, in the order in which results arrived.
        last: Number of the trial recommended after the last record, for a method that recommends configurations; None
            if the method was not asked, in which case its last noted recommendation counts.
    """

    records: Sequence[Record]
    last: int | None = None

    @property
    def best(self) -> Record | None:
        """The successful evaluation with the smallest loss, on the largest budget that any success has.

        None if every evaluation failed. Losses on smaller budgets don't count: they belong to another function. If the
        method recommends a configuration by its predicted loss on the largest budget (entropy_search, fabolas, mtbo),
        this is the evaluation of that configuration, on any budget; if that evaluation failed, it is the one
        recommended before.
        """
        return None if all(record.failure for record in self.records) else self._best()

    def _best(self) -> Record:
        best = incumbent(self.records)  # raises if there is none
        if not self._recommends:
            return best
        *_, number = recommended(self.records, self.last, successes=True)
        return next(record for record in self.records if record.number == number)

    @property
    def _recommends(self) -> bool:
        return self.last is not None or recommends(self.records)

    @property
    def best_configuration(self) -> Mapping[str, Any]:
        """The configuration of `best`.

        Raises:
            UserError: every evaluation failed.
        """
        return self._best().configuration

    @property
    def best_loss(self) -> float:
        """The loss of `best`, as it was observed on the budget of that evaluation, `best.budget`.

        Fabolas and MTBO rarely evaluate on all of the data. Their `best_loss` is then the loss on a small share, and
        only the method's prediction says what to expect on all of the data. To know, evaluate `best_configuration`
        there.

        Raises:
            UserError: every evaluation failed.
        """
        return self._best().loss

    @property
    def trace(self) -> pd.DataFrame:
        """One row per evaluation, in the order in which results arrived; columns as in `core.study.trace`.

        Times are seconds of the run, `cost` is the seconds of an evaluation. The loss of a failed one is nan.
        """
        trace = trace_of(self.records)
        return trace.assign(loss=trace["loss"].where(trace["status"] == "ok"))

    @property
    def history(self) -> Trace:
        """The same as a `Trace`: the best loss at a time, the time to reach a loss, and all incumbents.

        If the method recommends configurations, the best at a time is its recommendation at that time, as in `best`.
        """
        return Trace.of([self.records], last=[self.last] if self._recommends else None, successes=True)

    def plot(self) -> Figure:
        """The loss of each evaluation and of the best so far, over the number of evaluations.

        With budgets, losses on smaller ones are drawn lighter, and the best so far never goes back to a smaller budget.
        If the method recommends configurations, the line shows the losses of its recommendations, on any budget. The
        figure belongs to pyplot: `plt.show()` shows it, `figure.savefig(path)` writes it.

        Raises:
            UserError: every evaluation failed.
        """
        with needed_for("plot"):
            from matplotlib import pyplot

        on_one_budget = self._best().budget is None  # raises if there is nothing to draw
        figure, axes = pyplot.subplots(figsize=(6.3, 3.4), layout="constrained")
        places = {record.number: place for place, record in enumerate(self.records, start=1)}
        successes = [record for record in self.records if not record.failure]
        largest = max(record.budget or 0.0 for record in successes)
        for full in (False, True):
            some = [record for record in successes if ((record.budget or 0.0) == largest) == full]
            if some:
                label = "evaluations" if on_one_budget else f"on budget {largest:g}" if full else "on less"
                numbers, losses = [places[record.number] for record in some], [record.loss for record in some]
                axes.plot(numbers, losses, ".", color="0.45" if full else "0.8", label=label)
        numbers, losses = self._steps(places)
        label = "recommended" if self._recommends else "best so far"
        axes.step([*numbers, len(self.records)], [*losses, losses[-1]], where="post", label=label)
        axes.set(xlabel="evaluations", ylabel="loss")
        axes.legend(frameon=False)
        return figure

    def _steps(self, places: Mapping[int, int]) -> tuple[list[int], list[float]]:
        """Numbers of evaluations after which the best changed, and its losses; `places` has each trial's place."""
        if not self._recommends:
            steps = incumbents(self.records)
            return [places[record.number] for record in steps], [record.loss for record in steps]
        losses = {record.number: record.loss for record in self.records if not record.failure}
        chosen = enumerate(recommended(self.records, self.last, successes=True), start=1)
        numbers, trials = zip(*((place, trial) for place, trial in chosen if trial in losses), strict=True)
        return list(numbers), [losses[trial] for trial in trials]

    def __repr__(self) -> str:
        failed = sum(bool(record.failure) for record in self.records)
        count = f"{len(self.records)} evaluations" + (f", {failed} failed" if failed else "")
        if self.best is None:
            return f"Result({count})"
        budget = "" if self.best.budget is None else f" on budget {self.best.budget:g}"
        return f"Result({count}, best loss {self.best.loss:.6g}{budget} at {dict(self.best.configuration)})"
