"""Settings of the methods that maximize the information gain about the best configuration: entropy search, MTBO and
Fabolas.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, field_validator, model_validator

from core.foundation.errors import UserError, brief
from core.foundation.strict import AddedLater, OpenShare
from core.optimizers.settings import Budgets, MethodSettings

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.models.gaussian_process import MarginalisedGP
    from core.models.kernels import Basis
    from core.optimizers import InformationSearch
    from core.optimizers.base import Optimizer
    from core.optimizers.fidelities import FidelityEncoding
    from core.optimizers.policy import Policy
    from core.spaces import CubeEncoding


class InformationSettings(MethodSettings):
    """Base of entropy search, MTBO and Fabolas: `core.optimizers.information_search`.

    Attributes:
        hyperparameter_samples: Number of chains of the slice sampler, each of which gives one sample.
        burn_in: Number of sweeps of a chain before its sample.
        warm_burn_in: Number of sweeps before the sample of a chain that continues from the last suggestion; None starts
            new chains every time.
        representers: Number of points among which the minimum is assumed to lie.
        candidates: Number of configurations at which the acquisition function is evaluated before the best are refined.
        near_representers: Share of the points from which representers are drawn that lie around the recommendation.
            Without any, as in the authors' code, the minimum is sought among points that are far from it in all but a
            few dimensions.
        log_loss: Whether the logarithm of the loss is modelled, as in the authors' code; losses must be positive.
        initial_design: Number of uniform points at the start of a run. MTBO evaluates each on every auxiliary task,
            Fabolas on all `subsets`.
    """

    in_lockstep: ClassVar[bool] = True
    optimizer: ClassVar[str] = "BayesianOptimization"

    hyperparameter_samples: PositiveInt = 10
    burn_in: PositiveInt = 15
    warm_burn_in: NonNegativeInt | None = 5
    representers: Annotated[int, Field(ge=2)] = 50
    candidates: Annotated[int, Field(ge=25)] = 500
    near_representers: Annotated[float, Field(ge=0, lt=1), AddedLater(0.0)] = 0.5
    log_loss: bool = False
    initial_design: PositiveInt = 5

    @property
    def initial_points(self) -> int:
        """The number of points in the initial design."""
        return self.initial_design

    @property
    def suggestion_cost(self) -> float:
        """The cost of a suggestion, in addition to that of the evaluation."""
        return 0.0

    @property
    def confirms(self) -> bool:
        """Whether the last evaluation is that of the recommendation on the full data."""
        return False

    def _policy(self, encoding: CubeEncoding, device: Any, budgets: Budgets | None) -> Policy:
        """Model the loss, and the cost if there are budgets, and maximize the gain.

        Raises:
            UserError: budgets that are not shares of the data.
        """
        return self.search(encoding, device, budgets)

    def search(
        self, inner: CubeEncoding, device: Any, budgets: Budgets | None, confirmed: int | None = None
    ) -> InformationSearch:
        """The policy; of `confirmed` evaluations the last is that of its recommendation. Raises as `policy`."""
        from core.optimizers import InformationSearch

        self.check_budgets(budgets)
        return InformationSearch(self.encoding(inner, budgets), partial(self.model, device=device), self, confirmed)

    def encoding(self, inner: CubeEncoding, budgets: Budgets | None) -> FidelityEncoding:
        """The budgets on which evaluations are possible."""
        raise NotImplementedError

    def model(self, basis: Basis | None, device: Any = "cpu") -> MarginalisedGP:
        """The model of the loss or of the log cost."""
        from core.models.gaussian_process import MarginalisedGP

        return MarginalisedGP(
            chains=self.hyperparameter_samples,
            burn_in=self.burn_in,
            warm_burn_in=self.warm_burn_in or 0,
            device=device,
            basis=basis,
        )

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers import BayesianOptimization
        from core.spaces import CubeEncoding

        policy = self.search(CubeEncoding(space), "cpu", budgets, evaluations if self.confirms else None)
        optimizer = BayesianOptimization(policy, self.initial_design, seed)
        if self.confirms and evaluations <= (first := optimizer.first_evaluations):
            raise UserError(
                f"evaluations is {evaluations}, but the initial design of method {self.method!r} has {first}, and none "
                f"is left to confirm the recommendation; allowed: at least {first + 1}, or a smaller initial_design"
            )
        return optimizer


class EntropySearchSettings(InformationSettings):
    """Entropy search on the full data (thesis 4.1)."""

    method: Literal["entropy_search"] = "entropy_search"

    def encoding(self, inner: CubeEncoding, budgets: Budgets | None) -> FidelityEncoding:
        """The full data only."""
        from core.optimizers.fidelities import FullData

        return FullData(inner)


class SharesSettings(InformationSettings):
    """Base of MTBO and Fabolas, whose budgets are shares of the data.

    Attributes:
        overhead: Cost of a suggestion, in the unit of the costs that the function returns; it is added to the predicted
            cost of an evaluation. The default is roughly the second that a suggestion takes on one thread; where costs
            are not seconds, set the value of a second. The overhead is a constant so that a run can be repeated; thesis
            4.4.2 measures it.
        confirm: Whether the last of the evaluations that were asked for is that of the recommendation on the largest
            budget, so that its loss there is known. Such a run cannot be prolonged; one that ends early, by time or by
            a target, has no such evaluation.
    """

    needs_budgets: ClassVar[bool] = True

    overhead: NonNegativeFloat = 1.0
    confirm: Annotated[bool, AddedLater(False)] = False

    @property
    def suggestion_cost(self) -> float:
        """The overhead."""
        return self.overhead

    @property
    def confirms(self) -> bool:
        """Whether the last evaluation is that of the recommendation."""
        return self.confirm

    def required_budgets(self, budgets: Budgets | None) -> Budgets:
        """The budgets; raises UserError if they are missing or not shares of the data."""
        smallest, largest = budgets = super().required_budgets(budgets)
        if not 0 < smallest < largest <= 1:
            raise UserError(
                f"budgets are {brief(budgets)}, but method {self.method!r} evaluates on shares of the data; allowed: a "
                "smallest above 0 and a larger one, at most 1, such as (1 / 64, 1)"
            )
        return budgets


class MTBOSettings(SharesSettings):
    """Multi-task Bayesian optimization (Swersky et al. 2013; thesis 4.3.1).

    Attributes:
        overhead: Cost of a suggestion in the unit of the costs, see `SharesSettings`.
        auxiliary: Shares of the largest budget, one to three, that serve as tasks beside it.
    """

    method: Literal["mtbo"] = "mtbo"
    auxiliary: Annotated[tuple[OpenShare, ...], Field(min_length=1, max_length=3)] = (0.25,)

    @field_validator("auxiliary")
    @classmethod
    def _all_different(cls, shares: tuple[float, ...]) -> tuple[float, ...]:
        if len(set(shares)) < len(shares):
            raise ValueError("allowed: different shares")
        return shares

    def encoding(self, inner: CubeEncoding, budgets: Budgets | None) -> FidelityEncoding:
        """The largest budget and the auxiliary shares of it.

        Raises:
            UserError: an auxiliary share below the smallest budget.
        """
        from core.optimizers.fidelities import Tasks

        smallest, largest = self.required_budgets(budgets)
        if min(self.auxiliary) * largest < smallest * (1 - 1e-9):
            raise UserError(
                f"method 'mtbo': auxiliary = {self.auxiliary}, shares of the largest budget {largest:g}; allowed: at "
                f"least the smallest budget, {smallest:g}"
            )
        return Tasks(inner, largest, self.auxiliary, smallest)


class FabolasSettings(SharesSettings):
    """Fabolas (thesis 4.4).

    Attributes:
        overhead: Cost of a suggestion in the unit of the costs, see `SharesSettings`.
        subsets: Shares of the largest budget; None for 1/64, 1/32, 1/16 and 1/8 (4.4.3), or, if the smallest budget is
            larger than these, for four shares from the smallest budget to half way, in logarithms, to the largest.
        points_per_subset: Number of initial points on each of `subsets`, from the smallest on, as in the scripts of the
            authors' runs; `initial_design` in all. None evaluates each initial point on all subsets.
    """

    method: Literal["fabolas"] = "fabolas"
    initial_design: PositiveInt = 10
    subsets: Annotated[tuple[OpenShare, ...], Field(min_length=1)] | None = None
    points_per_subset: Annotated[tuple[PositiveInt, ...] | None, AddedLater(None)] = None

    @model_validator(mode="after")
    def _initial_points_on_subsets(self) -> FabolasSettings:
        points = self.points_per_subset
        if points is not None and (len(points) != len(self.subsets or ()) or sum(points) != self.initial_design):
            raise ValueError(
                f"points_per_subset = {points}; allowed: a number for each of the given subsets, "
                f"{self.initial_design} in all, which is initial_design"
            )
        return self

    def encoding(self, inner: CubeEncoding, budgets: Budgets | None) -> FidelityEncoding:
        """All shares between the budgets."""
        from core.optimizers.fidelities import SubsetSizes

        return SubsetSizes(
            inner, *self.required_budgets(budgets), subsets=self.subsets, points_per_subset=self.points_per_subset
        )
