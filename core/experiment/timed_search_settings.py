"""Settings of a search whose clock counts seconds. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from pydantic import PositiveFloat, PositiveInt, model_validator

from core.experiment.settings import Settings, require_ends
from core.study.methods import one_of

TimedMethod = one_of("random", "gp", "gp_mcmc", "entropy_search", "mtbo", "fabolas", "hyperband", "bohb")


class TimedSearch(Settings):
    """Repetitions of one method on one objective with a share of the data as its fidelity; see `timed_search`.

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
