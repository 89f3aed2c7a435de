"""The result of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from ConfigSpace import ConfigurationSpace

from core.foundation.errors import UserError
from core.foundation.installation import needed_for
from core.study.record import Record, counts, incumbent, incumbents, recommended, recommends
from core.study.trace import Trace, trace_of

if TYPE_CHECKING:  # these take seconds to import
    import optuna
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Result:
    """The evaluations of a search, and the best of them.

    Attributes:
        records: Records of the evaluations, in the order in which results arrived.
        last: Number of the trial recommended after the last record, for a method that recommends configurations; None
            if the method was not asked, in which case its last noted recommendation counts.
        space: Space of the configurations.
        maximize: Whether the function's values were maximized; losses are then minus the values.
        stopped: What ended the search: "evaluations", "seconds", "target", "callback", "method" if that has finished,
            or "interrupted"; empty while it goes on.
    """

    records: Sequence[Record]
    last: int | None = None
    _: KW_ONLY
    space: ConfigurationSpace | None = None
    maximize: bool = False
    stopped: str = ""

    @property
    def best(self) -> Record | None:
        """The successful evaluation with the smallest loss, on the largest budget that any success has.

        An evaluation that was pruned or violates a constraint does not count. None if no evaluation counts. Losses on
        smaller budgets don't count: they belong to another function. If the method recommends a configuration by its
        predicted loss on the largest budget (entropy_search, fabolas, mtbo), this is the evaluation of that
        configuration on the largest budget on which there is one; if none counts, that of the one recommended before.
        """
        return self._best() if any(map(counts, self.records)) else None

    def _best(self) -> Record:
        best = incumbent(self.records)  # raises if there is none
        if not self._recommends:
            return best
        *_, number = recommended(self.records, self.last, successes=True)
        chosen = next(record for record in self.records if record.number == number)
        same = [other for other in self.records if counts(other) and other.configuration == chosen.configuration]
        return max(same, key=lambda other: other.budget or 0.0, default=chosen)

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
        only the method's prediction says what to expect on all of the data. To know, let them `confirm` it, as in
        {"method": "fabolas", "confirm": True}: then their last evaluation is of the recommendation there.

        Raises:
            UserError: every evaluation failed.
        """
        return self._best().loss

    @property
    def best_value(self) -> float:
        """The same as the function returned it: with `maximize` minus the loss.

        Raises:
            UserError: every evaluation failed.
        """
        return -self.best_loss if self.maximize else self.best_loss

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

    @property
    def frame(self) -> pd.DataFrame:
        """One row per evaluation, one column per hyperparameter, and what came of it; see `core.study.trace`."""
        from core.study.trace import frame_of

        return frame_of(self.records, self.space, self.maximize)

    def importance(self, order: int = 2) -> pd.DataFrame:
        """Which hyperparameters, and with order 2 which pairs of them, the loss depends on: `core.study.importance`."""
        from core.study.importance import importances_of

        return importances_of(self.records, self._known_space(), order)

    def to_optuna(self) -> optuna.Study:
        """The search as a study of Optuna, see `core.study.in_optuna`; raises UserError if Optuna is not installed."""
        from core.study.in_optuna import study_of

        return study_of(self.records, self._known_space(), self.maximize)

    def plot_parallel(self) -> Figure:
        """All configurations as lines in parallel coordinates, see `core.study.plots`; raises as `plot`."""
        from core.study.plots import parallel

        return parallel(self.records, self._known_space(), self.maximize)

    def plot_slices(self) -> Figure:
        """The losses over each hyperparameter, see `core.study.plots`; raises as `plot`."""
        from core.study.plots import slices

        return slices(self.records, self._known_space(), self.maximize)

    def plot_importance(self) -> Figure:
        """The importances as bars; raises UserError if there are too few evaluations for them."""
        from core.study.plots import importance

        return importance(self.records, self._known_space())

    def _known_space(self) -> ConfigurationSpace:
        if self.space is None:
            raise UserError("this result has no space; allowed: one of minimize, or Result(records, space=space)")
        return self.space

    def plot(self) -> Figure:
        """The loss of each evaluation and of the best so far, over the number of evaluations.

        With budgets, losses on smaller ones are drawn lighter, and the best so far never goes back to a smaller budget.
        If the method recommends configurations, the line shows the losses of its recommendations, on any budget. The
        figure belongs to pyplot: `plt.show()` shows it, `figure.savefig(path)` writes it.

        Raises:
            UserError: every evaluation failed.
        """
        with needed_for("a figure"):
            from matplotlib import pyplot

        on_one_budget = self._best().budget is None  # raises if there is nothing to draw
        figure, axes = pyplot.subplots(figsize=(6.3, 3.4), layout="constrained")
        places = {record.number: place for place, record in enumerate(self.records, start=1)}
        successes = [record for record in self.records if counts(record)]
        largest, sign = max(record.budget or 0.0 for record in successes), -1 if self.maximize else 1
        for full in (False, True):
            some = [record for record in successes if ((record.budget or 0.0) == largest) == full]
            if some:
                label = "evaluations" if on_one_budget else f"on budget {largest:g}" if full else "on less"
                numbers = [places[record.number] for record in some]
                losses = [sign * record.loss for record in some]
                axes.plot(numbers, losses, ".", color="0.45" if full else "0.8", label=label)
        numbers, losses = self._steps(places)
        label = "recommended" if self._recommends else "best so far"
        best = [sign * loss for loss in [*losses, losses[-1]]]
        axes.step([*numbers, len(self.records)], best, where="post", label=label)
        axes.set(xlabel="evaluations", ylabel="value" if self.maximize else "loss")
        axes.legend(frameon=False)
        return figure

    def _steps(self, places: Mapping[int, int]) -> tuple[list[int], list[float]]:
        """Numbers of evaluations after which the best changed, and its losses; `places` has each trial's place."""
        if not self._recommends:
            steps = incumbents(self.records)
            return [places[record.number] for record in steps], [record.loss for record in steps]
        losses = {record.number: record.loss for record in self.records if counts(record)}
        chosen = enumerate(recommended(self.records, self.last, successes=True), start=1)
        numbers, trials = zip(*((place, trial) for place, trial in chosen if trial in losses), strict=True)
        return list(numbers), [losses[trial] for trial in trials]

    def __repr__(self) -> str:
        failed = sum(bool(record.failure) for record in self.records)
        count = f"{len(self.records)} evaluations" + (f", {failed} failed" if failed else "")
        if self.best is None:
            return f"Result({count})"
        budget = "" if self.best.budget is None else f" on budget {self.best.budget:g}"
        what = "value" if self.maximize else "loss"
        return f"Result({count}, best {what} {self.best_value:.6g}{budget} at {dict(self.best.configuration)})"
