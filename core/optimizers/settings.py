"""The settings of methods: names, defaults, what is allowed and what each is, written here and nowhere else.

Here are the base of all and the methods without a surrogate of the loss; `core.optimizers.model_settings` has Bayesian
optimization, `core.optimizers.information_settings` entropy search, MTBO and Fabolas. An optimizer takes its settings
as one object, and settings build their optimizer:

    TreeParzen(space, generator, TPESettings(joint=False, candidates=24))
    TPESettings(joint=False, candidates=24).build(space, seed=0)

Reading settings imports neither NumPy nor torch. What settings build they name by its public name in
`core.optimizers`, which is imported when the first one is built.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, ValidationError, model_validator

from core.foundation.errors import UserError, brief
from core.foundation.strict import AddedLater, OpenShare, Recorded, explain
from core.foundation.validation import require_count

if TYPE_CHECKING:  # not needed to read settings, and torch takes seconds to import
    import numpy as np
    import torch
    from ConfigSpace import ConfigurationSpace

    from core.models.tasks import Task
    from core.optimizers.base import Optimizer
    from core.optimizers.policy import Policy
    from core.spaces import CubeEncoding, SpaceLike

Share = Annotated[float, Field(ge=0, le=1)]
Eta = Annotated[float, Field(ge=2)]
Budgets = tuple[float, float]
EVALUATIONS = 200  # planned, where nothing is said


def numpy_generator(seed: int) -> np.random.Generator:
    """NumPy's generator of a seed; NumPy is imported only now, because reading settings does not need it."""
    import numpy as np

    return np.random.default_rng(seed)


class MethodSettings(Recorded):
    """Base of all settings: a subclass has a literal field `method` and a field for each setting, all with defaults.

    The defaults are the library's, for `minimize`; a paper's settings are in its paper.yaml, all of them.

    Attributes:
        needs_budgets: Whether the method evaluates on several budgets.
        needs_curves: Whether every evaluation must return its learning curve.
        in_lockstep: Whether the method has a policy with which many runs advance together.
        learns_from_tasks: Whether the method can start from the evaluations of earlier tasks.
        optimizer: Public name in `core.optimizers` of the optimizer that takes the settings.

    Raises:
        UserError: an unknown setting, or a value that is not allowed.
    """

    needs_budgets: ClassVar[bool] = False
    needs_curves: ClassVar[bool] = False
    in_lockstep: ClassVar[bool] = False
    learns_from_tasks: ClassVar[bool] = False
    optimizer: ClassVar[str]
    no_numbers: ClassVar[dict[type, str]] = Recorded.no_numbers | {str: "text"}

    method: str

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise UserError(f"{type(self).__name__}: {explain(error)}") from error

    # Within a cell's settings pydantic makes the method without __init__, so that an error names its place there.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # pydantic's mark, which functions do not declare

    @property
    def initial_points(self) -> int:
        """The number of uniform points from which runs in lockstep start."""
        return 0

    @property
    def own(self) -> dict[str, Any]:
        """The settings by name, without the method's name."""
        return {name: value for name, value in self if name != "method"}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the settings."""
        return tuple(name for name in cls.model_fields if name != "method")

    @classmethod
    def _hint(cls, key: str, value: dict[str, Any]) -> str:
        near = difflib.get_close_matches(key, cls.names(), n=1)
        return (f"did you mean {near[0]!r}? " if near else "") + cls.described(
            value.get("method", cls.model_fields["method"].default)
        )

    @classmethod
    def described(cls, method: str) -> str:
        """The settings of the method with this name, in words."""
        return f"method {method!r} has {', '.join(cls.names()) or 'no settings'}"

    def build(
        self,
        space: SpaceLike,
        seed: int,
        budgets: Budgets | None = None,
        evaluations: int = EVALUATIONS,
        earlier: Sequence[Task] = (),
    ) -> Optimizer:
        """The optimizer.

        Args:
            space: Search space, a ConfigurationSpace or a dictionary as for `minimize`.
            seed: Seed of everything random.
            budgets: Smallest and largest budget, for methods that need them.
            evaluations: Planned number of evaluations; SMAC's initial design depends on it.
            earlier: Earlier tasks, for methods that learn from them.

        Raises:
            UserError: budgets or tasks given where not allowed, budgets missing where needed, or whatever the optimizer
                refuses.
        """
        from core.optimizers.base import usual_settings
        from core.spaces import as_space

        self.check_budgets(budgets)
        seed = require_count("seed", seed, least=0)
        with usual_settings():
            return self._build(as_space(space), seed, budgets, evaluations, **self._given(earlier))

    def required_budgets(self, budgets: Budgets | None) -> Budgets:
        """The budgets of a method that needs them; raises UserError if they are missing."""
        if budgets is None:
            raise UserError(f"method {self.method!r} needs budgets; allowed: a smallest and a largest, such as (1, 81)")
        return budgets

    def check_budgets(self, budgets: Budgets | None) -> None:
        """Raise UserError if budgets are given where not allowed, or missing where needed."""
        if self.needs_budgets:
            self.required_budgets(budgets)
        elif budgets is not None:
            raise UserError(
                f"budgets are {brief(budgets)}, but method {self.method!r} evaluates on one budget; "
                "allowed: None, or a method with a fidelity: bohb, fabolas, hyperband, mtbo or successive_halving"
            )

    def check_earlier(self, earlier: Sequence[Any]) -> None:
        """Raise UserError if there are earlier tasks that the method cannot learn from."""
        if earlier and not self.learns_from_tasks:
            raise UserError(
                f"earlier has {len(earlier)} tasks, but method {self.method!r} does not learn from other tasks; "
                "allowed: none, or a method that does: ablr, mt_bohamiann or mt_gp"
            )

    def policy(
        self,
        encoding: CubeEncoding,
        device: torch.device | str = "cpu",
        budgets: Budgets | None = None,
        earlier: Sequence[Task] = (),
    ) -> Policy:
        """The policy with which runs advance in lockstep; `budgets` and `earlier` as for `build`.

        Raises:
            UserError: the method has none, or tasks given where not allowed.
        """
        return self._policy(encoding, device, budgets, **self._given(earlier))

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        """What `build` returns; a method that learns from tasks takes them as the argument `earlier`."""
        import core.optimizers

        given = self.required_budgets(budgets) if self.needs_budgets else ()
        settings = {"settings": self} if self.names() else {}
        made: Optimizer = getattr(core.optimizers, self.optimizer)(space, numpy_generator(seed), *given, **settings)
        return made

    def _policy(self, encoding: CubeEncoding, device: torch.device | str, budgets: Budgets | None) -> Policy:
        """What `policy` returns; as `_build`."""
        raise UserError(f"method {self.method!r} has no policy for runs in lockstep; allowed: a model's, or 'random'")

    def _given(self, earlier: Sequence[Task]) -> dict[str, Any]:
        self.check_earlier(earlier)
        return {"earlier": earlier} if earlier else {}


class RandomSettings(MethodSettings):
    """Uniform configurations."""

    in_lockstep: ClassVar[bool] = True
    optimizer: ClassVar[str] = "RandomSearch"

    method: Literal["random"] = "random"

    def _policy(self, encoding: CubeEncoding, device: Any, budgets: Budgets | None) -> Policy:
        """Propose uniform points."""
        from core.optimizers.policy import Uniform

        return Uniform(encoding)


class TPESettings(MethodSettings):
    """The tree Parzen estimator, ours: `core.optimizers.parzen`.

    Attributes:
        initial_design: Number of random configurations before the first model; 20 in Hyperopt.
        share: Constant gamma, which sets the number of good configurations; 0.25 in Hyperopt.
        candidates: Number of draws from l, without joint densities per hyperparameter; 24 in Hyperopt.
        rounded_ends: Whether, without joint densities, the first and the last value of an ordinal hyperparameter have
            half the probability of the others, as in Hyperopt.
        joint: Whether the densities are those of whole configurations, rather than of each hyperparameter by itself, as
            in Hyperopt, which the papers ran.
    """

    method: Literal["tpe"] = "tpe"
    initial_design: PositiveInt = 10
    share: PositiveFloat = 1.0
    candidates: PositiveInt = 64
    rounded_ends: bool = False
    joint: Annotated[bool, AddedLater(False)] = True

    @model_validator(mode="after")
    def _ends_are_hyperopt_s(self) -> TPESettings:
        if self.joint and self.rounded_ends:
            raise ValueError("rounded_ends = True: joint densities have no rounded ends; allowed: joint = False")
        return self

    @property
    def optimizer(self) -> str:  # type: ignore[override]  # of a class that has two
        """The name of the estimator with joint densities, or of that without."""
        return "JointParzen" if self.joint else "TreeParzen"


class OptunaTPESettings(MethodSettings):
    """The tree Parzen estimator of Optuna: `core.optimizers.tpe`."""

    optimizer: ClassVar[str] = "TPE"

    method: Literal["optuna_tpe"] = "optuna_tpe"


class SMACSettings(MethodSettings):
    """SMAC by its own library, an optional extra: `core.optimizers.smac`.

    Attributes:
        calls_per_configuration: Maximum number of evaluations of a configuration.
        random_fraction: Probability of a random configuration instead of the model's choice, after the initial design.
    """

    optimizer: ClassVar[str] = "SMAC"

    method: Literal["smac"] = "smac"
    calls_per_configuration: PositiveInt = 1
    random_fraction: Share = 0.2

    def _build(self, space: ConfigurationSpace, seed: int, budgets: Budgets | None, evaluations: int) -> Optimizer:
        from core.optimizers import SMAC

        return SMAC(space, numpy_generator(seed), self, evaluations=evaluations)


class BanditSettings(MethodSettings):
    """Base of the methods that evaluate many configurations on small budgets and continue with the best.

    Attributes:
        eta: Ratio of the budgets of successive rungs: they are maximum_budget eta^-s, not below the minimum.
        brackets: Number of brackets to run; None for no end.
    """

    needs_budgets: ClassVar[bool] = True

    eta: Eta = 3
    brackets: PositiveInt | None = None


class SuccessiveHalvingSettings(BanditSettings):
    """Successive halving: `core.optimizers.hyperband`; bracket follows bracket if `brackets` is None.

    Attributes:
        configurations: Number of configurations with which a bracket begins; None for eta^s_max, so that one reaches
            the largest budget.
    """

    optimizer: ClassVar[str] = "SuccessiveHalving"

    method: Literal["successive_halving"] = "successive_halving"
    configurations: PositiveInt | None = None


class HyperbandSettings(BanditSettings):
    """Hyperband: `core.optimizers.hyperband`; it ends after `brackets` brackets, or never if None.

    Attributes:
        oldest_first: Whether a free worker gets a configuration of the oldest bracket that has one waiting, instead of
            one with the smallest budget.
        floored_sizes: Whether brackets begin with as many configurations as in the authors' code.
    """

    optimizer: ClassVar[str] = "Hyperband"

    method: Literal["hyperband"] = "hyperband"
    oldest_first: bool = False
    floored_sizes: bool = False


class BOHBSettings(BanditSettings):
    """BOHB: `core.optimizers.bohb`.

    Attributes:
        random_fraction: Probability rho of a random configuration.
        good_fraction: Share q of the observations that count as good.
        samples: Number N_s of samples drawn from l.
        bandwidth_factor: Factor b_w of the bandwidths of continuous hyperparameters.
        categorical_factor: Factor of the bandwidths of categorical hyperparameters; if it equals b_w, the rule is that
            of the text.
        minimum_bandwidth: Lower bound of the bandwidths; the tabular experiments use 0.3.
        minimum_points: Number N_min; None for d + 1, where d counts the hyperparameters with more than one value.
        disjoint: Whether a model needs 2 N_min observations instead of N_min + 2, so that l and g share none.
        oldest_first: Whether a free worker gets a configuration of the oldest bracket that has one waiting, instead of
            one with the smallest budget.
        floored_sizes: Whether brackets begin with as many configurations as in the authors' code.
        redraw_choices: Whether a choice drawn from l is changed with probability h (k - 1) / k, where k is its number
            of choices, as in the authors' code, which redraws it uniformly with probability h; otherwise the
            probability is h, as in Eq. 6.2.
    """

    optimizer: ClassVar[str] = "BOHB"

    method: Literal["bohb"] = "bohb"
    random_fraction: Share = 1 / 3
    good_fraction: OpenShare = 0.15
    samples: PositiveInt = 64
    bandwidth_factor: PositiveFloat = 3
    categorical_factor: PositiveFloat = 1
    minimum_bandwidth: PositiveFloat = 1e-3
    minimum_points: PositiveInt | None = None
    disjoint: bool = False
    oldest_first: bool = False
    floored_sizes: bool = False
    redraw_choices: bool = False


class HyperbandLCNetSettings(BanditSettings):
    """Hyperband with LC-Net, for objectives that return learning curves: `core.optimizers.hyperband_lcnet`.

    Attributes:
        burn_in, chain_steps, samples: Numbers of steps before and during sampling, and number of weight samples, kept
            at equal distances in the second part of the chain.
        floored_sizes: Whether brackets begin with as many configurations as in the authors' code.
    """

    needs_curves: ClassVar[bool] = True
    optimizer: ClassVar[str] = "HyperbandLCNet"

    method: Literal["hyperband_lcnet"] = "hyperband_lcnet"
    burn_in: NonNegativeInt = 500
    chain_steps: PositiveInt = 2500
    samples: PositiveInt = 100
    floored_sizes: bool = False

    @model_validator(mode="after")
    def _keeps_its_samples(self) -> HyperbandLCNetSettings:
        if self.chain_steps < self.samples:
            raise ValueError(f"chain_steps = {self.chain_steps}; allowed: at least samples = {self.samples}")
        return self


class CMAESSettings(MethodSettings):
    """CMA-ES: `core.optimizers.cmaes`.

    Attributes:
        sigma: Initial standard deviation, in widths of the cube.
        population: Population size of the first search; None for the library's 4 + 3 log(d).
    """

    optimizer: ClassVar[str] = "CMAES"

    method: Literal["cmaes"] = "cmaes"
    sigma: Annotated[float, Field(gt=0, le=1)] = 0.25
    population: Annotated[int, Field(ge=3)] | None = None


class DifferentialEvolutionSettings(MethodSettings):
    """Differential evolution: `core.optimizers.differential_evolution`.

    Attributes:
        population: Number of members.
        crossover: Probability that a coordinate comes from the mutant.
        mutation: Bounds of the mutation factor.
    """

    optimizer: ClassVar[str] = "DifferentialEvolution"

    method: Literal["differential_evolution"] = "differential_evolution"
    population: Annotated[int, Field(ge=4)] = 20
    crossover: Share = 0.7
    mutation: tuple[PositiveFloat, PositiveFloat] = (0.5, 1.0)

    @model_validator(mode="after")
    def _mutation_is_ascending(self) -> DifferentialEvolutionSettings:
        if not self.mutation[0] <= self.mutation[1] <= 2:
            raise ValueError(f"mutation = {self.mutation}; allowed: two ascending numbers from above 0 to 2")
        return self


class RegularizedEvolutionSettings(MethodSettings):
    """Regularized evolution: `core.optimizers.regularized_evolution`.

    Attributes:
        population: Number of members; 100 in the thesis.
        tournament: Number of members compared for a mutation; 10 in the thesis.
    """

    optimizer: ClassVar[str] = "RegularizedEvolution"

    method: Literal["regularized_evolution"] = "regularized_evolution"
    population: PositiveInt = 100
    tournament: PositiveInt = 10


class ReinforceSettings(MethodSettings):
    """REINFORCE over the values of each hyperparameter, which must be finitely many: `core.optimizers.reinforce`.

    Attributes:
        learning_rate: Learning rate of the policy; 0.1 in the thesis.
        momentum: Momentum of the baseline; 0.9 in the thesis.
        largest_loss: Bound from which on losses are ignored; None ignores none.
    """

    optimizer: ClassVar[str] = "Reinforce"

    method: Literal["reinforce"] = "reinforce"
    learning_rate: PositiveFloat = 0.1
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.9
    largest_loss: Annotated[float, Field(allow_inf_nan=False)] | None = None
