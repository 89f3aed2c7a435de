"""Settings of the searches that no model of the loss guides: evolution strategies, evolution, and a learned policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from core.study.methods.settings import Budgets, MethodSettings, Share, numpy_generator

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

    from core.optimizers.base import Optimizer


class CMAESSettings(MethodSettings):
    """CMA-ES: `core.optimizers.cmaes`."""

    method: Literal["cmaes"] = "cmaes"
    sigma: Annotated[float, Field(gt=0, le=1)] = 0.25
    population: Annotated[int, Field(ge=3)] | None = None

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.cmaes import CMAES

        return CMAES(space, numpy_generator(seed), **self.own)


class DifferentialEvolutionSettings(MethodSettings):
    """Differential evolution: `core.optimizers.differential_evolution`."""

    method: Literal["differential_evolution"] = "differential_evolution"
    population: Annotated[int, Field(ge=4)] = 20
    crossover: Share = 0.7
    mutation: tuple[PositiveFloat, PositiveFloat] = (0.5, 1.0)

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.differential_evolution import DifferentialEvolution

        return DifferentialEvolution(space, numpy_generator(seed), **self.own)


class RegularizedEvolutionSettings(MethodSettings):
    """Regularized evolution: `core.optimizers.regularized_evolution`."""

    method: Literal["regularized_evolution"] = "regularized_evolution"
    population: PositiveInt = 100
    tournament: PositiveInt = 10

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.regularized_evolution import RegularizedEvolution

        return RegularizedEvolution(space, numpy_generator(seed), **self.own)


class ReinforceSettings(MethodSettings):
    """REINFORCE over the values of each hyperparameter, which must be finitely many: `core.optimizers.reinforce`."""

    method: Literal["reinforce"] = "reinforce"
    learning_rate: PositiveFloat = 0.1
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.9
    largest_loss: Annotated[float, Field(allow_inf_nan=False)] | None = None

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers.reinforce import Reinforce

        return Reinforce(space, numpy_generator(seed), **self.own)
