"""Bayesian optimization with ask and tell: a single run, where `core.study.lockstep` advances many.

    encoding = CubeEncoding(objective.space)
    policy = ModelBased(encoding, lambda n: GaussianProcess(), GradientAscent(), GPSettings())
    optimizer = BayesianOptimization(policy, initial_design=2, seed=0)

Trials that were asked for and not told are pending, and the acquisition function is averaged over their outcomes.

A failure counts with its worst-case loss, but its distance above the worst success is at most the distance between the
worst and the best success: with a worst-case loss far from all others, the model would see only the difference between
failures and successes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.foundation.randomness import make_generators
from core.foundation.validation import require_count
from core.optimizers.base import Optimizer, Outcome, Trial, shielded
from core.optimizers.fidelities import (
    FidelityEncoding,
    budget_range,
    budgets_of,
    check_cost,
    configurations_of,
    encoded,
    initial_evaluations,
    priced,
)
from core.optimizers.model_based import ConstrainedPolicy, ModelBased
from core.optimizers.policy import Policy, uniform_points
from core.optimizers.proposer import Proposer
from core.optimizers.states import describe
from core.optimizers.trial import OBSERVED, Past, within_reach


class BayesianOptimization(Optimizer):
    """One run of a policy.

    Args:
        policy: Policy that proposes the points, for example `ModelBased`.
        initial_design: Number of uniform points before the first proposal of the policy, which waits for only one of
            them; with a fidelity each is evaluated as its encoding says.
        seed: Seed of the initial design and everything drawn later.
        device: Device on which the model is fitted.

    Attributes:
        X: Points of the unit cube that were told, (N, d), in the order of telling.
        y: Losses of these points, (N,).
        costs: Costs of these points, (N,).
        failed: Whether each evaluation failed, (N,) bool.

    Raises:
        UserError: a negative number of initial points.
    """

    def __init__(self, policy: Policy, initial_design: int, seed: int = 0, device: str = "cpu") -> None:
        super().__init__(policy.encoding.space)
        self.initial_design = require_count("initial_design", initial_design, least=0)
        self.encoding = policy.encoding
        generators = make_generators([seed], device)
        x = uniform_points(configurations_of(policy.encoding), self.initial_design, generators)
        self._proposer = Proposer(policy, initial_evaluations(policy.encoding, x), generators)
        self.X = self._proposer.initial.new_empty(0, self.encoding.dimension)
        self.y, self.costs = self.X.new_empty(0), self.X.new_empty(0)
        self._told: list[int] = []  # numbers of the trials
        self.failed = torch.zeros(0, dtype=torch.bool)
        self._observed = self.y  # the losses, also of what violates a constraint, and nan where there is none
        self._places: dict[int, Tensor] = {}

    def _propose(self) -> tuple[Mapping[str, Any], float | None, Mapping[str, Any]]:
        waiting = [self._places[number] for number in self.pending]
        pending = torch.stack(waiting) if waiting else self.X[:0]
        proposal = self._proposer.propose(self._seen, self.X[None], self._outcomes()[None], pending[None])
        self._places[self._asked] = proposal.points[0]
        point = proposal.points.cpu().numpy()
        (configuration,), (budget,) = self.encoding.decode(point), budgets_of(self.encoding, point)
        notes = proposal.notes[0]
        if "recommended" in notes:
            notes["recommended"] = self._told[notes["recommended"]]
        return configuration, budget, notes

    def _adopt(self, trial: Trial) -> bool:
        point = encoded(self.encoding, trial.configuration, trial.budget)
        self._places[trial.number] = torch.as_tensor(point).to(self.X)
        return True

    @property
    def first_evaluations(self) -> int:
        """The number of evaluations of the initial design."""
        return self._proposer.initial.shape[1]

    @property
    def weighs_costs(self) -> bool:
        """Whether the policy gets costs."""
        return priced(self.encoding)

    @property
    def budgets(self) -> tuple[float, float] | None:
        """The smallest and the largest budget of the evaluations; None without a fidelity."""
        return budget_range(self.encoding)

    def _check(self, trial: Trial, outcome: Outcome) -> None:
        if self.weighs_costs and not outcome.failure:
            check_cost(trial.number, outcome.cost)

    def _observe(self, trial: Trial, outcome: Outcome) -> None:
        self.X = torch.cat([self.X, self._places.pop(trial.number)[None]])
        self.y = torch.cat([self.y, self.y.new_tensor([outcome.loss])])
        self.costs = torch.cat([self.costs, self.y.new_tensor([outcome.cost])])
        self._told.append(trial.number)
        self.failed = torch.cat([self.failed, torch.tensor([bool(outcome.failure)])])
        observed = outcome.info.get(OBSERVED, torch.nan if outcome.failure else outcome.loss)
        self._observed = torch.cat([self._observed, torch.as_tensor(within_reach(np.array([observed]))).to(self.y)])

    @shielded
    def take_over(self, past: Past) -> None:
        """As in the base class."""
        points = past.points
        if isinstance(self.encoding, FidelityEncoding):
            last = [self.encoding.place(budget) for budget in past.budgets]
            points = np.column_stack([points, np.array(last).reshape(len(points), -1)])
        if self.weighs_costs:
            for place in np.flatnonzero(~past.failed).tolist():
                check_cost(self._asked + place, float(past.costs[place]))
        self._told += range(self._asked, self._asked + len(points))
        self._asked += len(points)
        self.X = torch.cat([self.X, torch.as_tensor(points).to(self.X)])
        self.y = torch.cat([self.y, torch.as_tensor(within_reach(past.losses)).to(self.y)])
        self.costs = torch.cat([self.costs, torch.as_tensor(past.costs).to(self.y)])
        self.failed = torch.cat([self.failed, torch.as_tensor(past.failed)])
        self._observed = torch.cat([self._observed, torch.as_tensor(within_reach(past.observed)).to(self.y)])

    def learn_constraints(self) -> None:
        """Let a model learn where evaluations fail, see `core.optimizers.model_based`; call it before the first trial.

        A policy without one of the models of `ModelBased` stays as it is: to it failures are large losses.
        """
        if type(self._proposer.policy) is ModelBased:
            self._proposer.policy = ConstrainedPolicy.of(self._proposer.policy)

    @shielded
    def recommend(self) -> int | None:
        """The trial that the policy recommends, if it makes recommendations, given everything told; the state stays.

        None if nothing has succeeded. It is what the next proposal would note.
        """
        if self.failed.all():
            return None
        recommended = self._proposer.copied().recommend(self.X[None], self._outcomes()[None])
        return None if recommended is None else self._told[recommended[0]]

    def _outcomes(self) -> Tensor:
        """The observations for the policy: losses (N,), or losses and costs (N, 2), with nan for the cost of a failure.

        To a policy that learns constraints: losses, nan where there is none, and 1 where an evaluation succeeded.

        The cost of a failure may be any number: an evaluation that raised costs the seconds until it did, whatever the
        unit of the others. As long as nothing has succeeded, all costs are equal.
        """
        if isinstance(self._proposer.policy, ConstrainedPolicy):
            return torch.stack([self._observed, (~self.failed).to(self.y)], -1)
        if not self.weighs_costs:
            return self._losses()
        costs = torch.ones_like(self.costs) if self.failed.all() else self.costs.masked_fill(self.failed, torch.nan)
        return torch.stack([self._losses(), costs], -1)

    def _losses(self) -> Tensor:
        """The losses that the model is fitted to, (N,)."""
        if not self.failed.any():
            return self.y
        successes = self.y[~self.failed]
        if not len(successes):  # any constant except 0, which a model of log losses cannot use
            settings = getattr(self._proposer.policy, "settings", None)
            return torch.full_like(self.y, float(getattr(settings, "log_loss", False)))
        best, worst = successes.min(), successes.max()
        highest = worst + (worst - best if worst > best else 1.0)
        return torch.where(self.failed, self.y.clamp(max=highest), self.y)

    def _settings(self) -> dict[str, Any]:
        policy = describe(self._proposer.policy)
        return {**super()._settings(), "initial_design": self.initial_design, "policy": policy}

    def _state(self) -> dict[str, Any]:
        return {
            "X": self.X,
            "y": self.y,
            "costs": self.costs,
            "told": list(self._told),
            "failed": self.failed,
            "places": dict(self._places),
            "initial": self._proposer.initial,
            "generator": self._proposer.generators[0].get_state(),
            "memory": dict(self._proposer.memory[0]),
            **({"observed": self._observed} if isinstance(self._proposer.policy, ConstrainedPolicy) else {}),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.X, self.y, self.failed = state["X"], state["y"], state["failed"]
        self.costs, self._told = state["costs"], list(state["told"])
        self._places = dict(state["places"])
        self._proposer.initial = state["initial"]
        self._proposer.generators[0].set_state(state["generator"])
        self._proposer.memory = (dict(state["memory"]),)
        self._observed = state.get("observed", self.y.masked_fill(self.failed, torch.nan))
