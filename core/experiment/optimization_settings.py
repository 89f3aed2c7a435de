"""Settings of a cell that optimizes: names, types, ranges. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from core.experiment.settings import AddedLater, Settings
from core.study.settings import Initialisation, WeightPriorName

if TYPE_CHECKING:
    from core.study.settings import MethodSettings

WithoutModel = Literal["random", "optuna_tpe", "smac", "cmaes", "differential_evolution"]


class Optimization(Settings):
    """Repetitions of one optimizer on one objective, one row per evaluation; see `core.experiment.optimization`.

    Attributes:
        optimizer: a method of `core.study.methods`. Bayesian optimization is named by its model: "gp" (hyperparameters
            by marginal likelihood), "gp_mcmc" (integrated out), "gp_warped" (integrated out, inputs warped), "rf"
            (random forest), "dngo" and "bohamiann"; the others have none ("smac" needs envs/requirements-smac.txt).
        maximizer: how the acquisition function is maximized.
        generations: maximum number of generations of differential evolution.
        polish: end it with an ascent by L-BFGS-B, as SciPy's does and the authors' code with it.
        evaluations: number per run.
        initial_design: number of uniform points at the start of a run.
        widths: units of the hidden layers of the networks.
        burn_in_per_point, chain_steps, samples: BOHAMIANN's burn-in grows with the data; `chain_steps` steps follow it,
            from which `samples` are kept at equal distances.
        most_steps: limit on the chain of a suggestion, burn-in and sampling in proportion.
        warm_burn_in: steps of burn-in of a chain that continues the last suggestion's; null burns in from scratch, as
            the papers do.
        trees: number of trees in the forest.
        hyperparameter_samples: chains of the slice sampler if hyperparameters are integrated out, one sample each.
        variant, updates: of DNGO, see `core.study.bayesian.DNGOSettings`.
        scale_targets: of "gp_mcmc" and "gp_warped", see `core.study.bayesian.IntegratedGPSettings`.
        initialisation, weight_prior, raise_friction, noise_correction, noise_prior_median: of BOHAMIANN, see
            `core.study.bayesian.BohamiannSettings`; the defaults are the NIPS paper's, but for the friction, which its
            text raises and no code does.
    """

    optimizer: Literal["gp", "gp_mcmc", "gp_warped", "rf", "dngo", "bohamiann", WithoutModel]
    acquisition: Literal["ei", "pi", "lcb", "thompson"] = "ei"
    maximizer: Literal["gradient", "differential_evolution", "local_search", "one_step"] = "differential_evolution"
    generations: PositiveInt = 50
    evaluations: PositiveInt
    initial_design: NonNegativeInt = 2
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)] = (50, 50, 50)
    burn_in_per_point: NonNegativeInt = 100
    chain_steps: PositiveInt = 10_000
    samples: PositiveInt = 100
    most_steps: Annotated[int, Field(ge=200)] | None = None
    warm_burn_in: NonNegativeInt | None = None
    hyperparameter_samples: PositiveInt = 10
    trees: PositiveInt = 30
    polish: Annotated[bool, AddedLater()] = False
    variant: Annotated[Literal["snoek", "pybnn"], AddedLater()] = "snoek"
    updates: Annotated[PositiveInt | None, AddedLater()] = None
    scale_targets: Annotated[bool, AddedLater()] = True
    initialisation: Annotated[Initialisation, AddedLater()] = "he"
    weight_prior: Annotated[WeightPriorName, AddedLater()] = "gamma_hyperprior"
    raise_friction: Annotated[bool, AddedLater()] = False
    noise_correction: Annotated[bool, AddedLater()] = True
    noise_prior_median: Annotated[PositiveFloat, AddedLater()] = 1e-6

    @model_validator(mode="after")
    def _fits_together(self) -> Optimization:
        if self.maximizer == "gradient" and self.optimizer == "rf":
            raise ValueError("maximizer 'gradient' does not work with optimizer 'rf': a forest has no gradient")
        if self.chain_steps < self.samples:
            raise ValueError(f"chain_steps = {self.chain_steps} must be at least samples = {self.samples}")
        return self

    @property
    def method(self) -> MethodSettings:
        """The method that these settings select, with those settings that it has."""
        from core.study.methods import method_with

        return method_with(self.optimizer, self)
