"""The base of every method's settings."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationError

from core.foundation.errors import UserError, brief
from core.foundation.strict import Recorded, explain
from core.foundation.validation import require_count

if TYPE_CHECKING:  # not needed to read settings, and torch takes seconds to import
    import numpy as np
    import torch
    from ConfigSpace import ConfigurationSpace

    from core.models.tasks import Task
    from core.optimizers.base import Optimizer
    from core.optimizers.policy import Policy
    from core.spaces import CubeEncoding, SpaceLike

Initialisation = Literal["he", "uniform"]
WeightPriorName = Literal["gamma_hyperprior", "averaged_normal"]
Share = Annotated[float, Field(ge=0, le=1)]
Eta = Annotated[float, Field(ge=2)]
Budgets = tuple[float, float]


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

    Raises:
        UserError: an unknown setting, or a value that is not allowed.
    """

    needs_budgets: ClassVar[bool] = False
    needs_curves: ClassVar[bool] = False
    in_lockstep: ClassVar[bool] = False
    learns_from_tasks: ClassVar[bool] = False
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
        """The settings by name, without the method's name: arguments of its optimizer."""
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
        evaluations: int = 200,
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
        raise NotImplementedError

    def _policy(self, encoding: CubeEncoding, device: torch.device | str, budgets: Budgets | None) -> Policy:
        """What `policy` returns; as `_build`."""
        raise UserError(f"method {self.method!r} has no policy for runs in lockstep; allowed: a model's, or 'random'")

    def _given(self, earlier: Sequence[Task]) -> dict[str, Any]:
        self.check_earlier(earlier)
        return {"earlier": earlier} if earlier else {}
