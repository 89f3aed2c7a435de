"""Settings that Bayesian optimization shares for all models: the acquisition function and its maximization."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import NonNegativeInt, PositiveInt

from core.foundation.errors import UserError
from core.foundation.strict import AddedLater
from core.study.methods.settings import Budgets, MethodSettings

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.optimizers.base import Optimizer
    from core.optimizers.model_based import Fittable
    from core.optimizers.policy import Policy
    from core.spaces import CubeEncoding

LEAST_POINTS, POINTS_PER_DIMENSION, MOST_POINTS = 5, 2, 10
ASCENTS = 30  # steps of L-BFGS-B at the end of a search at several scales
Device = Any  # torch.device or its name; pydantic would import torch to check it


class ModelSettings(MethodSettings):
    """Base of Bayesian optimization with a model.

    Attributes:
        has_gradient: Whether the acquisition function of the model has a gradient.
        climbs: Whether a search at several scales ends with an ascent along that gradient.
        initial_with_earlier: Library's number of initial points if there are earlier tasks.
        acquisition: Acquisition function that the next point maximizes: expected or probability of improvement, the
            lower confidence bound, or a sample of the model.
        maximizer: Maximizer of the acquisition function: "multiscale" suits every space, as does "local_search", the
            papers'; "gradient" suits continuous ones, and "one_step" finite ones; "random_search", with 500 points, is
            the thesis' and the cheapest.
        generations: Maximum number of generations of differential evolution.
        polish: Whether differential evolution ends with an ascent by L-BFGS-B, if the model has a gradient.
        initial_design: Number of uniform points at the start of a run; None is a number that grows with the dimension
            (`initial_size`). The papers use 2, after which a model of several hyperparameters may consider one of them
            irrelevant and never explore it again.
        unseen: Whether no configuration of a finite space is proposed twice; without noise a second evaluation tells
            nothing new.
        unordered: Whether the model sees categories as unordered, and inactive hyperparameters as such
            (`core.optimizers.features`), rather than the coordinates of the unit cube.
        gaussian_targets: Whether the model sees losses on a scale on which they look Gaussian and none is an outlier
            (`core.optimizers.targets`).
    """

    in_lockstep: ClassVar[bool] = True
    has_gradient: ClassVar[bool] = True
    climbs: ClassVar[bool] = False
    initial_with_earlier: ClassVar[int] = 5

    acquisition: Literal["ei", "pi", "lcb", "thompson"] = "ei"
    maximizer: Literal[
        "multiscale", "gradient", "differential_evolution", "local_search", "one_step", "random_search"
    ] = "multiscale"
    generations: PositiveInt = 50
    polish: bool = False
    initial_design: NonNegativeInt | None = None
    unseen: Annotated[bool, AddedLater(False)] = True
    unordered: Annotated[bool, AddedLater(False)] = True
    gaussian_targets: Annotated[bool, AddedLater(False)] = True

    @property
    def initial_points(self) -> int:
        """The number of points in the initial design; raises UserError if it depends on the space."""
        if self.initial_design is None:
            raise UserError("initial_design is None, which depends on the space; allowed here: a number from 0")
        return self.initial_design

    def model(self, n: int, device: Device = "cpu") -> Fittable:
        """The model for n observations; a multi-task model takes earlier tasks as the argument `earlier`."""
        raise NotImplementedError

    def _policy(self, encoding: CubeEncoding, device: Device, budgets: Budgets | None, **given: Any) -> Policy:
        """Fit the model and maximize the acquisition function; raises as `policy_with`."""
        model = partial(self.model, device=device)  # the settings by which a saved state is recognized
        return self.policy_with(encoding, model, **given)

    def policy_with(self, encoding: CubeEncoding, model: Callable[..., Fittable], **given: Any) -> Policy:
        """Fit the model that is made for n observations, and with `given`, and maximize the acquisition function.

        Raises:
            UserError: maximizer "one_step" on a space with a continuous hyperparameter.
        """
        from core.acquisition.maximizers import (
            EvolutionarySearch,
            GradientAscent,
            MultiscaleSearch,
            OneStepSearch,
            RandomLocalSearch,
        )
        from core.optimizers.model_based import ModelBased

        make: dict[str, Callable[[], Any]] = {
            "multiscale": lambda: MultiscaleSearch(
                unordered=frozenset(encoding.cardinalities), ascents=ASCENTS if self.climbs else 0
            ),
            "gradient": GradientAscent,
            "differential_evolution": lambda: EvolutionarySearch(
                iterations=self.generations, polish=self.polish and self.has_gradient
            ),
            "local_search": RandomLocalSearch,
            "random_search": lambda: RandomLocalSearch(steps=0),
            "one_step": lambda: OneStepSearch.of(encoding),
        }
        return ModelBased(
            encoding,
            model,
            make[self.maximizer](),
            acquisition=self.acquisition,
            continues=self._continues(**given),
            unseen=self.unseen,
            unordered=self.unordered,
            gaussian_targets=self.gaussian_targets,
            **given,
        )

    def _continues(self, **given: Any) -> bool:
        """Whether the chains of a model made with `given` continue from one suggestion to the next."""
        return getattr(self, "warm_burn_in", None) is not None

    def _build(
        self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int, **given: Any
    ) -> Optimizer:
        from core.optimizers.bayesopt import BayesianOptimization
        from core.spaces import CubeEncoding

        encoding = CubeEncoding(space)
        initial = self.initial_design
        if initial is None:
            initial = self.initial_with_earlier if given.get("earlier") else initial_size(encoding.dimension)
        return BayesianOptimization(self.policy(encoding, **given), initial, seed)


def initial_size(dimension: int) -> int:
    """The library's number of initial points in a space of so many hyperparameters, from 5 to 10."""
    return min(max(LEAST_POINTS, POINTS_PER_DIMENSION * dimension), MOST_POINTS)
