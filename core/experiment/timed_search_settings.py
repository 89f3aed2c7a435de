"""Settings of a search whose clock counts seconds. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import PositiveFloat, PositiveInt, model_validator

from core.experiment.bandit_rules import RULES, BanditRules
from core.strict import OpenShare

if TYPE_CHECKING:
    from core.study.settings import MethodSettings

BANDITS = ("hyperband", "bohb")


class TimedSearch(BanditRules):
    """Repetitions of one method on one objective with a share of the data as its fidelity; see `timed_search`.

    Attributes:
        optimizer: a name of `core.study.methods`.
        evaluations: number in a run, of every method but Hyperband and BOHB.
        seconds: when a run of Hyperband or BOHB ends, by the costs of its evaluations.
        initial_design: uniform points at the start of a run, null for the method's own number.
        auxiliary: MTBO's shares of the data beside all of them, null for its own.
    """

    optimizer: Literal["random", "gp", "gp_mcmc", "entropy_search", "mtbo", "fabolas", "hyperband", "bohb"]
    evaluations: PositiveInt | None = None
    seconds: PositiveFloat | None = None
    initial_design: PositiveInt | None = None
    auxiliary: tuple[OpenShare, ...] | None = None

    @model_validator(mode="after")
    def _ends(self) -> TimedSearch:
        needed, other = ("seconds", "evaluations") if self.optimizer in BANDITS else ("evaluations", "seconds")
        if getattr(self, needed) is None:
            raise ValueError(f"{needed} must be given for optimizer {self.optimizer!r}, which ignores {other}")
        if self.optimizer not in BANDITS and (rules := [name for name in RULES if getattr(self, name)]):
            raise ValueError(f"{rules[0]} is a rule of {' and '.join(BANDITS)}, not of optimizer {self.optimizer!r}")
        return self

    @property
    def method(self) -> MethodSettings:
        """The method that these settings name."""
        from core.study.methods import method_of, method_with

        if self.optimizer in BANDITS:
            return method_with(self.optimizer, self)
        given = {name: getattr(self, name) for name in ("initial_design", "auxiliary")}
        own = {name: value for name, value in given.items() if value is not None}
        return method_of({"method": self.optimizer, **own})
