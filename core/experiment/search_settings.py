"""Settings of cells that optimize, and of what belongs to them: names, types, ranges. Does not import torch, since the
Snakefile reads it.

`Search` is the base. Its kinds differ in how a run starts and in what ends it, which each says by its `course`; what a
run is made of is the same for all, see `core.experiment.search`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.experiment.settings import Settings, require_ends
from core.study.methods import METHODS, SingleBudgetMethod, one_of

INITIAL = "initial_design"


@dataclass(frozen=True)
class Course:
    """How the repetitions of a cell go.

    Attributes:
        evaluations: Number of evaluations in a run of a method that does not end by itself; None if the clock ends it.
        initial: In lockstep, the number of initial points, which are the same for all methods; None if repetitions run
            one after the other, each from the start that its method makes.
        planned: Number of evaluations that the method is told to plan with.
        smallest: Smallest budget; None for that of the objective.
        until: Time on the run's clock after which no evaluation starts; None for no limit.
        workers: Number of simulated workers, each busy for the cost of its evaluation.
    """

    evaluations: int | None
    initial: int | None = None
    planned: int | None = None
    smallest: float | None = None
    until: float | None = None
    workers: int = 1


class Search(Settings):
    """Base of the settings of every cell that optimizes; each kind has a field `method`."""

    def course(self, largest: float | None) -> Course:
        """How the repetitions go.

        Args:
            largest: Largest budget of the objective; None if it has no fidelity.
        """
        raise NotImplementedError


class SharedStart(Search):
    """Base of the settings of a search whose runs start from the same points whatever the method.

    Attributes:
        method: Method with its settings.
        evaluations: Number of evaluations per run.
        initial_design: Number of initial points, which are uniform. It is also the method's setting of that name; null
            for a method that does not run in lockstep, such as "optuna_tpe", and makes its own start.
    """

    method: SingleBudgetMethod
    evaluations: PositiveInt
    initial_design: NonNegativeInt | None

    @model_validator(mode="before")
    @classmethod
    def _method_has_it_too(cls, value: Any) -> Any:
        method = value.get("method") if isinstance(value, Mapping) else None
        given = {"method": method} if isinstance(method, str) else method
        kind = METHODS.get(given.get("method")) if isinstance(given, Mapping) else None
        shared = value.get(INITIAL, cls.model_fields[INITIAL].default) if kind is not None else None
        if shared is None or not kind.in_lockstep or INITIAL not in kind.names():
            return value
        return {**value, "method": {INITIAL: shared, **given}}

    @model_validator(mode="after")
    def _start_together(self) -> SharedStart:
        method, shared = self.method, self.initial_design
        if method.in_lockstep == (shared is None):
            allowed = "a number" if method.in_lockstep else "null, since it starts by itself"
            raise ValueError(f"initial_design = {shared} with method {method.method!r}; allowed: {allowed}")
        if method.in_lockstep and method.own.get(INITIAL, shared) != shared:
            raise ValueError(f"method.initial_design = {method.initial_points}; allowed: {shared}, the experiment's")
        return self

    def course(self, largest: float | None) -> Course:
        return Course(self.evaluations, self.initial_design, planned=self.evaluations)


class Optimization(SharedStart):
    """Repetitions of one method on one objective."""

    initial_design: NonNegativeInt | None = 2


class ParallelSearch(Optimization):
    """Repetitions of one method whose evaluations run side by side, on a clock that counts what they cost.

    Attributes:
        workers: Number of evaluations that are made at a time.
    """

    workers: PositiveInt

    def course(self, largest: float | None) -> Course:
        return Course(self.evaluations, planned=self.evaluations, workers=self.workers)


TimedMethod = one_of("random", "gp", "gp_mcmc", "entropy_search", "mtbo", "fabolas", "hyperband", "bohb")


class TimedSearch(Search):
    """Repetitions of one method on one objective with a share of the data as its fidelity.

    Attributes:
        method: Method with its settings.
        evaluations: Number of evaluations in a run; null for Hyperband and BOHB.
        seconds: Time at which a run of Hyperband or BOHB ends, by the costs of its evaluations; null for other methods.
    """

    method: TimedMethod
    evaluations: PositiveInt | None = None
    seconds: PositiveFloat | None = None

    @model_validator(mode="after")
    def _ends(self) -> TimedSearch:
        given = {"evaluations": self.evaluations, "seconds": self.seconds}
        require_ends(self.method.method, given, ["evaluations" if self.method.in_lockstep else "seconds"])
        return self

    def course(self, largest: float | None) -> Course:
        start = self.method.initial_points if self.method.in_lockstep else None
        return Course(self.evaluations, start, until=self.seconds)


BANDITS = ("hyperband", "hyperband_lcnet", "bohb")
SINGLE_BUDGET = ("random", "smac", "tpe", "differential_evolution", "regularized_evolution", "reinforce")
TableMethod = one_of(*SINGLE_BUDGET, *BANDITS)


class TableSearch(Search):
    """Repetitions of one method on a table of trained networks, one after the other.

    Attributes:
        method: Method with its settings. Hyperband and BOHB need a number of `brackets`, after which a run ends.
        evaluations: Number of evaluations in a run of another method, which SMAC also plans with; null for Hyperband
            and BOHB.
        minimum_budget: Smallest budget of Hyperband and BOHB; null for other methods. The largest budget is the table's
            number of epochs.
    """

    method: TableMethod
    evaluations: PositiveInt | None = None
    minimum_budget: PositiveFloat | None = None

    @model_validator(mode="after")
    def _ends(self) -> TableSearch:
        brackets = self.method.own.get("brackets")
        given = {"evaluations": self.evaluations, "minimum_budget": self.minimum_budget, "method.brackets": brackets}
        needed = ["minimum_budget", "method.brackets"] if self.method.needs_budgets else ["evaluations"]
        require_ends(self.method.method, given, needed)
        return self

    def course(self, largest: float | None) -> Course:
        return Course(self.evaluations, planned=self.evaluations, smallest=self.minimum_budget)


SimulatedMethod = one_of("random", "tpe", "smac", "gp_mcmc", *BANDITS)
ROUNDING = 1e-9  # relative: costs that sum to the end of the run up to rounding still count


class SimulatedSearch(Search):
    """Repetitions of one method on one objective with a fidelity, on a clock that counts evaluations on all budget.

    Attributes:
        method: Method with its settings. "smac" needs envs/requirements-smac.txt; "gp_mcmc" makes one evaluation after
            the other. Both, and "random" and "tpe", evaluate on the largest budget only.
        full_evaluations: Number of times the largest budget after which the clock stops; null for a bandit (Hyperband,
            with LC-Net or without, or BOHB) with a number of `brackets`, after which its run ends.
        workers: Number of workers that evaluate side by side.
    """

    method: SimulatedMethod
    full_evaluations: PositiveFloat | None = None
    workers: PositiveInt = 1

    @model_validator(mode="after")
    def _ends(self) -> SimulatedSearch:
        method, full = self.method, self.full_evaluations
        if (full is None) == (method.own.get("brackets") is None):
            raise ValueError(f"full_evaluations = {full}: give it or, to {', '.join(BANDITS)}, method.brackets")
        if not method.needs_budgets and full < 1:
            raise ValueError(f"full_evaluations = {full}: method {method.method!r} needs at least 1")
        if method.method == "gp_mcmc" and self.workers != 1:
            raise ValueError(f"workers = {self.workers}: method 'gp_mcmc' has 1")
        if method.method == "gp_mcmc" and full % 1:
            raise ValueError(f"full_evaluations = {full}: method 'gp_mcmc' has a whole number of them")
        return self

    def course(self, largest: float | None) -> Course:
        full = self.full_evaluations
        if self.method.method == "gp_mcmc":
            return Course(int(full), self.method.initial_points)
        until = None if full is None else full * largest * (1 + ROUNDING)
        return Course(None, planned=round(full or 1), until=until, workers=self.workers)


class Suggestions(Settings):
    """Processor seconds of one suggestion, for more and more observations until one takes longer than `longest`.

    Attributes:
        method: Method with a model, and its settings.
        observations: Numbers of observations in ascending order.
        longest: Longest time of a suggestion, in seconds of one thread.
        warm_up: Number of observations behind a first suggestion, which is not recorded.
    """

    method: SingleBudgetMethod
    observations: Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
    longest: PositiveFloat
    warm_up: PositiveInt = 10

    @model_validator(mode="after")
    def _ascending(self) -> Suggestions:
        if list(self.observations) != sorted(set(self.observations)):
            raise ValueError(f"observations = {self.observations} must be ascending")
        return self


class ImageTask(Settings):
    """Images in three parts, and for how long networks train on them.

    Attributes:
        images: Name of the set in the catalogue.
        size: Number of pixels in a row to which images are resized; null leaves them as they are.
        train_images, validation_images, test_images: Numbers of images; null for what `core.vision.data` takes.
        epochs: Number of epochs, or the largest one.
    """

    images: str
    size: PositiveInt | None = None
    train_images: PositiveInt | None = None
    validation_images: PositiveInt | None = None
    test_images: PositiveInt | None = None
    epochs: PositiveInt
