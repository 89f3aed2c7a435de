"""Settings of a search on a table of trained networks. Does not import torch, since the Snakefile reads it."""

from __future__ import annotations

from pydantic import PositiveFloat, PositiveInt, model_validator

from core.experiment.settings import Settings, require_ends
from core.study.methods import one_of

BANDITS = ("hyperband", "hyperband_lcnet", "bohb")
SINGLE_BUDGET = ("random", "smac", "tpe", "differential_evolution", "regularized_evolution", "reinforce")
TableMethod = one_of(*SINGLE_BUDGET, *BANDITS)


class TableSearch(Settings):
    """Repetitions of one method on a table; see `core.experiment.table_search`.

    Attributes:
        method: Method with its settings. Hyperband and BOHB need a number of `brackets`, after which a run ends.
        evaluations: Number of evaluations in a run of another method; null for Hyperband and BOHB.
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
